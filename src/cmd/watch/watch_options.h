/* SPDX-License-Identifier: GPL-2.0 */
/* watch_options.h - the options of the trace that a service's configuration asks for */
#ifndef LBRSNOOP_CMD_WATCH_WATCH_OPTIONS_H
#define LBRSNOOP_CMD_WATCH_WATCH_OPTIONS_H

#include <stdbool.h>

#include "cmd/trace/trace_options.h"
#include "watch/config.h"

/** struct watch_learned - functions in which "why" has seen errors made on this kernel */
struct watch_learned {
	char **names;
	size_t count;
};

/**
 * watch_learned() - those, if @config asks for them
 * @ret: set in any case; free with watch_learned_deinit()
 * Return: 0; -ENOMEM.
 */
int watch_learned(const struct watch_config *config, struct watch_learned *ret);

/** watch_learned_deinit() - free */
void watch_learned_deinit(struct watch_learned *learned);

struct cgroup;

/**
 * watch_cgroup() - the control group that a configuration names, as it is now
 * Return: 0; -ENOENT; -ENODATA: it names none.
 */
int watch_cgroup(const struct watch_config *config, struct cgroup *ret);

/**
 * watch_find_cgroup() - as watch_cgroup(); one that is gone now, but was watched before, will come
 * back: its unit is started again
 * @known: that was watched before; @known->id is 0: none was
 * @ret: set on success; @ret->id is 0 if @config names none
 * Return: 0; -ENOENT, after saying so.
 */
int watch_find_cgroup(const struct watch_config *config, const struct cgroup *known,
		      struct cgroup *ret);

/**
 * watch_options() - from a configuration
 * @config, @learned: borrowed until trace_options_deinit(), and @ret not moved until then
 * @learned: NULL: for no host in particular
 * @cgroup: of watch_find_cgroup(); not used if @learned is NULL
 * @ret: set on success
 * Return: 0; -EINVAL, -ENOENT, -ENOMEM, after saying so.
 */
int watch_options(const struct watch_config *config, const struct watch_learned *learned,
		  const struct cgroup *cgroup, struct trace_options *ret);

#endif
