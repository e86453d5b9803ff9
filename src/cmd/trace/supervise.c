// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"

static int child(supervised_fn *fn, void *ctx, volatile uint64_t *beat)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Sanitizers would print their own report, and exit. */
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	return fn(ctx, beat);
}

/* Seconds of processor time that a process has used; 0 if that is not known. */
static uint64_t cpu_seconds(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used)
		       ? 0
		       : (uint64_t)used.tv_sec;
}

static int result_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Not by itself: the user's second signal, or the OOM killer. */
	if (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)
		return stop_requested ? -EINTR : -ENOMEM;
	return -EFAULT;
}

static int wait_for(pid_t pid, const volatile uint64_t *beat, sigset_t *child_ends)
{
	const struct timespec look = {.tv_sec = 1};
	uint64_t last_beat = 0, since = 0;
	int status, told = 0;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return result_of(status);
		if (got < 0 && errno != EINTR)
			return -errno;
		sigtimedwait(child_ends, NULL, &look);
		/* It has a handler, as we have; wherever the signal has come. */
		if (stop_requested > told)
			kill(pid, stop_requested > 1 ? SIGKILL : SIGTERM);
		told = stop_requested;
		if (*beat != last_beat) {
			last_beat = *beat;
			since = cpu_seconds(pid);
		}
		if (cpu_seconds(pid) - since < SUPERVISE_CPU_SECONDS)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -ETIMEDOUT;
	}
}

int supervise(supervised_fn *fn, void *ctx)
{
	volatile uint64_t *beat = mmap(NULL, sizeof(*beat), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigset_t child_ends, before;
	pid_t pid;
	int status;

	if (beat == MAP_FAILED)
		return -errno;
	sigemptyset(&child_ends);
	sigaddset(&child_ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ends, &before);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		status = child(fn, ctx, beat);
		fflush(NULL);
		_exit(status);
	}
	status = wait_for(pid, beat, &child_ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	munmap((void *)beat, sizeof(*beat));
	return status;
}
