// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/answer_view.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/output.h"
#include "pipeline/classify.h"
#include "render/why/why_account.h"
#include "render/why/why_json.h"
#include "util/cleanup.h"
#include "why/answer_record.h"

int answer_view_show(FILE *out, const struct snapshot *snap, const struct answer_view *view)
{
	_cleanup_free_ struct snapshot *hit = malloc(sizeof(*hit));
	struct why_view why = {
		.symbols = view->symbols,
		.lines = view->lines,
		.sources = view->sources,
		.kernel_text = view->text,
		.text.color = view->color,
		.story = view->story,
		.columns = output_columns(out),
	};
	struct answer answer;
	char **command = NULL;
	int err = hit ? answer_record_read(snap, view->symbols, &answer, &command) : -ENOMEM;

	if (err)
		return err;
	*hit = *snap;
	/* As why had it: nothing was trimmed. */
	snapshot_unclassify(hit);
	why.snap = answer.hit ? hit : NULL;
	if (view->snapshot) {
		err = why_json(out, &answer, &why, view->snapshot, (const char *const *)command);
	} else {
		if (view->host)
			fprintf(out, "On host %s:\n", view->host);
		render_why_account(out, &answer, &why);
		fputc('\n', out);
	}
	answer_deinit(&answer);
	answer_record_free_command(command);
	return err;
}
