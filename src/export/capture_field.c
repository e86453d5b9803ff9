// SPDX-License-Identifier: GPL-2.0
#include "export/capture_field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capfile/recorder.h"
#include "util/cleanup.h"

#define FIELD_CHARS (sizeof(CAPTURE_FIELD) - 1)

/*
 * A value that a call returned may be a pointer, which says where the kernel keeps its data: only
 * errors and what fits an int leave.
 */
static bool may_leave(const struct snapshot *snap)
{
	return snap->err || (snap->retval >= INT32_MIN && snap->retval <= INT32_MAX);
}

static void without_secrets(const struct snapshot *snap, bool with_comm, struct snapshot *ret)
{
	*ret = *snap;
	ret->log = NULL;
	ret->regs = NULL;
	ret->argument_count = 0;
	ret->has_retval = snap->has_retval && may_leave(snap);
	if (!ret->has_retval && !snap->err)
		ret->retval = 0;
	if (!with_comm)
		memset(ret->comm, 0, sizeof(ret->comm));
}

static int record(const struct snapshot *snap, const struct finding_kernel *kernel, int fd)
{
	const struct recorder_options opts = {
		.fd = fd,
		.tool = "lbrsnoop",
		.from = kernel->file,
		.symbols = kernel->symbols,
		.text = *kernel->text,
		.lbr = snap->lbr,
		.filter = snap->filter,
		.filtered = snap->filtered,
		.path_ok = snap->path_ok,
	};
	struct recorder *recorder;
	int err = recorder_open(&opts, &recorder, NULL), close_err;

	if (err)
		return err;
	err = recorder_add(recorder, snap, 0);
	close_err = recorder_close(recorder, 0);
	return err ?: close_err;
}

static int read_back(int fd, uint64_t most, struct capture_field *ret)
{
	struct stat st;
	char *field;

	if (fstat(fd, &st))
		return -errno;
	ret->bytes = (size_t)st.st_size;
	if (ret->bytes > most) {
		ret->left_out = "size";
		return 0;
	}
	field = malloc(FIELD_CHARS + ret->bytes);
	if (!field)
		return -ENOMEM;
	memcpy(field, CAPTURE_FIELD, FIELD_CHARS);
	if (pread(fd, field + FIELD_CHARS, ret->bytes, 0) != (ssize_t)ret->bytes) {
		free(field);
		return -EIO;
	}
	ret->field = field;
	return 0;
}

void capture_field_make(const struct snapshot *snap, const struct finding_kernel *kernel,
			uint64_t most, bool with_comm, struct capture_field *ret)
{
	_cleanup_close_ int fd = -1;
	struct snapshot public;
	int err;

	*ret = (struct capture_field){.left_out = "program"};
	if (trigger_is_user(snap->trigger))
		return;
	*ret = (struct capture_field){.left_out = "error"};
	fd = memfd_create("lbrsnoop capture", MFD_CLOEXEC);
	if (fd < 0 || !snap->lbr)
		return;
	without_secrets(snap, with_comm, &public);
	err = record(&public, kernel, fd);
	err = err ?: read_back(fd, most, ret);
	if (!err && ret->field)
		ret->left_out = NULL;
}

size_t capture_field_len(const struct capture_field *capture)
{
	return capture->field ? FIELD_CHARS + capture->bytes : 0;
}

void capture_field_deinit(struct capture_field *capture)
{
	free(capture->field);
	*capture = (struct capture_field){};
}
