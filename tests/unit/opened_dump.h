/* SPDX-License-Identifier: GPL-2.0 */
/* opened_dump.h - a dump that has to open; dump_close() */
#ifndef LBRSNOOP_TESTS_OPENED_DUMP_H
#define LBRSNOOP_TESTS_OPENED_DUMP_H

#include "vmcore/vmcore.h"

static inline struct dump *opened_dump(const char *path)
{
	struct errmsg msg = {0};
	struct dump *dump;

	if (dump_open(path, &dump, &msg))
		fail_msg("%s", msg.text);
	return dump;
}

#endif
