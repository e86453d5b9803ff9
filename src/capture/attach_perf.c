// SPDX-License-Identifier: GPL-2.0
#include "capture/attach_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/lbr/lbr_events.h"

bool probe_is_event(const struct probe *probe)
{
	return probe->trigger.kind == TRIGGER_PERF || probe->trigger.kind == TRIGGER_PMI;
}

/* Clocks count nanoseconds. */
static bool is_clock(const struct probe_event *event)
{
	return event->config == PERF_COUNT_SW_CPU_CLOCK ||
	       event->config == PERF_COUNT_SW_TASK_CLOCK;
}

bool each_event_fires(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		const struct probe *probe = &probes->items[i];

		if (probe->trigger.kind == TRIGGER_PERF &&
		    (probe->event.period != 1 || is_clock(&probe->event)))
			return false;
	}
	return true;
}

static bool of_pmu(const struct probe_event *event)
{
	return event->type != PERF_TYPE_SOFTWARE;
}

/* On a hybrid machine each kind of core has a PMU of its own. */
static void select_pmu(const struct probe_event *event, int cpu, struct perf_event_attr *attr)
{
	uint64_t pmu = hybrid_pmu_type(cpu);

	if (pmu && event->type == PERF_TYPE_HARDWARE)
		attr->config |= pmu << 32;
	if (pmu && event->type == PERF_TYPE_RAW)
		attr->type = (uint32_t)pmu;
}

static int open_event(const struct probe_event *event, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.sample_period = event->period,
		.disabled = 1,
	};
	int fd;

	if (of_pmu(event)) {
		select_pmu(event, cpu, &attr);
		attr.pinned = 1; /* else it would take turns with others */
		if (event->branch_types) {
			attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
			attr.branch_sample_type = event->branch_types;
		}
	}
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int event_error(const struct probe_event *event, int err, int cpu, struct errmsg *msg)
{
	switch (err) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return errmsg_set(msg, -ENOENT, "%s; 'lbrsnoop list perf' tells what there is",
				  of_pmu(event) ? "this machine's PMU has no such event, or there "
						  "is no PMU, as in most virtual machines"
						: "this kernel has no such event");
	case -EPERM:
	case -EACCES:
		return errmsg_set(msg, -EPERM,
				  "not permitted: events of a whole CPU need CAP_PERFMON; run as "
				  "root (sudo), see /proc/sys/kernel/perf_event_paranoid");
	case -EBUSY:
		return errmsg_set(msg, err,
				  "no counter of cpu %d is free for it: perf, the NMI watchdog "
				  "(/proc/sys/kernel/nmi_watchdog) or the LBR's own event may hold "
				  "them",
				  cpu);
	case -EINVAL:
		return errmsg_set(msg, err, "the kernel refuses this event or its period, %llu",
				  (unsigned long long)event->period);
	default:
		return errmsg_set(msg, err, "perf event on cpu %d: %s", cpu, strerror(-err));
	}
}

int perf_event_there(uint32_t type, uint64_t config, uint64_t period, struct errmsg *msg)
{
	struct probe_event event = {.type = type, .config = config, .period = period};
	int fd = open_event(&event, 0);

	if (fd < 0)
		return event_error(&event, fd, 0, msg);
	close(fd);
	return 0;
}

/*
 * Samples do not come here: the kernel writes none where a BPF program takes them (it returns 0).
 * Nor are other records asked for. What is left are PERF_RECORD_THROTTLE and
 * PERF_RECORD_UNTHROTTLE, by turns. A ring that is mapped for reading alone is written over and
 * over, so how far it has been written tells how many there were, however small it is.
 */
#define THROTTLE_BYTES 32u /* header, time, id, stream_id: see perf_event_open(2) */

static size_t ring_bytes(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

static void *ring_map(int fd)
{
	void *ring = mmap(NULL, ring_bytes(), PROT_READ, MAP_SHARED, fd, 0);

	return ring == MAP_FAILED ? NULL : ring;
}

uint64_t event_throttled(const struct hw_site *site)
{
	const struct perf_event_mmap_page *page = site->ring;
	uint64_t records =
		page ? __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) / THROTTLE_BYTES : 0;

	return (records + 1) / 2;
}

void hw_site_close(struct hw_site *site)
{
	if (site->ring)
		munmap(site->ring, ring_bytes());
	bpf_link__destroy(site->link);
	*site = (struct hw_site){};
}

int attach_event(struct bpf_program *prog, const struct probe *probe, int cpu, uint64_t cookie,
		 struct hw_site *ret_site, struct errmsg *msg)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	int fd = open_event(&probe->event, cpu), err;
	struct bpf_link *link;
	uint64_t count;

	if (fd < 0)
		return event_error(&probe->event, fd, cpu, msg);
	/* The link owns the event: it enables it, and closes it when it is destroyed. */
	link = bpf_program__attach_perf_event_opts(prog, fd, &opts);
	if (!link) {
		err = -errno;
		close(fd);
		return event_error(&probe->event, err, cpu, msg);
	}
	/* A pinned event that found no counter is in error state: its read says end of file. */
	if (read(fd, &count, sizeof(count)) == 0) {
		bpf_link__destroy(link);
		return event_error(&probe->event, -EBUSY, cpu, msg);
	}
	*ret_site = (struct hw_site){.link = link, .fd = fd, .ring = ring_map(fd)};
	return 0;
}

void events_set_period(struct armed *armed, struct probe *probe, uint64_t period)
{
	probe->event.period = period; /* for CPUs that come */
	for (int i = 0; i < armed->hw_cpus * HW_SITES_MAX; i++)
		if (armed->hw_sites[i].link)
			ioctl(armed->hw_sites[i].fd, PERF_EVENT_IOC_PERIOD, &period);
}
