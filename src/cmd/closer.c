// SPDX-License-Identifier: GPL-2.0
#include "cmd/closer.h"

#include <stdio.h>
#include <string.h>

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
		log_info(
			"-%s was made further in. Of the functions that %s() calls, and those that "
			"they call, %zu can make it%s; to see it: lbrsnoop %s",
			name ?: number, trigger->function, makers->count,
			order(makers, named, seen), advice);
	else if (makers->indirect)
		log_info("-%s was made further in, by none of the %zu functions that %s() is seen "
			 "to call, so by one called through a pointer: a file system's, a "
			 "protocol's or a driver's",
			 name ?: number, makers->functions - 1, trigger->function);
}

void closer_say(struct closer *closer, const struct snapshot *snap, const struct text_source *text,
		struct symbols *symbols)
{
	const struct trigger *trigger = snap->trigger;
	struct makers *makers;

	if (!snap->err || !trigger || !trigger->func_addr || !text->read ||
	    log_get_level() < LOG_NORMAL || !is_news(closer, trigger->func_addr, snap->err))
		return;
	if (makers_find(text, symbols, trigger->func_addr, snap->err, &makers))
		return;
	say(trigger, snap->err, makers, makers_prefer_seen(makers, snap));
	makers_free(makers);
}
