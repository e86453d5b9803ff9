/* SPDX-License-Identifier: GPL-2.0 */
/* closer.h - what to trace next, when an error was made further in than the record reaches */
#ifndef LBRSNOOP_CMD_CLOSER_H
#define LBRSNOOP_CMD_CLOSER_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/* Functions and errors that were spoken of; beyond these, silence. */
#define CLOSER_TOLD_MAX 64

/** struct closer - zeroed to start with */
struct closer {
	struct {
		uint64_t func_addr;
		int err;
	} told[CLOSER_TOLD_MAX];
	size_t told_count;
};

/**
 * closer_say() - log, once for each function and error, which functions can have made it
 * @snap: of a function that passed the error on
 */
void closer_say(struct closer *closer, const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols);

#endif
