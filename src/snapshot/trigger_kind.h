/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trigger_kind.h - the kinds of triggers, and what sets each apart: one row of a table
 *
 * Two other tables have a row for each kind: target/kinds.c, how users write it and what it is
 * resolved by; capture/attach.c, its BPF program and how it is attached.
 */
#ifndef LBRSNOOP_SNAPSHOT_TRIGGER_KIND_H
#define LBRSNOOP_SNAPSHOT_TRIGGER_KIND_H

#include <stdbool.h>

#include "snapshot/trigger_number.h"

/** enum trigger_value - what a record's value is */
enum trigger_value {
	VALUE_NONE = 0,
	VALUE_RETURN,	       /* the return register, if the function's type holds an errno */
	VALUE_RETURN_AT_SITES, /* the same, of a breakpoint on returns or where an errno is loaded
				*/
	VALUE_SYSCALL_RETURN,  /* of sys_exit tracepoints alone */
	VALUE_USER_RETURN,     /* the return register of a user function, which may mean anything */
	VALUE_SIGNAL,	       /* its number */
	VALUE_BUG_ADDRESS,     /* of the ud2 of a WARN or BUG(), 0 for other faults */
};

/** enum trigger_spends - the newest LBR entries, which are the capture's own; see symbolize/trim.c
 */
enum trigger_spends {
	SPENDS_NOTHING = 0,
	SPENDS_FROM_RETURN,    /* all since the function's return */
	SPENDS_FROM_ENTRY,     /* all since the call of the function */
	SPENDS_TRACER,	       /* those in code of tracers */
	SPENDS_FROM_EXCEPTION, /* all since the debug exception, if it is recorded */
	SPENDS_FROM_FAULT,     /* the same of any exception */
	SPENDS_FROM_EVENT,     /* of a perf event of software */
	SPENDS_KERNEL,	       /* all of the kernel's: the event is a program's */
};

/**
 * struct trigger_traits - one kind
 * @name: as JSON and the screen have it
 * @program_event: the event is a program's, not the kernel's
 * @after_return: it fires when the function has returned: the return is the last branch
 * @by_exception: the CPU stops right at the place, which tells whether the branches lead there
 * @by_ftrace, @by_kprobes: kernel.ftrace_enabled, kprobes' own switch decide whether it fires
 * @needs_no_symbols: it is armed by a name that the kernel knows itself
 */
struct trigger_traits {
	const char *name;
	enum trigger_value value;
	enum trigger_spends spends;
	bool program_event;
	bool after_return;
	bool by_exception;
	bool by_ftrace;
	bool by_kprobes;
	bool needs_no_symbols;
};

/** trigger_traits() - row of a kind; that of TRIGGER_NONE if there is no such kind */
const struct trigger_traits *trigger_traits(enum trigger_kind kind);

/** trigger_kind_name() - name of a kind: "fexit", "hw", ...; "unknown" */
const char *trigger_kind_name(enum trigger_kind kind);

#endif
