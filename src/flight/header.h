/* SPDX-License-Identifier: GPL-2.0 */
/* header.h - what a flight recorder's header pages tell: all that decoding its records needs */
#ifndef LBRSNOOP_FLIGHT_HEADER_H
#define LBRSNOOP_FLIGHT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/page_format.h"
#include "snapshot/branch.h"
#include "snapshot/probe.h"
#include "snapshot/snapshot.h"

/** struct flight_symbol - a BPF program or trampoline */
struct flight_symbol {
	uint64_t addr;
	uint32_t size;
	char *name;
};

/** struct flight_target - one armed place; @retval_kinds: bit n: records of kind n have a value */
struct flight_target {
	struct trigger trigger;
	enum return_class ret;
	uint32_t retval_kinds;
};

/**
 * struct flight_header - a header, decoded or to be encoded
 * @filter, @release: "" if unknown
 * @stext: run-time address of _stext, 0 if unknown
 */
struct flight_header {
	uint64_t start_ns;
	int64_t mono_to_real_ns;
	uint64_t stext;
	struct lbr_info lbr;
	bool filtered;
	bool path_ok;
	char filter[128];
	char release[72];
	uint8_t build_id[32];
	uint32_t build_id_len;
	struct flight_target *targets;
	size_t target_count;
	struct flight_symbol *symbols;
	size_t symbol_count;
};

/**
 * flight_header_encode() - the payload of all header pages
 * @ret_bytes: free() it
 * Return: 0; -ENOMEM.
 */
int flight_header_encode(const struct flight_header *header, uint8_t **ret_bytes, size_t *ret_len);

/**
 * flight_header_decode() - check and read it; free with flight_header_deinit()
 * Return: 0; -EBADMSG; -ENOMEM.
 */
int flight_header_decode(const void *bytes, size_t len, struct flight_header *ret_header);

/** flight_header_deinit() - free what a decoded header owns */
void flight_header_deinit(struct flight_header *header);

#endif
