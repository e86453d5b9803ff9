// SPDX-License-Identifier: GPL-2.0
#include "util/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"

#define FIRST_NS  1000000000
#define UPDATE_NS 250000000

/** struct progress - @what, @over: under @lock */
struct progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool over;
	char what[256];
	const char *unit;
	uint64_t began_ns;
	_Atomic uint64_t done;
	_Atomic uint64_t total;
	_Atomic uint64_t count;
};

static void draw(struct progress *progress)
{
	uint64_t done = progress->done, total = progress->total, count = progress->count;
	char part[32] = "", counted[64] = "", text[400];
	uint64_t seconds = (clock_ns(CLOCK_MONOTONIC) - progress->began_ns) / 1000000000;

	/* What grows meanwhile is not more than all. */
	if (total)
		snprintf(part, sizeof(part), "%3u %%, ",
			 done < total ? (unsigned int)((double)done * 100 / (double)total) : 100);
	if (count)
		snprintf(counted, sizeof(counted), "%" PRIu64 " %s, ", count, progress->unit);
	snprintf(text, sizeof(text), "%s: %s%s%" PRIu64 " s", progress->what, part, counted,
		 seconds);
	log_line_show(text);
}

static void *run(void *ctx)
{
	struct progress *progress = ctx;
	uint64_t next_ns = progress->began_ns + FIRST_NS;

	pthread_mutex_lock(&progress->lock);
	while (!progress->over) {
		struct timespec next = {.tv_sec = (time_t)(next_ns / 1000000000),
					.tv_nsec = (long)(next_ns % 1000000000)};

		pthread_cond_timedwait(&progress->changed, &progress->lock, &next);
		if (progress->over || clock_ns(CLOCK_MONOTONIC) < next_ns)
			continue;
		draw(progress);
		next_ns = clock_ns(CLOCK_MONOTONIC) + UPDATE_NS;
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

static bool is_wanted(void)
{
	const char *term = getenv("TERM");

	return log_get_level() >= LOG_NORMAL && isatty(STDERR_FILENO) && term &&
	       strcmp(term, "dumb") != 0;
}

struct progress *progress_begin(const char *what, const char *unit)
{
	struct progress *progress = is_wanted() ? calloc(1, sizeof(*progress)) : NULL;
	pthread_condattr_t by_clock;
	sigset_t all, before;
	int err;

	if (!progress)
		return NULL;
	snprintf(progress->what, sizeof(progress->what), "%s", what);
	progress->unit = unit;
	progress->began_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&by_clock);
	pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->changed, &by_clock);
	pthread_condattr_destroy(&by_clock);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&progress->thread, NULL, run, progress);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		pthread_cond_destroy(&progress->changed);
		pthread_mutex_destroy(&progress->lock);
		free(progress);
		return NULL;
	}
	return progress;
}

void progress_say(struct progress *progress, const char *what)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	snprintf(progress->what, sizeof(progress->what), "%s", what);
	pthread_mutex_unlock(&progress->lock);
}

void progress_set(struct progress *progress, uint64_t done, uint64_t total)
{
	if (!progress)
		return;
	progress->done = done;
	progress->total = total;
}

void progress_count(struct progress *progress, uint64_t count)
{
	if (progress)
		atomic_store_explicit(&progress->count, count, memory_order_relaxed);
}

void progress_end(struct progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->over = true;
	pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	log_line_erase();
	pthread_cond_destroy(&progress->changed);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}
