// SPDX-License-Identifier: GPL-2.0
#include "capture/lbr/lbr_events.h"

#include "capture/capture.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "capture/lbr/lbr_cause.h"
#include "util/cleanup.h"

struct cpu_event {
	int fd;	  /* -1: not open */
	int link; /* see lbr_events_hold(); -1: none */
	bool enabled;
	bool renewed;	 /* by the last lbr_events_update(): the CPU had been offline in between */
	bool told;	 /* that the CPU is online, and its event not to be had */
	uint64_t ran_ns; /* how long it had been enabled then */
};

/* What read() of an event gives: PERF_FORMAT_TOTAL_TIME_ENABLED */
struct event_value {
	uint64_t count;
	uint64_t enabled_ns;
};

struct lbr_events {
	uint64_t branch_types;
	bool on;
	int hold_prog; /* 0: none */
	struct cpu_event *cpus;
	int room;
	char failed[512];
};

/* "0-3,8\n" to bits. */
static int parse_cpu_list(const char *text, uint8_t *mask, int bits)
{
	while (*text >= '0' && *text <= '9') {
		char *end;
		long first = strtol(text, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (first < 0 || last < first || last >= bits)
			return -EINVAL;
		for (long cpu = first; cpu <= last; cpu++)
			mask[cpu / 8] |= 1 << (cpu % 8);
		text = *end == ',' ? end + 1 : end;
	}
	return 0;
}

int cpus_online(const char *path, uint8_t **ret_mask)
{
	enum { BITS = 8192 };
	_cleanup_fclose_ FILE *f = fopen(path ?: "/sys/devices/system/cpu/online", "re");
	_cleanup_free_ char *line = NULL;
	_cleanup_free_ uint8_t *mask = calloc(1, BITS / 8);
	size_t room = 0;
	int err;

	if (!f)
		return -errno;
	if (!mask)
		return -ENOMEM;
	if (getline(&line, &room, f) < 0)
		return -EIO;
	err = parse_cpu_list(line, mask, BITS);
	if (err)
		return err;
	*ret_mask = mask;
	mask = NULL;
	return BITS;
}

int cpus_first_online(const char *path)
{
	_cleanup_free_ uint8_t *mask = NULL;
	int bits = cpus_online(path, &mask);

	for (int cpu = 0; cpu < bits; cpu++)
		if (mask[cpu / 8] & (1 << cpu % 8))
			return cpu;
	return 0;
}

uint32_t lbr_depth(void)
{
	/* A hybrid machine has one directory per kind of core, and the depth is the same. */
	static const char *const paths[] = {"/sys/bus/event_source/devices/cpu/caps/branches",
					    "/sys/bus/event_source/devices/cpu_core/caps/branches"};
	unsigned int depth = 0;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_fclose_ FILE *f = fopen(paths[i], "re");

		if (f && fscanf(f, "%u", &depth) == 1)
			return depth;
	}
	return 0;
}

uint64_t hybrid_pmu_type(int cpu)
{
	static const char *const pmus[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};

	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		_cleanup_free_ uint8_t *mask = NULL;
		_cleanup_fclose_ FILE *f = NULL;
		unsigned int type;
		char path[96];
		int bits;

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", pmus[i]);
		bits = cpus_online(path, &mask);
		if (cpu >= bits || !(mask[cpu / 8] & 1 << (cpu % 8)))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmus[i]);
		f = fopen(path, "re");
		if (f && fscanf(f, "%u", &type) == 1)
			return type;
	}
	return 0;
}

static int open_cpu(int cpu, uint64_t branch_types)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES | hybrid_pmu_type(cpu) << 32,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = branch_types,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
		.pinned = 1, /* else multiplexing would switch the LBR off now and then */
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int enable_cpu(struct cpu_event *event)
{
	struct event_value value;

	if (event->enabled)
		return 0;
	if (ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	/* A pinned event that found no counter is in error state: its read says end of file. */
	if (read(event->fd, &value, sizeof(value)) == 0)
		return -EBUSY;
	event->enabled = true;
	event->ran_ns = 0;
	return 0;
}

bool event_stands_still(int fd, uint64_t *ran_ns)
{
	struct event_value value;
	uint64_t before = *ran_ns;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return true;
	*ran_ns = value.enabled_ns;
	return value.enabled_ns <= before;
}

static int hold_cpu(struct lbr_events *events, int cpu, struct errmsg *msg)
{
	struct cpu_event *event = &events->cpus[cpu];

	if (!events->hold_prog || event->fd < 0 || event->link >= 0)
		return 0;
	event->link = bpf_link_create(events->hold_prog, event->fd, BPF_PERF_EVENT, NULL);
	if (event->link >= 0)
		return 0;
	event->link = -1;
	return errmsg_set(msg, -errno,
			  "cpu %d: this kernel has no links for perf events, so that nothing keeps "
			  "the LBR on without a process: %s",
			  cpu, strerror(errno));
}

int lbr_events_hold(struct lbr_events *events, int prog_fd, struct errmsg *msg)
{
	int err = 0;

	events->hold_prog = prog_fd;
	for (int cpu = 0; cpu < events->room && !err; cpu++)
		err = hold_cpu(events, cpu, msg);
	return err;
}

int lbr_events_link(const struct lbr_events *events, int cpu)
{
	return cpu >= 0 && cpu < events->room ? events->cpus[cpu].link : -1;
}

static void close_cpu(struct cpu_event *event)
{
	if (event->link >= 0)
		close(event->link);
	if (event->fd >= 0)
		close(event->fd);
	*event = (struct cpu_event){.fd = -1, .link = -1, .told = event->told};
}

static int note_failure(struct lbr_events *events, int cpu, int err, struct errmsg *msg)
{
	err = lbr_cause(err, cpu, events->branch_types, msg);
	if (!events->failed[0] && msg)
		snprintf(events->failed, sizeof(events->failed), "cpu %d: %.480s", cpu, msg->text);
	return err;
}

/* It is tried again at each look, and told once: now, or when the caller asks why. */
static int refuse(struct lbr_events *events, int cpu, int err, struct errmsg *msg)
{
	struct cpu_event *event = &events->cpus[cpu];

	if (event->told)
		return err;
	event->told = msg;
	return note_failure(events, cpu, err, msg);
}

/* Opens the event of a CPU that is online, closes that of one that went. 1 if it did either. */
static int follow_cpu(struct lbr_events *events, int cpu, bool online, struct errmsg *msg)
{
	struct cpu_event *event = &events->cpus[cpu];
	bool renewed = online && event->fd >= 0 && event->enabled &&
		       event_stands_still(event->fd, &event->ran_ns);
	int err;

	if (renewed)
		close_cpu(event);
	event->renewed = renewed;
	event->told = event->told && online;
	if (online == (event->fd >= 0))
		return 0;
	if (!online) {
		close_cpu(event);
		return 1;
	}
	err = open_cpu(cpu, events->branch_types);
	if (err == -ENODEV) /* went offline again meanwhile */
		return 0;
	if (err < 0)
		return refuse(events, cpu, err, msg);
	event->fd = err;
	hold_cpu(events, cpu, NULL);
	err = events->on ? enable_cpu(event) : 0;
	if (!err) {
		event->told = false;
		return 1;
	}
	close_cpu(event);
	return refuse(events, cpu, err, msg);
}

int lbr_events_update(struct lbr_events *events, int *ret_failed, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *mask = NULL;
	int bits = cpus_online(NULL, &mask);
	int changes = 0, first_err = 0, failed = -1;

	if (ret_failed)
		*ret_failed = -1;
	if (bits < 0)
		return errmsg_set(msg, bits, "/sys/devices/system/cpu/online: %s", strerror(-bits));
	for (int cpu = 0; cpu < events->room && cpu < bits; cpu++) {
		bool told = events->cpus[cpu].told;
		int err = follow_cpu(events, cpu, mask[cpu / 8] & 1 << (cpu % 8),
				     failed < 0 ? msg : NULL);

		changes += err > 0 || events->cpus[cpu].renewed;
		if (err < 0)
			first_err = first_err ?: err;
		if (!told && events->cpus[cpu].told)
			failed = cpu;
		/* What no CPU will allow need not be asked of the next thousand. */
		if (err == -EPERM && !events->on)
			break;
	}
	if (ret_failed)
		*ret_failed = failed;
	return changes ? changes : first_err;
}

int lbr_events_has(const struct lbr_events *events, int cpu)
{
	return cpu >= 0 && cpu < events->room && events->cpus[cpu].fd >= 0;
}

bool lbr_events_renewed(const struct lbr_events *events, int cpu)
{
	return cpu >= 0 && cpu < events->room && events->cpus[cpu].renewed;
}

const char *lbr_events_failed(const struct lbr_events *events)
{
	return events->failed[0] ? events->failed : NULL;
}

int lbr_events_open(uint64_t branch_types, struct lbr_events **ret_events, struct errmsg *msg)
{
	struct lbr_events *events = calloc(1, sizeof(*events));
	_cleanup_free_ uint8_t *mask = NULL;
	int err;

	if (!events)
		return -ENOMEM;
	events->branch_types = branch_types;
	events->room = cpus_online(NULL, &mask);
	if (events->room < 0)
		events->room = 0;
	events->cpus = calloc(events->room + 1, sizeof(*events->cpus));
	if (!events->cpus) {
		free(events);
		return -ENOMEM;
	}
	for (int cpu = 0; cpu < events->room; cpu++)
		events->cpus[cpu] = (struct cpu_event){.fd = -1, .link = -1};
	err = lbr_events_update(events, NULL, msg);
	if (err <= 0) {
		lbr_events_close(events);
		return err ?: errmsg_set(msg, -ENODEV, "no CPU is online");
	}
	*ret_events = events;
	return 0;
}

int lbr_events_enable(struct lbr_events *events, struct errmsg *msg)
{
	size_t enabled = 0;
	int first_err = 0;

	events->on = true;
	for (int cpu = 0; cpu < events->room; cpu++) {
		int err;

		if (events->cpus[cpu].fd < 0)
			continue;
		err = enable_cpu(&events->cpus[cpu]);
		if (!err) {
			enabled++;
			continue;
		}
		err = note_failure(events, cpu, err, first_err ? NULL : msg);
		first_err = first_err ?: err;
	}
	return enabled ? 0 : first_err;
}

void lbr_events_close(struct lbr_events *events)
{
	if (!events)
		return;
	for (int cpu = 0; cpu < events->room; cpu++)
		close_cpu(&events->cpus[cpu]);
	free(events->cpus);
	free(events);
}
