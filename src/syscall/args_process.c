// SPDX-License-Identifier: GPL-2.0
/* Processes: how they start, wait, are scheduled, limited, traced and confined. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <linux/landlock.h>
#include <linux/personality.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <linux/seccomp.h>
#include <linux/filter.h>
#include <linux/wait.h>

#include "syscall/newer.h"

/* linux/sched.h */
static const struct constant clone_bits_rows[] = {
	CONSTANT(CLONE_VM),
	CONSTANT(CLONE_FS),
	CONSTANT(CLONE_FILES),
	CONSTANT(CLONE_SIGHAND),
	CONSTANT(CLONE_PIDFD),
	CONSTANT(CLONE_PTRACE),
	CONSTANT(CLONE_VFORK),
	CONSTANT(CLONE_PARENT),
	CONSTANT(CLONE_THREAD),
	CONSTANT(CLONE_NEWNS),
	CONSTANT(CLONE_SYSVSEM),
	CONSTANT(CLONE_SETTLS),
	CONSTANT(CLONE_PARENT_SETTID),
	CONSTANT(CLONE_CHILD_CLEARTID),
	CONSTANT(CLONE_UNTRACED),
	CONSTANT(CLONE_CHILD_SETTID),
	CONSTANT(CLONE_NEWCGROUP),
	CONSTANT(CLONE_NEWUTS),
	CONSTANT(CLONE_NEWIPC),
	CONSTANT(CLONE_NEWUSER),
	CONSTANT(CLONE_NEWPID),
	CONSTANT(CLONE_NEWNET),
	CONSTANT(CLONE_IO),
};
static const struct constants clone_bits = CONSTANTS(clone_bits_rows, "CLONE_???");

/* linux/sched.h */
static const struct constant clone3_bits_rows[] = {
	CONSTANT(CLONE_VM),
	CONSTANT(CLONE_FS),
	CONSTANT(CLONE_FILES),
	CONSTANT(CLONE_SIGHAND),
	CONSTANT(CLONE_PIDFD),
	CONSTANT(CLONE_PTRACE),
	CONSTANT(CLONE_VFORK),
	CONSTANT(CLONE_PARENT),
	CONSTANT(CLONE_THREAD),
	CONSTANT(CLONE_NEWNS),
	CONSTANT(CLONE_SYSVSEM),
	CONSTANT(CLONE_SETTLS),
	CONSTANT(CLONE_PARENT_SETTID),
	CONSTANT(CLONE_CHILD_CLEARTID),
	CONSTANT(CLONE_UNTRACED),
	CONSTANT(CLONE_CHILD_SETTID),
	CONSTANT(CLONE_NEWCGROUP),
	CONSTANT(CLONE_NEWUTS),
	CONSTANT(CLONE_NEWIPC),
	CONSTANT(CLONE_NEWUSER),
	CONSTANT(CLONE_NEWPID),
	CONSTANT(CLONE_NEWNET),
	CONSTANT(CLONE_IO),
	CONSTANT(CLONE_NEWTIME),
	CONSTANT(CLONE_CLEAR_SIGHAND),
	CONSTANT(CLONE_INTO_CGROUP),
};
static const struct constants clone3_bits = CONSTANTS(clone3_bits_rows, "CLONE_???");

/* linux/sched.h */
static const struct constant unshare_bits_rows[] = {
	CONSTANT(CLONE_NEWTIME), CONSTANT(CLONE_VM),	  CONSTANT(CLONE_FS),
	CONSTANT(CLONE_FILES),	 CONSTANT(CLONE_SIGHAND), CONSTANT(CLONE_THREAD),
	CONSTANT(CLONE_NEWNS),	 CONSTANT(CLONE_SYSVSEM), CONSTANT(CLONE_NEWCGROUP),
	CONSTANT(CLONE_NEWUTS),	 CONSTANT(CLONE_NEWIPC),  CONSTANT(CLONE_NEWUSER),
	CONSTANT(CLONE_NEWPID),	 CONSTANT(CLONE_NEWNET),
};
static const struct constants unshare_bits = CONSTANTS(unshare_bits_rows, "CLONE_???");

/* linux/sched.h */
static const struct constant setns_bits_rows[] = {
	CONSTANT(CLONE_NEWTIME), CONSTANT(CLONE_NEWNS),	 CONSTANT(CLONE_NEWCGROUP),
	CONSTANT(CLONE_NEWUTS),	 CONSTANT(CLONE_NEWIPC), CONSTANT(CLONE_NEWUSER),
	CONSTANT(CLONE_NEWPID),	 CONSTANT(CLONE_NEWNET),
};
static const struct constants setns_bits = CONSTANTS(setns_bits_rows, "CLONE_NEW???");

/* linux/wait.h */
static const struct constant wait_bits_rows[] = {
	CONSTANT(WNOHANG), CONSTANT(WEXITED),  CONSTANT(WSTOPPED), CONSTANT(WCONTINUED),
	CONSTANT(WNOWAIT), CONSTANT(__WCLONE), CONSTANT(__WALL),   CONSTANT(__WNOTHREAD),
};
static const struct constants wait_bits = CONSTANTS(wait_bits_rows, "W???");

/* linux/wait.h */
static const struct constant wait_id_types_rows[] = {
	CONSTANT(P_ALL),
	CONSTANT(P_PID),
	CONSTANT(P_PGID),
	CONSTANT(P_PIDFD),
};
static const struct constants wait_id_types = CONSTANTS(wait_id_types_rows, "P_???");

/* asm-generic/resource.h */
static const struct constant limits_rows[] = {
	CONSTANT(RLIMIT_CPU),	   CONSTANT(RLIMIT_FSIZE),  CONSTANT(RLIMIT_DATA),
	CONSTANT(RLIMIT_STACK),	   CONSTANT(RLIMIT_CORE),   CONSTANT(RLIMIT_RSS),
	CONSTANT(RLIMIT_NPROC),	   CONSTANT(RLIMIT_NOFILE), CONSTANT(RLIMIT_MEMLOCK),
	CONSTANT(RLIMIT_AS),	   CONSTANT(RLIMIT_LOCKS),  CONSTANT(RLIMIT_SIGPENDING),
	CONSTANT(RLIMIT_MSGQUEUE), CONSTANT(RLIMIT_NICE),   CONSTANT(RLIMIT_RTPRIO),
	CONSTANT(RLIMIT_RTTIME),
};
static const struct constants limits = CONSTANTS(limits_rows, "RLIMIT_???");

/* linux/resource.h */
static const struct constant usages_rows[] = {
	CONSTANT(RUSAGE_SELF),
	{(uint32_t)RUSAGE_CHILDREN, "RUSAGE_CHILDREN"},
	CONSTANT(RUSAGE_THREAD),
};
static const struct constants usages = CONSTANTS(usages_rows, "RUSAGE_???");

/* linux/resource.h */
static const struct constant priorities_rows[] = {
	CONSTANT(PRIO_PROCESS),
	CONSTANT(PRIO_PGRP),
	CONSTANT(PRIO_USER),
};
static const struct constants priorities = CONSTANTS(priorities_rows, "PRIO_???");

/* linux/sched.h */
static const struct constant policies_rows[] = {
	{SCHED_NORMAL, "SCHED_OTHER"}, CONSTANT(SCHED_FIFO), CONSTANT(SCHED_RR),
	CONSTANT(SCHED_BATCH),	       {4, "SCHED_ISO"},     CONSTANT(SCHED_IDLE),
	CONSTANT(SCHED_DEADLINE),      {7, "SCHED_EXT"},
};
static const struct constants policies = CONSTANTS(policies_rows, "SCHED_???");

/* linux/sched.h */
static const struct constant sched_bits_rows[] = {
	CONSTANT(SCHED_FLAG_RESET_ON_FORK),  CONSTANT(SCHED_FLAG_RECLAIM),
	CONSTANT(SCHED_FLAG_DL_OVERRUN),     CONSTANT(SCHED_FLAG_KEEP_POLICY),
	CONSTANT(SCHED_FLAG_KEEP_PARAMS),    CONSTANT(SCHED_FLAG_UTIL_CLAMP_MIN),
	CONSTANT(SCHED_FLAG_UTIL_CLAMP_MAX),
};
static const struct constants sched_bits = CONSTANTS(sched_bits_rows, "SCHED_FLAG_???");

/* linux/ioprio.h */
static const struct constant io_priority_types_rows[] = {
	CONSTANT(IOPRIO_WHO_PROCESS),
	CONSTANT(IOPRIO_WHO_PGRP),
	CONSTANT(IOPRIO_WHO_USER),
};
static const struct constants io_priority_types =
	CONSTANTS(io_priority_types_rows, "IOPRIO_WHO_???");

/* linux/ioprio.h */
static const struct constant io_classes_rows[] = {
	CONSTANT(IOPRIO_CLASS_NONE),
	CONSTANT(IOPRIO_CLASS_RT),
	CONSTANT(IOPRIO_CLASS_BE),
	CONSTANT(IOPRIO_CLASS_IDLE),
};
static const struct constants io_classes = CONSTANTS(io_classes_rows, "IOPRIO_CLASS_???");

/* linux/personality.h; those that are a number alone, without flags */
static const struct constant personalities_rows[] = {
	CONSTANT(PER_LINUX),  CONSTANT(PER_BSD),  CONSTANT(PER_LINUX32),
	CONSTANT(PER_RISCOS), CONSTANT(PER_OSF4), CONSTANT(PER_HPUX),
};
static const struct constants personalities = CONSTANTS(personalities_rows, "PER_???");

/* linux/personality.h */
static const struct constant personality_bits_rows[] = {
	CONSTANT(UNAME26),	    CONSTANT(ADDR_NO_RANDOMIZE),  CONSTANT(FDPIC_FUNCPTRS),
	CONSTANT(MMAP_PAGE_ZERO),   CONSTANT(ADDR_COMPAT_LAYOUT), CONSTANT(READ_IMPLIES_EXEC),
	CONSTANT(ADDR_LIMIT_32BIT), CONSTANT(SHORT_INODE),	  CONSTANT(WHOLE_SECONDS),
	CONSTANT(STICKY_TIMEOUTS),  CONSTANT(ADDR_LIMIT_3GB),
};
static const struct constants personality_bits = CONSTANTS(personality_bits_rows, NULL);

/* linux/seccomp.h */
static const struct constant seccomp_ops_rows[] = {
	CONSTANT(SECCOMP_SET_MODE_STRICT),
	CONSTANT(SECCOMP_SET_MODE_FILTER),
	CONSTANT(SECCOMP_GET_ACTION_AVAIL),
	CONSTANT(SECCOMP_GET_NOTIF_SIZES),
};
static const struct constants seccomp_ops = CONSTANTS(seccomp_ops_rows, "SECCOMP_SET_MODE_???");

/* linux/seccomp.h */
static const struct constant seccomp_filter_bits_rows[] = {
	CONSTANT(SECCOMP_FILTER_FLAG_TSYNC),	   CONSTANT(SECCOMP_FILTER_FLAG_LOG),
	CONSTANT(SECCOMP_FILTER_FLAG_SPEC_ALLOW),  CONSTANT(SECCOMP_FILTER_FLAG_NEW_LISTENER),
	CONSTANT(SECCOMP_FILTER_FLAG_TSYNC_ESRCH), CONSTANT(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV),
};
static const struct constants seccomp_filter_bits =
	CONSTANTS(seccomp_filter_bits_rows, "SECCOMP_FILTER_FLAG_???");

/* linux/seccomp.h */
static const struct constant seccomp_actions_rows[] = {
	CONSTANT(SECCOMP_RET_KILL_PROCESS), CONSTANT(SECCOMP_RET_KILL_THREAD),
	CONSTANT(SECCOMP_RET_TRAP),	    CONSTANT(SECCOMP_RET_ERRNO),
	CONSTANT(SECCOMP_RET_USER_NOTIF),   CONSTANT(SECCOMP_RET_TRACE),
	CONSTANT(SECCOMP_RET_LOG),	    CONSTANT(SECCOMP_RET_ALLOW),
};
static const struct constants seccomp_actions = CONSTANTS(seccomp_actions_rows, "SECCOMP_RET_???");

/* linux/landlock.h */
static const struct constant landlock_create_bits_rows[] = {
	CONSTANT(LANDLOCK_CREATE_RULESET_VERSION),
	CONSTANT(LANDLOCK_CREATE_RULESET_ERRATA),
};
static const struct constants landlock_create_bits =
	CONSTANTS(landlock_create_bits_rows, "LANDLOCK_CREATE_RULESET_???");

/* linux/landlock.h */
static const struct constant landlock_rule_types_rows[] = {
	CONSTANT(LANDLOCK_RULE_PATH_BENEATH),
	{2, "LANDLOCK_RULE_NET_PORT"},
};
static const struct constants landlock_rule_types =
	CONSTANTS(landlock_rule_types_rows, "LANDLOCK_RULE_???");

/* linux/landlock.h */
static const struct constant landlock_access_rows[] = {
	CONSTANT(LANDLOCK_ACCESS_FS_EXECUTE),	 CONSTANT(LANDLOCK_ACCESS_FS_WRITE_FILE),
	CONSTANT(LANDLOCK_ACCESS_FS_READ_FILE),	 CONSTANT(LANDLOCK_ACCESS_FS_READ_DIR),
	CONSTANT(LANDLOCK_ACCESS_FS_REMOVE_DIR), CONSTANT(LANDLOCK_ACCESS_FS_REMOVE_FILE),
	CONSTANT(LANDLOCK_ACCESS_FS_MAKE_CHAR),	 CONSTANT(LANDLOCK_ACCESS_FS_MAKE_DIR),
	CONSTANT(LANDLOCK_ACCESS_FS_MAKE_REG),	 CONSTANT(LANDLOCK_ACCESS_FS_MAKE_SOCK),
	CONSTANT(LANDLOCK_ACCESS_FS_MAKE_FIFO),	 CONSTANT(LANDLOCK_ACCESS_FS_MAKE_BLOCK),
	CONSTANT(LANDLOCK_ACCESS_FS_MAKE_SYM),	 CONSTANT(LANDLOCK_ACCESS_FS_REFER),
	CONSTANT(LANDLOCK_ACCESS_FS_TRUNCATE),	 CONSTANT(LANDLOCK_ACCESS_FS_IOCTL_DEV),
};
static const struct constants landlock_access =
	CONSTANTS(landlock_access_rows, "LANDLOCK_ACCESS_FS_???");

/* linux/kcmp.h */
static const struct constant kcmp_types_rows[] = {
	CONSTANT(KCMP_FILE),	CONSTANT(KCMP_VM), CONSTANT(KCMP_FILES),   CONSTANT(KCMP_FS),
	CONSTANT(KCMP_SIGHAND), CONSTANT(KCMP_IO), CONSTANT(KCMP_SYSVSEM), CONSTANT(KCMP_EPOLL_TFD),
};
static const struct constants kcmp_types = CONSTANTS(kcmp_types_rows, "KCMP_???");

/* linux/pidfd.h */
static const struct constant pidfd_bits_rows[] = {
	{O_NONBLOCK, "PIDFD_NONBLOCK"},
	{O_EXCL, "PIDFD_THREAD"},
};
static const struct constants pidfd_bits = CONSTANTS(pidfd_bits_rows, "PIDFD_???");

/* linux/capability.h */
static const struct constant cap_versions_rows[] = {
	CONSTANT(_LINUX_CAPABILITY_VERSION_1),
	CONSTANT(_LINUX_CAPABILITY_VERSION_2),
	CONSTANT(_LINUX_CAPABILITY_VERSION_3),
};
static const struct constants cap_versions =
	CONSTANTS(cap_versions_rows, "_LINUX_CAPABILITY_VERSION_???");

/* linux/capability.h */
static const struct constant capabilities_rows[] = {
	CONSTANT(CAP_CHOWN),
	CONSTANT(CAP_DAC_OVERRIDE),
	CONSTANT(CAP_DAC_READ_SEARCH),
	CONSTANT(CAP_FOWNER),
	CONSTANT(CAP_FSETID),
	CONSTANT(CAP_KILL),
	CONSTANT(CAP_SETGID),
	CONSTANT(CAP_SETUID),
	CONSTANT(CAP_SETPCAP),
	CONSTANT(CAP_LINUX_IMMUTABLE),
	CONSTANT(CAP_NET_BIND_SERVICE),
	CONSTANT(CAP_NET_BROADCAST),
	CONSTANT(CAP_NET_ADMIN),
	CONSTANT(CAP_NET_RAW),
	CONSTANT(CAP_IPC_LOCK),
	CONSTANT(CAP_IPC_OWNER),
	CONSTANT(CAP_SYS_MODULE),
	CONSTANT(CAP_SYS_RAWIO),
	CONSTANT(CAP_SYS_CHROOT),
	CONSTANT(CAP_SYS_PTRACE),
	CONSTANT(CAP_SYS_PACCT),
	CONSTANT(CAP_SYS_ADMIN),
	CONSTANT(CAP_SYS_BOOT),
	CONSTANT(CAP_SYS_NICE),
	CONSTANT(CAP_SYS_RESOURCE),
	CONSTANT(CAP_SYS_TIME),
	CONSTANT(CAP_SYS_TTY_CONFIG),
	CONSTANT(CAP_MKNOD),
	CONSTANT(CAP_LEASE),
	CONSTANT(CAP_AUDIT_WRITE),
	CONSTANT(CAP_AUDIT_CONTROL),
	CONSTANT(CAP_SETFCAP),
	CONSTANT(CAP_MAC_OVERRIDE),
	CONSTANT(CAP_MAC_ADMIN),
	CONSTANT(CAP_SYSLOG),
	CONSTANT(CAP_WAKE_ALARM),
	CONSTANT(CAP_BLOCK_SUSPEND),
	CONSTANT(CAP_AUDIT_READ),
	CONSTANT(CAP_PERFMON),
	CONSTANT(CAP_BPF),
	CONSTANT(CAP_CHECKPOINT_RESTORE),
};
static const struct constants capabilities = CONSTANTS(capabilities_rows, "CAP_???");

/* The signal that ends the child is in the lower byte of the flags. */
static void print_clone_flags(struct printer *p, uint64_t flags)
{
	if (flags & ~(uint64_t)CSIGNAL) {
		print_flags(p, flags & ~(uint64_t)CSIGNAL, &clone_bits);
		if (flags & CSIGNAL)
			print_text(p, "|");
	}
	if (flags & CSIGNAL || !flags)
		print_signal(p, (int)(flags & CSIGNAL));
}

/* All arguments, in the order and by the names of clone(2). */
static void print_clone(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const __u64 *args = p->call->args;

	(void)type;
	(void)arg;
	print_text(p, "child_stack=");
	print_address(p, args[1]);
	print_text(p, ", flags=");
	print_clone_flags(p, args[0]);
	if (args[0] & (CLONE_PARENT_SETTID | CLONE_PIDFD)) {
		print_text(p, ", parent_tid=");
		print_address(p, args[2]);
	}
	if (args[0] & CLONE_SETTLS) {
		print_text(p, ", tls=");
		print_address(p, args[4]);
	}
	if (args[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		print_text(p, ", child_tidptr=");
		print_address(p, args[3]);
	}
}

static void print_member_address(struct printer *p, const char *name, uint64_t address)
{
	print_text(p, ", %s=", name);
	print_address(p, address);
}

static void print_clone_args(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, CLONE_ARGS_SIZE_VER0);
	struct clone_args args = {0};

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&args, blob,
	       p->call->blobs[arg].len < sizeof(args) ? p->call->blobs[arg].len : sizeof(args));
	print_text(p, "{flags=");
	print_flags(p, args.flags, &clone3_bits);
	if (args.flags & CLONE_PIDFD)
		print_member_address(p, "pidfd", args.pidfd);
	if (args.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		print_member_address(p, "child_tid", args.child_tid);
	if (args.flags & CLONE_PARENT_SETTID)
		print_member_address(p, "parent_tid", args.parent_tid);
	print_text(p, ", exit_signal=");
	if (args.exit_signal > INT32_MAX)
		print_text(p, "%" PRIu64, (uint64_t)args.exit_signal);
	else
		print_signal(p, (int)args.exit_signal);
	print_member_address(p, "stack", args.stack);
	print_text(p, ", stack_size=%#" PRIx64, (uint64_t)args.stack_size);
	if (args.flags & CLONE_SETTLS)
		print_member_address(p, "tls", args.tls);
	if (args.set_tid || args.set_tid_size) {
		print_member_address(p, "set_tid", args.set_tid);
		print_text(p, ", set_tid_size=%" PRIu64, (uint64_t)args.set_tid_size);
	}
	if (args.flags & CLONE_INTO_CGROUP)
		print_text(p, ", cgroup=%" PRIu64, (uint64_t)args.cgroup);
	print_text(p, p->call->args[arg + 1] > sizeof(args) ? ", ...}" : "}");
}

/* As a multiple of 1024 where it is one. */
static void print_limit(struct printer *p, uint64_t limit)
{
	if (limit == UINT64_MAX)
		print_text(p, "RLIM64_INFINITY");
	else if (limit > 1024 && limit % 1024 == 0)
		print_text(p, "%" PRIu64 "*1024", limit / 1024);
	else
		print_text(p, "%" PRIu64, limit);
}

static void print_rlimit(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct rlimit64));
	struct rlimit64 limit;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&limit, blob, sizeof(limit));
	print_text(p, "{rlim_cur=");
	print_limit(p, limit.rlim_cur);
	print_text(p, ", rlim_max=");
	print_limit(p, limit.rlim_max);
	print_text(p, "}");
}

static void print_sched_param(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	arg_int_pointer.print(p, arg, type);
}

static void print_sched_attr(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, SCHED_ATTR_SIZE_VER0);
	struct sched_attr attr = {0};
	size_t len = p->call->blobs[arg].len;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&attr, blob, len < sizeof(attr) ? len : sizeof(attr));
	print_text(p, "{size=%u", attr.size);
	if (attr.size && attr.size < SCHED_ATTR_SIZE_VER0) {
		print_text(p, "}");
		return;
	}
	print_text(p, ", sched_policy=");
	print_choice(p, attr.sched_policy, &policies);
	print_text(p, ", sched_flags=");
	print_flags(p, attr.sched_flags, &sched_bits);
	print_text(p, ", sched_nice=%d, sched_priority=%u", attr.sched_nice, attr.sched_priority);
	print_text(p, ", sched_runtime=%" PRIu64, (uint64_t)attr.sched_runtime);
	print_text(p, ", sched_deadline=%" PRIu64, (uint64_t)attr.sched_deadline);
	print_text(p, ", sched_period=%" PRIu64, (uint64_t)attr.sched_period);
	if (attr.size >= SCHED_ATTR_SIZE_VER1 && len >= SCHED_ATTR_SIZE_VER1)
		print_text(p, ", sched_util_min=%#x, sched_util_max=%#x", attr.sched_util_min,
			   attr.sched_util_max);
	print_text(p, attr.size > sizeof(attr) ? ", ...}" : "}");
}

/* One CPU a bit; as many bytes as the argument before says. */
static void print_cpu_set(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint8_t *blob = printer_blob(p, arg, 1);
	const char *before = "";

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	print_text(p, "[");
	for (unsigned int cpu = 0; cpu < p->call->blobs[arg].len * 8U; cpu++) {
		if (!(blob[cpu / 8] >> cpu % 8 & 1))
			continue;
		print_text(p, "%s%u", before, cpu);
		before = " ";
	}
	print_text(p, "]");
}

static void print_io_priority(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t priority = (uint32_t)p->call->args[arg];

	(void)type;
	print_text(p, "IOPRIO_PRIO_VALUE(");
	print_choice(p, priority >> IOPRIO_CLASS_SHIFT, &io_classes);
	print_text(p, ", %u)", priority & ((1U << IOPRIO_CLASS_SHIFT) - 1));
}

static void print_personality(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t persona = (uint32_t)p->call->args[arg];
	uint64_t rest;

	(void)type;
	if (persona == UINT32_MAX) {
		print_text(p, "0xffffffff"); /* a question */
		return;
	}
	print_choice(p, persona & PER_MASK, &personalities);
	print_known_flags(p, persona & ~PER_MASK, &personality_bits, 1, &rest);
	if (rest)
		print_text(p, "|%#lx", rest);
}

static void print_seccomp_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if ((uint32_t)p->call->args[0] == SECCOMP_SET_MODE_FILTER)
		print_arg_flags(p, arg, type);
	else
		print_text(p, "%#x", (uint32_t)p->call->args[arg]);
}

void print_filter(struct printer *p, unsigned int arg)
{
	const void *blob = printer_blob(p, arg, sizeof(struct sock_fprog));
	struct sock_fprog filter;

	if (!blob) {
		print_address(p, p->call->args[arg]);
		return;
	}
	memcpy(&filter, blob, sizeof(filter));
	print_text(p, "{len=%u, filter=", filter.len);
	print_address(p, (uintptr_t)filter.filter);
	print_text(p, "}");
}

static void print_seccomp_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(uint32_t));
	uint32_t action;

	if ((uint32_t)p->call->args[0] == SECCOMP_SET_MODE_FILTER) {
		print_filter(p, arg);
	} else if ((uint32_t)p->call->args[0] == SECCOMP_GET_ACTION_AVAIL && blob) {
		memcpy(&action, blob, sizeof(action));
		print_text(p, "[");
		print_choice(p, action, &seccomp_actions);
		print_text(p, "]");
	} else {
		print_arg_address(p, arg, type);
	}
}

static void print_ruleset(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t size = p->call->args[arg + 1], access[3];
	const void *blob = printer_blob(p, arg, sizeof(access[0]));
	size_t there = p->call->blobs[arg].len;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(access, blob, there < sizeof(access) ? there : sizeof(access));
	print_text(p, "{handled_access_fs=");
	print_flags(p, access[0], &landlock_access);
	if (there >= 2 * sizeof(access[0]))
		print_text(p, ", handled_access_net=%#" PRIx64, access[1]);
	if (there >= sizeof(access))
		print_text(p, ", scoped=%#" PRIx64, access[2]);
	print_text(p, size > sizeof(access) ? ", ...}" : "}");
}

static void print_landlock_rule(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct landlock_path_beneath_attr));
	struct landlock_path_beneath_attr rule;

	if (!blob || (uint32_t)p->call->args[arg - 1] != LANDLOCK_RULE_PATH_BENEATH) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&rule, blob, sizeof(rule));
	print_text(p, "{allowed_access=");
	print_flags(p, rule.allowed_access, &landlock_access);
	print_text(p, ", parent_fd=%d}", rule.parent_fd);
}

static void print_kcmp_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch ((uint32_t)p->call->args[2]) {
	case KCMP_FILE:
		print_arg_int(p, arg, type);
		break;
	case KCMP_EPOLL_TFD:
		if (arg == 3)
			print_arg_int(p, arg, type);
		else
			print_arg_address(p, arg, type);
		break;
	case KCMP_VM:
	case KCMP_FILES:
	case KCMP_FS:
	case KCMP_SIGHAND:
	case KCMP_IO:
	case KCMP_SYSVSEM:
		break;
	default:
		arg_hex.print(p, arg, &arg_hex);
	}
}

static void print_cap_header(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct __user_cap_header_struct));
	struct __user_cap_header_struct header;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&header, blob, sizeof(header));
	print_text(p, "{version=");
	print_choice(p, header.version, &cap_versions);
	print_text(p, ", pid=%d}", header.pid);
}

/* As shifts, since the names are numbers of bits. */
static void print_cap_set(struct printer *p, const char *name, uint32_t low, uint32_t high)
{
	uint64_t set = (uint64_t)high << 32 | low;
	const char *before = "";

	print_text(p, "%s=", name);
	if (!set)
		print_text(p, "0");
	for (uint32_t i = 0; i < capabilities.count; i++) {
		if (!(set >> capabilities.rows[i].value & 1))
			continue;
		print_text(p, "%s1<<%s", before, capabilities.rows[i].name);
		set &= ~(1ULL << capabilities.rows[i].value);
		before = "|";
	}
	if (set)
		print_text(p, "%s%#" PRIx64, before, set);
}

/* Version 1 has 32 capabilities, the others the second half of each set in a second struct. */
static void print_cap_data(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *header = printer_blob(p, arg - 1, sizeof(struct __user_cap_header_struct));
	struct __user_cap_data_struct data[2] = {0};
	uint32_t version = 0;
	const void *blob;
	size_t len;

	if (header)
		memcpy(&version, header, sizeof(version));
	len = version == _LINUX_CAPABILITY_VERSION_1 ? sizeof(data[0]) : sizeof(data);
	blob = header ? printer_blob(p, arg, len) : NULL;
	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(data, blob, len);
	print_text(p, "{");
	print_cap_set(p, "effective", data[0].effective, data[1].effective);
	print_text(p, ", ");
	print_cap_set(p, "permitted", data[0].permitted, data[1].permitted);
	print_text(p, ", ");
	print_cap_set(p, "inheritable", data[0].inheritable, data[1].inheritable);
	print_text(p, "}");
}

const struct arg_type arg_clone = {.print = print_clone};
const struct arg_type arg_clone_args =
	ARG_COUNTED(print_clone_args, 1, 1, sizeof(struct clone_args));
const struct arg_type arg_unshare_flags = ARG_FLAGS64(unshare_bits);
const struct arg_type arg_setns_flags = ARG_FLAGS(setns_bits);
const struct arg_type arg_wait_flags = ARG_FLAGS(wait_bits);
const struct arg_type arg_wait_id_type = ARG_CHOICE(wait_id_types);
const struct arg_type arg_rlimit_name = ARG_CHOICE(limits);
const struct arg_type arg_rlimit = ARG_STRUCT(print_rlimit, sizeof(struct rlimit64));
const struct arg_type arg_rusage_who = ARG_CHOICE(usages);
const struct arg_type arg_priority_which = ARG_CHOICE(priorities);
const struct arg_type arg_sched_policy = ARG_CHOICE(policies);
const struct arg_type arg_sched_param = ARG_STRUCT(print_sched_param, sizeof(int32_t));
const struct arg_type arg_sched_attr = ARG_STRUCT(print_sched_attr, sizeof(struct sched_attr));
const struct arg_type arg_cpu_set = ARG_COUNTED(print_cpu_set, -1, 1, SYSCALL_BYTES_MAX);
const struct arg_type arg_ioprio_who = ARG_CHOICE(io_priority_types);
const struct arg_type arg_ioprio = {.print = print_io_priority};
const struct arg_type arg_personality = {.print = print_personality};
const struct arg_type arg_seccomp_op = ARG_CHOICE(seccomp_ops);
const struct arg_type arg_seccomp_flags = {.print = print_seccomp_flags,
					   .names = &seccomp_filter_bits};
const struct arg_type arg_seccomp_arg = ARG_STRUCT(print_seccomp_arg, sizeof(struct sock_fprog));
const struct arg_type arg_landlock_ruleset = ARG_COUNTED(print_ruleset, 1, 1, 24);
const struct arg_type arg_landlock_create_flags = ARG_FLAGS(landlock_create_bits);
const struct arg_type arg_landlock_rule_type = ARG_CHOICE(landlock_rule_types);
const struct arg_type arg_landlock_rule =
	ARG_STRUCT(print_landlock_rule, sizeof(struct landlock_path_beneath_attr));
const struct arg_type arg_kcmp_type = ARG_CHOICE(kcmp_types);
const struct arg_type arg_kcmp_4 = {.print = print_kcmp_arg};
const struct arg_type arg_kcmp_5 = {.print = print_kcmp_arg};
const struct arg_type arg_pidfd_open_flags = ARG_FLAGS(pidfd_bits);
const struct arg_type arg_cap_header =
	ARG_STRUCT(print_cap_header, sizeof(struct __user_cap_header_struct));
const struct arg_type arg_cap_data =
	ARG_STRUCT(print_cap_data, 2 * sizeof(struct __user_cap_data_struct));
const struct arg_type arg_capability = ARG_CHOICE(capabilities);
