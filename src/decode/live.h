/* SPDX-License-Identifier: GPL-2.0 */
/* live.h - the LBR registers of this machine, through /dev/cpu/N/msr */
#ifndef LBRSNOOP_DECODE_LIVE_H
#define LBRSNOOP_DECODE_LIVE_H

#include <stdint.h>

#include "decode/dump.h"
#include "decode/model.h"
#include "decode/notes.h"
#include "util/errmsg.h"

/**
 * live_read() - read one CPU's LBR
 * @model: of this machine, from lbr_model_of_host()
 * @dir: "/dev/cpu", or a folder like it (for tests)
 * @cpu: its number
 * @dump: gets a record for each register
 * @notes: gets a warning if the LBR is recording meanwhile, so that reading it changes it
 * @msg: what is wrong and what to do, on failure
 * Return: 0; -ENOENT if the module msr is not loaded, or there is no such CPU; -EPERM or -EACCES
 * if this process may not; -ENODEV if the CPU (or its hypervisor) does not have the registers.
 * Source: Linux arch/x86/kernel/msr.c; msr(4).
 */
int live_read(const struct lbr_model *model, const char *dir, unsigned int cpu, struct dump *dump,
	      struct notes *notes, struct errmsg *msg);

#endif
