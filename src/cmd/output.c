// SPDX-License-Identifier: GPL-2.0
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/log.h"

#define IDLE_MS 1000

static void check_stdout(void)
{
	int err = output_close(stdout);

	if (!err || err == -EPIPE)
		return;
	log_error("standard output: %s", strerror(-err));
	_exit(EXIT_ERROR);
}

void output_init(void)
{
	static char buffer[65536]; /* glibc takes no other size than its own without one */

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest free number is this one. Writing to it fails, reading gives nothing.
		 */
		if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_ERROR);
	}
	/* What fails while a full buffer is emptied tells its errno to nobody: the rest does. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	atexit(check_stdout);
}

FILE *output_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	FILE *out;

	if (fd < 0)
		return NULL;
	out = fdopen(fd, "w");
	if (!out)
		close(fd);
	return out;
}

/*
 * A signal asks for an end or for another file. What is captured already is written first, unless
 * the user asks twice, or nobody is left to read this file.
 */
static bool has_to_give_up(void)
{
	return stop_requested > 1 || reopen_requested;
}

/*
 * No more at once than a pipe takes without waiting when poll() says that it takes something, and
 * whole lines: the command that is traced may write to the same pipe.
 */
static size_t piece(const char *buf, size_t len)
{
	const char *end;

	if (len <= PIPE_BUF)
		return len;
	end = memrchr(buf, '\n', PIPE_BUF);
	return end ? (size_t)(end + 1 - buf) : PIPE_BUF;
}

static ssize_t write_idle(void *cookie, const char *buf, size_t len)
{
	const struct output_idle *idle = cookie;
	size_t done = 0;

	while (done < len) {
		struct pollfd out = {.fd = idle->fd, .events = POLLOUT};
		int ready = poll(&out, 1, IDLE_MS);
		ssize_t wrote;

		if (ready < 0 && errno != EINTR)
			break;
		if (ready <= 0 && has_to_give_up()) {
			errno = EINTR;
			break;
		}
		if (!ready)
			idle->idle(idle->ctx);
		if (ready <= 0)
			continue;
		wrote = write(idle->fd, buf + done, piece(buf + done, len - done));
		if (wrote < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (wrote < 0)
			break;
		done += wrote;
	}
	return done;
}

static int close_idle(void *cookie)
{
	const struct output_idle *idle = cookie;

	return idle->fd == STDOUT_FILENO ? 0 : close(idle->fd);
}

FILE *output_idle_open(struct output_idle *idle, FILE *out)
{
	cookie_io_functions_t functions = {.write = write_idle, .close = close_idle};
	struct stat st;
	FILE *waiting;

	if (fstat(fileno(out), &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return out;
	idle->fd = out == stdout ? STDOUT_FILENO : fcntl(fileno(out), F_DUPFD_CLOEXEC, 3);
	if (idle->fd < 0)
		return out;
	waiting = fopencookie(idle, "w", functions);
	if (!waiting) {
		close_idle(idle);
		return out;
	}
	setvbuf(waiting, idle->buffer, _IOFBF, sizeof(idle->buffer));
	idle->waits = true;
	if (out != stdout)
		fclose(out);
	return waiting;
}

int output_idle_reopen(struct output_idle *idle, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0)
		return -errno;
	close_idle(idle);
	idle->fd = fd;
	return 0;
}

bool output_is_colored(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && *no);
}

struct progress *output_progress(FILE *out, bool late, const char *what, const char *unit)
{
	struct stat st;
	bool is_file = !fstat(fileno(out), &st) && !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode);

	if (!is_file || (!late && isatty(fileno(out))))
		return NULL;
	return progress_begin(what, unit);
}

int output_columns(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int output_begin(FILE *out)
{
	struct stat st;

	if (out == stdout || fstat(fileno(out), &st) || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fileno(out), 0) ? -errno : 0;
}

/* What a pipe says to poll() that nobody reads any more. */
static bool reader_gone(FILE *out)
{
	struct pollfd fd = {.fd = fileno(out)};

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLERR;
}

int output_flush(FILE *out)
{
	errno = 0;
	if (!fflush(out) && !ferror(out))
		return 0;
	if (errno)
		return -errno;
	/* Of what failed before, with nothing left to write again, the errno is not known. */
	return reader_gone(out) ? -EPIPE : -EIO;
}

int output_event_done(FILE *out)
{
	return __fpending(out) > __fbufsize(out) / 2 ? output_flush(out) : 0;
}

int output_close(FILE *out)
{
	int err;

	if (!out)
		return 0;
	err = output_flush(out);
	if (out == stdout) {
		__fpurge(stdout);
		clearerr(stdout);
		return err;
	}
	return fclose(out) && !err ? -errno : err;
}

int output_check(FILE *out, int err)
{
	int before = errno;

	if (!ferror(out))
		return err;
	/* What fails once fails again, with its errno, if anything is left to write. */
	err = output_flush(out);
	return err == -EIO && before ? -before : err;
}

int output_failed(const char *name, int err, struct errmsg *msg)
{
	if (err == -ENOMEM)
		return errmsg_set(msg, err, "%s", strerror(-err));
	return errmsg_set(msg, err == -EPIPE ? err : -EIO, "%s: %s", name ?: "standard output",
			  strerror(-err));
}

int output_end(FILE *out, const char *name, int err, struct errmsg *msg)
{
	int close_err = output_close(out);

	if (err == -EPIPE || close_err == -EPIPE)
		return 0;
	if (!err && close_err)
		return errmsg_set(msg, close_err, "%s: %s", name ?: "standard output",
				  strerror(-close_err));
	return err;
}
