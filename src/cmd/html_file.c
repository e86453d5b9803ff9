// SPDX-License-Identifier: GPL-2.0
#include "cmd/html_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output.h"
#include "render/html/html_report.h"
#include "util/file/new_file.h"

/** struct html_file - a page of snapshots, and where it goes */
struct html_file {
	struct html_report *report;
	struct html_out to;
};

static int say(const struct html_out *to, int err, struct errmsg *msg)
{
	/* Of -EPIPE the caller makes no error: whoever read it has seen enough. */
	return errmsg_set(msg, err == -ENOMEM || err == -EPIPE ? err : -EIO, "--html '%s': %s",
			  to->name, strerror(-err));
}

int html_out_open(struct html_out *to, const char *name, struct errmsg *msg)
{
	int err;

	*to = (struct html_out){.name = name};
	if (!strcmp(name, "-")) {
		to->name = "standard output";
		to->out = stdout;
		return 0;
	}
	err = new_file_open(name, &to->file);
	if (err)
		return say(to, err, msg);
	to->out = fdopen(to->file.fd, "w");
	if (to->out)
		return 0;
	close(to->file.fd);
	new_file_deinit(&to->file);
	return -ENOMEM;
}

int html_out_finish(struct html_out *to, int err, struct errmsg *msg)
{
	int close_err;

	err = output_check(to->out, err);
	close_err = output_close(to->out);
	to->out = NULL;
	err = err ?: close_err;
	err = err ?: new_file_rename(&to->file);
	return err ? say(to, err, msg) : 0;
}

void html_out_deinit(struct html_out *to)
{
	if (to->out && to->out != stdout)
		fclose(to->out);
	to->out = NULL;
	new_file_deinit(&to->file);
}

int html_file_open(const struct view_options *opts, struct html_file **ret, struct errmsg *msg)
{
	struct html_file *html = calloc(1, sizeof(*html));
	int err = 0;

	if (!html)
		return -ENOMEM;
	html->report = html_report_create();
	if (!html->report)
		err = -ENOMEM;
	for (size_t i = 0; i < opts->html_input_count && !err; i++)
		err = html_report_add_input(html->report, opts->html_inputs[i]);
	err = err ?: html_out_open(&html->to, opts->html, msg);
	if (err)
		html_file_destroy(html);
	else
		*ret = html;
	return err;
}

bool html_file_wants_path(const struct html_file *html, uint64_t ident)
{
	return html_report_wants_path(html->report, ident);
}

int html_file_add(struct html_file *html, const struct snapshot *snap, uint64_t ident,
		  const struct path *path, const struct finding_kernel *kernel,
		  const struct story_view *story, uint64_t lost)
{
	const struct html_machine machine = {.host = kernel->host, .release = kernel->release};

	return html_report_add(html->report, snap, ident, path, story, &machine, lost);
}

void html_file_add_lost(struct html_file *html, uint64_t lost)
{
	html_report_add_lost(html->report, lost);
}

int html_file_finish(struct html_file *html, struct errmsg *msg)
{
	return html_out_finish(&html->to, html_report_write(html->report, html->to.out), msg);
}

void html_file_destroy(struct html_file *html)
{
	if (!html)
		return;
	html_out_deinit(&html->to);
	html_report_destroy(html->report);
	free(html);
}
