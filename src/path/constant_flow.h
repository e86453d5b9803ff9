/* SPDX-License-Identifier: GPL-2.0 */
/* constant_flow.h - what becomes of a constant in a register, on the way that ran and on those that
 * did not
 */
#ifndef LBRSNOOP_PATH_CONSTANT_FLOW_H
#define LBRSNOOP_PATH_CONSTANT_FLOW_H

#include "path/path.h"

/**
 * path_constant_lost() - is the constant that @insn loads certain to be lost, and so no result?
 * @insn: index into path->insns
 * @block: index into path->blocks of the block that holds it
 * Return: true if, before anything can have copied it, its register is written again, or the
 * function is left and it is not the one that holds results.
 */
bool path_constant_lost(const struct path *path, uint32_t insn, uint32_t block);

/**
 * path_decided_after() - the decision that kept a constant which was loaded early
 * "err = -EINVAL; if (a) goto out; if (b) goto out; err = ...": of those decisions in the
 * constant's own function, while its register still holds it, the newest whose other side leads
 * to code that writes the register. One that asks for the register itself is none.
 * Return: index into path->decisions; PATH_NONE if that can be said of none.
 */
uint32_t path_decided_after(const struct path *path, uint32_t insn, uint32_t block);

/**
 * path_decision_idle() - do both sides of a decision certainly come to the same?
 * @insn: index into path->insns of a constant that is loaded before it
 * Return: true if all ways on its other side come to what ran after it, the register unchanged.
 */
bool path_decision_idle(const struct path *path, uint32_t decision, uint32_t insn);

/**
 * path_trigger_in_case() - does the trigger's instruction load its constant before it is decided?
 * Compilers load an errno early. What comes after the trigger is not in the record.
 * Return: true if on a way from there on the register is certain to be written again.
 */
bool path_trigger_in_case(const struct path *path);

#endif
