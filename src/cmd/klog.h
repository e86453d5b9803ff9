/* SPDX-License-Identifier: GPL-2.0 */
/* klog.h - what the kernel said around a snapshot, from /dev/kmsg */
#ifndef LBRSNOOP_CMD_KLOG_H
#define LBRSNOOP_CMD_KLOG_H

#include <stddef.h>
#include <stdint.h>

#define KLOG_LINES_MAX 64

/** struct klog_lines - oldest first; valid until the next call; @left_out: further ones */
struct klog_lines {
	const char *text[KLOG_LINES_MAX];
	size_t count;
	size_t left_out;
};

struct klog;

/**
 * klog_open() - from now on
 * @path: "/dev/kmsg", or a file like it
 * Return: 0; negative errno. Free with klog_close().
 */
int klog_open(const char *path, struct klog **ret_klog);

/**
 * klog_around() - lines of a moment: from 100 ms before it to what has been said by now
 * Waits for the kernel to finish its report, for 200 ms at most.
 * @ts_ns: CLOCK_REALTIME
 */
void klog_around(struct klog *klog, uint64_t ts_ns, struct klog_lines *ret_lines);

/** klog_close() - NULL is fine */
void klog_close(struct klog *klog);

#endif
