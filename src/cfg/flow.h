/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flow.h - can a negative errno that is in a register reach the function's result?
 *
 * Forward dataflow of the one value, path by path: through registers, the stack's slots and the
 * branches that the value itself decides ("test %eax,%eax; js"). Nothing is assumed of a value that
 * leaves the function otherwise.
 */
#ifndef LBRSNOOP_CFG_FLOW_H
#define LBRSNOOP_CFG_FLOW_H

#include <stdint.h>

#include "cfg/code.h"
#include "symbolize/symbolize.h"

/* Where the value can go; FLOW_LOST: it is overwritten on every path. */
#define FLOW_LOST      0
#define FLOW_RETURNED  (1u << 0) /* into the result of the function */
#define FLOW_ELSEWHERE (1u << 1) /* to memory, to a function that is called, or nobody can tell */

/**
 * flow_of_site() - where a constant goes to
 * @addr: of the instruction that loads it
 * @err: positive errno
 * Return: FLOW_*; FLOW_ELSEWHERE if @addr is no instruction of @code.
 */
unsigned int flow_of_site(const struct code *code, struct symbols *symbols, uint64_t addr,
			  uint16_t err);

/** flow_of_register() - ... and the value of 32 bits in a register, by the CPU's number, at @addr
 */
unsigned int flow_of_register(const struct code *code, struct symbols *symbols, uint64_t addr,
			      uint8_t reg, uint16_t err);

/** flow_of_result() - ... and the result of a function that returns to @addr */
unsigned int flow_of_result(const struct code *code, struct symbols *symbols, uint64_t addr,
			    uint16_t err);

#endif
