// SPDX-License-Identifier: GPL-2.0
/*
 * mixedload - file, memory, network and BPF system calls, failing and not, under interrupts
 *
 *	mixedload [-n ROUNDS] [-i HZ]
 *
 * One worker on each CPU; beside it a thread that a timer wakes, so that tasks switch; with -i a
 * timer interrupt HZ times a second. A workload for tests: what the calls return is the kernel's
 * business, except that a call meant to fail must.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#define BAD_FD	    987
#define CPUS_MAX    64
#define SWITCHES_HZ 50

static unsigned long rounds = 1, hertz;
static unsigned long surprises; /* calls meant to fail that did not */

static void fails(bool failed)
{
	if (!failed)
		__atomic_add_fetch(&surprises, 1, __ATOMIC_RELAXED);
}

/* @dir: this worker's own */
static void files(int dir)
{
	char text[64] = "text";
	struct stat st;
	int fd = openat(dir, "file", O_CREAT | O_RDWR, 0644);

	if (fd < 0)
		err(1, "file");
	if (write(fd, text, sizeof(text)) < 0 || pread(fd, text, sizeof(text), 0) < 0 ||
	    fstat(fd, &st) || lseek(fd, 0, SEEK_SET) || fcntl(fd, F_GETFL) < 0)
		err(1, "file");
	fails(ftruncate(fd, -1) < 0);
	fails(read(BAD_FD, text, 1) < 0);
	fails(write(BAD_FD, text, 1) < 0);
	fails(lseek(fd, -1, SEEK_SET) < 0);
	fails(fcntl(fd, 4321) < 0);
	close(fd);
	fails(openat(dir, "nowhere", O_RDONLY) < 0);
	fails(openat(dir, "file/x", O_RDONLY) < 0);
	fails(openat(dir, "file", O_CREAT | O_EXCL | O_RDWR, 0644) < 0);
	fails(openat(dir, ".", O_WRONLY) < 0);
	fails(fstatat(dir, "nowhere", &st, 0) < 0);
	fails(unlinkat(dir, "nowhere", 0) < 0);
	fails(unlinkat(dir, "file", AT_REMOVEDIR) < 0);
	fails(mkdirat(dir, "file", 0755) < 0);
	fails(renameat(dir, "nowhere", dir, "elsewhere") < 0);
	fails(linkat(dir, "file", dir, "file", 0) < 0);
	fails(readlinkat(dir, "file", text, sizeof(text)) < 0);
	if (renameat(dir, "file", dir, "moved") || unlinkat(dir, "moved", 0) ||
	    mkdirat(dir, "sub", 0755) || unlinkat(dir, "sub", AT_REMOVEDIR))
		err(1, "moved");
}

static void memory(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = 8 * page;
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	for (size_t i = 0; i < len; i += page)
		at[i] = 1; /* a page fault each */
	if (mprotect(at, page, PROT_READ) || madvise(at + page, page, MADV_DONTNEED))
		err(1, "mprotect");
	fails(mprotect(NULL, page, PROT_READ) < 0);
	fails(madvise(at, page, 4321) < 0);
	fails(munmap((void *)1, page) < 0);
	fails(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, BAD_FD, 0) == MAP_FAILED);
	fails(mremap((void *)(page * 3), page, 2 * page, 0) == MAP_FAILED);
	fails(mlock(NULL, page) < 0);
	fails(msync((void *)1, page, MS_ASYNC) < 0);
	if (munmap(at, len))
		err(1, "munmap");
}

static struct sockaddr_in loopback(in_port_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void network(void)
{
	struct sockaddr_in addr = loopback(0), nobody = loopback(htons(1));
	struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/nowhere/at/all"};
	int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
	int local = socket(AF_UNIX, SOCK_STREAM, 0), one = 1;
	socklen_t len = sizeof(addr);
	char text[64];

	if (udp < 0 || tcp < 0 || local < 0)
		err(1, "socket");
	if (bind(udp, (struct sockaddr *)&addr, sizeof(addr)) ||
	    getsockname(udp, (struct sockaddr *)&addr, &len) ||
	    sendto(udp, text, sizeof(text), 0, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    recv(udp, text, sizeof(text), 0) < 0)
		err(1, "udp");
	fails(send(udp, text, 1, 0) < 0);
	fails(recv(udp, text, sizeof(text), MSG_DONTWAIT) < 0);
	fails(bind(udp, (struct sockaddr *)&addr, sizeof(addr)) < 0);
	fails(listen(udp, 1) < 0);
	fails(setsockopt(udp, IPPROTO_IP, 4321, &one, sizeof(one)) < 0);
	fails(connect(tcp, (struct sockaddr *)&nobody, sizeof(nobody)) < 0);
	fails(shutdown(tcp, SHUT_RDWR) < 0);
	fails(accept(tcp, NULL, NULL) < 0);
	fails(connect(local, (struct sockaddr *)&nowhere, sizeof(nowhere)) < 0);
	fails(connect(BAD_FD, (struct sockaddr *)&addr, sizeof(addr)) < 0);
	fails(socket(99, SOCK_STREAM, 0) < 0);
	close(udp);
	close(tcp);
	close(local);
}

static long sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void bpf(void)
{
	/* r0 = *(u64 *)(r10 + 8): above the stack, which the verifier refuses */
	static const struct bpf_insn bad[] = {
		{.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 0, .src_reg = 10, .off = 8},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 4};
	uint32_t key = 1;
	uint64_t value = 2;
	int map = (int)sys_bpf(BPF_MAP_CREATE, &attr);

	if (map < 0)
		err(1, "BPF map");
	attr = (union bpf_attr){.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)&value};
	if (sys_bpf(BPF_MAP_UPDATE_ELEM, &attr) || sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		err(1, "BPF element");
	key = 7;
	fails(sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr) < 0);
	fails(sys_bpf(BPF_MAP_DELETE_ELEM, &attr) < 0);
	attr.flags = BPF_EXIST;
	fails(sys_bpf(BPF_MAP_UPDATE_ELEM, &attr) < 0);
	attr.map_fd = BAD_FD;
	fails(sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr) < 0);
	attr = (union bpf_attr){.map_type = BPF_MAP_TYPE_HASH};
	fails(sys_bpf(BPF_MAP_CREATE, &attr) < 0);
	attr = (union bpf_attr){.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insns = (uintptr_t)bad,
				.insn_cnt = sizeof(bad) / sizeof(bad[0]),
				.license = (uintptr_t) "GPL"};
	fails(sys_bpf(BPF_PROG_LOAD, &attr) < 0);
	fails(sys_bpf(4321, &attr) < 0);
	close(map);
}

static void run_on(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %ld", cpu);
}

static void *work(void *arg)
{
	char name[64];
	int dir;

	run_on((long)arg);
	snprintf(name, sizeof(name), "/dev/shm/mixedload.%ld.%d", (long)arg, getpid());
	if (mkdir(name, 0755))
		err(1, "%s", name);
	dir = open(name, O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		err(1, "%s", name);
	for (unsigned long i = 0; i < rounds; i++) {
		files(dir);
		memory();
		network();
		bpf();
	}
	close(dir);
	rmdir(name);
	return NULL;
}

/*
 * The clock of perf: an interrupt with a short handler, whatever runs. Nobody reads the samples.
 */
static void interrupt_often(int cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 1000000000 / hertz};

	if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		err(1, "perf's clock on CPU %d", cpu);
}

static void *switch_tasks(void *arg)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec often = {.it_interval.tv_nsec = 1000000000 / SWITCHES_HZ,
				   .it_value.tv_nsec = 1};
	uint64_t ticks;

	run_on((long)arg);
	if (fd < 0 || timerfd_settime(fd, 0, &often, NULL))
		err(1, "timerfd");
	while (read(fd, &ticks, sizeof(ticks)) == sizeof(ticks))
		;
	return NULL;
}

/* Guests are born without it. */
static void loopback_up(void)
{
	struct ifreq lo = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo))
		err(1, "lo");
	lo.ifr_flags |= IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &lo))
		err(1, "lo");
	close(fd);
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t workers[CPUS_MAX], timers[CPUS_MAX];
	int opt;

	while ((opt = getopt(argc, argv, "n:i:")) != -1) {
		if (opt == 'n')
			rounds = strtoul(optarg, NULL, 10);
		else if (opt == 'i')
			hertz = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	if (hertz > 1000000 || cpus > CPUS_MAX)
		errx(2, "-i: at most 1000000; %d CPUs", CPUS_MAX);
	loopback_up();
	for (long cpu = 0; cpu < cpus && hertz; cpu++)
		interrupt_often((int)cpu);
	for (long cpu = 0; cpu < cpus; cpu++)
		if (pthread_create(&timers[cpu], NULL, switch_tasks, (void *)cpu) ||
		    pthread_create(&workers[cpu], NULL, work, (void *)cpu))
			errx(1, "cannot start a thread");
	for (long cpu = 0; cpu < cpus; cpu++)
		pthread_join(workers[cpu], NULL);
	if (surprises)
		warnx("%lu calls that were to fail did not", surprises);
	return surprises ? 1 : 0;
}
