// SPDX-License-Identifier: GPL-2.0
#include "export/told.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count/path_counts.h"
#include "util/cleanup.h"
#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/file/new_file.h"
#include "util/file/trusted_file.h"

/* 16 digits, a sender, 20 digits, and what is between them. */
#define LINE_BYTES (16 + TOLD_SENDER_BYTES + 20 + 4)
/* Of all paths and two senders, twice: our own file never is longer. */
#define FILE_BYTES_MAX (5ull * PATH_COUNTS_MAX * LINE_BYTES)
/* Fewer lines are not worth the work. */
#define LINES_LEAST 4096

/** struct sent - one path and sender */
struct sent {
	uint64_t ident;
	uint64_t ns;
	char sender[TOLD_SENDER_BYTES];
};

/**
 * struct told
 * @fd: of the file, to append to; -1: there is none
 * @lines: in the file
 * @err: it lacks something, because of this
 */
struct told {
	char *path;
	struct hash_table sent;
	int fd;
	size_t lines;
	int err;
};

static uint32_t hash_of(const struct sent *sent)
{
	return (uint32_t)fnv(hash_number(sent->ident), sent->sender, strlen(sent->sender));
}

static bool is_same(const void *element, const void *key)
{
	const struct sent *a = element, *b = key;

	return a->ident == b->ident && !strcmp(a->sender, b->sender);
}

static struct sent key_of(uint64_t ident, const char *sender)
{
	struct sent key = {.ident = ident};

	snprintf(key.sender, sizeof(key.sender), "%s", sender);
	return key;
}

static struct sent *find(const struct told *told, const struct sent *key)
{
	return hash_table_find(&told->sent, sizeof(*key), hash_of(key), is_same, key);
}

static int set(struct told *told, const struct sent *sent)
{
	struct sent *known = find(told, sent);

	if (known) {
		known->ns = sent->ns;
		return 0;
	}
	/* A path beyond that is none that findings know. */
	if (told->sent.count >= 2 * PATH_COUNTS_MAX)
		return 0;
	return hash_table_add(&told->sent, sizeof(*sent), hash_of(sent), sent) ? 0 : -ENOMEM;
}

/* Snapshots of several CPUs come out of order: one may have been sent later than now. */
static bool is_old(const struct sent *sent, uint64_t now_ns)
{
	return now_ns > sent->ns && now_ns - sent->ns >= TOLD_NS;
}

/* True if the line is one of ours. */
static bool parse(const char *line, struct sent *ret)
{
	struct sent sent = {};
	int end = 0;

	if (strspn(line, "0123456789abcdef") != 16 || line[16] != ' ' ||
	    sscanf(line, "%16" SCNx64 " %31[a-z0-9-] %20" SCNu64 "%n", &sent.ident, sent.sender,
		   &sent.ns, &end) != 3 ||
	    line[end] || !sent.ns)
		return false;
	*ret = sent;
	return true;
}

/* The last line may have no end: we were killed. */
static int take_lines(struct told *told, char *text, uint64_t now_ns)
{
	char *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		struct sent sent;
		int err = 0;

		*end = '\0';
		if (!parse(line, &sent))
			return -EBADMSG;
		/* Of a later time: the clock was set back. */
		if (sent.ns <= now_ns && !is_old(&sent, now_ns))
			err = set(told, &sent);
		if (err)
			return err;
	}
	return 0;
}

static int read_text(int fd, char **ret_text)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text;

	if (size < 0)
		return -errno;
	if ((uint64_t)size > FILE_BYTES_MAX)
		return -EFBIG;
	text = malloc((size_t)size + 1);
	if (!text)
		return -ENOMEM;
	if (pread(fd, text, (size_t)size, 0) != size || memchr(text, '\0', (size_t)size)) {
		free(text);
		return -EBADMSG;
	}
	text[size] = '\0';
	*ret_text = text;
	return 0;
}

static int read_file(struct told *told, uint64_t now_ns, struct errmsg *msg)
{
	_cleanup_close_ int fd =
		open(told->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	int err = fd < 0 ? -errno : 0;

	if (err == -ENOENT)
		return 0;
	if (!err && !file_is_trusted(fd))
		err = -EPERM;
	err = err ?: read_text(fd, &text);
	err = err ?: take_lines(told, text, now_ns);
	if (!err || err == -ENOMEM)
		return err;
	hash_table_clear(&told->sent);
	errmsg_set(msg, 0, "%s: %s; it is ignored and begun anew: each path is told in full again",
		   told->path,
		   err == -EBADMSG ? "it is damaged"
		   : err == -EPERM ? "others may write to it"
				   : strerror(-err));
	return 0;
}

static int format_line(char *line, const struct sent *sent)
{
	return snprintf(line, LINE_BYTES, "%016" PRIx64 " %s %" PRIu64 "\n", sent->ident,
			sent->sender, sent->ns);
}

static int write_sent(struct told *told, int fd, uint64_t now_ns)
{
	const struct sent *sent = told->sent.items;
	_cleanup_free_ char *text = malloc(told->sent.count * LINE_BYTES + 1);
	size_t len = 0;

	if (!text)
		return -ENOMEM;
	told->lines = 0;
	for (size_t i = 0; i < told->sent.count; i++) {
		if (is_old(&sent[i], now_ns))
			continue;
		len += (size_t)format_line(text + len, &sent[i]);
		told->lines++;
	}
	return write_all(fd, text, len);
}

/* The old ones go out of memory, too. */
static int forget_old(struct told *told, uint64_t now_ns)
{
	struct hash_table all = told->sent;
	const struct sent *sent = all.items;
	int err = 0;

	told->sent = (struct hash_table){};
	for (size_t i = 0; i < all.count && !err; i++)
		if (!is_old(&sent[i], now_ns))
			err = set(told, &sent[i]);
	hash_table_deinit(&all);
	return err;
}

/* A link is not followed, and a pipe is not written to, as new_file_open() would. */
static bool is_regular_or_none(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* In place of the one before, as a whole. */
static int replace(struct told *told, uint64_t now_ns)
{
	struct new_file file;
	int err = forget_old(told, now_ns);

	if (!err && !is_regular_or_none(told->path))
		err = -EEXIST;
	err = err ?: new_file_open(told->path, &file);
	if (err)
		return err;
	err = write_sent(told, file.fd, now_ns);
	err = err ?: new_file_rename(&file);
	if (err) {
		close(file.fd);
	} else {
		if (told->fd >= 0)
			close(told->fd);
		told->fd = file.fd;
	}
	new_file_deinit(&file);
	return err;
}

/* Whoever may write to a directory decides which file has the name. */
static bool is_ours(const char *dir, struct errmsg *msg)
{
	struct stat st;
	int err = stat(dir, &st) ? -errno : 0;

	if (!err && S_ISDIR(st.st_mode) && !(st.st_mode & 022) &&
	    (!st.st_uid || st.st_uid == geteuid()))
		return true;
	errmsg_set(msg, 0, "%s: %s; after a restart, paths are told in full again", dir,
		   err ? strerror(-err)
		       : "not a directory of root or yourself that nobody else may write to");
	return false;
}

int told_open(const char *dir, uint64_t now_ns, struct told **ret_told, struct errmsg *msg)
{
	struct told *told;
	int err;

	if (!is_ours(dir, msg)) {
		*ret_told = NULL;
		return 0;
	}
	told = calloc(1, sizeof(*told));
	if (!told || asprintf(&told->path, "%s/" TOLD_FILE, dir) < 0) {
		free(told);
		return -ENOMEM;
	}
	told->fd = -1;
	if (!is_regular_or_none(told->path)) {
		errmsg_set(msg, 0,
			   "%s: no regular file; remove it: until then, paths are told in full "
			   "again after a restart",
			   told->path);
		told_close(told);
		*ret_told = NULL;
		return 0;
	}
	err = read_file(told, now_ns, msg);
	if (!err)
		told->err = replace(told, now_ns);
	if (err || told->err == -ENOMEM) {
		told_close(told);
		return -ENOMEM;
	}
	*ret_told = told;
	return 0;
}

uint64_t told_when(const struct told *told, uint64_t ident, const char *sender)
{
	const struct sent key = key_of(ident, sender);
	const struct sent *sent = find(told, &key);

	return sent ? sent->ns : 0;
}

void told_note(struct told *told, uint64_t ident, const char *sender, uint64_t now_ns)
{
	struct sent sent = key_of(ident, sender);
	char line[LINE_BYTES];
	int len;

	sent.ns = now_ns;
	if (set(told, &sent))
		told->err = -ENOMEM;
	if (told->err)
		return;
	if (told->lines > LINES_LEAST + 2 * told->sent.count) {
		told->err = replace(told, now_ns);
		return;
	}
	len = format_line(line, &sent);
	told->err = write_all(told->fd, line, (size_t)len);
	told->lines++;
}

int told_error(struct told *told, uint64_t now_ns, struct errmsg *msg)
{
	if (told->err)
		told->err = replace(told, now_ns);
	return told->err ? errmsg_set(msg, told->err,
				      "%s: %s; after a restart, paths are told in full again",
				      told->path, strerror(-told->err))
			 : 0;
}

void told_close(struct told *told)
{
	if (!told)
		return;
	if (told->fd >= 0)
		close(told->fd);
	hash_table_deinit(&told->sent);
	free(told->path);
	free(told);
}
