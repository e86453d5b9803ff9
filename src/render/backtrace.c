// SPDX-License-Identifier: GPL-2.0
#include "render/backtrace.h"

#include <inttypes.h>

#include "render/color.h"
#include "render/escape.h"
#include "symbolize/stack_frame.h"
#include "util/cleanup.h"

/* FRED keeps other things in the upper bits of these two words. */
#define SELECTOR_MASK 0xffff

#define LOCATION_LEN 256

/** struct row_of_registers - as the kernel's oops has them */
static const struct row_of_registers {
	struct {
		const char *name;
		enum ptreg reg;
	} at[3];
} rows[] = {
	{{{"RAX", PTREG_AX}, {"RBX", PTREG_BX}, {"RCX", PTREG_CX}}},
	{{{"RDX", PTREG_DX}, {"RSI", PTREG_SI}, {"RDI", PTREG_DI}}},
	{{{"RBP", PTREG_BP}, {"R08", PTREG_R8}, {"R09", PTREG_R9}}},
	{{{"R10", PTREG_R10}, {"R11", PTREG_R11}, {"R12", PTREG_R12}}},
	{{{"R13", PTREG_R13}, {"R14", PTREG_R14}, {"R15", PTREG_R15}}},
};

void render_registers(FILE *out, const struct snapshot *snap, const struct backtrace_view *view)
{
	const uint64_t *regs = snap->regs;
	char where[LOCATION_LEN];

	if (!regs)
		return;
	fprintf(out, "  %sregisters%s\n", paint(&view->text, BOLD), paint(&view->text, OFF));
	fprintf(out, "    RIP %04" PRIx64 ":%s\n", regs[PTREG_CS] & SELECTOR_MASK,
		render_location(view->symbols, regs[PTREG_IP], where, sizeof(where)));
	fprintf(out, "    RSP %04" PRIx64 ":%016" PRIx64 "  EFLAGS %08" PRIx64 "\n",
		regs[PTREG_SS] & SELECTOR_MASK, regs[PTREG_SP], regs[PTREG_FLAGS]);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fputs("  ", out);
		for (size_t k = 0; k < ARRAY_SIZE(rows[i].at); k++)
			fprintf(out, "  %s %016" PRIx64, rows[i].at[k].name,
				regs[rows[i].at[k].reg]);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void print_place(FILE *out, const struct srcline *line)
{
	char file[1024];

	if (!*line->file)
		return;
	fprintf(out, "  %s", escape_text(line->file, file, sizeof(file)));
	if (line->line)
		fprintf(out, ":%d", line->line);
}

/* A row for each function that is inlined there, then the function itself. */
static void print_frame(FILE *out, const struct snapshot *snap, uint32_t index,
			const struct backtrace_view *view)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	struct backtrace_frame frame;
	char name[LOCATION_LEN];
	int count = 0;

	backtrace_frame(view->symbols, snap, index, &frame);
	if (view->lines)
		count = lines_find(view->lines, frame.known ? frame.sym.module : "", frame.addr,
				   frame.is_return, chain, INLINE_DEPTH_MAX);
	for (int i = 0; i + 1 < count; i++) {
		fprintf(out, "    %s()  inlined",
			escape_text(chain[i].function, name, sizeof(name)));
		print_place(out, &chain[i]);
		fputc('\n', out);
	}
	if (!frame.known)
		fprintf(out, "    %#" PRIx64, frame.addr);
	else
		fprintf(out, "    %s+%#" PRIx64, escape_text(frame.sym.name, name, sizeof(name)),
			frame.addr - frame.sym.addr);
	if (frame.known && *frame.sym.module)
		fprintf(out, " [%s]", escape_text(frame.sym.module, name, sizeof(name)));
	if (count > 0)
		print_place(out, &chain[count - 1]);
	fputc('\n', out);
}

void render_backtrace(FILE *out, const struct snapshot *snap, const struct backtrace_view *view)
{
	uint32_t first;

	if (!snap->stack || !snap->stack_count)
		return;
	first = view->text.raw ? 0 : backtrace_first(view->symbols, snap);
	fprintf(out, "  %sstack%s%s\n", paint(&view->text, BOLD), paint(&view->text, OFF),
		trigger_is_user(snap->trigger) ? ", by frame pointers" : "");
	for (uint32_t i = first; i < snap->stack_count; i++)
		print_frame(out, snap, i, view);
	if (snap->stack_cut)
		fputs("    ... and further ones, which were not kept\n", out);
	fputc('\n', out);
}
