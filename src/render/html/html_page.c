// SPDX-License-Identifier: GPL-2.0
/* html_page.c - the page: what stands in it without script, style, data, script */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "html_parts.h" /* built of src/render/html */
#include "render/escape.h"
#include "render/html/html_page.h"
#include "render/html/html_store.h"

/* Paths that stand in the page without its script; of all the others it says how many. */
#define ANSWERS_MAX 100u
#define INPUTS_MAX  4u
/* Characters of a foreign string that are shown there. */
#define TEXT_MAX 300u

/* Code point of well-formed UTF-8, and its length. */
static uint32_t code_point(const unsigned char *p, size_t *ret_len)
{
	size_t len = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	uint32_t code = len == 1 ? *p : *p & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3f);
	*ret_len = len;
	return code;
}

/* Changes the order of what stands beside it, or is not to be seen. */
static bool is_hidden(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{0xad, 0xad},	  {0x61c, 0x61c},   {0x115f, 0x1160}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
		{0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

void html_put_text(FILE *out, const char *text)
{
	size_t size = 4 * strlen(text) + 1, shown = 0, len;
	char *escaped = malloc(size);
	const unsigned char *p = (const unsigned char *)escaped;

	if (!escaped)
		return;
	escape_text(text, escaped, size);
	for (; *p && shown < TEXT_MAX; p += len, shown++) {
		uint32_t code = code_point(p, &len);

		if (is_hidden(code))
			fprintf(out, "\\u{%" PRIx32 "}", code);
		else if (strchr("&<>\"'", (int)*p))
			fprintf(out, "&#%d;", *p);
		else
			fwrite(p, 1, len, out);
	}
	if (*p)
		fputs("…", out);
	free(escaped);
}

static const char *string(const struct html_report *report, uint32_t number)
{
	return html_text(&report->strings, number);
}

static void put_what(FILE *out, const struct html_report *report, const struct html_path *path)
{
	const char *function = string(report, path->function);
	const char *errname = string(report, path->errname);

	html_put_text(out, *function ? function : string(report, path->target));
	if (*errname) {
		fputs("() = -", out);
		html_put_text(out, errname);
	}
}

static void put_answer(FILE *out, const struct html_report *report, const struct html_path *path)
{
	fprintf(out, "<tr><td class=\"n\">%" PRIu64 "</td><td class=\"code f\">",
		path->taken.count);
	put_what(out, report, path);
	fputs("</td><td class=\"code f\">", out);
	if (path->errname && !path->place)
		fputs("not in the record", out);
	html_put_text(out, string(report, path->place));
	fputs("</td><td class=\"code f\">", out);
	html_put_text(out, string(report, path->reason));
	fputs("</td></tr>\n", out);
}

static void put_answers(FILE *out, const struct html_report *report, const struct html_path **order)
{
	uint32_t count = (uint32_t)report->counts.paths.count,
		 shown = count < ANSWERS_MAX ? count : ANSWERS_MAX;

	fputs("<main id=\"static\">\n<h2>Answers</h2>\n", out);
	if (!shown) {
		fputs("<p>No snapshot is in this report.</p>\n</main>\n", out);
		return;
	}
	fputs("<table>\n<thead><tr><th class=\"n\">Count</th><th>What</th>"
	      "<th>Where it was made</th><th>Because</th></tr></thead>\n<tbody>\n",
	      out);
	for (uint32_t i = 0; i < shown; i++)
		put_answer(out, report, order[i]);
	fputs("</tbody>\n</table>\n", out);
	if (shown < count)
		fprintf(out,
			"<p class=\"note\">And %u further paths, which the page shows where "
			"scripts "
			"are allowed.</p>\n",
			count - shown);
	fputs("<noscript><p class=\"note\">The way each path took, source lines, control flow, "
	      "times "
	      "and CPUs need the page's own script, which is not allowed here.</p></noscript>\n"
	      "</main>\n",
	      out);
}

void html_put_names(FILE *out, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count && i < INPUTS_MAX; i++) {
		fputs(i ? ", " : "", out);
		html_put_text(out, basename(names[i]));
	}
	if (count > INPUTS_MAX)
		fprintf(out, " and %zu more", count - INPUTS_MAX);
}

void html_put_head(FILE *out, const char *what, const char *const *names, size_t count, bool script)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src '" PAGE_CSS_SHA256 "'; %s"
		"base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<title>lbrsnoop %s ",
		script ? "script-src '" PAGE_JS_SHA256 "'; " : "", what);
	html_put_names(out, names, count);
	fputs("</title>\n<style>", out);
	fputs(PAGE_CSS, out);
	fputs("</style>\n</head>\n<body>\n", out);
}

static void put_machines(FILE *out, const struct html_report *report)
{
	for (uint32_t i = 0; i < report->machine_count && i < 4; i++) {
		const uint32_t *machine = report->machines[i];

		fputs("<p class=\"f\">", out);
		if (*string(report, machine[0])) {
			html_put_text(out, string(report, machine[0]));
			fputs(": ", out);
		}
		if (*string(report, machine[1])) {
			fputs("Linux ", out);
			html_put_text(out, string(report, machine[1]));
			fputs(", ", out);
		}
		fputs("LBR ", out);
		html_put_text(out, string(report, machine[2]));
		fputs("</p>\n", out);
	}
	if (report->machine_count > 4)
		fprintf(out, "<p>and %u more machines</p>\n", report->machine_count - 4);
}

static void put_day(FILE *out, uint64_t ts_ns)
{
	time_t sec = (time_t)(ts_ns / 1000000000);
	char text[40];
	struct tm tm;

	if (localtime_r(&sec, &tm) && strftime(text, sizeof(text), "%F %T %z", &tm))
		fputs(text, out);
}

static void put_header(FILE *out, const struct html_report *report, const char *const *names)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < report->counts.paths.count; i++) {
		const struct html_path *path = html_path(report, i);

		first = path->taken.first_ns < first ? path->taken.first_ns : first;
		last = path->taken.last_ns > last ? path->taken.last_ns : last;
	}
	fputs("<header>\n<h1>lbrsnoop report <span class=\"f\">", out);
	html_put_names(out, names, report->input_count);
	fprintf(out, "</span></h1>\n<p>%" PRIu64 " snapshot%s, %zu path%s, %" PRIu64 " events lost",
		report->counts.snapshots, report->counts.snapshots == 1 ? "" : "s",
		report->counts.paths.count, report->counts.paths.count == 1 ? "" : "s",
		report->counts.lost);
	if (report->counts.paths.count) {
		fputs("; ", out);
		put_day(out, first);
		fputs(" to ", out);
		put_day(out, last);
	}
	fputs("</p>\n", out);
	put_machines(out, report);
	if (report->counts.left_out)
		fprintf(out,
			"<p>%" PRIu64 " snapshots are of further paths, and only counted</p>\n",
			report->counts.left_out);
	fputs("</header>\n", out);
}

int html_report_write(const struct html_report *report, FILE *out)
{
	const struct html_path **order = html_paths_sorted(report);
	const char **names = calloc(report->input_count + 1, sizeof(const char *));
	int err;

	if (!order || !names) {
		free(order);
		free(names);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < report->input_count; i++)
		names[i] = string(report, report->inputs[i]);
	html_put_head(out, "report", names, report->input_count, true);
	put_header(out, report, names);
	put_answers(out, report, order);
	free(order);
	free(names);
	fputs("<div id=\"app\" hidden></div>\n<script type=\"application/json\" id=\"data\">", out);
	err = html_json(report, out);
	if (err)
		return err;
	fputs("</script>\n<script>", out);
	fputs(PAGE_JS, out);
	fputs("</script>\n</body>\n</html>\n", out);
	return ferror(out) ? -EIO : 0;
}
