/* SPDX-License-Identifier: GPL-2.0 */
/* tracing.h - which branches are those of tracers, in the middle of the traced code */
#ifndef LBRSNOOP_SYMBOLIZE_TRACING_H
#define LBRSNOOP_SYMBOLIZE_TRACING_H

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/** struct branch_symbols - the kernel's functions at both ends; .name is NULL where none is known
 */
struct branch_symbols {
	struct symbol from;
	struct symbol to;
};

/**
 * snapshot_mark_tracing() - set @snap->tracing, and branch.tracing of each branch
 * A function that is traced, by us or by others, calls the tracer's code on its way: trampolines
 * of BPF and ftrace, probes of tracepoints, the exceptions of kprobes and hardware breakpoints.
 * All that is no part of the program. Only the branches that are not wasted are looked at, and
 * none if calls or returns are filtered out.
 * @snap: trimmed
 * @found: of each branch
 */
void snapshot_mark_tracing(struct snapshot *snap, struct symbols *syms,
			   const struct branch_symbols *found);

#endif
