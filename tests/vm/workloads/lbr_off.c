// SPDX-License-Identifier: GPL-2.0
/*
 * lbr_off - are branches of an earlier reading told where no event has the LBR on any more?
 *
 * As on a CPU that went offline and is back, until its event is opened anew: the driver reads
 * nothing there, and what the helper copies is of the reading before. Prints "ok load/lbr_off",
 * "not ok load/lbr_off: why" or "skip load/lbr_off: reason".
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/lbr/lbr_events.h"
#include "record.h"
#include "symbolize/symbolize.h"
#include "util/cleanup.h"

#include "lbrsnoop.skel.h"

#define ALL (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_USER)

/* struct seen - the record of the last call; @count: -1: there was none */
struct seen {
	int count;
	int read;
};

static int keep(void *ctx, void *data, size_t len)
{
	const struct record *rec = data;
	struct seen *seen = ctx;

	(void)len;
	*seen = (struct seen){.count = (int)rec->count, .read = rec->read};
	return 0;
}

static int say(const char *verdict, const char *why)
{
	printf("%s load/lbr_off%s%s\n", verdict, *why ? ": " : "", why);
	return strcmp(verdict, "not ok") ? 0 : 1;
}

/* On this CPU alone, which the event is of. */
static bool stay(void)
{
	int cpu = sched_getcpu();
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(cpu < 0 ? 0 : cpu, &here);
	return !sched_setaffinity(0, sizeof(here), &here);
}

static struct seen call(struct lbrsnoop_bpf *skel)
{
	struct seen seen = {.count = -1};
	struct ring_buffer *ring =
		ring_buffer__new(bpf_map__fd(skel->maps.events), keep, &seen, NULL);

	if (!ring)
		return seen;
	syscall(SYS_getppid);
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
	return seen;
}

static int judge(struct seen on, struct seen off, struct seen again)
{
	char why[128];

	if (on.count <= 0 || again.count <= 0)
		snprintf(why, sizeof(why), "with the LBR on %d and %d entries were told", on.count,
			 again.count);
	else if (off.count)
		snprintf(why, sizeof(why), "with the LBR off %d of %d entries are told", off.count,
			 off.read);
	else
		return say("ok", "");
	return say("not ok", why);
}

int main(void)
{
	struct lbrsnoop_bpf *skel = lbrsnoop_bpf__open();
	struct lbr_events *events = NULL;
	struct symbols *symbols = NULL;
	struct seen on, off, again;
	struct errmsg msg = {};
	int status;

	libbpf_set_print(NULL);
	if (!skel || !stay() || symbols_open(NULL, &symbols))
		return say("not ok", "no memory, or no names");
	if (lbr_events_open(ALL, &events, &msg))
		return say("skip", msg.text);
	skel->rodata->filter_pid = (uint32_t)getpid();
	skel->rodata->percpu_offsets = symbols_single(symbols, SYMBOLS_PER_CPU_OFFSET);
	skel->rodata->cpu_hw_events_offset = symbols_single(symbols, SYMBOLS_CPU_HW_EVENTS);
	bpf_program__set_autoload(skel->progs.tracepoint_sys_exit, true);
	if (lbrsnoop_bpf__load(skel))
		return say("not ok", "the program is not loaded");
	skel->bss->slots[0].busy = 1;
	skel->links.tracepoint_sys_exit = bpf_program__attach_tracepoint(
		skel->progs.tracepoint_sys_exit, "syscalls", "sys_exit_getppid");
	if (!skel->links.tracepoint_sys_exit)
		return say("not ok", "the program is not attached");
	lbr_events_enable(events, &msg);
	on = call(skel);
	lbr_events_close(events);
	off = call(skel);
	if (lbr_events_open(ALL, &events, &msg) || lbr_events_enable(events, &msg))
		return say("not ok", msg.text);
	again = call(skel);
	lbr_events_close(events);
	status = judge(on, off, again);
	lbrsnoop_bpf__destroy(skel);
	symbols_close(symbols);
	return status;
}
