// SPDX-License-Identifier: GPL-2.0
#include "render/why_deep.h"

#include <inttypes.h>

#include "render/color.h"
#include "render/escape.h"

static void print_reach(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	fprintf(out, "%s%zu branches back in %u run%s%s%s\n", paint(&view->text, BOLD), deep->count,
		deep->runs, deep->runs == 1 ? "" : "s",
		deep->entry ? ", to the system call's entry" : "", paint(&view->text, OFF));
	if (deep->gap.text[0])
		fprintf(out, "  no further: %s\n", deep->gap.text);
}

static void print_interrupts(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	for (size_t i = 0; i < deep->interrupt_count; i++) {
		const struct deep_interrupt *cut = &deep->interrupts[i];
		char name[512];
		struct symbol sym;

		fprintf(out, "  %zu branches back came ", cut->newer);
		if (symbols_find(view->symbols, cut->entry, &sym))
			fprintf(out, "an interrupt, 0x%" PRIx64, cut->entry);
		else
			fprintf(out, "an interrupt, %s()",
				escape_text(sym.name, name, sizeof(name)));
		fprintf(out, ", in run %u: left out\n", cut->run);
	}
}

void render_why_deep(FILE *out, const struct deep_path *deep, const struct why_view *view)
{
	fputc('\n', out);
	if (!deep->count) {
		fprintf(out, "The way from the system call to the error is not shown: %s\n",
			deep->gap.text);
		return;
	}
	print_reach(out, deep, view);
	print_interrupts(out, deep, view);
}
