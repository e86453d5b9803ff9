// SPDX-License-Identifier: GPL-2.0
#include "export/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/escape.h"
#include "util/cleanup.h"

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

	snprintf(ident, sizeof(ident), "%016" PRIx64, path->ident);
	fputs("lbrsnoop_path_snapshots_total{", out);
	put_label(out, "function", path->function);
	fputc(',', out);
	put_label(out, "errno", finding_errno(path, number));
	fputc(',', out);
	put_label(out, "path_id", ident);
	fprintf(out, "} %" PRIu64 "\n", path->count);
}

static int put_all(FILE *out, const struct findings *findings, uint32_t series)
{
	struct finding_path **order = findings_sorted(findings);
	struct findings_total total = findings_total(findings);
	uint64_t others = total.left_out;

	if (!order)
		return -ENOMEM;
	put_total(out, "lbrsnoop_snapshots_total", "Snapshots taken.", total.snapshots);
	put_total(out, "lbrsnoop_lost_events_total", "Events of which there is no snapshot.",
		  total.lost);
	if (total.paths)
		put_head(out, "lbrsnoop_path_snapshots_total",
			 "Snapshots by function, errno and path id.");
	for (size_t i = 0; i < total.paths; i++) {
		if (i < series)
			put_series(out, order[i]);
		else
			others += order[i]->count;
	}
	free(order);
	put_total(out, "lbrsnoop_other_paths_snapshots_total",
		  "Snapshots of paths beyond the limit on series.", others);
	return ferror(out) ? -EIO : 0;
}

/* As fopen() would have made it: mkstemp() lets nobody else read, and node_exporter is another. */
static void allow_reading(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

/* A device or a pipe is not ours to replace. */
static int write_in_place(const char *path, const struct findings *findings, uint32_t series)
{
	FILE *out = fopen(path, "we");
	int err = out ? put_all(out, findings, series) : -errno;

	if (out && fclose(out) && !err)
		err = -errno;
	return err;
}

/* @path: of no symbolic link */
static int replace(const char *path, const struct findings *findings, uint32_t series,
		   struct errmsg *msg)
{
	char temporary[PATH_MAX];
	FILE *out = NULL;
	int fd, err;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return errmsg_set(msg, -ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	fd = mkstemp(temporary);
	if (fd < 0)
		return errmsg_set(msg, -errno,
				  "%s: %s; a file beside it is made first, and renamed", temporary,
				  strerror(errno));
	allow_reading(fd);
	out = fdopen(fd, "w");
	err = out ? put_all(out, findings, series) : -ENOMEM;
	if (out && fclose(out) && !err)
		err = -errno;
	if (!out)
		close(fd);
	if (!err && rename(temporary, path))
		err = -errno;
	if (!err)
		return 0;
	unlink(temporary);
	return errmsg_set(msg, err, "%s: %s", path, strerror(-err));
}

int metrics_write(const char *path, const struct findings *findings, uint32_t series,
		  struct errmsg *msg)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	struct stat st;
	int err;

	if (!real && errno != ENOENT)
		return errmsg_set(msg, -errno, "%s: %s", path, strerror(errno));
	if (!real || (!stat(real, &st) && S_ISREG(st.st_mode)))
		return replace(real ?: path, findings, series, msg);
	err = write_in_place(real, findings, series);
	return err ? errmsg_set(msg, err, "%s: %s", path, strerror(-err)) : 0;
}
