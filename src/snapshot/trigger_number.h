/* SPDX-License-Identifier: GPL-2.0 */
/* trigger_number.h - the numbers of the kinds of triggers, for the BPF programs too */
#ifndef LBRSNOOP_SNAPSHOT_TRIGGER_NUMBER_H
#define LBRSNOOP_SNAPSHOT_TRIGGER_NUMBER_H

/**
 * enum trigger_kind - how a snapshot was triggered
 *
 * A flight recorder's pages and capture files hold the number as it is: new ones go to the end.
 */
enum trigger_kind {
	TRIGGER_NONE = 0, /* no trigger: raw MSR dump */
	TRIGGER_FENTRY,
	TRIGGER_FEXIT,
	TRIGGER_KPROBE,
	TRIGGER_KRETPROBE,
	TRIGGER_TRACEPOINT,
	TRIGGER_RAWTRACEPOINT,
	TRIGGER_HW, /* hardware execution breakpoint */
	TRIGGER_UPROBE,
	TRIGGER_URETPROBE,
	TRIGGER_SIGNAL, /* that the kernel forces on a program for a fault of its own */
	TRIGGER_FAULT,	/* of the kernel: WARN, BUG(), an exception; taken by a hardware breakpoint
			 */
	TRIGGER_PERF,	/* perf event of the kernel's software */
	TRIGGER_PMI,	/* ... of the PMU: the interrupt when its counter overflows */
	TRIGGER_MULTI,	/* kprobe.multi: one program on the returns of many functions */
	TRIGGER_KIND_COUNT,
};

#endif
