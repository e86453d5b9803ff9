/* SPDX-License-Identifier: GPL-2.0 */
/* stops.h - what ran before each stop of the LBR, as truth_tail writes it */
#ifndef LBRSNOOP_TESTS_STOPS_H
#define LBRSNOOP_TESTS_STOPS_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/branch.h"
#include "truth.h"

#define NONE	    UINT32_MAX
#define STOP_NEWEST 8 /* branches that a stop is found by */

/** struct stop - a line of the file */
struct stop {
	const char *text; /* behind "CPU REASON" */
	size_t len;
	uint32_t newer; /* next of its chain */
	uint32_t hash;	/* of its STOP_NEWEST newest branches; 0 if it has fewer */
	uint8_t cpu;
	char reason; /* the first letter: debug exception, off, PMU */
};

/** struct stops - all of them, and chains of those whose newest branches have one hash */
struct stops {
	struct stop *all;
	size_t count;
	uint32_t *head;
	uint32_t mask;
	char *text;
	size_t size;
};

/** stops_load() - read the file; 0 or negative errno */
int stops_load(const char *path, struct stops *ret_stops);

/** stops_hash() - of the newest of these branches, as struct stop has it; 0 of too few */
uint32_t stops_hash(const struct branch *branches, uint32_t count);

/**
 * stop_read() - what a stop's line says
 * @log: its events, instead of those that it had
 * @branches: those of them that are branches, as indices, oldest first; room for @room
 * Return: 0 or -ENOMEM.
 */
int stop_read(const struct stop *stop, struct truth_cpu *log, uint32_t *branches, size_t room,
	      uint32_t *ret_count);

#endif
