/* SPDX-License-Identifier: GPL-2.0 */
/* link_missed.h - hits of a kprobe or kretprobe that no program was run for */
#ifndef LBRSNOOP_CAPTURE_LINK_MISSED_H
#define LBRSNOOP_CAPTURE_LINK_MISSED_H

#include <stdint.h>

/**
 * link_missed() - how many, as the kernel counted
 *
 * A kretprobe has room for some calls at once, max(10, 2 * CPUs) of them: the others are not seen
 * to return. A kprobe that is hit while another one is handled on that CPU is passed over.
 * @fd: of a BPF link
 * Return: 0 also of links of another kind, and on kernels that do not tell (before Linux 6.7).
 */
uint64_t link_missed(int fd);

#endif
