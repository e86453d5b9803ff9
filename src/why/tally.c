// SPDX-License-Identifier: GPL-2.0
#include "why/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/fnv.h"

static uint64_t key_of_kind(const struct failure *failure)
{
	const uint32_t kind[] = {failure->call.nr, failure->err, failure->via};

	return fnv(FNV_START, kind, sizeof(kind));
}

/* @text: SYSCALL_TEXT_MAX bytes of room */
static uint64_t key_of_call(const struct failure *failure, char *text)
{
	uint64_t key = key_of_kind(failure);

	syscall_format(&failure->call, text, SYSCALL_TEXT_MAX);
	key = fnv(key, text, strlen(text) + 1);
	return fnv(key, failure->text, strlen(failure->text));
}

static int count(struct tally *tally, uint64_t key, const struct failure *failure, bool blamed)
{
	struct tally_row *row = NULL;

	for (size_t i = 0; !row && i < tally->count; i++)
		if (tally->rows[i].key == key)
			row = &tally->rows[i];
	if (!row) {
		if (tally->count == tally->room) {
			size_t room = tally->room ? tally->room * 2 : 32;
			struct tally_row *rows = reallocarray(tally->rows, room, sizeof(*rows));

			if (!rows)
				return -ENOMEM;
			tally->rows = rows;
			tally->room = room;
		}
		row = &tally->rows[tally->count++];
		*row = (struct tally_row){.key = key, .first = failure};
	}
	row->count++;
	row->tasks |= row->first->tid != failure->tid;
	row->blamed |= blamed;
	return 0;
}

int tally_calls(const struct failures *failures, const struct failure *blamed, struct tally *ret)
{
	_cleanup_free_ char *text = malloc(SYSCALL_TEXT_MAX);
	int err = text ? 0 : -ENOMEM;

	*ret = (struct tally){};
	for (size_t i = 0; !err && i < failures->count; i++)
		err = count(ret, key_of_call(&failures->items[i], text), &failures->items[i],
			    &failures->items[i] == blamed);
	return err;
}

int tally_kinds(const struct failures *failures, const struct failure *blamed, struct tally *ret)
{
	int err = 0;

	*ret = (struct tally){};
	for (size_t i = 0; !err && i < failures->count; i++)
		if (&failures->items[i] != blamed && failures->items[i].err)
			err = count(ret, key_of_kind(&failures->items[i]), &failures->items[i],
				    false);
	return err;
}

void tally_deinit(struct tally *tally)
{
	free(tally->rows);
	*tally = (struct tally){};
}
