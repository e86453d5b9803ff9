/* SPDX-License-Identifier: GPL-2.0 */
/* log.h - status, warnings and errors, to stderr; data goes to stdout elsewhere */
#ifndef LBRSNOOP_UTIL_LOG_H
#define LBRSNOOP_UTIL_LOG_H

/** enum log_level - what is printed at most */
enum log_level {
	LOG_QUIET, /* errors and warnings */
	LOG_NORMAL,
	LOG_VERBOSE,
	LOG_DEBUG,
};

/** log_set_level() - one of the three mutable globals of the program */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/**
 * log_line_show() - a line that stands on the terminal until the next message, or log_line_erase()
 * It is cut to the terminal's width. stderr has to be a terminal. Whether there is one is the third
 * mutable global, as the terminal is.
 */
void log_line_show(const char *text);

/** log_line_erase() - away with it; nothing if there is none */
void log_line_erase(void);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
