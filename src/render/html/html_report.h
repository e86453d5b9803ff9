/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_report.h - snapshots as one page that opens anywhere: the answers, the paths, when and where
 *
 * Nothing of a snapshot becomes markup or script: the page's script reads it as JSON, and sets it
 * as text.
 */
#ifndef LBRSNOOP_RENDER_HTML_HTML_REPORT_H
#define LBRSNOOP_RENDER_HTML_HTML_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "path/path.h"
#include "render/story/story.h"
#include "snapshot/snapshot.h"

struct html_report;

/** html_report_create() - an empty one; NULL if there is no memory; html_report_destroy() */
struct html_report *html_report_create(void);

/** html_report_destroy() - free; NULL is fine */
void html_report_destroy(struct html_report *report);

/** html_report_add_input() - name of a file that the snapshots are of; 0, or -ENOMEM */
int html_report_add_input(struct html_report *report, const char *name);

/** html_report_wants_path() - is the path needed by html_report_add()? Not of one known already */
bool html_report_wants_path(const struct html_report *report, uint64_t ident);

/**
 * struct html_machine - that a snapshot is of; borrowed
 * @host, @release: NULL or "" if not known
 */
struct html_machine {
	const char *host;
	const char *release;
};

/** html_report_add_lost() - events lost behind the last snapshot */
void html_report_add_lost(struct html_report *report, uint64_t lost);

/**
 * html_report_add() - take a snapshot
 * Memory is bounded: beyond PATH_COUNTS_MAX paths snapshots are only counted, beyond
 * HTML_DETAILS_MAX paths have no story, beyond HTML_SNAPSHOTS_MAX a snapshot has no row of its own.
 * @ident: by path_ident()
 * @path: rebuilt from it, or NULL
 * @view: how its story is drawn
 * @lost: events lost since the one before
 * Return: 0; -ENOMEM.
 */
int html_report_add(struct html_report *report, const struct snapshot *snap, uint64_t ident,
		    const struct path *path, const struct story_view *view,
		    const struct html_machine *machine, uint64_t lost);

#define HTML_DETAILS_MAX   4096u
#define HTML_SNAPSHOTS_MAX 100000u

/**
 * html_report_write() - the page
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int html_report_write(const struct html_report *report, FILE *out);

#endif
