/* SPDX-License-Identifier: GPL-2.0 */
/* output.h - stdout and the file of -o: nothing is lost silently */
#ifndef LBRSNOOP_CMD_OUTPUT_H
#define LBRSNOOP_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/errmsg.h"
#include "util/progress.h"

/**
 * output_init() - once, before anything is opened
 *
 * A standard stream that is closed would give its number to the next file that is opened, and
 * our output would go there: it gets a file that fails instead. At exit, output that could not be
 * written is told, and makes the exit status EXIT_ERROR; a reader that went away is no error.
 */
void output_init(void);

/**
 * output_open() - open the file of -o for writing, but keep what is in it until output_begin()
 * Return: NULL on error, with errno. The caller closes it with output_close().
 */
FILE *output_open(const char *path);

/**
 * struct output_idle - what is done each second while a reader does not read
 * @idle: called with @ctx, in the middle of a write to the stream
 * @fd: set by output_idle_open()
 * @waits: there is such a stream
 * @buffer: of the stream
 */
struct output_idle {
	void (*idle)(void *ctx);
	void *ctx;
	int fd;
	bool waits;
	char buffer[65536];
};

/**
 * output_idle_open() - a stream that waits for its reader, and is not idle meanwhile
 * @idle: borrowed until the stream is closed
 * @out: stdout, or a file that nothing has been written to; the stream takes its place
 * Return: the stream, to be closed with output_close(); @out if that is no pipe and no socket, or
 * memory ran out.
 */
FILE *output_idle_open(struct output_idle *idle, FILE *out);

/**
 * output_idle_reopen() - the stream, which is flushed, goes on in the file that is at @path now
 * Return: 0; negative errno, and it goes on where it was.
 */
int output_idle_reopen(struct output_idle *idle, const char *path);

/** output_is_colored() - a terminal, and the user has not set NO_COLOR (https://no-color.org) */
bool output_is_colored(FILE *out);

/**
 * output_progress() - progress_begin(), unless its line would stand among the output
 * That is where @out is a terminal, but for what prints at its end alone; or a pipe, whose reader
 * may be a pager on the same terminal.
 * @late: nothing is printed before progress_end()
 */
struct progress *output_progress(FILE *out, bool late, const char *what, const char *unit);

/** output_columns() - width of the terminal; 0: it is none, or does not tell */
int output_columns(FILE *out);

/** output_begin() - the first line is about to come: away with what was in the file */
int output_begin(FILE *out);

/**
 * output_flush() - write out what is buffered
 * Return: 0; negative errno if that, or a write before it, failed.
 */
int output_flush(FILE *out);

/**
 * output_event_done() - an event has been printed whole: write out what is buffered, if it is much
 * The command that is traced may write to the same file: its lines come between events then, and
 * not into a line where the buffer was full.
 * Return: as output_flush().
 */
int output_event_done(FILE *out);

/**
 * output_close() - close a file, or flush stdout; what failed is forgotten afterwards
 * @out: NULL is fine
 * Return: 0; negative errno.
 */
int output_close(FILE *out);

/**
 * output_check() - what went wrong while something was printed
 * @err: what the printer returned; of a write it knows only that it failed
 * Return: 0; negative errno of the write that failed on @out; without one, @err.
 */
int output_check(FILE *out, int err);

/**
 * output_failed() - say what output_check() found
 * @name: of the file, NULL: standard output
 * Return: with @msg, @err if that is -EPIPE or -ENOMEM, -EIO for all else.
 */
int output_failed(const char *name, int err, struct errmsg *msg);

/**
 * output_end() - close, and say what went wrong with the whole
 * @name: of the file, NULL: standard output
 * @err: what failed before, described in @msg; or 0
 * Return: 0, also if the reader went away, who has seen enough; @err; or negative errno of
 * closing, with @msg.
 */
int output_end(FILE *out, const char *name, int err, struct errmsg *msg);

#endif
