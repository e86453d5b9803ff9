// SPDX-License-Identifier: GPL-2.0
/*
 * why.bpf.c - "lbrsnoop why": which function that can make an error ran in the call that failed,
 * and which of its instructions made it
 *
 * An object of its own: it follows tasks from system call to system call, which the other triggers
 * do not. Three kinds of program work together on one struct why_task for each task:
 *
 *   sys_enter, sys_exit	begin it, and report it if the call failed
 *   why_function		kprobe.multi on each function that can make an errno
 *   why_site_*			on the instructions that make it: a hardware breakpoint, or a kprobe
 *   why_point			breakpoints further back on the way to it, in runs of their own
 *   why_passed			kprobes all along that way
 *
 * Under lockdown (confidentiality) the kernel refuses each program that may call
 * bpf_probe_read_kernel(). So kernel structures are read through BTF pointers, maps by plain loads.
 * What has no other way is a program of its own, which is left out there: why_fork,
 * why_interrupted, why_logged, why_netlink.
 */
/*
 * The kernel is given all of these when the object is loaded. Of a hit, one is in use while the
 * program runs, on one CPU; those of presets and faults, never.
 */
#define CAPTURE_SLOTS 256
#define PRESET_SLOTS  1
#define FAULT_SLOTS   1

#include "state.bpf.c"

#include "snapshot.bpf.h"
#include "why_event.h"
#include "why_read.bpf.h"

/** enum why_filter - whose calls are looked at */
enum why_filter {
	WHY_FILTER_TRACED = 0, /* processes in the map, and their children */
	WHY_FILTER_COMM,
	WHY_FILTER_CGROUP,
};

const volatile __u32 why_filter;
/*
 * Under lockdown: libbpf tries whether the kernel has bpf_probe_read_kernel(), is refused, takes it
 * for an old kernel and makes each bpf_probe_read_user() the older helper, which is refused, too.
 */
const volatile bool why_no_user_reads;
const volatile __u64 why_cgroup;       /* its ID */
const volatile __u32 why_cgroup_level; /* its depth below the root */

/* arch/x86/entry/syscalls/syscall_64.tbl */
#define SYS_RT_SIGRETURN 15

#define EINTR 4

/* include/uapi/asm-generic/signal-defs.h and signal.h */
#define HANDLER_IGNORES 1
#define SA_RESTART	0x10000000

/* include/linux/errno.h, which is not for programs */
#define ERESTARTSYS	      512
#define ERESTARTNOINTR	      513
#define ERESTARTNOHAND	      514
#define ERESTART_RESTARTBLOCK 516

/* Functions entered before in the call: sets by a hash of the address, ways of each. Powers of two.
 */
#define SEEN_SETS 256
#define SEEN_WAYS 4
/* Errnos that are told apart, 64 a word; a power of two. */
#define EVICTED_WORDS 4

/**
 * struct why_task - a task within a system call
 * @calls: counts them
 * @ends: hits of why_ends since the call began
 * @sigreturn: the call is rt_sigreturn()
 * @refused: the call was not begun
 * @signal, @restarts: as in struct why_failed
 * @interrupted: the last call ended with one of the kernel's own errors
 * @evicted: bit N modulo 256: of errno N a hit of the call had to make room for another one
 * @seen: lower half of a function's address, and in the upper half the call that it ran in
 */
struct why_task {
	__u64 begin_ns;
	__u64 seen[SEEN_SETS * SEEN_WAYS];
	__u32 calls;
	__u32 in_call;
	__u32 entered;
	__u32 hits;
	__u32 slot; /* number of the hit that is looked at */
	__u32 ends;
	__u32 sigreturn;
	__u32 refused;
	__u32 signal;
	__u32 restarts;
	__u32 interrupted;
	__u64 evicted[EVICTED_WORDS];
	struct why_regs regs;	  /* of that hit */
	struct why_failed failed; /* what is told of the call; its @funcs are kept as it runs */
	struct why_hit_of hit[WHY_HITS_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WHY_TASKS_MAX);
	__type(key, __u32); /* thread ID */
	__type(value, struct why_task);
} why_tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WHY_PROCESSES_MAX);
	__type(key, __u32); /* process ID */
	__type(value, __u32);
} why_traced SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SYSCALL_PLANS);
	__type(key, __u32);
	__type(value, struct syscall_read_plan);
} why_plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} why_events SEC(".maps");

/* sys_enter is not watched, for what runs there fills the LBR: a call begins where another ended.
 */
__u64 why_no_enter;

/* Points: a call that came by one of them is told, whatever it returned. 0: none */
__u64 why_ends[WHY_ENDS_MAX];

/* What a new task begins with. */
static struct why_task why_no_task;
/* The number of the calls in which why_passed tells hits. */
__u64 why_passed_nr;
__u64 why_seq;
__u64 why_lost;		  /* events that found no room in the ring buffer */
__u64 why_task_lost;	  /* calls that found no room in why_tasks */
__u64 why_compat;	  /* failing calls of 32-bit code: of another table, not told */
__u64 why_process_lost;	  /* processes that found none in why_traced */
__u64 why_point_hits;	  /* whoever made them, but for lbrsnoop, when it arms another one */
__u64 why_points_outside; /* of traced tasks, but in no system call */
__u64 why_passed_hits;	  /* the same */

static __always_inline bool is_traced(void)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (own_pid && tgid == own_pid)
		return false;
	if (why_filter == WHY_FILTER_COMM) {
		char comm[RECORD_COMM_LEN] __attribute__((aligned(8))) = {};

		bpf_get_current_comm(comm, sizeof(comm));
		return comm_wanted(comm);
	}
	if (why_filter == WHY_FILTER_CGROUP)
		return bpf_get_current_ancestor_cgroup_id(why_cgroup_level) == why_cgroup;
	return bpf_map_lookup_elem(&why_traced, &tgid);
}

static __always_inline struct why_task *current_task(void)
{
	__u32 tid = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&why_tasks, &tid);
}

static __always_inline void fill_head(struct why_event *head, enum why_event_kind kind)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u64 id = bpf_get_current_pid_tgid();

	head->seq = __sync_fetch_and_add(&why_seq, 1);
	head->mono_ns = bpf_ktime_get_ns();
	head->kind = kind;
	head->tgid = id >> 32;
	head->tid = id;
	head->switches = task->nvcsw + task->nivcsw;
	/* bpf_get_current_comm() calls strnlen(), where a breakpoint may be: in a kprobe's program
	 * that one would stop the LBR, and nobody starts it again. */
	copy_comm(head->comm, task);
}

/* @words of 8 bytes, between memory that the verifier knows. */
static __always_inline void copy_words(void *to, const void *from, int words)
{
	volatile __u64 *out = to;
	const volatile __u64 *in = from;

	for (int i = 0; i < words; i++)
		out[i] = in[i];
}

/* What the program says of itself: the error that its user reads. */
static __always_inline void report_said(long id)
{
	const struct pt_regs *regs = user_regs();
	struct why_said *said;
	__u64 from, len;

	if (why_no_user_reads || regs->di != 2)
		return;
	from = regs->si;
	len = regs->dx;
	if (id == 20) { /* writev: its first piece, or its second if that is empty */
		struct iovec vec = {};

		if (!len || bpf_probe_read_user(&vec, sizeof(vec), (void *)from))
			return;
		if (!vec.iov_len && len > 1)
			bpf_probe_read_user(&vec, sizeof(vec), (void *)(from + sizeof(vec)));
		from = (__u64)vec.iov_base;
		len = vec.iov_len;
	}
	said = bpf_ringbuf_reserve(&why_events, sizeof(*said), 0);
	if (!said) {
		__sync_fetch_and_add(&why_lost, 1);
		return;
	}
	fill_head(&said->head, WHY_SAID);
	if (len > WHY_SAID_MAX)
		len = WHY_SAID_MAX;
	said->unused = 0;
	said->len = len;
	if (bpf_probe_read_user(said->bytes, len & (2 * WHY_SAID_MAX - 1) ?: 1, (void *)from))
		said->len = 0;
	bpf_ringbuf_submit(said, 0);
}

/* What is kept of the current task; NULL if it is not traced, or there is no room. */
static __always_inline struct why_task *traced_task(void)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct why_task *task;

	if (!is_traced())
		return NULL;
	task = bpf_map_lookup_elem(&why_tasks, &tid);
	if (task)
		return task;
	bpf_map_update_elem(&why_tasks, &tid, &why_no_task, BPF_NOEXIST);
	task = bpf_map_lookup_elem(&why_tasks, &tid);
	if (!task)
		__sync_fetch_and_add(&why_task_lost, 1);
	return task;
}

static __always_inline void begin_call(struct why_task *task)
{
	task->entered = 0;
	task->calls++;
	task->hits = 0;
	task->ends = 0;
#pragma clang loop unroll(full)
	for (int i = 0; i < EVICTED_WORDS; i++)
		task->evicted[i] = 0;
#pragma clang loop unroll(full)
	for (int i = 0; i < WHY_HITS_MAX; i++)
		task->hit[i].hit.order = 0;
	task->begin_ns = bpf_ktime_get_ns();
	task->in_call = 1;
}

SEC("?raw_tp/sys_enter")
int why_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct why_task *task = traced_task();
	long id = ctx->args[1];

	if (!task)
		return 0;
	/* Its number is of another table: it is counted at its end, and no more. */
	if (in_compat_syscall()) {
		task->in_call = 0;
		return 0;
	}
	begin_call(task);
	task->sigreturn = id == SYS_RT_SIGRETURN;
	if (id == 1 || id == 20)
		report_said(id);
	return 0;
}

static __always_inline void read_blob(struct syscall_event *call, const struct syscall_read *read,
				      int i)
{
	struct syscall_blob *blob = &call->blobs[i];
	__u64 from = call->args[i], len = read->max;
	long got;

	blob->len = 0;
	blob->status = SYSCALL_BLOB_NONE;
	blob->unused = 0;
	if (why_no_user_reads || read->kind == SYSCALL_READ_NONE || !from)
		return;
	if (len > SYSCALL_BYTES_MAX)
		len = SYSCALL_BYTES_MAX;
	if (read->kind == SYSCALL_READ_STRING) {
		char last = 0;

		got = bpf_probe_read_user_str(call->bytes[i], len, (void *)from);
		if (got <= 0) {
			blob->status = SYSCALL_BLOB_FAULT;
			return;
		}
		blob->len = got - 1;
		blob->status = SYSCALL_BLOB_READ;
		if (got == len && (bpf_probe_read_user(&last, 1, (void *)(from + len - 1)) || last))
			blob->status = SYSCALL_BLOB_CUT;
		return;
	}
	blob->status = SYSCALL_BLOB_READ;
	if (read->kind == SYSCALL_READ_COUNTED) {
		__u64 arg = read->len_arg, count;

		/* The compiler may test a copy: the verifier has to see this one bounded. */
		barrier_var(arg);
		if (arg >= SYSCALL_ARGS)
			return;
		count = (call->args[arg] & 0xffffffff) * read->unit;
		if (count > len)
			blob->status = SYSCALL_BLOB_CUT;
		else
			len = count;
	}
	if (!len)
		return;
	if (bpf_probe_read_user(call->bytes[i], len & (2 * SYSCALL_BYTES_MAX - 1), (void *)from)) {
		blob->status = SYSCALL_BLOB_FAULT;
		return;
	}
	blob->len = len;
}

static __always_inline void fill_call(struct syscall_event *call)
{
	const struct pt_regs *regs = user_regs();
	const struct syscall_read_plan *plan;
	__u32 nr;

	call->args[0] = regs->di;
	call->args[1] = regs->si;
	call->args[2] = regs->dx;
	call->args[3] = regs->r10;
	call->args[4] = regs->r8;
	call->args[5] = regs->r9;
	nr = call->nr = regs->orig_ax;
	call->unused = 0;
	plan = bpf_map_lookup_elem(&why_plans, &nr);
	if (!plan) {
#pragma clang loop unroll(full)
		for (int i = 0; i < SYSCALL_ARGS; i++)
			call->blobs[i] = (struct syscall_blob){};
		return;
	}
#pragma clang loop unroll(full)
	for (int i = 0; i < SYSCALL_ARGS; i++)
		read_blob(call, &plan->args[i], i);
}

static __always_inline void note_evicted(struct why_task *task, __u32 err)
{
	task->evicted[err >> 6 & (EVICTED_WORDS - 1)] |= 1ull << (err & 63);
}

static __always_inline bool was_evicted(const struct why_task *task, __u32 err)
{
	return task->evicted[err >> 6 & (EVICTED_WORDS - 1)] >> (err & 63) & 1;
}

/* The sites of this errno, before the call that they are of. False: some are not told. */
static __always_inline bool report_hits(struct why_task *task, __u32 err, __u64 seq)
{
	for (int i = 0; i < WHY_HITS_MAX; i++) {
		struct why_hit_of *event = &task->hit[i];

		if (!event->hit.order || event->hit.err != err)
			continue;
		fill_head(&event->head, WHY_HIT);
		event->of = seq;
		if (bpf_ringbuf_output(&why_events, event, sizeof(*event), 0)) {
			__sync_fetch_and_add(&why_lost, 1);
			return false;
		}
	}
	return !was_evicted(task, err);
}

/* @extack: a struct netlink_ext_ack of the kernel, or NULL */
static __always_inline void report(struct why_task *task, enum why_via via, __u32 err, __s64 result,
				   const struct netlink_ext_ack *extack)
{
	__u64 seq = __sync_fetch_and_add(&why_seq, 1);
	struct why_failed *failed = &task->failed;

	/* The ring buffer hands out events in the order in which they were reserved. */
	failed->hits_lost = !report_hits(task, err, seq);
	fill_head(&failed->head, WHY_FAILED);
	failed->head.seq = seq;
	failed->begin_ns = task->begin_ns;
	failed->via = via;
	failed->err = err;
	failed->hits = task->hits;
	failed->entered = task->entered;
	failed->refused = task->refused;
	failed->signal = task->signal;
	failed->restarts = task->restarts;
	failed->result = result;
	failed->text[0] = 0;
	if (extack) {
		const char *text = BPF_CORE_READ(extack, _msg);

		if (text)
			bpf_probe_read_kernel_str(failed->text, sizeof(failed->text), text);
	}
	fill_call(&failed->call);
	/* One helper: the verifier would follow each step of a loop over so many words. */
	if (bpf_ringbuf_output(&why_events, failed, why_failed_bytes(task->entered), 0))
		__sync_fetch_and_add(&why_lost, 1);
}

/*
 * The kernel's own, which ask for a call to be begun again: they become EINTR, or none
 * (arch/x86/kernel/signal.c, handle_signal()). Others, as ENOTSUPP, are returned as they are.
 */
static __always_inline bool is_kernels_own(__s64 ret)
{
	return ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
	       ret == -ERESTART_RESTARTBLOCK;
}

/* Is it an error that the program gets to see? */
static __always_inline bool is_error(__s64 ret)
{
	return ret < 0 && ret >= -4095 && !is_kernels_own(ret);
}

/*
 * What it "returns" is the interrupted code's RAX; restore_sigcontext() leaves no number. A tracer
 * that skips a call does so, too: where its beginning was seen, that tells.
 */
static __always_inline bool is_sigreturn(const struct why_task *task)
{
	return user_regs()->orig_ax == (__u64)-1 && (why_no_enter || task->sigreturn);
}

/*
 * A task that was seen to begin a call before ends one that it did not: seccomp comes before
 * sys_enter. So does a tracer that skips a call: it leaves no number, or, with PTRACE_SYSEMU, the
 * task has no filter.
 */
static __always_inline bool was_refused(const struct why_task *task, __s64 ret)
{
	return !why_no_enter && task->calls && is_error(ret) && user_regs()->orig_ax != (__u64)-1 &&
	       bpf_get_current_task_btf()->seccomp.mode;
}

SEC("?raw_tp/sys_exit")
int why_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	long ret = ctx->args[1];
	struct why_task *task = current_task();

	if (task)
		task->interrupted = task->in_call && is_kernels_own(ret) && !in_compat_syscall();
	if (task && in_compat_syscall()) {
		task->in_call = 0;
		__sync_fetch_and_add(&why_compat, is_error(ret));
	} else if (task && task->in_call) {
		/* What an interrupt completes from here on is not this call's. */
		task->in_call = 0;
		if ((is_error(ret) && !is_sigreturn(task)) || task->ends)
			report(task, WHY_VIA_SYSCALL, is_error(ret) ? -ret : 0, ret, NULL);
	} else if (task && was_refused(task, ret)) {
		begin_call(task);
		task->in_call = 0;
		task->refused = 1;
		report(task, WHY_VIA_SYSCALL, -ret, ret, NULL);
		task->refused = 0;
	}
	if (why_no_enter) {
		task = traced_task();
		if (task)
			begin_call(task);
	}
	return 0;
}

/*
 * trace_signal_deliver(sig, info, ka): a call that a signal has ended returned one of the kernel's
 * own errors before; what becomes of it is decided here (arch/x86/kernel/signal.c,
 * handle_signal()). Without a handler the call is begun again, or the process ends. Without the
 * number of a system call (orig_ax is -1) RAX belongs to the program that was interrupted.
 */
SEC("?raw_tp/signal_deliver")
int why_interrupted(struct bpf_raw_tracepoint_args *ctx)
{
	const struct k_sigaction *action = (const void *)ctx->args[2];
	struct why_task *task = current_task();
	__s64 ret = user_regs()->ax;

	if (!task || !task->interrupted || user_regs()->orig_ax == (__u64)-1 ||
	    !is_kernels_own(ret) || ret == -ERESTARTNOINTR ||
	    (__u64)BPF_CORE_READ(action, sa.sa_handler) <= HANDLER_IGNORES)
		return 0;
	task->interrupted = 0;
	if (ret == -ERESTARTSYS && BPF_CORE_READ(action, sa.sa_flags) & SA_RESTART)
		return 0;
	task->restarts = ret == -ERESTARTSYS;
	task->signal = ctx->args[0];
	report(task, WHY_VIA_SYSCALL, EINTR, -EINTR, NULL);
	task->signal = task->restarts = 0;
	return 0;
}

/*
 * trace_console(text, len): the kernel's log gets a line, in the context of who called printk(). An
 * interrupt that comes in while the call runs looks the same.
 */
SEC("?raw_tp/console")
int why_logged(struct bpf_raw_tracepoint_args *ctx)
{
	struct why_task *task = current_task();
	struct why_said *said;
	__u64 len = ctx->args[1];

	if (!task || !task->in_call)
		return 0;
	said = bpf_ringbuf_reserve(&why_events, sizeof(*said), 0);
	if (!said) {
		__sync_fetch_and_add(&why_lost, 1);
		return 0;
	}
	fill_head(&said->head, WHY_LOGGED);
	if (len > WHY_SAID_MAX)
		len = WHY_SAID_MAX;
	said->unused = 0;
	said->len = len;
	if (bpf_probe_read_kernel(said->bytes, len & (2 * WHY_SAID_MAX - 1) ?: 1,
				  (void *)ctx->args[0]))
		said->len = 0;
	bpf_ringbuf_submit(said, 0);
	return 0;
}

/* netlink_ack(in_skb, nlh, err, extack): the answer of a request that was sent with success. */
SEC("?kprobe")
int why_netlink(struct pt_regs *ctx)
{
	struct why_task *task = current_task();
	__s32 err = ctx->dx;

	if (task && task->in_call && is_error(err))
		report(task, WHY_VIA_NETLINK, -err, err, (const struct netlink_ext_ack *)ctx->cx);
	return 0;
}

/* io_uring_complete(ctx, req, user_data, res, cflags, ...) */
SEC("?raw_tp/io_uring_complete")
int why_io_uring(struct bpf_raw_tracepoint_args *ctx)
{
	struct why_task *task = current_task();
	__s32 res = ctx->args[3];

	if (task && task->in_call && is_error(res))
		report(task, WHY_VIA_IO_URING, -res, res, NULL);
	return 0;
}

/*
 * Was the function entered in this call before? Loops would push out what is not in them. Of more
 * functions in one set than it has ways, some are told again.
 */
static __always_inline bool seen_before(struct why_task *task, __u32 low)
{
	__u32 set = (low >> 4 ^ low >> 12 ^ low >> 20) & (SEEN_SETS - 1),
	      free = low >> 4 & (SEEN_WAYS - 1);
	__u64 entry = (__u64)task->calls << 32 | low;

#pragma clang loop unroll(full)
	for (__u32 way = 0; way < SEEN_WAYS; way++) {
		__u64 has = task->seen[set * SEEN_WAYS + way];

		if (has == entry)
			return true;
		if (has >> 32 != task->calls)
			free = way;
	}
	task->seen[(set * SEEN_WAYS + free) & (SEEN_SETS * SEEN_WAYS - 1)] = entry;
	return false;
}

/* The order of entries within the call; what is older than WHY_FUNCS_MAX is overwritten. */
static __always_inline int on_function(__u64 ip)
{
	struct why_task *task = current_task();

	if (!task || !task->in_call || seen_before(task, ip))
		return 0;
	task->failed.funcs[task->entered++ & (WHY_FUNCS_MAX - 1)] = ip;
	return 0;
}

SEC("?kprobe.multi")
int why_function(struct pt_regs *ctx)
{
	return on_function(bpf_get_func_ip(ctx));
}

/*
 * The hit of this site that is there, or the oldest, which is overwritten; those of other errnos
 * count as older. Its number goes through memory: of a variable the verifier knows the value, and
 * follows all that comes behind it once for each.
 */
static __always_inline struct why_hit *hit_slot(struct why_task *task, __u32 site, __u32 err)
{
	__u32 oldest = ~0;

	task->slot = 0;
	for (int i = 0; i < WHY_HITS_MAX; i++) {
		__u32 order = task->hit[i].hit.order;

		if (order && task->hit[i].hit.site == site) {
			task->slot = i;
			break;
		}
		if (order && task->hit[i].hit.err == err)
			order |= 1u << 31;
		if (order < oldest) {
			oldest = order;
			task->slot = i;
		}
	}
	return &task->hit[*(volatile __u32 *)&task->slot & (WHY_HITS_MAX - 1)].hit;
}

/*
 * Cookie: bits 31:0 the site, 47:32 its errno, 55:48 a register's place in struct pt_regs, and one:
 * an AND leaves an errno only if the SBB before it has set that register to all ones.
 */
static __always_inline bool makes_errno(const struct why_task *task, __u64 cookie)
{
	__u32 reg = cookie >> 48 & 0xff;

	return !reg || (__u32)task->regs.at[(reg - 1) & 31] == ~0u;
}

/* @task->regs holds the registers. NULL: no errno is made now. */
static __always_inline struct why_hit *on_site(struct why_task *task, __u64 cookie, __u64 ip)
{
	__u32 err = cookie >> 32 & 0xffff;
	struct why_hit *hit;

	if (!makes_errno(task, cookie))
		return NULL;
	hit = hit_slot(task, (__u32)cookie, err);
	if (hit->order && hit->site != (__u32)cookie)
		note_evicted(task, hit->err);
	hit->order = ++task->hits;
	hit->ip = ip;
	hit->site = cookie;
	hit->err = err;
	hit->frames = 0;
	hit->hw = 0;
#pragma clang loop unroll(full)
	for (int i = 0; i < RECORD_REGS; i++)
		hit->regs[i] = task->regs.at[i];
	read_values(&task->regs, hit);
	return hit;
}

static __always_inline void hit_stack(struct why_hit *hit, void *ctx)
{
	long bytes = bpf_get_stack(ctx, hit->stack, sizeof(hit->stack), 0);

	if (bytes > 0)
		hit->frames = bytes / sizeof(hit->stack[0]);
}

/* @regs: struct pt_regs of a context; unrolled, since the verifier wants constant offsets there */
static __always_inline void copy_regs(__u64 *to, const void *regs)
{
	const volatile __u64 *from = regs;

#pragma clang loop unroll(full)
	for (int i = 0; i < RECORD_REGS; i++)
		to[i] = from[i];
}

/* The word at the stack pointer; 0: it cannot be read. */
static __always_inline __u64 top_of_stack(__u64 sp)
{
	__u64 top;

	return bpf_probe_read_kernel(&top, sizeof(top), (const void *)sp) ? 0 : top;
}

SEC("?kprobe")
int why_site_kprobe(struct pt_regs *ctx)
{
	struct why_task *task = current_task();
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct why_hit *hit;

	if (!task || !task->in_call)
		return 0;
	copy_regs(task->regs.at, ctx);
	hit = on_site(task, cookie, ctx->ip);
	if (hit)
		hit_stack(hit, ctx);
	return 0;
}

static __always_inline int on_breakpoint(struct bpf_perf_event_data *ctx,
					 const struct capture_slot *slot)
{
	struct why_task *task = current_task();
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct why_hit *hit;

	if (!task || !task->in_call)
		return 0;
	copy_regs(task->regs.at, &ctx->regs);
	hit = on_site(task, cookie, ctx->regs.ip);
	if (!hit)
		return 0;
	hit_stack(hit, ctx);
	if (slot) {
		copy_words(&hit->rec, &slot->rec, sizeof(hit->rec) / 8);
		hit->hw = 1;
	}
	return 0;
}

/* With an LBR: the snapshot first, see hw.bpf.c. */
SEC("?perf_event")
int why_site_lbr(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_try();

	if (!slot || describe(&slot->rec, TRIGGER_HW, (__u32)bpf_get_attach_cookie(ctx),
			      ctx->regs.ip, -(__s64)(bpf_get_attach_cookie(ctx) >> 32 & 0xffff)))
		on_breakpoint(ctx, slot);
	if (slot)
		slot_release(slot);
	return 0;
}

SEC("?perf_event")
int why_site_hw(struct bpf_perf_event_data *ctx)
{
	return on_breakpoint(ctx, NULL);
}

/* The entry code stores it as the result, until the call has one (arch/x86/entry/entry_64.S). */
#define ENOSYS 38

/*
 * Is it in the call itself? Interrupts have stacks of their own; an exception that a task makes is
 * on the task's. What the call before executed behind its end is none of this one's, and no page
 * fault between the two is.
 */
static __always_inline bool is_in_call(const struct why_task *task, __u64 sp)
{
	return task && task->in_call && on_own_stack(sp) && user_regs()->ax == (__u64)-ENOSYS;
}

static __always_inline void count_in(__u64 *hits)
{
	if (!own_pid || bpf_get_current_pid_tgid() >> 32 != own_pid)
		__sync_fetch_and_add(hits, 1);
}

/*
 * On the way to the error: every hit is told, since only all of them, counted back from the error,
 * say which one is which.
 */
SEC("?perf_event")
int why_point(struct bpf_perf_event_data *ctx)
{
	struct capture_slot *slot = snapshot_try();
	struct why_task *task = current_task();
	struct why_point *point;

	count_in(&why_point_hits);
	if (!slot) {
		if (task)
			__sync_fetch_and_add(&why_lost, 1);
		return 0;
	}
	if (!is_in_call(task, ctx->regs.sp)) {
		if (is_traced())
			__sync_fetch_and_add(&why_points_outside, 1);
		slot_release(slot);
		return 0;
	}
	if (!describe(&slot->rec, TRIGGER_HW, 0, ctx->regs.ip, 0)) {
		slot_release(slot);
		return 0;
	}
#pragma clang loop unroll(full)
	for (int i = 0; i < WHY_ENDS_MAX; i++)
		task->ends += why_ends[i] == ctx->regs.ip;
	point = bpf_ringbuf_reserve(&why_events, sizeof(*point), 0);
	if (!point) {
		__sync_fetch_and_add(&why_lost, 1);
		slot_release(slot);
		return 0;
	}
	fill_head(&point->head, WHY_POINT);
	point->ip = ctx->regs.ip;
	point->call = task->calls;
	point->count = slot->rec.count;
	copy_regs(point->regs, &ctx->regs);
	point->top = top_of_stack(ctx->regs.sp);
	for (int i = 0; i < RECORD_BRANCHES_MAX; i++) {
		point->branches[i].from = slot->rec.branches[i].from;
		point->branches[i].to = slot->rec.branches[i].to;
	}
	/* A reader that is woken is an interrupt, and a task that may be preempted: another path.
	 */
	bpf_ringbuf_submit(point, BPF_RB_NO_WAKEUP);
	slot_release(slot);
	return 0;
}

/*
 * Which way the call goes, told at each place where it can part. No branches: what a kprobe
 * executes fills the LBR. Its cookie is its address.
 */
SEC("?kprobe")
int why_passed(struct pt_regs *ctx)
{
	struct why_task *task = current_task();
	struct why_passed *passed;

	count_in(&why_passed_hits);
	if (!is_in_call(task, ctx->sp) || user_regs()->orig_ax != why_passed_nr)
		return 0;
	passed = bpf_ringbuf_reserve(&why_events, sizeof(*passed), 0);
	if (!passed) {
		__sync_fetch_and_add(&why_lost, 1);
		return 0;
	}
	fill_head(&passed->head, WHY_PASSED);
	passed->ip = bpf_get_attach_cookie(ctx);
	passed->call = task->calls;
	passed->unused = 0;
	copy_regs(passed->regs, ctx);
	passed->top = top_of_stack(ctx->sp);
	bpf_ringbuf_submit(passed, BPF_RB_NO_WAKEUP);
	return 0;
}

/* As a point is told, with registers and without branches: no debug register is needed. */
SEC("?kprobe")
int why_point_kprobe(struct pt_regs *ctx)
{
	struct why_task *task = current_task();
	struct why_point *point;

	count_in(&why_passed_hits);
	if (!is_in_call(task, ctx->sp))
		return 0;
	point = bpf_ringbuf_reserve(&why_events, sizeof(*point), 0);
	if (!point) {
		__sync_fetch_and_add(&why_lost, 1);
		return 0;
	}
	fill_head(&point->head, WHY_POINT);
	point->ip = bpf_get_attach_cookie(ctx);
	point->call = task->calls;
	point->count = 0;
	copy_regs(point->regs, ctx);
	point->top = top_of_stack(ctx->sp);
	/* Of a kprobe it is behind the breakpoint instruction. */
	point->regs[__builtin_offsetof(struct pt_regs, ip) / 8] = point->ip;
#pragma clang loop unroll(full)
	for (int i = 0; i < WHY_ENDS_MAX; i++)
		task->ends += why_ends[i] == point->ip;
	bpf_ringbuf_submit(point, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline void report_plain(enum why_event_kind kind, __u32 code)
{
	struct why_exited *event = bpf_ringbuf_reserve(&why_events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&why_lost, 1);
		return;
	}
	fill_head(&event->head, kind);
	event->code = code;
	event->unused = 0;
	bpf_ringbuf_submit(event, 0);
}

static __always_inline int on_fork(__u32 to)
{
	__u32 from = bpf_get_current_pid_tgid() >> 32, one = 1;

	if (from != to && bpf_map_lookup_elem(&why_traced, &from) &&
	    bpf_map_update_elem(&why_traced, &to, &one, BPF_ANY))
		__sync_fetch_and_add(&why_process_lost, 1);
	return 0;
}

/* sched_process_fork(parent, child), in the context of the parent */
SEC("?raw_tp/sched_process_fork")
int why_fork(struct bpf_raw_tracepoint_args *ctx)
{
	return on_fork(BPF_CORE_READ((struct task_struct *)ctx->args[1], tgid));
}

/* The same under lockdown; elsewhere a policy may refuse programs of its type. */
SEC("?tp_btf/sched_process_fork")
int why_fork_typed(__u64 *ctx)
{
	return on_fork(((struct task_struct *)ctx[1])->tgid);
}

SEC("?raw_tp/sched_process_exec")
int why_exec(struct bpf_raw_tracepoint_args *ctx)
{
	if (is_traced())
		report_plain(WHY_EXEC, 0);
	return 0;
}

/* sched_process_exit(task) */
SEC("?raw_tp/sched_process_exit")
int why_task_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = bpf_get_current_pid_tgid(), tgid = bpf_get_current_pid_tgid() >> 32;

	/* Its name may be another one now: what it was followed under takes room all the same. */
	bpf_map_delete_elem(&why_tasks, &tid);
	if (!is_traced())
		return 0;
	/* The count of threads that live was taken down before: kernel/exit.c, do_exit(). */
	if (task->signal->live.counter)
		return 0;
	report_plain(WHY_EXITED, task->exit_code);
	bpf_map_delete_elem(&why_traced, &tgid);
	return 0;
}
