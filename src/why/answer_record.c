// SPDX-License-Identifier: GPL-2.0
#include "why/answer_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/cursor.h"
#include "why/deep/deep.h"

/* A record of a capture file has no more than 1 MiB. */
#define FAILURE_BYTES_MAX (512u << 10)
#define COMMAND_BYTES_MAX (256u << 10)
/* Of a string the length is a u16. */
#define STRING_MAX 65535u

/* include/linux/err.h */
#define ERRNO_MAX 4095u

enum {
	SITE_BRANCH = 1,
	SITE_TAKEN = 2,
	SITE_BEHIND = 4,
};

/*
 * Writing
 */

static void put_u32(FILE *out, uint64_t value)
{
	const uint32_t number = (uint32_t)value;

	fwrite(&number, sizeof(number), 1, out);
}

static void put_u64(FILE *out, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_bytes(FILE *out, const void *bytes, size_t len)
{
	const uint16_t number = (uint16_t)len;

	fwrite(&number, sizeof(number), 1, out);
	/* Of nothing there may be no address. */
	if (len)
		fwrite(bytes, 1, len, out);
}

static void put_string(FILE *out, const char *text)
{
	size_t len = strlen(text);

	put_bytes(out, text, len < STRING_MAX ? len : STRING_MAX);
}

/* Whole lines: whoever prints them goes from one newline to the next. */
static void put_log(FILE *out, const char *log)
{
	size_t len = log ? strlen(log) : 0;

	if (len > STRING_MAX)
		len = STRING_MAX;
	while (len && log[len - 1] != '\n')
		len--;
	put_bytes(out, log, len);
}

static void put_command(FILE *out, const char *const *command)
{
	size_t all = 0, count = 0, room = COMMAND_BYTES_MAX, len;
	char more[64];

	while (command && command[all])
		all++;
	for (; count < all; count++) {
		len = sizeof(uint16_t) + strnlen(command[count], STRING_MAX);
		if (len > room)
			break;
		room -= len;
	}
	put_u32(out, count + (count < all));
	for (size_t i = 0; i < count; i++)
		put_string(out, command[i]);
	snprintf(more, sizeof(more), "[%zu more words]", all - count);
	if (count < all)
		put_string(out, more);
}

static void put_failure(FILE *out, const struct failure *failure)
{
	const struct syscall_event *call = &failure->call;

	put_u64(out, failure->mono_ns);
	put_u32(out, failure->tgid);
	put_u32(out, failure->tid);
	put_u32(out, failure->via);
	put_u32(out, failure->err);
	put_bytes(out, failure->comm, strnlen(failure->comm, sizeof(failure->comm)));
	put_bytes(out, failure->text, strnlen(failure->text, sizeof(failure->text)));
	put_log(out, failure->log);
	put_u32(out, call->nr);
	for (int i = 0; i < SYSCALL_ARGS; i++) {
		const struct syscall_blob *blob = &call->blobs[i];
		size_t len = blob->len < SYSCALL_BYTES_MAX ? blob->len : SYSCALL_BYTES_MAX;

		put_u64(out, call->args[i]);
		put_u32(out, blob->status);
		put_bytes(out, call->bytes[i], len);
	}
}

static int measure(const struct failure *failure, size_t *ret_len)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, ret_len);

	if (!out)
		return -ENOMEM;
	put_failure(out, failure);
	if (fclose(out))
		return -ENOMEM;
	free(bytes);
	return 0;
}

/* The newest ones, and the one to blame. */
static int put_failures(FILE *out, const struct answer *answer)
{
	const struct failures *all = &answer->failures;
	size_t first = all->count, room = FAILURE_BYTES_MAX, blamed = 0, before;

	while (first) {
		size_t len = 0;
		int err = measure(&all->items[first - 1], &len);

		if (err)
			return err;
		if (len > room)
			break;
		room -= len;
		first--;
	}
	if (answer->call)
		blamed = (size_t)(answer->call - all->items);
	before = answer->call && blamed < first;
	put_u32(out, !answer->call ? 0 : before ? 1 : blamed - first + 1);
	put_u32(out, all->dropped + first - before);
	put_u32(out, all->count - first + before);
	if (before)
		put_failure(out, answer->call);
	for (size_t i = first; i < all->count; i++)
		put_failure(out, &all->items[i]);
	return 0;
}

static void put_site(FILE *out, const struct site *site)
{
	put_u64(out, site->addr);
	put_u64(out, site->watch);
	put_u32(out, site->err);
	put_u32(out, site->reg);
	put_u32(out, (site->branch ? SITE_BRANCH : 0) | (site->taken ? SITE_TAKEN : 0) |
			     (site->behind ? SITE_BEHIND : 0));
}

static void put_hit(FILE *out, const struct why_hit *hit, const struct why_read_table *table)
{
	put_u32(out, hit != NULL);
	if (!hit)
		return;
	put_u64(out, hit->ip);
	put_u32(out, hit->hw);
	put_u32(out, hit->read);
	for (int i = 0; i < PTREG_COUNT; i++)
		put_u64(out, hit->regs[i]);
	put_u32(out, hit->frames);
	for (uint32_t i = 0; i < hit->frames; i++)
		put_u64(out, hit->stack[i]);
	for (int i = 0; i < WHY_STRINGS_MAX; i++)
		put_bytes(out, hit->strings[i], strnlen(hit->strings[i], WHY_STRING_MAX - 1));
	put_u32(out, table->count);
	for (uint32_t i = 0; i < table->count; i++) {
		put_u64(out, hit->values[i]);
		put_u64(out, (uint64_t)table->reads[i].offset);
		put_u32(out, table->reads[i].from);
		put_u32(out, table->reads[i].bytes);
		put_u32(out, table->reads[i].string);
	}
}

static void put_deep(FILE *out, const struct deep_path *deep)
{
	put_u32(out, deep != NULL);
	if (!deep)
		return;
	put_u32(out, deep->runs);
	put_u32(out, deep->entry);
	put_u64(out, deep->end);
	put_string(out, deep->gap.text);
	put_u32(out, deep->segment_count);
	for (size_t i = 0; i < deep->segment_count; i++) {
		const struct deep_segment *segment = &deep->segments[i];

		put_u32(out, segment->run);
		put_u32(out, segment->count);
		put_u32(out, segment->overlap);
		put_u32(out, segment->computed);
		put_u64(out, segment->point);
	}
	put_u32(out, deep->interrupt_count);
	for (size_t i = 0; i < deep->interrupt_count; i++) {
		put_u64(out, deep->interrupts[i].entry);
		put_u32(out, deep->interrupts[i].newer);
		put_u32(out, deep->interrupts[i].run);
		put_u32(out, deep->interrupts[i].rescheduled);
	}
	put_u32(out, deep->other_way);
	put_string(out, deep->unchecked.text);
}

int answer_record_make(const struct answer *answer, const char *const *command, uint8_t **ret,
		       size_t *ret_len)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	int err;

	if (!out)
		return -ENOMEM;
	put_command(out, command);
	put_u32(out, (uint32_t)answer->status);
	put_u32(out, answer->runs);
	put_u32(out, answer->state);
	put_u32(out, answer->why_call);
	put_u64(out, answer->lost);
	put_string(out, answer->reason.text);
	err = put_failures(out, answer);
	put_site(out, &answer->site);
	put_hit(out, answer->hit, &answer->table);
	put_site(out, &answer->decider);
	put_hit(out, answer->decider_hit, &answer->decider_table);
	put_u32(out, answer->candidates.count);
	for (size_t i = 0; i < answer->candidates.count; i++)
		put_site(out, &answer->candidates.items[i]);
	put_deep(out, answer->deep);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (err) {
		free(bytes);
		return err;
	}
	*ret = (uint8_t *)bytes;
	*ret_len = len;
	return 0;
}

/*
 * Reading
 */

/* How many follow, each of @bytes at least: no more than can be there. */
static uint32_t take_count(struct cursor *cursor, size_t bytes)
{
	uint32_t count = (uint32_t)cursor_number(cursor, 4);

	if (count > cursor->left / bytes)
		cursor->bad = true;
	return cursor->bad ? 0 : count;
}

static uint32_t take_u32(struct cursor *cursor, uint32_t max)
{
	uint32_t value = (uint32_t)cursor_number(cursor, 4);

	if (value > max)
		cursor->bad = true;
	return cursor->bad ? 0 : value;
}

static uint64_t take_u64(struct cursor *cursor)
{
	return cursor_number(cursor, 8);
}

/* A string of its own; NULL: there is none, or no memory. */
static char *take_string(struct cursor *cursor)
{
	struct cursor ahead = *cursor;
	size_t room = cursor_number(&ahead, 2) + 1;
	char *text = ahead.bad || room - 1 > ahead.left ? NULL : malloc(room);

	if (text)
		cursor_string(cursor, text, room);
	else if (ahead.bad || room - 1 > ahead.left)
		cursor->bad = true;
	return text;
}

static int take_command(struct cursor *cursor, char ***ret)
{
	uint32_t count = take_count(cursor, 2);
	char **words = count ? calloc(count + 1, sizeof(*words)) : NULL;

	*ret = words;
	if (count && !words)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		words[i] = take_string(cursor);
		if (cursor->bad || !words[i])
			return cursor->bad ? -EBADMSG : -ENOMEM;
	}
	return cursor->bad ? -EBADMSG : 0;
}

static void take_blob(struct cursor *cursor, struct syscall_event *call, int i)
{
	struct syscall_blob *blob = &call->blobs[i];
	size_t len;
	const uint8_t *at;

	blob->status = (uint8_t)take_u32(cursor, SYSCALL_BLOB_FAULT);
	len = cursor_number(cursor, 2);
	at = cursor_take(cursor, len);
	if (!at || len > SYSCALL_BYTES_MAX) {
		cursor->bad = true;
		return;
	}
	blob->len = (uint16_t)len;
	memcpy(call->bytes[i], at, len);
}

static int take_failure(struct cursor *cursor, struct failure *failure)
{
	size_t len;

	failure->mono_ns = take_u64(cursor);
	failure->tgid = take_u32(cursor, UINT32_MAX);
	failure->tid = take_u32(cursor, UINT32_MAX);
	failure->via = (enum why_via)take_u32(cursor, WHY_VIA_IO_URING);
	failure->err = take_u32(cursor, ERRNO_MAX);
	cursor_string(cursor, failure->comm, sizeof(failure->comm));
	cursor_string(cursor, failure->text, sizeof(failure->text));
	failure->log = take_string(cursor);
	if (!failure->log)
		return cursor->bad ? -EBADMSG : -ENOMEM;
	len = strlen(failure->log);
	if (len && failure->log[len - 1] != '\n')
		return -EBADMSG;
	failure->call.nr = take_u32(cursor, UINT32_MAX);
	for (int i = 0; i < SYSCALL_ARGS; i++) {
		failure->call.args[i] = take_u64(cursor);
		take_blob(cursor, &failure->call, i);
	}
	return cursor->bad ? -EBADMSG : 0;
}

/* What each failure has at least: its numbers, and the lengths of its strings. */
#define FAILURE_BYTES_MIN (8 + 4 * 4 + 3 * 2 + 4 + SYSCALL_ARGS * (8 + 4 + 2))

static int take_failures(struct cursor *cursor, struct answer *answer)
{
	struct failures *all = &answer->failures;
	uint32_t call = take_u32(cursor, UINT32_MAX), count;
	int err = 0;

	all->dropped = take_u32(cursor, UINT32_MAX);
	count = take_count(cursor, FAILURE_BYTES_MIN);
	if (cursor->bad || call > count)
		return -EBADMSG;
	all->items = calloc(count + 1, sizeof(*all->items));
	if (!all->items)
		return -ENOMEM;
	all->room = count + 1;
	while (!err && all->count < count)
		err = take_failure(cursor, &all->items[all->count++]);
	answer->call = call ? &all->items[call - 1] : NULL;
	return err;
}

static void take_site(struct cursor *cursor, struct symbols *symbols, struct site *site)
{
	uint32_t flags;

	site->addr = take_u64(cursor);
	site->watch = take_u64(cursor);
	site->err = (uint16_t)take_u32(cursor, ERRNO_MAX);
	site->reg = (uint8_t)take_u32(cursor, SITE_REG_NONE);
	flags = take_u32(cursor, UINT32_MAX);
	site->branch = flags & SITE_BRANCH;
	site->taken = flags & SITE_TAKEN;
	site->behind = flags & SITE_BEHIND;
	if (symbols_find(symbols, site->addr, &site->sym))
		site->sym = (struct symbol){.name = "", .module = "", .addr = site->addr};
}

static void take_reads(struct cursor *cursor, struct why_hit *hit, struct why_read_table *table)
{
	table->count = take_u32(cursor, WHY_READS_MAX);
	for (uint32_t i = 0; i < table->count && !cursor->bad; i++) {
		struct why_read *read = &table->reads[i];

		hit->values[i] = take_u64(cursor);
		read->offset = (int64_t)take_u64(cursor);
		read->from = (uint8_t)take_u32(cursor, WHY_FROM_READ + WHY_READS_MAX - 1);
		read->bytes = (uint8_t)take_u32(cursor, sizeof(hit->values[0]));
		read->string = (uint8_t)take_u32(cursor, WHY_STRINGS_MAX);
	}
}

static int take_hit(struct cursor *cursor, struct why_hit **ret, struct why_read_table *table)
{
	struct why_hit *hit;

	if (!take_u32(cursor, 1))
		return cursor->bad ? -EBADMSG : 0;
	*ret = hit = calloc(1, sizeof(*hit));
	if (!hit)
		return -ENOMEM;
	hit->order = 1;
	hit->ip = take_u64(cursor);
	hit->hw = take_u32(cursor, 1);
	hit->read = take_u32(cursor, UINT32_MAX);
	for (int i = 0; i < PTREG_COUNT; i++)
		hit->regs[i] = take_u64(cursor);
	hit->frames = take_u32(cursor, WHY_STACK_MAX);
	for (uint32_t i = 0; i < hit->frames; i++)
		hit->stack[i] = take_u64(cursor);
	for (int i = 0; i < WHY_STRINGS_MAX; i++)
		cursor_string(cursor, hit->strings[i], WHY_STRING_MAX);
	take_reads(cursor, hit, table);
	return cursor->bad ? -EBADMSG : 0;
}

static int take_candidates(struct cursor *cursor, struct symbols *symbols, struct sites *sites)
{
	uint32_t count = take_count(cursor, 8 + 8 + 3 * 4);

	/* Not by sites_add(), which looks at all before it for each. */
	sites->items = calloc(count + 1, sizeof(*sites->items));
	if (!sites->items)
		return -ENOMEM;
	sites->room = count + 1;
	while (sites->count < count && !cursor->bad)
		take_site(cursor, symbols, &sites->items[sites->count++]);
	return cursor->bad ? -EBADMSG : 0;
}

static int take_segments(struct cursor *cursor, struct deep_path *deep)
{
	uint32_t count = take_count(cursor, 4 * 4 + 8);
	size_t branches = 0;

	deep->segments = calloc(count + 1, sizeof(*deep->segments));
	if (!deep->segments)
		return -ENOMEM;
	deep->segment_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct deep_segment *segment = &deep->segments[i];

		segment->run = take_u32(cursor, UINT32_MAX);
		segment->count = take_u32(cursor, UINT32_MAX);
		segment->overlap = take_u32(cursor, UINT32_MAX);
		segment->computed = take_u32(cursor, (uint32_t)segment->count);
		segment->point = take_u64(cursor);
		branches += segment->count;
	}
	return cursor->bad || branches != deep->count ? -EBADMSG : 0;
}

static int take_interrupts(struct cursor *cursor, struct deep_path *deep)
{
	uint32_t count = take_count(cursor, 8 + 3 * 4);

	deep->interrupts = calloc(count + 1, sizeof(*deep->interrupts));
	if (!deep->interrupts)
		return -ENOMEM;
	deep->interrupt_count = count;
	for (uint32_t i = 0; i < count; i++) {
		deep->interrupts[i].entry = take_u64(cursor);
		deep->interrupts[i].newer = take_u32(cursor, (uint32_t)deep->count);
		deep->interrupts[i].run = take_u32(cursor, UINT32_MAX);
		deep->interrupts[i].rescheduled = take_u32(cursor, 1);
	}
	return cursor->bad ? -EBADMSG : 0;
}

static int take_deep(struct cursor *cursor, const struct deep_way *way, struct answer *answer)
{
	struct deep_path *deep;
	int err;

	if (!take_u32(cursor, 1))
		return cursor->bad ? -EBADMSG : 0;
	answer->deep = deep = calloc(1, sizeof(*deep));
	if (deep)
		deep->branches = calloc(way->count + 1, sizeof(*deep->branches));
	if (!deep || !deep->branches)
		return -ENOMEM;
	for (size_t i = 0; i < way->count; i++)
		deep->branches[i] = (struct why_branch){way->branches[i].from, way->branches[i].to};
	deep->count = way->count;
	deep->runs = take_u32(cursor, UINT32_MAX);
	deep->entry = take_u32(cursor, 1);
	deep->end = take_u64(cursor);
	cursor_string(cursor, deep->gap.text, sizeof(deep->gap.text));
	err = take_segments(cursor, deep);
	err = err ?: take_interrupts(cursor, deep);
	/* Captures of before that have no more. */
	if (err || !cursor->left)
		return err;
	deep->other_way = take_u32(cursor, UINT32_MAX);
	cursor_string(cursor, deep->unchecked.text, sizeof(deep->unchecked.text));
	return cursor->bad ? -EBADMSG : 0;
}

int answer_record_read(const struct snapshot *snap, struct symbols *symbols, struct answer *ret,
		       char ***ret_command)
{
	struct cursor cursor = {.at = snap->answer.bytes, .left = snap->answer.len};
	struct answer answer = {};
	char **command = NULL;
	int err = take_command(&cursor, &command);

	answer.status = (int)take_u32(&cursor, UINT32_MAX);
	answer.runs = take_u32(&cursor, UINT32_MAX);
	answer.state = (enum origin_state)take_u32(&cursor, ORIGIN_ONE_OF);
	answer.why_call = (enum blame_reason)take_u32(&cursor, BLAME_PROBE);
	answer.lost = take_u64(&cursor);
	cursor_string(&cursor, answer.reason.text, sizeof(answer.reason.text));
	err = err ?: take_failures(&cursor, &answer);
	take_site(&cursor, symbols, &answer.site);
	err = err ?: take_hit(&cursor, &answer.hit, &answer.table);
	take_site(&cursor, symbols, &answer.decider);
	err = err ?: take_hit(&cursor, &answer.decider_hit, &answer.decider_table);
	err = err ?: take_candidates(&cursor, symbols, &answer.candidates);
	err = err ?: take_deep(&cursor, &snap->way, &answer);
	if (err) {
		answer_deinit(&answer);
		answer_record_free_command(command);
		return err;
	}
	*ret = answer;
	*ret_command = command;
	return 0;
}

void answer_record_free_command(char **command)
{
	for (char **word = command; word && *word; word++)
		free(*word);
	free(command);
}
