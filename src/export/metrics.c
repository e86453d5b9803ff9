// SPDX-License-Identifier: GPL-2.0
#include "export/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/escape.h"
#include "util/file/new_file.h"

#define LABEL_BYTES (4 * FINDING_NAME_BYTES)

/* Control characters become \xNN first, so that no line can end in a name. */
static void put_label(FILE *out, const char *name, const char *value)
{
	char text[LABEL_BYTES];

	escape_text(value, text, sizeof(text));
	fprintf(out, "%s=\"", name);
	for (const char *at = text; *at; at++) {
		if (*at == '\\' || *at == '"')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

static void put_head(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s counter\n", name, help, name);
}

static void put_total(FILE *out, const char *name, const char *help, uint64_t value)
{
	put_head(out, name, help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void put_series(FILE *out, const struct finding_path *path)
{
	char ident[20], number[24];

	snprintf(ident, sizeof(ident), "%016" PRIx64, path->taken.ident);
	fputs("lbrsnoop_path_snapshots_total{", out);
	put_label(out, "function", path->function);
	fputc(',', out);
	put_label(out, "errno", finding_errno(path, number));
	fputc(',', out);
	put_label(out, "path_id", ident);
	fprintf(out, "} %" PRIu64 "\n", path->taken.count - path->among_others);
}

/*
 * Snapshots taken while a path had no series stay among those of the others, also when it gets one:
 * a counter that falls is taken for one that began anew, and all of it for new snapshots.
 */
static void note_others(struct finding_path *path, bool has_series)
{
	if (!has_series)
		path->among_others += path->taken.count - path->metered;
	path->metered = path->taken.count;
}

static int put_all(FILE *out, struct findings *findings, uint32_t series)
{
	const struct path_counts *counts = findings_counts(findings);
	void **order = path_counts_sorted(counts);
	uint64_t others = counts->left_out;

	if (!order)
		return -ENOMEM;
	put_total(out, "lbrsnoop_snapshots_total", "Snapshots taken.", counts->snapshots);
	put_total(out, "lbrsnoop_lost_events_total", "Events of which there is no snapshot.",
		  counts->lost);
	if (counts->paths.count)
		put_head(out, "lbrsnoop_path_snapshots_total",
			 "Snapshots by function, errno and path id.");
	for (size_t i = 0; i < counts->paths.count; i++) {
		struct finding_path *path = order[i];

		note_others(path, i < series);
		others += path->among_others;
		if (i < series)
			put_series(out, path);
	}
	free(order);
	put_total(out, "lbrsnoop_other_paths_snapshots_total",
		  "Snapshots of paths beyond the limit on series.", others);
	return ferror(out) ? -EIO : 0;
}

/* As fopen() would have made it: a new file is for nobody else, and node_exporter is another. */
static void allow_reading(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

int metrics_write(const char *path, bool service, struct findings *findings, uint32_t series,
		  struct errmsg *msg)
{
	struct new_file file;
	FILE *out = NULL;
	int err = service ? new_file_replace(path, &file) : new_file_open(path, &file);

	if (err)
		return errmsg_set(msg, err, "%s: %s", path, strerror(-err));
	if (new_file_is_regular(&file))
		allow_reading(file.fd);
	out = fdopen(file.fd, "w");
	err = out ? put_all(out, findings, series) : -ENOMEM;
	if (out && fclose(out) && !err)
		err = -errno;
	if (!out)
		close(file.fd);
	err = err ?: new_file_rename(&file);
	new_file_deinit(&file);
	return err ? errmsg_set(msg, err, "%s: %s", path, strerror(-err)) : 0;
}
