/* SPDX-License-Identifier: GPL-2.0 */
/* cleanup.h - locals that free themselves when they leave scope */
#ifndef LBRSNOOP_UTIL_CLEANUP_H
#define LBRSNOOP_UTIL_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fclose(FILE **p)
{
	if (*p)
		fclose(*p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_	 _cleanup_(cleanup_free)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_close_	 _cleanup_(cleanup_close)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
