/* SPDX-License-Identifier: GPL-2.0 */
/*
 * snapshot.h - one captured event: who, when, which trigger, which branches
 *
 * The seam of the tool. Whatever a snapshot was read from (ring buffer, capture file, crash
 * dump, raw MSRs), everything behind this type knows neither BPF nor the live kernel.
 */
#ifndef LBRSNOOP_SNAPSHOT_SNAPSHOT_H
#define LBRSNOOP_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/branch.h"
#include "snapshot/trigger_kind.h"

#define COMM_LEN 16

/**
 * struct trigger - one armed place
 * @target: as the user wrote it, or the name a glob matched
 * @kind: how it is armed
 * @function: kernel function, "" for tracepoints
 * @module: module of the function, "" for the kernel image; of a user function its file's name
 * @path: file of a user function; NULL for the kernel's
 * @addr: address armed: function entry, or the probed instruction; 0 if it has none, or if
 *        that differs by process
 * @func_addr: entry of the function, 0 if there is none, or if that differs by process
 * @file_addr: of a user function: its entry, as its file was linked
 * @func_size: bytes of the function's own symbol, 0 if unknown
 * @preset: armed for preset:NAME, live: the kernel's log tells more about it
 */
struct trigger {
	char *target;
	enum trigger_kind kind;
	char *function;
	char *module;
	char *path;
	uint64_t addr;
	uint64_t func_addr;
	uint64_t func_size;
	uint64_t file_addr;
	bool preset;
};

/**
 * struct raw_branch - an entry as its source gave it; decode/ knows what the bits mean
 * From the kernel: as struct perf_branch_entry.
 */
struct raw_branch {
	uint64_t from;
	uint64_t to;
	uint64_t info;
};

/** enum ptreg - registers, in the order of struct pt_regs (arch/x86/include/asm/ptrace.h) */
enum ptreg {
	PTREG_R15,
	PTREG_R14,
	PTREG_R13,
	PTREG_R12,
	PTREG_BP,
	PTREG_BX,
	PTREG_R11,
	PTREG_R10,
	PTREG_R9,
	PTREG_R8,
	PTREG_AX,
	PTREG_CX,
	PTREG_DX,
	PTREG_SI,
	PTREG_DI,
	PTREG_ORIG_AX,
	PTREG_IP,
	PTREG_CS,
	PTREG_FLAGS,
	PTREG_SP,
	PTREG_SS,
	PTREG_COUNT,
};

/* Words of 8 bytes that arguments are passed in by registers. */
#define ARGUMENTS_MAX	  6
#define ARGUMENT_NAME_MAX 32

/** enum argument_kind - how an argument's value is read */
enum argument_kind {
	ARGUMENT_SIGNED,
	ARGUMENT_UNSIGNED, /* also bool */
	ARGUMENT_POINTER,  /* 0 if it was NULL, else 1: where it led is nobody's business */
	ARGUMENT_KIND_COUNT,
};

/** struct argument - what a function was called with; @name borrowed as the snapshot's others */
struct argument {
	const char *name;
	enum argument_kind kind;
	int64_t value;
};

/* As kernel.perf_event_max_stack is, unless somebody changes it. */
#define BACKTRACE_MAX 127

/* Further lines of the kernel's log around an event are counted, and left out. */
#define LOG_LINES_MAX 256

/**
 * struct log_lines - what the kernel said around an event, oldest first
 * @text: without level and time; may hold any character but NUL
 * @left_out: further ones
 */
struct log_lines {
	const char *text[LOG_LINES_MAX];
	size_t count;
	size_t left_out;
};

/**
 * struct deep_way - branches that led to an event, from further back than the LBR reaches
 * @branches: oldest first, up to the snapshot's @ip
 */
struct deep_way {
	const struct branch_ends *branches;
	size_t count;
};

/** struct answer_bytes - what "lbrsnoop why" found out, as why/answer_record.h writes it */
struct answer_bytes {
	const uint8_t *bytes;
	size_t len;
};

/**
 * struct snapshot - one event
 * @ts_ns: CLOCK_REALTIME, nanoseconds
 * @cpu: CPU that the branches are of
 * @pid: thread group id (what userspace calls PID)
 * @tid: thread id
 * @comm: task name, NUL-terminated, may hold control characters
 * @trigger: what fired; borrowed from the source that filled the snapshot
 * @ip: address of the trigger's instruction, or of the instruction at fault; 0 if unknown
 * @has_retval: @retval is meaningful
 * @retval: return value, sign-extended from the function's return type
 * @err: positive errno that @retval stands for; 0 if it is no error
 * @signal: TRIGGER_SIGNAL: its number; else 0
 * @bug_ip: TRIGGER_FAULT: address of the ud2 of WARN or BUG(); 0 for other faults
 * @bug_warning: is that of a WARN? Clear: of BUG() (set by pipeline/fault)
 * @bug_file, @bug_line: of that, as the kernel has them (set by pipeline/fault); NULL and 0 if not
 * known
 * @regs: PTREG_COUNT registers where it happened; of a fault, as it was when it was raised. NULL:
 *        not reported. Borrowed from the source, until the next snapshot, as is @stack
 * @stack: instruction it happened at, then return addresses, innermost first; NULL: not reported
 * @stack_count: of @stack, up to BACKTRACE_MAX
 * @stack_cut: there are more
 * @log: what the kernel said around it (set by host/klog); NULL: nobody asked
 * @arguments: of the function, @argument_count: those of a number, an enum, a bool or a pointer
 * that were passed in registers; 0: not captured
 * @way: whence it came, of which the branches are the last; count 0: nobody looked. Borrowed as
 * @stack
 * @answer: of why, len 0: it was not asked. Borrowed as @stack
 * @lbr: the LBR it was read from; borrowed from the source
 * @filter: branch filter in force, perf's names joined by commas; borrowed from the source
 * @filtered: Linux sorted entries out of @raw afterwards, and left holes
 * @path_ok: the filter was "any": the branches are contiguous, a path can be rebuilt
 * @count: entries of @branches
 * @raw: the entries before they were decoded, newest first, empty ones included; NULL if there
 *       are none. Borrowed from the source, until the next snapshot
 * @raw_count: of @raw
 * @dropped: entries of the stack that were empty or invalid, and left out
 * @missing: entries of the stack that nobody has read: a raw dump may lack their registers
 * @wasted: newest entries spent by the capture itself (set by symbolize/trim)
 * @tracing: entries among those shown that the tracing of the functions in between took (set by
 *           symbolize/trim)
 * @stale: the branches are not those of this event: the LBR was off (set by path/staleness)
 * @mixed: some are in no code of this process: another program's (set by pipeline/user_place);
 * clear: all are in its own code
 * @shown_from: index of the first branch that the trimmed view shows (set by symbolize/trim)
 * @branches: oldest first. The last member: snapshot_clear() stops here
 */
struct snapshot {
	uint64_t ts_ns;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	char comm[COMM_LEN];
	const struct trigger *trigger;
	uint64_t ip;
	bool has_retval;
	int64_t retval;
	int err;
	int signal;
	uint64_t bug_ip;
	enum tri bug_warning;
	const char *bug_file;
	uint32_t bug_line;
	const uint64_t *regs;
	const uint64_t *stack;
	uint32_t stack_count;
	bool stack_cut;
	const struct log_lines *log;
	struct argument arguments[ARGUMENTS_MAX];
	uint32_t argument_count;
	struct deep_way way;
	struct answer_bytes answer;
	const struct lbr_info *lbr;
	const char *filter;
	bool filtered;
	bool path_ok;
	uint32_t count;
	const struct raw_branch *raw;
	uint32_t raw_count;
	uint32_t dropped;
	uint32_t missing;
	uint32_t wasted;
	uint32_t shown_from;
	uint32_t tracing;
	enum tri stale;
	enum tri mixed;
	struct branch branches[BRANCHES_MAX];
};

/**
 * struct text_source - where instruction bytes are read from
 * @read: copies @len bytes at @addr to @buf; 0, or -EFAULT if any of them is not there
 * @ctx: handed to @read
 */
struct text_source {
	int (*read)(void *ctx, uint64_t addr, void *buf, size_t len);
	void *ctx;
};

/**
 * snapshot_clear() - nothing known yet, as a source has to find it that fills the same one again
 *
 * What no source sets is set when the snapshot is classified, and not always. Entries of @branches
 * beyond @count have no meaning and stay: they are most of its bytes.
 */
void snapshot_clear(struct snapshot *snap);

/**
 * trigger_is_user() - of a program, not of the kernel? NULL is fine
 *
 * An event of the kernel's software is, too: what the kernel does to tell of it fills any LBR.
 */
bool trigger_is_user(const struct trigger *trigger);

/**
 * snapshot_fault_name() - "WARN", "BUG" or "exception"; "WARN or BUG" where nobody tells which
 * Return: NULL if it is no fault of the kernel.
 */
const char *snapshot_fault_name(const struct snapshot *snap);

#endif
