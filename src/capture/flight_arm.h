/* SPDX-License-Identifier: GPL-2.0 */
/* flight_arm.h - what a capture puts into a flight recorder's header, and what keeps it armed */
#ifndef LBRSNOOP_CAPTURE_FLIGHT_ARM_H
#define LBRSNOOP_CAPTURE_FLIGHT_ARM_H

#include <stddef.h>
#include <stdint.h>

#include "capture/attach.h"
#include "capture/flight.h"
#include "capture/lbr/lbr_events.h"
#include "capture/ring/ring_record.h"
#include "symbolize/symbolize.h"

/**
 * flight_header_size() - header pages that such a recorder needs, with room for symbols
 * Return: pages; 0: more than there may be, or no memory.
 */
uint32_t flight_header_size(const struct probe_list *probes);

/**
 * flight_describe() - fill in the header of a recorder
 * @record: LBR, filter, probes; borrowed
 * @symbols: of the running kernel; NULL: not known yet, to be called again
 * @ret_header: borrows strings of @record and @symbols; flight_describe_free()
 * Return: 0; -ENOMEM.
 */
int flight_describe(const struct record_context *record, struct symbols *symbols,
		    struct flight_header *ret_header);
void flight_describe_free(struct flight_header *header);

/**
 * flight_pin_all() - keep all that is armed now, and drop what was kept before
 * Return: 0; negative errno, @msg says it.
 */
int flight_pin_all(struct flight_files *files, const struct armed *armed, size_t count,
		   const struct lbr_events *events, int cpus, struct errmsg *msg);

#endif
