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

/** log_set_level() - one of the two mutable globals of the program */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
