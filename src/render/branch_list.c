// SPDX-License-Identifier: GPL-2.0
#include "render/branch_list.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "render/color.h"
#include "render/escape.h"
#include "util/cleanup.h"
#include "util/errno_name.h"

#define LOCATION_LEN 192

static const char *const type_names[] = {
	[BRANCH_NOT_REPORTED] = NULL, [BRANCH_COND] = "COND",	    [BRANCH_JMP] = "UNCOND",
	[BRANCH_IJMP] = "IND",	      [BRANCH_CALL] = "CALL",	    [BRANCH_ICALL] = "IND_CALL",
	[BRANCH_RET] = "RET",	      [BRANCH_SYSCALL] = "SYSCALL", [BRANCH_SYSRET] = "SYSRET",
	[BRANCH_IRET] = "ERET",	      [BRANCH_IRQ] = "IRQ",	    [BRANCH_FAR] = "FAR",
	[BRANCH_ABORT] = "ABORT",
};
_Static_assert(ARRAY_SIZE(type_names) == BRANCH_TYPE_COUNT, "a name for every branch type");

const char *branch_type_name(enum branch_type type)
{
	return type < BRANCH_TYPE_COUNT ? type_names[type] : NULL;
}

const char *branch_spec_name(enum branch_spec spec)
{
	switch (spec) {
	case BRANCH_SPEC_WRONG_PATH:
		return "SPEC_WRONG_PATH";
	case BRANCH_SPEC_NON_SPEC_CORRECT:
		return "NON_SPEC_CORRECT_PATH";
	case BRANCH_SPEC_CORRECT:
		return "SPEC_CORRECT_PATH";
	default:
		return NULL;
	}
}

const char *lbr_supported_text(uint32_t supported, char *buf, size_t len)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{LBR_HAS_MISPRED, "mispredict"},
		{LBR_HAS_CYCLES, "cycles"},
		{LBR_HAS_TSX, "TSX"},
		{LBR_HAS_TYPE, "type"},
		{LBR_HAS_SPEC, "speculation"},
	};
	size_t n = 0;

	snprintf(buf, len, "no flags");
	for (size_t i = 0; i < ARRAY_SIZE(names) && n < len; i++)
		if (supported & names[i].bit)
			n += snprintf(buf + n, len - n, "%s%s", n ? ", " : "", names[i].name);
	return buf;
}

const char *render_location(struct symbols *syms, uint64_t addr, char *buf, size_t len)
{
	struct symbol sym;

	if (!syms || symbols_find(syms, addr, &sym))
		snprintf(buf, len, "%#" PRIx64, addr);
	else if (*sym.module)
		snprintf(buf, len, "%s+%#" PRIx64 " [%s]", sym.name, addr - sym.addr, sym.module);
	else
		snprintf(buf, len, "%s+%#" PRIx64, sym.name, addr - sym.addr);
	return buf;
}

void render_symbol(const struct symbol *sym, bool inside, uint64_t addr, char *buf, size_t len)
{
	if (inside)
		snprintf(buf, len, "+%#" PRIx64, addr - sym->addr);
	else if (addr == sym->addr)
		snprintf(buf, len, "%s", sym->name);
	else
		snprintf(buf, len, "%s+%#" PRIx64, sym->name, addr - sym->addr);
}

static void print_time(FILE *out, uint64_t ts_ns)
{
	time_t sec = ts_ns / 1000000000;
	char text[32];
	struct tm tm;

	localtime_r(&sec, &tm);
	strftime(text, sizeof(text), "%F %T", &tm);
	fprintf(out, "%s.%06u", text, (unsigned int)(ts_ns % 1000000000 / 1000));
}

static void print_result(FILE *out, const struct snapshot *snap, const struct text_options *opts)
{
	const struct trigger *trigger = snap->trigger;
	const char *name =
		trigger->function && *trigger->function ? trigger->function : trigger->target;
	const char *fault = snapshot_fault_name(snap);
	char escaped[1024];

	if (snap->signal)
		fprintf(out, "%sSIG%s%s in ", paint(opts, RED), sigabbrev_np(snap->signal) ?: "?",
			paint(opts, OFF));
	if (fault)
		fprintf(out, "%s%s%s in ", paint(opts, RED), fault, paint(opts, OFF));
	/* Where the event found the program, if that is known; else its name is all there is. */
	if (trigger->kind == TRIGGER_PERF && name != trigger->target)
		fprintf(out, "%s in ", escape_text(trigger->target, escaped, sizeof(escaped)));
	fprintf(out, "%s%s%s", paint(opts, BOLD), escape_text(name, escaped, sizeof(escaped)),
		paint(opts, OFF));
	if (snap->err) {
		const char *errname = errno_name(snap->err);

		fprintf(out, "() = %s-%s%s (%s)", paint(opts, RED), errname ?: "errno",
			paint(opts, OFF), errno_text(snap->err));
		if (!errname)
			fprintf(out, " -%d", snap->err);
	} else if (snap->has_retval) {
		fprintf(out, "() = %" PRId64, snap->retval);
		if (snap->retval > 0xffffffffLL || snap->retval < -0xffffffffLL)
			fprintf(out, " (%#" PRIx64 ")", (uint64_t)snap->retval);
	} else if (snap->bug_file) {
		fprintf(out, "() at %s:%u", escape_text(snap->bug_file, escaped, sizeof(escaped)),
			snap->bug_line);
	} else if (snap->ip) {
		fprintf(out, " at %#" PRIx64, snap->ip);
	}
}

void render_text_event(FILE *out, const struct snapshot *snap, const struct text_options *opts)
{
	char comm[COMM_LEN * 4 + 1], host[256];

	if (!snap->trigger)
		return;
	print_result(out, snap, opts);
	fprintf(out, "  %s[%u", escape_text(snap->comm, comm, sizeof(comm)), snap->pid);
	if (snap->tid != snap->pid)
		fprintf(out, "/%u", snap->tid);
	fprintf(out, "]  cpu %u  ", snap->cpu);
	if (opts->host)
		fprintf(out, "%s  ", escape_text(opts->host, host, sizeof(host)));
	print_time(out, snap->ts_ns);
	fprintf(out, "  %s\n", trigger_kind_name(snap->trigger->kind));
}

void render_text_record(FILE *out, const struct snapshot *snap, const struct text_options *opts)
{
	uint32_t shown = snap->count - snap->wasted - snap->shown_from - snap->tracing;
	char fields[80];

	fprintf(out, "  %sLBR %s: %u of %u entries useful", paint(opts, DIM), snap->lbr->model,
		shown, snap->lbr->depth ?: snap->count + snap->dropped + snap->missing);
	if (snap->wasted)
		fprintf(out, ", %u spent by the capture", snap->wasted);
	if (snap->tracing)
		fprintf(out, ", %u spent by tracing on the way", snap->tracing);
	if (snap->shown_from)
		fprintf(out, ", %u from before the kernel was entered", snap->shown_from);
	if (snap->dropped)
		fprintf(out, ", %u empty", snap->dropped);
	if (snap->missing)
		fprintf(out, ", %u not in the dump", snap->missing);
	fprintf(out, "; it reports %s%s\n",
		lbr_supported_text(snap->lbr->supported, fields, sizeof(fields)), paint(opts, OFF));
	if (snap->stale == TRI_SET)
		fprintf(out,
			"  %sNOT THE BRANCHES OF THIS EVENT: the LBR was off. Another user of "
			"debug "
			"registers (gdb, perf)\n  on this CPU switches it off at each of its hits; "
			"end "
			"it, or trace other CPUs (-C)%s\n",
			paint(opts, RED), paint(opts, OFF));
	if (snap->mixed == TRI_SET)
		fprintf(out,
			"  %sMIXED: some of these branches are in no code that this process has "
			"mapped: another program's,\n  or of one that it was before%s\n",
			paint(opts, RED), paint(opts, OFF));
}

void render_text_heading(FILE *out, const struct snapshot *snap, const struct text_options *opts)
{
	render_text_event(out, snap, opts);
	render_text_record(out, snap, opts);
}

static void print_flags(FILE *out, const struct branch *br, const struct text_options *opts)
{
	const char *type = branch_type_name(br->type), *spec = branch_spec_name(br->spec);

	if (br->cycles != CYCLES_NOT_REPORTED)
		fprintf(out, "  %5d", br->cycles);
	if (type)
		fprintf(out, "  %s", type);
	if (spec && br->spec == BRANCH_SPEC_WRONG_PATH)
		fprintf(out, "  %s", spec);
	if (br->mispred == TRI_SET)
		fprintf(out, "  %smispredicted%s", paint(opts, YELLOW), paint(opts, OFF));
	if (br->in_tx == TRI_SET)
		fputs("  in transaction", out);
	if (br->abort == TRI_SET)
		fputs("  abort", out);
}

static void print_branch(FILE *out, const struct snapshot *snap, uint32_t i, const char *from,
			 const char *to, int width, const struct text_options *opts)
{
	const struct branch *br = &snap->branches[i];
	bool wasted = i >= snap->count - snap->wasted;

	if (wasted)
		fputs(paint(opts, DIM), out);
	if (opts->addresses)
		fprintf(out, "  %016" PRIx64 " %016" PRIx64, br->from, br->to);
	fprintf(out, "  %-*s -> %s", width, from, to);
	/* Aligned only as far as there is something to align. */
	if (snap->lbr->supported) {
		int pad = width - (int)strlen(to);

		fprintf(out, "%*s", pad > 0 ? pad : 0, "");
		print_flags(out, br, opts);
	}
	if (wasted)
		fputs(paint(opts, OFF), out);
	fputc('\n', out);
}

#define CLEARED "the LBR was empty: the kernel clears it when it switches to a task"

/* Why no branch is shown. */
static const char *why_none(const struct snapshot *snap)
{
	if (snap->count)
		return "no branch of the traced code is left";
	if (trigger_is_user(snap->trigger))
		return snap->trigger->kind == TRIGGER_SIGNAL ? CLEARED
			       ", which it may between a fault and its signal"
							     : CLEARED;
	if (!snap->missing)
		return "the LBR was empty";
	return snap->dropped ? "what the dump has of the LBR was empty"
			     : "the dump has no entry of the LBR in full";
}

void render_text_branches(FILE *out, const struct snapshot *snap, struct symbols *syms,
			  const struct text_options *opts)
{
	uint32_t first = opts->raw ? 0 : snap->shown_from;
	uint32_t end = opts->raw ? snap->count : snap->count - snap->wasted;
	_cleanup_free_ char(*text)[2][LOCATION_LEN] = calloc(BRANCHES_MAX, sizeof(*text));
	int width = 24;

	if (!text)
		return;
	for (uint32_t i = first; i < end; i++) {
		render_location(syms, snap->branches[i].from, text[i][0], LOCATION_LEN);
		render_location(syms, snap->branches[i].to, text[i][1], LOCATION_LEN);
		for (int side = 0; side < 2; side++)
			if ((int)strlen(text[i][side]) > width && strlen(text[i][side]) < 56)
				width = strlen(text[i][side]);
	}
	for (uint32_t i = first; i < end; i++) {
		if (opts->raw && snap->wasted && i == snap->count - snap->wasted)
			fprintf(out, "  %s-- spent by the capture itself:%s\n", paint(opts, DIM),
				paint(opts, OFF));
		print_branch(out, snap, i, text[i][0], text[i][1], width, opts);
	}
	if (first == end)
		fprintf(out, "  %s\n", why_none(snap));
}

void render_text_snapshot(FILE *out, const struct snapshot *snap, struct symbols *syms,
			  const struct text_options *opts)
{
	render_text_heading(out, snap, opts);
	render_text_branches(out, snap, syms, opts);
	fputc('\n', out);
}
