/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event.h - an event as its source has it → snapshot
 *
 * The ring buffer, a flight recorder's pages and a capture file each lay an event out in their own
 * way. What its values mean is decided here, once.
 */
#ifndef LBRSNOOP_DECODE_EVENT_H
#define LBRSNOOP_DECODE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/model.h"
#include "snapshot/probe.h"
#include "snapshot/snapshot.h"

/**
 * struct event_lbr - how the branches of a source's events were recorded; all is borrowed
 * @model: of the CPU
 * @info: the same, as snapshots tell it
 * @filter: see struct snapshot
 * @own: which entries are ours to leave out, see lbr_filter_wants()
 * @filtered: Linux sorts entries out afterwards (intel_pmu_lbr_filter()), and leaves holes
 * @path_ok: see struct snapshot
 */
struct event_lbr {
	const struct lbr_model *model;
	const struct lbr_info *info;
	const char *filter;
	uint64_t own;
	bool filtered;
	bool path_ok;
};

/**
 * struct captured_event - one event; its sizes are checked, its values are not. All is borrowed
 * @ts_ns: CLOCK_REALTIME
 * @comm: COMM_LEN bytes, NUL-terminated or not
 * @has_retval: @value is the return register, and @ret says how to read it
 * @value: of TRIGGER_SIGNAL its number, of TRIGGER_FAULT the address of the ud2
 * @raw: @raw_count entries, newest first, at most BRANCHES_MAX
 * @read: entries that were read; those beyond the ones that make sense are dropped
 * @regs: or NULL
 * @frames: of @stack, 0: it was not taken; @frames_max: as many as there is room for
 */
struct captured_event {
	uint64_t ts_ns;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	const struct trigger *trigger;
	uint64_t ip;
	bool has_retval;
	enum return_class ret;
	int64_t value;
	const struct raw_branch *raw;
	uint32_t raw_count;
	uint32_t read;
	const uint64_t *regs;
	const uint64_t *stack;
	uint32_t frames;
	uint32_t frames_max;
};

/**
 * lbr_model_of_info() - the model of a machine that is not this one, as far as its snapshots tell
 * @info: borrowed by @ret_model, which is enough for event_decode()
 */
void lbr_model_of_info(const struct lbr_info *info, struct lbr_model *ret_model);

/**
 * event_decode() - turn an event into a snapshot
 * @ret_snap: borrows what @lbr and @event do
 */
void event_decode(const struct event_lbr *lbr, const struct captured_event *event,
		  struct snapshot *ret_snap);

#endif
