/* SPDX-License-Identifier: GPL-2.0 */
/* command.h - one run of a command whose calls are watched */
#ifndef LBRSNOOP_WHY_RUN_COMMAND_H
#define LBRSNOOP_WHY_RUN_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "util/errmsg.h"
#include "why/run/probes.h"

/**
 * struct command - how a run is made; all functions get @ctx
 * @start: start the command; it waits for @go. @quiet: what it writes is not to be seen again
 * @go: let it run
 * @ended: has it ended? *@ret_status as waitpid() gives it
 * @stop: the user wants no more
 * @end: then, while it runs: have it end, and wait for that
 */
struct command {
	int (*start)(void *ctx, bool quiet, uint32_t *ret_pid, struct errmsg *msg);
	void (*go)(void *ctx);
	bool (*ended)(void *ctx, int *ret_status);
	bool (*stop)(void *ctx);
	void (*end)(void *ctx);
	void *ctx;
};

/** typedef command_fn - called while the command runs, and once afterwards; non-zero ends it all */
typedef int command_fn(void *ctx);

/**
 * command_run() - run it, from its start to its end; not at all if the user wants no more already
 * @into: what failed, sorted
 * @look: or NULL; gets @look_ctx
 * Return: 0; -EINTR if the user wants no more; negative errno, with @msg.
 */
int command_run(const struct command *command, struct probes *probes, struct failures *into,
		bool quiet, command_fn *look, void *look_ctx, int *ret_status, struct errmsg *msg);

#endif
