// SPDX-License-Identifier: GPL-2.0
/* test_ring_record.c - records of the ring buffer, good and bad */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/ring/ring_record.h"
#include "record.h"

#define ENTRY 0xffffffff81001000ULL

struct fixture {
	struct probe probe;
	struct probe_list probes;
	struct lbr_model model;
	struct lbr_info lbr;
	struct record_context ctx;
	struct record rec;
	struct trigger triggers[TRIGGER_KIND_COUNT];
	struct snapshot snap;
};

static void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->probe.trigger = (struct trigger){.target = "f", .kind = TRIGGER_HW, .addr = ENTRY};
	f->probe.site_kind = SITE_RETURN;
	f->probe.ret = RETURN_S32;
	f->probes = (struct probe_list){.items = &f->probe, .count = 1, .room = 1};
	f->model = (struct lbr_model){.name = "unknown", .format = LBR_FORMAT_NONE};
	f->ctx = (struct record_context){.model = &f->model,
					 .lbr = &f->lbr,
					 .probes = &f->probes,
					 .triggers = f->triggers,
					 .path_ok = true};
	f->rec.kind = TRIGGER_HW;
	f->rec.count = f->rec.read = 1;
	f->rec.cpu = 3;
	f->rec.retval = 0xfffffffe; /* -ENOENT in the lower half */
	f->rec.branches[0].from = ENTRY + 1;
	f->rec.branches[0].to = ENTRY + 2;
}

/* What stood in the snapshot before must not count. */
static int decode(struct fixture *f)
{
	size_t len = RECORD_HEADER_BYTES + f->rec.count * sizeof(f->rec.branches[0]);
	struct snapshot fresh = {};
	int err;

	memset(&f->snap, 0x5a, sizeof(f->snap));
	err = record_decode(&f->ctx, &f->rec, len, &f->snap);
	assert_int_equal(record_decode(&f->ctx, &f->rec, len, &fresh), err);
	assert_memory_equal(&f->snap, &fresh, offsetof(struct snapshot, branches));
	return err;
}

static void record_decode_probe_switched_keeps_the_kind_it_was_taken_by(void **state)
{
	const struct trigger *before;
	struct fixture f;

	fixture_init(&f);
	/* The guard rail has armed the probe anew while the record was queued. */
	f.probe.trigger.kind = TRIGGER_FEXIT;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_HW);
	assert_int_equal(f.snap.dropped, 0);
	assert_int_equal(f.snap.missing, 0);
	assert_string_equal(f.snap.trigger->target, "f");
	f.probe.trigger.kind = TRIGGER_NONE;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_HW);
	before = f.snap.trigger;
	f.rec.kind = TRIGGER_FEXIT;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_FEXIT);
	/* Each kind has its own: a capture file tells them apart by address. */
	assert_ptr_not_equal(f.snap.trigger, before);
	assert_int_equal(before->kind, TRIGGER_HW);
	(void)state;
}

/* At an errno site every hit is an error, at an exit watched for it too. */
static void record_decode_errno_site_exit_is_an_fexit(void **state)
{
	struct fixture f;

	fixture_init(&f);
	f.probe.site_kind = SITE_ERRNO;
	f.rec.kind = TRIGGER_FEXIT;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_FEXIT);
	assert_true(f.snap.has_retval);
	assert_int_equal(f.snap.err, ENOENT);
	(void)state;
}

static void record_decode_plain_site_has_no_return_value(void **state)
{
	struct fixture f;

	fixture_init(&f);
	f.probe.site_kind = SITE_PLAIN;
	assert_int_equal(decode(&f), 0);
	assert_false(f.snap.has_retval);
	assert_int_equal(f.snap.err, 0);
	assert_int_equal(f.snap.cpu, 3);
	(void)state;
}

/* What a program returns may mean anything: -2 of its own is no ENOENT. */
static void record_decode_user_return_is_no_errno(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.probe.trigger.kind = TRIGGER_URETPROBE;
	f.probe.ret = RETURN_S64;
	f.rec.kind = TRIGGER_URETPROBE;
	f.rec.retval = -2;
	assert_int_equal(decode(&f), 0);
	assert_true(f.snap.has_retval);
	assert_int_equal(f.snap.retval, -2);
	assert_int_equal(f.snap.err, 0);
}

/* The whole register comes; the function's type says how much of it is the value. */
static void record_decode_multi_value_is_of_the_type(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.probe.trigger.kind = TRIGGER_MULTI;
	f.rec.kind = TRIGGER_MULTI;
	f.rec.retval = 0x12345678fffffffe;
	f.probe.ret = RETURN_S32;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_MULTI);
	assert_int_equal(f.snap.retval, -2);
	assert_int_equal(f.snap.err, 2);
	f.probe.ret = RETURN_S64;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.retval, 0x12345678fffffffe);
	assert_int_equal(f.snap.err, 0);
}

/* A fault of the kernel: where it was, and that of BUG() or WARN; neither is a return value. */
static void record_decode_fault_has_its_own_address(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.probe.trigger.kind = TRIGGER_KPROBE;
	f.probe.trigger.target = "preset:warn";
	f.probe.site_kind = SITE_PLAIN;
	f.rec.kind = TRIGGER_FAULT;
	f.rec.ip = ENTRY + 0x40;
	f.rec.retval = (int64_t)(ENTRY + 0x48);
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.trigger->kind, TRIGGER_FAULT);
	assert_int_equal(f.snap.ip, ENTRY + 0x40);
	assert_int_equal(f.snap.bug_ip, ENTRY + 0x48);
	assert_null(f.snap.bug_file);
	assert_null(f.snap.log);
	assert_null(f.snap.regs);
	assert_null(f.snap.stack);
	assert_false(f.snap.has_retval);
	assert_int_equal(f.snap.err, 0);
	/* Which of the two it is tells the bug table, see pipeline/fault.c. */
	assert_string_equal(snapshot_fault_name(&f.snap), "WARN or BUG");
	f.snap.bug_warning = TRI_SET;
	assert_string_equal(snapshot_fault_name(&f.snap), "WARN");
	f.snap.bug_warning = TRI_CLEAR;
	assert_string_equal(snapshot_fault_name(&f.snap), "BUG");
	f.rec.retval = 0;
	assert_int_equal(decode(&f), 0);
	assert_string_equal(snapshot_fault_name(&f.snap), "exception");
	/* What the kprobe took by itself is none that was kept. */
	f.rec.kind = TRIGGER_KPROBE;
	assert_int_equal(decode(&f), 0);
	assert_int_equal(f.snap.bug_ip, 0);
	assert_null(snapshot_fault_name(&f.snap));
}

/* What is longer has a stack and registers, in whole; a word less or a frame more is none. */
static void record_decode_detail_is_taken_whole(void **state)
{
	static struct detailed_record more; /* zero: a record, and a detail with nothing in it */
	struct fixture f;

	(void)state;
	fixture_init(&f);
	more.rec = f.rec;
	more.detail.frames = 2;
	more.detail.stack[0] = ENTRY;
	more.detail.stack[1] = ENTRY + 8;
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(more), &f.snap), 0);
	assert_null(f.snap.regs);
	assert_int_equal(f.snap.stack_count, 2);
	assert_false(f.snap.stack_cut);
	assert_int_equal(f.snap.stack[1], ENTRY + 8);
	more.detail.flags = DETAIL_REGS;
	more.detail.frames = RECORD_FRAMES_MAX;
	more.detail.regs[PTREG_IP] = ENTRY + 4;
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(more), &f.snap), 0);
	assert_int_equal(f.snap.regs[PTREG_IP], ENTRY + 4);
	assert_true(f.snap.stack_cut);
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(more) - 8, &f.snap), -EBADMSG);
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(struct record) + 8, &f.snap),
			 -EBADMSG);
	more.detail.frames = RECORD_FRAMES_MAX + 1;
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(more), &f.snap), -EBADMSG);
	/* Cut off before it, it is a plain one. */
	memset(&f.snap, 0x5a, sizeof(f.snap));
	assert_int_equal(record_decode(&f.ctx, &more, sizeof(struct record), &f.snap), 0);
	assert_null(f.snap.regs);
	assert_null(f.snap.stack);
	assert_int_equal(f.snap.stack_count, 0);
}

static void record_decode_bad_kind_is_refused(void **state)
{
	static const uint16_t bad[] = {0, TRIGGER_KIND_COUNT, UINT16_MAX};
	struct fixture f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fixture_init(&f);
		f.rec.kind = bad[i];
		assert_int_equal(decode(&f), -EBADMSG);
	}
	(void)state;
}

static void record_decode_bad_sizes_are_refused(void **state)
{
	struct fixture f;

	fixture_init(&f);
	f.rec.target = 1;
	assert_int_equal(decode(&f), -EBADMSG);
	fixture_init(&f);
	f.rec.count = RECORD_BRANCHES_MAX + 1;
	assert_int_equal(decode(&f), -EBADMSG);
	fixture_init(&f);
	assert_int_equal(record_decode(&f.ctx, &f.rec, RECORD_HEADER_BYTES, &f.snap), -EBADMSG);
	assert_int_equal(record_decode(&f.ctx, &f.rec, 0, &f.snap), -EBADMSG);
	(void)state;
}

/* f(int a, void *b, unsigned char c, unsigned long d); what a register holds beyond a type is
 * noise. */
static struct parameter parameters[] = {
	{.name = "a", .kind = ARGUMENT_SIGNED, .word = 0, .bytes = 4},
	{.name = "b", .kind = ARGUMENT_POINTER, .word = 1, .bytes = 8},
	{.name = "c", .kind = ARGUMENT_UNSIGNED, .word = 2, .bytes = 1},
	{.name = "d", .kind = ARGUMENT_UNSIGNED, .word = 4, .bytes = 8},
};

static void argue(struct fixture *f, struct argued_record *ret_rec)
{
	fixture_init(f);
	f->probe.parameters = parameters;
	f->probe.parameter_count = 4;
	f->rec.kind = TRIGGER_FEXIT;
	*ret_rec = (struct argued_record){
		.rec = f->rec,
		.arguments = {.count = 5,
			      .words = {0x12345678fffffffeu, 0xffff888012345678u, 0xabcdef80u, 7,
					UINT64_MAX}},
	};
}

static void record_decode_arguments_are_read_as_their_types(void **state)
{
	struct argued_record rec;
	struct fixture f;

	(void)state;
	argue(&f, &rec);
	assert_int_equal(record_decode(&f.ctx, &rec, sizeof(rec), &f.snap), 0);
	assert_int_equal(f.snap.argument_count, 4);
	assert_string_equal(f.snap.arguments[0].name, "a");
	assert_int_equal(f.snap.arguments[0].value, -2);
	/* Where it led is not told. */
	assert_int_equal(f.snap.arguments[1].value, 1);
	assert_int_equal(f.snap.arguments[2].value, 0x80);
	assert_int_equal(f.snap.arguments[3].value, -1);
	assert_int_equal(f.snap.arguments[3].kind, ARGUMENT_UNSIGNED);
	assert_int_equal(f.snap.count, 1);
}

static void record_decode_arguments_that_are_not_there(void **state)
{
	struct argued_record rec;
	struct fixture f;

	(void)state;
	argue(&f, &rec);
	rec.arguments.count = 2;
	assert_int_equal(record_decode(&f.ctx, &rec, sizeof(rec), &f.snap), 0);
	assert_int_equal(f.snap.argument_count, 2);
	rec.arguments.count = UINT64_MAX;
	parameters[3].word = 200;
	assert_int_equal(record_decode(&f.ctx, &rec, sizeof(rec), &f.snap), 0);
	parameters[3].word = 4;
	assert_int_equal(f.snap.argument_count, 3);
	/* A record of another kind, or without them. */
	rec.rec.kind = TRIGGER_HW;
	assert_int_equal(record_decode(&f.ctx, &rec, sizeof(rec), &f.snap), 0);
	assert_int_equal(f.snap.argument_count, 0);
	rec.rec.kind = TRIGGER_FEXIT;
	assert_int_equal(record_decode(&f.ctx, &rec, sizeof(rec.rec), &f.snap), 0);
	assert_int_equal(f.snap.argument_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_decode_probe_switched_keeps_the_kind_it_was_taken_by),
		cmocka_unit_test(record_decode_errno_site_exit_is_an_fexit),
		cmocka_unit_test(record_decode_plain_site_has_no_return_value),
		cmocka_unit_test(record_decode_user_return_is_no_errno),
		cmocka_unit_test(record_decode_multi_value_is_of_the_type),
		cmocka_unit_test(record_decode_fault_has_its_own_address),
		cmocka_unit_test(record_decode_detail_is_taken_whole),
		cmocka_unit_test(record_decode_arguments_are_read_as_their_types),
		cmocka_unit_test(record_decode_arguments_that_are_not_there),
		cmocka_unit_test(record_decode_bad_kind_is_refused),
		cmocka_unit_test(record_decode_bad_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
