// SPDX-License-Identifier: GPL-2.0
#include "render/path_json.h"

#include "path/names.h"
#include "render/branch_list.h"

static const char *const end_names[] = {
	[PATH_END_BRANCH] = "branch",	[PATH_END_INTERRUPT] = "interrupt",
	[PATH_END_TRIGGER] = "trigger", [PATH_END_LBR_OFF] = "lbr-off",
	[PATH_END_KERNEL] = "kernel",	[PATH_END_UNKNOWN] = "unknown",
};

static bool name_target(void *symbols, uint64_t addr, char *buf, size_t len)
{
	struct symbol sym;

	if (!symbols || symbols_find(symbols, addr, &sym))
		return false;
	render_symbol(&sym, false, addr, buf, len);
	return true;
}

static void put_line(struct json_writer *w, const struct path_json_options *opts,
		     const char *module, uint64_t addr)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	int n = opts->lines ? lines_find(opts->lines, module, addr, false, chain, INLINE_DEPTH_MAX)
			    : 0;

	jw_put_string(w, "file", n > 0 ? chain[0].file : NULL);
	jw_put_known(w, "line", n > 0 && chain[0].line, n > 0 ? chain[0].line : 0);
}

static void put_insns(struct json_writer *w, const struct path *path,
		      const struct path_block *block, const struct path_json_options *opts)
{
	jw_open(w, '[');
	for (uint32_t i = 0; i < block->insn_count; i++) {
		const struct path_insn *in = &path->insns[block->first_insn + i];
		char text[INSN_TEXT_MAX];

		insn_format(in->bytes, in->len, in->addr, INSN_ATT, name_target, opts->symbols,
			    text, sizeof(text));
		jw_open(w, '{');
		jw_put_address(w, "addr", in->addr);
		jw_put_string(w, "text", text);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_source(struct json_writer *w, const struct operand_condition *condition)
{
	const struct operand_source *source = &condition->source;

	jw_open(w, '{');
	jw_put_string(w, "text", condition->text);
	jw_put_string(w, "operand", source->operand[0] ? source->operand : NULL);
	jw_put_string(w, "member", source->member[0] ? source->member : NULL);
	jw_put_string(w, "type", source->type[0] ? source->type : NULL);
	jw_close(w, '}');
}

static void put_decision(struct json_writer *w, const struct path *path,
			 const struct path_decision *d, const char *module,
			 const struct path_json_options *opts)
{
	char text[2 * INSN_TEXT_MAX];
	struct operand_condition condition;

	jw_open(w, '{');
	jw_put_address(w, "addr", d->addr);
	path_decision_text(path, d, name_target, opts->symbols, text, sizeof(text));
	jw_put_string(w, "insn", text);
	jw_put_bool(w, "taken", d->taken);
	put_line(w, opts, module, d->addr);
	jw_put_address(w, "target", d->target);
	jw_put_string(w, "condition", path_condition(path, d, text, sizeof(text)) ? NULL : text);
	if (path_names_find(opts->names, path, d, opts->symbols, opts->lines, &condition)) {
		jw_put_string(w, "source", NULL);
	} else {
		jw_key(w, "source");
		put_source(w, &condition);
	}
	jw_close(w, '}');
}

static void put_block(struct json_writer *w, const struct path *path,
		      const struct path_block *block, const struct path_json_options *opts)
{
	struct symbol sym;
	bool known = opts->symbols && !symbols_find(opts->symbols, block->start, &sym);
	const char *module = known ? sym.module : "";

	jw_open(w, '{');
	jw_put_string(w, "function", known ? sym.name : NULL);
	jw_put_string(w, "module", *module ? module : NULL);
	put_line(w, opts, module, block->start);
	jw_put_address(w, "start", block->start);
	jw_put_address(w, "end", block->end);
	jw_put_integer(w, "depth", block->depth);
	jw_put_string(w, "gap", block->gap ? path_gap_text(block->gap) : NULL);
	jw_put_integer(w, "interrupt", block->interrupt);
	jw_put_bool(w, "tracing", block->tracing);
	jw_put_string(w, "ends", end_names[block->ends]);
	jw_put_known(w, "branch", block->branch != PATH_NONE, block->branch);
	if (opts->insns) {
		jw_key(w, "insns");
		put_insns(w, path, block, opts);
	}
	jw_key(w, "decisions");
	jw_open(w, '[');
	for (uint32_t i = 0; i < block->decision_count; i++)
		put_decision(w, path, &path->decisions[block->first_decision + i], module, opts);
	jw_close(w, ']');
	jw_close(w, '}');
}

void path_json(struct json_writer *w, const struct path *path, const struct path_json_options *opts)
{
	jw_open(w, '[');
	for (uint32_t i = 0; i < path->block_count; i++)
		put_block(w, path, &path->blocks[i], opts);
	jw_close(w, ']');
}
