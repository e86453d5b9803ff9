/* SPDX-License-Identifier: GPL-2.0 */
/* syscall.h - x86-64 system calls: names, numbers, and arguments as strace writes them */
#ifndef LBRSNOOP_SYSCALL_SYSCALL_H
#define LBRSNOOP_SYSCALL_SYSCALL_H

#include <stdbool.h>
#include <stddef.h>

#include "syscall_event.h"

/* Room for any call: strings of SYSCALL_BYTES_MAX bytes, each as an octal number, and names. */
#define SYSCALL_TEXT_MAX 8192

/**
 * syscall_name() - "openat" of 257
 * Return: NULL if Linux 6.18 and before have no such call.
 * Source: arch/x86/entry/syscalls/syscall_64.tbl.
 */
const char *syscall_name(unsigned int nr);

/** syscall_number() - 257 of "openat"; -1 if there is none */
int syscall_number(const char *name);

/**
 * syscall_number_in_kernel() - the same of a name as SYSCALL_DEFINEn() has it, and events of
 * tracefs Return: 4 of "newstat", which "stat" is to programs; -1 if there is none.
 */
int syscall_number_in_kernel(const char *name);

/**
 * syscall_read_plan() - what a BPF program reads through the arguments, for syscall_format()
 * @nr: any number
 * @ret_plan: all SYSCALL_READ_NONE if the call is not known, or has nothing to read
 */
void syscall_read_plan(unsigned int nr, struct syscall_read_plan *ret_plan);

/**
 * syscall_argument_is_string() - is this argument a string that was read?
 * Some arguments are one or an address, as the call's command says: keyctl(), quotactl(), prctl().
 * @arg: 0 to SYSCALL_ARGS - 1
 */
bool syscall_argument_is_string(const struct syscall_event *call, unsigned int arg);

/**
 * syscall_format() - the call as strace writes it, without the value it returns
 * @call: hostile: nothing in it is believed
 * @buf: always terminated if @size is not 0; cut if too small, SYSCALL_TEXT_MAX is enough.
 *       Foreign bytes are escaped as strace does: printable ASCII alone.
 *
 * What the kernel writes is not known at the entry: such arguments are addresses, as strace writes
 * them for calls that fail. Of what is longer than was read, the part that was read is written,
 * and "..." behind it, as by strace -s.
 *
 * Return: characters that the whole text has, as snprintf().
 */
int syscall_format(const struct syscall_event *call, char *buf, size_t size);

#endif
