// SPDX-License-Identifier: GPL-2.0
/* process.c - what every command needs of the process: signals, exit status */
#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/log.h"

/* Besides those that are asked for: of debug information, for example. */
#define OTHER_FILES 256

volatile sig_atomic_t stop_requested;
volatile sig_atomic_t stop_signal;
volatile sig_atomic_t stop_by_terminal;
volatile sig_atomic_t reopen_requested;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!stop_requested) {
		stop_by_terminal = info->si_code == SI_KERNEL;
		stop_signal = sig;
	}
	stop_requested++;
}

static void on_early_signal(int sig, siginfo_t *info, void *context)
{
	static const char text[] = "lbrsnoop: stopped before tracing began\n";

	(void)sig;
	(void)info;
	(void)context;
	if (log_get_level() > LOG_QUIET && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_ERROR);
	/* A process that arms has these files, too (capture/multi.c): whoever reads them must not
	 * wait for it.
	 */
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	_exit(EXIT_NONE);
}

static void on_hangup(int sig)
{
	(void)sig;
	reopen_requested = 1;
}

static void handle_stop(void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO}, old;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, so that we outlive the terminal. A service reloads from its start
	 * on. */
	if (sigaction(SIGHUP, NULL, &old) ||
	    (old.sa_handler != SIG_IGN && old.sa_handler != on_hangup))
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* A file at the limit (LimitFSIZE=) is an error of that file, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
}

void install_stop_handlers(void)
{
	handle_stop(on_signal, 0);
}

void install_reader_stop_handlers(void)
{
	handle_stop(on_signal, (int)SA_RESETHAND);
}

void install_early_stop_handlers(void)
{
	handle_stop(on_early_signal, 0);
}

void install_reopen_handler(void)
{
	struct sigaction action = {.sa_handler = on_hangup};

	if (!isatty(STDERR_FILENO))
		sigaction(SIGHUP, &action, NULL);
}

enum exit_status exit_status_of(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return EXIT_PERMISSION;
	case -ENODEV:
		return EXIT_NO_LBR;
	default:
		return EXIT_ERROR;
	}
}

/* 1,024 is what programs get that do not ask. */
void allow_files(size_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= count + OTHER_FILES)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
