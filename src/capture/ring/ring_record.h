/* SPDX-License-Identifier: GPL-2.0 */
/* ring_record.h - ring buffer record → snapshot */
#ifndef LBRSNOOP_CAPTURE_RING_RING_RECORD_H
#define LBRSNOOP_CAPTURE_RING_RING_RECORD_H

#include <stddef.h>

#include "decode/model.h"
#include "snapshot/probe.h"
#include "decode/filter.h"
#include "snapshot/snapshot.h"

/**
 * struct record_context - what a record refers to
 * @triggers: TRIGGER_KIND_COUNT for each probe, zeroed: the probe's trigger with the kind of the
 *            program that wrote a record; by now the probe may be armed as another. Snapshots
 * borrow from here
 * @plan: which entries are ours to leave out
 * @filtered: Linux sorts entries out afterwards (intel_pmu_lbr_filter()), and leaves holes
 * @mono_to_real_ns: CLOCK_REALTIME - CLOCK_MONOTONIC
 */
struct record_context {
	const struct lbr_model *model;
	const struct lbr_info *lbr;
	const struct probe_list *probes;
	struct trigger *triggers;
	const char *filter;
	struct lbr_filter_plan plan;
	bool filtered;
	bool path_ok;
	int64_t mono_to_real_ns;
};

/**
 * record_decode() - check a record and turn it into a snapshot
 * @data: @len bytes from the ring buffer, not trusted
 * Return: 0; -EBADMSG if the record's sizes or indices make no sense.
 */
int record_decode(const struct record_context *ctx, const void *data, size_t len,
		  struct snapshot *ret_snap);

#endif
