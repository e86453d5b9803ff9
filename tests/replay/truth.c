// SPDX-License-Identifier: GPL-2.0
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* One line of the mapped log. */
struct line {
	const char *at;
	const char *end;
};

static bool take_number(struct line *l, uint64_t *ret)
{
	uint64_t v = 0;
	bool hex = l->end - l->at > 2 && l->at[0] == '0' && l->at[1] == 'x';
	const char *first;

	if (hex)
		l->at += 2;
	for (first = l->at; l->at < l->end && *l->at != ' '; l->at++) {
		unsigned int c = (unsigned char)*l->at;
		unsigned int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		if (digit >= (hex ? 16u : 10u))
			return false;
		v = v * (hex ? 16 : 10) + digit;
	}
	if (l->at == first)
		return false;
	if (l->at < l->end)
		l->at++;
	*ret = v;
	return true;
}

int truth_append(struct truth_cpu *cpu, const struct truth_event *ev)
{
	if (cpu->count == cpu->cap) {
		size_t cap = cpu->cap ? cpu->cap * 2 : 1 << 16;
		struct truth_event *bigger = realloc(cpu->events, cap * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		cpu->events = bigger;
		cpu->cap = cap;
	}
	cpu->events[cpu->count++] = *ev;
	return 0;
}

static bool parse(struct line l, struct truth_event *ev, uint64_t *cpu)
{
	if (l.end - l.at < 4 || l.at[1] != ' ')
		return false;
	*ev = (struct truth_event){.kind = l.at[0]};
	l.at += 2;
	if (!take_number(&l, cpu) || *cpu >= TRUTH_CPUS_MAX || !take_number(&l, &ev->seq))
		return false;
	switch (ev->kind) {
	case 'B':
		if (!take_number(&l, &ev->addr) || !take_number(&l, &ev->to) || l.end - l.at < 3)
			return false;
		ev->irq = !strncmp(l.at, "irq", 3);
		return true;
	case 'I':
		return take_number(&l, &ev->addr);
	case 'Z':
		return true;
	default:
		return false;
	}
}

static int parse_all(const char *text, size_t size, struct truth *truth, size_t *skipped)
{
	const char *at = text, *end = text + size;
	int err;

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		struct truth_event ev;
		uint64_t cpu;

		if (nl && parse((struct line){at, nl}, &ev, &cpu)) {
			err = truth_append(&truth->cpus[cpu], &ev);
			if (err)
				return err;
		} else {
			(*skipped)++;
		}
		at = nl ? nl + 1 : end;
	}
	return 0;
}

int truth_load(const char *path, struct truth *ret_truth, size_t *ret_skipped)
{
	struct truth truth = {0};
	struct stat st;
	void *text;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
		close(fd);
		return err;
	}
	text = mmap(NULL, (size_t)st.st_size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (text == MAP_FAILED)
		return -errno;
	*ret_skipped = 0;
	err = parse_all(text, (size_t)st.st_size, &truth, ret_skipped);
	munmap(text, (size_t)st.st_size + 1);
	if (err)
		truth_free(&truth);
	else
		*ret_truth = truth;
	return err;
}

void truth_free(struct truth *truth)
{
	for (int i = 0; i < TRUTH_CPUS_MAX; i++)
		free(truth->cpus[i].events);
	memset(truth, 0, sizeof(*truth));
}

size_t truth_executed(const struct truth_cpu *cpu, size_t first, size_t end, uint64_t *ret,
		      size_t *ret_stopped)
{
	const struct truth_event *branch = end < cpu->count ? &cpu->events[end] : NULL;
	size_t n = 0;

	*ret_stopped = SIZE_MAX;
	for (size_t i = first; i < end; i++) {
		const struct truth_event *ev = &cpu->events[i];

		if (ev->kind == 'Z')
			*ret_stopped = n;
		else if (ev->kind == 'I' && !(n && ret[n - 1] == ev->addr))
			ret[n++] = ev->addr;
	}
	if (n && branch && branch->kind == 'B' && branch->irq && branch->addr == ret[n - 1])
		n--;
	return n;
}
