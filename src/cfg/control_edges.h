/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control_edges.h - the sides of conditional branches behind which an errno is certain
 *
 * The branches that an instruction is control dependent on (Ferrante, Ottenstein, Warren, "The
 * Program Dependence Graph and Its Use in Optimization", 1987): one way on they lead to it whatever
 * happens, the other way they may not. Each call that comes to the instruction has gone through one
 * of the edges, the last one.
 */
#ifndef LBRSNOOP_CFG_CONTROL_EDGES_H
#define LBRSNOOP_CFG_CONTROL_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfg/code.h"

/** struct control_edge - a conditional branch at @addr, and the way that it goes */
struct control_edge {
	uint64_t addr;
	bool taken;
};

/**
 * control_edges_before() - the edges from which control comes to an instruction
 *
 * A branch both sides of which come there is none of them, nor is one whose other side loads the
 * same errno, and returns it.
 * @site: of @code
 * @ret: @max of them
 * Return: how many, all of them; -ENOENT if not all ways there are known: it is reached from the
 * function's entry without a branch, or by an indirect jump; -E2BIG.
 */
int control_edges_before(const struct code *code, const struct insn *site, struct control_edge *ret,
			 size_t max);

/**
 * control_edges_behind() - the edges after which an errno that was loaded early must be returned
 * @site: of @code; loads a constant errno into a register
 * Return: as control_edges_before(); 0: it must be returned from @site on.
 */
int control_edges_behind(const struct code *code, const struct insn *site, struct control_edge *ret,
			 size_t max);

/**
 * control_edge_fails_alike() - does the other side of a branch load the same errno, and return it?
 * Or return one that was loaded before the branch. Then it did not decide for that, though it is
 * the last one before @site.
 * @taken: the side that led to @site
 */
bool control_edge_fails_alike(const struct code *code, const struct insn *site,
			      const struct insn *branch, bool taken);

#endif
