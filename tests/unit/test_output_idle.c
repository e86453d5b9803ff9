// SPDX-License-Identifier: GPL-2.0
/* A stream whose reader does not read: what is to be done meanwhile is done, and nothing is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/output.h"
#include "util/cleanup.h"

#define TEXT "a line that waits\n"

static char dir[] = "/tmp/test_output_idle.XXXXXX";
static char path[64];

/** struct reader - what reads the FIFO once it has been waited for */
struct reader {
	int fd;
	unsigned int waited;
	size_t full;
};

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

/* Reads what the pipe was full of, so that there is room. */
static void make_room(void *ctx)
{
	static char bytes[4096];
	struct reader *reader = ctx;

	reader->waited++;
	while (reader->full) {
		ssize_t got = read(reader->fd, bytes, sizeof(bytes));

		assert_true(got > 0);
		reader->full -= (size_t)got;
	}
}

static void fill(struct reader *reader)
{
	static const char bytes[4096];
	_cleanup_close_ int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t wrote;

	assert_true(fd >= 0);
	while ((wrote = write(fd, bytes, sizeof(bytes))) > 0)
		reader->full += (size_t)wrote;
	assert_int_equal(errno, EAGAIN);
}

static void output_idle_open_full_fifo_is_not_idle(void **state)
{
	struct reader reader = {0};
	struct output_idle idle = {.idle = make_room, .ctx = &reader};
	char got[64] = "";
	FILE *file, *out;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader.fd >= 0);
	file = output_open(path);
	assert_non_null(file);
	fill(&reader);
	out = output_idle_open(&idle, file);
	assert_true(idle.waits);
	assert_int_equal(output_begin(out), 0);
	assert_true(fputs(TEXT, out) >= 0);
	assert_int_equal(output_close(out), 0);
	assert_int_equal(reader.waited, 1);
	assert_int_equal(read(reader.fd, got, sizeof(got)), strlen(TEXT));
	assert_string_equal(got, TEXT);
	/* All that could write is closed. */
	assert_int_equal(read(reader.fd, got, sizeof(got)), 0);
	close(reader.fd);
	assert_int_equal(unlink(path), 0);
}

/* Another process may write to the same file or pipe: what we write at once is whole lines. */
static void output_whole_lines_are_written(void **state)
{
	static char buffer[65536], got[sizeof(buffer)];
	struct output_idle idle = {0};
	FILE *file = output_open(path), *out;
	int sockets[2], fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	(void)state;
	assert_true(file && fd >= 0);
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	for (int i = 0; i < 10000; i++) {
		assert_true(fputs(TEXT, file) >= 0);
		assert_int_equal(output_event_done(file), 0);
		len = read(fd, got, sizeof(got));
		assert_true(len >= 0 && len % strlen(TEXT) == 0);
	}
	assert_true(lseek(fd, 0, SEEK_CUR) > (off_t)sizeof(buffer));
	fclose(file);
	close(fd);
	assert_int_equal(unlink(path), 0);
	/* Here each write is a packet. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	out = output_idle_open(&idle, fdopen(sockets[0], "w"));
	assert_true(idle.waits);
	for (int i = 0; i < 1000; i++) {
		assert_true(fputs(TEXT, out) >= 0);
		assert_int_equal(output_event_done(out), 0);
	}
	assert_int_equal(output_close(out), 0);
	for (size_t left = 1000 * strlen(TEXT); left; left -= (size_t)len) {
		len = read(sockets[1], got, sizeof(got));
		assert_true(len > 0 && len <= PIPE_BUF && got[len - 1] == '\n');
	}
	close(sockets[1]);
}

static void ignore(int sig)
{
	(void)sig;
}

/* Ctrl-C while the pager does not read: what was captured before is still written. */
static void output_idle_open_signal_while_full_writes_all(void **state)
{
	struct sigaction action = {.sa_handler = ignore}, before; /* without SA_RESTART */
	struct itimerval soon = {.it_value = {.tv_usec = 100000}};
	struct reader reader = {0};
	struct output_idle idle = {.idle = make_room, .ctx = &reader};
	char got[64] = "";
	FILE *file, *out;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	reader.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader.fd >= 0);
	file = output_open(path);
	assert_non_null(file);
	fill(&reader);
	out = output_idle_open(&idle, file);
	assert_true(fputs(TEXT, out) >= 0);
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(output_flush(out), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_int_equal(output_close(out), 0);
	assert_int_equal(read(reader.fd, got, sizeof(got)), strlen(TEXT));
	assert_string_equal(got, TEXT);
	close(reader.fd);
	assert_int_equal(unlink(path), 0);
}

/* As after SIGHUP: somebody has moved the FIFO away. */
static void output_idle_reopen_moved_fifo_goes_on_in_the_file(void **state)
{
	struct output_idle idle = {0};
	char got[64] = "";
	FILE *file, *out;
	int fifo, fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	file = output_open(path);
	assert_non_null(file);
	out = output_idle_open(&idle, file);
	assert_true(idle.waits);
	fputs("before\n", out);
	assert_int_equal(output_flush(out), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(output_idle_reopen(&idle, "/nonexist/file"), -ENOENT);
	assert_int_equal(output_idle_reopen(&idle, path), 0);
	fputs(TEXT, out);
	assert_int_equal(output_close(out), 0);
	assert_int_equal(read(fifo, got, sizeof(got)), strlen("before\n"));
	assert_memory_equal(got, "before\n", strlen("before\n"));
	assert_int_equal(read(fifo, got, sizeof(got)), 0);
	close(fifo);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, got, sizeof(got)), strlen(TEXT));
	assert_memory_equal(got, TEXT, strlen(TEXT));
	close(fd);
	assert_int_equal(unlink(path), 0);
}

/* A sink's own error is not what errno was before; a write's is what the write left. */
static void output_check_each_error_is_its_own(void **state)
{
	FILE *out = fopen("/dev/full", "we");

	(void)state;
	assert_non_null(out);
	errno = ENOENT;
	assert_int_equal(output_check(out, 0), 0);
	assert_int_equal(output_check(out, -ENOMEM), -ENOMEM);
	assert_true(fputs(TEXT, out) >= 0);
	assert_int_equal(fflush(out), EOF);
	assert_true(fputs(TEXT, out) >= 0);
	errno = ENOENT;
	assert_int_equal(output_check(out, -EIO), -ENOSPC);
	fclose(out);
}

static void output_idle_open_regular_file_is_left_alone(void **state)
{
	struct output_idle idle = {0};
	FILE *file;

	(void)state;
	file = output_open(path);
	assert_non_null(file);
	assert_ptr_equal(output_idle_open(&idle, file), file);
	assert_false(idle.waits);
	assert_int_equal(output_close(file), 0);
	assert_int_equal(unlink(path), 0);
}

/* The write that fails may be the last one: nothing is left for another, which would tell the
 * errno. */
static void output_close_reader_gone_nothing_left_says_epipe(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int fds[2];
	FILE *file;

	(void)state;
	assert_int_equal(sigaction(SIGPIPE, &ignore, &before), 0);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	file = fdopen(fds[1], "w");
	assert_non_null(file);
	assert_int_equal(setvbuf(file, NULL, _IONBF, 0), 0);
	assert_int_equal(fputs(TEXT, file), EOF);
	errno = 0;
	assert_int_equal(output_close(file), -EPIPE);
	sigaction(SIGPIPE, &before, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_idle_open_full_fifo_is_not_idle),
		cmocka_unit_test(output_whole_lines_are_written),
		cmocka_unit_test(output_idle_open_signal_while_full_writes_all),
		cmocka_unit_test(output_idle_reopen_moved_fifo_goes_on_in_the_file),
		cmocka_unit_test(output_check_each_error_is_its_own),
		cmocka_unit_test(output_idle_open_regular_file_is_left_alone),
		cmocka_unit_test(output_close_reader_gone_nothing_left_says_epipe),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
