// SPDX-License-Identifier: GPL-2.0
#include "export/journal_captures.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capfile/format.h"
#include "capfile/reader.h"
#include "capfile/recorder.h"
#include "export/capture_field.h"
#include "util/cleanup.h"
#include "util/file/new_file.h"
#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/**
 * struct spooled - one capture, @len bytes at @at of the spool
 * @start: which start of which kernel it is of
 */
struct spooled {
	char host[JOURNAL_HOST_BYTES];
	uint64_t ident;
	uint64_t start;
	uint64_t ts_ns;
	uint64_t at;
	size_t len;
};

/**
 * struct journal_spool
 * @known: of struct spooled
 * @size: bytes of the file
 * @without, @damaged, @damaged_ident, @damaged_host: as of struct journal_captures
 * @stop: see journal_spool_create()
 * @bytes: of the capture at hand, @room of them
 */
struct journal_spool {
	int fd;
	struct hash_table known;
	uint64_t size;
	uint64_t without;
	uint64_t damaged;
	uint64_t damaged_ident;
	char damaged_host[JOURNAL_HOST_BYTES];
	const volatile sig_atomic_t *stop;
	uint8_t *bytes;
	size_t room;
};

static const char *spool_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

/* Not every file system makes one without a name: overlayfs before Linux 6.3 does not. */
static int open_unnamed(void)
{
	_cleanup_free_ char *name = NULL;
	int fd = open(spool_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || errno != EOPNOTSUPP)
		return fd < 0 ? -errno : fd;
	if (asprintf(&name, "%s/lbrsnoop.XXXXXX", spool_dir()) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

static int spool_error(int err, struct errmsg *msg)
{
	if (err == -EMFILE || err == -ENFILE)
		return errmsg_set(
			msg, err,
			"captures of the journal: %s; one is needed for each start of each host: "
			"raise the limit (ulimit -n), or choose fewer hosts with --host",
			strerror(-err));
	return errmsg_set(
		msg, err == -EACCES || err == -EPERM ? -EINVAL : err,
		"captures of the journal are kept in a file without a name in %s: %s; let "
		"TMPDIR name a directory with room, or --host and --path-id choose fewer",
		spool_dir(), strerror(-err));
}

int journal_spool_create(const volatile sig_atomic_t *stop, struct journal_spool **ret_spool,
			 struct errmsg *msg)
{
	struct journal_spool *spool = calloc(1, sizeof(*spool));
	int fd;

	if (!spool)
		return -ENOMEM;
	fd = open_unnamed();
	if (fd < 0) {
		free(spool);
		return spool_error(fd, msg);
	}
	spool->fd = fd;
	spool->stop = stop;
	*ret_spool = spool;
	return 0;
}

/* All that META says but when the recording began: each capture is a recording. */
static uint64_t start_of(const struct capfile_meta *meta)
{
	const char *p = meta->text, *end = p + meta->len;
	uint64_t hash = FNV_START;

	while (p < end) {
		const char *value = p + strlen(p) + 1, *next = value + strlen(value) + 1;

		if (strcmp(p, CAPFILE_META_START) != 0 && strcmp(p, CAPFILE_META_CPUS) != 0)
			hash = fnv(hash, p, (size_t)(next - p));
		p = next;
	}
	return hash;
}

static uint32_t hash_of(const struct spooled *item)
{
	uint64_t hash = fnv(FNV_START, item->host, strlen(item->host));

	return hash_number(fnv(hash, &item->ident, sizeof(item->ident)) ^ item->start);
}

static bool is_same(const void *element, const void *key)
{
	const struct spooled *a = element, *b = key;

	return a->ident == b->ident && a->start == b->start && !strcmp(a->host, b->host);
}

/* 1: @ret is its only snapshot; 0: there is none to be read. */
static int first_snapshot(struct capfile *file, struct snapshot *ret)
{
	uint64_t lost;
	int got = capfile_next(file, ret, &lost);

	return got == -ENOMEM ? got : got == 1;
}

/*
 * Is it one that can be read, of a path that is not known yet of this start? A path that is known
 * is not read: it comes again each hour. Return: 1; 0; -EBADMSG: nothing in it can be read;
 * -ENOMEM.
 */
static int is_new(const struct journal_spool *spool, const struct journal_row *row,
		  struct spooled *item)
{
	struct capfile *file;
	struct snapshot snap;
	int err = capfile_open_bytes(row->capture, row->capture_len, CAPTURE_UNPACKED_MAX, &file,
				     NULL);

	if (err)
		return err == -ENOMEM ? err : -EBADMSG;
	item->start = start_of(capfile_meta(file));
	if (!hash_table_find(&spool->known, sizeof(*item), hash_of(item), is_same, item))
		err = first_snapshot(file, &snap) ?: -EBADMSG;
	capfile_close(file);
	return err;
}

static void count_damaged(struct journal_spool *spool, const char *host, uint64_t ident)
{
	if (spool->damaged++)
		return;
	spool->damaged_ident = ident;
	snprintf(spool->damaged_host, sizeof(spool->damaged_host), "%s", host);
}

int journal_spool_add(struct journal_spool *spool, const struct journal_row *row)
{
	struct spooled item = {.ident = row->ident,
			       .ts_ns = row->ts_ns,
			       .at = spool->size,
			       .len = row->capture_len};
	int got, err;

	spool->without += row->without_capture;
	if (row->capture_too_large && row->has_ident)
		count_damaged(spool, row->host, row->ident);
	if (!row->capture || !row->has_ident || row->capture_too_large)
		return 0;
	snprintf(item.host, sizeof(item.host), "%s", row->host);
	got = is_new(spool, row, &item);
	if (got == -EBADMSG)
		count_damaged(spool, row->host, row->ident);
	if (got <= 0)
		return got == -EBADMSG ? 0 : got;
	err = write_all(spool->fd, row->capture, row->capture_len);
	if (err)
		return err;
	spool->size += item.len;
	return hash_table_add(&spool->known, sizeof(item), hash_of(&item), &item) ? 0 : -ENOMEM;
}

static int compare(const void *left, const void *right)
{
	const struct spooled *a = left, *b = right;
	int order = strcmp(a->host, b->host);

	if (order)
		return order;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	return a->ident < b->ident ? -1 : a->ident > b->ident;
}

static int open_spooled(struct journal_spool *spool, const struct spooled *item,
			struct capfile **ret)
{
	if (item->len > spool->room) {
		uint8_t *bigger = realloc(spool->bytes, item->len);

		if (!bigger)
			return -ENOMEM;
		spool->bytes = bigger;
		spool->room = item->len;
	}
	if (pread(spool->fd, spool->bytes, item->len, (off_t)item->at) != (ssize_t)item->len)
		return -EIO;
	return capfile_open_bytes(spool->bytes, item->len, CAPTURE_UNPACKED_MAX, ret, NULL);
}

/* Its snapshot into @recorder, which is opened with the first one. */
static int copy(struct journal_spool *spool, const struct spooled *item, int fd,
		struct recorder **recorder)
{
	struct recorder_options opts = {.fd = fd};
	struct capfile *file;
	struct snapshot snap;
	int err = open_spooled(spool, item, &file);

	if (err)
		return err;
	err = first_snapshot(file, &snap);
	err = err < 0 ? err : err ? 0 : -EBADMSG;
	if (!err && !*recorder) {
		opts.from = file;
		opts.symbols = capfile_symbols(file);
		opts.text = textstore_source(capfile_text(file));
		err = recorder_open(&opts, recorder, NULL);
	}
	if (!err) {
		recorder_read_from(*recorder, file);
		err = recorder_add(*recorder, &snap, 0);
	}
	capfile_close(file);
	return err;
}

static bool is_of_start(const struct spooled *a, const struct spooled *b)
{
	return a->start == b->start && !strcmp(a->host, b->host);
}

/* What no file takes, as no more than so many triggers, does not hide the others. */
static bool is_of_capture(int err)
{
	return err == -EBADMSG || err == -E2BIG || err == -EINVAL;
}

/* @items: @count captures of one start. Return: those that are in the file; negative errno. */
static int make_file(struct journal_spool *spool, const struct spooled *items, size_t count, int fd)
{
	struct recorder *recorder = NULL;
	int err = 0, close_err, made = 0;

	for (size_t i = 0; i < count && !err; i++) {
		err = spool->stop && *spool->stop ? -EINTR : copy(spool, &items[i], fd, &recorder);
		made += !err;
		if (is_of_capture(err)) {
			count_damaged(spool, items[i].host, items[i].ident);
			err = 0;
		}
	}
	close_err = recorder_close(recorder, 0);
	err = err ?: close_err;
	return err ?: made;
}

static int add_file(struct journal_captures *captures, const struct spooled *item, int fd)
{
	struct journal_capture_file file = {.fd = fd};
	unsigned int nr = 1;

	for (size_t i = captures->count; i && !strcmp(captures->items[i - 1].host, item->host); i--)
		nr++;
	if (vector_grow(&captures->items, captures->count, sizeof(*captures->items)))
		return -ENOMEM;
	file.host = strdup(item->host);
	if (!file.host || (nr > 1 ? asprintf(&file.name, "%s (journal, start %u)", item->host, nr)
				  : asprintf(&file.name, "%s (journal)", item->host)) < 0) {
		free(file.host);
		return -ENOMEM;
	}
	captures->items[captures->count++] = file;
	return 0;
}

int journal_spool_finish(struct journal_spool *spool, struct journal_captures *ret)
{
	struct journal_captures captures = {.without = spool->without};
	struct spooled *items = spool->known.items;
	size_t all = spool->known.count, count;
	int err = 0;

	if (all)
		qsort(items, all, sizeof(*items), compare);
	for (size_t i = 0; i < all && !err; i += count) {
		int fd = open_unnamed(), made;

		for (count = 1; i + count < all && is_of_start(&items[i], &items[i + count]);)
			count++;
		made = fd < 0 ? fd : make_file(spool, &items[i], count, fd);
		if (made > 0)
			err = add_file(&captures, &items[i], fd);
		else
			err = made;
		if (fd >= 0 && (err || !made))
			close(fd);
		else
			captures.paths += (uint64_t)made;
	}
	captures.damaged = spool->damaged;
	captures.damaged_ident = spool->damaged_ident;
	memcpy(captures.damaged_host, spool->damaged_host, sizeof(captures.damaged_host));
	if (err)
		journal_captures_deinit(&captures);
	else
		*ret = captures;
	return err;
}

void journal_spool_destroy(struct journal_spool *spool)
{
	if (!spool)
		return;
	close(spool->fd);
	hash_table_deinit(&spool->known);
	free(spool->bytes);
	free(spool);
}

void journal_captures_deinit(struct journal_captures *captures)
{
	for (size_t i = 0; i < captures->count; i++) {
		free(captures->items[i].host);
		free(captures->items[i].name);
		close(captures->items[i].fd);
	}
	free(captures->items);
	*captures = (struct journal_captures){};
}

/** struct taking - of journal_captures_read(); @err: of the spool */
struct taking {
	struct journal_spool *spool;
	int err;
	const struct journal_wanted *wanted;
};

static int take(const struct journal_row *row, void *ctx)
{
	struct taking *taking = ctx;

	if (taking->wanted->stop && *taking->wanted->stop)
		return -EINTR;
	if (journal_is_wanted(taking->wanted, row))
		taking->err = journal_spool_add(taking->spool, row);
	return taking->err;
}

int journal_captures_read(const char *dir, const struct journal_wanted *wanted,
			  struct journal_captures *ret, struct journal_totals *ret_totals,
			  struct errmsg *msg)
{
	struct taking taking = {.wanted = wanted};
	int err = journal_spool_create(wanted->stop, &taking.spool, msg);

	if (err)
		return err;
	err = journal_read(dir, true, take, &taking, ret_totals, msg);
	if (!err)
		err = taking.err = journal_spool_finish(taking.spool, ret);
	journal_spool_destroy(taking.spool);
	if (taking.err == -EINTR)
		return errmsg_set(msg, err, "--journal: " JOURNAL_STOPPED);
	return taking.err ? spool_error(taking.err, msg) : err;
}
