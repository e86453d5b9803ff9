// SPDX-License-Identifier: GPL-2.0
/* fcntl: what the third argument is depends on the command. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/fcntl.h>
#include <linux/fs.h>

#include "syscall/newer.h"

/* linux/fcntl.h, asm-generic/fcntl.h */
static const struct constant commands_rows[] = {
	CONSTANT(F_DUPFD),
	CONSTANT(F_GETFD),
	CONSTANT(F_SETFD),
	CONSTANT(F_GETFL),
	CONSTANT(F_SETFL),
	CONSTANT(F_GETLK),
	CONSTANT(F_SETLK),
	CONSTANT(F_SETLKW),
	CONSTANT(F_SETOWN),
	CONSTANT(F_GETOWN),
	CONSTANT(F_SETSIG),
	CONSTANT(F_GETSIG),
	CONSTANT(F_SETOWN_EX),
	CONSTANT(F_GETOWN_EX),
	CONSTANT(F_GETOWNER_UIDS),
	CONSTANT(F_OFD_GETLK),
	CONSTANT(F_OFD_SETLK),
	CONSTANT(F_OFD_SETLKW),
	CONSTANT(F_SETLEASE),
	CONSTANT(F_GETLEASE),
	CONSTANT(F_NOTIFY),
	CONSTANT(F_DUPFD_QUERY),
	CONSTANT(F_CREATED_QUERY),
	CONSTANT(F_CANCELLK),
	CONSTANT(F_DUPFD_CLOEXEC),
	CONSTANT(F_SETPIPE_SZ),
	CONSTANT(F_GETPIPE_SZ),
	CONSTANT(F_ADD_SEALS),
	CONSTANT(F_GET_SEALS),
	CONSTANT(F_GET_RW_HINT),
	CONSTANT(F_SET_RW_HINT),
	CONSTANT(F_GET_FILE_RW_HINT),
	CONSTANT(F_SET_FILE_RW_HINT),
};
static const struct constants commands = CONSTANTS(commands_rows, "F_???");

/* asm-generic/fcntl.h */
static const struct constant fd_flags_rows[] = {
	CONSTANT(FD_CLOEXEC),
};
static const struct constants fd_flags = CONSTANTS(fd_flags_rows, "FD_???");

/* asm-generic/fcntl.h */
static const struct constant lock_types_rows[] = {
	CONSTANT(F_RDLCK), CONSTANT(F_WRLCK), CONSTANT(F_UNLCK),
	CONSTANT(F_EXLCK), CONSTANT(F_SHLCK),
};
static const struct constants lock_types = CONSTANTS(lock_types_rows, "F_???");

/* linux/fcntl.h */
static const struct constant seals_rows[] = {
	CONSTANT(F_SEAL_SEAL),	CONSTANT(F_SEAL_SHRINK),       CONSTANT(F_SEAL_GROW),
	CONSTANT(F_SEAL_WRITE), CONSTANT(F_SEAL_FUTURE_WRITE), CONSTANT(F_SEAL_EXEC),
};
static const struct constants seals = CONSTANTS(seals_rows, "F_SEAL_???");

/* linux/fcntl.h */
static const struct constant notifications_rows[] = {
	CONSTANT(DN_ACCESS), CONSTANT(DN_MODIFY), CONSTANT(DN_CREATE),	  CONSTANT(DN_DELETE),
	CONSTANT(DN_RENAME), CONSTANT(DN_ATTRIB), CONSTANT(DN_MULTISHOT),
};
static const struct constants notifications = CONSTANTS(notifications_rows, "DN_???");

/* linux/fs.h */
static const struct constant positions_rows[] = {
	CONSTANT(SEEK_SET),  CONSTANT(SEEK_CUR),  CONSTANT(SEEK_END),
	CONSTANT(SEEK_DATA), CONSTANT(SEEK_HOLE),
};
static const struct constants positions = CONSTANTS(positions_rows, "SEEK_???");

/* asm-generic/fcntl.h */
static const struct constant owners_rows[] = {
	CONSTANT(F_OWNER_TID),
	CONSTANT(F_OWNER_PID),
	CONSTANT(F_OWNER_PGRP),
};
static const struct constants owners = CONSTANTS(owners_rows, "F_OWNER_???");

static void print_lock(struct printer *p, unsigned int arg)
{
	const void *blob = printer_blob(p, arg, sizeof(struct flock));
	struct flock lock;

	if (!blob) {
		print_address(p, p->call->args[arg]);
		return;
	}
	memcpy(&lock, blob, sizeof(lock));
	print_text(p, "{l_type=");
	print_choice(p, (uint16_t)lock.l_type, &lock_types);
	print_text(p, ", l_whence=");
	print_choice(p, (uint16_t)lock.l_whence, &positions);
	print_text(p, ", l_start=%" PRId64 ", l_len=%" PRId64 "}", (int64_t)lock.l_start,
		   (int64_t)lock.l_len);
}

static void print_owner(struct printer *p, unsigned int arg)
{
	const void *blob = printer_blob(p, arg, sizeof(struct f_owner_ex));
	struct f_owner_ex owner;

	if (!blob) {
		print_address(p, p->call->args[arg]);
		return;
	}
	memcpy(&owner, blob, sizeof(owner));
	print_text(p, "{type=");
	print_choice(p, (uint32_t)owner.type, &owners);
	print_text(p, ", pid=%d}", owner.pid);
}

static void print_fcntl_arg(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t value = p->call->args[arg];

	switch ((uint32_t)p->call->args[arg - 1]) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		break;
	case F_SETFD:
		print_flags(p, (uint32_t)value, &fd_flags);
		break;
	case F_SETFL:
		print_open_flags(p, (uint32_t)value);
		break;
	case F_SETLEASE:
		print_choice(p, (uint32_t)value, &lock_types);
		break;
	case F_ADD_SEALS:
		print_flags(p, (uint32_t)value, &seals);
		break;
	case F_NOTIFY:
		print_flags(p, (uint32_t)value, &notifications);
		break;
	case F_SETSIG:
		print_signal(p, (int)value);
		break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_DUPFD_QUERY:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		print_arg_int(p, arg, type);
		break;
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK:
		print_lock(p, arg);
		break;
	case F_SETOWN_EX:
		print_owner(p, arg);
		break;
	case F_GETOWN_EX:
		print_address(p, value);
		break;
	default:
		print_text(p, "%#" PRIx64, value);
	}
}

const struct arg_type arg_fcntl_command = ARG_CHOICE(commands);
const struct arg_type arg_fcntl_arg = ARG_STRUCT(print_fcntl_arg, sizeof(struct flock));
