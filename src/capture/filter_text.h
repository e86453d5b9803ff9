/* SPDX-License-Identifier: GPL-2.0 */
/* filter_text.h - what events are wanted, as a user writes it */
#ifndef LBRSNOOP_CAPTURE_FILTER_TEXT_H
#define LBRSNOOP_CAPTURE_FILTER_TEXT_H

#include "capture/capture.h"
#include "util/errmsg.h"

/* Both return 0; -EINVAL with @msg, which begins with what is wrong, in quotes; -ENOMEM. */

/** filter_errnos() - "ENOENT,-EINVAL,any", "none" */
int filter_errnos(struct capture_options *capture, const char *arg, struct errmsg *msg);

/** filter_cpus() - "0,2-4" */
int filter_cpus(struct capture_options *capture, const char *arg, struct errmsg *msg);

#endif
