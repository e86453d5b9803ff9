/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fault_place.h - where the kernel's own errors are watched
 *
 * Shared by what chooses the places and by the BPF programs that stand there.
 */
#ifndef LBRSNOOP_SNAPSHOT_FAULT_PLACE_H
#define LBRSNOOP_SNAPSHOT_FAULT_PLACE_H

/**
 * enum fault_place - bits 39:32 of the attach cookie of a preset's probe
 *
 * At the early places, hardware breakpoints, the branches before the fault are still there; but not
 * all that comes by there is an error. So they are kept until the late place says so: kprobes, and
 * a breakpoint.
 */
enum fault_place {
	FAULT_PLACE_NONE = 0,
	FAULT_UD2,	   /* report_bug(): WARN and BUG() alike */
	FAULT_WARN_PRINTK, /* __warn_printk(): of a WARN with a text, before the exception */
	FAULT_FIXUP,	   /* fixup_exception(): it may be one that the kernel expects */
	FAULT_PAGE,	   /* page_fault_oops() */
	FAULT_WARN,	   /* __warn(): the first late place */
	FAULT_PAGE_OOPS,   /* page_fault_oops() */
	FAULT_DIE_ADDR,	   /* die_addr(): general protection */
	FAULT_DIE,	   /* die() */
	FAULT_DIE_BUG,	   /* die(), of BUG() alone */
	FAULT_KFENCE,	   /* kfence_report_error(): a breakpoint, too */
	/* What the kernel says: a breakpoint or kprobe each, that asks for the line */
	FAULT_PRINTK,	     /* vprintk_emit(): a line at level err or above */
	FAULT_PRINTK_LOCKUP, /* ... of the soft lockup detector */
	FAULT_PRINTK_STALL,  /* ... of RCU's stall detector */
};

#endif
