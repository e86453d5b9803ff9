/* SPDX-License-Identifier: GPL-2.0 */
/* postmortem_pages.h - the pages of flight recorders out of a dump */
#ifndef LBRSNOOP_CMD_POSTMORTEM_POSTMORTEM_PAGES_H
#define LBRSNOOP_CMD_POSTMORTEM_POSTMORTEM_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "flight/collector.h"
#include "util/errmsg.h"
#include "util/progress.h"
#include "vmcore/vmcore.h"

/**
 * postmortem_pages() - find them, and say what is wrong with them, or that there are none
 * Where the dead kernel's own list of BPF maps can be read, they are where it says; else, and with
 * @all, each page of the dump is looked at, and the user sees how far that is.
 * @all: pages of recorders that were discarded before, too
 * @beat: counts on while there is progress
 * @progress: is told how far a search is; or NULL
 * @collector: an empty one; replaced if it has to be begun again
 * Return: 0, none found included; -ENODATA if the dump does not tell which pages it has; -EINTR;
 * -ENOMEM; @msg says it.
 */
int postmortem_pages(struct dump *dump, bool all, volatile uint64_t *beat,
		     struct progress *progress, struct flight_collector **collector,
		     struct errmsg *msg);

#endif
