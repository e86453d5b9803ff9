/* SPDX-License-Identifier: GPL-2.0 */
/* html_file.h - the file of --html */
#ifndef LBRSNOOP_CMD_HTML_FILE_H
#define LBRSNOOP_CMD_HTML_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/view.h"
#include "export/finding.h"
#include "path/path.h"
#include "render/story/story.h"
#include "util/file/new_file.h"

/** struct html_out - where a page goes: @name as the user knows it; @out to write to */
struct html_out {
	const char *name;
	struct new_file file;
	FILE *out;
};

/**
 * html_out_open() - begin a page: what was there stays until html_out_finish()
 * @name: borrowed until html_out_deinit(); "-": standard output
 * Return: 0; negative errno, with @msg: it cannot be written there.
 */
int html_out_open(struct html_out *to, const char *name, struct errmsg *msg);

/** html_out_finish() - it is written, or @err; 0, or negative errno with @msg */
int html_out_finish(struct html_out *to, int err, struct errmsg *msg);

/** html_out_deinit() - free; what is not finished is not there. All zero is fine */
void html_out_deinit(struct html_out *to);

struct html_file;

/**
 * html_file_open() - begin it: what was there stays until html_file_finish()
 * @opts: borrowed until html_file_destroy()
 * @ret: set on success; html_file_destroy()
 * Return: 0; negative errno, with @msg: it cannot be written there.
 */
int html_file_open(const struct view_options *opts, struct html_file **ret, struct errmsg *msg);

/** html_file_wants_path() - is the path needed by html_file_add()? */
bool html_file_wants_path(const struct html_file *html, uint64_t ident);

/** html_file_add() - take a snapshot, as aggregate_snapshot() does; 0, or -ENOMEM */
int html_file_add(struct html_file *html, const struct snapshot *snap, uint64_t ident,
		  const struct path *path, const struct finding_kernel *kernel,
		  const struct story_view *story, uint64_t lost);

/** html_file_add_lost() - events lost behind the last snapshot */
void html_file_add_lost(struct html_file *html, uint64_t lost);

/** html_file_finish() - write it; 0, or negative errno with @msg */
int html_file_finish(struct html_file *html, struct errmsg *msg);

/** html_file_destroy() - free; what is not finished is not there. NULL is fine */
void html_file_destroy(struct html_file *html);

#endif
