// SPDX-License-Identifier: GPL-2.0
// The page's own script: tables of paths, snapshots, times and CPUs; a path's story, lines and picture.
// What comes out of a capture is set as text, never as markup.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const app = document.getElementById("app");
const S = data.strings;
const snaps = data.snapshots;
const SVG = "http://www.w3.org/2000/svg";
const BINS = 60;
const LONG = 300;

// Foreign text --------------------------------------------------------------------------------

// What would not be seen, or would move what stands beside it, becomes \u{...}.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;
const seen = (text) => text.replace(HIDDEN, (c) =>
	c === "\t" ? c : "\\u{" + c.codePointAt(0).toString(16) + "}");

function make(tag, name, text) {
	const node = document.createElement(tag);
	if (name)
		node.className = name;
	if (text !== undefined)
		node.textContent = text;
	return node;
}

// Foreign text as a node: cut where it is long, all of it on demand.
function foreign(tag, name, text) {
	const node = make(tag, name ? name + " f" : "f");
	const all = seen(text);
	if (all.length <= LONG) {
		node.textContent = all;
		return node;
	}
	const part = make("span", "", all.slice(0, LONG) + "…");
	const more = make("button", "more", "all " + all.length.toLocaleString("en") + " characters");
	more.type = "button";
	more.addEventListener("click", (event) => {
		event.stopPropagation();
		part.textContent = all;
		more.remove();
	});
	node.append(part, more);
	return node;
}

const short = (text) => {
	const all = seen(text);
	return all.length > LONG ? all.slice(0, LONG) + "…" : all;
};

function button(text, title, act) {
	const node = make("button", "", text);
	node.type = "button";
	node.title = title;
	node.addEventListener("click", act);
	return node;
}

// Data ----------------------------------------------------------------------------------------

const count = snaps.path.length;
const startNs = BigInt(snaps.start || "0");
const startUs = Number(startNs / 1000n);
const times = new Float64Array(count); // microseconds since the first
for (let i = 0, at = 0; i < count; i++) {
	at += snaps.time[i];
	times[i] = at;
}
let firstUs = 0, lastUs = 0;
for (const t of times) {
	firstUs = Math.min(firstUs, t);
	lastUs = Math.max(lastUs, t);
}
const spanUs = Math.max(lastUs - firstUs, 1);
const binOf = (i) => Math.min(BINS - 1, Math.floor((times[i] - firstUs) / spanUs * BINS));
const paths = data.paths.map((path, index) => ({
	...path, index,
	what: S[path.function] || S[path.target],
	err: S[path.errno],
	firstUs: Number(BigInt(path.first) / 1000n) - startUs,
	lastUs: Number(BigInt(path.last) / 1000n) - startUs,
}));
const ofPath = paths.map(() => []);
for (let i = 0; i < count; i++)
	ofPath[snaps.path[i]].push(i);
const pad = (n, width) => String(n).padStart(width, "0");

function clock(us, fine) {
	const all = startUs + us;
	const date = new Date(Math.floor(all / 1000));
	const text = pad(date.getHours(), 2) + ":" + pad(date.getMinutes(), 2) + ":" + pad(date.getSeconds(), 2);
	return fine ? text + "." + pad(((all % 1e6) + 1e6) % 1e6 | 0, 6) : text;
}

function day(us) {
	const date = new Date(Math.floor((startUs + us) / 1000));
	return date.getFullYear() + "-" + pad(date.getMonth() + 1, 2) + "-" + pad(date.getDate(), 2) + " " + clock(us, true);
}

// All that a path can be found by, in small letters; made when it is first looked for.
function haystack(path) {
	if (path.hay === undefined) {
		const words = [path.what, path.err && "-" + path.err, S[path.target], S[path.kind], S[path.place],
			S[path.reason], path.id];
		for (let i = 0; i < path.rows.length; i += 2)
			words.push(data.rows[path.rows[i]].slice(2));
		for (const comm of new Set(ofPath[path.index].map((i) => snaps.comm[i])))
			words.push(S[comm]);
		path.hay = words.join("\n").toLowerCase();
	}
	return path.hay;
}

// Filter --------------------------------------------------------------------------------------

// "cpu:3 pid:120 comm:dd time:0.5-1.2 errno:ENOENT path:8c72 words"; all must hold.
function parse(text) {
	const wanted = {text: [], path: [], snap: []};
	for (const word of text.trim().split(/\s+/).filter(Boolean)) {
		const at = word.indexOf(":");
		const key = at > 0 ? word.slice(0, at).toLowerCase() : "";
		const value = word.slice(at + 1);
		const low = value.toLowerCase();
		const range = /^(-?[\d.]+)-(-?[\d.]+)$/.exec(value);
		if (key === "cpu" && /^\d+$/.test(value))
			wanted.snap.push((i) => snaps.cpu[i] === Number(value));
		else if (key === "pid" && /^\d+$/.test(value))
			wanted.snap.push((i) => snaps.pid[i] === Number(value));
		else if (key === "comm")
			wanted.snap.push((i) => S[snaps.comm[i]].toLowerCase().includes(low));
		else if (key === "time" && range)
			wanted.snap.push((i) => times[i] - firstUs >= Number(range[1]) * 1e6 - 0.5 &&
				times[i] - firstUs <= Number(range[2]) * 1e6 + 0.5);
		else if (key === "errno")
			wanted.path.push((path) => path.err.toLowerCase() === low.replace(/^-/, ""));
		else if (key === "path")
			wanted.path.push((path) => path.id.startsWith(low));
		else
			wanted.text.push(word.toLowerCase());
	}
	return wanted;
}

let view; // what the filter leaves: paths and snapshots, and what they come to

function apply(text) {
	const wanted = parse(text);
	const chosen = paths.map((path) => wanted.path.every((test) => test(path)) &&
		wanted.text.every((word) => haystack(path).includes(word)));
	const rows = [];
	for (let i = 0; i < count; i++)
		if (chosen[snaps.path[i]] && wanted.snap.every((test) => test(i)))
			rows.push(i);
	const counts = new Array(paths.length).fill(0);
	if (wanted.snap.length)
		for (const i of rows)
			counts[snaps.path[i]]++;
	else
		paths.forEach((path, k) => { counts[k] = chosen[k] ? path.count : 0; });
	const bins = Array.from({length: BINS}, () => ({count: 0, of: new Map()}));
	const cpus = new Map();
	for (const i of rows) {
		if (!cpus.has(snaps.cpu[i]))
			cpus.set(snaps.cpu[i], {count: 0, of: new Map()});
		for (const row of [bins[binOf(i)], cpus.get(snaps.cpu[i])]) {
			row.count++;
			row.of.set(snaps.path[i], (row.of.get(snaps.path[i]) || 0) + 1);
		}
	}
	view = {rows, counts, bins, cpus, paths: paths.filter((path) => counts[path.index])};
	view.total = counts.reduce((a, b) => a + b, 0);
	// Errors first, as in the page without script.
	view.paths.sort((a, b) => !a.err - !b.err || counts[b.index] - counts[a.index] || a.firstUs - b.firstUs || (a.id < b.id ? -1 : 1));
}

const most = (of) => [...of].sort((a, b) => b[1] - a[1])[0];

// Tables --------------------------------------------------------------------------------------

function shareBar(part, wide) {
	const outer = make("span", wide ? "share wide" : "share");
	const inner = make("i");
	inner.style.width = Math.max(part * 100, 1) + "%";
	outer.append(inner);
	return outer;
}

function what(path) {
	const node = make("span", "what f", short(path.what));
	if (path.err)
		node.append("() = ", make("span", "err", "-" + path.err));
	return node;
}

function line(...parts) {
	const node = make("div", "one");
	node.append(...parts);
	return node;
}

const binSpan = (k) => [spanUs / BINS * k / 1e6, spanUs / BINS * (k + 1) / 1e6];
const binFilter = (k) => "time:" + binSpan(k).map((s) => s.toFixed(6)).join("-");

function ofMost(row) {
	const [top, n] = most(row.of);
	const node = what(paths[top]);
	return [node, make("span", "side", n === row.count ? "all" : n.toLocaleString("en") + " of it")];
}

// Of a path that made no error: the functions it decided in, the newest last.
const through = (path) => path.runs.length
	? "through " + path.runs.map((run) => short(S[data.functions[run.function].name])).reverse().join(", ") : path.id;

const TABLES = [{
	name: "Paths", height: 48, rows: () => view.paths,
	key: (path) => "p" + path.index,
	draw(node, path) {
		const n = view.counts[path.index];
		const place = S[path.place] ? (path.in_case ? "loaded, in case, at " : "at ") + short(S[path.place]) : "";
		const reason = S[path.reason] ? "because " + short(S[path.reason]) : "";
		node.append(line(make("span", "count", n.toLocaleString("en")), shareBar(n / view.total), what(path),
			make("span", "side", S[path.kind])),
		make("div", "two mono f", [place, reason].filter(Boolean).join("  ") || through(path)));
	},
	open: (path) => openPath(path.index),
}, {
	name: "Time", height: 26, rows: () => view.bins.map((bin, k) => ({...bin, k})).filter((bin) => bin.count),
	key: (bin) => "b" + bin.k,
	draw(node, bin) {
		const top = Math.max(...view.bins.map((b) => b.count));
		node.append(line(make("span", "side", clock(firstUs + binSpan(bin.k)[0] * 1e6, spanUs < 6e8)),
			make("span", "count", bin.count.toLocaleString("en")), shareBar(bin.count / top, true), ...ofMost(bin)));
	},
	open: (bin) => narrow("time", binFilter(bin.k)),
}, {
	name: "CPUs", height: 26,
	rows: () => [...view.cpus].map(([cpu, row]) => ({...row, cpu})).sort((a, b) => b.count - a.count || a.cpu - b.cpu),
	key: (row) => "c" + row.cpu,
	draw(node, row) {
		const top = Math.max(...[...view.cpus.values()].map((r) => r.count));
		node.append(line(make("span", "side", "CPU " + row.cpu), make("span", "count", row.count.toLocaleString("en")),
			shareBar(row.count / top, true), ...ofMost(row)));
	},
	open: (row) => narrow("cpu", "cpu:" + row.cpu),
}, {
	name: "Snapshots", height: 26, rows: () => view.rows,
	key: (i) => "s" + i,
	draw(node, i) {
		node.append(line(make("span", "side", clock(times[i], true)), make("span", "side", "CPU " + snaps.cpu[i]),
			what(paths[snaps.path[i]]), make("span", "side f", short(S[snaps.comm[i]]) + "[" + snaps.pid[i] + "]")));
	},
	open: (i) => openPath(snaps.path[i]),
}];

let table = TABLES[0], rows = [], at = 0;
const list = make("div", "list");
const space = make("div", "space");
list.append(space);
list.tabIndex = 0;
list.setAttribute("role", "listbox");

function drawRows() {
	const height = table.height;
	const from = Math.max(0, Math.floor(list.scrollTop / height) - 8);
	const to = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 8);
	space.replaceChildren();
	space.style.height = rows.length * height + "px";
	for (let k = from; k < to; k++) {
		const node = make("div", "item");
		node.style.top = k * height + "px";
		node.style.height = height + "px";
		node.id = "row" + k;
		node.dataset.row = k;
		node.setAttribute("role", "option");
		node.setAttribute("aria-selected", String(k === at));
		node.setAttribute("aria-setsize", rows.length);
		node.setAttribute("aria-posinset", k + 1);
		table.draw(node, rows[k]);
		space.append(node);
	}
	if (!rows.length)
		space.append(make("div", "empty", paths.length ? "Nothing matches the filter." : "No snapshot is in this report."));
	list.setAttribute("aria-activedescendant", rows.length ? "row" + at : "");
}

let waiting = 0;
list.addEventListener("scroll", () => {
	if (!waiting)
		waiting = requestAnimationFrame(() => { waiting = 0; drawRows(); });
});
list.addEventListener("click", (event) => {
	const node = event.target.closest(".item");
	if (!node)
		return;
	at = Number(node.dataset.row);
	drawRows();
	table.open(rows[at]);
});

function select(k) {
	at = Math.max(0, Math.min(rows.length - 1, k));
	const top = at * table.height, bottom = top + table.height;
	if (top < list.scrollTop)
		list.scrollTop = top;
	else if (bottom > list.scrollTop + list.clientHeight)
		list.scrollTop = bottom - list.clientHeight;
	drawRows();
}

// Bar: filter, tables, histogram -----------------------------------------------------------------

const search = make("input");
search.type = "search";
search.id = "search";
search.spellcheck = false;
search.placeholder = "Filter: words, errno:ENOENT, cpu:0, pid:1, comm:cat   /";
search.setAttribute("aria-label", "Filter");
search.title = "Words of functions, places, conditions, tasks; errno:, cpu:, pid:, comm:, path:, time:FROM-TO in seconds";
const shown = make("span", "shown");
shown.setAttribute("aria-live", "polite");
const tabs = make("div", "tabs");
tabs.setAttribute("role", "tablist");
const over = make("div", "over");

function drawTabs() {
	tabs.replaceChildren(...TABLES.map((one) => {
		const node = button(one.name, "Left and right choose a table", () => choose(one));
		node.setAttribute("role", "tab");
		node.setAttribute("aria-selected", String(one === table));
		return node;
	}));
}

function shape(tag, attributes) {
	const node = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes))
		node.setAttribute(name, value);
	return node;
}

function drawHistogram() {
	const top = Math.max(1, ...view.bins.map((bin) => bin.count));
	const svg = shape("svg", {viewBox: "0 0 " + BINS * 10 + " 40", preserveAspectRatio: "none", role: "img",
		"aria-label": "Snapshots over time"});
	svg.append(shape("rect", {class: "bin", x: 0, y: 39.5, width: BINS * 10, height: 0.5}));
	view.bins.forEach((bin, k) => {
		const height = bin.count ? Math.max(1.5, bin.count / top * 40) : 0;
		const hit = shape("rect", {class: "hit", x: k * 10, y: 0, width: 10, height: 40});
		const title = shape("title", {});
		title.textContent = clock(firstUs + binSpan(k)[0] * 1e6, true) + ": " + bin.count;
		hit.append(title);
		hit.addEventListener("click", () => narrow("time", binFilter(k)));
		svg.append(hit, shape("rect", {class: "bin", x: k * 10 + 1, y: 40 - height, width: 8, height,
			"pointer-events": "none"}));
	});
	over.replaceChildren(make("span", "what", clock(firstUs, spanUs < 6e8)), svg, make("span", "what", clock(lastUs, spanUs < 6e8)));
}

function refresh() {
	apply(search.value);
	rows = table.rows();
	at = 0;
	list.scrollTop = 0;
	shown.textContent = view.paths.length.toLocaleString("en") + " of " + paths.length.toLocaleString("en") + " paths, " +
		view.total.toLocaleString("en") + " of " + data.total.toLocaleString("en") + " snapshots" +
		(data.total > count + data.others ? "; rows for the first " + count.toLocaleString("en") : "");
	drawTabs();
	drawHistogram();
	drawRows();
}

function choose(one) {
	table = one;
	rows = table.rows();
	at = 0;
	list.scrollTop = 0;
	drawTabs();
	drawRows();
}

// One more word in the filter, in the place of one of its kind.
function narrow(key, word) {
	const others = search.value.split(/\s+/).filter((one) => one && !one.startsWith(key + ":"));
	search.value = [...others, word].join(" ");
	table = TABLES[0];
	refresh();
}

let typing = 0;
search.addEventListener("input", () => {
	clearTimeout(typing);
	typing = setTimeout(refresh, count > 20000 ? 150 : 0);
});

// A path ----------------------------------------------------------------------------------------

const detail = make("aside", "detail");
detail.hidden = true;
detail.tabIndex = -1;
let opened = null;
let section = 0;

function story(path) {
	const node = make("div", "story");
	const marks = {k: "=>", e: "!!", c: "|", i: "~"};
	for (let i = 0; i < path.rows.length; i += 2) {
		const row = data.rows[path.rows[i]];
		const one = make("div", row[0] === " " ? "" : "s-" + row[0]);
		const text = make("span", "text f", seen(row.slice(2)));
		text.style.paddingLeft = "calc(" + (row.charCodeAt(1) - 65) * 14 + "px + 7ch)";
		one.append(make("span", "mark", marks[row[0]] || ""), text);
		if (path.rows[i + 1])
			one.append(make("span", "flags", S[path.rows[i + 1]]));
		node.append(one);
	}
	if (!path.rows.length)
		node.append(make("p", "note", path.detailed ? "Nothing is known of the way it took." :
			"There are too many paths: this one is only counted."));
	return node;
}

function drawStory(path) {
	const node = make("section");
	for (const text of S[path.record].split("\n").filter(Boolean))
		node.append(foreign("pre", "note", text.trim()));
	node.append(story(path));
	if (S[path.context]) {
		node.append(make("h3", "", "Where it was called from, and the kernel's log"));
		for (const text of S[path.context].split("\n").filter(Boolean))
			node.append(foreign("pre", "", text));
	}
	return node;
}

function sourceLines(run) {
	const fn = data.functions[run.function];
	const ran = new Set(run.lines);
	const files = new Map();
	for (let i = 0; i < fn.lines.length; i += 4) {
		const one = {file: fn.lines[i], no: fn.lines[i + 1], text: fn.lines[i + 2], code: fn.lines[i + 3], id: i / 4};
		one.state = one.id === run.key_line || one.id === run.error_line ? "key" :
			ran.has(one.id) ? "ran" : one.code ? "dark" : "blank";
		one.word = one.id === run.key_line ? "deciding" : one.id === run.error_line ? "the error is made here" :
			{ran: "executed", dark: "not executed", blank: ""}[one.state];
		if (!files.has(one.file))
			files.set(one.file, []);
		files.get(one.file).push(one);
	}
	return files;
}

function drawSource(path) {
	const node = make("section");
	const runs = path.runs.filter((run) => data.functions[run.function].lines.length);
	const legend = make("p", "legend");
	for (const [name, text] of [["ran", "executed"], ["dark", "not executed, as far as the record goes"], ["key", "deciding"]])
		legend.append(make("b", name, "12"), text + "   ");
	if (!runs.length) {
		node.append(make("p", "note", "No source lines: the kernel's debug information was not found when this " +
			"page was written. lbrsnoop report --debug-dir or --vmlinux tell where it is, --source-dir where the text of lines is."));
		return node;
	}
	node.append(legend);
	for (const run of runs) {
		const fn = data.functions[run.function];
		const box = make("div", "source");
		box.append(foreign("h3", "", S[fn.name] + "()" + (S[fn.module] ? " [" + S[fn.module] + "]" : "")));
		for (const [file, lines] of sourceLines(run)) {
			if (!lines.some((one) => one.state === "ran" || one.state === "key"))
				continue;
			lines.sort((a, b) => a.no - b.no);
			box.append(foreign("div", "file", S[file]));
			if (!lines.some((one) => one.text)) {
				const numbers = make("div", "numbers");
				for (const one of lines) {
					const chip = make("span", one.state, one.no);
					chip.title = one.word;
					numbers.append(chip);
				}
				box.append(numbers);
				continue;
			}
			let before = 0;
			for (const one of lines) {
				if (before && one.no > before + 1)
					box.append(make("div", "line note", "   …"));
				before = one.no;
				const row = make("div", "line " + one.state);
				row.title = one.word;
				row.append(make("span", "no", one.no), foreign("span", "text", S[one.text]));
				box.append(row);
			}
		}
		node.append(box);
	}
	return node;
}

function histogramTable(title, entries, named) {
	const box = make("div");
	const body = make("table");
	const top = Math.max(1, ...entries.map((one) => one[1]));
	box.append(make("h3", "", title));
	for (const [key, n] of entries.slice(0, 200)) {
		const row = make("tr"), bar = make("td", "b"), inner = make("i");
		inner.style.width = n / top * 100 + "%";
		bar.append(inner);
		row.append(foreign("td", "", named(key)), make("td", "n", n.toLocaleString("en")), bar);
		body.append(row);
	}
	box.append(body);
	if (entries.length > 200)
		box.append(make("p", "note", "and " + (entries.length - 200) + " more"));
	return box;
}

function drawWhere(path) {
	const node = make("section");
	const mine = ofPath[path.index];
	const tally = (of) => {
		const got = new Map();
		for (const i of mine)
			got.set(of(i), (got.get(of(i)) || 0) + 1);
		return [...got];
	};
	const byCount = (a, b) => b[1] - a[1];
	const machine = (k) => [0, 1, 2].map((n) => S[data.machines[3 * k + n]]).filter(Boolean).join(", ");
	const pair = make("div", "pair");
	if (mine.length < path.count)
		node.append(make("p", "note", "Of the first " + mine.length.toLocaleString("en") + " of " + path.count.toLocaleString("en") + " snapshots."));
	pair.append(histogramTable("By time", tally(binOf).sort((a, b) => a[0] - b[0]),
		(k) => clock(firstUs + binSpan(k)[0] * 1e6, spanUs < 6e8)),
	histogramTable("By CPU", tally((i) => snaps.cpu[i]).sort((a, b) => a[0] - b[0]), (cpu) => "CPU " + cpu),
	histogramTable("By task", tally((i) => S[snaps.comm[i]] + "[" + snaps.pid[i] + "]").sort(byCount), (name) => name),
	histogramTable("By machine", tally((i) => snaps.machine[i]).sort(byCount), machine));
	node.append(pair);
	return node;
}

// Control flow ------------------------------------------------------------------------------------

// Blocks in layers from the entry downwards; what goes back up is drawn, and not counted.
function layout(nodes, edges) {
	const out = new Map(nodes.map((node) => [node.id, []]));
	const state = new Map();
	const order = [];
	for (const edge of edges)
		out.get(edge.from).push(edge);
	for (const root of nodes) {
		const stack = [[root.id, 0]];
		if (state.has(root.id))
			continue;
		state.set(root.id, 1);
		while (stack.length) {
			const top = stack[stack.length - 1];
			const edge = out.get(top[0])[top[1]++];
			if (!edge) {
				state.set(top[0], 2);
				order.push(top[0]);
				stack.pop();
			} else if (!state.has(edge.to)) {
				state.set(edge.to, 1);
				stack.push([edge.to, 0]);
			} else if (state.get(edge.to) === 1) {
				edge.back = true;
			}
		}
	}
	const layer = new Map();
	for (const id of order.reverse()) {
		layer.set(id, layer.get(id) || 0);
		for (const edge of out.get(id))
			if (!edge.back)
				layer.set(edge.to, Math.max(layer.get(edge.to) || 0, layer.get(id) + 1));
	}
	const layers = [];
	const put = (item, k) => (layers[k] = layers[k] || []).push(item);
	const byId = new Map(nodes.map((node) => [node.id, node]));
	for (const node of nodes) {
		node.up = [];
		node.down = [];
		put(node, layer.get(node.id));
	}
	// An edge that spans layers goes through a point in each of them.
	for (const edge of edges) {
		const ends = [byId.get(edge.from), byId.get(edge.to)];
		if (edge.back)
			ends.reverse();
		const chain = [ends[0]];
		for (let k = layer.get(ends[0].id) + 1; k < layer.get(ends[1].id); k++) {
			const point = {width: 14, height: 0, up: [], down: [], point: true};
			put(point, k);
			chain.push(point);
		}
		chain.push(ends[1]);
		for (let i = 1; i < chain.length; i++) {
			chain[i - 1].down.push(chain[i]);
			chain[i].up.push(chain[i - 1]);
		}
		edge.chain = edge.back ? chain.reverse() : chain;
	}
	const middle = (list) => list.reduce((sum, one) => sum + one.x + one.width / 2, 0) / list.length;
	const spread = (row) => {
		let x = 0;
		for (const one of row) {
			one.x = x;
			x += one.width + 26;
		}
	};
	layers.forEach(spread);
	for (let round = 0; round < 8; round++) {
		const down = round % 2 === 0;
		for (const row of down ? layers : [...layers].reverse()) {
			const keys = new Map(row.map((one) => {
				const beside = down ? one.up : one.down;
				return [one, beside.length ? middle(beside) : one.x + one.width / 2];
			}));
			row.sort((a, b) => keys.get(a) - keys.get(b));
			spread(row);
			const shift = row.reduce((sum, one) => sum + keys.get(one) - one.x - one.width / 2, 0) / row.length;
			row.forEach((one) => { one.x += shift; });
		}
	}
	// As near as may be to what stands above and below, without changing the order.
	for (let round = 0; round < 12; round++)
		for (const row of round % 2 ? [...layers].reverse() : layers) {
			const wish = row.map((one) => {
				const beside = round % 2 ? one.down : one.up;
				return beside.length ? middle(beside) - one.width / 2 : one.x;
			});
			let edge = -Infinity;
			row.forEach((one, k) => { edge = one.x = Math.max(wish[k], edge); edge += one.width + 26; });
			for (let k = row.length - 2; k >= 0; k--)
				if (row[k].x > wish[k])
					row[k].x = Math.max(wish[k], Math.min(row[k].x, row[k + 1].x - row[k].width - 26));
		}
	let y = 0;
	for (const row of layers) {
		const height = Math.max(...row.map((one) => one.height));
		for (const one of row) {
			one.y = y;
			one.full = height;
		}
		y += height + 46;
	}
	const left = Math.min(...layers.flat().map((one) => one.x));
	const right = Math.max(...layers.flat().map((one) => one.x + one.width));
	return {left, right, height: y};
}

const CHAR = 6.65, ROW = 15, WIDEST = 64;

function graphData(run, all) {
	const fn = data.functions[run.function];
	const ran = new Map(), words = new Map(), edgeRan = new Map();
	for (let i = 0; i < run.blocks.length; i += 3) {
		ran.set(run.blocks[i], run.blocks[i + 1]);
		words.set(run.blocks[i], S[run.blocks[i + 2]]);
	}
	for (let i = 0; i < run.edges.length; i += 3)
		edgeRan.set(run.edges[i] + ":" + run.edges[i + 1], run.edges[i + 2]);
	const wanted = new Set(ran.keys());
	for (const id of ran.keys())
		for (let e = 0; e < fn.blocks[id].edges.length; e += 2)
			wanted.add(fn.blocks[id].edges[e]);
	const nodes = [], edges = [];
	fn.blocks.forEach((block, id) => {
		if (!all && !wanted.has(id))
			return;
		const text = block.rows.map((row) => seen(S[row]));
		if (words.get(id))
			text.push(seen(words.get(id)));
		if (id === run.error_block)
			text.push("the error is made here");
		const wide = Math.min(WIDEST, Math.max(...text.map((row) => row.length)));
		nodes.push({id, text, width: wide * CHAR + 16, height: text.length * ROW + 10, ran: ran.get(id) || 0,
			mark: [id === run.error_block && "error", id === run.key_block && "key"].filter(Boolean).join(" ")});
	});
	const there = new Set(nodes.map((node) => node.id));
	for (const node of nodes)
		fn.blocks[node.id].edges.forEach((to, e, list) => {
			if (e % 2 || !there.has(to))
				return;
			edges.push({from: node.id, to, kind: list[e + 1], ran: edgeRan.get(node.id + ":" + e / 2) || 0});
		});
	return {nodes, edges};
}

function drawNode(node) {
	const group = shape("g", {class: [node.ran ? "ran" : "cold", node.mark].join(" ").trim()});
	group.append(shape("rect", {x: node.x, y: node.y, width: node.width, height: node.height, rx: 2}));
	node.text.forEach((row, k) => {
		const text = shape("text", {x: node.x + 8, y: node.y + 16 + k * ROW});
		text.textContent = row.length > WIDEST ? row.slice(0, WIDEST - 1) + "…" : row;
		if (k === 0)
			text.setAttribute("font-weight", "600");
		if (row.length > WIDEST) {
			const title = shape("title", {});
			title.textContent = row;
			text.append(title);
		}
		group.append(text);
	});
	return group;
}

function drawEdge(edge, names) {
	const points = edge.chain;
	const bottom = (one) => one.y + one.height;
	const first = points[0], last = points[points.length - 1];
	const outs = edge.side || 0;
	let d, x = first.x + first.width / 2 + outs, y = bottom(first);
	if (edge.back) { // out at the right, up beside what is between, in at the right
		const side = Math.max(...points.map((one) => one.x + one.width)) + 18;
		const to = last.y + 8, from = first.y + first.height - 8;
		d = `M${first.x + first.width},${from} C${side + 12},${from} ${side + 12},${to} ${last.x + last.width + 2},${to}`;
		x = side;
		y = (from + to) / 2;
	} else {
		d = `M${x},${y}`;
		let px = x, py = y;
		if (first.full > first.height) { // straight down to where its layer ends
			py = first.y + first.full;
			d += ` L${px},${py}`;
		}
		for (const one of points.slice(1)) {
			const nx = one.x + one.width / 2, ny = one.y;
			d += ` C${px},${(py + ny) / 2} ${nx},${(py + ny) / 2} ${nx},${ny}`;
			px = nx;
			py = ny;
			if (one.point) {
				py = one.y + one.full;
				d += ` L${px},${py}`;
			}
		}
		y += 12;
	}
	const path = shape("path", {d, class: edge.ran ? "ran" : "", "marker-end": `url(#${edge.ran ? "arrow-ran" : "arrow"})`});
	const label = shape("text", {x: outs < 0 ? x - 4 : x + 4, y, class: "edge", "text-anchor": outs < 0 ? "end" : "start"});
	label.textContent = names[edge.kind] + (edge.ran > 1 ? " × " + edge.ran : "");
	return [path, label];
}

function drawPicture(run, all) {
	const {nodes, edges} = graphData(run, all);
	const box = layout(nodes, edges);
	const svg = shape("svg", {role: "img", "aria-label": "Control flow of " + seen(S[data.functions[run.function].name])});
	const defs = shape("defs", {});
	for (const name of ["arrow", "arrow-ran"]) {
		const marker = shape("marker", {id: name, class: name === "arrow" ? "" : "ran", viewBox: "0 0 8 8", refX: 7, refY: 4,
			markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto"});
		marker.append(shape("path", {d: "M0,0 L8,4 L0,8 z"}));
		defs.append(marker);
	}
	svg.append(defs);
	for (const node of nodes) {
		const outs = edges.filter((edge) => edge.from === node.id && !edge.back);
		outs.sort((a, b) => a.chain[1].x - b.chain[1].x);
		outs.forEach((edge, k) => { edge.side = (k - (outs.length - 1) / 2) * Math.min(60, node.width / 2); });
	}
	for (const edge of [...edges].sort((a, b) => a.ran - b.ran))
		svg.append(...drawEdge(edge, ["", "taken", "not taken"]));
	for (const node of nodes)
		svg.append(drawNode(node));
	return {svg, box: {x: box.left - 30, y: -16, w: box.right - box.left + 100, h: box.height + 20}, nodes};
}

function drawFlow(path) {
	const node = make("section");
	const runs = path.runs.filter((run) => run.blocks.length);
	if (!runs.length) {
		node.append(make("p", "note", "No picture: the text of the functions is not in the capture, or no branch of them is in the record."));
		return node;
	}
	const bar = make("div", "graph-bar");
	const which = make("select");
	const frame = make("div", "graph");
	which.setAttribute("aria-label", "Function");
	runs.forEach((run, k) => {
		const option = make("option", "", short(S[data.functions[run.function].name]) + "()");
		option.value = k;
		which.append(option);
	});
	let now, all = false, held = null;
	const show = () => now.svg.setAttribute("viewBox", [now.box.x, now.box.y, now.box.w, now.box.h].join(" "));
	// Where a screen's pixel is in the picture.
	const spot = (event) => {
		const area = frame.getBoundingClientRect();
		const scale = Math.max(now.box.w / area.width, now.box.h / area.height);
		return {x: now.box.x + now.box.w / 2 + (event.clientX - area.left - area.width / 2) * scale,
			y: now.box.y + now.box.h / 2 + (event.clientY - area.top - area.height / 2) * scale, scale};
	};
	const zoom = (by, x = now.box.x + now.box.w / 2, y = now.box.y + now.box.h / 2) => {
		now.box = {x: x - (x - now.box.x) * by, y: y - (y - now.box.y) * by, w: now.box.w * by, h: now.box.h * by};
		show();
	};
	const fit = () => {
		now.box = {...now.whole};
		show();
	};
	// Readable from the start: at full size, where it was decided.
	const begin = () => {
		const area = frame.getBoundingClientRect();
		const ran = now.nodes.filter((one) => one.ran);
		const key = now.nodes.find((one) => one.mark) || ran[ran.length - 1] || now.nodes[0];
		const left = Math.min(...ran.map((one) => one.x)) - 20, up = Math.min(...ran.map((one) => one.y)) - 16;
		const right = Math.max(...ran.map((one) => one.x + one.width)) + 20, down = Math.max(...ran.map((one) => one.y + one.height)) + 20;
		const fits = (box) => box.w <= area.width * 1.6 && box.h <= area.height * 1.6;
		fit();
		if (!area.width || fits(now.box))
			return;
		now.box = {x: left, y: up, w: Math.max(right - left, area.width), h: Math.max(down - up, area.height)};
		if (!fits(now.box))
			now.box = {x: key.x + key.width / 2 - area.width / 2, y: key.y + key.height / 2 - area.height / 2, w: area.width, h: area.height};
		show();
	};
	const draw = () => {
		now = drawPicture(runs[which.value], all);
		now.whole = {...now.box};
		frame.replaceChildren(now.svg);
		begin();
	};
	node.zoom = zoom;
	node.fit = fit;
	node.begin = begin;
	const every = button("All blocks", "Also those far from what ran", () => {
		all = !all;
		every.setAttribute("aria-pressed", String(all));
		draw();
	});
	every.setAttribute("aria-pressed", "false");
	which.addEventListener("change", draw);
	frame.addEventListener("wheel", (event) => {
		const here = spot(event);
		event.preventDefault();
		zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, here.x, here.y);
	}, {passive: false});
	frame.addEventListener("pointerdown", (event) => {
		held = spot(event);
		frame.setPointerCapture(event.pointerId);
		frame.classList.add("held");
	});
	frame.addEventListener("pointermove", (event) => {
		if (!held)
			return;
		const here = spot(event);
		now.box.x += held.x - here.x;
		now.box.y += held.y - here.y;
		show();
	});
	for (const name of ["pointerup", "pointercancel"])
		frame.addEventListener(name, () => { held = null; frame.classList.remove("held"); });
	bar.append(which, button("+", "Zoom in: +", () => zoom(0.8)), button("−", "Zoom out: -", () => zoom(1.25)),
		button("Whole", "All of it: 0", fit), every);
	node.append(bar, frame, make("p", "legend", "Drawn strong: what ran. The marked blocks decided, and made the error."));
	draw();
	return node;
}

const SECTIONS = [["What ran", drawStory], ["Source", drawSource], ["Control flow", drawFlow], ["When and where", drawWhere]];

function chooseSection(k) {
	section = k;
	if (!opened)
		return;
	opened.buttons.forEach((one, n) => one.setAttribute("aria-selected", String(n === k)));
	opened.boxes.forEach((one, n) => { one.hidden = n !== k; });
	if (!opened.built[k]) {
		opened.built[k] = SECTIONS[k][1](opened.path);
		opened.boxes[k].append(opened.built[k]);
		if (opened.built[k].begin)
			opened.built[k].begin();
	}
}

function openPath(index) {
	const path = paths[index];
	const top = make("div", "top");
	const heading = make("h2");
	const facts = make("dl");
	const bar = make("div", "tabs");
	heading.append(foreign("span", "", path.what + (path.err ? "() = -" + path.err : "")));
	top.append(heading, button("Close", "Escape", closePath));
	const fact = (name, text, key) => {
		if (text)
			facts.append(make("dt", "", name), foreign("dd", key ? "mono key" : "mono", text));
	};
	fact(path.in_case ? "loaded, in case, at" : "made at", S[path.place]);
	fact("because", S[path.reason], true);
	fact("count", path.count.toLocaleString("en") + " of " + data.total.toLocaleString("en"));
	fact("from", day(path.firstUs));
	fact("to", path.last === path.first ? "" : day(path.lastUs));
	fact("captured by", S[path.kind] && S[path.kind] + " " + S[path.target]);
	fact("path id", path.id);
	bar.setAttribute("role", "tablist");
	opened = {path, built: [], boxes: SECTIONS.map(() => make("div", "section"))};
	opened.buttons = SECTIONS.map(([name], k) => {
		const node = button(name, "Key " + (k + 1), () => chooseSection(k));
		node.setAttribute("role", "tab");
		return node;
	});
	bar.append(...opened.buttons);
	detail.replaceChildren(top, facts, bar, ...opened.boxes);
	detail.hidden = false;
	detail.scrollTop = 0;
	chooseSection(section);
	drawRows();
	detail.focus({preventScroll: true});
}

function closePath() {
	opened = null;
	detail.hidden = true;
	detail.replaceChildren();
	list.focus({preventScroll: true});
	drawRows();
}

addEventListener("beforeprint", () => {
	if (!opened)
		return;
	const now = section;
	SECTIONS.forEach((_, k) => chooseSection(k));
	opened.boxes.forEach((one) => { one.hidden = false; });
	if (opened.built[2].fit)
		opened.built[2].fit();
	section = now;
});
addEventListener("afterprint", () => chooseSection(section));

// Keys, theme ---------------------------------------------------------------------------------------

const KEYS = [["/", "filter"], ["j k", "next, previous row"], ["Enter", "open it"], ["Escape", "close; empty the filter"],
	["h l", "table to the left, to the right"], ["g G", "first, last row"], ["1 2 3 4", "what ran, source, control flow, when and where"],
	["+ - 0", "control flow: larger, smaller, all of it"], ["t", "light or dark"], ["?", "this list"]];
const help = make("dialog");
help.append(make("h2", "", "Keys"));
const keyTable = make("table");
for (const [keys, text] of KEYS) {
	const row = make("tr"), first = make("td");
	for (const key of keys.split(" "))
		first.append(make("kbd", "", key), " ");
	row.append(first, make("td", "", text));
	keyTable.append(row);
}
help.append(keyTable);

function isDark() {
	const set = document.documentElement.dataset.theme;
	return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme() {
	document.documentElement.dataset.theme = isDark() ? "light" : "dark";
}

function move(by) {
	select(at + by);
	if (opened && rows.length && (table === TABLES[0] || table === TABLES[3]))
		table.open(rows[at]);
}

function escape() {
	if (document.activeElement === search && !search.value) {
		list.focus();
	} else if (document.activeElement === search || !opened) {
		search.value = "";
		refresh();
		list.focus();
	} else {
		closePath();
	}
}

const flow = (act, ...args) => {
	const built = opened && section === 2 && opened.built[2];
	if (built && built[act])
		built[act](...args);
};
const beside = (by) => choose(TABLES[(TABLES.indexOf(table) + by + TABLES.length) % TABLES.length]);
const ACTS = {
	"/": () => { search.focus(); search.select(); },
	j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
	h: () => beside(-1), ArrowLeft: () => beside(-1), l: () => beside(1), ArrowRight: () => beside(1),
	g: () => select(0), G: () => select(rows.length - 1),
	Enter: () => { if (rows.length) table.open(rows[at]); },
	"?": () => help.showModal(), t: toggleTheme,
	"+": () => flow("zoom", 0.8), "=": () => flow("zoom", 0.8), "-": () => flow("zoom", 1.25), 0: () => flow("fit"),
	1: () => chooseSection(0), 2: () => chooseSection(1), 3: () => chooseSection(2), 4: () => chooseSection(3),
};
addEventListener("keydown", (event) => {
	const target = event.target;
	if (event.ctrlKey || event.metaKey || event.altKey || help.open)
		return;
	if (event.key === "Escape") {
		escape();
		event.preventDefault();
		return;
	}
	if (target === search) {
		if (event.key === "Enter") {
			clearTimeout(typing);
			refresh();
			list.focus();
		}
		return;
	}
	if (target.tagName === "SELECT" || (event.key === "Enter" && target.tagName === "BUTTON"))
		return;
	if (Object.hasOwn(ACTS, event.key)) {
		ACTS[event.key]();
		event.preventDefault();
	}
});

const bar = make("div", "bar");
const split = make("div", "split");
bar.append(search, shown, button("Theme", "Light or dark: t", toggleTheme), button("Keys", "?", () => help.showModal()));
split.append(list, detail);
app.append(bar, over, tabs, split, help);
app.hidden = false;
document.body.classList.add("app");
document.getElementById("static").hidden = true;
refresh();
addEventListener("resize", drawRows);
})();
