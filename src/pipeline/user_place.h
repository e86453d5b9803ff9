/* SPDX-License-Identifier: GPL-2.0 */
/* user_place.h - snapshots of user functions, put into the process that they are of */
#ifndef LBRSNOOP_PIPELINE_USER_PLACE_H
#define LBRSNOOP_PIPELINE_USER_PLACE_H

#include "snapshot/probe.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "symbolize/user/userspace.h"
#include "util/errmsg.h"

struct user;

/**
 * user_create() - prepare
 * @probes: whose files are opened; what was found then stays, whatever becomes of the paths
 * @symbols: names addresses of the process at hand from now on; borrowed, as is @debug_dir
 * Return: 0; -ENOMEM. Free with user_destroy(), after all that borrows names.
 */
int user_create(const struct probe_list *probes, struct symbols *symbols, const char *debug_dir,
		struct user **ret_user);
void user_destroy(struct user *user);

/** user_space() - for capture/, which tells it what happens */
struct userspace *user_space(struct user *user);

/** user_text() - @kernel's text, and that of the process at hand; @kernel.read may be NULL */
struct text_source user_text(struct user *user, const struct text_source *kernel);

/**
 * user_place() - addresses are of this snapshot's process from now on; says where its trigger is
 * there, and whether all branches are in its code. Does little for a kernel function; @user may be
 * NULL.
 */
void user_place(struct user *user, struct snapshot *snap);

#endif
