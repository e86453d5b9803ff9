// SPDX-License-Identifier: GPL-2.0
#include "capture/maps.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/lbr/lbr_events.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/cursor.h"

#define RING_PAGES  128 /* of data, for each CPU; some hundred programs that start at once */
#define EVENT_BYTES 65536

/** struct map_cpu - one CPU's event; @fd: -1: none; @ran_ns: see event_stands_still() */
struct map_cpu {
	int fd;
	uint64_t ran_ns;
	void *ring;
};

enum map_kind { MAP_MAPPED, MAP_FORKED, MAP_EXECUTED, MAP_EXITED, MAP_LOST };

/** struct map_event - one that was read and not told yet; @path: free() it */
struct map_event {
	uint64_t time_ns;
	enum map_kind kind;
	uint32_t pid;
	uint32_t parent;
	struct user_mapping map;
	char *path;
	size_t order;
};

struct map_events {
	struct userspace *user;
	struct map_cpu *cpus;
	int cpu_count;
	size_t page;
	struct map_event *waiting;
	size_t count;
	size_t room;
	bool lost; /* there was no memory for one */
	uint8_t event[EVENT_BYTES];
};

static int open_cpu(struct map_events *events, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1 << 30,
	};
	struct map_cpu *at = &events->cpus[cpu];
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	at->ring = mmap(NULL, (RING_PAGES + 1) * events->page, PROT_READ | PROT_WRITE, MAP_SHARED,
			fd, 0);
	if (at->ring == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	at->fd = fd;
	at->ran_ns = 0;
	return 0;
}

static void close_cpu(struct map_events *events, struct map_cpu *at)
{
	if (at->fd < 0)
		return;
	munmap(at->ring, (RING_PAGES + 1) * events->page);
	close(at->fd);
	at->fd = -1;
}

/* They are gone through at each record: those there can ever be, of @bits. */
static int count_cpus(int bits)
{
	_cleanup_free_ uint8_t *possible = NULL;
	int count = cpus_online("/sys/devices/system/cpu/possible", &possible);

	while (count > 0 && !(possible[(count - 1) / 8] & 1 << (count - 1) % 8))
		count--;
	return count > 0 ? count : bits;
}

int map_events_open(struct userspace *user, struct map_events **ret_events, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *online = NULL;
	int bits = cpus_online(NULL, &online), err = 0;
	struct map_events *events;

	if (bits < 0)
		return errmsg_set(msg, bits, "cannot list the online CPUs: %s", strerror(-bits));
	events = calloc(1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	bits = count_cpus(bits);
	events->user = user;
	events->page = (size_t)sysconf(_SC_PAGESIZE);
	events->cpus = calloc((size_t)bits, sizeof(*events->cpus));
	if (!events->cpus) {
		free(events);
		return -ENOMEM;
	}
	events->cpu_count = bits;
	for (int cpu = 0; cpu < bits; cpu++)
		events->cpus[cpu].fd = -1;
	for (int cpu = 0; cpu < bits && !err; cpu++)
		if (online[cpu / 8] & 1 << (cpu % 8))
			err = open_cpu(events, cpu);
	if (err) {
		map_events_close(events);
		return errmsg_set(msg, err, "the kernel does not tell what programs map: %s",
				  strerror(-err));
	}
	*ret_events = events;
	return 0;
}

static void keep(struct map_events *events, const struct map_event *event)
{
	if (events->count == events->room) {
		size_t room = events->room ? events->room * 2 : 256;
		struct map_event *more = reallocarray(events->waiting, room, sizeof(*more));

		if (!more) {
			free(event->path);
			events->lost = true;
			return;
		}
		events->waiting = more;
		events->room = room;
	}
	events->waiting[events->count] = *event;
	events->waiting[events->count].order = events->count;
	events->count++;
}

/* Bodies as include/uapi/linux/perf_event.h lays them out; the time is at the end of each. */
static void read_event(struct map_events *events, const struct perf_event_header *header,
		       const uint8_t *body, size_t len)
{
	struct cursor cursor = {.at = body, .left = len};
	struct map_event event = {.kind = MAP_LOST};

	if (len < 8)
		return;
	memcpy(&event.time_ns, body + len - 8, 8);
	event.pid = (uint32_t)cursor_number(&cursor, 4);
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		cursor_number(&cursor, 4); /* tid */
		event.kind = MAP_MAPPED;
		event.map.start = cursor_number(&cursor, 8);
		event.map.end = event.map.start + cursor_number(&cursor, 8);
		event.map.offset = cursor_number(&cursor, 8);
		cursor_number(&cursor, 8); /* device */
		event.map.inode = cursor_number(&cursor, 8);
		cursor_number(&cursor, 8);
		cursor_number(&cursor, 8); /* protection, flags */
		if (cursor.bad || cursor.left < 9)
			return;
		event.path = strndup((const char *)cursor.at, cursor.left - 8);
		if (!event.path) {
			events->lost = true;
			return;
		}
		/* Not of a file, as perf_event_mmap_event() says it. */
		if (!strcmp(event.path, "//anon"))
			event.path[0] = '\0';
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		event.kind = header->type == PERF_RECORD_FORK ? MAP_FORKED : MAP_EXITED;
		event.parent = (uint32_t)cursor_number(&cursor, 4);
		/* Threads share what their process has mapped. */
		if (cursor_number(&cursor, 4) != event.pid)
			return;
		break;
	case PERF_RECORD_COMM:
		event.kind = MAP_EXECUTED;
		if (!(header->misc & PERF_RECORD_MISC_COMM_EXEC))
			return;
		break;
	case PERF_RECORD_LOST:
		break;
	default:
		return;
	}
	if (cursor.bad) {
		free(event.path);
		return;
	}
	keep(events, &event);
}

static void copy_out(const uint8_t *data, size_t size, uint64_t at, void *to, size_t len)
{
	size_t offset = at % size, first = size - offset < len ? size - offset : len;

	memcpy(to, data + offset, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

static void drain(struct map_events *events, const struct map_cpu *cpu)
{
	struct perf_event_mmap_page *meta = cpu->ring;
	const uint8_t *data = (const uint8_t *)cpu->ring + events->page;
	size_t size = RING_PAGES * events->page;
	uint64_t head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = meta->data_tail;

	while (head - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;

		copy_out(data, size, at, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - at)
			break;
		copy_out(data, size, at + sizeof(header), events->event,
			 header.size - sizeof(header));
		read_event(events, &header, events->event, header.size - sizeof(header));
		at += header.size;
	}
	__atomic_store_n(&meta->data_tail, head, __ATOMIC_RELEASE);
}

/* What programs did on the CPU until its event was there nobody has seen. */
static void begin_again(struct map_events *events, int cpu)
{
	struct map_event lost = {.kind = MAP_LOST};

	if (open_cpu(events, cpu))
		return;
	lost.time_ns = clock_ns(CLOCK_MONOTONIC);
	keep(events, &lost);
}

void map_events_update(struct map_events *events)
{
	_cleanup_free_ uint8_t *online = NULL;
	int bits = events ? cpus_online(NULL, &online) : 0;

	for (int cpu = 0; cpu < bits && cpu < events->cpu_count; cpu++) {
		struct map_cpu *at = &events->cpus[cpu];
		bool is_online = online[cpu / 8] & 1 << (cpu % 8);

		if (at->fd >= 0 && (!is_online || event_stands_still(at->fd, &at->ran_ns))) {
			drain(events, at);
			close_cpu(events, at);
		}
		if (at->fd < 0 && is_online)
			begin_again(events, cpu);
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct map_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void tell(struct map_events *events, struct map_event *event)
{
	struct userspace *user = events->user;
	int err = 0;

	switch (event->kind) {
	case MAP_MAPPED:
		event->map.path = event->path;
		err = userspace_mapped(user, event->pid, &event->map);
		break;
	case MAP_FORKED:
		err = userspace_forked(user, event->pid, event->parent);
		break;
	case MAP_EXECUTED:
		userspace_executed(user, event->pid);
		break;
	case MAP_EXITED:
		userspace_exited(user, event->pid);
		break;
	case MAP_LOST:
		userspace_forget(user);
		break;
	}
	events->lost |= err == -ENOMEM;
	free(event->path);
}

static void tell_until(struct map_events *events, uint64_t until_ns)
{
	size_t told = 0;

	qsort(events->waiting, events->count, sizeof(*events->waiting), compare_events);
	while (told < events->count && events->waiting[told].time_ns <= until_ns)
		tell(events, &events->waiting[told++]);
	events->count -= told;
	memmove(events->waiting, events->waiting + told, events->count * sizeof(*events->waiting));
	for (size_t i = 0; i < events->count; i++)
		events->waiting[i].order = i;
}

void map_events_tell(struct map_events *events, uint64_t until_ns)
{
	if (!events)
		return;
	for (int cpu = 0; cpu < events->cpu_count; cpu++)
		if (events->cpus[cpu].fd >= 0)
			drain(events, &events->cpus[cpu]);
	if (events->count)
		tell_until(events, until_ns);
	/* As if the kernel had lost it. */
	if (events->lost)
		userspace_forget(events->user);
	events->lost = false;
}

void map_events_close(struct map_events *events)
{
	if (!events)
		return;
	for (int cpu = 0; cpu < events->cpu_count; cpu++)
		close_cpu(events, &events->cpus[cpu]);
	for (size_t i = 0; i < events->count; i++)
		free(events->waiting[i].path);
	free(events->waiting);
	free(events->cpus);
	free(events);
}
