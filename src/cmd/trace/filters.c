// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/filters.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/lbr/lbr_events.h"
#include "util/bitset.h"
#include "util/cleanup.h"

/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
#define PID_NAMESPACE_INITIAL 0xEFFFFFFCu

/* The process that a thread belongs to; 0 if that cannot be known. */
static unsigned int process_of(uint32_t tid)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	unsigned int pid = 0;
	size_t room = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0)
		if (sscanf(line, "Tgid: %u", &pid) == 1)
			return pid;
	return 0;
}

static int check_pid(uint32_t pid, struct errmsg *msg)
{
	unsigned int process;

	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return errmsg_set(msg, -ESRCH,
				  "--pid %u: there is no such process; 'ps -e' lists those there "
				  "are, and -c NAME waits for one by its name",
				  pid);
	process = process_of(pid);
	if (process && process != pid)
		return errmsg_set(msg, -ESRCH,
				  "--pid %u is a thread of process %u; expected a process: -p %u",
				  pid, process, process);
	return 0;
}

static int check_cpus(const uint64_t *cpus, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *online = NULL;
	int bits = cpus_online(NULL, &online);

	if (bits < 0)
		return 0;
	for (int cpu = 0; cpu < bits && cpu < CPU_WORDS * 64; cpu++)
		if (online[cpu / 8] & 1 << (cpu % 8) && bitset_has(cpus, cpu))
			return 0;
	return errmsg_set(msg, -ENXIO,
			  "--cpu: none of these CPUs is online; /sys/devices/system/cpu/online "
			  "lists those that are");
}

/* The programs compare with the numbers of the initial namespace. */
static int check_namespace(struct errmsg *msg)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == PID_NAMESPACE_INITIAL)
		return 0;
	return errmsg_set(msg, -ESRCH,
			  "processes have other numbers here than for the kernel (this is a PID "
			  "namespace, as containers have), so neither --pid nor a command behind "
			  "'--' can be traced; use --comm NAME, or share the host's namespace "
			  "(docker run --pid=host)");
}

int filters_check(const struct capture_options *opts, bool command, struct errmsg *msg)
{
	int err = opts->pid || command ? check_namespace(msg) : 0;

	if (!err && opts->pid)
		err = check_pid(opts->pid, msg);
	return err || !opts->cpu_filter ? err : check_cpus(opts->cpus, msg);
}
