/* SPDX-License-Identifier: GPL-2.0 */
/* probe_say.h - what the user is told about a place that is armed */
#ifndef LBRSNOOP_CMD_TRACE_PROBE_SAY_H
#define LBRSNOOP_CMD_TRACE_PROBE_SAY_H

#include <stdbool.h>

#include "capture/capture.h"
#include "snapshot/probe.h"

/** probe_gave_way() - is it software for want of a debug register? That is said in any case */
bool probe_gave_way(const struct probe *probe);

/** probe_say_trigger() - which trigger it got, what that loses and what a hit costs; or why no
 * better one */
void probe_say_trigger(const struct capture *capture, const struct probe *probe);

/** probe_filters_errno() - has it a return value that --errno can look at? */
bool probe_filters_errno(const struct probe *probe);

/** probes_warn_unfiltered() - warn of one that returns nothing that --errno could look at */
void probes_warn_unfiltered(const struct probe_list *probes);

#endif
