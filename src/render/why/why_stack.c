// SPDX-License-Identifier: GPL-2.0
/* why_stack.c - the functions from the place to the system call, a row each */
#include <inttypes.h>
#include <string.h>

#include "render/color.h"
#include "render/escape.h"
#include "render/why/why_text.h"
#include "symbolize/stack_frame.h"
#include "util/cleanup.h"

#define NAME_COLUMNS_MAX 40
#define FRAMES_MAX	 64
/* Of more frames than there is room for, those at the system call are the ones to keep, too. */
#define OUTER_SHOWN 3

/** struct frame_text - a row; @name: of the function, @where: its line or offset */
struct frame_text {
	char name[160];
	char where[256];
	uint64_t addr;
	unsigned int inlined;
	bool is_entry;
};

/**
 * struct stack_text - the rows, from the place outwards
 * @inlined: functions in all of them that are inlined
 * @entry: rows left out that are entry code
 */
struct stack_text {
	struct frame_text rows[FRAMES_MAX];
	unsigned int count;
	unsigned int inlined;
	unsigned int entry;
};

/* Between user space and the function of the system call: arch/x86/entry/ */
static bool is_entry_code(const char *name)
{
	static const char *const starts[] = {"entry_SYSCALL_", "entry_SYSENTER_",  "entry_INT80_",
					     "asm_int80_",     "do_syscall_",	   "x64_sys_call",
					     "do_int80_",      "do_fast_syscall_", "do_SYSENTER_",
					     "ret_from_fork",  "ia32_sys_call"};

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static void frame_of(const struct snapshot *snap, uint32_t index, const struct why_view *view,
		     struct frame_text *ret)
{
	char text[sizeof(ret->where)];
	struct backtrace_frame frame;
	const struct srcline *line;
	struct why_place place;

	backtrace_frame(view->symbols, snap, index, &frame);
	why_place_find(view, frame.addr, frame.is_return, &place);
	*ret = (struct frame_text){.addr = frame.addr};
	if (!place.known) {
		snprintf(ret->name, sizeof(ret->name), "0x%" PRIx64, frame.addr);
		return;
	}
	ret->is_entry = is_entry_code(place.sym.name);
	line = place.count ? &place.chain[place.count - 1] : NULL;
	if (line && *line->file && line->line) {
		ret->inlined = (unsigned int)place.count - 1;
		/* Without the compiler's suffixes: "link_path_walk.part.0.constprop.0" */
		snprintf(ret->name, sizeof(ret->name), "%s",
			 escape_text(*line->function ? line->function : place.sym.name, text,
				     sizeof(text)));
		snprintf(ret->where, sizeof(ret->where), "%s:%d",
			 escape_text(line->file, text, sizeof(text) - 16), line->line);
	} else {
		snprintf(ret->name, sizeof(ret->name), "%s+0x%" PRIx64,
			 escape_text(place.sym.name, text, sizeof(text)),
			 frame.addr - place.sym.addr);
	}
	if (*place.sym.module)
		snprintf(ret->where + strlen(ret->where), sizeof(ret->where) - strlen(ret->where),
			 "%s[%s]", ret->where[0] ? "  " : "",
			 escape_text(place.sym.module, text, 64));
}

static void collect(const struct snapshot *snap, const struct why_view *view,
		    struct stack_text *stack)
{
	for (uint32_t i = backtrace_first(view->symbols, snap);
	     i < snap->stack_count && stack->count < FRAMES_MAX; i++) {
		struct frame_text *row = &stack->rows[stack->count];

		frame_of(snap, i, view, row);
		stack->inlined += row->inlined;
		/* The place itself may be in entry code. */
		if (row->is_entry && stack->count)
			stack->entry++;
		else
			stack->count++;
	}
}

/* A directory more or less: the end of a path says more than its beginning. */
static const char *fitting(const char *where, int room)
{
	const char *at = where;

	while (room > 0 && (int)strlen(at) > room) {
		const char *slash = strchr(at, '/');

		if (!slash)
			break;
		at = slash + 1;
	}
	return at;
}

static void print_rows(FILE *out, const struct stack_text *stack, const struct why_view *view)
{
	unsigned int shown = stack->count, left_out = 0;
	int width = 0;

	if (shown > WHY_STACK_SHOWN) {
		shown = WHY_STACK_SHOWN;
		left_out = stack->count - shown;
	}
	for (unsigned int i = 0; i < stack->count; i++) {
		int len = (int)strlen(stack->rows[i].name);

		if (len > width && len <= NAME_COLUMNS_MAX)
			width = len;
	}
	for (unsigned int i = 0; i < stack->count; i++) {
		const struct frame_text *row = &stack->rows[i];
		int used = 4 + 2 + (int)strlen(row->name);

		if (left_out && i == shown - OUTER_SHOWN) {
			fprintf(out, "    ... %u more\n", left_out);
			i += left_out;
			row = &stack->rows[i];
		}
		if (used < 4 + 2 + width)
			used = 4 + 2 + width;
		if (row->where[0])
			fprintf(out, "    %-*s  %s\n", width, row->name,
				fitting(row->where, view->columns ? view->columns - used : 0));
		else
			fprintf(out, "    %s\n", row->name);
	}
}

static const char *plural(uint32_t count)
{
	return count == 1 ? "" : "s";
}

static void print_folded(FILE *out, const struct stack_text *stack, uint32_t branches,
			 const struct why_view *view)
{
	const char *before = "";

	if (!stack->inlined && !stack->entry && !branches)
		return;
	fprintf(out, "  %s(--story shows ", paint(&view->text, DIM));
	if (stack->inlined) {
		fprintf(out, "%u inlined function%s", stack->inlined, plural(stack->inlined));
		before = ", ";
	}
	if (stack->entry) {
		fprintf(out, "%sthe entry code", before);
		before = ", ";
	}
	if (branches)
		fprintf(out, "%sthe %u branch%s that led there", before, branches,
			branches == 1 ? "" : "es");
	fprintf(out, ")%s\n", paint(&view->text, OFF));
}

void render_why_stack(FILE *out, const struct snapshot *snap, const struct why_view *view,
		      uint32_t branches)
{
	struct stack_text stack = {};

	if (snap->stack)
		collect(snap, view, &stack);
	if (stack.count) {
		fprintf(out, "  %sstack%s\n", paint(&view->text, BOLD), paint(&view->text, OFF));
		print_rows(out, &stack, view);
	}
	print_folded(out, &stack, branches, view);
	fputc('\n', out);
}
