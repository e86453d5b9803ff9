// SPDX-License-Identifier: GPL-2.0
#include "conditionals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_lines(FILE *f, struct conditionals *c)
{
	size_t cap = 0;
	char *line = NULL, *end;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&line, &size, f) > 0) {
		uint64_t addr = strtoull(line, &end, 16);

		if (end == line || (strcmp(end, " 0\n") != 0 && strcmp(end, " 1\n") != 0) ||
		    (c->count && addr <= c->all[c->count - 1].addr)) {
			err = -EINVAL;
			break;
		}
		if (c->count == cap) {
			struct conditional *bigger;

			cap = cap ? cap * 2 : 1024;
			bigger = realloc(c->all, cap * sizeof(*bigger));
			if (!bigger) {
				err = -ENOMEM;
				break;
			}
			c->all = bigger;
		}
		c->all[c->count++] = (struct conditional){.addr = addr, .is_one = end[1] == '1'};
	}
	free(line);
	return err;
}

int conditionals_load(const char *path, struct conditionals *ret)
{
	struct conditionals c = {0};
	FILE *f = fopen(path, "re");
	int err;

	if (!f)
		return -errno;
	err = read_lines(f, &c);
	fclose(f);
	if (err)
		free(c.all);
	else
		*ret = c;
	return err;
}

static int compare(const void *addr, const void *known)
{
	uint64_t a = *(const uint64_t *)addr, b = ((const struct conditional *)known)->addr;

	return (a > b) - (a < b);
}

bool conditional_at(const struct conditionals *c, uint64_t addr, bool otherwise)
{
	const struct conditional *known =
		c->count ? bsearch(&addr, c->all, c->count, sizeof(*c->all), compare) : NULL;

	return known ? known->is_one : otherwise;
}

bool conditional_by_text(const char *text)
{
	return text &&
	       ((text[0] == 'j' && strncmp(text, "jmp", 3) != 0) || !strncmp(text, "loop", 4));
}
