/* SPDX-License-Identifier: GPL-2.0 */
/*
 * errno_origin.h - who makes an error that a function passes on
 *
 * Most functions that return an error got it from one that they called. Those that can have made
 * it are found in the text: what the function calls directly, what these call, and so on; calls
 * through pointers end the search there.
 */
#ifndef LBRSNOOP_TARGET_ERRNO_ORIGIN_H
#define LBRSNOOP_TARGET_ERRNO_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "target/callgraph.h"

/**
 * struct errno_origin - a function with instructions that make the errno
 * @sym: the function; its names belong to the symbols
 * @depth: calls between the function asked for and this one, 0 for itself
 * @sites: instructions in it that make the errno
 * @seen: errno_origins_prefer_seen(): a branch of the record begins or ends in it
 */
struct errno_origin {
	struct symbol sym;
	unsigned int depth;
	size_t sites;
	bool seen;
};

/**
 * struct errno_origins - what was found
 * @items: nearest first; after errno_origins_prefer_seen() those that are seen before the others
 * @functions: looked at
 * @indirect: calls through pointers in them: what those call is not known
 * @truncated: there was more to look at than the limits allow
 */
struct errno_origins {
	struct errno_origin *items;
	size_t count;
	size_t functions;
	size_t indirect;
	bool truncated;
};

/**
 * errno_origins_find() - search the functions that @addr calls, and those that they call
 * @graph: what is read of them is kept there for the next search
 * @err: positive errno
 * @ret: set on success only; free with errno_origins_free()
 * Return: 0; -ENOENT if no symbol holds @addr; -EFAULT if its text cannot be read; -ENOMEM.
 */
int errno_origins_find(struct callgraph *graph, struct symbols *symbols, uint64_t addr, int err,
		       struct errno_origins **ret);

/**
 * errno_origins_prefer_seen() - functions that ran in what was captured come first
 * A failure may not come often: those are armed first where they take turns.
 * Return: how many.
 */
size_t errno_origins_prefer_seen(struct errno_origins *origins, const struct snapshot *snap);

/**
 * errno_origins_advice() - the words to trace them with: "--at errno -e ENOENT step_into may_open"
 * @err: positive errno
 * @buf: always NUL-terminated on return
 * Return: how many functions are named, the first of @origins; @buf is "" if none can be.
 */
size_t errno_origins_advice(const struct errno_origins *origins, int err, char *buf, size_t size);

/** errno_origins_free() - free; NULL is fine */
void errno_origins_free(struct errno_origins *origins);

#endif
