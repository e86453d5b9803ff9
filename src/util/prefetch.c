// SPDX-License-Identifier: GPL-2.0
#include "util/prefetch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES (256u << 10)

struct chunk {
	struct chunk *next;
	size_t len;
	size_t taken;
	uint8_t bytes[CHUNK_BYTES];
};

/**
 * struct prefetch
 * @changed: any of what follows has
 * @first, @last: chunks that nobody has taken yet
 * @kept: bytes in them
 * @ended: there will be no more; @err says why, 0: the file has ended
 * @stop: nobody wants more
 */
struct prefetch {
	int fd;
	size_t max_bytes;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct chunk *first, *last;
	size_t kept;
	bool ended;
	bool stop;
	int err;
};

static int fill(int fd, struct chunk *chunk)
{
	while (chunk->len < CHUNK_BYTES) {
		ssize_t got = read(fd, chunk->bytes + chunk->len, CHUNK_BYTES - chunk->len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		chunk->len += (size_t)got;
	}
	return 0;
}

/* With the lock held: hands a chunk over, or says that there are no more. True to go on. */
static bool hand_over(struct prefetch *ahead, struct chunk *chunk, int err)
{
	if (chunk && chunk->len) {
		*(ahead->last ? &ahead->last->next : &ahead->first) = chunk;
		ahead->last = chunk;
		ahead->kept += chunk->len;
	} else {
		free(chunk);
		ahead->ended = true;
		ahead->err = chunk ? err : -ENOMEM;
	}
	pthread_cond_broadcast(&ahead->changed);
	while (!ahead->stop && !ahead->ended && ahead->kept >= ahead->max_bytes)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	return !ahead->stop && !ahead->ended;
}

static void *read_all(void *ctx)
{
	struct prefetch *ahead = ctx;
	bool go_on = true;

	while (go_on) {
		struct chunk *chunk = malloc(sizeof(*chunk));
		int err = 0;

		if (chunk) {
			chunk->next = NULL;
			chunk->len = chunk->taken = 0;
			err = fill(ahead->fd, chunk);
		}
		pthread_mutex_lock(&ahead->lock);
		go_on = hand_over(ahead, chunk, err);
		/* an error behind what could be read */
		if (go_on && err)
			go_on = hand_over(ahead, calloc(1, sizeof(*chunk)), err);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

struct prefetch *prefetch_start(const char *path, size_t max_bytes)
{
	struct prefetch *ahead = calloc(1, sizeof(*ahead));
	sigset_t all, before;
	int err;

	if (!ahead)
		return NULL;
	ahead->max_bytes = max_bytes;
	ahead->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (ahead->fd < 0) {
		free(ahead);
		return NULL;
	}
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	/* Signals are for those who handle them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&ahead->thread, NULL, read_all, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return ahead;
	close(ahead->fd);
	free(ahead);
	return NULL;
}

ssize_t prefetch_read(struct prefetch *ahead, void *buf, size_t len)
{
	struct chunk *chunk;
	size_t part;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->first && !ahead->ended)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	chunk = ahead->first;
	pthread_mutex_unlock(&ahead->lock);
	if (!chunk)
		return ahead->err;
	part = chunk->len - chunk->taken < len ? chunk->len - chunk->taken : len;
	memcpy(buf, chunk->bytes + chunk->taken, part);
	chunk->taken += part;
	if (chunk->taken < chunk->len)
		return (ssize_t)part;
	pthread_mutex_lock(&ahead->lock);
	ahead->first = chunk->next;
	if (!ahead->first)
		ahead->last = NULL;
	ahead->kept -= chunk->len;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	free(chunk);
	return (ssize_t)part;
}

void prefetch_stop(struct prefetch *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	while (ahead->first) {
		struct chunk *next = ahead->first->next;

		free(ahead->first);
		ahead->first = next;
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	close(ahead->fd);
	free(ahead);
}
