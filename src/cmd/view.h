/* SPDX-License-Identifier: GPL-2.0 */
/* view.h - how snapshots are shown: the options for it, and the showing */
#ifndef LBRSNOOP_CMD_VIEW_H
#define LBRSNOOP_CMD_VIEW_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capfile/meta.h"
#include "export/capture_field.h"
#include "export/export.h"
#include "pipeline/pipeline.h"
#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "symbolize/user/userspace.h"
#include "util/errmsg.h"

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/**
 * struct view_options - what the user wants to see
 * @json, @raw, @insns, @no_lines, @color: the options of those names
 * @story: of an answer of why the full account
 * @branches: the plain list instead of the story
 * @dot, @svg: files for the graph, or NULL
 * @summary: count identical paths instead of showing each
 * @top: how many of them are printed
 * @interval_ms: print them so often, 0: at the end alone
 * @trace_json: file for Perfetto, or NULL
 * @html: file for the page, "-": stdout; or NULL
 * @ranking: @html is of a ranking, which is no view of snapshots
 * @html_inputs, @html_input_count: names of the files that it is about
 * @user: user functions are shown, which need no debug information of the kernel
 * @vmlinux, @debug_dir, @source_dir: or NULL
 * @export: to other systems
 * @exporter: takes findings, too, instead of one made of @export; borrowed; or NULL
 * @silent: show nothing; snapshots are only summed up and exported
 * @installed_sources: without @source_dir, those in /usr/src if they are the running kernel's
 */
struct view_options {
	bool json;
	bool raw;
	bool insns;
	bool story;
	bool branches;
	bool no_lines;
	enum color_when color;
	const char *dot;
	const char *svg;
	bool summary;
	uint32_t top;
	uint64_t interval_ms;
	const char *trace_json;
	const char *html;
	bool ranking;
	char *const *html_inputs;
	size_t html_input_count;
	bool user;
	const char *vmlinux;
	const char *debug_dir;
	const char *source_dir;
	bool installed_sources;
	struct export_options export;
	struct export *exporter;
	bool silent;
};

/* For argp's children; the child's input is a struct view_options. */
extern const struct argp view_argp;

struct view;
struct aggregate;

/** VIEW_OPTIONS_DEFAULT - for what the user does not say */
#define VIEW_OPTIONS_DEFAULT                                                                       \
	{                                                                                          \
		.top = 10, .export = {.capture_bytes = CAPTURE_BYTES_DEFAULT }                     \
	}

/**
 * view_create() - prepare
 * @opts: borrowed until view_destroy(), as are @out and @symbols
 * @symbols: of the kernel that the snapshots are of
 * @kernel: which kernel that is; NULL: the running one
 * @aggregate: takes every snapshot, too, for the options that ask for it; borrowed. NULL: one of
 * the view's own does
 * @ret_view: set on success; free with view_destroy()
 * Return: 0; negative errno, with @msg: debug information of another kernel, no Graphviz.
 */
int view_create(const struct view_options *opts, FILE *out, struct symbols *symbols,
		const struct lines_options *kernel, struct aggregate *aggregate,
		struct view **ret_view, struct errmsg *msg);

struct capfile;

/**
 * view_create_for_capture() - view_create() for the kernel that a capture file is of
 * @file: borrowed until view_destroy(); it tells the view of modules from now on
 * @pool: of debug information, shared with other views; borrowed until view_destroy(); or NULL
 */
int view_create_for_capture(const struct view_options *opts, FILE *out, struct capfile *file,
			    struct lines_pool *pool, struct aggregate *aggregate,
			    struct view **ret_view, struct errmsg *msg);

/** view_wants_color() - does the user want colours on @out? */
bool view_wants_color(const struct view_options *opts, FILE *out);

/** view_set_user() - addresses of programs are @user's from now on; borrowed */
void view_set_user(struct view *view, struct userspace *user);

/**
 * view_set_host() - name of the machine that the snapshots are of, "" if that is not known
 * Without a @kernel of its own a view is of this machine, and knows that.
 * @show: in text, too: there are several
 * Return: 0 or -ENOMEM.
 */
int view_set_host(struct view *view, const char *host, bool show);

/**
 * view_set_module() - tell where a module was, when the kernel is not the running one
 * Return: 0; -ENOMEM.
 */
int view_set_module(struct view *view, const struct capfile_module *module);

/**
 * view_snapshot() - show one
 * @snap: trimmed
 * @text: kernel text as it was when the snapshot was taken; .read is NULL if there is none
 * @lost_records: events lost since the last one
 * Return: 0; -ENOMEM; -EIO if the output does not take it.
 */
int view_snapshot(struct view *view, const struct snapshot *snap, const struct text_source *text,
		  uint64_t lost_records);

/** view_sink() - what is shown of the events of a pipeline; borrows @view */
struct sink view_sink(struct view *view);

/**
 * view_error_passed_on() - of the last snapshot shown: it ended with an error, and nothing in its
 * path made it
 */
bool view_error_passed_on(const struct view *view);

/** view_check_files() - can the files that @opts name be used? 0; negative errno, with @msg */
int view_check_files(const struct view_options *opts, struct errmsg *msg);

/**
 * view_check_for_kernel() - the same, and has --source-dir the kernel's files?
 * For a command that never shows a program's lines.
 * Return: 0; negative errno, with @msg.
 */
int view_check_for_kernel(const struct view_options *opts, struct errmsg *msg);

struct sources;

/** view_lines() - its debug information, or NULL; borrowed */
struct lines *view_lines(const struct view *view);

/** view_sources() - its source files; borrowed */
struct sources *view_sources(const struct view *view);

/** view_set_out() - show there from now on; borrowed; returns where it was shown */
FILE *view_set_out(struct view *view, FILE *out);

/** view_color() - does it paint? */
bool view_color(const struct view *view);

/** view_hint() - what to install to have source lines; "" if there is no need. Told once */
const char *view_hint(struct view *view, char *buf, size_t size);

/**
 * view_finish() - write what is written at the end: the graph of the newest snapshot
 * Return: 0; negative errno, with @msg.
 */
int view_finish(struct view *view, struct errmsg *msg);

/** view_destroy() - free; NULL is fine */
void view_destroy(struct view *view);

#endif
