/* SPDX-License-Identifier: GPL-2.0 */
/*
 * context.h - what may go with a snapshot: BUG, LOG, REGISTERS, STACK, ANSWER, WAY; internal to
 * capfile/
 */
#ifndef LBRSNOOP_CAPFILE_CONTEXT_H
#define LBRSNOOP_CAPFILE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capfile/format.h"
#include "capfile/writer.h"
#include "snapshot/snapshot.h"

/**
 * struct capfile_context - as read, of the snapshot that comes next; all zero at first
 * @any: something was read
 * @bug_warning: TRI_NOT_REPORTED: there is no BUG
 * @log_text: what @log points into
 * @answer, @way: of their own; NULL: there is none
 */
struct capfile_context {
	bool any;
	enum tri bug_warning;
	uint32_t bug_line;
	char bug_file[CAPFILE_BUG_FILE_MAX + 1];
	bool has_log;
	struct log_lines log;
	char *log_text;
	bool has_regs;
	uint64_t regs[PTREG_COUNT];
	uint32_t argument_count;
	struct argument arguments[ARGUMENTS_MAX];
	char argument_names[ARGUMENTS_MAX][ARGUMENT_NAME_MAX];
	bool has_stack;
	bool stack_cut;
	uint32_t stack_count;
	uint64_t stack[BACKTRACE_MAX];
	uint8_t *answer;
	size_t answer_len;
	struct branch_ends *way;
	size_t way_count;
};

/** context_write() - what there is of @snap; 0, or as capfile_writer_add() */
int context_write(struct capfile_writer *writer, const struct snapshot *snap);

/**
 * context_take() - check a record, and keep what it tells
 * Return: 0, also for records of other types; -EBADMSG; -ENOMEM.
 */
int context_take(struct capfile_context *context, uint32_t type, const uint8_t *bytes, size_t len);

/** context_fill() - hand it to its snapshot, which borrows it */
void context_fill(const struct capfile_context *context, struct snapshot *snap);

/** context_reset() - forget, and free */
void context_reset(struct capfile_context *context);

#endif
