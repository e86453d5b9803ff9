// SPDX-License-Identifier: GPL-2.0
#include "why/run/function_log.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/lbr/lbr_events.h"
#include "target/target.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* Of each CPU, a power of two: a command that starts makes some 100,000 calls. */
#define RING_BYTES (16u << 20)
/* Entries that are kept, the newest. */
#define ENTRIES_MAX (4u << 20)
/* Events of one log, each of which is asked at every function that any CPU enters. */
#define EVENTS_MAX 256
/* Distinct functions of one call. */
#define DISTINCT_MAX WHY_FUNCS_MAX

/** struct entry - a function was entered; @low: lower half of its address */
struct entry {
	uint64_t ns;
	uint32_t tid;
	uint32_t low;
};

/** struct gap - entries of one CPU between these times are missing */
struct gap {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Of one CPU: the first event has it, the others write into it. @losing: since the last sample, at
 * @last_ns */
struct ring {
	int cpu;
	bool losing;
	uint64_t last_ns;
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *data;
};

struct function_log {
	const struct candidates *candidates;
	int event_id;
	int idle_fd;
	struct ring *rings;
	size_t ring_count;
	int *fds;
	size_t fd_count;
	struct entry *entries;
	size_t count;
	size_t room;
	uint64_t dropped_ns; /* until then some are not kept */
	struct gap *gaps;
	size_t gap_count;
	bool sorted;
};

/*
 * PERF_RECORD_SAMPLE with PERF_SAMPLE_TID, _TIME and _RAW; the raw part is a struct ftrace_entry of
 * kernel/trace/trace_entries.h behind the 8 bytes that all trace events begin with.
 */
struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t raw_bytes;
	uint8_t raw[];
};

#define RAW_IP 8

static int event_id(struct errmsg *msg)
{
	const char *tracefs = tracefs_dir();
	_cleanup_fclose_ FILE *file = NULL;
	char path[160];
	int id;

	snprintf(path, sizeof(path), "%s/events/ftrace/function/id",
		 tracefs ?: "/sys/kernel/tracing");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &id) != 1)
		return errmsg_set(msg, -ENOENT,
				  "%s: %s; this kernel can watch functions neither by kprobe.multi "
				  "(CONFIG_FPROBE) nor by its function tracer",
				  path, file ? "no number" : strerror(errno));
	return id;
}

static int event_open(const struct function_log *log, int who, int cpu, unsigned long flags,
		      bool idle)
{
	struct perf_event_attr attr = {
		.disabled = idle,
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = log->event_id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.inherit = !idle && !(flags & PERF_FLAG_PID_CGROUP),
		/* Else refused for this event: perf_trace_event_perm(),
		   kernel/trace/trace_event_perf.c */
		.exclude_callchain_user = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};
	int fd = syscall(SYS_perf_event_open, &attr, who, cpu, -1, PERF_FLAG_FD_CLOEXEC | flags);

	return fd < 0 ? -errno : fd;
}

static int ring_map(struct ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	ring->fd = fd;
	ring->page = map;
	ring->data = (uint8_t *)map + page;
	return 0;
}

/* One event more, on the ring's CPU. */
static int ring_add(struct function_log *log, struct ring *ring, int who, unsigned long flags)
{
	int *fds = reallocarray(log->fds, log->fd_count + 1, sizeof(*fds));
	int fd, err;

	if (!fds)
		return -ENOMEM;
	log->fds = fds;
	fd = event_open(log, who, ring->cpu, flags, false);
	if (fd < 0)
		return fd;
	if (ring->fd < 0)
		err = ring_map(ring, fd);
	else
		err = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0;
	if (err) {
		close(fd);
		return err;
	}
	fds[log->fd_count++] = fd;
	return 0;
}

/*
 * One event that never fires, of our own thread. Each event is a user of the function tracer, and
 * so is the copy that each new thread inherits. A second user changes the call in each of the
 * kernel's 50,000 functions, for the first one has them call its own code (FTRACE_FL_TRAMP,
 * kernel/trace/ftrace.c); a third one changes none. So without this event, where one thread is
 * followed on one CPU, each fork() and each exit changes all of them, in the traced thread:
 * seconds.
 */
static int open_idle(struct function_log *log)
{
	if (log->idle_fd < 0)
		log->idle_fd = event_open(log, 0, -1, 0, true);
	return log->idle_fd < 0 ? log->idle_fd : 0;
}

static int add(struct function_log *log, int who, unsigned long flags, struct errmsg *msg)
{
	int err = open_idle(log);

	for (size_t i = 0; i < log->ring_count && !err; i++)
		err = ring_add(log, &log->rings[i], who, flags);
	return err ? errmsg_set(msg, err, "perf event ftrace:function: %s", strerror(-err)) : 0;
}

int function_log_add(struct function_log *log, uint32_t tid, struct errmsg *msg)
{
	if (log->fd_count + log->ring_count > EVENTS_MAX)
		return errmsg_set(msg, -E2BIG,
				  "the function tracer can follow %zu threads on %zu CPUs: of a "
				  "control group (--cgroup, --unit) it follows all",
				  EVENTS_MAX / log->ring_count, log->ring_count);
	return add(log, (int)tid, 0, msg);
}

int function_log_add_cgroup(struct function_log *log, int fd, struct errmsg *msg)
{
	return add(log, fd, PERF_FLAG_PID_CGROUP, msg);
}

int function_log_open(const struct candidates *candidates, struct function_log **ret_log,
		      struct errmsg *msg)
{
	_cleanup_free_ uint8_t *online = NULL;
	struct function_log *log;
	int bits, id = event_id(msg);

	if (id < 0)
		return id;
	bits = cpus_online(NULL, &online);
	log = calloc(1, sizeof(*log));
	if (bits < 0 || !log || !(log->rings = calloc(bits, sizeof(*log->rings)))) {
		free(log);
		return bits < 0 ? bits : -ENOMEM;
	}
	log->candidates = candidates;
	log->event_id = id;
	log->idle_fd = -1;
	for (int cpu = 0; cpu < bits; cpu++)
		if (online[cpu / 8] & (1 << cpu % 8))
			log->rings[log->ring_count++] = (struct ring){.cpu = cpu, .fd = -1};
	*ret_log = log;
	return 0;
}

/* The older half goes; of a sorted log that of some threads. */
static void drop_half(struct function_log *log)
{
	for (size_t i = 0; i < ENTRIES_MAX / 2; i++)
		if (log->entries[i].ns > log->dropped_ns)
			log->dropped_ns = log->entries[i].ns;
	memmove(log->entries, log->entries + ENTRIES_MAX / 2,
		ENTRIES_MAX / 2 * sizeof(*log->entries));
	log->count = ENTRIES_MAX / 2;
}

static int keep(struct function_log *log, const struct sample *sample)
{
	uint64_t ip;

	if (sample->raw_bytes < RAW_IP + sizeof(ip))
		return 0;
	memcpy(&ip, sample->raw + RAW_IP, sizeof(ip));
	/* Behind an ENDBR the tracer's place is 4 bytes into the function. */
	if (!candidates_at(log->candidates, ip)) {
		if (!candidates_at(log->candidates, ip - 4))
			return 0;
		ip -= 4;
	}
	if (log->count == ENTRIES_MAX)
		drop_half(log);
	if (log->count == log->room) {
		size_t room = log->room ? log->room * 2 : 65536;
		struct entry *entries = reallocarray(log->entries, room, sizeof(*entries));

		if (!entries)
			return -ENOMEM;
		log->entries = entries;
		log->room = room;
	}
	log->entries[log->count++] =
		(struct entry){.ns = sample->time, .tid = sample->tid, .low = (uint32_t)ip};
	log->sorted = false;
	return 0;
}

static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t len)
{
	size_t off = at % RING_BYTES, first = RING_BYTES - off < len ? RING_BYTES - off : len;

	memcpy(to, ring->data + off, first);
	memcpy((uint8_t *)to + first, ring->data, len - first);
}

static int take(struct function_log *log, struct ring *ring, const struct sample *sample)
{
	if (ring->losing) {
		if (vector_grow(&log->gaps, log->gap_count, sizeof(*log->gaps)))
			return -ENOMEM;
		log->gaps[log->gap_count++] = (struct gap){ring->last_ns, sample->time};
	}
	ring->losing = false;
	ring->last_ns = sample->time;
	return keep(log, sample);
}

/* On whichever CPU: the call may have been on it. */
static bool lost_between(const struct function_log *log, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < log->ring_count; i++)
		if (log->rings[i].losing && log->rings[i].last_ns <= to_ns)
			return true;
	for (size_t i = 0; i < log->gap_count; i++)
		if (log->gaps[i].from_ns <= to_ns && log->gaps[i].to_ns >= from_ns)
			return true;
	return log->dropped_ns >= from_ns;
}

static int ring_read(struct function_log *log, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	union {
		struct perf_event_header header;
		struct sample sample;
		uint8_t bytes[256];
	} record __attribute__((aligned(8)));
	int err = 0;

	while (!err && head - tail >= sizeof(record.header)) {
		copy_out(ring, tail, &record.header, sizeof(record.header));
		if (record.header.size < sizeof(record.header) || record.header.size > head - tail)
			return -EBADMSG;
		if (record.header.size <= sizeof(record))
			copy_out(ring, tail, &record, record.header.size);
		if (record.header.type == PERF_RECORD_LOST)
			ring->losing = true;
		else if (record.header.type == PERF_RECORD_SAMPLE &&
			 record.header.size >= sizeof(struct sample) + RAW_IP + 8 &&
			 record.header.size <= sizeof(record))
			err = take(log, ring, &record.sample);
		tail += record.header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

int function_log_poll(struct function_log *log)
{
	int err = 0;

	for (size_t i = 0; i < log->ring_count && !err; i++)
		if (log->rings[i].fd >= 0)
			err = ring_read(log, &log->rings[i]);
	return err;
}

void function_log_end(struct function_log *log)
{
	size_t page = sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < log->ring_count; i++) {
		if (log->rings[i].fd < 0)
			continue;
		munmap(log->rings[i].page, page + RING_BYTES);
		log->rings[i].fd = -1;
	}
	for (size_t i = 0; i < log->fd_count; i++)
		close(log->fds[i]);
	log->fd_count = 0;
	if (log->idle_fd >= 0)
		close(log->idle_fd);
	log->idle_fd = -1;
}

static int by_tid_and_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Behind the last entry of the thread that is not later. */
static size_t find_end(const struct function_log *log, uint32_t tid, uint64_t ns)
{
	struct entry key = {.tid = tid, .ns = ns};
	size_t low = 0, high = log->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (by_tid_and_time(&log->entries[mid], &key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int function_log_fill(struct function_log *log, struct failure *failure)
{
	uint32_t distinct[DISTINCT_MAX];
	size_t n = 0;

	if (!log->sorted && log->count)
		qsort(log->entries, log->count, sizeof(*log->entries), by_tid_and_time);
	log->sorted = true;
	failure->cut = lost_between(log, failure->begin_ns, failure->mono_ns);
	for (size_t i = find_end(log, failure->tid, failure->mono_ns); i-- > 0;) {
		const struct entry *entry = &log->entries[i];
		size_t k = 0;

		if (entry->tid != failure->tid || entry->ns < failure->begin_ns)
			break;
		while (k < n && distinct[k] != entry->low)
			k++;
		if (k < n)
			continue;
		if (n == DISTINCT_MAX) {
			failure->cut = true;
			break;
		}
		distinct[n++] = entry->low;
	}
	if (!n)
		return 0;
	failure->funcs = malloc(n * sizeof(*failure->funcs));
	if (!failure->funcs)
		return -ENOMEM;
	memcpy(failure->funcs, distinct, n * sizeof(*failure->funcs));
	failure->func_count = n;
	return 0;
}

void function_log_close(struct function_log *log)
{
	if (!log)
		return;
	function_log_end(log);
	free(log->rings);
	free(log->fds);
	free(log->entries);
	free(log->gaps);
	free(log);
}
