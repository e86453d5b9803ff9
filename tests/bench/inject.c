// SPDX-License-Identifier: GPL-2.0
/*
 * inject - records into the ring buffer of a lbrsnoop that runs, at a steady rate
 *
 *   inject PID RECORDS RATE COUNT [--kill [TAKEN]]
 *
 * RECORDS: a file of struct record, see bpf/record.h; they go in one after the other, over and
 * over, each with the time of the moment and, as its thread id, its number. COUNT records, RATE a
 * second; with --kill, lbrsnoop gets SIGKILL then, and with TAKEN as soon as it has taken that many
 * bytes from the ring buffer. Prints, at the end or on SIGTERM: records injected, seconds, those
 * lost for want of room in the ring buffer and of a slot, bytes that wait in the ring buffer. Exit
 * status 2: no such lbrsnoop.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../whole_file.h"
#include "record.h"

#include "inject.h"
#include "inject.skel.h"

/* What a tick may catch up with: then the rate is not kept, and the figures say so. */
#define BURST_MAX 4096u
#define TICK_NS	  1000000u

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = 1;
}

static int die(const char *what, int err)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(err < 0 ? -err : errno));
	return 2;
}

/* A map that the process has open: of that type, or of that name. Negative errno if it has none. */
static int map_of(const char *pid, enum bpf_map_type type, const char *name)
{
	char path[320], line[128];
	struct dirent *entry;
	int fd = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	while (dir && fd < 0 && (entry = readdir(dir))) {
		struct bpf_map_info info = {};
		uint32_t len = sizeof(info), id = 0;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, entry->d_name);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			sscanf(line, "map_id: %u", &id);
		if (f)
			fclose(f);
		fd = id ? bpf_map_get_fd_by_id(id) : -ENOENT;
		if (fd >= 0 && (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != type ||
				(name && strcmp(info.name, name)))) {
			close(fd);
			fd = -ENOENT;
		}
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* Ours must be the same map: the programs were compiled together, or they are not these. */
static int share(struct bpf_map *map, const char *pid, enum bpf_map_type type, const char *name)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);
	int fd = map_of(pid, type, name);

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (name && info.value_size != bpf_map__value_size(map))
		return -ESTALE;
	return bpf_map__reuse_fd(map, fd);
}

static int load(const char *pid, uint32_t record_count, struct inject_bpf **ret)
{
	struct inject_bpf *skel = inject_bpf__open();
	int err;

	if (!skel)
		return -errno;
	bpf_map__set_max_entries(skel->maps.records, record_count);
	skel->rodata->record_count = record_count;
	err = share(skel->maps.events, pid, BPF_MAP_TYPE_RINGBUF, NULL);
	err = err ?: share(skel->maps.bss, pid, BPF_MAP_TYPE_ARRAY, "lbrsnoop.bss");
	err = err ?: inject_bpf__load(skel);
	if (err) {
		inject_bpf__destroy(skel);
		return err;
	}
	*ret = skel;
	return 0;
}

/* Fills the map of records; how many there are, or negative errno. */
static int read_records(const char *path, struct record **ret)
{
	size_t size;

	*ret = whole_file(path, &size);
	if (!*ret)
		return -errno;
	return !size || size % sizeof(struct record) ? -EINVAL
						     : (int)(size / sizeof(struct record));
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Bytes of the ring buffer: all of them, and those that lbrsnoop has taken. */
struct positions {
	uint64_t produced;
	uint64_t consumed;
};

/* The positions are in its first two pages, see libbpf's ringbuf.c */
static struct positions positions_of(int events_fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, events_fd, 0);
	struct positions at = {};

	if (pages == MAP_FAILED)
		return at;
	at.produced = *(volatile uint64_t *)(pages + page);
	at.consumed = *(volatile uint64_t *)pages;
	munmap(pages, 2 * page);
	return at;
}

/* Ends with COUNT records, or when lbrsnoop has taken TAKEN bytes. */
static int inject(const struct inject_bpf *skel, double rate, uint64_t count, uint64_t taken,
		  uint64_t *ret_done, double *ret_seconds)
{
	int prog_fd = bpf_program__fd(skel->progs.inject);
	int events_fd = bpf_map__fd(skel->maps.events);
	uint64_t start = now_ns(), done = 0;

	while (done < count && !stopped && positions_of(events_fd).consumed < taken) {
		uint64_t elapsed = now_ns() - start;
		uint64_t due = (uint64_t)(rate * (double)elapsed / 1e9) + 1;
		struct timespec tick = {.tv_nsec = TICK_NS};
		struct inject_args args = {.first = (uint32_t)done};
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));
		int err;

		due = due < count ? due : count;
		if (due > done) {
			args.count = due - done < BURST_MAX ? (uint32_t)(due - done) : BURST_MAX;
			err = bpf_prog_test_run_opts(prog_fd, &opts);
			if (err)
				return err;
			done += args.count;
		}
		if (done >= due)
			nanosleep(&tick, NULL);
	}
	*ret_done = done;
	*ret_seconds = (double)(now_ns() - start) / 1e9;
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct inject_bpf *skel = NULL;
	struct record *records = NULL;
	uint64_t done = 0, taken;
	struct positions at;
	double seconds = 0;
	int count, err;

	if (argc < 5 || argc > 7 || (argc > 5 && strcmp(argv[5], "--kill"))) {
		fprintf(stderr, "Usage: inject PID RECORDS RATE COUNT [--kill [TAKEN]]\n");
		return 64;
	}
	taken = argc == 7 ? strtoull(argv[6], NULL, 10) : UINT64_MAX;
	sigaction(SIGTERM, &action, NULL);
	count = read_records(argv[2], &records);
	if (count < 0)
		return die(argv[2], count);
	err = load(argv[1], (uint32_t)count, &skel);
	if (err)
		return die("no lbrsnoop of this build has that number", err);
	for (uint32_t i = 0; i < (uint32_t)count && !err; i++)
		err = bpf_map_update_elem(bpf_map__fd(skel->maps.records), &i, &records[i], 0);
	err = err
		      ?: inject(skel, atof(argv[3]), strtoull(argv[4], NULL, 10), taken, &done,
				&seconds);
	if (err)
		return die("BPF_PROG_TEST_RUN", err);
	if (argc > 5) {
		int pidfd = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
		struct pollfd dead = {.fd = pidfd, .events = POLLIN};

		if (pidfd < 0 || kill(atoi(argv[1]), SIGKILL) || poll(&dead, 1, -1) < 0)
			return die("kill", -errno);
	}
	at = positions_of(bpf_map__fd(skel->maps.events));
	printf("%llu %.3f %llu %llu %llu\n", (unsigned long long)done, seconds,
	       (unsigned long long)skel->bss->losses.ring_full,
	       (unsigned long long)skel->bss->losses.no_slot,
	       (unsigned long long)(at.produced - at.consumed));
	inject_bpf__destroy(skel);
	free(records);
	return 0;
}
