// SPDX-License-Identifier: GPL-2.0
#include "capture/lbr/lbr_cause.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

#define NO_LBR_REMEDY                                                                              \
	"; run lbrsnoop on a machine with LBR, or try it in the project's virtual one: make demo"

struct host_cpu {
	char vendor[16];
	char model_name[96];
	unsigned int family, model;
	bool hypervisor, amd_lbr_v2, arch_perfmon;
};

static void read_host_cpu(struct host_cpu *cpu)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/cpuinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	memset(cpu, 0, sizeof(*cpu));
	while (f && getline(&line, &room, f) > 1) {
		sscanf(line, "vendor_id : %15s", cpu->vendor);
		sscanf(line, "model name : %95[^\n]", cpu->model_name);
		sscanf(line, "cpu family : %u", &cpu->family);
		sscanf(line, "model : %u", &cpu->model);
		if (!strncmp(line, "flags", 5)) {
			cpu->hypervisor = strstr(line, " hypervisor");
			cpu->amd_lbr_v2 = strstr(line, " amd_lbr_v2");
			cpu->arch_perfmon = strstr(line, " arch_perfmon");
		}
	}
}

static bool has_core_pmu(void)
{
	return !access("/sys/bus/event_source/devices/cpu", F_OK) ||
	       !access("/sys/bus/event_source/devices/cpu_core", F_OK);
}

static bool is_amd(const struct host_cpu *cpu)
{
	return !strcmp(cpu->vendor, "AuthenticAMD");
}

static int no_amd_snapshot(struct errmsg *msg)
{
	return errmsg_set(msg, -ENODEV,
			  "no usable LBR: this kernel cannot take a branch snapshot on AMD CPUs; "
			  "Linux 6.10 and later can");
}

static int no_lbr(int err, struct errmsg *msg)
{
	struct host_cpu cpu;

	read_host_cpu(&cpu);
	/*
	 * Linux 6.1 to 6.9 know the LBR of Zen 4, and refuse it to an event that does not sample:
	 * amd_pmu_lbr_hw_config() of arch/x86/events/amd/lbr.c.
	 */
	if (err == -EINVAL && is_amd(&cpu) && cpu.amd_lbr_v2)
		return no_amd_snapshot(msg);
	if (!has_core_pmu() || (!strcmp(cpu.vendor, "GenuineIntel") && !cpu.arch_perfmon &&
				cpu.family == 6 && cpu.hypervisor)) {
		if (cpu.hypervisor)
			return errmsg_set(
				msg, -ENODEV,
				"no usable LBR: this is a virtual machine whose hypervisor "
				"gives it no performance counters (PMU), and so no last-branch "
				"records" NO_LBR_REMEDY);
		return errmsg_set(
			msg, -ENODEV,
			"no usable LBR: the kernel knows no performance counters (PMU) of "
			"this CPU (%s); see 'dmesg | grep \"Performance Events\"'" NO_LBR_REMEDY,
			cpu.model_name);
	}
	if (cpu.hypervisor)
		return errmsg_set(
			msg, -ENODEV,
			"no usable LBR: this virtual machine has performance counters, but "
			"its hypervisor passes no last-branch records on" NO_LBR_REMEDY);
	/* Linux before 6.1 does not look for it. */
	if (is_amd(&cpu) && !cpu.amd_lbr_v2)
		return errmsg_set(
			msg, -ENODEV,
			"no usable LBR: the kernel knows no LbrExtV2 of this AMD CPU (%s, family "
			"%Xh); it came with Zen 4, and snapshots of it with Linux "
			"6.10" NO_LBR_REMEDY,
			cpu.model_name, cpu.family);
	return errmsg_set(msg, -ENODEV,
			  "no usable LBR: the kernel's driver knows no last-branch records of this "
			  "CPU (%s, family %u, model %u)" NO_LBR_REMEDY,
			  cpu.model_name, cpu.family, cpu.model);
}

bool events_need_admin(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	return f && fscanf(f, "%d", &level) == 1 && level > 2;
}

int lbr_cause(int err, int cpu, uint64_t branch_types, struct errmsg *msg)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return errmsg_set(
			msg, -EPERM,
			"cpu %d: not permitted to open the event that switches the LBR on; %s", cpu,
			events_need_admin()
				? "this kernel asks for CAP_SYS_ADMIN; with 2 in "
				  "/proc/sys/kernel/perf_event_paranoid it is content with "
				  "CAP_PERFMON"
				: "run as root or with CAP_PERFMON (see "
				  "/proc/sys/kernel/perf_event_paranoid)");
	case -EBUSY:
	case -ENOSPC:
		return errmsg_set(
			msg, -EBUSY,
			"cpu %d: other events hold all counters, or the LBR with another "
			"filter; find them among perf, other tracers and the NMI watchdog "
			"(sysctl kernel.nmi_watchdog=0)",
			cpu);
	case -EMFILE:
		return errmsg_set(msg, -EMFILE,
				  "cpu %d: too many open files; raise the limit (ulimit -n)", cpu);
	case -EINVAL:
	case -EOPNOTSUPP:
		/* Known to the PMU, but not this class of branches. */
		if (!access("/sys/bus/event_source/devices/cpu/caps/branches", F_OK) &&
		    !(branch_types & PERF_SAMPLE_BRANCH_ANY))
			return errmsg_set(
				msg, -EINVAL,
				"cpu %d: the LBR of this CPU cannot select these branches "
				"(-j); use '-j any'",
				cpu);
		return no_lbr(err, msg);
	case -ENOENT:
	case -ENODEV:
		return no_lbr(err, msg);
	default:
		return errmsg_set(msg, -ENODEV, "no usable LBR: cpu %d: perf_event_open: %s", cpu,
				  strerror(-err));
	}
}

int lbr_cause_empty(int read, int cpu, struct errmsg *msg)
{
	struct host_cpu host;

	read_host_cpu(&host);
	if (read == -ENOENT && is_amd(&host))
		return no_amd_snapshot(msg);
	return errmsg_set(
		msg, -ENODEV,
		"no usable LBR: cpu %d: the LBR is on, but bpf_get_branch_snapshot() reads "
		"nothing (%d)",
		cpu, read);
}
