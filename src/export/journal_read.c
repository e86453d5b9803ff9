// SPDX-License-Identifier: GPL-2.0
#include "export/journal_read.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/journal.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/library.h"

/* A longer field is none of ours. */
#define FIELD_BYTES_MAX 4096

struct sd_journal;

/** struct library - of sd-journal(3) */
struct library {
	int (*open)(struct sd_journal **journal, int flags);
	int (*open_directory)(struct sd_journal **journal, const char *path, int flags);
	void (*close)(struct sd_journal *journal);
	int (*add_match)(struct sd_journal *journal, const void *data, size_t len);
	int (*next)(struct sd_journal *journal);
	int (*realtime)(struct sd_journal *journal, uint64_t *usec);
	void (*restart_data)(struct sd_journal *journal);
	int (*enumerate_data)(struct sd_journal *journal, const void **data, size_t *len);
};

static bool load(struct library *sd)
{
	static const char *const names[] = {
		"sd_journal_open",	   "sd_journal_open_directory",
		"sd_journal_close",	   "sd_journal_add_match",
		"sd_journal_next",	   "sd_journal_get_realtime_usec",
		"sd_journal_restart_data", "sd_journal_enumerate_data",
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
	char *end;

	if (!strchr("0123456789abcdef", *text) || !*text)
		return false;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return !*end && !errno;
}

static void text(char *buf, size_t size, const char *value)
{
	snprintf(buf, size, "%s", value);
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
		row->has_ident = strlen(value) == 16 && number(value, 16, &row->ident);
	else if (!strcmp(name, "LBRSNOOP_COUNT"))
		row->has_count = number(value, 10, &row->count);
	else if (!strcmp(name, "LBRSNOOP_LOST"))
		number(value, 10, &row->lost);
	else if (!strcmp(name, "LBRSNOOP_LEFT_OUT"))
		number(value, 10, &row->left_out);
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

static int read_entry(const struct library *sd, struct sd_journal *journal, journal_row_fn *fn,
		      void *ctx, uint64_t *refused)
{
	struct journal_row row = {.ts_ns = 0};
	const void *data;
	uint64_t usec = 0;
	size_t len;

	if (!sd->realtime(journal, &usec))
		row.ts_ns = usec * 1000;
	sd->restart_data(journal);
	while (sd->enumerate_data(journal, &data, &len) > 0)
		journal_row_field(&row, data, len);
	if (!row.by_root ||
	    (!(row.has_ident && row.has_count && row.count) && !row.lost && !row.left_out)) {
		++*refused;
		return 0;
	}
	return fn(&row, ctx);
}

int journal_read(const char *dir, journal_row_fn *fn, void *ctx, uint64_t *ret_refused,
		 struct errmsg *msg)
{
	static const char *const matches[] = {"MESSAGE_ID=" JOURNAL_ID_PATH,
					      "MESSAGE_ID=" JOURNAL_ID_COUNT};
	struct sd_journal *journal = NULL;
	uint64_t refused = 0;
	struct library sd;
	int err;

	if (!load(&sd))
		return errmsg_set(msg, -EOPNOTSUPP, "--journal: %s",
				  library_possible() ? JOURNAL_NO_LIBRARY : JOURNAL_STATIC);
	err = dir ? sd.open_directory(&journal, dir, 0) : sd.open(&journal, 0);
	if (err < 0)
		return errmsg_set(msg, err,
				  "--journal: %s: %s; expected a directory of *.journal files",
				  dir ?: "/var/log/journal", strerror(-err));
	/* One or the other: they are of one field. */
	for (size_t i = 0; i < ARRAY_SIZE(matches) && err >= 0; i++)
		err = sd.add_match(journal, matches[i], strlen(matches[i]));
	while (err >= 0) {
		err = sd.next(journal);
		if (err <= 0)
			break;
		err = read_entry(&sd, journal, fn, ctx, &refused);
		if (err)
			break;
	}
	sd.close(journal);
	if (err < 0 && !msg->text[0])
		return errmsg_set(msg, err, "--journal: %s: %s", dir ?: "/var/log/journal",
				  strerror(-err));
	*ret_refused = refused;
	return err;
}
