/* SPDX-License-Identifier: GPL-2.0 */
/* functions.h - functions of the kernel and its modules, as BTF describes them */
#ifndef LBRSNOOP_TARGET_FUNCTIONS_H
#define LBRSNOOP_TARGET_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "util/errmsg.h"

struct functions;
struct btf;

/**
 * struct function - one function in BTF
 * @name, @module: borrowed; @module is "" for vmlinux
 * @btf_id: in the BTF of its module
 * @btf_fd: of the module's BTF, 0 for vmlinux
 * @ret: what its return register means
 * @ret_text: the C type it returns, for messages; borrowed
 * @btf: of its module; borrowed
 * @words: of 8 bytes, that its arguments take; FUNCTION_WORDS_NONE if no BPF trampoline can pass
 *         them on, or its return value
 */
struct function {
	const char *name;
	const char *module;
	uint32_t btf_id;
	int btf_fd;
	enum return_class ret;
	const char *ret_text;
	const struct btf *btf;
	uint32_t words;
};

#define FUNCTION_WORDS_NONE UINT32_MAX

/**
 * functions_open() - read vmlinux BTF; that of modules is read when a name needs it
 * Return: 0; -ENOENT if the kernel has no BTF; -ENOMEM. Free with functions_close().
 */
int functions_open(struct functions **ret_funcs, struct errmsg *msg);
void functions_close(struct functions *funcs);

/** functions_btf() - of the kernel image; valid until functions_forget() */
const struct btf *functions_btf(const struct functions *funcs);

/** functions_forget() - no more is asked: only the files of modules' BTF stay, until
 * functions_close() */
void functions_forget(struct functions *funcs);

/**
 * functions_find() - by name
 * @module: "" for vmlinux alone, NULL for anywhere, vmlinux first
 * Return: 0; -ENOENT.
 */
int functions_find(struct functions *funcs, const char *module, const char *name,
		   struct function *ret_func);

/**
 * functions_parameters() - of a function, those that are a number, an enum, a bool or a pointer
 * @ret: as many as are passed in the first ARGUMENTS_MAX words; free() it; NULL if there are none
 * Return: 0; -ENOMEM.
 */
int functions_parameters(const struct function *func, struct parameter **ret, uint32_t *ret_count);

/** typedef functions_visit_fn - non-zero stops; that value is returned */
typedef int functions_visit_fn(const struct function *func, void *ctx);

/** functions_for_each() - all whose names match a glob; @module as in functions_find() */
int functions_for_each(struct functions *funcs, const char *module, const char *glob,
		       functions_visit_fn *visit, void *ctx);

#endif
