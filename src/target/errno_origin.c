// SPDX-License-Identifier: GPL-2.0
#include "target/errno_origin.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/probe.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

/*
 * Further down there is little that a call's error can come from, and much that has nothing to do
 * with it: do_sys_openat2() of Linux 6.1 reaches 16 functions that make ENOENT, and from the sixth
 * on they are about timers, memory and cryptography.
 */
#define DEPTH_MAX     4
#define FUNCTIONS_MAX 2000
#define SIZE_MAX_LOOK (64u << 10)
/* More are no advice. */
#define NAMED_MAX 8

/** struct callee - a function that is looked at, or will be; @depth: calls below the first */
struct callee {
	struct symbol sym;
	unsigned int depth;
};

/** struct search - a walk over the call graph, nearest functions first; @known: tsearch() tree */
struct search {
	struct callgraph *graph;
	struct symbols *symbols;
	struct callee *queue;
	size_t count;
	void *known;
	struct errno_origins *origins;
};

/*
 * What every function may call, and what has nothing to say about its error: the scheduler,
 * messages, tracing, the locks.
 */
static const char *const asides[] = {
	"__fentry__",  "schedule", "__cond_resched", "__might_",     "_printk",	   "__warn",
	"dump_stack",  "panic",	   "trace_",	     "__bpf_",	     "mutex_lock", "mutex_unlock",
	"down_",       "up_",	   "_raw_",	     "__rcu_",	     "rcu_",	   "__x86_",
	"__stack_chk", "ftrace_",  "__SCT__",	     "synchronize_", "audit_",	   "__audit_",
	"perf_",       "preempt_", "dynamic_",	     "__dynamic_",   "kasan_",	   "__ubsan",
};

static bool is_aside(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(asides); i++)
		if (!strncmp(name, asides[i], strlen(asides[i])))
			return true;
	return false;
}

/* 1 if it is new; 0 if it was there; negative errno */
static int remember(struct search *search, uint64_t addr)
{
	uint64_t *key = malloc(sizeof(*key));
	uint64_t **node;

	if (!key)
		return -ENOMEM;
	*key = addr;
	node = tsearch(key, &search->known, address_compare);
	if (!node || *node != key) {
		free(key);
		return node ? 0 : -ENOMEM;
	}
	return 1;
}

static int look_later(struct search *search, uint64_t addr, unsigned int depth)
{
	struct symbol sym;
	int is_new;

	if (symbols_find(search->symbols, addr, &sym) || sym.addr != addr || is_aside(sym.name))
		return 0;
	/* Our own trampoline, at the function's entry: it leads to the helper that we call. */
	if (symbol_is_bpf(&sym))
		return 0;
	is_new = remember(search, addr);
	if (is_new <= 0)
		return is_new;
	if (depth > DEPTH_MAX || search->count == FUNCTIONS_MAX) {
		search->origins->truncated = true;
		return 0;
	}
	if (vector_grow(&search->queue, search->count, sizeof(*search->queue)))
		return -ENOMEM;
	search->queue[search->count++] = (struct callee){.sym = sym, .depth = depth};
	return 0;
}

static int add_origin(struct errno_origins *origins, const struct callee *callee, size_t sites)
{
	if (vector_grow(&origins->items, origins->count, sizeof(*origins->items)))
		return -ENOMEM;
	origins->items[origins->count++] =
		(struct errno_origin){.sym = callee->sym, .depth = callee->depth, .sites = sites};
	return 0;
}

static int look_at(struct search *search, const struct callee *callee, int wanted)
{
	struct errno_origins *origins = search->origins;
	const struct callgraph_node *node;
	size_t sites = 0;
	int err;

	if (callee->sym.size > SIZE_MAX_LOOK)
		return 0;
	err = callgraph_node(search->graph, &callee->sym, &node);
	if (err || node->err)
		return err ?: callee->depth ? 0 : node->err;
	origins->functions++;
	origins->indirect += node->indirect;
	for (size_t i = 0; i < node->errno_count; i++)
		sites += node->errnos[i] == wanted;
	if (sites)
		err = add_origin(origins, callee, sites);
	for (size_t i = 0; !err && i < node->call_count; i++)
		err = look_later(search, node->calls[i], callee->depth + 1);
	return err;
}

int errno_origins_find(struct callgraph *graph, struct symbols *symbols, uint64_t addr, int err,
		       struct errno_origins **ret)
{
	struct search search = {.graph = graph, .symbols = symbols};
	int wanted = err;

	search.origins = calloc(1, sizeof(*search.origins));
	if (!search.origins)
		return -ENOMEM;
	err = look_later(&search, addr, 0);
	if (!err && !search.count)
		err = -ENOENT;
	for (size_t i = 0; !err && i < search.count; i++) {
		struct callee callee = search.queue[i]; /* the queue moves */

		err = look_at(&search, &callee, wanted);
	}
	tdestroy(search.known, free);
	free(search.queue);
	if (err)
		errno_origins_free(search.origins);
	else
		*ret = search.origins;
	return err;
}

static bool ran_in(const struct symbol *sym, const struct snapshot *snap)
{
	for (uint32_t i = 0; i < snap->count; i++)
		if (snap->branches[i].from - sym->addr < sym->size ||
		    snap->branches[i].to - sym->addr < sym->size)
			return true;
	return false;
}

size_t errno_origins_prefer_seen(struct errno_origins *origins, const struct snapshot *snap)
{
	size_t seen = 0;

	for (size_t i = 0; i < origins->count; i++) {
		struct errno_origin origin = origins->items[i];

		origin.seen = ran_in(&origin.sym, snap);
		origins->items[i] = origin;
		if (!origin.seen)
			continue;
		memmove(&origins->items[seen + 1], &origins->items[seen],
			(i - seen) * sizeof(origins->items[0]));
		origins->items[seen++] = origin;
	}
	return seen;
}

size_t errno_origins_advice(const struct errno_origins *origins, int err, char *buf, size_t size)
{
	size_t named = origins->count < NAMED_MAX ? origins->count : NAMED_MAX, sites = 0, len;
	const char *name = strerrorname_np(err);

	buf[0] = '\0';
	if (!named)
		return 0;
	for (size_t i = 0; i < named; i++)
		sites += origins->items[i].sites;
	len = name ? snprintf(buf, size, "--at errno -e %s", name)
		   : snprintf(buf, size, "--at errno -e %d", err);
	if (sites > HW_SITES_MAX && len < size)
		len += snprintf(buf + len, size - len, " --rotate");
	/* Other modules, or the kernel itself, may have a function of the same name. */
	for (size_t i = 0; i < named && len < size; i++) {
		const struct symbol *sym = &origins->items[i].sym;

		len += snprintf(buf + len, size - len, " %s%s%s", sym->module,
				*sym->module ? ":" : "", sym->name);
	}
	return named;
}

void errno_origins_free(struct errno_origins *origins)
{
	if (!origins)
		return;
	free(origins->items);
	free(origins);
}
