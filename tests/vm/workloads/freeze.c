// SPDX-License-Identifier: GPL-2.0
/*
 * freeze - one content of the LBR, read twice: from its registers, and by the kernel's driver
 *
 *	freeze CPU OUTPUT DIRECTORY OFF_MSR:BIT MSR-MSR... [db:ADDRESS] [live:COMMAND]
 *	freeze branches COUNT
 *
 * The second form only executes branches, and makes COUNT reads fail among them, on CPU 1.
 *
 * To be run while lbrsnoop traces fexit:ksys_read and writes to OUTPUT, one line a snapshot. In
 * each round a thread on CPU executes branches of every kind until the LBR is stopped: either by
 * us, clearing BIT of OFF_MSR there, or by a debug exception, at a breakpoint on a function of our
 * own or on ADDRESS in the kernel (the entry of the system call getpgid). From then on nothing is
 * recorded, so that all MSRs given can be read at leisure, into DIRECTORY/N.txt, with what
 * /proc/cpuinfo says of the CPU. At last the thread makes a read(2) fail, and lbrsnoop takes its
 * snapshot: the driver stops an LBR that is stopped already, and reads the same registers.
 *
 * Nothing may switch tasks on that CPU meanwhile: Linux then clears the LBR, and starts it. Hence
 * the real-time priority; guest/three switches off what would break it all the same. COMMAND is run
 *in the first round, while the LBR stands still; its output goes to DIRECTORY/0.live.
 *
 * Which branches: by SEED of the environment. Prints one line a round: N KIND, with KIND off, user
 * or kernel. Exit status 0 if all went well.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../seed.h"

#define BAD_FD	  987
#define ROUNDS	  6 /* of each kind */
#define RANGES	  8
#define STEPS_MIN 40
#define WAIT_MS	  120000 /* for lbrsnoop's line; a busy host is slow */

enum kind { KIND_OFF, KIND_USER, KIND_KERNEL };

static const char *const kind_names[] = {"off", "user", "kernel"};

static struct {
	int cpu;
	const char *output;
	const char *directory;
	uint32_t off_msr;
	unsigned int off_bit;
	struct {
		uint32_t first, last;
	} ranges[RANGES];
	int range_count;
	uint64_t kernel_address;
	bool has_db;
	const char *live;
} opts;

static sem_t start_round, round_done;
static atomic_int kind_now, running, stopped, frozen, go, quit;
static volatile uint64_t sink;

/* --- branches of every kind ----------------------------------------------------------------- */

static uint32_t random_state; /* from SEED */

static uint32_t random_next(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 16;
}

static __attribute__((noinline)) uint64_t leaf_add(uint64_t x)
{
	return x + 3;
}

static __attribute__((noinline)) uint64_t leaf_mix(uint64_t x)
{
	if (x & 8)
		x ^= x << 3;
	return x * 5;
}

/* Deeper than any return predictor */
static __attribute__((noinline)) uint64_t recurse(uint64_t x, unsigned int depth)
{
	if (depth)
		x += recurse(x, depth - 1);
	return x + depth;
}

static __attribute__((noinline)) uint64_t jump_table(uint64_t x)
{
	static void *const labels[] = {&&zero, &&one, &&two, &&three};

	goto *labels[x & 3];
zero:
	return x + 1;
one:
	x ^= 0x55;
	goto two;
three:
	x += 7;
two:
	return x >> 1;
}

/* A page that is not there: a fault is recorded like a branch. */
static uint64_t fault(uint64_t x)
{
	static volatile char *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[x & 4095] = 1;
	madvise((void *)page, 4096, MADV_DONTNEED);
	return x + 1;
}

static uint64_t calls(uint64_t x)
{
	return x + syscall(SYS_getppid);
}

static void branchy(void)
{
	static uint64_t (*const functions[])(uint64_t) = {leaf_add, leaf_mix, jump_table,
							  leaf_mix, fault,    calls};
	uint32_t number = random_next();
	uint64_t x = sink;

	x = functions[number % 6](x + number);
	if (number & 0x40)
		x = recurse(x, number >> 8 & 31);
	if (number & 0x80)
		x = leaf_add(x);
	sink = x;
}

static __attribute__((noinline)) void stop_here(void)
{
	asm volatile("" ::: "memory");
}

/*
 * The emulator goes on with the other CPU. It also keeps the counter that holds the LBR from
 * overflowing while we spin: the interrupt would start the LBR.
 */
static void relax(void)
{
	__builtin_ia32_pause();
}

static void run_round(enum kind kind)
{
	unsigned int steps = STEPS_MIN + random_next() % 200;
	char byte;

	for (unsigned int i = 0; i < steps; i++)
		branchy();
	running = 1;
	while (kind == KIND_OFF && !frozen) /* and not beyond: a fault may wait for a lock */
		branchy();
	if (kind == KIND_USER)
		stop_here();
	if (kind == KIND_KERNEL)
		syscall(SYS_getpgid, 0);
	stopped = 1;
	while (!go)
		relax();
	if (read(BAD_FD, &byte, 1) != -1 || errno != EBADF)
		errx(1, "read of descriptor %d does not fail", BAD_FD);
}

static void *brancher(void *unused)
{
	struct sched_param param = {.sched_priority = 50};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(opts.cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "cpu %d in real time", opts.cpu);
	for (;;) {
		sem_wait(&start_round);
		if (quit)
			return NULL;
		run_round(kind_now);
		sem_post(&round_done);
	}
}

/* --- what stops the LBR, and what reads it -------------------------------------------------- */

static void breakpoint_on(uint64_t address)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
	};

	if (syscall(SYS_perf_event_open, &attr, -1, opts.cpu, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		err(1, "breakpoint on %#llx", (unsigned long long)address);
}

static uint64_t msr_read(int fd, uint32_t msr)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), msr) != sizeof(value))
		err(1, "MSR %#x", msr);
	return value;
}

static void lbr_off(int fd)
{
	uint64_t value = msr_read(fd, opts.off_msr) & ~(1ull << opts.off_bit);

	if (pwrite(fd, &value, sizeof(value), opts.off_msr) != sizeof(value))
		err(1, "writing MSR %#x", opts.off_msr);
}

static bool starts_with(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

/* The CPU's own lines, of the first one that /proc/cpuinfo has */
static void print_cpuinfo(FILE *out)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 1)
		if (starts_with(line, "vendor_id") || starts_with(line, "cpu family") ||
		    starts_with(line, "model\t") || starts_with(line, "flags"))
			fputs(line, out);
	free(line);
	if (in)
		fclose(in);
}

static void dump(int fd, int number)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%d.txt", opts.directory, number);
	out = fopen(path, "we");
	if (!out)
		err(1, "%s", path);
	print_cpuinfo(out);
	for (int i = 0; i < opts.range_count; i++)
		for (uint32_t msr = opts.ranges[i].first; msr <= opts.ranges[i].last; msr++)
			fprintf(out, "CPU %d: MSR 0x%x: 0x%016llx\n", opts.cpu, msr,
				(unsigned long long)msr_read(fd, msr));
	if (fclose(out))
		err(1, "%s", path);
}

static void run_live(int number)
{
	char command[8192];

	snprintf(command, sizeof(command), "%s >%s/%d.live", opts.live, opts.directory, number);
	if (system(command))
		errx(1, "%s: failed", command);
}

/* Whole lines that lbrsnoop has written since the last call */
static unsigned int new_lines(void)
{
	static int fd = -1;
	char bytes[65536];
	unsigned int lines = 0;
	ssize_t got;

	if (fd < 0)
		fd = open(opts.output, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			lines += bytes[i] == '\n';
	return lines;
}

/*
 * Not before lbrsnoop is done with the last snapshot: it takes one of its own, which starts the
 * LBR, when it finds one that is not of its event. Ours look like that.
 */
static void wait_for_line(void)
{
	for (int i = 0; i < WAIT_MS; i++) {
		if (new_lines())
			return;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	errx(1, "%s: no snapshot in %d s", opts.output, WAIT_MS / 1000);
}

static void one_round(int fd, int number, enum kind kind, bool live)
{
	running = stopped = frozen = go = 0;
	kind_now = kind;
	sem_post(&start_round);
	while (!(kind == KIND_OFF ? running : stopped))
		relax();
	if (kind == KIND_OFF)
		lbr_off(fd);
	frozen = 1;
	dump(fd, number);
	if (live && opts.live)
		run_live(number);
	go = 1;
	sem_wait(&round_done);
	wait_for_line();
	printf("%d %s\n", number, kind_names[kind]);
}

static void usage(void)
{
	errx(2, "usage: freeze CPU OUTPUT DIRECTORY OFF_MSR:BIT MSR-MSR... [db:ADDRESS] "
		"[live:COMMAND] | freeze branches COUNT");
}

static int only_branches(long count)
{
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cpu 1");
	for (long i = 0; i < count; i++) {
		for (unsigned int steps = 2 + random_next() % 8; steps; steps--)
			branchy();
		if (read(BAD_FD, &byte, 1) != -1)
			errx(1, "read of descriptor %d does not fail", BAD_FD);
	}
	return 0;
}

static void parse_arguments(int argc, char **argv)
{
	if (argc < 6)
		usage();
	opts.cpu = atoi(argv[1]);
	opts.output = argv[2];
	opts.directory = argv[3];
	if (sscanf(argv[4], "%x:%u", &opts.off_msr, &opts.off_bit) != 2)
		usage();
	for (int i = 5; i < argc; i++) {
		uint32_t first, last;

		if (starts_with(argv[i], "db:")) {
			opts.has_db = true;
			opts.kernel_address = strtoull(argv[i] + 3, NULL, 16);
		} else if (starts_with(argv[i], "live:")) {
			opts.live = argv[i] + 5;
		} else if (sscanf(argv[i], "%x-%x", &first, &last) == 2 &&
			   opts.range_count < RANGES) {
			opts.ranges[opts.range_count].first = first;
			opts.ranges[opts.range_count++].last = last;
		} else {
			usage();
		}
	}
}

int main(int argc, char **argv)
{
	int fd, number = 0;
	pthread_t thread;
	cpu_set_t set;
	char path[64];

	random_state = seed_take(stderr, 12345);
	if (argc == 3 && !strcmp(argv[1], "branches"))
		return only_branches(atol(argv[2]));
	parse_arguments(argc, argv);
	CPU_ZERO(&set);
	CPU_SET(!opts.cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cpu %d", !opts.cpu);
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", opts.cpu);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	sem_init(&start_round, 0, 0);
	sem_init(&round_done, 0, 0);
	if (opts.has_db) {
		breakpoint_on((uintptr_t)stop_here);
		breakpoint_on(opts.kernel_address);
	}
	errno = pthread_create(&thread, NULL, brancher, NULL);
	if (errno)
		err(1, "thread");
	for (enum kind kind = KIND_OFF; kind <= (opts.has_db ? KIND_KERNEL : KIND_OFF); kind++)
		for (int i = 0; i < ROUNDS; i++, number++)
			one_round(fd, number, kind, number == 0);
	quit = 1;
	sem_post(&start_round);
	pthread_join(thread, NULL);
	return 0;
}
