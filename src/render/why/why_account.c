// SPDX-License-Identifier: GPL-2.0
#include "render/why/why_account.h"

#include "render/backtrace.h"
#include "render/why/why_deep.h"

void render_why_account(FILE *out, const struct answer *answer, const struct why_view *view)
{
	const struct backtrace_view stack = {
		.symbols = view->symbols, .lines = view->lines, .text = view->text};

	/* What failed on the way is no business of a place. */
	if (answer->place) {
		if (answer->call)
			render_why_place(out, answer, view);
		if (answer->deep)
			render_why_deep(out, answer->deep, view);
		return;
	}
	if (answer->call)
		render_why_answer(out, answer, view);
	if (view->snap && !view->story)
		render_why_stack(out, view->snap, view, answer->hit->hw ? view->snap->count : 0);
	else if (view->snap && answer->hit->frames)
		render_backtrace(out, view->snap, &stack);
	render_why_others(out, answer, view);
	if (answer->deep)
		render_why_deep(out, answer->deep, view);
}
