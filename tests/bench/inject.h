/* SPDX-License-Identifier: GPL-2.0 */
/* inject.h - what inject.c tells inject.bpf.c */
#ifndef LBRSNOOP_BENCH_INJECT_H
#define LBRSNOOP_BENCH_INJECT_H

/**
 * struct inject_args - one run of the program
 * @first: number of the first record; it stands where the thread id does
 * @count: records
 */
struct inject_args {
	__u32 first;
	__u32 count;
};

#endif
