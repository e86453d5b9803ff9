// SPDX-License-Identifier: GPL-2.0
#include "capture/multi.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"
#include "lbrsnoop.skel.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/errno_name.h"

#define LEAVE_NS    200000000ull /* who asks us to end waits no longer than that */
#define NO_MULTI    "this kernel has no kprobe.multi (Linux 5.19 with CONFIG_FPROBE)"
#define LOOK_MS	    5
#define STACK_BYTES (64u << 10)

/**
 * struct worker - the process that makes the slow system calls, which no signal ends
 *
 * It shares our memory and our files: if we end at any time, it is killed, and the links go when
 * its system call has ended.
 * @pid: of it
 * @parent: ours
 * @asks, @answers: pipes, a byte for each step
 * @prog_fd: what is attached
 * @addrs: of the functions' entries, @functions of them; 0: the kernel refuses it
 * @cookies: their places in the list of probes, and MULTI_COOKIE_S64
 * @fds: of the links, @count of them
 * @err: what ended it
 * @refused_err: why the kernel has refused one
 */
struct worker {
	pid_t pid;
	pid_t parent;
	int asks[2];
	int answers[2];
	int prog_fd;
	uint64_t *addrs;
	__u64 *cookies;
	size_t functions;
	int fds[MULTI_LINKS_MAX];
	size_t count;
	int err;
	int refused_err;
	uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
};

int multi_check(struct errmsg *msg)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const char *no_function = "lbrsnoop::no_function";
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, link, .kprobe_multi.syms = &no_function,
		    .kprobe_multi.cnt = 1);
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "multi_check", "GPL", nothing,
					       ARRAY_SIZE(nothing), &load);
	int err;

	if (fd < 0)
		return errmsg_set(msg, -errno, "kprobe.multi: %s", strerror(errno));
	/* Linux 5.19 and later look for the function. Before, and without fprobe, nobody does. */
	err = bpf_link_create(fd, 0, BPF_TRACE_KPROBE_MULTI, &link);
	if (err == -ESRCH || err == -ENOENT)
		return 0;
	if (err >= 0)
		close(err);
	if (err == -EPERM)
		return errmsg_set(msg, err, "kprobe.multi: %s", strerror(-err));
	return errmsg_set(msg, -EOPNOTSUPP, NO_MULTI);
}

void multi_select(struct lbrsnoop_bpf *skel, const struct probe_list *probes)
{
	bool any = false;

	for (size_t i = 0; i < probes->count; i++)
		any = any || probes->items[i].trigger.kind == TRIGGER_MULTI;
	bpf_program__set_autoload(skel->progs.multi_sys_exit, any);
	bpf_program__set_autoload(skel->progs.multi_task_exit, any);
	/* Megabytes that nobody else needs. */
	bpf_map__set_autocreate(skel->maps.multi_tasks, any);
}

/*
 * In the worker: no memory is allocated there, another thread may have held the lock. The kernel
 * refuses all functions for one that its tracer does not know: then each half is tried alone.
 */
static void arm_range(struct worker *worker, size_t first, size_t count)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.flags = BPF_F_KPROBE_MULTI_RETURN,
		    .kprobe_multi.addrs = worker->addrs + first,
		    .kprobe_multi.cookies = worker->cookies + first, .kprobe_multi.cnt = count);
	int fd;

	if (!count || worker->err)
		return;
	if (worker->count == MULTI_LINKS_MAX) {
		worker->err = -E2BIG;
		return;
	}
	fd = bpf_link_create(worker->prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	if (fd >= 0) {
		worker->fds[worker->count++] = fd;
		return;
	}
	worker->refused_err = fd;
	if (fd == -EOPNOTSUPP || fd == -EPERM || fd == -ENOMEM) {
		worker->err = fd;
	} else if (count == 1) {
		worker->addrs[first] = 0;
	} else {
		arm_range(worker, first, count / 2);
		arm_range(worker, first + count / 2, count - count / 2);
	}
}

/* False: there is nobody any more who asks. */
static bool next_step(struct worker *worker)
{
	char step;

	return syscall(SYS_read, worker->asks[0], &step, 1) == 1;
}

static void step_done(struct worker *worker)
{
	char step = 0;

	/* A pipe that is nearly empty takes a byte. */
	if (syscall(SYS_write, worker->answers[1], &step, 1) != 1)
		worker->err = -EPIPE;
}

/*
 * The last step: whoever closes the last file of a link disarms it. So there are two of each now,
 * the others are closed first. Who reads our output must not wait for this process.
 */
static int work(void *arg)
{
	struct worker *worker = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (syscall(SYS_getppid) != worker->parent)
		return 1;
	arm_range(worker, 0, worker->functions);
	step_done(worker);
	if (!next_step(worker) || unshare(CLONE_FILES))
		return 1;
	close_range(0, 2, 0);
	step_done(worker);
	if (!next_step(worker))
		return 1;
	for (size_t i = 0; i < worker->count; i++)
		close(worker->fds[i]);
	return 0;
}

/* Signals stay blocked there: they are for the process that waits. */
static int start_worker(struct worker *worker)
{
	sigset_t all, before;
	int err = 0;

	worker->parent = getpid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	worker->pid = clone(work, worker->stack + sizeof(worker->stack),
			    CLONE_VM | CLONE_FILES | SIGCHLD, worker);
	if (worker->pid < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

/*
 * Waits for a step of the worker; once @stop counts a signal, not for long.
 * Return: 0; -ETIMEDOUT; -ESRCH if the worker has ended.
 */
static int wait_for_step(struct worker *worker, const volatile sig_atomic_t *stop)
{
	struct pollfd answers = {.fd = worker->answers[0], .events = POLLIN};
	uint64_t leave_ns = 0;
	char step;

	for (;;) {
		if (poll(&answers, 1, LOOK_MS) > 0 && read(answers.fd, &step, 1) == 1)
			return 0;
		if (waitpid(worker->pid, NULL, WNOHANG) > 0)
			return -ESRCH;
		if (stop && *stop && !leave_ns)
			leave_ns = clock_ns(CLOCK_MONOTONIC) + LEAVE_NS;
		if (leave_ns && clock_ns(CLOCK_MONOTONIC) >= leave_ns)
			return -ETIMEDOUT;
	}
}

/* Not while it works: it uses this memory. */
static void free_worker(struct worker *worker)
{
	int *fds[] = {&worker->asks[0], &worker->asks[1], &worker->answers[0], &worker->answers[1]};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	free(worker->addrs);
	free(worker->cookies);
	free(worker);
}

/* Return: NULL without memory or files. */
static struct worker *make_worker(struct lbrsnoop_bpf *skel, const struct probe_list *probes)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	worker->asks[0] = worker->asks[1] = worker->answers[0] = worker->answers[1] = -1;
	worker->addrs = calloc(probes->count, sizeof(*worker->addrs));
	worker->cookies = calloc(probes->count, sizeof(*worker->cookies));
	if (!worker->addrs || !worker->cookies || pipe2(worker->asks, O_CLOEXEC) ||
	    pipe2(worker->answers, O_CLOEXEC)) {
		free_worker(worker);
		return NULL;
	}
	worker->prog_fd = bpf_program__fd(skel->progs.multi_return);
	for (size_t i = 0; i < probes->count; i++) {
		const struct probe *probe = &probes->items[i];

		if (probe->trigger.kind != TRIGGER_MULTI)
			continue;
		worker->addrs[worker->functions] = probe->trigger.addr;
		worker->cookies[worker->functions++] =
			i | (probe->ret == RETURN_S64 ? MULTI_COOKIE_S64 : 0);
	}
	return worker;
}

static void take_result(const struct worker *worker, struct probe_list *probes, struct multi *multi)
{
	for (size_t i = 0; i < worker->functions; i++) {
		if (worker->addrs[i]) {
			multi->functions++;
			continue;
		}
		multi->refused++;
		probes->items[(uint32_t)worker->cookies[i]].trigger.kind = TRIGGER_NONE;
	}
}

static int attach_ends(struct lbrsnoop_bpf *skel, struct multi *multi, struct errmsg *msg)
{
	multi->sys_exit = bpf_program__attach(skel->progs.multi_sys_exit);
	if (multi->sys_exit)
		multi->task_exit = bpf_program__attach(skel->progs.multi_task_exit);
	if (multi->task_exit)
		return 0;
	return errmsg_set(msg, -errno, "raw tracepoints for kprobe.multi: %s", strerror(errno));
}

int multi_arm(struct lbrsnoop_bpf *skel, struct probe_list *probes, struct multi *multi,
	      struct errmsg *msg)
{
	struct worker *worker;
	int err;

	if (!bpf_program__autoload(skel->progs.multi_sys_exit))
		return 0;
	err = attach_ends(skel, multi, msg);
	if (err)
		return err;
	worker = make_worker(skel, probes);
	if (!worker)
		return errmsg_set(msg, -ENOMEM, "kprobe.multi: no memory, or no file is free");
	err = start_worker(worker);
	if (err) {
		free_worker(worker);
		return errmsg_set(msg, err, "kprobe.multi: %s", strerror(-err));
	}
	multi->worker = worker;
	err = wait_for_step(worker, NULL) ?: worker->err;
	take_result(worker, probes, multi);
	if (!err && !multi->functions)
		err = worker->refused_err;
	if (err == -EOPNOTSUPP)
		return errmsg_set(msg, err, NO_MULTI);
	if (err)
		errmsg_set(msg, err, "kprobe.multi on %zu functions: %s", worker->functions,
			   errno_text(-err));
	return err;
}

static bool ask(struct worker *worker)
{
	return write(worker->asks[1], "", 1) == 1;
}

/* 0; -ETIMEDOUT; -ESRCH if the worker has died: then our files were the last ones. */
static int end_worker(struct worker *worker, const volatile sig_atomic_t *stop)
{
	int err = ask(worker) ? wait_for_step(worker, stop) : -EPIPE;

	if (err == -ETIMEDOUT)
		return err;
	for (size_t i = 0; i < worker->count; i++)
		close(worker->fds[i]);
	if (!err && ask(worker))
		err = wait_for_step(worker, stop);
	return err;
}

bool multi_disarm(struct multi *multi, const volatile sig_atomic_t *stop)
{
	bool done = true;

	if (multi->worker)
		done = end_worker(multi->worker, stop) != -ETIMEDOUT;
	/* It uses this memory as long as it works. */
	if (multi->worker && done)
		free_worker(multi->worker);
	bpf_link__destroy(multi->sys_exit);
	bpf_link__destroy(multi->task_exit);
	*multi = (struct multi){};
	return done;
}
