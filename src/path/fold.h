/* SPDX-License-Identifier: GPL-2.0 */
/* fold.h - loops that fill the LBR */
#ifndef LBRSNOOP_PATH_FOLD_H
#define LBRSNOOP_PATH_FOLD_H

#include "path/path.h"

/**
 * path_find_folds() - find blocks that repeat without a break, set path->folds
 * The longest repetition at each block wins; of equally long ones, the one with the shortest
 * round. Gaps never repeat.
 * Return: 0; -ENOMEM.
 */
int path_find_folds(struct path *path);

#endif
