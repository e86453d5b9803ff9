#!/usr/bin/python3
"""page.py - is a page of report --html what it has to be? Without a browser

Usage: page.py PAGE SNAPSHOTS

SNAPSHOTS: what report --json prints of the same captures. Everything of PAGE is counted again from
it: paths, errors, times, CPUs, tasks, decisions. Of the page itself: well-formed, no reference to
anything elsewhere, style and script as its policy's hashes have them, nothing of the data in markup.
"""
import base64
import collections
import hashlib
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "hr", "link", "img", "input"}
KNOWN = {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "p", "span", "main", "table", "thead", "tbody",
         "tr", "th", "td", "noscript", "div", "script"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "hidden", "type"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.texts, self.cells, self.policy = [], [], [], None

    def handle_starttag(self, tag, attrs):
        assert tag in KNOWN, f"<{tag}> at {self.getpos()}"
        for name, value in attrs:
            assert name in ATTRIBUTES, f"{tag} {name}={value}"
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in VOID:
            self.open.append((tag, given))
            self.texts.append((tag, given, []))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> at {self.getpos()}, open: {[one[0] for one in self.open]}"
        self.open.pop()

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data[:60])

    def handle_data(self, data):
        if self.open:
            for entry in reversed(self.texts):
                if entry[1] is self.open[-1][1]:
                    entry[2].append(data)
                    break

    def of(self, tag):
        return [(given, "".join(parts)) for name, given, parts in self.texts if name == tag]


def check_page(raw):
    page = Page()
    page.feed(raw)
    page.close()
    assert not page.open, f"not closed: {page.open}"
    (_, style), = page.of("style")
    scripts = page.of("script")
    (data_tag, data), (code_tag, code) = scripts
    assert data_tag == {"type": "application/json", "id": "data"} and code_tag == {}, scripts
    assert not re.search("[<>&\u2028\u2029]", data), "the data holds what could end a script"
    assert data.isascii(), "the data is not ASCII"

    def digest(text):
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    policy = dict(part.strip().split(" ", 1) for part in page.policy.split(";"))
    assert policy == {"default-src": "'none'", "style-src": digest(style), "script-src": digest(code), "base-uri": "'none'",
                      "form-action": "'none'"}, f"the policy: {policy}"
    # Nothing elsewhere: the one address is the name of SVG's elements.
    links = re.findall(r"(?:https?://|ftp:|file://|//[a-z])[^\s\"']*", style + code.replace("// ", ""))
    assert [link for link in links if link != "http://www.w3.org/2000/svg"] == [], links
    for word in ("url(", "@import"):
        assert word not in style, word
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(", "XMLHttpRequest",
                 "import(", "WebSocket"):
        assert word not in code, word
    outside = raw.replace(code, "").replace(style, "").replace(data, "")
    for char in outside:
        assert char in "\n…" or (char.isprintable() and not 0x202a <= ord(char) <= 0x202e), f"U+{ord(char):04x} is not seen"
    return page, json.loads(data)


def name_of(trigger):
    return trigger["function"] or trigger["target"]


def check_data(data, snapshots):
    strings = data["strings"]
    of_path = collections.defaultdict(list)
    for snapshot in snapshots:
        of_path[snapshot["path_id"]].append(snapshot)
    assert data["total"] == len(snapshots), (data["total"], len(snapshots))
    assert data["lost"] == sum(snapshot["lost"]["records"] for snapshot in snapshots)
    assert len(data["paths"]) == len(of_path), (len(data["paths"]), len(of_path))
    decisions = 0
    for path in data["paths"]:
        mine = of_path[path["id"]]
        first = mine[0]
        assert path["count"] == len(mine), path["id"]
        assert int(path["first"]) == min(one["ts_ns"] for one in mine) and int(path["last"]) == max(one["ts_ns"] for one in mine)
        assert strings[path["function"]] == (first["trigger"]["function"] or ""), strings[path["function"]][:80]
        assert strings[path["target"]] == first["trigger"]["target"]
        assert strings[path["errno"]] == (first["trigger"]["errno"] or "")
        # A story that shows where the error was made says so, and no other.
        assert bool(strings[path["place"]]) == (first["error"] is not None), path["id"]
        if first["path"]:
            decisions += check_runs(data, path, first["path"])
    columns = data["snapshots"]
    at = int(columns["start"]) // 1000
    for i, snapshot in enumerate(snapshots):
        at += columns["time"][i]
        row = (at, columns["cpu"][i], columns["pid"][i], strings[columns["comm"][i]], data["paths"][columns["path"][i]]["id"])
        wanted = (snapshot["ts_ns"] // 1000, snapshot["cpu"], snapshot["pid"], snapshot["comm"], snapshot["path_id"])
        assert row == wanted, f"{row}, wanted {wanted}"
    assert all(len(column) == len(snapshots) for name, column in columns.items() if name != "start")
    return len(of_path), decisions


def check_runs(data, path, blocks):
    """Each decision of a function that is drawn stands at one block, with the way it went."""
    strings, count = data["strings"], 0
    for run in path["runs"]:
        name = strings[data["functions"][run["function"]]["name"]]
        ways = {}
        for block in blocks:
            if block["function"] in (name, name + ".cold"):
                for decision in block["decisions"]:
                    ways[decision["addr"]] = "taken" if decision["taken"] else "not taken"
        drawn = [strings[text] for text in run["blocks"][2::3] if text]
        drawn = [text.split(",")[0] for text in drawn]
        assert sorted(drawn) == sorted(ways.values()), f"{name}: {sorted(drawn)}, wanted {sorted(ways.values())}"
        count += len(drawn)
        edges = collections.Counter(run["edges"][0::3])
        function = data["functions"][run["function"]]
        for number, times, _ in zip(run["blocks"][0::3], run["blocks"][1::3], run["blocks"][2::3]):
            assert 0 <= number < len(function["blocks"]) and times > 0
            assert edges[number] <= len(function["blocks"][number]["edges"]) // 2
    return count


def check_answers(page, data):
    cells = [text for given, text in page.of("td") if given.get("class") == "n"]
    shown = min(len(data["paths"]), 100)
    assert len(cells) == shown, f"{len(cells)} answers, {shown} wanted"
    order = sorted(data["paths"], key=lambda path: (not path["errno"], -path["count"]))
    assert [int(cell) for cell in cells] == [path["count"] for path in order[:shown]]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        raw = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        snapshots = [json.loads(line) for line in file]
    page, data = check_page(raw)
    paths, decisions = check_data(data, snapshots)
    check_answers(page, data)
    print(f"{len(snapshots)} snapshots, {paths} paths, {decisions} decisions drawn, {len(raw)} bytes")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print("page:", error)
        sys.exit(1)
