// SPDX-License-Identifier: GPL-2.0
/* test_capture_stats - what became of events, of a capture whose programs are made up here */
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "capture/capture.h"
#include "capture/capture_state.h"

#define PROBES 256
#define MS     1000000ull

static uint64_t now_ns, asked;
static struct probe probes[PROBES];
static struct armed armed[PROBES];
static struct trigger triggers[PROBES * TRIGGER_KIND_COUNT];
static struct lbr_model model = {.name = "unknown", .format = LBR_FORMAT_NONE};
static struct lbr_info lbr;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_bpf_obj_get_info_by_fd(int fd, void *info, __u32 *len);
int __wrap_ring_reader_wait(struct ring_reader *ring, int timeout_ms);
int __wrap_ring_reader_consume(struct ring_reader *ring);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	*ret = (struct timespec){.tv_sec = (time_t)(now_ns / 1000000000),
				 .tv_nsec = (long)(now_ns % 1000000000)};
	return 0;
}

/* Each program was passed over once for each millisecond. */
int __wrap_bpf_obj_get_info_by_fd(int fd, void *info, __u32 *len)
{
	(void)fd;
	assert_true(*len >= sizeof(struct bpf_prog_info));
	((struct bpf_prog_info *)info)->recursion_misses = now_ns / MS;
	asked++;
	return 0;
}

int __wrap_ring_reader_wait(struct ring_reader *ring, int timeout_ms)
{
	(void)ring;
	(void)timeout_ms;
	return 0;
}

int __wrap_ring_reader_consume(struct ring_reader *ring)
{
	(void)ring;
	return 0;
}

static struct capture *begin(struct lbrsnoop_bpf *skel, struct probe_list *list)
{
	struct capture *capture = calloc(1, sizeof(*capture));

	assert_non_null(capture);
	skel->bss = calloc(1, sizeof(*skel->bss));
	assert_non_null(skel->bss);
	*list = (struct probe_list){.items = probes, .count = PROBES, .room = PROBES};
	for (size_t i = 0; i < PROBES; i++) {
		probes[i] = (struct probe){.trigger = {.target = "f", .kind = TRIGGER_FEXIT}};
		armed[i] = (struct armed){.prog_fd = 3, .link_fd = -1};
	}
	capture->skel = skel;
	capture->probes = list;
	capture->armed = armed;
	capture->record = (struct record_context){
		.model = &model, .lbr = &lbr, .probes = list, .triggers = triggers};
	asked = 0;
	return capture;
}

static void end(struct lbrsnoop_bpf *skel, struct capture *capture)
{
	free(skel->bss);
	free(capture);
}

/* Who shows snapshots asks at each of them. */
static void capture_stats_asks_the_kernel_now_and_then(void **state)
{
	struct capture_stats stats;
	struct probe_list list;
	struct lbrsnoop_bpf skel = {};
	struct capture *capture = begin(&skel, &list);

	(void)state;
	for (now_ns = 1000 * MS; now_ns < 1100 * MS; now_ns += MS / 10)
		capture_stats(capture, &stats);
	/* A hundred milliseconds, a thousand snapshots. */
	assert_true(asked >= PROBES);
	assert_true(asked <= 8 * PROBES);
	/* What is told is not older than that. */
	assert_true(stats.missed >= PROBES * (uint64_t)1050);
	assert_true(stats.missed <= PROBES * (uint64_t)1100);
	end(&skel, capture);
}

static int count(struct snapshot *snap, void *ctx)
{
	*(unsigned int *)ctx += snap != NULL;
	return 0;
}

/* Two triggers see one event while one takes over from the other: that is one snapshot. */
static void capture_stats_event_of_two_triggers_counts_once(void **state)
{
	struct capture_stats stats;
	struct lbrsnoop_bpf skel = {};
	struct probe_list list;
	struct capture *capture = begin(&skel, &list);
	unsigned int shown = 0;

	(void)state;
	now_ns = 5000 * MS;
	capture->armed[0].since_ns = 2000 * MS;
	for (int i = 1; i <= 2; i++) {
		struct capture_slot *slot = &skel.bss->slots[i];

		slot->busy = slot->deferred = 1;
		slot->rec.mono_ns = 2001 * MS;
		slot->rec.kind = i == 1 ? TRIGGER_HW : TRIGGER_FEXIT;
	}
	skel.bss->deferred_count = skel.bss->records_written = 2;
	assert_int_equal(capture_poll(capture, 0, count, &shown), 0);
	assert_int_equal(shown, 1);
	capture_stats(capture, &stats);
	assert_int_equal(stats.written, 1);
	end(&skel, capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capture_stats_asks_the_kernel_now_and_then),
		cmocka_unit_test(capture_stats_event_of_two_triggers_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
