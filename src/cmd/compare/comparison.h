/* SPDX-License-Identifier: GPL-2.0 */
/* comparison.h - a ranking of decisions, printed; of captures and of a running system */
#ifndef LBRSNOOP_CMD_COMPARE_COMPARISON_H
#define LBRSNOOP_CMD_COMPARE_COMPARISON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/html_file.h"
#include "cmd/view.h"
#include "compare/ranking.h"
#include "compare/sample.h"
#include "render/compare_view.h"
#include "util/errmsg.h"

/* Decisions that are shown where the user does not say how many. */
#define COMPARISON_TOP 3

/**
 * struct comparison - what is printed; all borrowed
 * @calls: that were compared
 * @names: of what they are from, @name_count
 * @sample: that they were drawn from; NULL: they are all
 * @opts: text, or JSON
 * @page: where the page goes, which comparison_print() finishes; NULL: there is none
 * @further: the command that looks further back than the records
 * @missing: that is not in it
 * @builds: kernels that the calls are of, @build_count
 * @no_values: what calls had and returned is not shown
 * @view: for colours, and what to install
 * @output: name of @out, NULL: standard output
 */
struct comparison {
	const struct ranking *ranking;
	uint64_t calls;
	const char *const *names;
	size_t name_count;
	const struct sample *sample;
	struct html_out *page;
	const char *further;
	struct compare_missing missing;
	bool no_values;
	const struct view_options *opts;
	uint32_t top;
	const struct compare_build *builds;
	size_t build_count;
	struct view *view;
	FILE *out;
	const char *output;
};

/**
 * comparison_print() - rank and print, or write the page of --html
 * Return: EXIT_SEEN; EXIT_NONE if calls of one kind are missing; negative errno, with @msg.
 */
int comparison_print(const struct comparison *comparison, struct errmsg *msg);

#endif
