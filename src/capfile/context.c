// SPDX-License-Identifier: GPL-2.0
#include "capfile/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/cursor.h"

static int write_bug(struct capfile_writer *writer, const struct snapshot *snap)
{
	uint32_t words[2] = {snap->bug_warning == TRI_SET, snap->bug_line};
	const char *file = snap->bug_file ?: "";
	uint16_t len = (uint16_t)strnlen(file, CAPFILE_BUG_FILE_MAX);
	const struct iovec parts[] = {{words, sizeof(words)}, {&len, 2}, {(void *)file, len}};

	if (snap->bug_warning == TRI_NOT_REPORTED)
		return 0;
	return capfile_writer_add(writer, CAPFILE_BUG, parts, ARRAY_SIZE(parts));
}

static int write_log(struct capfile_writer *writer, const struct log_lines *log)
{
	struct iovec parts[1 + 2 * LOG_LINES_MAX];
	uint16_t lens[LOG_LINES_MAX];
	uint32_t left_out;
	size_t count = 1;

	if (!log)
		return 0;
	left_out = (uint32_t)log->left_out;
	parts[0] = (struct iovec){&left_out, sizeof(left_out)};
	for (size_t i = 0; i < log->count; i++) {
		lens[i] = (uint16_t)strnlen(log->text[i], CAPFILE_LOG_LINE_MAX);
		parts[count++] = (struct iovec){&lens[i], 2};
		parts[count++] = (struct iovec){(void *)log->text[i], lens[i]};
	}
	return capfile_writer_add(writer, CAPFILE_LOG, parts, count);
}

static int write_registers(struct capfile_writer *writer, const uint64_t *regs)
{
	const struct iovec part = {(void *)regs, PTREG_COUNT * sizeof(*regs)};

	return regs ? capfile_writer_add(writer, CAPFILE_REGISTERS, &part, 1) : 0;
}

static int write_stack(struct capfile_writer *writer, const struct snapshot *snap)
{
	uint32_t cut = snap->stack_cut;
	const struct iovec parts[] = {
		{&cut, sizeof(cut)},
		{(void *)snap->stack, snap->stack_count * sizeof(*snap->stack)},
	};

	if (!snap->stack)
		return 0;
	return capfile_writer_add(writer, CAPFILE_STACK, parts, ARRAY_SIZE(parts));
}

static int write_arguments(struct capfile_writer *writer, const struct snapshot *snap)
{
	struct iovec parts[4 * ARGUMENTS_MAX];
	uint32_t kinds[ARGUMENTS_MAX];
	uint16_t lens[ARGUMENTS_MAX];
	size_t count = 0;

	if (!snap->argument_count)
		return 0;
	for (uint32_t i = 0; i < snap->argument_count; i++) {
		const struct argument *argument = &snap->arguments[i];

		kinds[i] = argument->kind;
		lens[i] = (uint16_t)strnlen(argument->name, ARGUMENT_NAME_MAX - 1);
		parts[count++] = (struct iovec){&kinds[i], 4};
		parts[count++] = (struct iovec){(void *)&argument->value, 8};
		parts[count++] = (struct iovec){&lens[i], 2};
		parts[count++] = (struct iovec){(void *)argument->name, lens[i]};
	}
	return capfile_writer_add(writer, CAPFILE_ARGUMENTS, parts, count);
}

static int write_answer(struct capfile_writer *writer, const struct answer_bytes *answer)
{
	const struct iovec part = {(void *)answer->bytes, answer->len};

	return answer->len ? capfile_writer_add(writer, CAPFILE_ANSWER, &part, 1) : 0;
}

static int write_way(struct capfile_writer *writer, const struct deep_way *way)
{
	int err = way->count > CAPFILE_WAY_MAX ? -E2BIG : 0;

	for (size_t i = 0; i < way->count && !err; i += CAPFILE_WAY_BRANCHES) {
		size_t count = way->count - i;
		struct iovec part = {(void *)&way->branches[i], 0};

		if (count > CAPFILE_WAY_BRANCHES)
			count = CAPFILE_WAY_BRANCHES;
		part.iov_len = count * sizeof(way->branches[0]);
		err = capfile_writer_add(writer, CAPFILE_WAY, &part, 1);
	}
	return err;
}

int context_write(struct capfile_writer *writer, const struct snapshot *snap)
{
	int err = write_bug(writer, snap);

	err = err ?: write_log(writer, snap->log);
	err = err ?: write_registers(writer, snap->regs);
	err = err ?: write_arguments(writer, snap);
	err = err ?: write_answer(writer, &snap->answer);
	err = err ?: write_way(writer, &snap->way);
	return err ?: write_stack(writer, snap);
}

static int take_bug(struct capfile_context *context, struct cursor *cursor)
{
	bool warning = cursor_number(cursor, 4);

	context->bug_line = (uint32_t)cursor_number(cursor, 4);
	cursor_string(cursor, context->bug_file, sizeof(context->bug_file));
	context->bug_warning = warning ? TRI_SET : TRI_CLEAR;
	return cursor->bad ? -EBADMSG : 0;
}

static int take_log(struct capfile_context *context, struct cursor *cursor)
{
	struct log_lines *log = &context->log;
	size_t room = cursor->left;
	char *at;

	free(context->log_text);
	/* The two bytes of a line's length make room for its NUL. */
	at = context->log_text = malloc(room + 1);
	if (!at)
		return -ENOMEM;
	*log = (struct log_lines){.left_out = cursor_number(cursor, 4)};
	context->has_log = true;
	while (cursor->left) {
		if (log->count == LOG_LINES_MAX)
			return -EBADMSG;
		cursor_string(cursor, at, room);
		if (cursor->bad)
			return -EBADMSG;
		log->text[log->count++] = at;
		at += strlen(at) + 1;
	}
	return cursor->bad ? -EBADMSG : 0;
}

static int take_registers(struct capfile_context *context, struct cursor *cursor)
{
	for (size_t i = 0; i < PTREG_COUNT; i++)
		context->regs[i] = cursor_number(cursor, 8);
	context->has_regs = true;
	return cursor->bad ? -EBADMSG : 0;
}

static int take_stack(struct capfile_context *context, struct cursor *cursor)
{
	context->stack_cut = cursor_number(cursor, 4);
	context->stack_count = 0;
	context->has_stack = true;
	while (cursor->left) {
		if (context->stack_count == BACKTRACE_MAX)
			return -EBADMSG;
		context->stack[context->stack_count++] = cursor_number(cursor, 8);
		if (cursor->bad)
			return -EBADMSG;
	}
	return cursor->bad ? -EBADMSG : 0;
}

static int take_arguments(struct capfile_context *context, struct cursor *cursor)
{
	context->argument_count = 0;
	while (cursor->left) {
		uint32_t i = context->argument_count, kind = (uint32_t)cursor_number(cursor, 4);
		int64_t value = (int64_t)cursor_number(cursor, 8);

		if (i == ARGUMENTS_MAX || kind >= ARGUMENT_KIND_COUNT)
			return -EBADMSG;
		cursor_string(cursor, context->argument_names[i], ARGUMENT_NAME_MAX);
		if (cursor->bad)
			return -EBADMSG;
		context->arguments[i] =
			(struct argument){.kind = (enum argument_kind)kind, .value = value};
		context->argument_count++;
	}
	return cursor->bad ? -EBADMSG : 0;
}

static int take_answer(struct capfile_context *context, struct cursor *cursor)
{
	free(context->answer);
	context->answer_len = 0;
	context->answer = malloc(cursor->left + 1);
	if (!context->answer)
		return -ENOMEM;
	context->answer_len = cursor->left;
	memcpy(context->answer, cursor->at, cursor->left);
	return 0;
}

static int take_way(struct capfile_context *context, struct cursor *cursor)
{
	size_t count = cursor->left / sizeof(*context->way);
	struct branch_ends *bigger;

	if (cursor->left % sizeof(*context->way) || count > CAPFILE_WAY_MAX - context->way_count)
		return -EBADMSG;
	bigger = reallocarray(context->way, context->way_count + count + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	context->way = bigger;
	memcpy(bigger + context->way_count, cursor->at, cursor->left);
	context->way_count += count;
	return 0;
}

int context_take(struct capfile_context *context, uint32_t type, const uint8_t *bytes, size_t len)
{
	struct cursor cursor = {.at = bytes, .left = len};

	context->any = true;
	switch (type) {
	case CAPFILE_BUG:
		return take_bug(context, &cursor);
	case CAPFILE_LOG:
		return take_log(context, &cursor);
	case CAPFILE_REGISTERS:
		return take_registers(context, &cursor);
	case CAPFILE_STACK:
		return take_stack(context, &cursor);
	case CAPFILE_ARGUMENTS:
		return take_arguments(context, &cursor);
	case CAPFILE_ANSWER:
		return take_answer(context, &cursor);
	case CAPFILE_WAY:
		return take_way(context, &cursor);
	default:
		return 0;
	}
}

void context_fill(const struct capfile_context *context, struct snapshot *snap)
{
	snap->bug_warning = context->bug_warning;
	snap->bug_file = *context->bug_file ? context->bug_file : NULL;
	snap->bug_line = context->bug_line;
	snap->log = context->has_log ? &context->log : NULL;
	snap->regs = context->has_regs ? context->regs : NULL;
	snap->stack = context->has_stack ? context->stack : NULL;
	snap->stack_count = context->has_stack ? context->stack_count : 0;
	snap->stack_cut = context->has_stack && context->stack_cut;
	snap->answer = (struct answer_bytes){context->answer, context->answer_len};
	snap->way = (struct deep_way){context->way, context->way_count};
	snap->argument_count = context->argument_count;
	for (uint32_t i = 0; i < context->argument_count; i++) {
		snap->arguments[i] = context->arguments[i];
		snap->arguments[i].name = context->argument_names[i];
	}
}

void context_reset(struct capfile_context *context)
{
	if (!context->any)
		return;
	free(context->log_text);
	free(context->answer);
	free(context->way);
	*context = (struct capfile_context){};
}
