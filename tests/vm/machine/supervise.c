// SPDX-License-Identifier: GPL-2.0
/*
 * supervise.c - the host's side of a run: start QEMU, pass the output on, name the end
 *
 *     supervise -p STARTER [-t SECONDS] [-c CORE [-f FORMAT]] [-k] DIRECTORY QEMU ARGUMENT...
 *     supervise --tsc-khz    print how fast the host's time-stamp counter counts
 *
 * STARTER is the process that tests/vm/run was started by: when it is gone, however it went, the
 * guest ends as by SIGTERM. Else it would go on for nobody, and hold a slot. Under nohup it stays.
 * DIRECTORY holds guest.conf (the configuration frame's payload, see wire.h), gets
 * qemu.log, and console.log by QEMU's own arguments. It is removed at the end unless
 * the guest died or -k is given. Two socket pairs go to QEMU: the virtio-serial port and
 * the QMP monitor; there is nothing in the file system for runs to clash over.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "wire.h"

#define STATUS_TIMEOUT 124
#define STATUS_GUEST   125
#define STATUS_QEMU    126

#define QUIT_MS	   10000	/* for QEMU to leave by itself, its log files flushed */
#define DUMP_MS	   (600 * 1000) /* for a vmcore */
#define WORDS_MS   20000	/* for a panicked guest to print the rest */
#define TAIL_LINES 40
#define TSC_NS	   (20 * 1000 * 1000) /* of the clock, to see how far the TSC gets */
#define TSC_READS  100		      /* of which the quickest one is taken */
/* What poll() calls writable takes this much without blocking, pipes included. */
#define WRITE_BYTES 4096

enum phase { RUNNING, DUMPING, LAST_WORDS, QUITTING, GONE };

enum outcome {
	OUTCOME_NONE,
	OUTCOME_EXIT,	 /* the command ended */
	OUTCOME_PANIC,	 /* the guest's kernel panicked */
	OUTCOME_DOWN,	 /* reset or powered off before the command ended */
	OUTCOME_SETUP,	 /* guest-init could not do its work */
	OUTCOME_TIMEOUT, /* time was up */
	OUTCOME_QEMU,	 /* QEMU did not start, crashed or spoke nonsense */
	OUTCOME_SIGNAL,	 /* we were told to stop */
};

struct options {
	const char *directory, *core, *core_format;
	char **qemu_argv;
	pid_t starter;
	int timeout_s;
	bool keep_log;
};

struct run {
	const struct options *options;
	pid_t qemu;
	int port_fd, qmp_fd, signal_fd;
	enum phase phase;
	enum outcome outcome;
	int status;	     /* of the command, of QEMU, or the signal we got */
	int64_t deadline_ms; /* 0: none */
	char *config;	     /* frame still to be sent */
	size_t config_len, config_sent;
	char frame[WIRE_FRAME_MAX];
	size_t frame_len;
	size_t written; /* bytes of a complete output frame's payload passed on */
	char qmp[65536];
	size_t qmp_len;
	char message[WIRE_PAYLOAD_MAX + 1]; /* guest-init's, with OUTCOME_SETUP */
	bool core_failed;
};

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("tests/vm/run: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Clock and TSC at one time, as far as can be: where nothing came between the two readings of the
 * TSC. */
static void clocks_read(int64_t *ret_ns, uint64_t *ret_tsc)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TSC_READS; i++) {
		uint64_t before = __rdtsc(), took;
		int64_t ns = raw_ns();

		took = __rdtsc() - before;
		if (took < least) {
			least = took;
			*ret_ns = ns;
			*ret_tsc = before + took / 2;
		}
	}
}

/*
 * The guest's TSC is the host's. To find out how fast it counts, Linux compares it with the PIT or
 * the PM timer for some milliseconds, in which QEMU may not be scheduled. A guest was seen whose
 * clock ran five times too fast.
 */
static int tsc_khz_print(void)
{
	struct timespec pause = {.tv_nsec = TSC_NS};
	int64_t ns, ns_later;
	uint64_t tsc, tsc_later;

	clocks_read(&ns, &tsc);
	nanosleep(&pause, NULL);
	clocks_read(&ns_later, &tsc_later);
	if (ns_later <= ns)
		return 1;
	return printf("%.0f\n", (double)(tsc_later - tsc) * 1e6 / (double)(ns_later - ns)) < 0;
}

static void path_in(char path[PATH_MAX], const char *directory, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX) {
		say("path too long: %s/%s", directory, name);
		exit(STATUS_QEMU);
	}
}

/* guest.conf with a frame header before it. */
static int config_load(struct run *run)
{
	struct wire_header header = {.kind = WIRE_CONFIG};
	char path[PATH_MAX];
	struct stat status;
	ssize_t got;
	int fd, err = 0;

	path_in(path, run->options->directory, "guest.conf");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status)) {
		err = -errno;
		goto out;
	}
	if (status.st_size > WIRE_CONFIG_MAX) {
		err = -E2BIG;
		goto out;
	}
	header.len_bytes = (uint32_t)status.st_size;
	run->config_len = sizeof(header) + header.len_bytes;
	run->config = malloc(run->config_len);
	if (!run->config) {
		err = -ENOMEM;
		goto out;
	}
	memcpy(run->config, &header, sizeof(header));
	got = read(fd, run->config + sizeof(header), header.len_bytes);
	if (got != (ssize_t)header.len_bytes)
		err = got < 0 ? -errno : -EIO;
out:
	close(fd);
	return err;
}

/* QEMU's own arguments, then its ends of the port and the monitor. */
__attribute__((noreturn)) static void qemu_exec(const struct run *run, int port, int qmp,
						pid_t parent)
{
	char port_device[] = "virtserialport,chardev=lbr-port,name=" WIRE_PORT_NAME;
	char port_chardev[64], qmp_chardev[64], path[PATH_MAX];
	char *extra[] = {"-chardev", port_chardev, "-device", port_device,
			 "-chardev", qmp_chardev,  "-mon",    "chardev=lbr-qmp,mode=control",
			 NULL};
	size_t argc = 0, extra_nr = sizeof(extra) / sizeof(extra[0]);
	char **argv;
	sigset_t none;
	int null, log;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_QEMU);
	setsid(); /* Ctrl-C is for us; QEMU hears of it through the monitor */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	path_in(path, run->options->directory, "qemu.log");
	null = open("/dev/null", O_RDONLY);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (null < 0 || log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(STATUS_QEMU);
	fcntl(port, F_SETFD, 0);
	fcntl(qmp, F_SETFD, 0);
	snprintf(port_chardev, sizeof(port_chardev), "socket,id=lbr-port,fd=%d", port);
	snprintf(qmp_chardev, sizeof(qmp_chardev), "socket,id=lbr-qmp,fd=%d", qmp);
	while (run->options->qemu_argv[argc])
		argc++;
	argv = calloc(argc + extra_nr, sizeof(*argv));
	if (!argv)
		_exit(STATUS_QEMU);
	memcpy(argv, run->options->qemu_argv, argc * sizeof(*argv));
	memcpy(argv + argc, extra, sizeof(extra));
	execv(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(STATUS_QEMU);
}

static int qemu_start(struct run *run)
{
	int port[2], qmp[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, port) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, qmp))
		return -errno;
	run->qemu = fork();
	if (run->qemu < 0)
		return -errno;
	if (run->qemu == 0)
		qemu_exec(run, port[1], qmp[1], parent);
	close(port[1]);
	close(qmp[1]);
	run->port_fd = port[0];
	run->qmp_fd = qmp[0];
	fcntl(run->port_fd, F_SETFL, O_NONBLOCK);
	fcntl(run->qmp_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/* Not after it was reaped: the number may be another's by then. */
static void qemu_kill(const struct run *run, int signo)
{
	if (run->qemu > 0)
		kill(run->qemu, signo);
}

/* Commands are short and few: they fit into the socket's buffer. */
static void qmp_send(struct run *run, const char *command)
{
	size_t len = strlen(command);

	if (run->qmp_fd >= 0 && send(run->qmp_fd, command, len, MSG_NOSIGNAL) != (ssize_t)len)
		qemu_kill(run, SIGTERM);
}

static void quit_begin(struct run *run)
{
	run->phase = QUITTING;
	run->deadline_ms = now_ms() + QUIT_MS;
	qmp_send(run, "{\"execute\":\"quit\"}\n");
	if (run->outcome == OUTCOME_SIGNAL)
		qemu_kill(run, SIGTERM);
}

/*
 * The panic notifier that told us runs before the kernel has flushed its console:
 * let the guest go on to its reboot, which ends the machine.
 */
static void machine_end(struct run *run)
{
	if (run->outcome != OUTCOME_PANIC) {
		quit_begin(run);
		return;
	}
	run->phase = LAST_WORDS;
	run->deadline_ms = now_ms() + WORDS_MS;
	qmp_send(run, "{\"execute\":\"cont\"}\n");
}

static void core_partial(const struct run *run, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s.partial", run->options->core) >= PATH_MAX) {
		say("path too long: %s", run->options->core);
		path[0] = '\0';
	}
}

/* Ask for the core under another name, so that FILE is whole or not there. */
static void dump_begin(struct run *run)
{
	char path[PATH_MAX], escaped[6 * PATH_MAX + 1], *at = escaped;
	char command[7 * PATH_MAX];

	core_partial(run, path);
	for (const char *c = path; *c; c++) {
		if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
			at += sprintf(at, "\\u%04x", (unsigned char)*c);
		else
			*at++ = *c;
	}
	*at = '\0';
	snprintf(command, sizeof(command),
		 "{\"execute\":\"dump-guest-memory\",\"id\":\"dump\",\"arguments\":"
		 "{\"paging\":false,\"protocol\":\"file:%s\",\"format\":\"%s\"}}\n",
		 escaped, run->options->core_format);
	run->phase = DUMPING;
	run->deadline_ms = now_ms() + DUMP_MS;
	qmp_send(run, command);
}

/* The first end counts; what follows is its consequence. */
static void end_begin(struct run *run, enum outcome outcome, int status)
{
	if (run->outcome != OUTCOME_NONE)
		return;
	run->outcome = outcome;
	run->status = status;
	if (run->options->core && outcome != OUTCOME_QEMU && outcome != OUTCOME_SIGNAL)
		dump_begin(run);
	else
		machine_end(run);
}

static void dump_end(struct run *run, const char *line)
{
	char path[PATH_MAX];

	core_partial(run, path);
	if (!strstr(line, "\"return\"")) {
		say("no core: QEMU says %s", line);
		run->core_failed = true;
		unlink(path);
	} else if (rename(path, run->options->core)) {
		say("%s: %s", run->options->core, strerror(errno));
		run->core_failed = true;
	}
	machine_end(run);
}

static void qmp_line(struct run *run, const char *line)
{
	bool down = strstr(line, "\"event\": \"SHUTDOWN\"") && strstr(line, "\"guest\": true");

	if (strstr(line, "\"event\": \"GUEST_PANICKED\""))
		end_begin(run, OUTCOME_PANIC, 0);
	else if (down && run->phase == LAST_WORDS)
		quit_begin(run);
	else if (down)
		end_begin(run, OUTCOME_DOWN, 0);
	else if (run->phase == DUMPING && strstr(line, "\"id\": \"dump\""))
		dump_end(run, line);
}

static void qmp_read(struct run *run)
{
	char *newline;
	ssize_t n = read(run->qmp_fd, run->qmp + run->qmp_len, sizeof(run->qmp) - run->qmp_len);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(run->qmp_fd);
		run->qmp_fd = -1;
		return;
	}
	run->qmp_len += (size_t)n;
	while ((newline = memchr(run->qmp, '\n', run->qmp_len))) {
		size_t len = (size_t)(newline + 1 - run->qmp);

		*newline = '\0';
		qmp_line(run, run->qmp);
		run->qmp_len -= len;
		memmove(run->qmp, newline + 1, run->qmp_len);
	}
	if (run->qmp_len == sizeof(run->qmp))
		run->qmp_len = 0; /* nothing we wait for is that long */
}

static void config_send(struct run *run)
{
	ssize_t n = send(run->port_fd, run->config + run->config_sent,
			 run->config_len - run->config_sent, MSG_NOSIGNAL);

	if (n > 0)
		run->config_sent += (size_t)n;
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		run->config_sent = run->config_len; /* QEMU is gone, as poll() will tell */
}

static const struct wire_header *frame_header(const struct run *run)
{
	return (const struct wire_header *)(const void *)run->frame;
}

static size_t frame_wanted(const struct run *run)
{
	if (run->frame_len < sizeof(struct wire_header))
		return sizeof(struct wire_header);
	return sizeof(struct wire_header) + frame_header(run)->len_bytes;
}

/* Where the complete frame's output is to go; -1 if there is none waiting. */
static int output_fd(const struct run *run)
{
	if (run->frame_len < frame_wanted(run))
		return -1;
	return frame_header(run)->kind == WIRE_STDOUT ? STDOUT_FILENO : STDERR_FILENO;
}

static void output_write(struct run *run, int fd)
{
	size_t left = frame_header(run)->len_bytes - run->written;
	const char *at = run->frame + sizeof(struct wire_header) + run->written;
	ssize_t n = write(fd, at, left < WRITE_BYTES ? left : WRITE_BYTES);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) { /* nobody reads on: as the command itself would have died of it */
		end_begin(run, OUTCOME_SIGNAL, SIGPIPE);
		n = (ssize_t)left;
	}
	run->written += (size_t)n;
	if (run->written == frame_header(run)->len_bytes)
		run->frame_len = run->written = 0;
}

static void frame_complete(struct run *run)
{
	const struct wire_header *header = frame_header(run);
	const char *payload = run->frame + sizeof(*header);
	uint32_t status;

	switch (header->kind) {
	case WIRE_STDOUT:
	case WIRE_STDERR:
		if (!header->len_bytes)
			run->frame_len = 0;
		return; /* output_write() passes it on */
	case WIRE_EXIT:
		if (header->len_bytes != sizeof(status))
			break;
		memcpy(&status, payload, sizeof(status));
		run->frame_len = 0;
		end_begin(run, OUTCOME_EXIT, (int)(status & 0xff));
		return;
	case WIRE_FAILED:
		memcpy(run->message, payload, header->len_bytes);
		run->message[header->len_bytes] = '\0';
		run->frame_len = 0;
		end_begin(run, OUTCOME_SETUP, 0);
		return;
	}
	say("frame of kind %u, %u bytes, from the guest", header->kind, header->len_bytes);
	run->frame_len = 0;
	end_begin(run, OUTCOME_QEMU, 0);
}

static void port_read(struct run *run)
{
	size_t wanted = frame_wanted(run);
	ssize_t n = read(run->port_fd, run->frame + run->frame_len, wanted - run->frame_len);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(run->port_fd);
		run->port_fd = -1;
		return;
	}
	run->frame_len += (size_t)n;
	if (run->frame_len < sizeof(struct wire_header))
		return;
	if (frame_header(run)->len_bytes > WIRE_PAYLOAD_MAX) {
		say("frame of %u bytes from the guest", frame_header(run)->len_bytes);
		run->frame_len = 0;
		end_begin(run, OUTCOME_QEMU, 0);
	} else if (run->frame_len == frame_wanted(run)) {
		frame_complete(run);
	}
}

/* Returns true when QEMU has ended. */
static bool signals_read(struct run *run)
{
	struct signalfd_siginfo info;
	int status;

	if (read(run->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo != SIGCHLD) {
		if (run->phase != RUNNING && run->phase != QUITTING)
			run->outcome = OUTCOME_NONE; /* a core is no reason to stay */
		end_begin(run, OUTCOME_SIGNAL, (int)info.ssi_signo);
		return false;
	}
	if (waitpid(run->qemu, &status, WNOHANG) != run->qemu)
		return false;
	run->qemu = 0;
	if (run->outcome == OUTCOME_NONE)
		run->status = status;
	return true;
}

static void deadline_passed(struct run *run)
{
	switch (run->phase) {
	case RUNNING:
		end_begin(run, OUTCOME_TIMEOUT, 0);
		break;
	case DUMPING:
		say("no core: not written within %d s", DUMP_MS / 1000);
		run->core_failed = true;
		quit_begin(run);
		break;
	case LAST_WORDS:
		quit_begin(run);
		break;
	case QUITTING:
		if (run->outcome != OUTCOME_SIGNAL)
			say("QEMU did not quit within %d s, killed", QUIT_MS / 1000);
		qemu_kill(run, SIGKILL);
		run->deadline_ms = 0;
		break;
	case GONE:
		break;
	}
}

static int poll_timeout(const struct run *run)
{
	int64_t left;

	if (!run->deadline_ms)
		return -1;
	left = run->deadline_ms - now_ms();
	return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* One step: wait, then serve what is ready. Returns true when QEMU has ended. */
static bool run_step(struct run *run)
{
	int out = output_fd(run);
	bool ended = false;
	struct pollfd polled[] = {
		{.fd = run->signal_fd, .events = POLLIN},
		{.fd = run->qmp_fd, .events = POLLIN},
		{.fd = out < 0 ? run->port_fd : -1,
		 .events = (short)(POLLIN | (run->config_sent < run->config_len ? POLLOUT : 0))},
		{.fd = out, .events = POLLOUT},
	};
	int ready = poll(polled, sizeof(polled) / sizeof(polled[0]), poll_timeout(run));

	if (run->deadline_ms && now_ms() >= run->deadline_ms)
		deadline_passed(run);
	if (ready <= 0)
		return false;
	if (polled[0].revents)
		ended = signals_read(run);
	if (polled[2].revents & POLLOUT)
		config_send(run);
	if (polled[2].revents & (POLLIN | POLLHUP | POLLERR))
		port_read(run);
	if (polled[3].revents)
		output_write(run, out);
	if (polled[1].revents) /* after the port: an exit status precedes what follows it */
		qmp_read(run);
	return ended;
}

/* QEMU is dead; its last words may still be in the sockets. */
static void run_drain(struct run *run)
{
	run->phase = GONE;
	run->deadline_ms = 0;
	run->config_sent = run->config_len;
	while (run->outcome != OUTCOME_SIGNAL &&
	       (run->port_fd >= 0 || run->qmp_fd >= 0 || output_fd(run) >= 0))
		run_step(run);
	if (run->outcome == OUTCOME_NONE)
		run->outcome = OUTCOME_QEMU;
}

static void tail_print(const char *path)
{
	char data[16384];
	FILE *file = fopen(path, "re");
	size_t len, start, lines = 0;

	if (!file)
		return;
	if (fseek(file, -(long)sizeof(data), SEEK_END))
		rewind(file);
	len = fread(data, 1, sizeof(data), file);
	fclose(file);
	for (start = len; start > 0; start--) {
		if (data[start - 1] == '\n' && start != len && ++lines == TAIL_LINES)
			break;
	}
	for (size_t i = start; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		if (i == start || data[i - 1] == '\n')
			fputs("  | ", stderr);
		if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f))
			fputc(c, stderr);
		else if (c != '\r')
			fprintf(stderr, "\\x%02x", c);
	}
	if (len && data[len - 1] != '\n')
		fputc('\n', stderr);
}

static bool console_has(const char *path, const char *text)
{
	char line[4096];
	bool found = false;
	FILE *file = fopen(path, "re");

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, text) != NULL;
	if (file)
		fclose(file);
	return found;
}

/*
 * What the kernel last said of why it died, one line each: the oops, the instruction, the panic.
 * The console's tail alone loses them where more than TAIL_LINES of registers and stack follow.
 */
static void reasons_print(const char *path)
{
	static const char *const marks[] = {"BUG: ", "Oops: ", "kernel BUG at ",
					    "RIP: 0010:", "Kernel panic - not syncing"};
	char line[4096], last[sizeof(marks) / sizeof(marks[0])][256] = {};
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			if (strstr(line, marks[i]))
				snprintf(last[i], sizeof(last[i]), "%.*s",
					 (int)strcspn(line, "\r\n"), line);
		}
	}
	if (file)
		fclose(file);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (last[i][0])
			say("console: %s", last[i]);
	}
}

static int outcome_report(struct run *run, const char *console, const char *qemu_log)
{
	/* Before pvpanic's driver is up, only the console tells a panic from a reset. */
	if (run->outcome == OUTCOME_DOWN && console_has(console, "Kernel panic - not syncing"))
		run->outcome = OUTCOME_PANIC;
	switch (run->outcome) {
	case OUTCOME_NONE:
	case OUTCOME_EXIT:
		return run->core_failed ? STATUS_QEMU : run->status;
	case OUTCOME_SIGNAL:
		return 128 + run->status;
	case OUTCOME_PANIC:
		say("the guest panicked");
		reasons_print(console);
		break;
	case OUTCOME_DOWN:
		say("the guest went down before the command ended");
		break;
	case OUTCOME_SETUP:
		say("the guest could not be set up: %s", run->message);
		break;
	case OUTCOME_TIMEOUT:
		say("timeout after %d s", run->options->timeout_s);
		break;
	case OUTCOME_QEMU:
		/* So it ends when it finds its own log wrong: no failure of the machine. */
		if (WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGABRT)
			say("the emulator aborted");
		else if (WIFSIGNALED(run->status))
			say("QEMU was killed by signal %d", WTERMSIG(run->status));
		else
			say("QEMU ended with status %d", WEXITSTATUS(run->status));
		tail_print(qemu_log);
		tail_print(console);
		return STATUS_QEMU;
	}
	tail_print(console);
	return run->outcome == OUTCOME_TIMEOUT ? STATUS_TIMEOUT : STATUS_GUEST;
}

static int run_end(struct run *run)
{
	static const char *const files[] = {"guest.conf", "console.log", "qemu.log"};
	char console[PATH_MAX], qemu_log[PATH_MAX], path[PATH_MAX];
	int status;

	path_in(console, run->options->directory, "console.log");
	path_in(qemu_log, run->options->directory, "qemu.log");
	status = outcome_report(run, console, qemu_log);
	if (run->options->keep_log ||
	    (run->outcome != OUTCOME_EXIT && run->outcome != OUTCOME_SIGNAL)) {
		say("console log kept: %s", console);
		return status;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		path_in(path, run->options->directory, files[i]);
		unlink(path);
	}
	rmdir(run->options->directory);
	return status;
}

static int options_parse(struct options *options, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+p:t:c:f:k")) != -1) {
		switch (c) {
		case 'p':
			options->starter = atoi(optarg);
			break;
		case 't':
			options->timeout_s = atoi(optarg);
			break;
		case 'c':
			options->core = optarg;
			break;
		case 'f':
			options->core_format = optarg;
			break;
		case 'k':
			options->keep_log = true;
			break;
		default:
			return -EINVAL;
		}
	}
	if (argc - optind < 2 || options->starter <= 0)
		return -EINVAL;
	options->directory = argv[optind];
	options->qemu_argv = argv + optind + 1;
	return 0;
}

/* True if it is gone already. SIGTERM is blocked by now, and waits for signals_read(). */
static bool starter_watch(pid_t starter)
{
	struct sigaction action;

	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN)
		return false; /* nohup */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	return getppid() != starter;
}

/* What nohup or a background shell made us ignore stays ignored. */
static void signals_watch(sigset_t *ret_watched)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;

	sigemptyset(ret_watched);
	sigaddset(ret_watched, SIGCHLD);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(ret_watched, ends[i]);
	}
	sigprocmask(SIG_BLOCK, ret_watched, NULL);
}

int main(int argc, char **argv)
{
	static struct run run = {.port_fd = -1, .qmp_fd = -1};
	struct options options = {.core_format = "elf"};
	sigset_t watched;
	int err;

	if (argc == 2 && !strcmp(argv[1], "--tsc-khz"))
		return tsc_khz_print();
	if (options_parse(&options, argc, argv)) {
		say("supervise: wrong arguments; it is called by tests/vm/run");
		return STATUS_QEMU;
	}
	run.options = &options;
	signals_watch(&watched);
	if (starter_watch(options.starter)) {
		run.outcome = OUTCOME_SIGNAL;
		run.status = SIGTERM;
		return run_end(&run);
	}
	signal(SIGPIPE, SIG_IGN);
	run.signal_fd = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
	err = run.signal_fd < 0 ? -errno : config_load(&run);
	if (!err)
		err = qemu_start(&run);
	if (err) {
		say("cannot start QEMU: %s", strerror(-err));
		return STATUS_QEMU;
	}
	if (options.timeout_s > 0)
		run.deadline_ms = now_ms() + options.timeout_s * 1000LL;
	qmp_send(&run, "{\"execute\":\"qmp_capabilities\"}\n");
	while (!run_step(&run))
		;
	run_drain(&run);
	free(run.config);
	return run_end(&run);
}
