/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why_event.h - what the programs of "lbrsnoop why" report through their ring buffer
 *
 * Shared by bpf/why.bpf.c and src/why, by nothing else.
 */
#ifndef LBRSNOOP_BPF_WHY_EVENT_H
#define LBRSNOOP_BPF_WHY_EVENT_H

#include "record.h"
#include "syscall_event.h"

/* Entries of functions that one system call keeps, the newest ones; a power of two. */
#define WHY_FUNCS_MAX 2048
/* Frames of a hit's stack. */
#define WHY_STACK_MAX 48
/* Hits that one system call keeps: the last one of each of the newest sites; a power of two. */
#define WHY_HITS_MAX 8
#define WHY_SAID_MAX 256
#define WHY_TEXT_MAX 128
/* What is read at one hit: numbers and pointers; of them strings. Powers of two. */
#define WHY_READS_MAX	32
#define WHY_STRINGS_MAX 4
#define WHY_STRING_MAX	64
/* Sites that can have a table of them. */
#define WHY_TABLES_MAX 256
/* Ends of a way, a debug register each. */
#define WHY_ENDS_MAX 4
/* Threads that are watched at once. */
#define WHY_TASKS_MAX 1024
/* Processes, which the threads are of. */
#define WHY_PROCESSES_MAX 16384

/** enum why_event_kind - what happened */
enum why_event_kind {
	WHY_FAILED = 1, /* a call failed: struct why_failed */
	WHY_SAID,	/* a process wrote to its standard error: struct why_said */
	WHY_EXEC,	/* a process executed a program: struct why_event */
	WHY_EXITED,	/* the last thread of a process ended: struct why_exited */
	WHY_HIT,    /* a site that was executed in the call that is told next: struct why_hit_of */
	WHY_LOGGED, /* the kernel logged a line in a call: struct why_said */
	WHY_POINT,  /* a breakpoint on the way to the error was hit: struct why_point */
	WHY_PASSED, /* a kprobe on the way to the error was: struct why_passed */
};

/** enum why_via - how an error came back */
enum why_via {
	WHY_VIA_SYSCALL = 0, /* the value that the call returned */
	WHY_VIA_NETLINK,     /* an acknowledgement, of netlink_ack() */
	WHY_VIA_IO_URING,    /* a completion, of the tracepoint io_uring_complete */
};

/* struct why_read's @from, beside indexes into struct pt_regs */
#define WHY_FROM_NOWHERE 31 /* @offset is the address */
#define WHY_FROM_READ	 32 /* and above: where the read of that number, less this, points */

/**
 * struct why_read - one read of kernel memory at a hit
 * @offset: is added to what @from says
 * @from: index into struct pt_regs, WHY_FROM_NOWHERE, or WHY_FROM_READ and above
 * @bytes: of a number, 1 to 8
 * @string: 0: a number; else a string, kept at this number less one
 */
struct why_read {
	__s64 offset;
	__u8 from;
	__u8 bytes;
	__u8 string;
	__u8 unused[5];
};

/** struct why_read_table - what is read at each hit of a site: the first @count */
struct why_read_table {
	__u32 count;
	__u32 unused;
	struct why_read reads[WHY_READS_MAX];
};

/**
 * struct why_event - the head of each event
 * @seq: counts up over all CPUs: the order of events
 * @mono_ns: CLOCK_MONOTONIC
 * @kind: enum why_event_kind
 * @switches: how often the thread has let another one run, since it began
 */
struct why_event {
	__u64 seq;
	__u64 mono_ns;
	__u32 kind;
	__u32 tgid;
	__u32 tid;
	__u32 switches;
	char comm[RECORD_COMM_LEN];
};

/**
 * struct why_hit - an instruction that loads an errno was executed
 * @ip: its address
 * @order: counts the hits of the call, from 1; 0: this hit is not there
 * @site: index of the site, given by the loader
 * @err: positive errno that it loads
 * @frames: of @stack
 * @hw: by a hardware breakpoint: @rec holds the branches
 * @read: bit N: read number N of the site's table could be done
 * @regs: struct pt_regs before the instruction
 * @values, @strings: what was read, NUL-terminated; struct why_read_table
 * @stack: instruction, then return addresses, innermost first
 */
struct why_hit {
	__u64 ip;
	__u32 order;
	__u32 site;
	__u32 err;
	__u32 frames;
	__u32 hw;
	__u32 read;
	__u64 regs[RECORD_REGS];
	__u64 values[WHY_READS_MAX];
	char strings[WHY_STRINGS_MAX][WHY_STRING_MAX];
	__u64 stack[WHY_STACK_MAX];
	struct record rec;
};

/** struct why_hit_of - @of: the seq of its struct why_failed, which follows */
struct why_hit_of {
	struct why_event head;
	__u64 of;
	struct why_hit hit;
};

/**
 * struct why_failed - a system call failed, or what it sent for did
 * With watch_ends() also one that came by one of these, whatever it returned.
 * @begin_ns: CLOCK_MONOTONIC when the call began
 * @via: enum why_via
 * @err: positive errno; 0: it did not fail
 * @result: what the system call returned; or minus @err
 * @hits: of sites since the call began
 * @entered: functions that were entered since the call began; @funcs has the newest of them
 * @hits_lost: of @err's sites some hits are not told
 * @refused: the kernel did not begin the call: kernel/entry/common.c, syscall_trace_enter(), asks a
 *           seccomp filter first
 * @signal: 0; or its number: the handler of this signal runs, which ended the call with EINTR
 * @restarts: with SA_RESTART the handler would have the call begun again
 * @text: of the extended acknowledgement, NUL-terminated
 * @call: the arguments, as they were when the call returned
 * @funcs: lower halves of the entries' addresses; entry number N stands at N modulo WHY_FUNCS_MAX;
 *         what stands behind the last one is not told: why_failed_bytes()
 */
struct why_failed {
	struct why_event head;
	__u64 begin_ns;
	__u32 via;
	__u32 err;
	__u32 hits;
	__u32 entered;
	__u32 hits_lost;
	__u32 refused;
	__u32 signal;
	__u32 restarts;
	__s64 result;
	char text[WHY_TEXT_MAX];
	struct syscall_event call;
	__u32 funcs[WHY_FUNCS_MAX];
};

/** why_failed_bytes() - bytes of a struct why_failed with @entered functions that are told */
static inline __u64 why_failed_bytes(__u32 entered)
{
	__u64 count = entered < WHY_FUNCS_MAX ? entered : WHY_FUNCS_MAX;

	return __builtin_offsetof(struct why_failed, funcs) + count * sizeof(__u32);
}

/** struct why_said - written to file descriptor 2; @len bytes of @bytes are valid */
struct why_said {
	struct why_event head;
	__u32 len;
	__u32 unused;
	char bytes[WHY_SAID_MAX];
};

/** struct why_branch - FROM and TO of one LBR entry */
struct why_branch {
	__u64 from;
	__u64 to;
};

/**
 * struct why_point - a breakpoint on the way to the error was hit in a call of a traced task
 * @ip: its address
 * @call: counts the task's calls
 * @count: of @branches
 * @regs: struct pt_regs before the instruction
 * @top: the word at the stack pointer: where a return leads to; 0: it could not be read
 * @branches: the newest first
 */
struct why_point {
	struct why_event head;
	__u64 ip;
	__u32 call;
	__u32 count;
	__u64 regs[RECORD_REGS];
	__u64 top;
	struct why_branch branches[RECORD_BRANCHES_MAX];
};

/**
 * struct why_passed - a kprobe on the way to the error was hit in a call of a traced task
 * @ip: the instruction that it stands on
 * @call: counts the task's calls
 * @regs: as of struct why_point, but that the instruction pointer is behind the kprobe's own
 * @top: as of struct why_point
 */
struct why_passed {
	struct why_event head;
	__u64 ip;
	__u32 call;
	__u32 unused;
	__u64 regs[RECORD_REGS];
	__u64 top;
};

/** struct why_exited - @code as waitpid() gives it */
struct why_exited {
	struct why_event head;
	__u32 code;
	__u32 unused;
};

#endif
