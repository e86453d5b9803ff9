/* SPDX-License-Identifier: GPL-2.0 */
/* user.h - functions of programs: uprobe:PATH:SYMBOL[+OFFSET], uretprobe:PATH:SYMBOL */
#ifndef LBRSNOOP_TARGET_KINDS_USER_H
#define LBRSNOOP_TARGET_KINDS_USER_H

#include "target/target.h"

/**
 * user_parse() - take PATH:SYMBOL[+OFFSET] apart
 * SYMBOL may hold colons: C++ names do; the path may not.
 * @rest: what stands behind the prefix
 * @spec: with text and kind; path, name and offset are set
 * Return: 0; -EINVAL, @msg says why; -ENOMEM.
 */
int user_parse(const char *rest, struct target_spec *spec, struct errmsg *msg);

/**
 * user_add() - find the place in the file, append it to @list
 * Return: as resolver_add().
 */
int user_add(const struct resolve_options *opts, const struct target_spec *spec,
	     struct probe_list *list, struct errmsg *msg);

#endif
