/* SPDX-License-Identifier: GPL-2.0 */
/* compare_view.h - what tells failing calls from passing ones, for a person and for scripts */
#ifndef LBRSNOOP_RENDER_COMPARE_VIEW_H
#define LBRSNOOP_RENDER_COMPARE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compare/ranking.h"
#include "compare/sample.h"
#include "symbolize/debug/dwarf.h"

/**
 * struct compare_missing - of the calls that were to be compared, what is not among them
 * @stopped: by a signal, before all was read
 * @no_path: calls whose record has none; @no_return: snapshots without a returned value
 * @kinds: calls of more kinds than RANKING_FAILING_MAX and RANKING_PASSING_MAX
 * @lost: events that were lost when they were captured
 * @cut: captures that end before their writer's end mark, or are damaged
 */
struct compare_missing {
	bool stopped;
	uint64_t no_path;
	uint64_t no_return;
	uint64_t kinds;
	uint64_t lost;
	uint64_t cut;
};

/**
 * struct compare_build - a build of the kernel that calls are of
 * @name: of it, NULL if there is but one
 * @lines: its debug information, or NULL
 */
struct compare_build {
	const char *name;
	struct lines *lines;
};

/**
 * struct compare_view - how to show it
 * @top: decisions shown of each reason
 * @builds: of the calls, by their numbers; borrowed; @build_count
 * @sample: that the calls were drawn from, to say how many there were; NULL: none
 * @further: command that looks further back than the records do
 * @no_values: what calls had and returned is not shown
 * @missing: JSON and pages say it; a terminal has been told
 */
struct compare_view {
	bool json;
	bool color;
	uint32_t top;
	const struct compare_build *builds;
	size_t build_count;
	const struct sample *sample;
	const char *further;
	struct compare_missing missing;
	bool no_values;
};

/**
 * render_comparison() - one reason: text, or one JSON line of schema lbrsnoop.compare/1
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int render_comparison(FILE *out, const struct ranking_reason *reason,
		      const struct compare_view *view);

/**
 * struct compare_page - what a page is about; borrowed
 * @names: of the captures
 * @calls: that were compared
 */
struct compare_page {
	const char *const *names;
	size_t name_count;
	const struct ranking_reason *reasons;
	size_t reason_count;
	uint64_t calls;
};

/**
 * render_comparison_page() - all reasons, as a page for a browser
 * Return: 0; -EIO if @out does not take it.
 */
int render_comparison_page(FILE *out, const struct compare_page *page,
			   const struct compare_view *view);

#endif
