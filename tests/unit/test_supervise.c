// SPDX-License-Identifier: GPL-2.0
/* Work in a process of its own: the user's signals reach it, and how it ended is told from them. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/cmd.h"
#include "cmd/trace/supervise.h"

static volatile uint64_t *begun;

static int stop_when_told(void *ctx, volatile uint64_t *beat)
{
	(void)ctx;
	(void)beat;
	*begun = 1;
	while (!stop_requested)
		usleep(1000);
	return 7;
}

static int never_stop(void *ctx, volatile uint64_t *beat)
{
	(void)ctx;
	(void)beat;
	*begun = 1;
	while (*begun)
		pause();
	return 0;
}

static int end_by(void *ctx, volatile uint64_t *beat)
{
	(void)beat;
	kill(getpid(), *(int *)ctx);
	return 0;
}

/* As a command does it, with signals sent to it alone; its result as it is, 100 above -errno. */
static int result_of(supervised_fn *fn, bool again)
{
	pid_t pid;
	int status;

	*begun = 0;
	pid = fork();
	if (!pid) {
		install_stop_handlers();
		status = supervise(fn, NULL);
		_exit(status < 0 ? 100 - status : status);
	}
	while (!*begun)
		usleep(1000);
	kill(pid, SIGTERM);
	/* Two that come at once are one. */
	while (again && !waitpid(pid, &status, WNOHANG)) {
		usleep(50000);
		kill(pid, SIGTERM);
	}
	if (!again)
		assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void supervise_passes_a_signal_on(void **state)
{
	(void)state;
	/* At any moment between two looks at the child. */
	for (int i = 0; i < 20; i++)
		assert_int_equal(result_of(stop_when_told, false), 7);
}

static void supervise_second_signal_ends_the_child(void **state)
{
	(void)state;
	assert_int_equal(result_of(never_stop, true), 100 + EINTR);
}

static void supervise_tells_a_crash_from_a_kill(void **state)
{
	int segv = SIGSEGV, killed = SIGKILL;

	(void)state;
	assert_int_equal(supervise(end_by, &segv), -EFAULT);
	assert_int_equal(supervise(end_by, &killed), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(supervise_passes_a_signal_on),
		cmocka_unit_test(supervise_second_signal_ends_the_child),
		cmocka_unit_test(supervise_tells_a_crash_from_a_kill),
	};

	begun = mmap(NULL, sizeof(*begun), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (begun == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
