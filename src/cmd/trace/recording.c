// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/recording.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capfile/reader.h"
#include "cmd/option_args.h"
#include "util/cleanup.h"
#include "util/log.h"

/* Snapshots that a flood may leave in our memory before they are written. */
#define BATCH 32u

struct recording {
	struct recording_options opts;
	struct recorder *recorder;
	uint64_t earlier; /* snapshots in files that are closed */
	uint64_t safe;	  /* in the newest one, if it is closed: those that can be read */
	uint32_t unwritten;
	struct errmsg error;
};

/* -EACCES is about the file: no exit status 4 */
static int fail(struct recording *recording, int err)
{
	const char *path = recording->opts.recorder.path;
	uint64_t safe =
		recording->recorder ? recorder_flushed(recording->recorder) : recording->safe;

	if (err == -ESTALE)
		return errmsg_set(&recording->error, err,
				  "%s: removed, or replaced by another recorder; what this one "
				  "wrote into it is gone",
				  path);
	return errmsg_set(&recording->error, err == -EACCES || err == -EPERM ? -EINVAL : err,
			  "%s: %s; the %llu snapshots before can be read", path, strerror(-err),
			  (unsigned long long)safe);
}

/* What is no plain file cannot be moved away; neither can standard output, by whatever name. */
static bool is_plain(const char *path)
{
	struct stat st;

	return !args_is_stdout(path) && !stat(path, &st) && S_ISREG(st.st_mode);
}

/* FILE to FILE.1, that to FILE.2, and so on; the oldest is gone. */
static void shift_names(const struct recording *recording)
{
	const char *path = recording->opts.recorder.path;
	char from[PATH_MAX], to[PATH_MAX];

	if (!is_plain(path))
		return;
	for (uint32_t i = recording->opts.max_files - 1; i > 0; i--) {
		int len = i > 1 ? snprintf(from, sizeof(from), "%s.%u", path, i - 1)
				: snprintf(from, sizeof(from), "%s", path);

		if (len < (int)sizeof(from) &&
		    snprintf(to, sizeof(to), "%s.%u", path, i) < (int)sizeof(to))
			rename(from, to);
	}
}

/* A capture without a snapshot is not worth the oldest one. */
static bool is_evidence(const char *path)
{
	struct capfile *file;
	struct snapshot snap;
	struct stat st;
	uint64_t lost;
	bool found;

	if (!is_plain(path) || (!stat(path, &st) && !st.st_size))
		return false;
	if (capfile_open(path, &file, NULL))
		return true; /* whatever it is */
	found = capfile_next(file, &snap, &lost) != 0;
	capfile_close(file);
	return found;
}

int recording_open(const struct recording_options *opts, struct recording **ret, struct errmsg *msg)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	int err;

	if (!recording)
		return -ENOMEM;
	recording->opts = *opts;
	/* Of a recorder before us: a machine that came up again, a service started once more. */
	if (opts->max_bytes && opts->max_files > 1 && is_evidence(opts->recorder.path))
		shift_names(recording);
	err = recorder_open(&opts->recorder, &recording->recorder, msg);
	if (err) {
		free(recording);
		return err;
	}
	*ret = recording;
	return 0;
}

int recording_add(struct recording *recording, const struct snapshot *snap, bool text_read_again,
		  uint64_t lost)
{
	int err;

	if (!recording->recorder)
		return -EIO;
	if (text_read_again)
		recorder_text_may_differ(recording->recorder);
	err = recorder_add(recording->recorder, snap, lost);
	if (err)
		return fail(recording, err);
	return ++recording->unwritten < BATCH ? 0 : recording_flush(recording);
}

static int begin_next(struct recording *recording)
{
	const char *path = recording->opts.recorder.path;
	uint64_t count = recorder_count(recording->recorder);
	struct errmsg why = {};
	int err;

	recording->safe = recorder_flushed(recording->recorder);
	err = recorder_close(recording->recorder, 0);
	recording->recorder = NULL;
	if (err == -ESTALE)
		log_warning("%s: removed, and %llu snapshots with it; another one begins", path,
			    (unsigned long long)count);
	else if (err)
		return fail(recording, err);
	else
		recording->earlier += count;
	if (recording->opts.max_bytes &&
	    recording->opts.max_files > 1) /* with one file, the new one replaces it */
		shift_names(recording);
	err = recorder_open(&recording->opts.recorder, &recording->recorder, &why);
	return err ? errmsg_set(&recording->error, err, "%s", why.text) : 0;
}

int recording_flush(struct recording *recording)
{
	int err;

	if (!recording->recorder)
		return -EIO;
	recording->unwritten = 0;
	err = recorder_flush(recording->recorder);
	/* Whose name another recorder has taken would only take it back. */
	if (err == -ESTALE && access(recording->opts.recorder.path, F_OK))
		return begin_next(recording);
	if (err)
		return fail(recording, err);
	if (recording->opts.max_bytes &&
	    recorder_bytes(recording->recorder) >= recording->opts.max_bytes)
		return begin_next(recording);
	return 0;
}

int recording_reopen(struct recording *recording)
{
	uint64_t max_bytes = recording->opts.max_bytes;
	int err;

	/* Who sent the signal has moved the file: it is not ours to rename. */
	recording->opts.max_bytes = 0;
	err = recording->recorder ? begin_next(recording) : -EIO;
	recording->opts.max_bytes = max_bytes;
	return err;
}

uint64_t recording_count(const struct recording *recording, uint64_t *ret_bytes)
{
	if (ret_bytes)
		*ret_bytes = recording->recorder ? recorder_bytes(recording->recorder) : 0;
	return recording->earlier + (recording->recorder ? recorder_count(recording->recorder) : 0);
}

const char *recording_error(const struct recording *recording)
{
	return recording->error.text;
}

int recording_close(struct recording *recording, uint64_t lost, struct errmsg *msg)
{
	int err;

	if (!recording)
		return 0;
	recording->earlier = recording_count(recording, NULL);
	if (recording->recorder)
		recording->safe = recorder_flushed(recording->recorder);
	err = recorder_close(recording->recorder, lost);
	recording->recorder = NULL;
	if (err && !recording->error.text[0])
		err = fail(recording, err);
	if (recording->error.text[0])
		err = errmsg_set(msg, err == -EACCES || err == -EPERM || !err ? -EIO : err, "%s",
				 recording->error.text);
	free(recording);
	return err;
}
