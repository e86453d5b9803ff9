/* SPDX-License-Identifier: GPL-2.0 */
/* kprobes.h - whether the kernel can have any */
#ifndef LBRSNOOP_CAPTURE_KPROBES_H
#define LBRSNOOP_CAPTURE_KPROBES_H

#include <stdbool.h>

/**
 * kernel_has_kprobes() - is it built with CONFIG_KPROBES?
 * Source: kernel/events/core.c, perf_tp_register(): the PMU of this name is there with
 * CONFIG_KPROBE_EVENTS, which needs CONFIG_KPROBES.
 */
bool kernel_has_kprobes(void);

#endif
