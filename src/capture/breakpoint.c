// SPDX-License-Identifier: GPL-2.0
#include "capture/breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Called where the breakpoint stands. A call is neither inlined nor left out. */
static __attribute__((noinline)) void breakpoint_here(void)
{
	__asm__ volatile("" ::: "memory");
}

int breakpoint_swallowed(struct errmsg *msg)
{
	return errmsg_set(msg, -EOPNOTSUPP,
			  "the kernel accepts hardware breakpoints, but they never fire: the "
			  "hypervisor of this virtual machine keeps the debug registers to itself");
}

int breakpoint_check(struct errmsg *msg)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)breakpoint_here,
		.bp_len = sizeof(long),
		.exclude_kernel = 1, /* else perf_event_paranoid asks for CAP_PERFMON */
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct {
		uint64_t count;
		uint64_t running_ns;
	} value;
	/* On this thread, wherever it runs. */
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ssize_t len;

	if (fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP))
		return errmsg_set(msg, -EOPNOTSUPP, "this kernel has no hardware breakpoints");
	if (fd < 0)
		return errmsg_set(msg, -errno, "no hardware breakpoint can be tried: %s",
				  strerror(errno));
	/*
	 * #DB switches the LBR off, which another tracer may have switched on: Linux switches it on
	 * again at the next context switch of this CPU (perf_pmu_sched_task()).
	 */
	breakpoint_here();
	len = read(fd, &value, sizeof(value));
	close(fd);
	/* Where it was not on a CPU all the while nothing is known. */
	if (len != sizeof(value) || (!value.count && !value.running_ns))
		return errmsg_set(msg, -EBUSY,
				  "no hardware breakpoint can be tried: the kernel "
				  "has not put it into a debug register");
	if (!value.count)
		return breakpoint_swallowed(msg);
	return 0;
}
