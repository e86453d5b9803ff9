/* SPDX-License-Identifier: GPL-2.0 */
/* preset.h - errors of the kernel and of programs by a name: preset:NAME */
#ifndef LBRSNOOP_TARGET_PRESET_H
#define LBRSNOOP_TARGET_PRESET_H

#include <stdbool.h>

#include "target/target.h"

/**
 * struct preset_place - one place of a preset
 * @targets: the best first; the first that this kernel has is armed
 * @fault: of a fault of the kernel: what stands there; early ones are done without where they are
 *         not to be had
 * @either: one such place of the preset is enough
 */
struct preset_place {
	const char *targets[3];
	enum fault_place fault;
	bool either;
};

/**
 * struct preset - one row of the table
 * @name: as a target names it
 * @what: in words
 * @source: where in the kernel its place is called from
 * @places: all are armed
 * @program: it is a program's error: user branches are recorded, and nothing of the kernel's
 * @part: another preset has it, too: "all" needs it not
 * @needs: for a person, what of the kernel's configuration one of the places of @either comes with
 * @until_oops: a kernel that has oopsed tells of it no more (kernel/hung_task.c)
 */
struct preset {
	const char *name;
	const char *what;
	const char *source;
	struct preset_place places[6];
	const char *needs;
	bool program;
	bool part;
	bool until_oops;
};

/** preset_for_each() - see target_list(): each, what it is, and where in the kernel it comes from
 */
int preset_for_each(target_row_fn *visit, void *ctx, struct errmsg *msg);

/** preset_find() - by name; NULL if there is none */
const struct preset *preset_find(const char *name);

/**
 * preset_parse() - check the name of preset:NAME
 * Return: 0; -EINVAL, @msg names those there are.
 */
int preset_parse(const char *name, struct target_spec *spec, struct errmsg *msg);

/**
 * preset_add() - append what the preset means, or for "all" what each does that is the kernel's
 * Return: as resolver_add(). Of "all", what this kernel has not is left out; @msg names it.
 */
int preset_add(struct resolver *resolver, const struct target_spec *spec, struct probe_list *list,
	       struct errmsg *msg);

#endif
