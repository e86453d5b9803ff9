// SPDX-License-Identifier: GPL-2.0
/*
 * value_calls - system calls that fail because of one number, which the caller knows
 *
 * Usage: value_calls			their names and numbers, a line each
 *	  value_calls NAME		make that call; exit status 1 if it fails
 *
 * The number is the one that the kernel tests before it refuses the call. Of those in a struct the
 * kernel tests a copy of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALL(number, ...) syscall(SYS_##number, __VA_ARGS__)

/** struct failing - @number: what is tested; @call: fails because of it */
struct failing {
	const char *name;
	int64_t number;
	long (*call)(int64_t number);
};

static long setpriority_which(int64_t n)
{
	return CALL(setpriority, n, 0, 0);
}

static long getpriority_which(int64_t n)
{
	return CALL(getpriority, n, 0);
}

static long socket_family(int64_t n)
{
	return CALL(socket, n, SOCK_STREAM, 0);
}

static long socket_type(int64_t n)
{
	return CALL(socket, AF_UNIX, n, 0);
}

static long socket_protocol(int64_t n)
{
	return CALL(socket, AF_UNIX, SOCK_STREAM, n);
}

static int passwd(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static long lseek_whence(int64_t n)
{
	return CALL(lseek, passwd(), 0, n);
}

static long pread_offset(int64_t n)
{
	char byte;

	return CALL(pread64, passwd(), &byte, 1, n);
}

static long fcntl_command(int64_t n)
{
	return CALL(fcntl, passwd(), n, 0);
}

static long madvise_advice(int64_t n)
{
	return CALL(madvise, 0, 4096, n);
}

static long scheduler_policy(int64_t n)
{
	struct sched_param param = {};

	return CALL(sched_setscheduler, 0, n, &param);
}

static long scheduler_priority(int64_t n)
{
	struct sched_param param = {.sched_priority = (int)n};

	return CALL(sched_setscheduler, 0, SCHED_FIFO, &param);
}

static long priority_max(int64_t n)
{
	return CALL(sched_get_priority_max, n);
}

static long death_signal(int64_t n)
{
	return CALL(prctl, 1 /* PR_SET_PDEATHSIG */, n, 0, 0, 0);
}

static long dumpable(int64_t n)
{
	return CALL(prctl, 4 /* PR_SET_DUMPABLE */, n, 0, 0, 0);
}

static long kill_signal(int64_t n)
{
	return CALL(kill, getpid(), n);
}

static long action_signal(int64_t n)
{
	return CALL(rt_sigaction, n, NULL, NULL, 8);
}

static long mask_size(int64_t n)
{
	return CALL(rt_sigprocmask, 0, NULL, NULL, n);
}

static long clock_number(int64_t n)
{
	struct timespec now;

	return CALL(clock_gettime, n, &now);
}

static long sleep_nanoseconds(int64_t n)
{
	struct timespec time = {.tv_nsec = n};

	return CALL(nanosleep, &time, NULL);
}

static long sleep_seconds(int64_t n)
{
	struct timespec time = {.tv_sec = n};

	return CALL(nanosleep, &time, NULL);
}

static long poll_nanoseconds(int64_t n)
{
	struct timespec time = {.tv_nsec = n};

	return CALL(ppoll, NULL, 0, &time, NULL, 8);
}

static long epoll_size(int64_t n)
{
	return CALL(epoll_create, n);
}

static long epoll_flags(int64_t n)
{
	return CALL(epoll_create1, n);
}

static long eventfd_flags(int64_t n)
{
	return CALL(eventfd2, 0, n);
}

static long inotify_flags(int64_t n)
{
	return CALL(inotify_init1, n);
}

static long memfd_flags(int64_t n)
{
	return CALL(memfd_create, "x", n);
}

static long pipe_flags(int64_t n)
{
	int ends[2];

	return CALL(pipe2, ends, n);
}

static long dup_flags(int64_t n)
{
	return CALL(dup3, 0, 5, n);
}

static long dup_from(int64_t n)
{
	return CALL(dup3, n, n, 0);
}

static long limit_resource(int64_t n)
{
	struct rlimit limit = {1, 1};

	return CALL(setrlimit, n, &limit);
}

static long limit_above_maximum(int64_t n)
{
	struct rlimit limit = {(rlim_t)n, (rlim_t)n - 1};

	return CALL(setrlimit, RLIMIT_CPU, &limit);
}

static long usage_of(int64_t n)
{
	struct rusage usage;

	return CALL(getrusage, n, &usage);
}

static long swap_flags(int64_t n)
{
	return CALL(swapon, "/none", n);
}

static long umount_flags(int64_t n)
{
	return CALL(umount2, "/", n);
}

static long unshare_flags(int64_t n)
{
	return CALL(unshare, n);
}

static long io_priority_which(int64_t n)
{
	return CALL(ioprio_set, n, 0, 0);
}

static long syslog_type(int64_t n)
{
	return CALL(syslog, n, NULL, 0);
}

static long semaphores(int64_t n)
{
	return CALL(semget, 0x77, n, 01000 /* IPC_CREAT */);
}

static long message_type(int64_t n)
{
	struct {
		long type;
		char text[8];
	} message = {.type = n};

	return CALL(msgsnd, 1, &message, 8, 0);
}

static long timer_which(int64_t n)
{
	struct itimerval value;

	return CALL(getitimer, n, &value);
}

static long timer_microseconds(int64_t n)
{
	struct itimerval value = {.it_value.tv_usec = n};

	return CALL(setitimer, ITIMER_REAL, &value, NULL);
}

static long file_nanoseconds(int64_t n)
{
	struct timespec times[2] = {{.tv_nsec = n}, {.tv_nsec = n}};

	return CALL(utimensat, AT_FDCWD, "/tmp", times, 0);
}

static long splice_flags(int64_t n)
{
	return CALL(splice, 0, NULL, 1, NULL, 16, n);
}

static long copy_flags(int64_t n)
{
	return CALL(copy_file_range, passwd(), NULL, passwd(), NULL, 16, n);
}

static long fallocate_length(int64_t n)
{
	return CALL(fallocate, passwd(), 0, 0, n);
}

static long truncate_length(int64_t n)
{
	return CALL(truncate, "/etc/passwd", n);
}

static long bpf_command(int64_t n)
{
	char attr[64] = "";

	return CALL(bpf, n, attr, sizeof(attr));
}

static long resolve_flags(int64_t n)
{
	uint64_t how[3] = {0, 0, (uint64_t)n};

	return CALL(openat2, AT_FDCWD, "/etc", how, sizeof(how));
}

static long how_size(int64_t n)
{
	uint64_t how[3] = {};

	return CALL(openat2, AT_FDCWD, "/etc", how, n);
}

static long lock_flags(int64_t n)
{
	return CALL(mlock2, 0, 4096, n);
}

static long sync_flags(int64_t n)
{
	return CALL(msync, 0, 4096, n);
}

static long range_flags(int64_t n)
{
	return CALL(sync_file_range, passwd(), 0, 0, n);
}

static long rename_flags(int64_t n)
{
	return CALL(renameat2, AT_FDCWD, "/a", AT_FDCWD, "/b", n);
}

static long access_mode(int64_t n)
{
	return CALL(access, "/", n);
}

static long unlink_flags(int64_t n)
{
	return CALL(unlinkat, AT_FDCWD, "/none", n);
}

static const struct failing all[] = {
	{"setpriority-which", 7, setpriority_which},
	{"getpriority-which", 11, getpriority_which},
	{"socket-family", 77, socket_family},
	{"socket-type", 79, socket_type},
	{"socket-protocol", 83, socket_protocol},
	{"lseek-whence", 77, lseek_whence},
	{"pread-offset", -77, pread_offset},
	{"fcntl-command", 777, fcntl_command},
	{"madvise-advice", 773, madvise_advice},
	{"scheduler-policy", 77, scheduler_policy},
	{"scheduler-priority", 200, scheduler_priority},
	{"priority-max", 88, priority_max},
	{"death-signal", 777, death_signal},
	{"dumpable", 55, dumpable},
	{"kill-signal", 99, kill_signal},
	{"action-signal", 99, action_signal},
	{"mask-size", 13, mask_size},
	{"clock-number", 777, clock_number},
	{"sleep-nanoseconds", 1987654321, sleep_nanoseconds},
	{"sleep-seconds", -4321, sleep_seconds},
	{"poll-nanoseconds", 1987654321, poll_nanoseconds},
	{"epoll-size", -7, epoll_size},
	{"epoll-flags", 0x777, epoll_flags},
	{"eventfd-flags", 0x777, eventfd_flags},
	{"inotify-flags", 0x777, inotify_flags},
	{"memfd-flags", 0x7777, memfd_flags},
	{"pipe-flags", 0x777, pipe_flags},
	{"dup-flags", 0x777, dup_flags},
	{"dup-from", 9, dup_from},
	{"limit-resource", 77, limit_resource},
	{"limit-above-maximum", 4711, limit_above_maximum},
	{"usage-of", 77, usage_of},
	{"swap-flags", 0x7777777, swap_flags},
	{"umount-flags", 0x7777, umount_flags},
	{"unshare-flags", 0x7, unshare_flags},
	{"io-priority-which", 77, io_priority_which},
	{"syslog-type", 77, syslog_type},
	{"semaphores", -7, semaphores},
	{"message-type", -77, message_type},
	{"timer-which", 77, timer_which},
	{"timer-microseconds", 2345678, timer_microseconds},
	{"file-nanoseconds", 1987654321, file_nanoseconds},
	{"splice-flags", 0x777, splice_flags},
	{"copy-flags", 0x777, copy_flags},
	{"fallocate-length", -77, fallocate_length},
	{"truncate-length", -77, truncate_length},
	{"bpf-command", 777, bpf_command},
	{"resolve-flags", 0x77777, resolve_flags},
	{"how-size", 19, how_size},
	{"lock-flags", 77, lock_flags},
	{"sync-flags", 0x777, sync_flags},
	{"range-flags", 0x777, range_flags},
	{"rename-flags", 0x777, rename_flags},
	{"access-mode", 0x77, access_mode},
	{"unlink-flags", 0x777, unlink_flags},
};

int main(int argc, char **argv)
{
	const size_t count = sizeof(all) / sizeof(*all);

	for (size_t i = 0; i < count; i++) {
		if (argc < 2)
			printf("%s %" PRId64 "\n", all[i].name, all[i].number);
		else if (!strcmp(argv[1], all[i].name))
			return all[i].call(all[i].number) < 0;
	}
	if (argc < 2)
		return 0;
	fprintf(stderr, "value_calls: no call %s\n", argv[1]);
	return 2;
}
