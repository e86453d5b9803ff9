// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_flight - hostile pages of flight recorders: never a crash, never more than is bounded, and
 * whatever is shown is within what a snapshot can be
 *
 * Input: chunks of u16 length and so many bytes, each the beginning of a page. Magic, version and
 * checksum are made right, unless the chunk's first byte is odd.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flight/collector.h"
#include "flight/pages.h"

static void require(int ok)
{
	if (!ok)
		abort();
}

static void show(struct flight_collector *collector)
{
	for (size_t i = 0; i < flight_collector_sessions(collector); i++) {
		struct flight_session *session = flight_collector_session(collector, i);
		const struct flight_header *header;
		struct flight_session_state state;
		struct snapshot snap;
		size_t at = 0, count = 0;

		flight_session_state(session, &state);
		require(state.records <= state.slots && state.headers <= state.header_pages);
		if (!flight_session_header(session, &header))
			for (size_t k = 0; k < header->target_count; k++)
				require(header->targets[k].trigger.target != NULL);
		while (flight_session_next(session, &at, &snap) > 0) {
			require(snap.count <= FLIGHT_BRANCHES_MAX && snap.trigger && snap.lbr);
			require(memchr(snap.comm, 0, COMM_LEN) != NULL);
			count++;
		}
		require(count == state.records);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct flight_collector *collector = flight_collector_create();
	union {
		struct flight_page page;
		uint8_t bytes[FLIGHT_PAGE_BYTES];
	} buf;

	if (!collector)
		return 0;
	while (len > 3) {
		size_t part = data[0] | data[1] << 8;
		int right = !(data[2] & 1);

		data += 3;
		len -= 3;
		part = part < len ? part : len;
		part = part < sizeof(buf) - 24 ? part : sizeof(buf) - 24;
		memset(&buf, 0, sizeof(buf));
		/* session, version and what follows; the magic stands before */
		memcpy(buf.bytes + 16, data, part);
		buf.page.magic[0] = FLIGHT_MAGIC_LOW;
		buf.page.magic[1] = FLIGHT_MAGIC_HIGH;
		if (right) {
			buf.page.version = FLIGHT_VERSION;
			if (buf.page.bytes <= FLIGHT_PAYLOAD_BYTES)
				buf.page.check = flight_page_check(&buf, buf.page.bytes);
		}
		flight_collector_add(collector, &buf);
		data += part;
		len -= part;
	}
	show(collector);
	flight_collector_destroy(collector);
	return 0;
}
