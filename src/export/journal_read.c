// SPDX-License-Identifier: GPL-2.0
#include "export/journal_read.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/path_counts.h"
#include "export/capture_field.h"
#include "export/journal.h"
#include "export/journal_files.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/file/library.h"

/* A longer field is none of ours. */
#define FIELD_BYTES_MAX 4096

#define CAPTURE_FIELD_CHARS (sizeof(CAPTURE_FIELD) - 1)

struct sd_journal;

/* sd_id128_t */
struct boot_id {
	uint8_t bytes[16];
};

/** struct library - of sd-journal(3) */
struct library {
	int (*open_files)(struct sd_journal **journal, int fds[], unsigned int count, int flags);
	void (*close)(struct sd_journal *journal);
	int (*add_match)(struct sd_journal *journal, const void *data, size_t len);
	int (*next)(struct sd_journal *journal);
	int (*realtime)(struct sd_journal *journal, uint64_t *usec);
	int (*monotonic)(struct sd_journal *journal, uint64_t *usec, struct boot_id *boot);
	void (*restart_data)(struct sd_journal *journal);
	int (*enumerate_data)(struct sd_journal *journal, const void **data, size_t *len);
	int (*data_threshold)(struct sd_journal *journal, size_t size);
};

static bool load(struct library *sd)
{
	static const char *const names[] = {
		"sd_journal_open_files_fd",	 "sd_journal_close",
		"sd_journal_add_match",		 "sd_journal_next",
		"sd_journal_get_realtime_usec",	 "sd_journal_get_monotonic_usec",
		"sd_journal_restart_data",	 "sd_journal_enumerate_data",
		"sd_journal_set_data_threshold",
	};
	void *library = library_open("libsystemd.so.0");
	void *found[ARRAY_SIZE(names)];

	_Static_assert(sizeof(found) == sizeof(*sd), "a name for each function");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		found[i] = library ? dlsym(library, names[i]) : NULL;
		if (!found[i])
			return false;
	}
	memcpy(sd, found, sizeof(*sd));
	return true;
}

static bool number(const char *text, int base, uint64_t *ret)
{
	/* strtoull() knows more: blanks, signs, "0x". */
	size_t digits = strspn(text, base == 16 ? "0123456789abcdef" : "0123456789");

	if (!digits || text[digits])
		return false;
	errno = 0;
	*ret = strtoull(text, NULL, base);
	return !errno;
}

static bool count(const char *text, uint64_t *ret)
{
	uint64_t value;

	if (!number(text, 10, &value) || value > COUNT_MOST)
		return false;
	*ret = value;
	return true;
}

static void text(char *buf, size_t size, const char *value)
{
	snprintf(buf, size, "%s", value);
}

bool journal_ident_parse(const char *value, uint64_t *ret)
{
	return strlen(value) == 16 && number(value, 16, ret);
}

bool journal_is_wanted(const struct journal_wanted *wanted, const struct journal_row *row)
{
	bool found = !wanted->host_count;

	for (size_t i = 0; i < wanted->host_count && !found; i++)
		found = !strcmp(wanted->hosts[i], row->host);
	return found && (!wanted->has_ident || (row->has_ident && row->ident == wanted->ident));
}

static void take(struct journal_row *row, const char *name, const char *value)
{
	uint64_t uid;

	if (!strcmp(name, "MESSAGE_ID"))
		row->full = !strcmp(value, JOURNAL_ID_PATH);
	else if (!strcmp(name, "_UID"))
		row->by_root = number(value, 10, &uid) && !uid;
	else if (!strcmp(name, "_HOSTNAME"))
		text(row->host, sizeof(row->host), value);
	else if (!strcmp(name, "LBRSNOOP_PATH_ID"))
		row->has_ident = journal_ident_parse(value, &row->ident);
	else if (!strcmp(name, "LBRSNOOP_COUNT"))
		row->has_count = count(value, &row->count);
	else if (!strcmp(name, "LBRSNOOP_LOST"))
		count(value, &row->lost);
	else if (!strcmp(name, "LBRSNOOP_LEFT_OUT"))
		count(value, &row->left_out);
	else if (!strcmp(name, "LBRSNOOP_CAPTURE_LEFT_OUT"))
		row->without_capture = true;
	else if (!strcmp(name, "LBRSNOOP_ERRNO"))
		row->err = errno_parse(value) > 0 ? errno_parse(value) : 0;
	else if (!strcmp(name, "LBRSNOOP_FUNCTION"))
		text(row->function, sizeof(row->function), value);
	else if (!strcmp(name, "LBRSNOOP_ORIGIN"))
		text(row->origin, sizeof(row->origin), value);
	else if (!strcmp(name, "LBRSNOOP_TRIGGER"))
		text(row->kind, sizeof(row->kind), value);
}

void journal_row_field(struct journal_row *row, const void *data, size_t len)
{
	char field[FIELD_BYTES_MAX + 1];
	char *value;

	if (len >= CAPTURE_FIELD_CHARS && !memcmp(data, CAPTURE_FIELD, CAPTURE_FIELD_CHARS)) {
		row->capture = (const char *)data + CAPTURE_FIELD_CHARS;
		row->capture_len = len - CAPTURE_FIELD_CHARS;
		return;
	}
	if (len > FIELD_BYTES_MAX || memchr(data, '\0', len))
		return;
	memcpy(field, data, len);
	field[len] = '\0';
	value = strchr(field, '=');
	if (!value)
		return;
	*value++ = '\0';
	take(row, field, value);
}

/** struct message_key - when a message was sent, and what tells it from others of that moment */
struct message_key {
	struct boot_id boot;
	uint64_t monotonic_us;
	uint64_t realtime_us;
	uint64_t ident;
	uint64_t count;
	uint64_t full;
	uint64_t lost;
	uint64_t left_out;
};

/**
 * struct reading - one call of journal_read()
 * @dir: NULL: this machine's
 * @last: the message before
 * @captures: room for the capture of a message; NULL: nobody wants it
 */
struct reading {
	struct library sd;
	const char *dir;
	journal_row_fn *fn;
	void *ctx;
	struct message_key last;
	uint64_t refused;
	uint8_t *captures;
};

/*
 * Where systemd-journal-remote (252) begins a new file, the last message of the full one is in
 * both, with two numbers.
 */
static bool is_repeated(struct reading *reading, struct sd_journal *journal,
			const struct journal_row *row)
{
	struct message_key key = {
		.realtime_us = row->ts_ns / 1000,
		.ident = row->ident,
		.count = row->count,
		.full = row->full,
		.lost = row->lost,
		.left_out = row->left_out,
	};
	bool repeated = false;

	if (reading->sd.monotonic(journal, &key.monotonic_us, &key.boot) >= 0)
		repeated = !memcmp(&key, &reading->last, sizeof(key));
	reading->last = key;
	return repeated;
}

/* libsystemd's data is there until it is asked for the next field. */
static void keep_capture(struct reading *reading, struct journal_row *row)
{
	if (!row->capture || row->capture == reading->captures)
		return;
	if (!reading->captures || row->capture_len > CAPTURE_BYTES_MAX) {
		row->capture_too_large = reading->captures;
		row->capture = NULL;
		return;
	}
	memcpy(reading->captures, row->capture, row->capture_len);
	row->capture = reading->captures;
}

static int read_entry(struct reading *reading, struct sd_journal *journal)
{
	const struct library *sd = &reading->sd;
	struct journal_row row = {.ts_ns = 0};
	const void *data;
	uint64_t usec = 0;
	size_t len;

	if (!sd->realtime(journal, &usec))
		row.ts_ns = usec * 1000;
	sd->restart_data(journal);
	while (sd->enumerate_data(journal, &data, &len) > 0) {
		journal_row_field(&row, data, len);
		keep_capture(reading, &row);
	}
	if (!row.by_root ||
	    (!(row.has_ident && row.has_count && row.count) && !row.lost && !row.left_out)) {
		reading->refused++;
		return 0;
	}
	return is_repeated(reading, journal, &row) ? 0 : reading->fn(&row, reading->ctx);
}

/* Closes the journal. */
static int read_entries(struct reading *reading, struct sd_journal *journal)
{
	static const char *const matches[] = {"MESSAGE_ID=" JOURNAL_ID_PATH,
					      "MESSAGE_ID=" JOURNAL_ID_COUNT};
	const struct library *sd = &reading->sd;
	int err = 0;

	/* It cuts a longer field that it has compressed. */
	if (reading->captures)
		sd->data_threshold(journal, CAPTURE_FIELD_CHARS + CAPTURE_BYTES_MAX + 1);
	/* One or the other: they are of one field. */
	for (size_t i = 0; i < ARRAY_SIZE(matches) && err >= 0; i++)
		err = sd->add_match(journal, matches[i], strlen(matches[i]));
	while (err >= 0) {
		err = sd->next(journal);
		if (err <= 0)
			break;
		err = read_entry(reading, journal);
		if (err)
			break;
	}
	sd->close(journal);
	return err;
}

/** struct group - files that are read together; @paths: of @fds, borrowed */
struct group {
	int *fds;
	const char **paths;
	size_t count;
};

static void group_close(struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		close(group->fds[i]);
	free(group->fds);
	free(group->paths);
}

static int group_open(struct reading *reading, struct journal_files *files, size_t first,
		      size_t count, struct group *group)
{
	group->fds = calloc(count, sizeof(*group->fds));
	group->paths = calloc(count, sizeof(*group->paths));
	if (!group->fds || !group->paths)
		return -ENOMEM;
	for (struct journal_file *file = files->items + first; count--; file++) {
		int fd = journal_files_open(reading->dir, file);

		if (fd >= 0) {
			group->fds[group->count] = fd;
			group->paths[group->count++] = file->path;
		} else if (fd != -ENOENT) { /* what was removed meanwhile is gone */
			journal_files_unreadable(files, file->path, fd);
		}
	}
	return 0;
}

/* libsystemd does not say which one it refuses. */
static void group_drop_bad(const struct library *sd, struct journal_files *files,
			   struct group *group)
{
	size_t count = group->count;

	group->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct sd_journal *journal;
		int err = sd->open_files(&journal, &group->fds[i], 1, 0);

		if (err < 0) {
			journal_files_unreadable(files, group->paths[i], err);
			close(group->fds[i]);
			continue;
		}
		sd->close(journal);
		group->fds[group->count] = group->fds[i];
		group->paths[group->count++] = group->paths[i];
	}
}

static int group_read(struct reading *reading, struct journal_files *files, struct group *group)
{
	const struct library *sd = &reading->sd;
	struct sd_journal *journal = NULL;
	int err;

	if (!group->count)
		return 0;
	err = sd->open_files(&journal, group->fds, (unsigned int)group->count, 0);
	if (err < 0) {
		group_drop_bad(sd, files, group);
		if (!group->count)
			return 0;
		err = sd->open_files(&journal, group->fds, (unsigned int)group->count, 0);
	}
	return err < 0 ? err : read_entries(reading, journal);
}

static int read_directory(struct reading *reading, struct journal_files *files)
{
	size_t first = 0, count;
	int err = 0;

	while (!err && (count = journal_files_group(files, first))) {
		struct group group = {};

		err = group_open(reading, files, first, count, &group);
		err = err ?: group_read(reading, files, &group);
		group_close(&group);
		first += count;
	}
	return err;
}

int journal_read(const char *dir, bool captures, journal_row_fn *fn, void *ctx,
		 struct journal_totals *ret_totals, struct errmsg *msg)
{
	struct reading reading = {.dir = dir, .fn = fn, .ctx = ctx};
	struct journal_files files = {};
	int err;

	if (!load(&reading.sd))
		return errmsg_set(msg, -EOPNOTSUPP, "--journal: %s",
				  library_possible() ? JOURNAL_NO_LIBRARY : JOURNAL_STATIC);
	err = journal_files_list(dir, &files);
	if (err)
		return errmsg_set(msg, err,
				  "--journal: %s: %s; expected a directory of *.journal files",
				  dir ?: "/var/log/journal", strerror(-err));
	if (captures) {
		reading.captures = malloc(CAPTURE_BYTES_MAX);
		err = reading.captures ? 0 : -ENOMEM;
	}
	err = err ?: read_directory(&reading, &files);
	free(reading.captures);
	if (!err) {
		*ret_totals = (struct journal_totals){.refused = reading.refused,
						      .unreadable = files.unreadable,
						      .unreadable_err = files.example_err};
		snprintf(ret_totals->unreadable_path, sizeof(ret_totals->unreadable_path), "%s",
			 files.example ?: "");
	}
	journal_files_deinit(&files);
	return err < 0 ? errmsg_set(msg, err, "--journal: %s: %s", dir ?: "/var/log/journal",
				    err == -EINTR ? JOURNAL_STOPPED : strerror(-err))
		       : err;
}
