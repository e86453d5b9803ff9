/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSNOOP_SYMBOLIZE_TRIM_H
#define LBRSNOOP_SYMBOLIZE_TRIM_H
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
static inline void snapshot_trim(struct snapshot *snap, struct symbols *syms) { (void)snap; (void)syms; }
#endif
