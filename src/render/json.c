// SPDX-License-Identifier: GPL-2.0
#include "render/json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "path/story.h"
#include "render/json_text.h"
#include "render/text.h"
#include "util/errno_name.h"

static json_t *address(uint64_t addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	return json_string(text);
}

static json_t *tri(enum tri value)
{
	return value == TRI_NOT_REPORTED ? json_null() : json_boolean(value == TRI_SET);
}

/* file, line and inlined chain, outermost last; the frame of the symbol itself is not inlined */
static void set_source(json_t *obj, struct lines *lines, const char *module, uint64_t addr,
		       bool is_return)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	json_t *inlined = json_array();
	int n = lines ? lines_find(lines, module, addr, is_return, chain, INLINE_DEPTH_MAX) : 0;

	json_object_set_new(obj, "file",
			    n > 0 && *chain[0].file ? json_foreign(chain[0].file) : json_null());
	json_object_set_new(obj, "line",
			    n > 0 && chain[0].line ? json_integer(chain[0].line) : json_null());
	for (int i = 0; i < n; i++)
		json_array_append_new(inlined, json_pack("{s:o, s:o, s:i}", "function",
							 json_foreign(chain[i].function), "file",
							 json_foreign(chain[i].file), "line",
							 chain[i].line));
	if (n <= 0) {
		json_decref(inlined);
		inlined = json_null();
	}
	json_object_set_new(obj, "inlined", inlined);
}

/* @is_return: @addr is where a return went to: the call before it is meant */
static json_t *location(struct symbols *syms, struct lines *lines, uint64_t addr, bool is_return)
{
	json_t *obj = json_object();
	struct symbol sym = {.module = ""};

	json_object_set_new(obj, "addr", address(addr));
	if (!syms || symbols_find(syms, addr, &sym)) {
		json_object_set_new(obj, "sym", json_null());
		json_object_set_new(obj, "off", json_null());
		json_object_set_new(obj, "module", json_null());
	} else {
		json_object_set_new(obj, "sym", json_foreign(sym.name));
		json_object_set_new(obj, "off", json_integer(addr - sym.addr));
		json_object_set_new(obj, "module",
				    *sym.module ? json_foreign(sym.module) : json_null());
	}
	set_source(obj, lines, sym.module, addr, is_return);
	return obj;
}

static json_t *optional_string(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *branch_object(const struct branch *br, const struct path_json_options *opts,
			     bool is_return)
{
	json_t *obj = json_object();
	enum tri predicted = br->mispred == TRI_NOT_REPORTED ? TRI_NOT_REPORTED
			     : br->mispred == TRI_SET	     ? TRI_CLEAR
							     : TRI_SET;

	json_object_set_new(obj, "from", location(opts->symbols, opts->lines, br->from, false));
	json_object_set_new(obj, "to", location(opts->symbols, opts->lines, br->to, is_return));
	json_object_set_new(obj, "type", optional_string(branch_type_name(br->type)));
	json_object_set_new(obj, "mispred", tri(br->mispred));
	json_object_set_new(obj, "predicted", tri(predicted));
	json_object_set_new(obj, "cycles",
			    br->cycles == CYCLES_NOT_REPORTED ? json_null()
							      : json_integer(br->cycles));
	json_object_set_new(obj, "in_tx", tri(br->in_tx));
	json_object_set_new(obj, "abort", tri(br->abort));
	json_object_set_new(obj, "spec", optional_string(branch_spec_name(br->spec)));
	return obj;
}

static json_t *trigger_object(const struct snapshot *snap)
{
	const struct trigger *trigger = snap->trigger;
	json_t *obj;

	if (!trigger)
		return json_null();
	obj = json_object();
	json_object_set_new(obj, "target", json_foreign(trigger->target));
	json_object_set_new(obj, "kind", json_string(trigger_kind_name(trigger->kind)));
	json_object_set_new(obj, "function",
			    trigger->function && *trigger->function
				    ? json_foreign(trigger->function)
				    : json_null());
	json_object_set_new(obj, "ip", snap->ip ? address(snap->ip) : json_null());
	json_object_set_new(obj, "retval",
			    snap->has_retval ? json_integer(snap->retval) : json_null());
	json_object_set_new(obj, "signal", snap->signal ? json_integer(snap->signal) : json_null());
	json_object_set_new(obj, "errno",
			    snap->err ? optional_string(errno_name(snap->err)) : json_null());
	return obj;
}

static json_t *lbr_object(const struct snapshot *snap)
{
	static const struct {
		uint32_t bit;
		const char *const names[3];
	} fields[] = {
		{LBR_HAS_MISPRED, {"mispred", "predicted"}},
		{LBR_HAS_CYCLES, {"cycles"}},
		{LBR_HAS_TSX, {"in_tx", "abort"}},
		{LBR_HAS_TYPE, {"type"}},
		{LBR_HAS_SPEC, {"spec"}},
	};
	const struct lbr_info *lbr = snap->lbr;
	json_t *obj = json_object(), *supported = json_array();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (int j = 0; (lbr->supported & fields[i].bit) && fields[i].names[j]; j++)
			json_array_append_new(supported, json_string(fields[i].names[j]));
	json_object_set_new(obj, "model", json_string(lbr->model));
	json_object_set_new(obj, "format",
			    lbr->format >= 0 ? json_integer(lbr->format) : json_null());
	json_object_set_new(obj, "depth", lbr->depth ? json_integer(lbr->depth) : json_null());
	json_object_set_new(obj, "valid", json_integer(snap->count));
	json_object_set_new(obj, "missing", json_integer(snap->missing));
	json_object_set_new(obj, "wasted", json_integer(snap->wasted));
	json_object_set_new(obj, "shown_from", json_integer(snap->shown_from));
	json_object_set_new(obj, "tracing", json_integer(snap->tracing));
	json_object_set_new(obj, "stale", tri(snap->stale));
	json_object_set_new(obj, "mixed", tri(snap->mixed));
	json_object_set_new(obj, "filter", optional_string(snap->filter));
	json_object_set_new(obj, "supported", supported);
	return obj;
}

/* Which branches are returns: the path knows, on any CPU. */
static void find_returns(const struct snapshot *snap, const struct path *path, bool *ret)
{
	for (uint32_t i = 0; i < snap->count; i++)
		ret[i] = snap->branches[i].type == BRANCH_RET;
	for (uint32_t i = 0; path && i < path->block_count; i++) {
		const struct path_block *block = &path->blocks[i];

		if (block->branch < snap->count && block->end_class == INSN_RET)
			ret[block->branch] = true;
	}
}

static json_t *place_object(uint64_t addr, const struct path_json_options *opts)
{
	json_t *obj = location(opts->symbols, opts->lines, addr, false);

	json_object_set(obj, "function", json_object_get(obj, "sym"));
	json_object_del(obj, "sym");
	json_object_del(obj, "off");
	return obj;
}

/* Where the path makes the errno that was returned, and the decision that led there. */
static json_t *error_object(const struct snapshot *snap, const struct path *path,
			    const struct path_json_options *opts)
{
	const struct path_insn *in;
	const struct path_decision *decision;
	uint32_t insn = PATH_NONE, key = PATH_NONE;
	json_t *obj, *key_obj = json_null();

	if (path)
		path_find_error(path, snap->err, &insn, &key);
	if (insn == PATH_NONE)
		return json_null();
	in = insn < path->insn_count ? &path->insns[insn] : &path->trigger_insn;
	obj = place_object(in->addr, opts);
	if (key != PATH_NONE) {
		decision = &path->decisions[key];
		key_obj = place_object(decision->addr, opts);
		json_object_set_new(key_obj, "taken", json_boolean(decision->taken));
		json_object_set_new(key_obj, "target", address(decision->target));
	}
	json_object_set_new(obj, "decision", key_obj);
	return obj;
}

/* Lines of the kernel's log, where they were asked for. */
static json_t *log_array(const struct path_json_options *opts)
{
	json_t *lines;

	if (!opts->log)
		return json_null();
	lines = json_array();
	for (size_t i = 0; i < opts->log_count; i++)
		json_array_append_new(lines, json_foreign(opts->log[i]));
	return lines;
}

int render_json_snapshot(FILE *out, const struct snapshot *snap, const struct path *path,
			 const struct path_json_options *opts, uint64_t lost_records)
{
	json_t *obj = json_object(), *branches = json_array();
	bool returns[BRANCHES_MAX];
	char ident[20];
	int err = 0;

	if (!obj || !branches) {
		json_decref(obj);
		json_decref(branches);
		return -ENOMEM;
	}
	json_object_set_new(obj, "schema", json_string("lbrsnoop.snapshot/1"));
	json_object_set_new(obj, "ts_ns", json_integer(snap->ts_ns));
	json_object_set_new(obj, "cpu", json_integer(snap->cpu));
	json_object_set_new(obj, "pid", json_integer(snap->pid));
	json_object_set_new(obj, "tid", json_integer(snap->tid));
	json_object_set_new(obj, "comm", json_foreign(snap->comm));
	json_object_set_new(obj, "trigger", trigger_object(snap));
	json_object_set_new(obj, "lbr", lbr_object(snap));
	find_returns(snap, path, returns);
	for (uint32_t i = 0; i < snap->count; i++)
		json_array_append_new(branches,
				      branch_object(&snap->branches[i], opts, returns[i]));
	json_object_set_new(obj, "branches", branches);
	snprintf(ident, sizeof(ident), "%016" PRIx64, opts->ident);
	json_object_set_new(obj, "path_id", json_string(ident));
	json_object_set_new(obj, "path", path ? path_json(path, opts) : json_null());
	json_object_set_new(obj, "error", error_object(snap, path, opts));
	json_object_set_new(obj, "log", log_array(opts));
	json_object_set_new(obj, "lost", json_pack("{s:I}", "records", (json_int_t)lost_records));
	if (json_dumpf(obj, out, JSON_LINE) || fputc('\n', out) == EOF)
		err = -EIO;
	json_decref(obj);
	return err;
}
