// SPDX-License-Identifier: GPL-2.0
#include "cmd/closer.h"

#include <stdio.h>
#include <string.h>

#include "cmd/why_advice.h"
#include "target/makers.h"
#include "util/cleanup.h"
#include "util/log.h"

/* Enough for the options and 8 names. */
#define ADVICE_MAX 1024

static bool is_news(struct closer *closer, uint64_t func_addr, int err)
{
	for (size_t i = 0; i < closer->told_count; i++)
		if (closer->told[i].func_addr == func_addr && closer->told[i].err == err)
			return false;
	if (closer->told_count == CLOSER_TOLD_MAX)
		return false;
	closer->told[closer->told_count].func_addr = func_addr;
	closer->told[closer->told_count++].err = err;
	return true;
}

static const char *order(const struct makers *makers, size_t named, size_t seen)
{
	if (seen == makers->count || makers->count == 1)
		return "";
	if (seen)
		return ", those in this record first";
	return makers->count > named ? ", the nearest first" : "";
}

static void say(const struct trigger *trigger, int err, const struct makers *makers, size_t seen)
{
	const char *name = strerrorname_np(err);
	char advice[ADVICE_MAX], number[16];
	size_t named = makers_advice(makers, err, advice, sizeof(advice));

	snprintf(number, sizeof(number), "%d", err);
	if (named)
		log_info("of the functions that %s() calls, and those that they call, %zu can make "
			 "-%s%s; to see it: lbrsnoop %s",
			 trigger->function, makers->count, name ?: number,
			 order(makers, named, seen), advice);
	else if (makers->indirect && makers->functions > 1)
		log_info("none of the functions that %s() is seen to call makes -%s, %zu of them; "
			 "so one called through a pointer: a file system's, a protocol's or a "
			 "driver's",
			 trigger->function, name ?: number, makers->functions - 1);
	else if (makers->indirect)
		log_info("%s() calls others through pointers alone: a file system's, a protocol's "
			 "or a driver's",
			 trigger->function);
}

/* Which call failed, and where in the kernel, is found out without naming a function. */
static void say_why(const struct trace_options *opts, const struct snapshot *snap)
{
	const char *name = strerrorname_np(snap->err);
	char advice[WHY_ADVICE_MAX], number[16];

	snprintf(number, sizeof(number), "%d", snap->err);
	log_info("-%s was made further in than %s(); where, and by which condition: %s",
		 name ?: number, snap->trigger->function, why_advice(opts, snap->comm, advice));
}

void closer_say(struct closer *closer, const struct trace_options *opts,
		const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols)
{
	const struct trigger *trigger = snap->trigger;
	struct makers *makers;

	if (!snap->err || !trigger || !trigger->func_addr || !text->read ||
	    log_get_level() < LOG_NORMAL || !is_news(closer, trigger->func_addr, snap->err))
		return;
	say_why(opts, snap);
	if (!closer->graph && callgraph_create(text, symbols, &closer->graph))
		return;
	if (makers_find(closer->graph, symbols, trigger->func_addr, snap->err, &makers))
		return;
	say(trigger, snap->err, makers, makers_prefer_seen(makers, snap));
	makers_free(makers);
}

void closer_deinit(struct closer *closer)
{
	callgraph_destroy(closer->graph);
	closer->graph = NULL;
}
