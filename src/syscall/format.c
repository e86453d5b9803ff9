// SPDX-License-Identifier: GPL-2.0
/* format.c - a system call with its arguments, as strace writes it, out of the call's row */
#include "syscall/syscall.h"

#include <asm/unistd_64.h>
#include <inttypes.h>
#include <string.h>

#include "syscall/table.h"
#include "util/cleanup.h"

const char *syscall_name(unsigned int nr)
{
	return nr < SYSCALL_PLANS ? syscall_rows[nr].name : NULL;
}

int syscall_number(const char *name)
{
	for (int nr = 0; nr < SYSCALL_PLANS; nr++)
		if (syscall_rows[nr].name && !strcmp(syscall_rows[nr].name, name))
			return nr;
	return -1;
}

int syscall_number_in_kernel(const char *name)
{
	/* arch/x86/entry/syscalls/syscall_64.tbl: where the entry point has another name */
	static const struct {
		const char *kernel;
		int nr;
	} others[] = {
		{"newstat", __NR_stat},	  {"newfstat", __NR_fstat},	 {"newlstat", __NR_lstat},
		{"newuname", __NR_uname}, {"sendfile64", __NR_sendfile}, {"umount", __NR_umount2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].kernel, name))
			return others[i].nr;
	/* What programs call so has another name in the kernel: an event of it is of another call.
	 */
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (syscall_number(name) == others[i].nr)
			return -1;
	return syscall_number(name);
}

void syscall_read_plan(unsigned int nr, struct syscall_read_plan *ret_plan)
{
	memset(ret_plan, 0, sizeof(*ret_plan));
	if (!syscall_name(nr))
		return;
	for (unsigned int arg = 0; arg < SYSCALL_ARGS; arg++) {
		const struct arg_type *type = syscall_rows[nr].args[arg];

		if (!type || type->kind == SYSCALL_READ_NONE)
			continue;
		ret_plan->args[arg] = (struct syscall_read){
			.kind = type->kind,
			.len_arg = type->kind == SYSCALL_READ_COUNTED
					   ? (uint8_t)((int)arg + type->count_at)
					   : 0,
			.unit = type->unit,
			.max = type->max,
		};
	}
}

/* A call that is not in the table has its number for a name, and what may be arguments. */
static void print_unknown_call(struct printer *p)
{
	print_text(p, "syscall_%#x(", p->call->nr);
	for (unsigned int arg = 0; arg < SYSCALL_ARGS; arg++)
		print_text(p, "%s%#" PRIx64, arg ? ", " : "", (uint64_t)p->call->args[arg]);
	print_text(p, ")");
}

bool syscall_argument_is_string(const struct syscall_event *call, unsigned int arg)
{
	const struct arg_type *type =
		syscall_name(call->nr) ? syscall_rows[call->nr].args[arg] : NULL;
	char text[8] = "";
	struct printer p = {.call = call, .buf = text, .size = sizeof(text)};

	if (!type || type->kind != SYSCALL_READ_STRING)
		return false;
	type->print(&p, arg, type);
	return text[0] == '"';
}

int syscall_format(const struct syscall_event *call, char *buf, size_t size)
{
	struct printer p = {.call = call, .buf = buf, .size = size};

	if (size)
		buf[0] = '\0';
	if (!syscall_name(call->nr)) {
		print_unknown_call(&p);
		return (int)p.len;
	}
	print_text(&p, "%s(", syscall_rows[call->nr].name);
	for (unsigned int arg = 0; arg < SYSCALL_ARGS && syscall_rows[call->nr].args[arg]; arg++) {
		const struct arg_type *type = syscall_rows[call->nr].args[arg];

		p.separate = arg > 0;
		type->print(&p, arg, type);
	}
	p.separate = false;
	print_text(&p, ")");
	return (int)p.len;
}
