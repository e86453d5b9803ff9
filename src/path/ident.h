/* SPDX-License-Identifier: GPL-2.0 */
/* ident.h - a number for a path that is the same wherever and whenever the path was taken */
#ifndef LBRSNOOP_PATH_IDENT_H
#define LBRSNOOP_PATH_IDENT_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * path_ident() - number of what a snapshot shows
 *
 * Made of the kernel's build ID, the function and the errno that were captured, and the branches
 * that the trimmed view shows, each end as symbol, module and offset: of addresses, which KASLR
 * moves, where there is no symbol. An end in user space is "user", whatever its address; BPF
 * trampolines, which are numbered as they are made, are one. Mispredictions and cycles do not
 * count. So hosts with one kernel build agree on it, boots and KASLR aside; snapshots of other
 * triggers, other branch filters, or LBRs of another depth show other branches, and are other
 * paths.
 *
 * @snap: trimmed
 * @symbols: of the kernel that the branches are of
 * @build_id: of that kernel, @build_id_len bytes, 0 if it is not known
 * Return: 64 bits; two paths have the same by chance once in 2^64 pairs.
 */
uint64_t path_ident(const struct snapshot *snap, struct symbols *symbols, const void *build_id,
		    size_t build_id_len);

#endif
