// SPDX-License-Identifier: GPL-2.0
#include "capture/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>

#include "capture/attach_perf.h"
#include "capture/capture.h"
#include "capture/clone.h"
#include "capture/budget/holders.h"
#include "capture/kprobes.h"
#include "capture/lbr/lbr_events.h"
#include "record.h"
#include "lbrsnoop.skel.h"
#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/lockdown.h"

static struct bpf_program *program_on_returns(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	return probe->ret == RETURN_S64 ? skel->progs.hw_return_s64 : skel->progs.hw_return_s32;
}

/* Programs of faults ask where they are. */
static uint64_t cookie_of(const struct probe *probe, uint32_t target)
{
	return target | (uint64_t)probe->place << 32;
}

static struct bpf_program *fentry_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	return probe->trigger.preset ? skel->progs.preset_fentry : skel->progs.fentry;
}

static struct bpf_program *fexit_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	return probe->ret == RETURN_S64 ? skel->progs.fexit_s64 : skel->progs.fexit_s32;
}

static struct bpf_program *kprobe_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	if (probe->place)
		return skel->progs.fault_late;
	return probe->trigger.preset ? skel->progs.preset_kprobe : skel->progs.kprobe;
}

static struct bpf_program *kretprobe_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	return probe->ret == RETURN_S64 ? skel->progs.kretprobe_s64 : skel->progs.kretprobe_s32;
}

static struct bpf_program *tracepoint_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	if (probe->trigger.preset)
		return skel->progs.preset_tracepoint;
	return probe->ret == RETURN_S64 ? skel->progs.tracepoint_sys_exit : skel->progs.tracepoint;
}

static struct bpf_program *hw_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	if (probe->place)
		return skel->progs.fault_early;
	if (probe->site_kind == SITE_PLAIN)
		return probe->trigger.preset ? skel->progs.preset_hw : skel->progs.hw;
	if (probe->site_kind == SITE_ERRNO)
		return skel->progs.hw_errno_site;
	return program_on_returns(skel, probe);
}

/* Kinds with one program, whatever the probe. */
#define ONE_PROGRAM(kind, name)                                                                    \
	static struct bpf_program *kind##_program(struct lbrsnoop_bpf *skel,                       \
						  const struct probe *probe)                       \
	{                                                                                          \
		(void)probe;                                                                       \
		return skel->progs.name;                                                           \
	}

ONE_PROGRAM(rawtracepoint, raw_tracepoint)
ONE_PROGRAM(uprobe, uprobe)
ONE_PROGRAM(uretprobe, uretprobe)
ONE_PROGRAM(signal, forced_signal)
ONE_PROGRAM(perf, perf_software)
ONE_PROGRAM(pmi, perf_overflow)
ONE_PROGRAM(multi, multi_return)

typedef struct bpf_program *program_fn(struct lbrsnoop_bpf *skel, const struct probe *probe);

/* @armed: its fds are -1 at first; what is in it after a failure is disarm()ed by the caller */
typedef int attach_fn(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		      struct armed *armed, struct errmsg *msg);

static attach_fn attach_trampoline, attach_kprobe, attach_tracepoint, attach_uprobe, attach_hw;

/** struct attach_kind - @program: its BPF program; @attach: NULL: many are attached at once,
 * elsewhere */
struct attach_kind {
	program_fn *program;
	attach_fn *attach;
};

static const struct attach_kind attach_kinds[TRIGGER_KIND_COUNT] = {
	[TRIGGER_FENTRY] = {fentry_program, attach_trampoline},
	[TRIGGER_FEXIT] = {fexit_program, attach_trampoline},
	[TRIGGER_KPROBE] = {kprobe_program, attach_kprobe},
	[TRIGGER_KRETPROBE] = {kretprobe_program, attach_kprobe},
	[TRIGGER_TRACEPOINT] = {tracepoint_program, attach_tracepoint},
	[TRIGGER_RAWTRACEPOINT] = {rawtracepoint_program, attach_trampoline},
	[TRIGGER_HW] = {hw_program, attach_hw},
	[TRIGGER_UPROBE] = {uprobe_program, attach_uprobe},
	[TRIGGER_URETPROBE] = {uretprobe_program, attach_uprobe},
	[TRIGGER_SIGNAL] = {signal_program, attach_kprobe},
	[TRIGGER_PERF] = {perf_program, attach_hw},
	[TRIGGER_PMI] = {pmi_program, attach_hw},
	[TRIGGER_MULTI] = {multi_program, NULL},
};

/* The program of a kind of trigger; NULL if nothing is armed as that kind. */
static struct bpf_program *program_of(struct lbrsnoop_bpf *skel, const struct probe *probe,
				      enum trigger_kind kind)
{
	return attach_kinds[kind].program ? attach_kinds[kind].program(skel, probe) : NULL;
}

static void disarm_breakpoints(struct armed *armed)
{
	for (int i = 0; i < armed->hw_cpus * HW_SITES_MAX; i++)
		hw_site_close(&armed->hw_sites[i]);
	free(armed->hw_sites);
	armed->hw_sites = NULL;
	armed->hw_cpus = 0;
}

/* What is tried next if a probe cannot be armed as @kind; TRIGGER_NONE if nothing is left. */
static enum trigger_kind next_worse(const struct probe *probe, enum trigger_kind kind)
{
	if (probe->gives_way && kind == TRIGGER_HW && probe->btf_id && !probe->place)
		return TRIGGER_FENTRY;
	if (probe->gives_way && kind != TRIGGER_KPROBE)
		return TRIGGER_KPROBE;
	if (!probe->fallback || kind == TRIGGER_MULTI)
		return TRIGGER_NONE;
	if (kind == TRIGGER_HW && probe->btf_id)
		return TRIGGER_FEXIT;
	return kind == TRIGGER_KRETPROBE ? TRIGGER_NONE : TRIGGER_KRETPROBE;
}

/* The program on the function's exit that an errno site needs; NULL if it needs none. */
static struct bpf_program *exit_program(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	if (!probe_needs_exit(probe))
		return NULL;
	return probe->ret == RETURN_S64 ? skel->progs.errno_exit_s64 : skel->progs.errno_exit_s32;
}

/* The number of the call that an event syscalls:sys_exit_* is of; -1: of none, or of one unknown.
 */
static int sys_exit_number(const struct probe *probe)
{
	static const char prefix[] = "sys_exit_";

	if (probe->trigger.kind != TRIGGER_TRACEPOINT || strcmp(probe->category, "syscalls") != 0 ||
	    strncmp(probe->trigger.function, prefix, strlen(prefix)) != 0)
		return -1;
	return syscall_number_in_kernel(probe->trigger.function + strlen(prefix));
}

static void select_program(struct bpf_program *prog, bool tracing)
{
	if (tracing || bpf_program__type(prog) != BPF_PROG_TYPE_TRACING)
		bpf_program__set_autoload(prog, true);
}

void attach_select(struct lbrsnoop_bpf *skel, const struct probe *probe, bool tracing)
{
	for (enum trigger_kind kind = probe->trigger.kind; kind != TRIGGER_NONE;
	     kind = next_worse(probe, kind))
		select_program(program_of(skel, probe, kind), tracing);
	if (exit_program(skel, probe))
		select_program(exit_program(skel, probe), tracing);
	if (probe->return_count)
		select_program(program_on_returns(skel, probe), tracing);
}

enum tracing_need attach_needs_tracing(struct lbrsnoop_bpf *skel, const struct probe *probe)
{
	const struct bpf_program *on_exit = exit_program(skel, probe);
	bool without = false, with = on_exit;

	for (enum trigger_kind kind = probe->trigger.kind; kind != TRIGGER_NONE;
	     kind = next_worse(probe, kind)) {
		bool traces =
			bpf_program__type(program_of(skel, probe, kind)) == BPF_PROG_TYPE_TRACING;

		with |= traces;
		/* Where an errno is loaded a breakpoint needs the exit; on the returns none. */
		without |= !traces && (kind != TRIGGER_HW || !on_exit || probe->return_count);
	}
	return !with ? TRACING_NOT_USED : without ? TRACING_PREFERRED : TRACING_NEEDED;
}

void attach_select_shared(struct lbrsnoop_bpf *skel, const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		if (sys_exit_number(&probes->items[i]) < 0)
			continue;
		/* What the kernel has no type of it would not load. */
		bpf_program__set_autoload(skel->progs.sys_exit_typed,
					  libbpf_find_vmlinux_btf_id("sys_exit", BPF_TRACE_RAW_TP) >
						  0);
		return;
	}
}

/* ENOTSUPP, which only the kernel knows: arch_prepare_bpf_trampoline() */
#define ERR_NOT_SUPPORTED 524

static const char *why_no_copy(int err)
{
	switch (err) {
	case -EBUSY:
		return " (the function is notrace, live patched, or traced with another kind of "
		       "tracer)";
	case -ERR_NOT_SUPPORTED:
		return " (it takes more arguments than this kernel's BPF trampolines can pass on)";
	default:
		return "";
	}
}

static int attach_copy(const struct bpf_program *prog, const struct probe *probe, uint32_t target,
		       struct armed *armed, struct errmsg *msg)
{
	const char *raw_name =
		probe->trigger.kind == TRIGGER_RAWTRACEPOINT ? probe->trigger.function : NULL;
	int err;

	armed->prog_fd =
		program_clone(prog, raw_name ? 0 : probe->btf_id, probe->btf_fd, target, msg);
	if (armed->prog_fd < 0)
		return armed->prog_fd;
	armed->link_fd = bpf_raw_tracepoint_open(raw_name, armed->prog_fd);
	if (armed->link_fd >= 0)
		return 0;
	err = -errno;
	/* A hardware breakpoint comes here for the program on the function's exit. */
	return errmsg_set(msg, err, "the kernel refuses %s there: %s%s",
			  trigger_kind_name(probe->trigger.kind == TRIGGER_HW
						    ? TRIGGER_FEXIT
						    : probe->trigger.kind),
			  errno_text(-err), why_no_copy(err));
}

static int attach_trampoline(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
			     struct armed *armed, struct errmsg *msg)
{
	return attach_copy(program_of(skel, probe, probe->trigger.kind), probe, target, armed, msg);
}

static int attach_kprobe(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
			 struct armed *armed, struct errmsg *msg)
{
	bool is_return = probe->trigger.kind == TRIGGER_KRETPROBE;
	struct bpf_program *prog = program_of(skel, probe, probe->trigger.kind);
	/* By address: a name may be that of several functions. */
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = cookie_of(probe, target),
		    .offset = probe->trigger.addr, .retprobe = is_return);
	int err;

	if (!probe->trigger.addr)
		return errmsg_set(msg, -ENOENT, "its address is not known");
	armed->link = bpf_program__attach_kprobe_opts(prog, NULL, &opts);
	if (armed->link)
		return 0;
	err = -errno;
	if (!kernel_has_kprobes())
		return errmsg_set(msg, err, "this kernel has no kprobes (CONFIG_KPROBES)");
	if (err == -EILSEQ)
		return errmsg_set(msg, err, "there is no instruction at that offset");
	if (err == -EINVAL || err == -EADDRNOTAVAIL)
		return errmsg_set(msg, err,
				  "the kernel allows no %s there (blacklisted: see "
				  "/sys/kernel/debug/kprobes/blacklist; a static key patches that "
				  "instruction; or no instruction boundary)",
				  trigger_kind_name(probe->trigger.kind));
	if (err == -EPERM && lockdown_read() == LOCKDOWN_CONFIDENTIALITY)
		return errmsg_set(msg, err,
				  "kernel lockdown (confidentiality) forbids kprobes; hw:%s, a "
				  "breakpoint, is allowed; " LOCKDOWN_REMEDY,
				  probe->trigger.function);
	return errmsg_set(msg, err, "the kernel refuses a %s there: %s",
			  trigger_kind_name(probe->trigger.kind), strerror(-err));
}

/* In every process that maps the file: BPF asks for the one that is wanted. */
static int attach_uprobe(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
			 struct armed *armed, struct errmsg *msg)
{
	bool is_return = probe->trigger.kind == TRIGGER_URETPROBE;
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = target, .retprobe = is_return);
	int err;

	armed->link =
		bpf_program__attach_uprobe_opts(program_of(skel, probe, probe->trigger.kind), -1,
						probe->trigger.path, probe->file_offset, &opts);
	if (armed->link)
		return 0;
	err = -errno;
	if (err == -ENOENT)
		return errmsg_set(msg, err,
				  "this kernel has no uprobes (CONFIG_UPROBES), or the "
				  "file is gone");
	return errmsg_set(msg, err, "the kernel refuses a %s there: %s%s",
			  trigger_kind_name(probe->trigger.kind), errno_text(-err),
			  err == -EINVAL || err == -ERR_NOT_SUPPORTED
				  ? " (an instruction that it cannot step over, or a file system "
				    "without uprobes)"
				  : "");
}

static bool sys_exit_armed(const struct lbrsnoop_bpf *skel)
{
	for (size_t nr = 0; nr < ARRAY_SIZE(skel->bss->sys_exit_targets); nr++)
		if (skel->bss->sys_exit_targets[nr])
			return true;
	return false;
}

/*
 * One program for all such probes, armed with the first of them and disarmed with it: probes of
 * tracepoints are disarmed together. Return: 0; negative errno: perf's event is the way.
 */
static int attach_sys_exit(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
			   struct armed *armed)
{
	int nr = sys_exit_number(probe);

	if (nr < 0 || !bpf_program__autoload(skel->progs.sys_exit_typed))
		return -EOPNOTSUPP;
	/* Taken by another probe: this one is an event of its own. */
	if (skel->bss->sys_exit_targets[nr])
		return -EBUSY;
	if (!sys_exit_armed(skel)) {
		armed->link = bpf_program__attach(skel->progs.sys_exit_typed);
		if (!armed->link)
			return -errno;
	}
	skel->bss->sys_exit_targets[nr] = 1 + target;
	return 0;
}

static int attach_tracepoint(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
			     struct armed *armed, struct errmsg *msg)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = target);

	if (!attach_sys_exit(skel, probe, target, armed))
		return 0;
	armed->link = bpf_program__attach_tracepoint_opts(
		program_of(skel, probe, TRIGGER_TRACEPOINT), probe->category,
		probe->trigger.function, &opts);
	if (armed->link)
		return 0;
	return errmsg_set(msg, -errno, "the kernel refuses to attach to this tracepoint: %s",
			  strerror(errno));
}

static int no_register_error(int cpu, struct errmsg *msg)
{
	char who[200];
	size_t count = debug_register_holders(who, sizeof(who));

	if (!count)
		return errmsg_set(msg, -ENOSPC,
				  "no debug register is free on cpu %d: it has four, and gdb, perf "
				  "(mem: events), kgdb or another lbrsnoop may hold them",
				  cpu);
	return errmsg_set(
		msg, -ENOSPC,
		"no debug register is free on cpu %d: it has four, and %s%s may hold them", cpu,
		who, count > HOLDERS_NAMED ? " and others" : "");
}

static int hw_error(int err, uint64_t addr, int cpu, struct errmsg *msg)
{
	switch (err) {
	case -ENOSPC:
		return no_register_error(cpu, msg);
	case -EPERM: /* hw_breakpoint_parse() of kernel/events/hw_breakpoint.c */
		return errmsg_set(msg, err,
				  "not permitted: a hardware breakpoint in the kernel needs "
				  "CAP_SYS_ADMIN; run as root (sudo)");
	case -EINVAL:
	case -EACCES:
		return errmsg_set(
			msg, -EINVAL,
			"the kernel refuses a breakpoint at %#llx (no kernel text, or code "
			"that must not be interrupted there, such as entry code)",
			(unsigned long long)addr);
	case -EOPNOTSUPP:
	case -ENOENT:
		return errmsg_set(msg, err, "this kernel has no hardware breakpoints");
	default:
		return errmsg_set(msg, err, "hardware breakpoint on cpu %d: %s", cpu,
				  strerror(-err));
	}
}

int open_breakpoint(uint64_t addr, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = addr,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.pinned = 1,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int attach_breakpoint(struct bpf_program *prog, uint64_t addr, int cpu, uint64_t cookie,
		      struct hw_site *ret_site, struct errmsg *msg)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	struct bpf_link *link;
	int fd, err;

	fd = open_breakpoint(addr, cpu);
	if (fd < 0)
		return hw_error(fd, addr, cpu, msg);
	/* The link owns the event: it enables it, and closes it when it is destroyed. */
	link = bpf_program__attach_perf_event_opts(prog, fd, &opts);
	if (!link) {
		err = -errno;
		close(fd);
		return hw_error(err, addr, cpu, msg);
	}
	*ret_site = (struct hw_site){.link = link, .fd = fd};
	return 0;
}

static bool cpu_wanted(const struct lbrsnoop_bpf *skel, int cpu)
{
	return !skel->rodata->filter_cpus ||
	       (skel->rodata->cpus_wanted[cpu / 64] & 1ULL << (cpu % 64));
}

int attach_hw_cpu(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		  struct armed *armed, int cpu, struct errmsg *msg)
{
	bool event = probe_is_event(probe);
	struct bpf_program *prog =
		program_of(skel, probe, event ? probe->trigger.kind : TRIGGER_HW);

	if (cpu >= armed->hw_cpus)
		return -EINVAL;
	if (event && (armed->hw_sites[cpu * HW_SITES_MAX].link || !cpu_wanted(skel, cpu)))
		return 0;
	if (event)
		return attach_event(prog, probe, cpu, target, &armed->hw_sites[cpu * HW_SITES_MAX],
				    msg);
	for (uint32_t i = 0; i < probe->site_count; i++) {
		struct hw_site *site = &armed->hw_sites[cpu * HW_SITES_MAX + i];
		uint64_t cookie = cookie_of(probe, target);
		int err;

		if (probe->site_kind == SITE_ERRNO)
			cookie |= (uint64_t)probe->site_err[i] << 32 |
				  (uint64_t)probe->site_certain[i] << 63;

		if (site->link)
			continue;
		err = attach_breakpoint(prog, probe->sites[i], cpu, cookie, site, msg);
		if (err)
			return err;
	}
	return 0;
}

static int attach_hw(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		     struct armed *armed, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *online = NULL;
	int bits = cpus_online(NULL, &online);
	int err;

	if (bits < 0)
		return errmsg_set(msg, bits, "cannot list the online CPUs: %s", strerror(-bits));
	/* One of many that a glob matched, and no place for a breakpoint was found in it. */
	if (!probe_is_event(probe) && !probe->site_count)
		return errmsg_set(msg, -EINVAL, "no hardware breakpoint: %s", probe->hw_reason);
	armed->hw_sites = calloc((size_t)bits * HW_SITES_MAX, sizeof(*armed->hw_sites));
	if (!armed->hw_sites)
		return -ENOMEM;
	armed->hw_cpus = bits;
	/* The exit first: a hit before it is armed would wait for a return that nobody sees. */
	if (exit_program(skel, probe)) {
		err = attach_copy(exit_program(skel, probe), probe, target, armed, msg);
		if (err)
			return err;
	}
	for (int cpu = 0; cpu < bits; cpu++) {
		if (!(online[cpu / 8] & 1 << (cpu % 8)))
			continue;
		err = attach_hw_cpu(skel, probe, target, armed, cpu, msg);
		if (err)
			return err;
	}
	return 0;
}

static int attach_as(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		     struct armed *armed, struct errmsg *msg)
{
	attach_fn *attach = attach_kinds[probe->trigger.kind].attach;

	return attach ? attach(skel, probe, target, armed, msg)
		      : errmsg_set(msg, -EINVAL, "nothing to arm");
}

int attach_next_worse(struct lbrsnoop_bpf *skel, struct probe *probe, uint32_t target,
		      struct armed *ret_armed, struct errmsg *msg)
{
	enum trigger_kind before = probe->trigger.kind, kind;
	int err = -ENOENT;

	for (kind = next_worse(probe, before); kind != TRIGGER_NONE;
	     kind = next_worse(probe, kind)) {
		struct armed next = {.prog_fd = -1, .link_fd = -1};

		probe->trigger.kind = kind;
		err = attach_as(skel, probe, target, &next, msg);
		if (!err) {
			*ret_armed = next;
			return 0;
		}
		disarm(&next);
	}
	probe->trigger.kind = before;
	return err;
}

bool keep_exit(struct probe *probe, struct armed *armed)
{
	if (probe->site_kind != SITE_ERRNO || !probe->fallback || armed->link_fd < 0)
		return false;
	disarm_breakpoints(armed);
	probe->trigger.kind = TRIGGER_FEXIT;
	return true;
}

int attach_probe(struct lbrsnoop_bpf *skel, struct probe *probe, uint32_t target,
		 struct armed *ret_armed, struct errmsg *msg)
{
	enum trigger_kind first = probe->trigger.kind, kind = first;
	int first_err = 0;

	while (kind != TRIGGER_NONE) {
		struct armed armed = {.prog_fd = -1, .link_fd = -1};
		int err;

		probe->trigger.kind = kind;
		/* The first reason is the better one. */
		err = attach_as(skel, probe, target, &armed, first_err ? NULL : msg);
		if (!err) {
			if (first == TRIGGER_HW && first_err)
				snprintf(probe->hw_reason, sizeof(probe->hw_reason), "%.*s",
					 (int)sizeof(probe->hw_reason) - 1, msg->text);
			*ret_armed = armed;
			return 0;
		}
		disarm(&armed);
		first_err = first_err ?: err;
		if (!probe_stand_on_returns(probe))
			kind = next_worse(probe, kind);
	}
	probe->trigger.kind = first;
	return first_err;
}

void disarm_hw_cpu(struct armed *armed, int cpu)
{
	for (int i = cpu * HW_SITES_MAX; i < (cpu + 1) * HW_SITES_MAX; i++)
		hw_site_close(&armed->hw_sites[i]);
}

void disarm(struct armed *armed)
{
	/* Before the exit: a hit that came after it would wait for a return that nobody sees. */
	disarm_breakpoints(armed);
	bpf_link__destroy(armed->link);
	if (armed->link_fd >= 0)
		close(armed->link_fd);
	if (armed->prog_fd >= 0)
		close(armed->prog_fd);
	*armed = (struct armed){.prog_fd = -1, .link_fd = -1, .since_ns = armed->since_ns};
}

void forget_pending(struct lbrsnoop_bpf *skel, uint32_t target)
{
	uint64_t *count = (uint64_t *)&skel->bss->pending_count, key, next;
	int fd = bpf_map__fd(skel->maps.pending);
	int err = bpf_map_get_next_key(fd, NULL, &next);

	while (!err) {
		key = next;
		err = bpf_map_get_next_key(fd, &key, &next);
		if ((uint32_t)key == target && !bpf_map_delete_elem(fd, &key))
			__atomic_fetch_sub(count, 1, __ATOMIC_RELAXED);
	}
}

uint64_t armed_missed(const struct armed *armed)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	if (armed->prog_fd < 0 || bpf_obj_get_info_by_fd(armed->prog_fd, &info, &len))
		return 0;
	return info.recursion_misses;
}

static uint64_t site_hits(const struct hw_site *site)
{
	uint64_t count;

	return site->link && read(site->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

typedef uint64_t site_count_fn(const struct hw_site *site);

static uint64_t count_cpu(const struct armed *armed, int cpu, site_count_fn *of)
{
	uint64_t sum = 0;

	for (int i = cpu * HW_SITES_MAX; i < (cpu + 1) * HW_SITES_MAX; i++)
		sum += of(&armed->hw_sites[i]);
	return sum;
}

static uint64_t count_all(const struct armed *armed, site_count_fn *of)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < armed->hw_cpus; cpu++)
		sum += count_cpu(armed, cpu, of);
	return sum;
}

uint64_t armed_hw_hits_cpu(const struct armed *armed, int cpu)
{
	return count_cpu(armed, cpu, site_hits);
}

uint64_t armed_hw_hits(const struct armed *armed)
{
	return count_all(armed, site_hits);
}

uint64_t armed_throttled_cpu(const struct armed *armed, int cpu)
{
	return count_cpu(armed, cpu, event_throttled);
}

uint64_t armed_throttled(const struct armed *armed)
{
	return count_all(armed, event_throttled);
}
