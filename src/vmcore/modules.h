/* SPDX-License-Identifier: GPL-2.0 */
/* modules.h - symbol tables of the modules that were loaded, out of a dump */
#ifndef LBRSNOOP_VMCORE_MODULES_H
#define LBRSNOOP_VMCORE_MODULES_H

#include <stdint.h>
#include <stdio.h>

#include "vmcore/dump.h"

/** struct modules_at - run-time addresses of what is needed of the kernel image; 0 if unknown */
struct modules_at {
	uint64_t list;	    /* "modules" */
	uint64_t btf_start; /* "__start_BTF" */
	uint64_t btf_stop;  /* "__stop_BTF" */
};

/**
 * modules_write() - their symbols, as lines of /proc/kallsyms
 * Where things stand in struct module is asked of the dump's own BTF.
 * @ret_failed: modules whose tables are not in the dump, or make no sense
 * Return: 0; -ENODATA if the kernel has no modules or no BTF; -EFAULT if pages of these are not in
 * the dump; -EBADMSG if they make no sense; -ENOMEM.
 */
int modules_write(struct dump *dump, const struct modules_at *at, FILE *out, uint32_t *ret_failed);

#endif
