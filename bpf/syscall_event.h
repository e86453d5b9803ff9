/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_event.h - a system call's arguments, and what a program reads through them at its entry
 *
 * Shared by the BPF programs, src/capture and src/syscall.
 */
#ifndef LBRSNOOP_BPF_SYSCALL_EVENT_H
#define LBRSNOOP_BPF_SYSCALL_EVENT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define SYSCALL_ARGS	  6
#define SYSCALL_BYTES_MAX 128 /* of one argument */
#define SYSCALL_PLANS	  512 /* entries of the map of plans; x86-64 numbers are below */

/** enum syscall_read_kind - what is read through an argument */
enum syscall_read_kind {
	SYSCALL_READ_NONE = 0,
	SYSCALL_READ_STRING,  /* up to and with a NUL */
	SYSCALL_READ_BYTES,   /* @max bytes */
	SYSCALL_READ_COUNTED, /* args[@len_arg] times @unit bytes, at most @max */
};

/**
 * struct syscall_read - how one argument is read
 * @kind: enum syscall_read_kind
 * @len_arg: SYSCALL_READ_COUNTED: the argument that has the count, below SYSCALL_ARGS
 * @unit: SYSCALL_READ_COUNTED: bytes of one element
 * @max: bytes, at most SYSCALL_BYTES_MAX
 *
 * An argument that turns out to be no pointer (ioctl, prctl, keyctl) gives a fault, no error.
 */
struct syscall_read {
	__u8 kind;
	__u8 len_arg;
	__u8 unit;
	__u8 max;
};

/** struct syscall_read_plan - for one system call; the value of an array map, the key is its number
 */
struct syscall_read_plan {
	struct syscall_read args[SYSCALL_ARGS];
};

/** enum syscall_blob_status - what became of the read */
enum syscall_blob_status {
	SYSCALL_BLOB_NONE = 0, /* not read: the plan has nothing, or the pointer is NULL */
	SYSCALL_BLOB_READ,     /* all of it */
	SYSCALL_BLOB_CUT,      /* there is more than @max */
	SYSCALL_BLOB_FAULT,    /* the memory is not there, or not in memory now */
};

/**
 * struct syscall_blob - of one argument
 * @len: valid bytes, at most SYSCALL_BYTES_MAX; of a string without its NUL
 * @status: enum syscall_blob_status
 *
 * A string of @max - 1 characters and its NUL is SYSCALL_BLOB_READ. bpf_probe_read_user_str() gives
 * @max for that and for a longer one: the byte at @max - 1 of the source tells them apart.
 */
struct syscall_blob {
	__u16 len;
	__u8 status;
	__u8 unused;
};

/**
 * struct syscall_event - at the entry of a system call
 * @nr: its number
 * @args: as in the registers
 * @blobs: what was read through each argument
 * @bytes: its bytes; those behind the blob's @len are not valid
 */
struct syscall_event {
	__u64 args[SYSCALL_ARGS];
	__u32 nr;
	__u32 unused;
	struct syscall_blob blobs[SYSCALL_ARGS];
	__u8 bytes[SYSCALL_ARGS][SYSCALL_BYTES_MAX];
};

#endif
