// SPDX-License-Identifier: GPL-2.0
#include "render/path_json.h"

#include <inttypes.h>

#include "render/json_text.h"

static const char *const end_names[] = {
	[PATH_END_BRANCH] = "branch",	[PATH_END_INTERRUPT] = "interrupt",
	[PATH_END_TRIGGER] = "trigger", [PATH_END_LBR_OFF] = "lbr-off",
	[PATH_END_KERNEL] = "kernel",	[PATH_END_UNKNOWN] = "unknown",
};

static json_t *address(uint64_t addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	return json_string(text);
}

static bool name_target(void *symbols, uint64_t addr, char *buf, size_t len)
{
	struct symbol sym;

	if (!symbols || symbols_find(symbols, addr, &sym))
		return false;
	if (addr == sym.addr)
		snprintf(buf, len, "%s", sym.name);
	else
		snprintf(buf, len, "%s+0x%" PRIx64, sym.name, addr - sym.addr);
	return true;
}

static void set_line(json_t *obj, const struct path_json_options *opts, const char *module,
		     uint64_t addr)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	int n = opts->lines ? lines_find(opts->lines, module, addr, false, chain, INLINE_DEPTH_MAX)
			    : 0;

	json_object_set_new(obj, "file",
			    n > 0 && chain[0].file ? json_foreign(chain[0].file) : json_null());
	json_object_set_new(obj, "line",
			    n > 0 && chain[0].line ? json_integer(chain[0].line) : json_null());
}

static json_t *insns_array(const struct path *path, const struct path_block *block,
			   const struct path_json_options *opts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < block->insn_count; i++) {
		const struct path_insn *in = &path->insns[block->first_insn + i];
		char text[INSN_TEXT_MAX];
		json_t *obj = json_object();

		insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, opts->symbols,
			    text, sizeof(text));
		json_object_set_new(obj, "addr", address(in->addr));
		json_object_set_new(obj, "text", json_foreign(text));
		json_array_append_new(array, obj);
	}
	return array;
}

static json_t *decisions_array(const struct path *path, const struct path_block *block,
			       const char *module, const struct path_json_options *opts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < block->decision_count; i++) {
		const struct path_decision *d = &path->decisions[block->first_decision + i];
		char text[2 * INSN_TEXT_MAX];
		json_t *obj = json_object();

		path_decision_text(path, d, name_target, opts->symbols, text, sizeof(text));
		json_object_set_new(obj, "addr", address(d->addr));
		json_object_set_new(obj, "insn", json_foreign(text));
		json_object_set_new(obj, "taken", json_boolean(d->taken));
		set_line(obj, opts, module, d->addr);
		json_object_set_new(obj, "target", address(d->target));
		json_object_set_new(obj, "condition",
				    path_condition(path, d, text, sizeof(text))
					    ? json_null()
					    : json_foreign(text));
		json_array_append_new(array, obj);
	}
	return array;
}

static json_t *block_object(const struct path *path, const struct path_block *block,
			    const struct path_json_options *opts)
{
	json_t *obj = json_object();
	struct symbol sym;
	bool known = opts->symbols && !symbols_find(opts->symbols, block->start, &sym);
	const char *module = known ? sym.module : "";

	json_object_set_new(obj, "function", known ? json_foreign(sym.name) : json_null());
	json_object_set_new(obj, "module", *module ? json_foreign(module) : json_null());
	set_line(obj, opts, module, block->start);
	json_object_set_new(obj, "start", address(block->start));
	json_object_set_new(obj, "end", address(block->end));
	json_object_set_new(obj, "depth", json_integer(block->depth));
	json_object_set_new(obj, "gap",
			    block->gap ? json_string(path_gap_text(block->gap)) : json_null());
	json_object_set_new(obj, "interrupt", json_integer(block->interrupt));
	json_object_set_new(obj, "tracing", json_boolean(block->tracing));
	json_object_set_new(obj, "ends", json_string(end_names[block->ends]));
	json_object_set_new(obj, "branch",
			    block->branch == PATH_NONE ? json_null() : json_integer(block->branch));
	if (opts->insns)
		json_object_set_new(obj, "insns", insns_array(path, block, opts));
	json_object_set_new(obj, "decisions", decisions_array(path, block, module, opts));
	return obj;
}

json_t *path_json(const struct path *path, const struct path_json_options *opts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; array && i < path->block_count; i++) {
		if (json_array_append_new(array, block_object(path, &path->blocks[i], opts))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}
