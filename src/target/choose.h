/* SPDX-License-Identifier: GPL-2.0 */
/*
 * choose.h - which trigger for which function
 *
 * A hardware breakpoint on the return loses no entry of the LBR, fexit and kretprobe lose 17 and
 * more. It is possible where every way out of the function is a return that a debug register can
 * stand on.
 */
#ifndef LBRSNOOP_TARGET_CHOOSE_H
#define LBRSNOOP_TARGET_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"

/**
 * struct choose_options - what there is to choose from
 * @symbols: borrowed
 * @text: kernel text as it runs; borrowed
 * @as_built: ... or as it was built. Returns stand where they stood, but a patched jump may lead
 *            elsewhere: that an errno site always returns its errno is not taken for proven then
 * @at_errno: --at errno: breakpoints on the instructions that load the errno, or nothing
 * @rotate: more breakpoints than registers may take turns
 * @errnos: bit n: errno n is wanted; NULL: any. Where it names few, errno sites are preferred to
 *          returns even without @at_errno
 * @no_breakpoints: why none can be had on this machine, then @text is not read; NULL: they can
 */
struct choose_options {
	struct symbols *symbols;
	const struct text_source *text;
	bool as_built;
	bool at_errno;
	bool rotate;
	const uint64_t *errnos;
	const char *no_breakpoints;
};

/**
 * choose_triggers() - turn probes on function returns into hardware breakpoints where they fit
 *
 * Looks at probes whose kind the user left open (probe.fallback), and at those that -T hw asks to
 * stand on returns: for these, having none is an error. What did not get one has probe.hw_reason
 * set. Places the user named (hw:FN+OFF) count against the four registers, and are checked to be
 * instructions. With @opts->rotate, what does not fit into the registers at once is put into groups
 * (probe.group) that are armed in turn; a function with more returns than registers, with
 * @opts->at_errno more such instructions, becomes several probes, appended to @list.
 *
 * With @opts->no_breakpoints that is the probe.hw_reason of all. A probe of a preset gives way to
 * the next kind; one that is optional stays as it is, for arming it to say so.
 * Return: 0; -EINVAL, @msg says which target and why; -EOPNOTSUPP: breakpoints are asked for, and
 * @opts->no_breakpoints is why they cannot be had.
 */
int choose_triggers(const struct choose_options *opts, struct probe_list *list, struct errmsg *msg);

#endif
