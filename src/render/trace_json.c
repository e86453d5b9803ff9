// SPDX-License-Identifier: GPL-2.0
#include "render/trace_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_writer.h"
#include "render/branch_list.h"
#include "util/address.h"
#include "util/errno_name.h"

#define NAME_LEN 192

struct trace_json {
	FILE *out;
	uint64_t count;
	bool failed;
};

/** struct slice - an open function; @depth as in struct path_block */
struct slice {
	char name[NAME_LEN];
	int depth;
	uint64_t start;
};

/** struct drawing - one snapshot; @now: in units of its clock */
struct drawing {
	struct trace_json *trace;
	const struct snapshot *snap;
	struct symbols *symbols;
	struct slice *open; /* one for each block at most */
	size_t open_count;
	uint64_t now;
	bool cycles;
};

/* Ends the event that @w has, and its args. */
static void put_event(struct trace_json *trace, struct json_writer *w)
{
	jw_close(w, '}');
	jw_close(w, '}');
	if (fputs(",\n", trace->out) == EOF || json_writer_end(w, trace->out))
		trace->failed = true;
}

/* Begins one: its args come next. */
static void open_slice(struct drawing *d, struct json_writer *w, const char *name, uint64_t start)
{
	int64_t number = (int64_t)d->trace->count;

	jw_open(w, '{');
	jw_put_string(w, "ph", "X");
	jw_put_string(w, "name", name);
	jw_put_integer(w, "pid", number);
	jw_put_integer(w, "tid", number);
	jw_put_integer(w, "ts", (int64_t)start);
	jw_put_integer(w, "dur", (int64_t)(d->now - start));
	jw_key(w, "args");
	jw_open(w, '{');
}

static void open_about(struct drawing *d, struct json_writer *w, const char *what)
{
	jw_open(w, '{');
	jw_put_string(w, "ph", "M");
	jw_put_string(w, "name", what);
	jw_put_integer(w, "pid", (int64_t)d->trace->count);
	jw_key(w, "args");
	jw_open(w, '{');
}

struct trace_json *trace_json_create(FILE *out)
{
	struct trace_json *trace = calloc(1, sizeof(*trace));
	struct json_writer w = {0};

	if (!trace)
		return NULL;
	trace->out = out;
	jw_open(&w, '{');
	jw_put_string(&w, "displayTimeUnit", "ns");
	jw_key(&w, "otherData");
	jw_open(&w, '{');
	jw_put_string(&w, "producer", "lbrsnoop");
	jw_put_string(&w, "clock",
		      "1 us is one core cycle where the name of the process says so, else one "
		      "branch: an order, no time");
	jw_close(&w, '}');
	jw_key(&w, "traceEvents");
	jw_open(&w, '[');
	trace->failed = json_writer_flush(&w, out);
	/* An event that says nothing: each of the others can begin with a comma. */
	jw_open(&w, '{');
	jw_put_string(&w, "ph", "M");
	jw_put_string(&w, "name", "trace_name");
	jw_put_integer(&w, "pid", 0);
	jw_key(&w, "args");
	jw_open(&w, '{');
	jw_close(&w, '}');
	jw_close(&w, '}');
	if (json_writer_end(&w, out))
		trace->failed = true;
	return trace;
}

/* Every branch but the oldest, whose run began before the record, tells its cycles. */
static bool has_cycles(const struct snapshot *snap)
{
	uint32_t end = snap->count - snap->wasted;

	for (uint32_t i = 1; i < end; i++)
		if (snap->branches[i].cycles == CYCLES_NOT_REPORTED)
			return false;
	return end > 1;
}

static void put_name(struct drawing *d)
{
	const struct snapshot *snap = d->snap;
	const struct trigger *trigger = snap->trigger;
	const char *errname = snap->err ? errno_name(snap->err) : NULL;
	char name[NAME_LEN];
	struct json_writer w = {0};

	snprintf(name, sizeof(name), "#%" PRIu64 " %.60s%s%s  %.16s[%u] cpu %u  [1 us = 1 %s]",
		 d->trace->count,
		 trigger && trigger->function && *trigger->function ? trigger->function
		 : trigger					    ? trigger->target
								    : "",
		 errname ? "() = -" : "", errname ?: "", snap->comm, snap->pid, snap->cpu,
		 d->cycles ? "core cycle" : "branch: order, not time");
	open_about(d, &w, "process_name");
	jw_put_string(&w, "name", name);
	put_event(d->trace, &w);
	open_about(d, &w, "process_sort_index");
	jw_put_integer(&w, "sort_index", (int64_t)d->trace->count);
	put_event(d->trace, &w);
}

static void close_slices(struct drawing *d, int depth, const char *same)
{
	while (d->open_count) {
		struct slice *top = &d->open[d->open_count - 1];
		struct json_writer w = {0};

		if (top->depth < depth || (top->depth == depth && same && !strcmp(top->name, same)))
			return;
		d->open_count--;
		open_slice(d, &w, top->name, top->start);
		put_event(d->trace, &w);
	}
}

static void put_run_args(struct json_writer *w, const struct snapshot *snap, uint64_t start,
			 uint64_t end, uint32_t branch)
{
	const struct branch *br = branch < snap->count ? &snap->branches[branch] : NULL;

	jw_put_address(w, "start", start);
	jw_put_address(w, "end", end);
	if (br && br->mispred != TRI_NOT_REPORTED)
		jw_put_bool(w, "mispredicted", br->mispred == TRI_SET);
	if (br && br->cycles != CYCLES_NOT_REPORTED)
		jw_put_integer(w, "cycles", br->cycles);
}

static void name_function(const struct drawing *d, uint64_t addr, char *buf, size_t len,
			  uint64_t *ret_start)
{
	struct symbol sym;

	*ret_start = addr;
	/* A snapshot of a program has its symbols; one of the kernel has none of user space. */
	if (!address_is_kernel(addr) && !trigger_is_user(d->snap->trigger)) {
		snprintf(buf, len, "user space");
		return;
	}
	if (symbols_find(d->symbols, addr, &sym)) {
		snprintf(buf, len, "0x%" PRIx64, addr);
		return;
	}
	snprintf(buf, len, "%s%s%s%s", sym.name, *sym.module ? " [" : "", sym.module,
		 *sym.module ? "]" : "");
	*ret_start = sym.addr;
}

static void step(struct drawing *d, uint64_t start, uint64_t end, int depth, uint32_t branch,
		 const char *gap)
{
	char name[NAME_LEN], run[NAME_LEN];
	uint64_t base, from = d->now;
	struct json_writer w = {0};

	name_function(d, start, name, sizeof(name), &base);
	close_slices(d, depth, name);
	if (!d->open_count || d->open[d->open_count - 1].depth < depth) {
		struct slice *top = &d->open[d->open_count++];

		*top = (struct slice){.depth = depth, .start = d->now};
		memcpy(top->name, name, sizeof(name));
	}
	d->now += d->cycles && branch < d->snap->count
			  ? (uint64_t)(d->snap->branches[branch].cycles > 0
					       ? d->snap->branches[branch].cycles
					       : 0)
			  : 1;
	if (gap)
		snprintf(run, sizeof(run), "unknown: %s", gap);
	else
		snprintf(run, sizeof(run), "+0x%" PRIx64 " to +0x%" PRIx64, start - base,
			 end - base);
	open_slice(d, &w, run, from);
	put_run_args(&w, d->snap, start, end, branch);
	put_event(d->trace, &w);
}

int trace_json_add(struct trace_json *trace, const struct snapshot *snap, const struct path *path,
		   struct symbols *symbols)
{
	struct drawing d = {
		.trace = trace, .snap = snap, .symbols = symbols, .cycles = has_cycles(snap)};
	uint32_t end = snap->count - snap->wasted;

	d.open = calloc((path ? path->block_count : end) + 1, sizeof(*d.open));
	if (!d.open)
		return -ENOMEM;
	trace->count++;
	put_name(&d);
	for (uint32_t i = 0; path && i < path->block_count; i++) {
		const struct path_block *block = &path->blocks[i];

		step(&d, block->start, block->end, block->depth, block->branch,
		     block->gap ? path_gap_text(block->gap) : NULL);
	}
	for (uint32_t i = 1; !path && i < end; i++)
		step(&d, snap->branches[i - 1].to, snap->branches[i].from, 0, i, NULL);
	close_slices(&d, -1, NULL);
	free(d.open);
	return trace->failed || ferror(trace->out) ? -EIO : 0;
}

int trace_json_finish(struct trace_json *trace)
{
	int err;

	if (!trace)
		return 0;
	if (fputs("\n]}\n", trace->out) == EOF)
		trace->failed = true;
	err = trace->failed ? -EIO : 0;
	free(trace);
	return err;
}
