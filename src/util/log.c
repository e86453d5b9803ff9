// SPDX-License-Identifier: GPL-2.0
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level log_level = LOG_NORMAL;

void log_set_level(enum log_level level)
{
	log_level = level;
}

enum log_level log_get_level(void)
{
	return log_level;
}

#define LOG_FUNCTION(name, min_level, prefix)                                                      \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		if (log_level < (min_level))                                                       \
			return;                                                                    \
		va_start(args, fmt);                                                               \
		flockfile(stderr);                                                                 \
		fputs("lbrsnoop: " prefix, stderr);                                                \
		vfprintf(stderr, fmt, args);                                                       \
		fputc('\n', stderr);                                                               \
		funlockfile(stderr);                                                               \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_QUIET, "")
LOG_FUNCTION(log_warning, LOG_QUIET, "warning: ")
LOG_FUNCTION(log_info, LOG_NORMAL, "")
LOG_FUNCTION(log_verbose, LOG_VERBOSE, "")
