// SPDX-License-Identifier: GPL-2.0
#include "why/run/command.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"

/* What the log cannot see is not known; the answer is, where that is not needed. */
static void open_log(struct probes *probes, uint32_t pid)
{
	struct errmsg why = {};
	int err = probes_log(probes, &why);

	if (!err && probes->log)
		err = function_log_add(probes->log, pid, &why);
	if (err) {
		log_warning("%s", why.text[0] ? why.text : strerror(-err));
		probes_log_close(probes);
	}
}

int command_run(const struct command *command, struct probes *probes, struct failures *into,
		bool quiet, command_fn *look, void *look_ctx, int *ret_status, struct errmsg *msg)
{
	uint32_t pid;
	int err;

	if (command->stop(command->ctx))
		return errmsg_set(msg, -EINTR, "interrupted");
	err = command->start(command->ctx, quiet, &pid, msg);
	if (err)
		return err;
	into->root = pid;
	err = watch_add(probes->watch, pid);
	if (err)
		return errmsg_set(msg, err, "cannot watch process %u: %s", pid, strerror(-err));
	open_log(probes, pid);
	command->go(command->ctx);
	while (!err && !command->ended(command->ctx, ret_status)) {
		err = probes_poll(probes, into);
		if (!err && look)
			err = look(look_ctx);
		if (command->stop(command->ctx)) {
			command->end(command->ctx);
			return errmsg_set(msg, -EINTR, "interrupted");
		}
	}
	/* What is still in the buffers. */
	err = err ?: probes_drain(probes, into);
	if (!err && look)
		err = look(look_ctx);
	probes_functions_end(probes);
	failures_sort(into);
	return err ? errmsg_set(msg, err, "reading the ring buffer: %s", strerror(-err)) : 0;
}
