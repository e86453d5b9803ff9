/* SPDX-License-Identifier: GPL-2.0 */
/* lbr_switch.h - where the LBR may have been switched off and on in the middle of a path */
#ifndef LBRSNOOP_PATH_LBR_SWITCH_H
#define LBRSNOOP_PATH_LBR_SWITCH_H

#include "path/path.h"

/**
 * recording_may_stop() - may this WRMSR have switched the LBR off?
 * Follows the register that names the MSR back through the executed instructions. Two halves of
 * kernel code that switch the LBR off and on can look like one straight run.
 * @path: under construction
 * @index: of the WRMSR in path->insns, the newest one
 * Return: true if it writes one of the MSRs that hold the LBR's switch, or one that is not known.
 */
bool recording_may_stop(const struct path *path, uint32_t index);

#endif
