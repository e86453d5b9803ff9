// SPDX-License-Identifier: GPL-2.0
#include "stops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t mix(uint32_t hash, uint64_t from, uint64_t to)
{
	uint64_t h = (from + hash) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ to) * 0xc2b2ae3d27d4eb4fULL;
	return (uint32_t)(h >> 32) | 1;
}

static uint64_t hex(const char **at)
{
	uint64_t value = 0;
	const char *p = *at;

	for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	*at = p;
	return value;
}

/* From the newest branch back. */
static uint32_t hash_stop(const struct stop *stop)
{
	uint32_t h = 0, n = 0;

	for (size_t i = stop->len; i > 1 && n < STOP_NEWEST; i--) {
		const char *at = stop->text + i + 1; /* behind the comma */
		uint64_t from;

		if (stop->text[i - 1] != 'B')
			continue;
		from = hex(&at);
		at++;
		h = mix(h, from, hex(&at));
		n++;
	}
	return n < STOP_NEWEST ? 0 : h;
}

uint32_t stops_hash(const struct branch *branches, uint32_t count)
{
	uint32_t h = 0;

	for (uint32_t n = 0; n < STOP_NEWEST && count >= STOP_NEWEST; n++)
		h = mix(h, branches[count - 1 - n].from, branches[count - 1 - n].to);
	return h;
}

static int map_file(const char *path, struct stops *s)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return -EIO;
	}
	s->size = (size_t)st.st_size;
	/* One byte more than the file has: so that there is a NUL behind it. */
	s->text = mmap(NULL, s->size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return s->text == MAP_FAILED ? -ENOMEM : 0;
}

int stops_load(const char *path, struct stops *s)
{
	size_t cap = 0;
	int err = map_file(path, s);

	if (err)
		return err;
	for (const char *at = s->text, *nl; (nl = memchr(at, '\n', s->size - (at - s->text)));
	     at = nl + 1) {
		struct stop stop = {.newer = NONE};
		char *rest;

		if (s->count == cap) {
			cap = cap ? cap * 2 : 1024;
			s->all = realloc(s->all, cap * sizeof(*s->all));
			if (!s->all)
				return -ENOMEM;
		}
		stop.cpu = (uint8_t)strtoul(at, &rest, 10);
		stop.reason = rest[*rest == ' '];
		stop.text = rest + 1 + strcspn(rest + 1, " \n");
		stop.len = (size_t)(nl - stop.text);
		stop.hash = hash_stop(&stop);
		s->all[s->count++] = stop;
	}
	for (s->mask = 1; s->mask < s->count; s->mask *= 2)
		;
	s->head = malloc(s->mask * sizeof(*s->head));
	if (!s->head)
		return -ENOMEM;
	memset(s->head, 0xff, s->mask * sizeof(*s->head));
	s->mask--;
	for (uint32_t i = (uint32_t)s->count; i-- > 0;) {
		uint32_t *head = &s->head[s->all[i].hash & s->mask];

		s->all[i].newer = *head;
		*head = i;
	}
	return 0;
}

int stop_read(const struct stop *stop, struct truth_cpu *log, uint32_t *branches, size_t room,
	      uint32_t *ret_count)
{
	const char *at = stop->text, *end = at + stop->len;

	log->count = 0;
	*ret_count = 0;
	while (at < end) {
		struct truth_event ev = {.kind = at[1]};

		at += 2;
		if (ev.kind != 'Z') {
			at++;
			ev.addr = hex(&at);
		}
		if (ev.kind == 'B') {
			at++;
			ev.to = hex(&at);
			ev.irq = at[1] == 'i';
			ev.conditional = at[1] == 'c';
			at += 1 + strcspn(at + 1, ",");
			ev.mispred = at[1] == 'M';
			at += 1 + strcspn(at + 1, ",");
			ev.cycles = (uint32_t)strtoul(at + 1, NULL, 10);
			at += strcspn(at, " \n");
			if (*ret_count < room)
				branches[(*ret_count)++] = (uint32_t)log->count;
		}
		if (truth_append(log, &ev))
			return -ENOMEM;
	}
	return 0;
}
