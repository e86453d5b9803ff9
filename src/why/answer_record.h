/* SPDX-License-Identifier: GPL-2.0 */
/*
 * answer_record.h - an answer as a record of a capture file, and back
 *
 * The payload of ANSWER, see capfile/format.h for what numbers and strings are. Addresses alone are
 * kept, as of all else in a capture: names, lines and conditions are found where it is read. The
 * branches of a deep path are in WAY.
 *
 *	command		u32 words, each a string; 0: none was run. Beyond 256 KiB the last is
 *			"[N more words]"
 *	outcome		u32 status, u32 runs, u32 state, u32 why_call, u64 lost, string reason
 *	failures	u32 number of the call from 1, 0: none; u32 left out; u32 count, each
 *			u64 mono_ns, u32 tgid, u32 tid, u32 via, u32 err, strings comm, text, log;
 *			u32 system call, then of each of its 6 arguments u64 value, u32 status of
 *			what it points to (enum syscall_blob_status), string of those bytes
 *	site		u64 addr, u64 watch, u32 err, u32 reg, u32 1 branch, 2 taken, 4 behind
 *	hit		u32 1: there is one; then u64 ip, u32 hw, u32 read, PTREG_COUNT u64
 *			registers, u32 frames, each u64; 4 strings; u32 count, each read: u64 value,
 *			u64 offset, u32 from, u32 bytes, u32 string (struct why_read)
 *	decider		a site, and a hit
 *	candidates	u32 count, each a site
 *	deep		u32 1: it was asked for; then u32 runs, u32 1: it begins at the entry,
 *			u64 end, string gap; u32 segments, each u32 run, u32 count, u32 overlap,
 *			u32 computed, u64 point; u32 interrupts, each u64 entry, u32 newer, u32 run,
 *			u32 1: rescheduled; u32 other_way, string unchecked (captures of before
 *			that end here)
 *
 * Each is as the member of that name of struct answer, failure, site, why_hit, deep_path.
 */
#ifndef LBRSNOOP_WHY_ANSWER_RECORD_H
#define LBRSNOOP_WHY_ANSWER_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "why/answer.h"

/**
 * answer_record_make() - into bytes
 * Of thousands of failing calls the newest that there is room for are kept, and the one to blame.
 * @command: ended by NULL
 * @ret: free()
 * Return: 0; -ENOMEM.
 */
int answer_record_make(const struct answer *answer, const char *const *command, uint8_t **ret,
		       size_t *ret_len);

/**
 * answer_record_read() - out of a snapshot's @answer and @way
 * @symbols: of the capture; the answer borrows from them
 * @ret: set on success; free with answer_deinit()
 * @ret_command: ended by NULL; NULL: none was run. Free it, and its words
 * Return: 0; -EBADMSG if that makes no sense; -ENOMEM.
 */
int answer_record_read(const struct snapshot *snap, struct symbols *symbols, struct answer *ret,
		       char ***ret_command);

/** answer_record_free_command() - NULL is fine */
void answer_record_free_command(char **command);

#endif
