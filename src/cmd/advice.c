// SPDX-License-Identifier: GPL-2.0
#include "cmd/advice.h"

#include <stdio.h>
#include <string.h>

#include "cmd/why/why_advice.h"
#include "target/errno_origin.h"
#include "util/cleanup.h"
#include "util/log.h"

/* Enough for the options and 8 names. */
#define ADVICE_MAX 1024

static bool is_news(struct advice *advice, uint64_t func_addr, int err)
{
	for (size_t i = 0; i < advice->told_count; i++)
		if (advice->told[i].func_addr == func_addr && advice->told[i].err == err)
			return false;
	if (advice->told_count == ADVICE_TOLD_MAX)
		return false;
	advice->told[advice->told_count].func_addr = func_addr;
	advice->told[advice->told_count++].err = err;
	return true;
}

static const char *order(const struct errno_origins *origins, size_t named, size_t seen)
{
	if (seen == origins->count || origins->count == 1)
		return "";
	if (seen)
		return ", those in this record first";
	return origins->count > named ? ", the nearest first" : "";
}

static void say(const struct trigger *trigger, int err, const struct errno_origins *origins,
		size_t seen)
{
	const char *name = strerrorname_np(err);
	char advice[ADVICE_MAX], number[16];
	size_t named = errno_origins_advice(origins, err, advice, sizeof(advice));

	snprintf(number, sizeof(number), "%d", err);
	if (named)
		log_info("of the functions that %s() calls, and those that they call, %zu can make "
			 "-%s%s; to see it: lbrsnoop %s",
			 trigger->function, origins->count, name ?: number,
			 order(origins, named, seen), advice);
	else if (origins->indirect && origins->functions > 1)
		log_info("none of the functions that %s() is seen to call makes -%s, %zu of them; "
			 "so one called through a pointer: a file system's, a protocol's or a "
			 "driver's",
			 trigger->function, name ?: number, origins->functions - 1);
	else if (origins->indirect)
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

void advice_say(struct advice *advice, const struct trace_options *opts,
		const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols)
{
	const struct trigger *trigger = snap->trigger;
	struct errno_origins *origins;

	if (!snap->err || !trigger || !trigger->func_addr || !text->read ||
	    log_get_level() < LOG_NORMAL || !is_news(advice, trigger->func_addr, snap->err))
		return;
	say_why(opts, snap);
	if (!advice->graph && callgraph_create(text, symbols, &advice->graph))
		return;
	if (errno_origins_find(advice->graph, symbols, trigger->func_addr, snap->err, &origins))
		return;
	say(trigger, snap->err, origins, errno_origins_prefer_seen(origins, snap));
	errno_origins_free(origins);
}

void advice_deinit(struct advice *advice)
{
	callgraph_destroy(advice->graph);
	advice->graph = NULL;
}
