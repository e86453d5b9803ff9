// SPDX-License-Identifier: GPL-2.0
/* An answer into the bytes of a capture file and back; and what those bytes may not say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "util/cleanup.h"
#include "why/answer_record.h"
#include "why/deep/deep.h"

#define BASE	  0xffffffff81000000ULL
#define UNCHECKED "no kprobes"

static const char table[] = "ffffffff81000000 T one\n"
			    "ffffffff81000020 T two\n"
			    "ffffffff81000040 T end\n";

static const char *const command[] = {"cat", "/no such file", NULL};

static int setup(void **state)
{
	return symbol_table_setup(state, table);
}

static struct failure failure_of(uint32_t nr, uint32_t tid, const char *comm)
{
	struct failure failure = {
		.mono_ns = 1000 + tid, .tgid = 42, .tid = tid, .err = 2, .via = WHY_VIA_NETLINK};

	snprintf(failure.comm, sizeof(failure.comm), "%s", comm);
	failure.call.nr = nr;
	failure.call.args[1] = 0x7ffc0000;
	failure.call.blobs[1] = (struct syscall_blob){.len = 3, .status = SYSCALL_BLOB_CUT};
	memcpy(failure.call.bytes[1], "a\0b", 3);
	return failure;
}

/* Free with answer_deinit(). */
static struct answer make_answer(void)
{
	struct answer answer = {
		.status = 256,
		.runs = 7,
		.why_call = BLAME_LAST,
		.state = ORIGIN_FOUND,
		.lost = 5,
		.site = {.addr = BASE + 0x10, .watch = BASE + 0x12, .err = 2, .reg = SITE_REG_NONE},
		.decider = {.addr = BASE + 0x24, .branch = true, .taken = true},
		.table = {.count = 1},
	};
	struct site other = {.addr = BASE + 0x30, .behind = true};
	struct deep_path *deep = calloc(1, sizeof(*deep));

	assert_non_null(deep);
	errmsg_set(&answer.reason, 0, "some reason");
	answer.failures.items = calloc(2, sizeof(struct failure));
	answer.failures.count = answer.failures.room = 2;
	answer.failures.dropped = 3;
	answer.failures.items[0] = failure_of(1, 50, "first");
	answer.failures.items[1] = failure_of(2, 51, "second");
	answer.failures.items[1].log = strdup("one line\nanother\n");
	answer.call = &answer.failures.items[1];
	answer.hit = calloc(1, sizeof(*answer.hit));
	assert_non_null(answer.hit);
	answer.hit->ip = BASE + 0x10;
	answer.hit->hw = 1;
	answer.hit->read = 1;
	answer.hit->regs[PTREG_SI] = 9;
	answer.hit->frames = 2;
	answer.hit->stack[1] = BASE + 0x25;
	answer.hit->values[0] = 77;
	snprintf(answer.hit->strings[2], WHY_STRING_MAX, "text");
	answer.table.reads[0] =
		(struct why_read){.offset = -8, .from = PTREG_SI, .bytes = 4, .string = 3};
	assert_int_equal(sites_add(&answer.candidates, &other), 0);
	deep->branches = calloc(3, sizeof(*deep->branches));
	deep->count = 3;
	for (size_t i = 0; i < deep->count; i++)
		deep->branches[i] = (struct why_branch){BASE + i, BASE + 16 * i};
	deep->segments = calloc(2, sizeof(*deep->segments));
	deep->segment_count = 2;
	deep->segments[0] = (struct deep_segment){.run = 3, .count = 1, .point = BASE + 0x10};
	deep->segments[1] = (struct deep_segment){
		.run = 4, .count = 2, .overlap = 1, .computed = 1, .point = BASE + 2};
	deep->interrupts = calloc(2, sizeof(*deep->interrupts));
	deep->interrupt_count = 2;
	deep->interrupts[0] = (struct deep_interrupt){.entry = BASE + 0x20, .newer = 2, .run = 4};
	deep->interrupts[1] = (struct deep_interrupt){
		.entry = BASE + 0x30, .newer = 1, .run = 5, .rescheduled = true};
	deep->runs = 4;
	deep->end = BASE + 0x10;
	deep->other_way = 6;
	errmsg_set(&deep->unchecked, 0, UNCHECKED);
	errmsg_set(&deep->gap, 0, "no more runs");
	answer.deep = deep;
	return answer;
}

static void make_bytes(const struct answer *answer, uint8_t **ret, size_t *ret_len)
{
	assert_int_equal(answer_record_make(answer, command, ret, ret_len), 0);
}

static int read_bytes(const uint8_t *bytes, size_t len, struct symbols *symbols, struct answer *ret,
		      char ***ret_command)
{
	static const struct branch_ends ends[] = {
		{BASE, BASE}, {BASE + 1, BASE + 16}, {BASE + 2, BASE + 32}};
	static struct snapshot snap;

	snap.answer = (struct answer_bytes){bytes, len};
	snap.way = (struct deep_way){ends, ARRAY_SIZE(ends)};
	return answer_record_read(&snap, symbols, ret, ret_command);
}

static void check_call(const struct answer *answer)
{
	const struct failure *call = answer->call;

	assert_int_equal(answer->failures.count, 2);
	assert_int_equal(answer->failures.dropped, 3);
	assert_string_equal(answer->failures.items[0].comm, "first");
	assert_ptr_equal(call, &answer->failures.items[1]);
	assert_string_equal(call->comm, "second");
	assert_string_equal(call->log, "one line\nanother\n");
	assert_int_equal(call->mono_ns, 1051);
	assert_int_equal(call->tgid, 42);
	assert_int_equal(call->tid, 51);
	assert_int_equal(call->err, 2);
	assert_int_equal(call->via, WHY_VIA_NETLINK);
	assert_int_equal(call->call.nr, 2);
	assert_int_equal(call->call.args[1], 0x7ffc0000);
	assert_int_equal(call->call.blobs[1].len, 3);
	assert_int_equal(call->call.blobs[1].status, SYSCALL_BLOB_CUT);
	assert_memory_equal(call->call.bytes[1], "a\0b", 3);
}

static void check_place(const struct answer *answer)
{
	const struct why_hit *hit = answer->hit;

	assert_int_equal(answer->site.addr, BASE + 0x10);
	assert_int_equal(answer->site.watch, BASE + 0x12);
	assert_int_equal(answer->site.reg, SITE_REG_NONE);
	assert_string_equal(answer->site.sym.name, "one");
	assert_true(answer->decider.branch && answer->decider.taken && !answer->decider.behind);
	assert_string_equal(answer->decider.sym.name, "two");
	assert_int_equal(answer->candidates.count, 1);
	assert_true(answer->candidates.items[0].behind);
	assert_non_null(hit);
	assert_int_equal(hit->hw, 1);
	assert_int_equal(hit->read, 1);
	assert_int_equal(hit->regs[PTREG_SI], 9);
	assert_int_equal(hit->frames, 2);
	assert_int_equal(hit->stack[1], BASE + 0x25);
	assert_int_equal(hit->values[0], 77);
	assert_string_equal(hit->strings[2], "text");
	assert_int_equal(answer->table.count, 1);
	assert_int_equal(answer->table.reads[0].offset, -8);
	assert_int_equal(answer->table.reads[0].from, PTREG_SI);
	assert_int_equal(answer->table.reads[0].bytes, 4);
	assert_int_equal(answer->table.reads[0].string, 3);
	assert_null(answer->decider_hit);
}

static void check_deep(const struct deep_path *deep)
{
	assert_non_null(deep);
	assert_int_equal(deep->count, 3);
	assert_int_equal(deep->branches[2].from, BASE + 2);
	assert_int_equal(deep->branches[2].to, BASE + 32);
	assert_int_equal(deep->runs, 4);
	assert_false(deep->entry);
	assert_int_equal(deep->end, BASE + 0x10);
	assert_string_equal(deep->gap.text, "no more runs");
	assert_int_equal(deep->other_way, 6);
	assert_string_equal(deep->unchecked.text, UNCHECKED);
	assert_int_equal(deep->segment_count, 2);
	assert_int_equal(deep->segments[1].run, 4);
	assert_int_equal(deep->segments[1].count, 2);
	assert_int_equal(deep->segments[1].overlap, 1);
	assert_int_equal(deep->segments[1].computed, 1);
	assert_int_equal(deep->segments[1].point, BASE + 2);
	assert_int_equal(deep->interrupt_count, 2);
	assert_int_equal(deep->interrupts[0].entry, BASE + 0x20);
	assert_int_equal(deep->interrupts[0].newer, 2);
	assert_int_equal(deep->interrupts[0].run, 4);
	assert_false(deep->interrupts[0].rescheduled);
	assert_int_equal(deep->interrupts[1].entry, BASE + 0x30);
	assert_int_equal(deep->interrupts[1].newer, 1);
	assert_int_equal(deep->interrupts[1].run, 5);
	assert_true(deep->interrupts[1].rescheduled);
}

static void read_what_was_made_the_same(void **state)
{
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len;

	make_bytes(&answer, &bytes, &len);
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), 0);
	assert_int_equal(copy.status, 256);
	assert_int_equal(copy.runs, 7);
	assert_int_equal(copy.state, ORIGIN_FOUND);
	assert_int_equal(copy.why_call, BLAME_LAST);
	assert_int_equal(copy.lost, 5);
	assert_string_equal(copy.reason.text, "some reason");
	assert_string_equal(words[0], "cat");
	assert_string_equal(words[1], "/no such file");
	assert_null(words[2]);
	check_call(&copy);
	check_place(&copy);
	check_deep(copy.deep);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* A later version may have more to say. */
static void read_with_more_behind_it_the_same(void **state)
{
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL, *more = NULL;
	char **words = NULL;
	size_t len;

	make_bytes(&answer, &bytes, &len);
	more = calloc(1, len + 9);
	assert_non_null(more);
	memcpy(more, bytes, len);
	assert_int_equal(read_bytes(more, len + 9, *state, &copy, &words), 0);
	check_deep(copy.deep);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* What captures of before end with. */
#define WITHOUT_DOUBTS(len) ((len)-4 - 2 - strlen(UNCHECKED))

static void read_without_doubts_of_the_way(void **state)
{
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len;

	make_bytes(&answer, &bytes, &len);
	assert_int_equal(read_bytes(bytes, WITHOUT_DOUBTS(len), *state, &copy, &words), 0);
	assert_int_equal(copy.deep->other_way, 0);
	assert_string_equal(copy.deep->unchecked.text, "");
	assert_int_equal(copy.deep->interrupt_count, 2);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* Wherever they end; and each in memory of its own, so that a read beyond it is seen. */
static void read_cut_bytes_is_refused(void **state)
{
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len;

	make_bytes(&answer, &bytes, &len);
	for (size_t i = 0; i < len; i++) {
		uint8_t *part;

		if (i == WITHOUT_DOUBTS(len))
			continue;
		part = malloc(i + 1);
		assert_non_null(part);
		memcpy(part, bytes, i);
		assert_int_equal(read_bytes(part, i, *state, &copy, &words), -EBADMSG);
		free(part);
	}
	answer_deinit(&answer);
}

static void refused(struct answer *answer, struct symbols *symbols)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct answer copy;
	char **words = NULL;
	size_t len;

	make_bytes(answer, &bytes, &len);
	assert_int_equal(read_bytes(bytes, len, symbols, &copy, &words), -EBADMSG);
	answer_deinit(answer);
}

/* What would be taken for an index, or for a number of bytes. */
static void read_numbers_beyond_their_range_is_refused(void **state)
{
	struct answer answer = make_answer();

	answer.state = ORIGIN_ONE_OF + 1;
	refused(&answer, *state);
	answer = make_answer();
	answer.why_call = BLAME_PROBE + 1;
	refused(&answer, *state);
	answer = make_answer();
	answer.table.reads[0].bytes = 9;
	refused(&answer, *state);
	answer = make_answer();
	answer.table.reads[0].string = WHY_STRINGS_MAX + 1;
	refused(&answer, *state);
	answer = make_answer();
	answer.deep->segments[1].computed = 3;
	refused(&answer, *state);
	answer = make_answer();
	answer.deep->interrupts[0].newer = 4;
	refused(&answer, *state);
	/* One branch less than the file's way has. */
	answer = make_answer();
	answer.deep->segments[1].count = 1;
	refused(&answer, *state);
	answer = make_answer();
	answer.failures.items[0].via = WHY_VIA_IO_URING + 1;
	refused(&answer, *state);
}

/* Whoever prints them goes from one newline to the next: beyond the end, if the last has none. */
static void read_log_of_whole_lines_only(void **state)
{
	static const char whole[] = "one line\nanother\n";
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	uint8_t *at;
	size_t len;

	make_bytes(&answer, &bytes, &len);
	at = memmem(bytes, len, whole, sizeof(whole) - 1);
	assert_non_null(at);
	at[sizeof(whole) - 2] = 'x';
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), -EBADMSG);
	answer_deinit(&answer);
}

/* 70,000 bytes of lines of 7: the first ones that fit. */
static void make_log_longer_than_a_string_keeps_whole_lines(void **state)
{
	struct answer answer = make_answer(), copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char *log = calloc(1, 70001), **words = NULL;
	size_t len;

	assert_non_null(log);
	for (size_t i = 0; i < 70000; i += 7)
		memcpy(log + i, "a line\n", 7);
	free(answer.failures.items[1].log);
	answer.failures.items[1].log = log;
	make_bytes(&answer, &bytes, &len);
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), 0);
	assert_int_equal(strlen(copy.call->log), 65535 / 7 * 7);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* As many as a record has room for, each kept: none is compared with all before it. */
static void read_candidates_of_a_whole_record_each_is_there(void **state)
{
	enum { SITES = 37000 };
	struct answer answer = {.state = ORIGIN_ONE_OF}, copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len;

	answer.candidates.items = calloc(SITES, sizeof(struct site));
	assert_non_null(answer.candidates.items);
	answer.candidates.count = answer.candidates.room = SITES;
	for (size_t i = 0; i < SITES; i++)
		answer.candidates.items[i].addr = BASE + i % 64;
	make_bytes(&answer, &bytes, &len);
	assert_true(len < 1u << 20);
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), 0);
	assert_int_equal(copy.candidates.count, SITES);
	assert_int_equal(copy.candidates.items[33].addr, BASE + 33);
	assert_string_equal(copy.candidates.items[33].sym.name, "two");
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* "grep x $(find /)": 100,000 words of 10 bytes are more than a record holds. */
static void make_of_a_long_command_keeps_its_begin_and_says_so(void **state)
{
	enum { WORDS = 100000, KEPT = (256 << 10) / 12 };
	struct answer answer = make_answer(), copy;
	_cleanup_free_ const char **long_command = calloc(WORDS + 1, sizeof(*long_command));
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len, count = 0;

	assert_non_null(long_command);
	for (size_t i = 0; i < WORDS; i++)
		long_command[i] = "0123456789";
	assert_int_equal(answer_record_make(&answer, long_command, &bytes, &len), 0);
	assert_true(len < 1u << 20);
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), 0);
	while (words[count])
		count++;
	assert_int_equal(count, KEPT + 1);
	assert_string_equal(words[KEPT - 1], "0123456789");
	/* 100,000 - 21,845 */
	assert_string_equal(words[KEPT], "[78155 more words]");
	check_deep(copy.deep);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

/* 8192 calls with all their strings are more than a record holds: the one to blame is the oldest.
 */
static void make_of_thousands_of_calls_keeps_the_newest_and_the_one(void **state)
{
	enum { CALLS = 8192 };
	struct answer answer = {.state = ORIGIN_NONE}, copy;
	_cleanup_free_ uint8_t *bytes = NULL;
	char **words = NULL;
	size_t len;

	answer.failures.items = calloc(CALLS, sizeof(struct failure));
	assert_non_null(answer.failures.items);
	for (uint32_t i = 0; i < CALLS; i++)
		answer.failures.items[i] = failure_of(1, i, "x");
	answer.failures.count = answer.failures.room = CALLS;
	answer.call = &answer.failures.items[0];
	make_bytes(&answer, &bytes, &len);
	assert_true(len < 1u << 20);
	assert_int_equal(read_bytes(bytes, len, *state, &copy, &words), 0);
	assert_true(copy.failures.count > 1000 && copy.failures.count < CALLS);
	assert_int_equal(copy.failures.count + copy.failures.dropped, CALLS);
	assert_int_equal(copy.call->tid, 0);
	assert_int_equal(copy.failures.items[copy.failures.count - 1].tid, CALLS - 1);
	answer_record_free_command(words);
	answer_deinit(&copy);
	answer_deinit(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_what_was_made_the_same),
		cmocka_unit_test(read_with_more_behind_it_the_same),
		cmocka_unit_test(read_without_doubts_of_the_way),
		cmocka_unit_test(read_cut_bytes_is_refused),
		cmocka_unit_test(read_numbers_beyond_their_range_is_refused),
		cmocka_unit_test(read_log_of_whole_lines_only),
		cmocka_unit_test(make_log_longer_than_a_string_keeps_whole_lines),
		cmocka_unit_test(read_candidates_of_a_whole_record_each_is_there),
		cmocka_unit_test(make_of_a_long_command_keeps_its_begin_and_says_so),
		cmocka_unit_test(make_of_thousands_of_calls_keeps_the_newest_and_the_one),
	};

	return cmocka_run_group_tests(tests, setup, symbol_table_teardown);
}
