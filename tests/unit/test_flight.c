// SPDX-License-Identifier: GPL-2.0
/* Pages of flight recorders: found in any order, among others, overwritten, torn, damaged, forged
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "pipeline/trigger_instances.h"
#include "flight/collector.h"
#include "flight/pages.h"

#define SLOTS	8
#define SESSION 0x1122334455667788ull
#define KERNEL	0xffffffff81000000ull

static struct flight_target targets[] = {
	{.trigger = {.target = "fexit:open_it",
		     .kind = TRIGGER_FEXIT,
		     .function = "open_it",
		     .module = "",
		     .addr = KERNEL,
		     .func_addr = KERNEL,
		     .func_size = 64},
	 .ret = RETURN_S32,
	 .retval_kinds = 1u << TRIGGER_FEXIT | 1u << TRIGGER_KRETPROBE},
	{.trigger = {.target = "hw:panic",
		     .kind = TRIGGER_HW,
		     .function = "panic",
		     .module = "",
		     .addr = KERNEL + 0x100},
	 .ret = RETURN_NONE},
};

static struct flight_symbol bpf_symbols[] = {
	{.addr = 0xffffffffc0001000ull, .size = 0x80, .name = "bpf_prog_0123_fexit_s32"},
};

static const struct flight_header header = {
	.start_ns = 1000000,
	.mono_to_real_ns = 500,
	.stext = KERNEL,
	.lbr = {.model = "skylake",
		.format = 5,
		.depth = 32,
		.supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES},
	.path_ok = true,
	.filter = "any,u,k",
	.release = "6.1.0-test",
	.build_id = {0xab, 0xcd},
	.build_id_len = 2,
	.targets = targets,
	.target_count = 2,
	.symbols = bpf_symbols,
	.symbol_count = 1,
};

static struct flight_page *page_at(uint8_t *pages, size_t index)
{
	return (struct flight_page *)(pages + index * FLIGHT_PAGE_BYTES);
}

/* A recorder as the loader makes it: @ret_count pages. */
static uint8_t *recorder(uint64_t session, const struct flight_header *head, uint32_t *ret_headers)
{
	uint8_t *bytes, *pages;
	size_t len;

	assert_int_equal(flight_header_encode(head, &bytes, &len), 0);
	*ret_headers = flight_header_pages(len);
	pages = aligned_alloc(FLIGHT_PAGE_BYTES, (*ret_headers + SLOTS) * FLIGHT_PAGE_BYTES);
	assert_non_null(pages);
	memset(pages, 0, (*ret_headers + SLOTS) * FLIGHT_PAGE_BYTES);
	flight_pages_init(pages, session, *ret_headers, SLOTS, bytes, len);
	free(bytes);
	return pages;
}

/* What bpf/flight.bpf.h does. */
static void write_record(uint8_t *pages, uint32_t headers, uint64_t seq)
{
	struct flight_page *page = page_at(pages, headers + (seq - 1) % SLOTS);
	struct flight_record *rec = (struct flight_record *)(page + 1);

	page->seq = seq;
	*rec = (struct flight_record){
		.mono_ns = seq * 10,
		.retval = -2,
		.target = seq % 2,
		.kind = seq % 2 ? TRIGGER_HW : TRIGGER_FEXIT,
		.cpu = 3,
		.pid = 100,
		.tid = (uint32_t)(100 + seq),
		.count = 2,
		.read = 32,
		.comm = "cat",
		/* newest first */
		.branches = {{KERNEL + 16 * seq, KERNEL + 1}, {KERNEL + 2, KERNEL + 16 * seq - 4}},
	};
	page->check = flight_page_check(page, page->bytes);
	page_at(pages, 0)->written++;
}

static struct flight_collector *read_all(const uint8_t *pages, size_t count)
{
	struct flight_collector *collector = flight_collector_create();

	assert_non_null(collector);
	for (size_t i = count; i-- > 0;)
		assert_true(flight_collector_add(collector, pages + i * FLIGHT_PAGE_BYTES) >= 0);
	return collector;
}

/* The words by a program of its own (Python), not by this code. */
static void check_word_known_values(void **state)
{
	assert_int_equal(flight_check_word(FLIGHT_CHECK_START, 0), 0xaf63bd4c29620a93);
	assert_int_equal(
		flight_check_word(flight_check_word(FLIGHT_CHECK_START, 1), 0xdeadbeefcafebabe),
		0xfdbf5a7b3effd341);
}

static void session_next_wrapped_recorder_newest_slots(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_session_state found;
	struct flight_session *session;
	struct flight_collector *collector;
	struct snapshot snap, fresh = {};
	size_t at = 0;

	for (uint64_t seq = 1; seq <= 20; seq++)
		write_record(pages, headers, seq);
	collector = read_all(pages, headers + SLOTS);
	assert_int_equal(flight_collector_sessions(collector), 1);
	session = flight_collector_session(collector, 0);
	flight_session_state(session, &found);
	assert_int_equal(found.records, SLOTS);
	assert_int_equal(found.empty, 0);
	assert_int_equal(found.oldest_seq, 13);
	assert_int_equal(found.newest_seq, 20);
	assert_int_equal(found.written, 20);
	for (uint64_t seq = 13; seq <= 20; seq++) {
		memset(&snap, 0x5a, sizeof(snap));
		assert_int_equal(flight_session_next(session, &at, &snap), 1);
		assert_int_equal(snap.missing, 0);
		assert_int_equal(snap.tid, 100 + seq);
		assert_int_equal(snap.ts_ns, seq * 10 + 500);
		assert_int_equal(snap.cpu, 3);
		assert_string_equal(snap.comm, "cat");
		assert_string_equal(snap.trigger->target, seq % 2 ? "hw:panic" : "fexit:open_it");
		assert_int_equal(snap.has_retval, seq % 2 == 0);
		assert_int_equal(snap.err, seq % 2 ? 0 : 2);
		assert_int_equal(snap.count, 2);
		assert_int_equal(snap.branches[0].from, KERNEL + 2);
		assert_int_equal(snap.branches[1].from, KERNEL + 16 * seq);
		assert_int_equal(snap.lbr->depth, 32);
		assert_true(snap.path_ok);
		assert_int_equal(snap.mixed, TRI_NOT_REPORTED);
		assert_int_equal(snap.tracing, 0);
		/* What stood in it before does not count. */
		at--;
		assert_int_equal(flight_session_next(session, &at, &fresh), 1);
		assert_memory_equal(&snap, &fresh, offsetof(struct snapshot, branches));
	}
	assert_int_equal(flight_session_next(session, &at, &snap), 0);
	flight_collector_destroy(collector);
	free(pages);
}

static void header_decode_encoded_is_the_same(void **state)
{
	const struct flight_header *found = NULL;
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_collector *collector = read_all(pages, headers + SLOTS);

	assert_int_equal(flight_session_header(flight_collector_session(collector, 0), &found), 0);
	assert_int_equal(found->start_ns, header.start_ns);
	assert_int_equal(found->stext, KERNEL);
	assert_string_equal(found->release, "6.1.0-test");
	assert_int_equal(found->build_id_len, 2);
	assert_memory_equal(found->build_id, header.build_id, 2);
	assert_int_equal(found->target_count, 2);
	assert_string_equal(found->targets[1].trigger.function, "panic");
	assert_int_equal(found->symbol_count, 1);
	assert_string_equal(found->symbols[0].name, "bpf_prog_0123_fexit_s32");
	flight_collector_destroy(collector);
	free(pages);
}

/* Each byte that counts, each of its bits: the page is never taken for whole. */
static void collector_add_damaged_page_is_refused(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_collector *collector = flight_collector_create();
	uint8_t *page;
	size_t covered = FLIGHT_HEAD_WORDS * 8 + 8;

	write_record(pages, headers, 1);
	page = pages + headers * FLIGHT_PAGE_BYTES;
	for (size_t i = 0; i < sizeof(struct flight_page) + sizeof(struct flight_record); i++) {
		if (i >= covered && i < sizeof(struct flight_page))
			continue;
		for (int bit = 0; bit < 8; bit++) {
			page[i] ^= 1 << bit;
			assert_int_not_equal(flight_collector_add(collector, page), FLIGHT_TAKEN);
			page[i] ^= 1 << bit;
		}
	}
	assert_int_equal(flight_collector_sessions(collector), 0);
	assert_int_equal(flight_collector_add(collector, page), FLIGHT_TAKEN);
	flight_collector_destroy(collector);
	free(pages);
}

/* Memory that was freed keeps older copies of a page: they come before or after it. */
static void collector_add_older_copy_newest_counts(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers), old[FLIGHT_PAGE_BYTES];
	struct flight_session_state found;
	struct flight_collector *collector;
	struct snapshot snap;
	size_t at = 0;

	write_record(pages, headers, 1);
	memcpy(old, pages + headers * FLIGHT_PAGE_BYTES, sizeof(old));
	write_record(pages, headers, 1 + SLOTS);
	for (int after = 0; after < 2; after++) {
		collector = flight_collector_create();
		if (!after)
			assert_int_equal(flight_collector_add(collector, old), FLIGHT_TAKEN);
		assert_int_equal(
			flight_collector_add(collector, pages + headers * FLIGHT_PAGE_BYTES),
			FLIGHT_TAKEN);
		if (after)
			assert_int_equal(flight_collector_add(collector, old), FLIGHT_TAKEN);
		flight_session_state(flight_collector_session(collector, 0), &found);
		assert_int_equal(found.records, 1);
		at = 0;
		assert_int_equal(
			flight_session_next(flight_collector_session(collector, 0), &at, &snap), 1);
		assert_int_equal(snap.tid, 100 + 1 + SLOTS);
		flight_collector_destroy(collector);
	}
	free(pages);
}

/* Checksums right, numbers impossible: another slot's sequence, a slot that is not there. */
static void collector_add_forged_numbers_are_refused(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_page *page = page_at(pages, headers), good;
	struct flight_collector *collector = flight_collector_create();

	write_record(pages, headers, 1);
	good = *page;
#define REFUSED(field, value)                                                                      \
	do {                                                                                       \
		page->field = value;                                                               \
		page->check = flight_page_check(                                                   \
			page, page->bytes <= FLIGHT_PAYLOAD_BYTES ? page->bytes : 0);              \
		assert_int_not_equal(flight_collector_add(collector, page), FLIGHT_TAKEN);         \
		*page = good;                                                                      \
	} while (0)
	REFUSED(seq, 2);
	REFUSED(index, headers + SLOTS);
	REFUSED(index, 0);
	REFUSED(slots, 0);
	REFUSED(slots, FLIGHT_SLOTS_MAX + 1);
	REFUSED(header_pages, 0);
	REFUSED(header_pages, FLIGHT_HEADER_PAGES_MAX + 1);
	REFUSED(bytes, FLIGHT_PAGE_BYTES);
	REFUSED(bytes, 8);
	REFUSED(kind, 3);
	REFUSED(version, 0);
	REFUSED(version, FLIGHT_VERSION_MAX + 1);
	page->version = FLIGHT_VERSION + 1;
	assert_int_equal(flight_collector_add(collector, page), FLIGHT_NEWER);
	*page = good;
	assert_int_equal(flight_collector_add(collector, page), FLIGHT_TAKEN);
	flight_collector_destroy(collector);
	free(pages);
}

/* The same, of a preset: @frames of a stack, and registers. */
static struct flight_detailed *write_detailed(uint8_t *pages, uint32_t headers, uint64_t seq,
					      uint32_t frames)
{
	struct flight_page *page = page_at(pages, headers + (seq - 1) % SLOTS);
	struct flight_detailed *payload = (struct flight_detailed *)(page + 1);

	write_record(pages, headers, seq);
	page->bytes = sizeof(*payload);
	payload->detail = (struct flight_detail){.flags = FLIGHT_DETAIL_REGS, .frames = frames};
	for (uint64_t i = 0; i < FLIGHT_REGS; i++)
		payload->detail.regs[i] = 0x100 + i;
	for (uint64_t i = 0; i < FLIGHT_FRAMES_MAX; i++)
		payload->detail.stack[i] = KERNEL + i;
	page->check = flight_page_check(page, page->bytes);
	return payload;
}

/* A fault that one preset told of, then one in the same function that another did. */
static void session_next_triggers_at_one_place_are_two(void **state)
{
	struct trigger_instances placed = {};
	struct flight_session *session;
	const struct trigger *first;
	struct flight_collector *collector;
	struct snapshot snap;
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	size_t at = 0;

	(void)state;
	write_record(pages, headers, 1);
	write_record(pages, headers, 2);
	collector = read_all(pages, headers + SLOTS);
	session = flight_collector_session(collector, 0);
	assert_int_equal(flight_session_next(session, &at, &snap), 1);
	first = trigger_instance_at(&placed, snap.trigger, KERNEL);
	assert_string_equal(first->target, "hw:panic");
	assert_int_equal(flight_session_next(session, &at, &snap), 1);
	assert_string_equal(trigger_instance_at(&placed, snap.trigger, KERNEL)->target,
			    "fexit:open_it");
	assert_string_equal(first->target, "hw:panic");
	trigger_instances_deinit(&placed);
	flight_collector_destroy(collector);
	free(pages);
}

static void session_next_detailed_record_has_stack_and_registers(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_session *session;
	struct flight_collector *collector;
	struct snapshot snap;
	size_t at = 0;

	(void)state;
	write_detailed(pages, headers, 1, 3);
	write_detailed(pages, headers, 2, FLIGHT_FRAMES_MAX);
	write_detailed(pages, headers, 3, FLIGHT_FRAMES_MAX + 1);
	write_record(pages, headers, 4);
	collector = read_all(pages, headers + SLOTS);
	session = flight_collector_session(collector, 0);
	for (uint32_t seq = 1; seq <= 4; seq++) {
		uint32_t frames = seq == 1 ? 3 : seq == 2 ? FLIGHT_FRAMES_MAX : 0;

		memset(&snap, 0x5a, sizeof(snap));
		assert_int_equal(flight_session_next(session, &at, &snap), 1);
		assert_int_equal(snap.tid, 100 + seq);
		assert_int_equal(snap.stack_count, frames);
		assert_int_equal(snap.stack_cut, seq == 2);
		assert_true(frames ? snap.stack[frames - 1] == KERNEL + frames - 1 : !snap.stack);
		assert_true(seq < 4 ? snap.regs[PTREG_SS] == 0x114 : !snap.regs);
	}
	/* Of a page that is written again, the older record's detail is not the newer one's. */
	write_record(pages, headers, 1 + SLOTS);
	page_at(pages, headers)->bytes = sizeof(struct flight_record);
	page_at(pages, headers)->check =
		flight_page_check(page_at(pages, headers), sizeof(struct flight_record));
	assert_int_equal(flight_collector_add(collector, page_at(pages, headers)), FLIGHT_TAKEN);
	at = 3;
	assert_int_equal(flight_session_next(session, &at, &snap), 1);
	assert_int_equal(snap.tid, 101 + SLOTS);
	assert_null(snap.regs);
	assert_null(snap.stack);
	flight_collector_destroy(collector);
	free(pages);
}

/* Version 1 is read; a detail it has not. */
static void collector_add_version_1_is_read(void **state)
{
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_session *session;
	struct flight_collector *collector;
	struct flight_page *page;
	struct snapshot snap;
	size_t at = 0;

	(void)state;
	write_record(pages, headers, 1);
	for (uint32_t i = 0; i < headers + SLOTS; i++) {
		page = page_at(pages, i);
		page->version = 1;
		page->check = flight_page_check(page, page->bytes);
	}
	collector = read_all(pages, headers + SLOTS);
	assert_int_equal(flight_collector_damaged(collector), 0);
	session = flight_collector_session(collector, 0);
	assert_int_equal(flight_session_next(session, &at, &snap), 1);
	assert_int_equal(snap.tid, 101);
	assert_string_equal(snap.trigger->target, "hw:panic");
	assert_null(snap.regs);
	write_detailed(pages, headers, 2, 3);
	page = page_at(pages, headers + 1);
	assert_int_equal(page->version, 1);
	assert_int_equal(flight_collector_add(collector, page), FLIGHT_DAMAGED);
	flight_collector_destroy(collector);
	free(pages);
}

static void session_next_without_header_shows_branches(void **state)
{
	const struct flight_header *found;
	uint32_t headers;
	uint8_t *pages = recorder(SESSION, &header, &headers);
	struct flight_collector *collector = flight_collector_create();
	struct flight_session *session;
	struct snapshot snap;
	size_t at = 0;

	write_record(pages, headers, 1);
	assert_int_equal(flight_collector_add(collector, pages + headers * FLIGHT_PAGE_BYTES),
			 FLIGHT_TAKEN);
	session = flight_collector_session(collector, 0);
	assert_int_equal(flight_session_header(session, &found), -ENODATA);
	assert_int_equal(flight_session_next(session, &at, &snap), 1);
	assert_int_equal(snap.count, 2);
	assert_int_equal(snap.branches[1].from, KERNEL + 16);
	/* What is not known is not reported. */
	assert_int_equal(snap.branches[1].mispred, TRI_NOT_REPORTED);
	assert_false(snap.has_retval);
	flight_collector_destroy(collector);
	free(pages);
}

static void collector_session_two_recorders_newest_first(void **state)
{
	struct flight_header later = header;
	const struct flight_header *found = NULL;
	uint32_t headers;
	uint8_t *one = recorder(SESSION, &header, &headers), *two;
	struct flight_collector *collector = read_all(one, headers + SLOTS);

	later.start_ns = header.start_ns + 1;
	two = recorder(SESSION + 1, &later, &headers);
	for (size_t i = 0; i < headers + SLOTS; i++)
		assert_int_equal(flight_collector_add(collector, two + i * FLIGHT_PAGE_BYTES),
				 FLIGHT_TAKEN);
	assert_int_equal(flight_collector_sessions(collector), 2);
	assert_int_equal(flight_session_header(flight_collector_session(collector, 0), &found), 0);
	assert_int_equal(found->start_ns, later.start_ns);
	assert_int_equal(flight_session_header(flight_collector_session(collector, 1), &found), 0);
	assert_int_equal(found->start_ns, header.start_ns);
	flight_collector_destroy(collector);
	free(one);
	free(two);
}

static void header_decode_cut_anywhere_is_refused(void **state)
{
	struct flight_header found;
	uint8_t *bytes;
	size_t len;

	assert_int_equal(flight_header_encode(&header, &bytes, &len), 0);
	for (size_t cut = 0; cut < len; cut++) {
		/* of its own, so that a sanitizer sees what is read behind it */
		uint8_t *part = malloc(cut + 1);

		memcpy(part, bytes, cut);
		assert_int_equal(flight_header_decode(part, cut, &found), -EBADMSG);
		free(part);
	}
	assert_int_equal(flight_header_decode(bytes, len, &found), 0);
	flight_header_deinit(&found);
	free(bytes);
}

static void header_decode_damaged_byte_no_crash(void **state)
{
	struct flight_header found;
	uint8_t *bytes;
	size_t len;

	assert_int_equal(flight_header_encode(&header, &bytes, &len), 0);
	for (size_t i = 0; i < len; i++) {
		for (int value = 0; value < 256; value += 51) {
			uint8_t was = bytes[i];
			int err;

			bytes[i] = (uint8_t)value;
			err = flight_header_decode(bytes, len, &found);
			assert_true(!err || err == -EBADMSG);
			if (!err)
				flight_header_deinit(&found);
			bytes[i] = was;
		}
	}
	free(bytes);
}

/* A recorder with more targets than one page holds. */
static void header_decode_many_pages(void **state)
{
	struct flight_header many = header;
	const struct flight_header *found = NULL;
	struct flight_collector *collector;
	uint32_t headers;
	uint8_t *pages;

	many.target_count = 500;
	many.targets = calloc(many.target_count, sizeof(*many.targets));
	for (size_t i = 0; i < many.target_count; i++)
		many.targets[i] = targets[i % 2];
	pages = recorder(SESSION, &many, &headers);
	assert_true(headers > 5);
	collector = read_all(pages, headers + SLOTS);
	assert_int_equal(flight_session_header(flight_collector_session(collector, 0), &found), 0);
	assert_int_equal(found->target_count, 500);
	assert_string_equal(found->targets[499].trigger.target, "hw:panic");
	flight_collector_destroy(collector);
	/* One page less, and nothing of it can be trusted. */
	collector = read_all(pages + FLIGHT_PAGE_BYTES, headers + SLOTS - 1);
	assert_int_equal(flight_session_header(flight_collector_session(collector, 0), &found),
			 -ENODATA);
	flight_collector_destroy(collector);
	free(many.targets);
	free(pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_word_known_values),
		cmocka_unit_test(session_next_wrapped_recorder_newest_slots),
		cmocka_unit_test(header_decode_encoded_is_the_same),
		cmocka_unit_test(collector_add_damaged_page_is_refused),
		cmocka_unit_test(collector_add_older_copy_newest_counts),
		cmocka_unit_test(collector_add_forged_numbers_are_refused),
		cmocka_unit_test(session_next_triggers_at_one_place_are_two),
		cmocka_unit_test(session_next_detailed_record_has_stack_and_registers),
		cmocka_unit_test(collector_add_version_1_is_read),
		cmocka_unit_test(session_next_without_header_shows_branches),
		cmocka_unit_test(collector_session_two_recorders_newest_first),
		cmocka_unit_test(header_decode_cut_anywhere_is_refused),
		cmocka_unit_test(header_decode_damaged_byte_no_crash),
		cmocka_unit_test(header_decode_many_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
