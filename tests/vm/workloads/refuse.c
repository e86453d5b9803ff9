// SPDX-License-Identifier: GPL-2.0
/*
 * refuse WHAT COMMAND [ARGUMENT]... - run it as on a host that lacks something
 *
 *     tracing   a policy refuses BPF programs of type TRACING: EPERM
 *     kprobes   a kernel without CONFIG_KPROBES: no PMU of that name, no kprobe_events of tracefs,
 *               no event of that type, and no link to several of them
 *
 * The filter asks this process, which reads what the arguments point to. Exit status: COMMAND's.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static uint32_t kprobe_type;

/* refusal_fn: the negative errno that the kernel would say, or 0: it shall decide itself */
typedef int refusal_fn(pid_t pid, const struct seccomp_data *call);

static size_t peek(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	struct iovec ours = {buf, len};
	struct iovec theirs = {(void *)(uintptr_t)addr,
			       len}; /* NOLINT(performance-no-int-to-ptr) */
	ssize_t got = process_vm_readv(pid, &ours, 1, &theirs, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* A path ends before its page does, or goes on in the next one. */
static bool peek_path(pid_t pid, uint64_t addr, char path[4096])
{
	size_t len = 4096 - (addr & 4095);

	len = peek(pid, addr, path, len);
	if (len && !memchr(path, '\0', len))
		len += peek(pid, addr + len, path + len, 4095 - len);
	return len && memchr(path, '\0', len);
}

static int refuse_tracing(pid_t pid, const struct seccomp_data *call)
{
	uint32_t type;

	if (call->nr != __NR_bpf || call->args[0] != BPF_PROG_LOAD)
		return 0;
	if (peek(pid, call->args[1], &type, sizeof(type)) < sizeof(type))
		return 0;
	return type == BPF_PROG_TYPE_TRACING ? -EPERM : 0;
}

/* Of union bpf_attr, for BPF_LINK_CREATE: prog_fd, target_fd, attach_type. */
static int refuse_kprobes(pid_t pid, const struct seccomp_data *call)
{
	uint32_t words[3];
	char path[4096];

	switch (call->nr) {
	case __NR_bpf:
		if (call->args[0] != BPF_LINK_CREATE ||
		    peek(pid, call->args[1], words, sizeof(words)) < sizeof(words))
			return 0;
		return words[2] == BPF_TRACE_KPROBE_MULTI ? -EOPNOTSUPP : 0;
	case __NR_perf_event_open:
		if (peek(pid, call->args[0], words, sizeof(words)) < sizeof(words))
			return 0;
		return words[0] == kprobe_type ? -ENOENT : 0;
	case __NR_access:
		if (!peek_path(pid, call->args[0], path))
			return 0;
		break;
	default: /* openat and its like */
		if (!peek_path(pid, call->args[1], path))
			return 0;
	}
	return strstr(path, "/event_source/devices/kprobe") || strstr(path, "/kprobe_events")
		       ? -ENOENT
		       : 0;
}

static const struct refusal {
	const char *name;
	refusal_fn *of;
	uint32_t calls[6]; /* those that are looked at; 0 ends them */
} refusals[] = {
	{"tracing", refuse_tracing, {__NR_bpf}},
	{"kprobes",
	 refuse_kprobes,
	 {__NR_bpf, __NR_perf_event_open, __NR_openat, __NR_access, __NR_faccessat2,
	  __NR_newfstatat}},
};

static const struct refusal *refusal_find(const char *name)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (!strcmp(refusals[i].name, name))
			return &refusals[i];
	return NULL;
}

/* The listener, or -1. */
static int listen_to(const uint32_t calls[6])
{
	struct sock_filter filter[16] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog prog = {.len = 1, .filter = filter};

	for (int i = 0; i < 6 && calls[i]; i++) {
		filter[prog.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		filter[prog.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	filter[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &prog);
}

/* Until none is left that the filter is of. */
static void answer(int listener, refusal_fn *of)
{
	struct pollfd ready = {.fd = listener, .events = POLLIN};

	while (poll(&ready, 1, -1) > 0 && ready.revents & POLLIN) {
		struct seccomp_notif ask = {};
		struct seccomp_notif_resp said = {};

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask))
			continue; /* a signal has ended it */
		said.id = ask.id;
		said.error = of((pid_t)ask.pid, &ask.data);
		if (!said.error)
			said.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
	}
}

static uint32_t kprobe_type_read(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	unsigned type = UINT32_MAX; /* nobody's: this kernel has none itself */

	if (file && fscanf(file, "%u", &type) != 1)
		type = UINT32_MAX;
	if (file)
		fclose(file);
	return type;
}

/* The child waits for a byte before it goes on: its execve() is none of the calls. */
static void run(const struct refusal *refusal, int socket, char **argv)
{
	int listener = listen_to(refusal->calls);
	char byte;

	if (listener < 0 || write(socket, &listener, sizeof(listener)) != sizeof(listener) ||
	    read(socket, &byte, 1) != 1) {
		perror("refuse: seccomp");
		_exit(126);
	}
	close(listener);
	close(socket);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	const struct refusal *refusal = argc > 2 ? refusal_find(argv[1]) : NULL;
	int sockets[2], status, listener, of_child = -1;
	pid_t pid;

	if (!refusal || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		fprintf(stderr, "usage: refuse tracing|kprobes COMMAND [ARGUMENT]...\n");
		return 126;
	}
	kprobe_type = kprobe_type_read();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		run(refusal, sockets[1], argv + 2);
	}
	close(sockets[1]);
	if (pid < 0 || read(sockets[0], &of_child, sizeof(of_child)) != sizeof(of_child))
		return 126;
	listener = (int)syscall(__NR_pidfd_getfd, syscall(__NR_pidfd_open, pid, 0), of_child, 0);
	if (listener < 0 || write(sockets[0], "", 1) != 1) {
		perror("refuse: pidfd_getfd");
		return 126;
	}
	close(sockets[0]);
	answer(listener, refusal->of);
	if (waitpid(pid, &status, 0) != pid)
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
