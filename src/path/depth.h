/* SPDX-License-Identifier: GPL-2.0 */
/* depth.h - the call tree of a path */
#ifndef LBRSNOOP_PATH_DEPTH_H
#define LBRSNOOP_PATH_DEPTH_H

#include "path/path.h"

/**
 * path_set_depths() - set the depth of each block of a path
 * Returns are matched with calls by address, so that thunks which drop a return address, and
 * hooks which replace one, leave the depth right.
 * @branches: that the path was built from
 * @user: it is a program's
 * Return: 0; -ENOMEM.
 */
int path_set_depths(struct path *path, const struct branch *branches, bool user,
		    const struct path_options *opts);

#endif
