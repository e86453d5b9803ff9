// SPDX-License-Identifier: GPL-2.0
#include "render/path_json.h"

#include "render/text.h"

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

	jw_key(w, "file");
	jw_string(w, n > 0 ? chain[0].file : NULL);
	jw_key(w, "line");
	if (n > 0 && chain[0].line)
		jw_integer(w, chain[0].line);
	else
		jw_null(w);
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
		jw_key(w, "addr");
		jw_address(w, in->addr);
		jw_key(w, "text");
		jw_string(w, text);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

static void put_decision(struct json_writer *w, const struct path *path,
			 const struct path_decision *d, const char *module,
			 const struct path_json_options *opts)
{
	char text[2 * INSN_TEXT_MAX];

	jw_open(w, '{');
	jw_key(w, "addr");
	jw_address(w, d->addr);
	path_decision_text(path, d, name_target, opts->symbols, text, sizeof(text));
	jw_key(w, "insn");
	jw_string(w, text);
	jw_key(w, "taken");
	jw_bool(w, d->taken);
	put_line(w, opts, module, d->addr);
	jw_key(w, "target");
	jw_address(w, d->target);
	jw_key(w, "condition");
	jw_string(w, path_condition(path, d, text, sizeof(text)) ? NULL : text);
	jw_close(w, '}');
}

static void put_block(struct json_writer *w, const struct path *path,
		      const struct path_block *block, const struct path_json_options *opts)
{
	struct symbol sym;
	bool known = opts->symbols && !symbols_find(opts->symbols, block->start, &sym);
	const char *module = known ? sym.module : "";

	jw_open(w, '{');
	jw_key(w, "function");
	jw_string(w, known ? sym.name : NULL);
	jw_key(w, "module");
	jw_string(w, *module ? module : NULL);
	put_line(w, opts, module, block->start);
	jw_key(w, "start");
	jw_address(w, block->start);
	jw_key(w, "end");
	jw_address(w, block->end);
	jw_key(w, "depth");
	jw_integer(w, block->depth);
	jw_key(w, "gap");
	jw_string(w, block->gap ? path_gap_text(block->gap) : NULL);
	jw_key(w, "interrupt");
	jw_integer(w, block->interrupt);
	jw_key(w, "tracing");
	jw_bool(w, block->tracing);
	jw_key(w, "ends");
	jw_string(w, end_names[block->ends]);
	jw_key(w, "branch");
	if (block->branch == PATH_NONE)
		jw_null(w);
	else
		jw_integer(w, block->branch);
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
