// SPDX-License-Identifier: GPL-2.0
#include "vmcore/scan.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define THREADS_MAX 16
#define PART_PAGES  4096 /* that a thread takes at once: 16 MiB */
#define FAILED_MAX  512

/* What the threads share; under @lock. */
struct search {
	pthread_mutex_t lock;
	struct dump_scan *scan;
	struct dump *map; /* where the map of pages is looked up; no thread reads pages from it */
	uint64_t at;	  /* the next frame that nobody has taken yet */
	uint64_t end;	  /* of the stretch that it is in */
	int err;
};

struct searcher {
	struct search *search;
	struct dump *dump; /* a thread's own: libkdumpfile is not asked to share one */
	uint64_t failed;
	pthread_t thread;
};

/* A thread's share: frames, and what came of them. */
struct part {
	uint64_t at;
	uint64_t end;
	uint64_t pages;
	uint64_t missing;
};

/*
 * A damaged table may tell of more pages than there are atoms: where nothing can be read, ever
 * longer strides are taken.
 */
static void stride(struct search *search, uint64_t failed)
{
	uint64_t skip = failed < FAILED_MAX ? 0 : failed - FAILED_MAX;
	uint64_t left = search->end - search->at;

	skip = skip < left ? skip : left;
	search->scan->skipped += skip;
	search->at += skip;
}

/* Hand in @part, and take the next one into it. */
static bool next_part(struct searcher *me, struct part *part)
{
	struct search *search = me->search;
	struct dump_scan *scan = search->scan;
	bool more;

	pthread_mutex_lock(&search->lock);
	scan->pages += part->pages;
	scan->missing += part->missing;
	stride(search, me->failed);
	*part = (struct part){0};
	if (search->at >= search->end)
		more = dump_next_frames(search->map, &search->at, &search->end) > 0;
	else
		more = true;
	more = more && !search->err && scan->pages < dump_frames_max(search->map);
	if (more) {
		part->at = search->at;
		part->end = search->end;
		/* Nothing can be read here: look at one page, then stride on. */
		if (me->failed >= FAILED_MAX)
			part->end = part->at + 1;
		else if (part->end - part->at > PART_PAGES)
			part->end = part->at + PART_PAGES;
		search->at = part->end;
	}
	pthread_mutex_unlock(&search->lock);
	return more;
}

static void tell_page(struct search *search, const void *page)
{
	pthread_mutex_lock(&search->lock);
	if (!search->err)
		search->err = search->scan->page(page, search->scan->ctx);
	pthread_mutex_unlock(&search->lock);
}

/* Return: 0, or what dump_read_frame() says. */
static int scan_page(const struct searcher *me, uint64_t frame)
{
	uint64_t page[DUMP_PAGE_BYTES / 8];
	int err = dump_read_frame(me->dump, frame, page, 16);

	if (err || !me->search->scan->wanted(page))
		return err;
	err = dump_read_frame(me->dump, frame, page, sizeof(page));
	if (!err)
		tell_page(me->search, page);
	return err;
}

static void scan_part(struct searcher *me, struct part *part)
{
	for (uint64_t frame = part->at; frame < part->end; frame++) {
		int err = scan_page(me, frame);

		part->pages++;
		part->missing += !!err;
		/* That says nothing of those behind it. */
		if (err == -ENXIO)
			continue;
		me->failed = !err		       ? 0
			     : me->failed < FAILED_MAX ? me->failed + 1
			     : me->failed < 1ULL << 40 ? 2 * me->failed
						       : me->failed;
	}
}

static void *search_on(void *arg)
{
	struct searcher *me = arg;
	struct part part = {0};

	while (next_part(me, &part))
		scan_part(me, &part);
	return NULL;
}

static int tell_progress(struct search *search, uint64_t of)
{
	struct dump_scan *scan = search->scan;
	uint64_t done;
	int err;

	if (!scan->progress)
		return 0;
	pthread_mutex_lock(&search->lock);
	done = scan->pages + scan->skipped;
	pthread_mutex_unlock(&search->lock);
	err = scan->progress(done < of ? done : of, of, scan->ctx);
	pthread_mutex_lock(&search->lock);
	search->err = search->err ?: err;
	pthread_mutex_unlock(&search->lock);
	return err;
}

/* Those that cannot be had are done without. Signals are the first thread's. */
static int start_threads(struct search *search, const struct dump *dump, struct searcher *all)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct errmsg msg;
	sigset_t every, before;
	int count = 0;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	while (count < THREADS_MAX - 1 && count < processors - 1) {
		struct searcher *one = &all[count];

		one->search = search;
		if (dump_open_again(dump, &one->dump, &msg))
			break;
		if (pthread_create(&one->thread, NULL, search_on, one)) {
			dump_close(one->dump);
			break;
		}
		count++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return count;
}

static int count_frames(struct dump *dump, uint64_t *ret_count)
{
	uint64_t at = 0, end, count = 0;
	int more = 1;

	while (count < dump_frames_max(dump) && (more = dump_next_frames(dump, &at, &end)) > 0) {
		count += end - at;
		at = end;
	}
	*ret_count = count;
	return more < 0 ? more : 0;
}

int dump_scan(struct dump *dump, struct dump_scan *scan)
{
	struct search search = {.lock = PTHREAD_MUTEX_INITIALIZER, .scan = scan, .map = dump};
	struct searcher me = {.search = &search, .dump = dump}, others[THREADS_MAX - 1] = {0};
	struct dump *map = NULL;
	struct part part = {0};
	struct errmsg msg;
	int count = 0, err;
	uint64_t of;

	scan->pages = scan->missing = scan->skipped = 0;
	err = count_frames(dump, &of);
	if (err)
		return err;
	if (of > PART_PAGES && !dump_open_again(dump, &map, &msg)) {
		search.map = map;
		count = start_threads(&search, dump, others);
	}
	while (next_part(&me, &part) && !tell_progress(&search, of))
		scan_part(&me, &part);
	for (int i = 0; i < count; i++) {
		pthread_join(others[i].thread, NULL);
		dump_close(others[i].dump);
	}
	dump_close(map);
	return search.err ?: tell_progress(&search, of);
}
