// SPDX-License-Identifier: GPL-2.0
/* Files and directories: how they are opened, changed, copied and watched. */
#include "syscall/args.h"
#include "syscall/print.h"

#include <string.h>
#include <unistd.h>

#include <linux/close_range.h>
#include <linux/fadvise.h>
#include <linux/falloc.h>
#include <linux/fanotify.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/inotify.h>
#include <linux/memfd.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <linux/stat.h>
#include <linux/xattr.h>

#include "syscall/newer.h"

/* asm-generic/fcntl.h */
static const struct constant access_modes_rows[] = {
	CONSTANT(O_RDONLY),
	CONSTANT(O_WRONLY),
	CONSTANT(O_RDWR),
	CONSTANT(O_ACCMODE),
};
static const struct constants access_modes = CONSTANTS(access_modes_rows, NULL);

/* asm-generic/fcntl.h; O_SYNC and O_TMPFILE have the bits of others in them */
static const struct constant open_bits_rows[] = {
	CONSTANT(O_CREAT),     CONSTANT(O_EXCL),      CONSTANT(O_NOCTTY),    CONSTANT(O_TRUNC),
	CONSTANT(O_APPEND),    CONSTANT(O_NONBLOCK),  CONSTANT(O_SYNC),	     CONSTANT(__O_SYNC),
	CONSTANT(O_DSYNC),     CONSTANT(O_DIRECT),    CONSTANT(O_LARGEFILE), CONSTANT(O_NOFOLLOW),
	CONSTANT(O_NOATIME),   CONSTANT(O_CLOEXEC),   CONSTANT(O_PATH),	     CONSTANT(O_TMPFILE),
	CONSTANT(__O_TMPFILE), CONSTANT(O_DIRECTORY), CONSTANT(FASYNC),
};
static const struct constants open_bits = CONSTANTS(open_bits_rows, "O_???");

/* linux/fcntl.h */
static const struct constant at_flags_rows[] = {
	CONSTANT(AT_SYMLINK_NOFOLLOW), CONSTANT(AT_REMOVEDIR),	CONSTANT(AT_SYMLINK_FOLLOW),
	CONSTANT(AT_NO_AUTOMOUNT),     CONSTANT(AT_EMPTY_PATH), CONSTANT(AT_RECURSIVE),
};
static const struct constants at_flags = CONSTANTS(at_flags_rows, "AT_???");

/* linux/fcntl.h */
static const struct constant faccessat2_flags_rows[] = {
	CONSTANT(AT_SYMLINK_NOFOLLOW),
	CONSTANT(AT_EACCESS),
	CONSTANT(AT_EMPTY_PATH),
};
static const struct constants faccessat2_flags = CONSTANTS(faccessat2_flags_rows, "AT_???");

/* linux/fcntl.h */
static const struct constant name_to_handle_flags_rows[] = {
	CONSTANT(AT_SYMLINK_FOLLOW),	   CONSTANT(AT_EMPTY_PATH),	    CONSTANT(AT_HANDLE_FID),
	CONSTANT(AT_HANDLE_MNT_ID_UNIQUE), CONSTANT(AT_HANDLE_CONNECTABLE),
};
static const struct constants name_to_handle_flags = CONSTANTS(name_to_handle_flags_rows, "AT_???");

/* linux/fcntl.h */
static const struct constant statx_sync_rows[] = {
	CONSTANT(AT_STATX_SYNC_AS_STAT),
	CONSTANT(AT_STATX_FORCE_SYNC),
	CONSTANT(AT_STATX_DONT_SYNC),
};
static const struct constants statx_sync = CONSTANTS(statx_sync_rows, NULL);

/* linux/stat.h */
static const struct constant statx_mask_rows[] = {
	CONSTANT(STATX_ALL),	       CONSTANT(STATX_BASIC_STATS),
	CONSTANT(STATX_TYPE),	       CONSTANT(STATX_MODE),
	CONSTANT(STATX_NLINK),	       CONSTANT(STATX_UID),
	CONSTANT(STATX_GID),	       CONSTANT(STATX_ATIME),
	CONSTANT(STATX_MTIME),	       CONSTANT(STATX_CTIME),
	CONSTANT(STATX_INO),	       CONSTANT(STATX_SIZE),
	CONSTANT(STATX_BLOCKS),	       CONSTANT(STATX_BTIME),
	CONSTANT(STATX_MNT_ID),	       CONSTANT(STATX_DIOALIGN),
	CONSTANT(STATX_MNT_ID_UNIQUE), CONSTANT(STATX_SUBVOL),
	CONSTANT(STATX_WRITE_ATOMIC),  CONSTANT(STATX_DIO_READ_ALIGN),
};
static const struct constants statx_mask = CONSTANTS(statx_mask_rows, "STATX_???");

/* unistd.h of libc; the kernel has no names */
static const struct constant access_rights_rows[] = {
	CONSTANT(F_OK),
	CONSTANT(R_OK),
	CONSTANT(W_OK),
	CONSTANT(X_OK),
};
static const struct constants access_rights = CONSTANTS(access_rights_rows, "?_OK");

/* linux/fs.h */
static const struct constant whence_rows[] = {
	CONSTANT(SEEK_SET),  CONSTANT(SEEK_CUR),  CONSTANT(SEEK_END),
	CONSTANT(SEEK_DATA), CONSTANT(SEEK_HOLE),
};
static const struct constants whence = CONSTANTS(whence_rows, "SEEK_???");

/* linux/stat.h */
static const struct constant file_types_rows[] = {
	CONSTANT(S_IFREG), CONSTANT(S_IFSOCK), CONSTANT(S_IFIFO), CONSTANT(S_IFLNK),
	CONSTANT(S_IFBLK), CONSTANT(S_IFDIR),  CONSTANT(S_IFCHR),
};
static const struct constants file_types = CONSTANTS(file_types_rows, NULL);

/* linux/stat.h */
static const struct constant mode_bits_rows[] = {
	CONSTANT(S_ISUID),
	CONSTANT(S_ISGID),
	CONSTANT(S_ISVTX),
};
static const struct constants mode_bits = CONSTANTS(mode_bits_rows, NULL);

/* asm-generic/fcntl.h */
static const struct constant flock_bits_rows[] = {
	CONSTANT(LOCK_SH),   CONSTANT(LOCK_EX), CONSTANT(LOCK_NB),   CONSTANT(LOCK_UN),
	CONSTANT(LOCK_MAND), CONSTANT(LOCK_RW), CONSTANT(LOCK_READ), CONSTANT(LOCK_WRITE),
};
static const struct constants flock_bits = CONSTANTS(flock_bits_rows, "LOCK_???");

/* linux/fs.h */
static const struct constant rename_flags_rows[] = {
	CONSTANT(RENAME_NOREPLACE),
	CONSTANT(RENAME_EXCHANGE),
	CONSTANT(RENAME_WHITEOUT),
};
static const struct constants rename_flags = CONSTANTS(rename_flags_rows, "RENAME_??");

/* linux/falloc.h */
static const struct constant fallocate_bits_rows[] = {
	CONSTANT(FALLOC_FL_KEEP_SIZE),	   CONSTANT(FALLOC_FL_PUNCH_HOLE),
	CONSTANT(FALLOC_FL_NO_HIDE_STALE), CONSTANT(FALLOC_FL_COLLAPSE_RANGE),
	CONSTANT(FALLOC_FL_ZERO_RANGE),	   CONSTANT(FALLOC_FL_INSERT_RANGE),
	CONSTANT(FALLOC_FL_UNSHARE_RANGE), CONSTANT(FALLOC_FL_WRITE_ZEROES),
};
static const struct constants fallocate_bits = CONSTANTS(fallocate_bits_rows, "FALLOC_FL_???");

/* linux/fadvise.h */
static const struct constant fadvise_advice_rows[] = {
	CONSTANT(POSIX_FADV_NORMAL),	 CONSTANT(POSIX_FADV_RANDOM),
	CONSTANT(POSIX_FADV_SEQUENTIAL), CONSTANT(POSIX_FADV_WILLNEED),
	CONSTANT(POSIX_FADV_DONTNEED),	 CONSTANT(POSIX_FADV_NOREUSE),
};
static const struct constants fadvise_advice = CONSTANTS(fadvise_advice_rows, "POSIX_FADV_???");

/* include/linux/splice.h */
static const struct constant splice_bits_rows[] = {
	CONSTANT(SPLICE_F_MOVE),
	CONSTANT(SPLICE_F_NONBLOCK),
	CONSTANT(SPLICE_F_MORE),
	CONSTANT(SPLICE_F_GIFT),
};
static const struct constants splice_bits = CONSTANTS(splice_bits_rows, "SPLICE_F_???");

/* linux/fs.h */
static const struct constant sync_range_bits_rows[] = {
	CONSTANT(SYNC_FILE_RANGE_WAIT_BEFORE),
	CONSTANT(SYNC_FILE_RANGE_WRITE),
	CONSTANT(SYNC_FILE_RANGE_WAIT_AFTER),
};
static const struct constants sync_range_bits =
	CONSTANTS(sync_range_bits_rows, "SYNC_FILE_RANGE_???");

/* linux/fs.h */
static const struct constant rw_bits_rows[] = {
	CONSTANT(RWF_HIPRI),  CONSTANT(RWF_DSYNC),    CONSTANT(RWF_SYNC),   CONSTANT(RWF_NOWAIT),
	CONSTANT(RWF_APPEND), CONSTANT(RWF_NOAPPEND), CONSTANT(RWF_ATOMIC), CONSTANT(RWF_DONTCACHE),
};
static const struct constants rw_bits = CONSTANTS(rw_bits_rows, "RWF_???");

/* linux/xattr.h */
static const struct constant xattr_bits_rows[] = {
	CONSTANT(XATTR_CREATE),
	CONSTANT(XATTR_REPLACE),
};
static const struct constants xattr_bits = CONSTANTS(xattr_bits_rows, "XATTR_???");

/* linux/inotify.h */
static const struct constant inotify_init_bits_rows[] = {
	CONSTANT(IN_NONBLOCK),
	CONSTANT(IN_CLOEXEC),
};
static const struct constants inotify_init_bits = CONSTANTS(inotify_init_bits_rows, "IN_???");

/* linux/inotify.h */
static const struct constant inotify_events_rows[] = {
	CONSTANT(IN_ACCESS),	  CONSTANT(IN_MODIFY),	      CONSTANT(IN_ATTRIB),
	CONSTANT(IN_CLOSE_WRITE), CONSTANT(IN_CLOSE_NOWRITE), CONSTANT(IN_OPEN),
	CONSTANT(IN_MOVED_FROM),  CONSTANT(IN_MOVED_TO),      CONSTANT(IN_CREATE),
	CONSTANT(IN_DELETE),	  CONSTANT(IN_DELETE_SELF),   CONSTANT(IN_MOVE_SELF),
	CONSTANT(IN_UNMOUNT),	  CONSTANT(IN_Q_OVERFLOW),    CONSTANT(IN_IGNORED),
	CONSTANT(IN_ONLYDIR),	  CONSTANT(IN_DONT_FOLLOW),   CONSTANT(IN_EXCL_UNLINK),
	CONSTANT(IN_MASK_CREATE), CONSTANT(IN_MASK_ADD),      CONSTANT(IN_ISDIR),
	CONSTANT(IN_ONESHOT),
};
static const struct constants inotify_events = CONSTANTS(inotify_events_rows, "IN_???");

/* linux/fanotify.h */
static const struct constant fanotify_classes_rows[] = {
	CONSTANT(FAN_CLASS_NOTIF),
	CONSTANT(FAN_CLASS_CONTENT),
	CONSTANT(FAN_CLASS_PRE_CONTENT),
};
static const struct constants fanotify_classes = CONSTANTS(fanotify_classes_rows, "FAN_CLASS_???");

/* linux/fanotify.h */
static const struct constant fanotify_init_bits_rows[] = {
	CONSTANT(FAN_CLOEXEC),		 CONSTANT(FAN_NONBLOCK),
	CONSTANT(FAN_UNLIMITED_QUEUE),	 CONSTANT(FAN_UNLIMITED_MARKS),
	CONSTANT(FAN_ENABLE_AUDIT),	 CONSTANT(FAN_REPORT_PIDFD),
	CONSTANT(FAN_REPORT_TID),	 CONSTANT(FAN_REPORT_FID),
	CONSTANT(FAN_REPORT_DIR_FID),	 CONSTANT(FAN_REPORT_NAME),
	CONSTANT(FAN_REPORT_TARGET_FID), CONSTANT(FAN_REPORT_FD_ERROR),
	CONSTANT(FAN_REPORT_MNT),
};
static const struct constants fanotify_init_bits = CONSTANTS(fanotify_init_bits_rows, "FAN_???");

/* linux/fanotify.h */
static const struct constant fanotify_mark_bits_rows[] = {
	CONSTANT(FAN_MARK_ADD),
	CONSTANT(FAN_MARK_REMOVE),
	CONSTANT(FAN_MARK_DONT_FOLLOW),
	CONSTANT(FAN_MARK_ONLYDIR),
	CONSTANT(FAN_MARK_MOUNT),
	CONSTANT(FAN_MARK_IGNORED_MASK),
	CONSTANT(FAN_MARK_IGNORED_SURV_MODIFY),
	CONSTANT(FAN_MARK_FLUSH),
	CONSTANT(FAN_MARK_FILESYSTEM),
	CONSTANT(FAN_MARK_EVICTABLE),
	CONSTANT(FAN_MARK_IGNORE),
};
static const struct constants fanotify_mark_bits =
	CONSTANTS(fanotify_mark_bits_rows, "FAN_MARK_???");

/* linux/fanotify.h */
static const struct constant fanotify_events_rows[] = {
	CONSTANT(FAN_ACCESS),	   CONSTANT(FAN_MODIFY),	CONSTANT(FAN_ATTRIB),
	CONSTANT(FAN_CLOSE_WRITE), CONSTANT(FAN_CLOSE_NOWRITE), CONSTANT(FAN_OPEN),
	CONSTANT(FAN_MOVED_FROM),  CONSTANT(FAN_MOVED_TO),	CONSTANT(FAN_CREATE),
	CONSTANT(FAN_DELETE),	   CONSTANT(FAN_DELETE_SELF),	CONSTANT(FAN_MOVE_SELF),
	CONSTANT(FAN_OPEN_EXEC),   CONSTANT(FAN_Q_OVERFLOW),	CONSTANT(FAN_FS_ERROR),
	CONSTANT(FAN_OPEN_PERM),   CONSTANT(FAN_ACCESS_PERM),	CONSTANT(FAN_OPEN_EXEC_PERM),
	CONSTANT(FAN_DIR_MODIFY),  CONSTANT(FAN_PRE_ACCESS),	CONSTANT(FAN_MNT_ATTACH),
	CONSTANT(FAN_MNT_DETACH),  CONSTANT(FAN_ONDIR),		CONSTANT(FAN_EVENT_ON_CHILD),
	CONSTANT(FAN_RENAME),
};
static const struct constants fanotify_events = CONSTANTS(fanotify_events_rows, "FAN_???");

/* linux/close_range.h */
static const struct constant close_range_bits_rows[] = {
	CONSTANT(CLOSE_RANGE_UNSHARE),
	CONSTANT(CLOSE_RANGE_CLOEXEC),
};
static const struct constants close_range_bits =
	CONSTANTS(close_range_bits_rows, "CLOSE_RANGE_???");

/* linux/fcntl.h */
static const struct constant memfd_secret_bits_rows[] = {
	CONSTANT(O_CLOEXEC),
};
static const struct constants memfd_secret_bits = CONSTANTS(memfd_secret_bits_rows, NULL);

/* linux/memfd.h */
static const struct constant memfd_bits_rows[] = {
	CONSTANT(MFD_CLOEXEC),	   CONSTANT(MFD_ALLOW_SEALING), CONSTANT(MFD_HUGETLB),
	CONSTANT(MFD_NOEXEC_SEAL), CONSTANT(MFD_EXEC),
};
static const struct constants memfd_bits = CONSTANTS(memfd_bits_rows, "MFD_???");

/* linux/openat2.h */
static const struct constant resolve_bits_rows[] = {
	CONSTANT(RESOLVE_NO_XDEV), CONSTANT(RESOLVE_NO_MAGICLINKS), CONSTANT(RESOLVE_NO_SYMLINKS),
	CONSTANT(RESOLVE_BENEATH), CONSTANT(RESOLVE_IN_ROOT),	    CONSTANT(RESOLVE_CACHED),
};
static const struct constants resolve_bits = CONSTANTS(resolve_bits_rows, "RESOLVE_???");

void print_mode(struct printer *p, uint32_t mode)
{
	print_text(p, "%#03o", mode);
}

void print_open_flags(struct printer *p, uint64_t flags)
{
	uint64_t rest;

	print_text(p, "%s", constant_name(&access_modes, flags & O_ACCMODE));
	print_known_flags(p, flags & ~(uint64_t)O_ACCMODE, &open_bits, 1, &rest);
	if (rest)
		print_text(p, "|%#lx", rest);
}

/* A file system's mode_t has 16 bits. */
static void print_arg_mode(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_mode(p, (uint16_t)p->call->args[arg]);
}

static void print_arg_open_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_open_flags(p, (uint32_t)p->call->args[arg]);
}

/* Where nothing is made, the argument is not there. */
static void print_open_mode(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	if (p->call->args[arg - 1] & (O_CREAT | __O_TMPFILE))
		print_arg_mode(p, arg, type);
}

static void print_mknod_mode(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t mode = (uint16_t)p->call->args[arg];
	const char *file = constant_name(&file_types, mode & S_IFMT);
	uint64_t rest = mode;
	uint32_t count = 0;

	(void)type;
	if (mode & S_IFMT && !file) {
		print_mode(p, mode);
		return;
	}
	if (file) {
		print_text(p, "%s", file);
		rest &= ~(uint64_t)S_IFMT;
		count = 1;
	}
	count += print_known_flags(p, rest, &mode_bits, count, &rest);
	if (count)
		print_text(p, "|");
	print_mode(p, (uint32_t)rest);
}

/* new_encode_dev() in include/linux/kdev_t.h: 20 bits of the minor number around 12 of the major */
static void print_device(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t dev = (uint32_t)p->call->args[arg];

	(void)type;
	print_text(p, "makedev(%#x, %#x)", dev >> 8 & 0xfff, (dev & 0xff) | (dev >> 12 & 0xfff00));
}

static void print_mknod_device(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t file = p->call->args[arg - 1] & S_IFMT;

	if (file == S_IFCHR || file == S_IFBLK)
		print_device(p, arg, type);
}

static void print_statx_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t flags = (uint32_t)p->call->args[arg], rest;
	const char *sync = constant_name(&statx_sync, flags & AT_STATX_SYNC_TYPE);

	(void)type;
	print_text(p, "%s", sync ?: "AT_STATX_FORCE_SYNC|AT_STATX_DONT_SYNC");
	print_known_flags(p, flags & ~(uint64_t)AT_STATX_SYNC_TYPE, &at_flags, 1, &rest);
	if (rest)
		print_text(p, "|%#lx", rest);
}

static void print_fanotify_init(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const uint32_t classes = FAN_CLASS_CONTENT | FAN_CLASS_PRE_CONTENT;
	uint32_t flags = (uint32_t)p->call->args[arg];

	(void)type;
	print_choice(p, flags & classes, &fanotify_classes);
	if (flags & ~classes) {
		print_text(p, "|");
		print_flags(p, flags & ~classes, &fanotify_init_bits);
	}
}

/* The logarithm of the page size is in the upper bits. */
static void print_memfd_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t flags = (uint32_t)p->call->args[arg];
	uint32_t huge = flags >> MFD_HUGE_SHIFT & MFD_HUGE_MASK;

	(void)type;
	flags &= ~((uint32_t)MFD_HUGE_MASK << MFD_HUGE_SHIFT);
	if (flags || !huge)
		print_flags(p, flags, &memfd_bits);
	if (huge)
		print_text(p, "%s%u<<MFD_HUGE_SHIFT", flags ? "|" : "", huge);
}

static void print_open_how(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct open_how));
	struct open_how how;

	if (!blob || p->call->args[arg + 1] < sizeof(how)) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&how, blob, sizeof(how));
	print_text(p, "{flags=");
	print_open_flags(p, how.flags);
	if (how.mode || how.flags & (O_CREAT | __O_TMPFILE)) {
		print_text(p, ", mode=");
		print_text(p, "%#03llo", how.mode);
	}
	print_text(p, ", resolve=");
	print_flags(p, how.resolve, &resolve_bits);
	print_text(p, p->call->args[arg + 1] > sizeof(how) ? ", ...}" : "}");
}

const struct arg_type arg_mode = {.print = print_arg_mode};
const struct arg_type arg_open_flags = {.print = print_arg_open_flags};
const struct arg_type arg_open_mode = {.print = print_open_mode};
const struct arg_type arg_open_bits = ARG_FLAGS(open_bits);
const struct arg_type arg_open_how = ARG_STRUCT(print_open_how, sizeof(struct open_how));
const struct arg_type arg_access_mode = ARG_FLAGS(access_rights);
const struct arg_type arg_at_flags = ARG_FLAGS(at_flags);
const struct arg_type arg_faccessat2_flags = ARG_FLAGS(faccessat2_flags);
const struct arg_type arg_name_to_handle_flags = ARG_FLAGS(name_to_handle_flags);
const struct arg_type arg_statx_flags = {.print = print_statx_flags};
const struct arg_type arg_statx_mask = ARG_FLAGS(statx_mask);
const struct arg_type arg_whence = ARG_CHOICE(whence);
const struct arg_type arg_mknod_mode = {.print = print_mknod_mode};
const struct arg_type arg_mknod_device = {.print = print_mknod_device};
const struct arg_type arg_device = {.print = print_device};
const struct arg_type arg_flock = ARG_FLAGS(flock_bits);
const struct arg_type arg_rename_flags = ARG_FLAGS(rename_flags);
const struct arg_type arg_fallocate_mode = ARG_FLAGS(fallocate_bits);
const struct arg_type arg_fadvise = ARG_CHOICE(fadvise_advice);
const struct arg_type arg_splice_flags = ARG_FLAGS(splice_bits);
const struct arg_type arg_sync_range_flags = ARG_FLAGS(sync_range_bits);
const struct arg_type arg_rw_flags = ARG_FLAGS(rw_bits);
const struct arg_type arg_xattr_flags = ARG_FLAGS(xattr_bits);
const struct arg_type arg_inotify_flags = ARG_FLAGS(inotify_init_bits);
const struct arg_type arg_inotify_mask = ARG_FLAGS(inotify_events);
const struct arg_type arg_fanotify_init_flags = {.print = print_fanotify_init};
const struct arg_type arg_fanotify_mark_flags = ARG_FLAGS(fanotify_mark_bits);
const struct arg_type arg_fanotify_mask = ARG_FLAGS64(fanotify_events);
const struct arg_type arg_close_range_flags = ARG_FLAGS(close_range_bits);
const struct arg_type arg_memfd_secret_flags = ARG_FLAGS(memfd_secret_bits);
const struct arg_type arg_memfd_flags = {.print = print_memfd_flags};
