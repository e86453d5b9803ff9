/* SPDX-License-Identifier: GPL-2.0 */
/* memory.h - how much of it this process has */
#ifndef LBRSNOOP_WATCH_MEMORY_H
#define LBRSNOOP_WATCH_MEMORY_H

#include <stdint.h>

/** memory_used() - resident bytes of this process, as proc(5) has them; 0 if that is not known */
uint64_t memory_used(void);

#endif
