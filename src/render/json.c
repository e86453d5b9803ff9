// SPDX-License-Identifier: GPL-2.0
#include "render/json.h"

#include <errno.h>
#include <string.h>

#include "path/story.h"
#include "render/branch_list.h"
#include "symbolize/stack_frame.h"
#include "util/errno_name.h"

/* file, line and inlined chain, outermost last; the frame of the symbol itself is not inlined */
static void put_source(struct json_writer *w, struct lines *lines, const char *module,
		       uint64_t addr, bool is_return)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	int n = lines ? lines_find(lines, module, addr, is_return, chain, INLINE_DEPTH_MAX) : 0;

	jw_put_string(w, "file", n > 0 && *chain[0].file ? chain[0].file : NULL);
	jw_put_known(w, "line", n > 0 && chain[0].line, n > 0 ? chain[0].line : 0);
	jw_key(w, "inlined");
	if (n <= 0) {
		jw_null(w);
		return;
	}
	jw_open(w, '[');
	for (int i = 0; i < n; i++) {
		jw_open(w, '{');
		jw_put_string(w, "function", chain[i].function);
		jw_put_string(w, "file", chain[i].file);
		jw_put_integer(w, "line", chain[i].line);
		jw_close(w, '}');
	}
	jw_close(w, ']');
}

/*
 * The members of an object, which is open.
 * @is_return: @addr is where a return went to: the call before it is meant
 */
static void put_location(struct json_writer *w, const struct path_json_options *opts, uint64_t addr,
			 bool is_return)
{
	struct symbol sym = {.module = ""};
	bool known = opts->symbols && !symbols_find(opts->symbols, addr, &sym);

	jw_put_address(w, "addr", addr);
	jw_put_string(w, "sym", known ? sym.name : NULL);
	jw_put_known(w, "off", known, (int64_t)(addr - sym.addr));
	jw_put_string(w, "module", known && *sym.module ? sym.module : NULL);
	put_source(w, opts->lines, sym.module, addr, is_return);
}

static void put_branch(struct json_writer *w, const struct branch *br,
		       const struct path_json_options *opts, bool is_return)
{
	enum tri predicted = br->mispred == TRI_NOT_REPORTED ? TRI_NOT_REPORTED
			     : br->mispred == TRI_SET	     ? TRI_CLEAR
							     : TRI_SET;

	jw_open(w, '{');
	jw_key(w, "from");
	jw_open(w, '{');
	put_location(w, opts, br->from, false);
	jw_close(w, '}');
	jw_key(w, "to");
	jw_open(w, '{');
	put_location(w, opts, br->to, is_return);
	jw_close(w, '}');
	jw_put_string(w, "type", branch_type_name(br->type));
	jw_put_tri(w, "mispred", br->mispred);
	jw_put_tri(w, "predicted", predicted);
	jw_put_known(w, "cycles", br->cycles != CYCLES_NOT_REPORTED, br->cycles);
	jw_put_tri(w, "in_tx", br->in_tx);
	jw_put_tri(w, "abort", br->abort);
	jw_put_string(w, "spec", branch_spec_name(br->spec));
	jw_close(w, '}');
}

static void put_fault(struct json_writer *w, const struct snapshot *snap)
{
	const char *name = snapshot_fault_name(snap);

	jw_key(w, "fault");
	if (!name) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "kind", name);
	jw_key(w, "bug");
	if (snap->bug_ip)
		jw_address(w, snap->bug_ip);
	else
		jw_null(w);
	jw_put_string(w, "file", snap->bug_file);
	jw_put_known(w, "line", snap->bug_file != NULL, snap->bug_line);
	jw_close(w, '}');
}

static void put_trigger(struct json_writer *w, const struct snapshot *snap)
{
	const struct trigger *trigger = snap->trigger;

	if (!trigger) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_string(w, "target", trigger->target);
	jw_put_string(w, "kind", trigger_kind_name(trigger->kind));
	jw_put_string(w, "function",
		      trigger->function && *trigger->function ? trigger->function : NULL);
	jw_key(w, "ip");
	if (snap->ip)
		jw_address(w, snap->ip);
	else
		jw_null(w);
	jw_put_known(w, "retval", snap->has_retval, snap->retval);
	jw_put_known(w, "signal", snap->signal, snap->signal);
	put_fault(w, snap);
	jw_put_string(w, "errno", snap->err ? errno_name(snap->err) : NULL);
	jw_close(w, '}');
}

static void put_lbr(struct json_writer *w, const struct snapshot *snap)
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

	jw_open(w, '{');
	jw_put_string(w, "model", lbr->model);
	jw_put_known(w, "format", lbr->format >= 0, lbr->format);
	jw_put_known(w, "depth", lbr->depth, lbr->depth);
	jw_put_integer(w, "valid", snap->count);
	jw_put_integer(w, "missing", snap->missing);
	jw_put_integer(w, "wasted", snap->wasted);
	jw_put_integer(w, "shown_from", snap->shown_from);
	jw_put_integer(w, "tracing", snap->tracing);
	jw_put_tri(w, "stale", snap->stale);
	jw_put_tri(w, "mixed", snap->mixed);
	jw_put_string(w, "filter", snap->filter);
	jw_key(w, "supported");
	jw_open(w, '[');
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (int j = 0; (lbr->supported & fields[i].bit) && fields[i].names[j]; j++)
			jw_string(w, fields[i].names[j]);
	jw_close(w, ']');
	jw_close(w, '}');
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

/* The members of an object, which is open. */
static void put_place(struct json_writer *w, const struct path_json_options *opts, uint64_t addr)
{
	struct symbol sym = {.module = ""};
	bool known = opts->symbols && !symbols_find(opts->symbols, addr, &sym);

	jw_put_address(w, "addr", addr);
	jw_put_string(w, "module", known && *sym.module ? sym.module : NULL);
	put_source(w, opts->lines, sym.module, addr, false);
	jw_put_string(w, "function", known ? sym.name : NULL);
}

/* Where the path makes the errno that was returned, and the decision that led there. */
static void put_error(struct json_writer *w, const struct snapshot *snap, const struct path *path,
		      const struct path_json_options *opts)
{
	const struct path_decision *decision;
	uint32_t insn = PATH_NONE, key = PATH_NONE;

	if (path)
		path_find_error(path, snap->err, &insn, &key);
	if (insn == PATH_NONE) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	put_place(w, opts, path_insn_addr(path, insn));
	jw_key(w, "decision");
	if (key == PATH_NONE) {
		jw_null(w);
	} else {
		decision = &path->decisions[key];
		jw_open(w, '{');
		put_place(w, opts, decision->addr);
		jw_put_bool(w, "taken", decision->taken);
		jw_put_address(w, "target", decision->target);
		jw_close(w, '}');
	}
	jw_close(w, '}');
}

/* Lines of the kernel's log, where they were asked for. */
static void put_log(struct json_writer *w, const struct log_lines *log)
{
	if (!log) {
		jw_null(w);
		return;
	}
	jw_open(w, '[');
	for (size_t i = 0; i < log->count; i++)
		jw_string(w, log->text[i]);
	jw_close(w, ']');
}

/* A "location", as those of branches are. */
static void put_frame(struct json_writer *w, const struct path_json_options *opts,
		      const struct snapshot *snap, uint32_t index)
{
	struct backtrace_frame frame;
	const struct symbol *sym = &frame.sym;

	backtrace_frame(opts->symbols, snap, index, &frame);
	jw_open(w, '{');
	jw_put_address(w, "addr", frame.addr);
	jw_put_string(w, "sym", frame.known ? sym->name : NULL);
	jw_put_known(w, "off", frame.known, (int64_t)(frame.addr - sym->addr));
	jw_put_string(w, "module", frame.known && *sym->module ? sym->module : NULL);
	put_source(w, opts->lines, frame.known ? sym->module : "", frame.addr, frame.is_return);
	jw_close(w, '}');
}

static void put_stack(struct json_writer *w, const struct snapshot *snap,
		      const struct path_json_options *opts)
{
	if (!snap->stack || !snap->stack_count) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	jw_put_bool(w, "user", trigger_is_user(snap->trigger));
	jw_put_bool(w, "cut", snap->stack_cut);
	jw_key(w, "frames");
	jw_open(w, '[');
	for (uint32_t i = backtrace_first(opts->symbols, snap); i < snap->stack_count; i++)
		put_frame(w, opts, snap, i);
	jw_close(w, ']');
	jw_close(w, '}');
}

static void put_registers(struct json_writer *w, const uint64_t *regs)
{
	static const char *const names[] = {
		[PTREG_R15] = "r15",	     [PTREG_R14] = "r14", [PTREG_R13] = "r13",
		[PTREG_R12] = "r12",	     [PTREG_BP] = "bp",	  [PTREG_BX] = "bx",
		[PTREG_R11] = "r11",	     [PTREG_R10] = "r10", [PTREG_R9] = "r9",
		[PTREG_R8] = "r8",	     [PTREG_AX] = "ax",	  [PTREG_CX] = "cx",
		[PTREG_DX] = "dx",	     [PTREG_SI] = "si",	  [PTREG_DI] = "di",
		[PTREG_ORIG_AX] = "orig_ax", [PTREG_IP] = "ip",	  [PTREG_CS] = "cs",
		[PTREG_FLAGS] = "flags",     [PTREG_SP] = "sp",	  [PTREG_SS] = "ss",
	};

	_Static_assert(sizeof(names) / sizeof(names[0]) == PTREG_COUNT, "a name for each");
	if (!regs) {
		jw_null(w);
		return;
	}
	jw_open(w, '{');
	for (size_t i = 0; i < PTREG_COUNT; i++) {
		bool selector = i == PTREG_CS || i == PTREG_SS;

		/* FRED keeps other things in the upper bits of a selector's word. */
		jw_put_address(w, names[i], selector ? (uint16_t)regs[i] : regs[i]);
	}
	jw_close(w, '}');
}

static void put_snapshot(struct json_writer *w, const struct snapshot *snap,
			 const struct path *path, const struct path_json_options *opts,
			 uint64_t lost_records)
{
	bool returns[BRANCHES_MAX];
	jw_put_string(w, "schema", "lbrsnoop.snapshot/1");
	jw_put_integer(w, "ts_ns", (int64_t)snap->ts_ns);
	jw_put_string(w, "host", opts->host);
	jw_put_integer(w, "cpu", snap->cpu);
	jw_put_integer(w, "pid", snap->pid);
	jw_put_integer(w, "tid", snap->tid);
	jw_put_string(w, "comm", snap->comm);
	jw_key(w, "trigger");
	put_trigger(w, snap);
	jw_key(w, "lbr");
	put_lbr(w, snap);
	find_returns(snap, path, returns);
	jw_key(w, "branches");
	jw_open(w, '[');
	for (uint32_t i = 0; i < snap->count; i++)
		put_branch(w, &snap->branches[i], opts, returns[i]);
	jw_close(w, ']');
	jw_put_ident(w, "path_id", opts->ident);
	jw_key(w, "path");
	if (path)
		path_json(w, path, opts);
	else
		jw_null(w);
	jw_key(w, "error");
	put_error(w, snap, path, opts);
	jw_key(w, "stack");
	put_stack(w, snap, opts);
	jw_key(w, "registers");
	put_registers(w, snap->regs);
	jw_key(w, "log");
	put_log(w, snap->log);
	jw_key(w, "lost");
	jw_open(w, '{');
	jw_put_integer(w, "records", (int64_t)lost_records);
	jw_close(w, '}');
}

int render_json_snapshot(FILE *out, const struct snapshot *snap, const struct path *path,
			 const struct path_json_options *opts, uint64_t lost_records)
{
	struct json_writer w = {0};

	jw_open(&w, '{');
	put_snapshot(&w, snap, path, opts, lost_records);
	jw_close(&w, '}');
	return json_writer_flush(&w, out);
}
