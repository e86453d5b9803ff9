// SPDX-License-Identifier: GPL-2.0
#include "export/otlp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/otlp.h"
#include "util/cleanup.h"
#include "util/clock.h"

/** struct otlp_file - @fd: -1 while it cannot be opened; @err: of the last write */
struct otlp_file {
	const char *path;
	bool with_comm;
	struct quota *quota;
	int fd;
	int err;
};

/* Nobody may read the pipe that it is: a service does not wait for that. */
static int open_it(struct otlp_file *file)
{
	file->fd = open(file->path,
			O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
	return file->fd < 0 ? -errno : 0;
}

int otlp_file_open(const char *path, bool with_comm, struct quota *quota,
		   struct otlp_file **ret_file)
{
	struct otlp_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	*file = (struct otlp_file){.path = path, .with_comm = with_comm, .quota = quota};
	err = open_it(file);
	if (err) {
		free(file);
		return err;
	}
	*ret_file = file;
	return 0;
}

/* Somebody has moved or removed it: logrotate does. */
static bool is_there(const struct otlp_file *file)
{
	struct stat ours, named;

	return !fstat(file->fd, &ours) && !stat(file->path, &named) &&
	       ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static int append(struct otlp_file *file, const char *line, size_t len)
{
	struct stat before;
	ssize_t written;
	int err;

	if (fstat(file->fd, &before))
		return -errno;
	written = write(file->fd, line, len);
	if (written == (ssize_t)len)
		return 0;
	err = written < 0 ? -errno : -ENOSPC;
	if (written > 0 && S_ISREG(before.st_mode) && ftruncate(file->fd, before.st_size))
		err = -errno;
	return err;
}

/* True if it is in the file. */
static bool write_line(struct otlp_file *file, const struct finding *finding)
{
	_cleanup_free_ char *line = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&line, &len);
	int err = out ? otlp_write(out, finding, file->with_comm) : -ENOMEM;

	if (out && fclose(out))
		err = -ENOMEM;
	if (!err && !quota_take(file->quota, clock_ns(CLOCK_MONOTONIC), len))
		return false;
	file->err = err ?: append(file, line, len);
	return !file->err;
}

void otlp_file_add(struct otlp_file *file, const struct finding *finding)
{
	struct finding_path *path = finding->path;
	uint64_t ts_ns = finding->snap->ts_ns;
	struct finding told = *finding;

	/* What does not fit now is tried again when counts are told: a full disk stays full. */
	if (!path || file->err || !finding_due(path, FINDING_OTLP, ts_ns))
		return;
	told.count = finding_untold(path, FINDING_OTLP);
	if (write_line(file, &told))
		finding_told(path, FINDING_OTLP, ts_ns, true);
}

int otlp_file_tell(struct otlp_file *file, const struct findings *findings, const char *host,
		   uint64_t now_ns)
{
	const struct path_counts *counts = findings_counts(findings);
	void **order = path_counts_sorted(counts);

	if (!order)
		return -ENOMEM;
	file->err = 0;
	if (!is_there(file)) {
		close(file->fd);
		file->err = open_it(file);
	}
	for (size_t i = 0; i < counts->paths.count && !file->err; i++) {
		struct finding_path *path = order[i];
		const struct finding_kernel of = {.host = host, .release = path->release};
		const struct finding told = {
			.kernel = &of, .path = path, .count = finding_untold(path, FINDING_OTLP)};

		if (told.count && write_line(file, &told))
			finding_told(path, FINDING_OTLP, now_ns,
				     finding_due(path, FINDING_OTLP, now_ns));
	}
	free(order);
	return 0;
}

int otlp_file_error(const struct otlp_file *file)
{
	return file->err;
}

void otlp_file_close(struct otlp_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}
