/* SPDX-License-Identifier: GPL-2.0 */
/* flight_show.h - what a flight recorder holds, printed; stopping one */
#ifndef LBRSNOOP_CMD_POSTMORTEM_FLIGHT_SHOW_H
#define LBRSNOOP_CMD_POSTMORTEM_FLIGHT_SHOW_H

#include <stdint.h>
#include <stdio.h>

#include "capture/flight.h"
#include "cmd/view.h"
#include "cmd/trace/filter_options.h"
#include "flight/collector.h"

/**
 * struct flight_show - how to print, and of which kernel
 * @wanted: how much, and what of it; its count is not used
 * @count: so many at most, 0: all
 * @view: NULL in the call of flight_show_live()
 * @symbols, @text: of the kernel that recorded
 * @printed: result
 */
struct flight_show {
	const struct filter_options *wanted;
	uint64_t count;
	FILE *out;
	struct view *view;
	struct symbols *symbols;
	struct text_source text;
	uint64_t printed;
};

/** flight_show_session() - print the snapshots of a recorder; 0, negative errno with @msg */
int flight_show_session(struct flight_show *show, struct flight_session *session,
			struct errmsg *msg);

/** flight_show_live() - print this machine's recorder; 0, negative errno with @msg */
int flight_show_live(struct flight_show *show, const char *dir, struct errmsg *msg);

/** flight_stop() - "record --flight --stop"; exit status */
int flight_stop(const char *dir, bool discard);

#endif
