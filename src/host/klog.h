/* SPDX-License-Identifier: GPL-2.0 */
/* klog.h - what the kernel said around a snapshot, from /dev/kmsg */
#ifndef LBRSNOOP_HOST_KLOG_H
#define LBRSNOOP_HOST_KLOG_H

#include <stdint.h>

#include "snapshot/snapshot.h"

struct klog;

/**
 * klog_open() - from now on
 * @path: "/dev/kmsg", or a file like it
 * Return: 0; negative errno. Free with klog_close().
 */
int klog_open(const char *path, struct klog **ret_klog);

/**
 * klog_around() - lines of a moment: from 500 ms before it to what has been said by now
 * Waits for the kernel to finish its report, for 200 ms at most; not where events come in a flood.
 * @ts_ns: CLOCK_REALTIME
 * Return: valid until the next call.
 */
const struct log_lines *klog_around(struct klog *klog, uint64_t ts_ns);

/** klog_close() - NULL is fine */
void klog_close(struct klog *klog);

#endif
