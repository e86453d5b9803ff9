/* SPDX-License-Identifier: GPL-2.0 */
/* ksyms.h - the kernel's own symbol table, out of a dump */
#ifndef LBRSNOOP_VMCORE_KSYMS_H
#define LBRSNOOP_VMCORE_KSYMS_H

#include "symbolize/symbolize.h"
#include "vmcore/vmcore.h"

/**
 * struct ksyms_modules - what became of the modules' symbols
 * @err: 0, or why there are none of any module from some point on: see ksym_modules_for_each()
 * @failed: modules whose symbols are not all there
 */
struct ksyms_modules {
	int err;
	uint32_t failed;
};

/**
 * ksyms_open() - kallsyms of the kernel image and its modules; no BPF programs
 * @ret_modules: set on success
 * @ret_symbols: set on success; symbols_close()
 * Return: 0; -ENODATA if VMCOREINFO does not tell where it is (before Linux 6.0); -EFAULT if its
 * pages are not in the dump; -EBADMSG if it makes no sense; -ENOMEM.
 */
int ksyms_open(struct dump *dump, struct ksyms_modules *ret_modules, struct symbols **ret_symbols);

/** struct ksym - a symbol that is looked for; @addr: result, 0 if there is none */
struct ksym {
	const char *name;
	uint64_t addr;
};

/**
 * ksyms_find() - addresses of some symbols of the kernel image, data and per-CPU ones, too
 * Return: 0; otherwise as ksyms_open().
 */
int ksyms_find(struct dump *dump, struct ksym *wanted, size_t count);

#endif
