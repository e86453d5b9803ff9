// SPDX-License-Identifier: GPL-2.0
#include "cmd/html_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output.h"
#include "render/html_report.h"
#include "util/new_file.h"

/** struct html_file - @out: NULL once it is closed */
struct html_file {
	const char *name;
	struct html_report *report;
	struct new_file file;
	FILE *out;
};

static int say(const struct html_file *html, int err, struct errmsg *msg)
{
	/* Of -EPIPE the caller makes no error: whoever read it has seen enough. */
	return errmsg_set(msg, err == -ENOMEM || err == -EPIPE ? err : -EIO, "--html '%s': %s",
			  html->name, strerror(-err));
}

static int open_file(struct html_file *html)
{
	int err;

	if (!strcmp(html->name, "-")) {
		html->name = "standard output";
		html->out = stdout;
		return 0;
	}
	err = new_file_open(html->name, &html->file);
	if (err)
		return err;
	html->out = fdopen(html->file.fd, "w");
	if (html->out)
		return 0;
	close(html->file.fd);
	return -ENOMEM;
}

int html_file_open(const struct view_options *opts, struct html_file **ret, struct errmsg *msg)
{
	struct html_file *html = calloc(1, sizeof(*html));
	int err = 0;

	if (!html)
		return -ENOMEM;
	html->name = opts->html;
	html->report = html_report_create();
	if (!html->report)
		err = -ENOMEM;
	for (size_t i = 0; i < opts->html_input_count && !err; i++)
		err = html_report_add_input(html->report, opts->html_inputs[i]);
	if (!err) {
		err = open_file(html);
		err = err ? say(html, err, msg) : 0;
	}
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

int html_file_finish(struct html_file *html, struct errmsg *msg)
{
	int err = output_check(html->out, html_report_write(html->report, html->out));
	int close_err = output_close(html->out);

	html->out = NULL;
	err = err ?: close_err;
	err = err ?: new_file_rename(&html->file);
	return err ? say(html, err, msg) : 0;
}

void html_file_destroy(struct html_file *html)
{
	if (!html)
		return;
	if (html->out && html->out != stdout)
		fclose(html->out);
	new_file_deinit(&html->file);
	html_report_destroy(html->report);
	free(html);
}
