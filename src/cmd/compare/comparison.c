// SPDX-License-Identifier: GPL-2.0
#include "cmd/compare/comparison.h"

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "util/log.h"

static int write_page(const struct comparison *comparison, const struct ranking_reason *reasons,
		      size_t count, const struct compare_view *view, struct errmsg *msg)
{
	const struct compare_page page = {
		.names = comparison->names,
		.name_count = comparison->name_count,
		.reasons = reasons,
		.reason_count = count,
		.calls = comparison->calls,
	};
	int err = render_comparison_page(comparison->page->out, &page, view);

	return html_out_finish(comparison->page, err, msg);
}

/* -EIO and -ENOMEM without @msg are of printing. */
static int print_reasons(const struct comparison *comparison, const struct ranking_reason *reasons,
			 size_t count, struct errmsg *msg)
{
	const struct compare_view view = {
		.json = comparison->opts->json,
		.color = view_color(comparison->view),
		.top = comparison->top,
		.builds = comparison->builds,
		.build_count = comparison->build_count,
		.sample = comparison->sample,
		.further = comparison->further ?: "lbrsnoop why --deep -- COMMAND",
		.missing = comparison->missing,
		.no_values = comparison->no_values,
	};
	int err = 0;

	if (comparison->page)
		return write_page(comparison, reasons, count, &view, msg);
	for (size_t i = 0; i < count && !err; i++)
		err = render_comparison(comparison->out, &reasons[i], &view);
	return err ? output_failed(comparison->output, err, msg) : 0;
}

int comparison_print(const struct comparison *comparison, struct errmsg *msg)
{
	struct ranking_reason *reasons = NULL;
	int err, status = EXIT_NONE;
	char hint[512];
	size_t count = 0;

	err = ranking_reasons(comparison->ranking, &reasons, &count);
	err = err ?: print_reasons(comparison, reasons, count, msg);
	for (size_t i = 0; i < count; i++)
		if (reasons[i].passing)
			status = EXIT_SEEN;
	ranking_reasons_free(reasons, count);
	if (err)
		return err;
	if (*view_hint(comparison->view, hint, sizeof(hint)))
		log_info("no source lines; %s", hint);
	if (!count)
		log_warning("no failing call%s among %llu: nothing to compare",
			    comparison->missing.no_path ? " with a path" : "",
			    (unsigned long long)comparison->calls);
	return status;
}
