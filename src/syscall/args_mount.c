// SPDX-License-Identifier: GPL-2.0
/* Mounts by mount() and by file descriptors, swap and quotas. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/dqblk_xfs.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/quota.h>
#include <asm/unistd_64.h>

#include "syscall/newer.h"

/* linux/mount.h */
static const struct constant mount_bits_rows[] = {
	CONSTANT(MS_RDONLY),
	CONSTANT(MS_NOSUID),
	CONSTANT(MS_NODEV),
	CONSTANT(MS_NOEXEC),
	CONSTANT(MS_SYNCHRONOUS),
	CONSTANT(MS_REMOUNT),
	CONSTANT(MS_MANDLOCK),
	CONSTANT(MS_DIRSYNC),
	CONSTANT(MS_NOSYMFOLLOW),
	CONSTANT(MS_NOATIME),
	CONSTANT(MS_NODIRATIME),
	CONSTANT(MS_BIND),
	CONSTANT(MS_MOVE),
	CONSTANT(MS_REC),
	CONSTANT(MS_SILENT),
	CONSTANT(MS_POSIXACL),
	CONSTANT(MS_UNBINDABLE),
	CONSTANT(MS_PRIVATE),
	CONSTANT(MS_SLAVE),
	CONSTANT(MS_SHARED),
	CONSTANT(MS_RELATIME),
	CONSTANT(MS_KERNMOUNT),
	CONSTANT(MS_I_VERSION),
	CONSTANT(MS_STRICTATIME),
	CONSTANT(MS_LAZYTIME),
	CONSTANT(MS_SUBMOUNT),
	CONSTANT(MS_NOREMOTELOCK),
	CONSTANT(MS_NOSEC),
	CONSTANT(MS_BORN),
	CONSTANT(MS_ACTIVE),
	{(uint32_t)MS_NOUSER, "MS_NOUSER"},
};
static const struct constants mount_bits = CONSTANTS(mount_bits_rows, "MS_???");

/* include/linux/fs.h */
static const struct constant umount_bits_rows[] = {
	CONSTANT(MNT_FORCE),
	CONSTANT(MNT_DETACH),
	CONSTANT(MNT_EXPIRE),
	CONSTANT(UMOUNT_NOFOLLOW),
};
static const struct constants umount_bits = CONSTANTS(umount_bits_rows, "MNT_???");

/* linux/mount.h */
static const struct constant fsopen_bits_rows[] = {
	CONSTANT(FSOPEN_CLOEXEC),
};
static const struct constants fsopen_bits = CONSTANTS(fsopen_bits_rows, "FSOPEN_???");

/* linux/mount.h */
static const struct constant fsconfig_commands_rows[] = {
	CONSTANT(FSCONFIG_SET_FLAG),	   CONSTANT(FSCONFIG_SET_STRING),
	CONSTANT(FSCONFIG_SET_BINARY),	   CONSTANT(FSCONFIG_SET_PATH),
	CONSTANT(FSCONFIG_SET_PATH_EMPTY), CONSTANT(FSCONFIG_SET_FD),
	CONSTANT(FSCONFIG_CMD_CREATE),	   CONSTANT(FSCONFIG_CMD_RECONFIGURE),
	{8, "FSCONFIG_CMD_CREATE_EXCL"},
};
static const struct constants fsconfig_commands = CONSTANTS(fsconfig_commands_rows, "FSCONFIG_???");

/* linux/mount.h */
static const struct constant fsmount_bits_rows[] = {
	CONSTANT(FSMOUNT_CLOEXEC),
};
static const struct constants fsmount_bits = CONSTANTS(fsmount_bits_rows, "FSMOUNT_???");

/* linux/mount.h */
static const struct constant mount_attr_bits_rows[] = {
	CONSTANT(MOUNT_ATTR_RDONLY),	  CONSTANT(MOUNT_ATTR_NOSUID),
	CONSTANT(MOUNT_ATTR_NODEV),	  CONSTANT(MOUNT_ATTR_NOEXEC),
	CONSTANT(MOUNT_ATTR_NOATIME),	  CONSTANT(MOUNT_ATTR_STRICTATIME),
	CONSTANT(MOUNT_ATTR_NODIRATIME),  CONSTANT(MOUNT_ATTR_IDMAP),
	CONSTANT(MOUNT_ATTR_NOSYMFOLLOW),
};
static const struct constants mount_attr_bits = CONSTANTS(mount_attr_bits_rows, "MOUNT_ATTR_???");

/* linux/mount.h */
static const struct constant fspick_bits_rows[] = {
	CONSTANT(FSPICK_CLOEXEC),
	CONSTANT(FSPICK_SYMLINK_NOFOLLOW),
	CONSTANT(FSPICK_NO_AUTOMOUNT),
	CONSTANT(FSPICK_EMPTY_PATH),
};
static const struct constants fspick_bits = CONSTANTS(fspick_bits_rows, "FSPICK_???");

/* linux/mount.h */
static const struct constant move_mount_bits_rows[] = {
	CONSTANT(MOVE_MOUNT_F_SYMLINKS),   CONSTANT(MOVE_MOUNT_F_AUTOMOUNTS),
	CONSTANT(MOVE_MOUNT_F_EMPTY_PATH), CONSTANT(MOVE_MOUNT_T_SYMLINKS),
	CONSTANT(MOVE_MOUNT_T_AUTOMOUNTS), CONSTANT(MOVE_MOUNT_T_EMPTY_PATH),
	CONSTANT(MOVE_MOUNT_SET_GROUP),	   CONSTANT(MOVE_MOUNT_BENEATH),
};
static const struct constants move_mount_bits = CONSTANTS(move_mount_bits_rows, "MOVE_MOUNT_???");

/* linux/mount.h, linux/fcntl.h */
static const struct constant open_tree_bits_rows[] = {
	CONSTANT(OPEN_TREE_CLONE), CONSTANT(OPEN_TREE_CLOEXEC), CONSTANT(AT_SYMLINK_NOFOLLOW),
	CONSTANT(AT_REMOVEDIR),	   CONSTANT(AT_SYMLINK_FOLLOW), CONSTANT(AT_NO_AUTOMOUNT),
	CONSTANT(AT_EMPTY_PATH),   CONSTANT(AT_RECURSIVE),
};
static const struct constants open_tree_bits = CONSTANTS(open_tree_bits_rows, "OPEN_TREE_???");

/* linux/fcntl.h */
static const struct constant mount_setattr_bits_rows[] = {
	CONSTANT(AT_SYMLINK_NOFOLLOW),
	CONSTANT(AT_NO_AUTOMOUNT),
	CONSTANT(AT_EMPTY_PATH),
	CONSTANT(AT_RECURSIVE),
};
static const struct constants mount_setattr_bits = CONSTANTS(mount_setattr_bits_rows, "AT_???");

/* linux/mount.h */
static const struct constant propagations_rows[] = {
	{0, "0"},	    CONSTANT(MS_UNBINDABLE), CONSTANT(MS_PRIVATE),
	CONSTANT(MS_SLAVE), CONSTANT(MS_SHARED),
};
static const struct constants propagations = CONSTANTS(propagations_rows, "MS_???");

/* include/linux/swap.h */
static const struct constant swap_bits_rows[] = {
	CONSTANT(SWAP_FLAG_PREFER),
	CONSTANT(SWAP_FLAG_DISCARD),
	CONSTANT(SWAP_FLAG_DISCARD_ONCE),
	CONSTANT(SWAP_FLAG_DISCARD_PAGES),
};
static const struct constants swap_bits = CONSTANTS(swap_bits_rows, NULL);

/* linux/quota.h, linux/dqblk_xfs.h */
static const struct constant quota_commands_rows[] = {
	CONSTANT(Q_SYNC),	CONSTANT(Q_QUOTAON),	CONSTANT(Q_QUOTAOFF),
	CONSTANT(Q_GETFMT),	CONSTANT(Q_GETINFO),	CONSTANT(Q_SETINFO),
	CONSTANT(Q_GETQUOTA),	CONSTANT(Q_SETQUOTA),	CONSTANT(Q_GETNEXTQUOTA),
	CONSTANT(Q_XQUOTAON),	CONSTANT(Q_XQUOTAOFF),	CONSTANT(Q_XGETQUOTA),
	CONSTANT(Q_XSETQLIM),	CONSTANT(Q_XGETQSTAT),	CONSTANT(Q_XQUOTARM),
	CONSTANT(Q_XQUOTASYNC), CONSTANT(Q_XGETQSTATV), CONSTANT(Q_XGETNEXTQUOTA),
};
static const struct constants quota_commands = CONSTANTS(quota_commands_rows, "Q_???");

/* linux/quota.h */
static const struct constant quota_types_rows[] = {
	CONSTANT(USRQUOTA),
	CONSTANT(GRPQUOTA),
	CONSTANT(PRJQUOTA),
};
static const struct constants quota_types = CONSTANTS(quota_types_rows, "???QUOTA");

/* linux/quota.h */
static const struct constant quota_formats_rows[] = {
	CONSTANT(QFMT_VFS_OLD), CONSTANT(QFMT_VFS_V0), CONSTANT(QFMT_OCFS2),
	CONSTANT(QFMT_VFS_V1),	CONSTANT(QFMT_SHMEM),
};
static const struct constants quota_formats = CONSTANTS(quota_formats_rows, "QFMT_VFS_???");

/* The old magic number in the upper half tells nothing, the kernel drops it. */
#define MAGIC_MASK 0xffff0000ULL
#define MAGIC	   0xc0ed0000ULL

static void print_mount_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = p->call->args[arg];

	(void)type;
	if ((flags & MAGIC_MASK) == MAGIC) {
		print_text(p, "MS_MGC_VAL");
		flags &= ~MAGIC_MASK;
		if (!flags)
			return;
		print_text(p, "|");
	}
	print_flags(p, flags, &mount_bits);
}

static uint64_t flags_of_mount(const struct printer *p)
{
	uint64_t flags = p->call->args[3];

	return (flags & MAGIC_MASK) == MAGIC ? flags & ~MAGIC_MASK : flags;
}

/* path_mount() looks neither at the type nor, but for a remount, at the data in these cases. */
#define MS_NO_DATA (MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)

static void print_mount_type(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (flags_of_mount(p) & (MS_NO_DATA | MS_REMOUNT))
		print_arg_address(p, arg, type);
	else
		print_arg_string(p, arg, type);
}

static void print_mount_data(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (flags_of_mount(p) & MS_NO_DATA)
		print_arg_address(p, arg, type);
	else
		print_arg_string(p, arg, type);
}

/* In hexadecimal, every byte. */
static void print_binary(struct printer *p, unsigned int arg)
{
	int count = (int)p->call->args[arg + 1];
	const uint8_t *blob = printer_blob(p, arg, 0);
	int there = p->call->blobs[arg].len < count ? p->call->blobs[arg].len : count;

	if (!blob || there <= 0) {
		print_address(p, p->call->args[arg]);
		return;
	}
	print_text(p, "\"");
	for (int i = 0; i < there; i++)
		print_text(p, "\\x%02x", blob[i]);
	print_text(p, there < count ? "\"..." : "\"");
}

/* A string is read whatever the command; of binary data, what stands before a NUL. */
static void print_fsconfig_value(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch ((uint32_t)p->call->args[1]) {
	case FSCONFIG_SET_STRING:
	case FSCONFIG_SET_PATH:
	case FSCONFIG_SET_PATH_EMPTY:
		print_arg_string(p, arg, type);
		break;
	case FSCONFIG_SET_BINARY:
		print_binary(p, arg);
		break;
	default:
		print_arg_address(p, arg, type);
	}
}

/* Commands that set nothing have no key. */
static void print_fsconfig_key(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if ((uint32_t)p->call->args[1] <= FSCONFIG_SET_FD)
		print_arg_string(p, arg, type);
	else
		print_arg_address(p, arg, type);
}

static void print_fsconfig_aux(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t command = (uint32_t)p->call->args[1];

	if (command == FSCONFIG_SET_PATH || command == FSCONFIG_SET_PATH_EMPTY)
		arg_dirfd.print(p, arg, &arg_dirfd);
	else
		print_arg_int(p, arg, type);
}

static void print_mount_attr(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct mount_attr));
	struct mount_attr attr;

	if (!blob || p->call->args[arg + 1] < sizeof(attr)) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&attr, blob, sizeof(attr));
	print_text(p, "{attr_set=");
	print_flags(p, attr.attr_set, &mount_attr_bits);
	print_text(p, ", attr_clr=");
	print_flags(p, attr.attr_clr, &mount_attr_bits);
	print_text(p, ", propagation=");
	print_choice(p, attr.propagation, &propagations);
	print_text(p, ", userns_fd=%" PRIu64, (uint64_t)attr.userns_fd);
	print_text(p, p->call->args[arg + 1] > sizeof(attr) ? ", ...}" : "}");
}

/* The priority is in the lower bits; without SWAP_FLAG_PREFER it counts for nothing. */
static void print_swap_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t flags = (uint32_t)p->call->args[arg];
	uint32_t priority = flags & SWAP_FLAG_PRIO_MASK;
	uint64_t rest = 0;

	(void)type;
	flags &= ~(uint32_t)SWAP_FLAG_PRIO_MASK;
	if (flags && !print_known_flags(p, flags, &swap_bits, 0, &rest)) {
		print_text(p, "%#x /* SWAP_FLAG_??? */", flags);
	} else if (rest) {
		print_text(p, "|%#lx", rest);
	}
	print_text(p, "%s%u", flags ? "|" : "", priority);
}

static void print_quota_command(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t command = (uint32_t)p->call->args[arg];

	(void)type;
	print_text(p, "QCMD(");
	print_choice(p, command >> SUBCMDSHIFT, &quota_commands);
	print_text(p, ", ");
	print_choice(p, command & SUBCMDMASK, &quota_types);
	print_text(p, ")");
}

static uint32_t quota_command(const struct printer *p)
{
	/* quotactl_fd() has the file descriptor before it */
	unsigned int arg = p->call->nr == __NR_quotactl_fd ? 1 : 0;

	return (uint32_t)p->call->args[arg] >> SUBCMDSHIFT;
}

static void print_quota_id(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch (quota_command(p)) {
	case Q_QUOTAON:
		print_choice(p, (uint32_t)p->call->args[arg], &quota_formats);
		break;
	case Q_SYNC:
	case Q_QUOTAOFF:
	case Q_GETFMT:
	case Q_GETINFO:
	case Q_SETINFO:
	case Q_XQUOTAON:
	case Q_XQUOTAOFF:
	case Q_XGETQSTAT:
	case Q_XQUOTARM:
	case Q_XQUOTASYNC:
	case Q_XGETQSTATV:
		break;
	default:
		arg_id.print(p, arg, type);
	}
}

static void print_quota_address(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	switch (quota_command(p)) {
	case Q_SYNC:
	case Q_QUOTAOFF:
	case Q_XQUOTASYNC:
		break;
	case Q_QUOTAON:
		print_arg_string(p, arg, type);
		break;
	default:
		print_arg_address(p, arg, type);
	}
}

const struct arg_type arg_mount_type = {
	.print = print_mount_type, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_mount_flags = {.print = print_mount_flags};
const struct arg_type arg_mount_data = {
	.print = print_mount_data, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_umount_flags = ARG_FLAGS(umount_bits);
const struct arg_type arg_fsopen_flags = ARG_FLAGS(fsopen_bits);
const struct arg_type arg_fsconfig_command = ARG_CHOICE(fsconfig_commands);
const struct arg_type arg_fsconfig_key = {
	.print = print_fsconfig_key, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_fsconfig_value = {
	.print = print_fsconfig_value, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_fsconfig_aux = {.print = print_fsconfig_aux};
const struct arg_type arg_fsmount_flags = ARG_FLAGS(fsmount_bits);
const struct arg_type arg_mount_attr_flags = ARG_FLAGS(mount_attr_bits);
const struct arg_type arg_fspick_flags = ARG_FLAGS(fspick_bits);
const struct arg_type arg_move_mount_flags = ARG_FLAGS(move_mount_bits);
const struct arg_type arg_open_tree_flags = ARG_FLAGS(open_tree_bits);
const struct arg_type arg_mount_setattr_flags = ARG_FLAGS(mount_setattr_bits);
const struct arg_type arg_mount_attr = ARG_STRUCT(print_mount_attr, sizeof(struct mount_attr));
const struct arg_type arg_swap_flags = {.print = print_swap_flags};
const struct arg_type arg_quota_command = {.print = print_quota_command};
const struct arg_type arg_quota_id = {.print = print_quota_id};
const struct arg_type arg_quota_address = {
	.print = print_quota_address, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
