// SPDX-License-Identifier: GPL-2.0
/* follow.bpf.c - a process that is followed has its children followed from the fork on */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "snapshot.bpf.h"
#include "state.bpf.h"

static __always_inline int on_fork(__u32 child)
{
	__u32 parent = bpf_get_current_pid_tgid() >> 32;
	__u8 yes = 1;

	if (child != parent && process_wanted(parent) &&
	    bpf_map_update_elem(&followed, &child, &yes, BPF_ANY))
		__sync_fetch_and_add(&losses.unfollowed, 1);
	return 0;
}

/* sched_process_fork(parent, child), in the context of the parent */
SEC("?raw_tp/sched_process_fork")
int follow_fork(struct bpf_raw_tracepoint_args *ctx)
{
	return on_fork(BPF_CORE_READ((struct task_struct *)ctx->args[1], tgid));
}

/* The same under lockdown; elsewhere a policy may refuse programs of its type. */
SEC("?tp_btf/sched_process_fork")
int follow_fork_typed(__u64 *ctx)
{
	return on_fork(((struct task_struct *)ctx[1])->tgid);
}

/* sched_process_exit(task) */
SEC("?raw_tp/sched_process_exit")
int follow_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	/* The count of threads that live was taken down before: kernel/exit.c, do_exit(). */
	if (!task->signal->live.counter)
		bpf_map_delete_elem(&followed, &tgid);
	return 0;
}
