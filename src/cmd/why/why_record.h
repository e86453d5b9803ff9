/* SPDX-License-Identifier: GPL-2.0 */
/* why_record.h - why --record: the answer as a capture file */
#ifndef LBRSNOOP_CMD_WHY_WHY_RECORD_H
#define LBRSNOOP_CMD_WHY_WHY_RECORD_H

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"
#include "why/answer.h"

struct recorder;

/**
 * why_record_open() - before anything is run: the file has its name then
 * @path: "-": standard output
 * @command: that is run, ended by NULL; NULL: none
 * @symbols, @text: of the running kernel; borrowed until recorder_close()
 * Return: 0; negative errno, with @msg.
 */
int why_record_open(const char *path, const char *const *command, struct symbols *symbols,
		    const struct text_source *text, struct recorder **ret, struct errmsg *msg);

/**
 * why_record_answer() - the place, what led there, and all that was found out
 * @way: why_way() of what the answer has of --deep; NULL: it has nothing
 * Return: 0; -ENODATA: there is no place, nothing is written; another negative errno.
 */
int why_record_answer(struct recorder *recorder, const char *const *command,
		      const struct answer *answer, const struct branch_ends *way);

/** why_way() - the branches of a deep path as a snapshot has them; free @branches; 0; -ENOMEM */
int why_way(const struct deep_path *deep, struct branch_ends **ret);

#endif
