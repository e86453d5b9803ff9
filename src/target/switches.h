/* SPDX-License-Identifier: GPL-2.0 */
/* switches.h - probes that the administrator has switched off: they are armed, and never fire */
#ifndef LBRSNOOP_TARGET_SWITCHES_H
#define LBRSNOOP_TARGET_SWITCHES_H

#include <stdbool.h>

#include "snapshot/probe.h"

/* struct switches - what the kernel accepts and does not carry out */
struct switches {
	bool kprobes_off; /* debugfs' kprobes/enabled is 0: kernel/kprobes.c, arm_all_kprobes() */
	bool ftrace_off;  /* kernel.ftrace_enabled is 0: fentry, fexit, kprobe.multi, and kprobes
			   * at the entry of a function: kernel/trace/ftrace.c, ftrace_startup() */
};

/* How each is switched on again, for messages. */
#define SWITCH_KPROBES_ON "echo 1 >/sys/kernel/debug/kprobes/enabled"
#define SWITCH_FTRACE_ON  "sysctl kernel.ftrace_enabled=1"

/**
 * switches_read() - ask the running kernel
 * What cannot be read counts as on: without debugfs nobody can have switched kprobes off lately,
 * and kernels without the tracer have no such sysctl.
 */
struct switches switches_read(void);

/**
 * switches_stop() - would this probe be armed, and never fire?
 * Return: why, and what switches it on again; NULL if it fires.
 */
const char *switches_stop(const struct switches *switches, const struct probe *probe);

/** switches_read_at() - the same of files at these paths */
struct switches switches_read_at(const char *kprobes, const char *ftrace);

#endif
