// SPDX-License-Identifier: GPL-2.0
/* src/why/blame: which of the calls that failed made the command fail */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "why/blame.h"
#include "why_events.h"

#define ROOT 100
/* Children, as they were started. */
#define ONE 101
#define TWO 102

/* As waitpid() gives them. */
#define EXITED(status) ((status) << 8)
#define KILLED(signal) (signal)

static const struct blame_options any = {.syscall = -1, .any_errno = true};

static void blame_errno_in_message_wins_over_later_failures(void **state)
{
	struct failures failures = {};
	const struct failure *found;
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	failed(&failures, ROOT, SYS_chdir, EACCES, "/y", 0);
	said(&failures, ROOT, "mkdir: /x: ");
	said(&failures, ROOT, "Read-only file system\n");
	failed(&failures, ROOT, SYS_chdir, ENOTDIR, "/z", 0);
	found = blame_find(&failures, &any, &reason);
	assert_non_null(found);
	assert_int_equal(found->err, EROFS);
	assert_int_equal(reason, BLAME_SAID);
	assert_int_equal(failures.said_count, 1); /* two pieces, one line */
	failures_clear(&failures);
}

static void blame_message_names_argument_that_call_is_taken(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_openat, ENOENT, "/etc/right", 1);
	failed(&failures, ROOT, SYS_openat, ENOENT, "/etc/other", 1);
	said(&failures, ROOT, "cat: /etc/right: No such file or directory\n");
	assert_int_equal(blame_find(&failures, &any, NULL)->seq, failures.items[0].seq);
	failures_clear(&failures);
}

static void blame_message_names_call_that_call_is_taken(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_bind, EROFS, "/mnt/ro/x", 1);
	failed(&failures, ROOT, SYS_unlink, EROFS, "/mnt/ro/x", 0);
	said(&failures, ROOT, "E bind(5, {AF=1 \"/mnt/ro/x\"}): Read-only file system\n");
	assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, SYS_bind);
	failures_clear(&failures);
	/* A library that looked whether the path is a link is not to blame. */
	failed(&failures, ROOT, SYS_readlink, EINVAL, "/mnt/vfat", 0);
	failed(&failures, ROOT, SYS_ioctl, EINVAL, NULL, 0);
	said(&failures, ROOT, "fstrim: /mnt/vfat: FITRIM ioctl failed: Invalid argument\n");
	assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, SYS_ioctl);
	failures_clear(&failures);
	/* Part of another word is no name; a file that is named tells more than a call. */
	failed(&failures, ROOT, SYS_openat, EROFS, "/mnt/ro/x", 1);
	failed(&failures, ROOT, SYS_bind, EROFS, "/mnt/other", 1);
	said(&failures, ROOT, "unbind, bind: /mnt/ro/x: Read-only file system\n");
	assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, SYS_openat);
	failures_clear(&failures);
}

static void blame_message_catalogue_missing_is_not_blamed(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_unlink, ENOENT, "/none", 0);
	failed(&failures, ROOT, SYS_openat, ENOENT, "/usr/share/locale/C/LC_MESSAGES/libc.mo", 1);
	said(&failures, ROOT, "rm: cannot remove: No such file or directory\n");
	assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, SYS_unlink);
	failures_clear(&failures);
}

static void blame_other_message_serious_failure_before_it(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_mount, EINVAL, "none", 0);
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/run/x", 1);
	said(&failures, ROOT, "mount: wrong fs type\n");
	failed(&failures, ROOT, SYS_umount2, EBUSY, "/mnt", 0);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_mount);
	assert_int_equal(reason, BLAME_BEFORE);
	assert_false(blame_unnamed(&failures, &failures.items[0]));
	failures_clear(&failures);

	/* ip looks which of its requests the kernel has, and then refuses a name by itself. */
	failed(&failures, ROOT, SYS_sendto, ENODEV, NULL, 0);
	assert_false(blame_unnamed(&failures, &failures.items[0]));
	said(&failures, ROOT, "Error: argument is wrong: not a valid ifname\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_sendto);
	assert_int_equal(reason, BLAME_BEFORE);
	assert_true(blame_unnamed(&failures, &failures.items[0]));
	failures_clear(&failures);

	failed(&failures, ROOT, SYS_write, ENODEV, NULL, 0);
	said(&failures, ROOT, "sh: 1: echo: echo: I/O error\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_write);
	assert_int_equal(reason, BLAME_BEFORE);
	assert_false(blame_unnamed(&failures, &failures.items[0]));
	failures_clear(&failures);
}

static void blame_silent_command_last_failure(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_openat, ENOENT, "/usr/lib/glibc-hwcaps/x", 1);
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_newfstatat);
	assert_int_equal(reason, BLAME_LAST);
	failures_clear(&failures);
}

static void blame_command_passed_only_what_it_said(void **state)
{
	struct blame_options passed = any;
	struct failures failures = {};

	passed.passed = true;
	failed(&failures, ROOT, SYS_kill, EPERM, NULL, 0);
	said(&failures, ROOT, "all is well\n");
	assert_null(blame_find(&failures, &passed, NULL));
	said(&failures, ROOT, "kill: Operation not permitted\n");
	assert_non_null(blame_find(&failures, &passed, NULL));
	failures_clear(&failures);
}

/* Events as they were written down; the call to blame, by its number. */
static uint32_t blamed(struct failures *failures, enum blame_reason *ret_reason)
{
	const struct failure *found;
	uint32_t nr = UINT32_MAX;

	failures->root = ROOT;
	failures_sort(failures);
	found = blame_find(failures, &any, ret_reason);
	if (found)
		nr = found->call.nr;
	failures_clear(failures);
	return nr;
}

static void terminal_request(struct failures *failures, uint32_t tgid, uint64_t request)
{
	failed(failures, tgid, SYS_ioctl, ENOTTY, NULL, 0);
	failures->items[failures->count - 1].call.args[1] = request;
}

/* asm-generic/ioctls.h */
#define TCGETS 0x5401
/* linux/fs.h */
#define FITRIM 0xc0185879

/* isatty(), realpath(), the loader, bash's look for a remote shell: with anything beside them. */
static void blame_habits_never_while_another_call_failed(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_access, ENOENT, "/etc/ld.so.preload", 0);
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	terminal_request(&failures, ROOT, TCGETS);
	failed(&failures, ROOT, SYS_readlink, EINVAL, "/mnt", 0);
	failed(&failures, ROOT, SYS_lseek, ESPIPE, NULL, 0);
	failed(&failures, ROOT, SYS_rt_sigsuspend, EINTR, NULL, 0);
	failed(&failures, ROOT, SYS_pause, EINTR, NULL, 0);
	failed(&failures, ROOT, SYS_getpeername, ENOTSOCK, NULL, 0);
	failed(&failures, ROOT, SYS_openat, ENXIO, "/dev/tty", 1);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_newfstatat);
	assert_int_equal(reason, BLAME_LAST);
	/* What a child does that ends well is more than they are. */
	failures_clear(&failures);
	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	ended(&failures, ONE, EXITED(0));
	terminal_request(&failures, ROOT, TCGETS);
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);
}

static void blame_habits_that_are_all_say_so(void **state)
{
	struct blame_options passed = any, asked = any;
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_readlink, EINVAL, "/mnt", 0);
	terminal_request(&failures, ROOT, TCGETS);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_ioctl);
	assert_int_equal(reason, BLAME_ONLY);
	/* Asked for, they are calls like others. */
	asked.syscall = SYS_readlink;
	assert_int_equal(blame_find(&failures, &asked, &reason)->call.nr, SYS_readlink);
	assert_int_equal(reason, BLAME_LAST);
	/* The command ended with status 0. */
	passed.passed = true;
	assert_null(blame_find(&failures, &passed, NULL));
	failures_clear(&failures);
	/* What the C library looks for is not even then to blame. */
	failed(&failures, ROOT, SYS_access, ENOENT, "/etc/ld.so.preload", 0);
	assert_null(blame_find(&failures, &any, NULL));
	asked.syscall = SYS_access;
	assert_non_null(blame_find(&failures, &asked, NULL));
	failures_clear(&failures);
}

/* A message that names an errno, and nothing else: a link that is none has nothing to do with it.
 */
static void blame_message_of_errno_alone_is_not_of_a_habit(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_write, EINVAL, NULL, 0);
	failed(&failures, ROOT, SYS_readlink, EINVAL, "/mnt", 0);
	said(&failures, ROOT, "sysctl: setting key: Invalid argument\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_write);
	assert_int_equal(reason, BLAME_SAID);
	failures_clear(&failures);
	/* ... even if it is the only one with that errno: the program found it by itself. */
	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	failed(&failures, ROOT, SYS_readlink, EINVAL, "/mnt", 0);
	said(&failures, ROOT, "date: Invalid argument\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_mkdir);
	failures_clear(&failures);
	/* stty: that errno is a terminal's. */
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	terminal_request(&failures, ROOT, TCGETS);
	said(&failures, ROOT, "stty: 'standard input': Inappropriate ioctl for device\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_ioctl);
	assert_int_equal(reason, BLAME_SAID);
	failures_clear(&failures);
}

static void call_with(struct failures *failures, uint32_t nr, uint32_t err, size_t arg,
		      uint64_t value, const char *path)
{
	failed(failures, ROOT, nr, err, path, 1);
	failures->items[failures->count - 1].call.args[arg] = value;
}

/* mv to /proc: it removes what is there, makes the file anew, and tells of that. */
static void blame_file_to_be_made_is_no_look(void **state)
{
	static const uint32_t opens[] = {SYS_openat, SYS_open};
	struct failures failures = {};

	for (size_t i = 0; i < 2; i++) {
		size_t path = opens[i] == SYS_openat;

		failed(&failures, ROOT, SYS_unlinkat, ENOENT, "/proc/t", 1);
		failed(&failures, ROOT, opens[i], ENOENT, "/proc/t", path);
		failures.items[1].call.args[path + 1] = O_WRONLY | O_CREAT | O_EXCL;
		said(&failures, ROOT,
		     "mv: cannot create regular file '/proc/t': No such file or directory\n");
		assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, opens[i]);
		/* One that is to be there is looked for. */
		failures.items[1].call.args[path + 1] = O_RDONLY;
		assert_int_equal(blame_find(&failures, &any, NULL)->call.nr, SYS_unlinkat);
		failures_clear(&failures);
	}
}

/* libcap asks for the last capability by trying, in ip(8) and setcap(8). */
static void blame_library_looks_for_last_capability_is_not_blamed(void **state)
{
	struct failures failures = {};

	call_with(&failures, SYS_prctl, EINVAL, 0, PR_CAPBSET_READ, NULL);
	said(&failures, ROOT, "Error: any valid prefix is expected rather than \"10.0.0.1/33\".\n");
	assert_null(blame_find(&failures, &any, NULL));
	failures_clear(&failures);
	call_with(&failures, SYS_prctl, EINVAL, 0, PR_SET_NAME, NULL);
	assert_non_null(blame_find(&failures, &any, NULL));
	failures_clear(&failures);
}

/* "modprobe: FATAL: Module nosuch not found": no call says so, the program read a file. */
static void blame_look_that_no_message_names_says_so(void **state)
{
	struct failures failures = {};
	struct blame_options asked = any;
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/usr/local/lib/modprobe.d", 1);
	said(&failures, ROOT,
	     "modprobe: FATAL: Module nosuch not found in directory /lib/modules\n");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_newfstatat);
	assert_int_equal(reason, BLAME_PROBE);
	asked.syscall = SYS_newfstatat;
	assert_non_null(blame_find(&failures, &asked, &reason));
	assert_int_equal(reason, BLAME_LAST);
	/* Of what is named there is no doubt. */
	said(&failures, ROOT, "modprobe: /usr/local/lib/modprobe.d is missing\n");
	assert_non_null(blame_find(&failures, &any, &reason));
	assert_int_equal(reason, BLAME_LAST);
	failures_clear(&failures);
}

/* Other requests than a terminal's have a reason of their own. */
static void blame_request_of_a_device_is_no_habit(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	terminal_request(&failures, ROOT, FITRIM);
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_ioctl);
	assert_int_equal(reason, BLAME_LAST);
	failures_clear(&failures);
}

static void blame_options_restrict(void **state)
{
	uint64_t errnos[64] = {[EACCES / 64] = 1ull << EACCES % 64};
	struct blame_options one = {.syscall = SYS_chdir, .any_errno = true};
	struct blame_options other = {.syscall = -1, .errnos = errnos};
	struct failures failures = {};

	failed(&failures, ROOT, SYS_mkdir, EACCES, "/x", 0);
	failed(&failures, ROOT, SYS_chdir, ENOTDIR, "/y", 0);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, "/z", 0);
	assert_int_equal(blame_find(&failures, &one, NULL)->call.nr, SYS_chdir);
	assert_int_equal(blame_find(&failures, &other, NULL)->call.nr, SYS_mkdir);
	one.syscall = SYS_link;
	assert_null(blame_find(&failures, &one, NULL));
	failures_clear(&failures);
}

/* sh -c 'rmdir /sys; cat /none': both say why, the last one's status is the shell's. */
static void blame_two_children_failed_the_one_whose_status_was_handed_on(void **state)
{
	struct failures failures = {};

	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	said(&failures, ONE, "rmdir: failed to remove '/sys': Device or resource busy\n");
	ended(&failures, ONE, EXITED(1));
	failed(&failures, TWO, SYS_unlink, EACCES, "/x", 0);
	said(&failures, TWO, "rm: cannot remove '/x': Permission denied\n");
	ended(&failures, TWO, EXITED(1));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_unlink);

	/* r=0; rmdir /sys || r=$?; rm /x; exit $r, where rm ends with 2 */
	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	said(&failures, ONE, "rmdir: failed to remove '/sys': Device or resource busy\n");
	ended(&failures, ONE, EXITED(1));
	failed(&failures, TWO, SYS_unlink, EACCES, "/x", 0);
	said(&failures, TWO, "rm: cannot remove '/x': Permission denied\n");
	ended(&failures, TWO, EXITED(2));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);
}

/* A child that said what failed, and ended well, did not make the command fail. */
static void blame_child_that_ended_well_is_not_blamed_for_its_message(void **state)
{
	struct failures failures = {};

	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	said(&failures, ONE, "rmdir: failed to remove '/sys': Device or resource busy\n");
	ended(&failures, ONE, EXITED(1));
	failed(&failures, TWO, SYS_unlink, EACCES, "/x", 0);
	said(&failures, TWO, "warning: cannot remove '/x': Permission denied\n");
	ended(&failures, TWO, EXITED(0));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);
}

/* Of one process the last message: it went on after those before. */
static void blame_several_messages_of_one_process_the_last(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_setpriority, EPERM, NULL, 0);
	said(&failures, ROOT, "warning: setpriority: Operation not permitted\n");
	failed(&failures, ROOT, SYS_bind, EADDRINUSE, NULL, 0);
	said(&failures, ROOT, "error: bind: Address already in use\n");
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, &reason), SYS_bind);
	assert_int_equal(reason, BLAME_SAID);
}

/*
 * A message whose errno only calls have that programs take in their stride, and that names none of
 * them, says less than one before it. bash complains so of a locale that is not there.
 */
static void blame_message_that_only_fits_a_probing_call_comes_last(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	said(&failures, ROOT, "mkdir: cannot create directory '/x': Read-only file system\n");
	failed(&failures, ROOT, SYS_openat, ENOENT, "/usr/lib/charset.alias", 1);
	said(&failures, ROOT, "warning: cannot change locale: No such file or directory\n");
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_mkdir);
}

/* libselinux looks for SELinux when a program begins: a refusal of the program itself is not of it.
 */
static void blame_libselinux_is_not_blamed(void **state)
{
	struct failures failures = {};

	failed(&failures, ROOT, SYS_statfs, ENOENT, "/sys/fs/selinux", 0);
	failed(&failures, ROOT, SYS_statfs, ENOENT, "/selinux", 0);
	failed(&failures, ROOT, SYS_access, ENOENT, "/etc/selinux/config", 0);
	said(&failures, ROOT, "swapon: /x: skipping - it appears to have holes.\n");
	ended(&failures, ROOT, EXITED(255));
	assert_null(blame_find(&failures, &any, NULL));
	failures_clear(&failures);

	failed(&failures, ROOT, SYS_statfs, ENOENT, "/sys/fs/selinux", 0);
	failed(&failures, ROOT, SYS_access, ENOENT, "/etc/selinux/config", 0);
	failed(&failures, ROOT, SYS_statfs, ENOENT, "/none", 0);
	ended(&failures, ROOT, EXITED(1));
	assert_string_equal((const char *)blame_find(&failures, &any, NULL)->call.bytes[0],
			    "/none");
	failures_clear(&failures);
}

/* What runs on in the background fails on, and its failures are the last ones. */
static void blame_background_process_is_not_blamed(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	failed(&failures, ONE, SYS_kill, ESRCH, NULL, 0);
	ended(&failures, ROOT, EXITED(1));
	failed(&failures, ONE, SYS_kill, ESRCH, NULL, 0);
	assert_int_equal(blamed(&failures, &reason), SYS_mkdir);
	assert_int_equal(reason, BLAME_LAST);

	/* Nor for what it says, whether it names no errno ... */
	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	said(&failures, ROOT, "cannot make /x\n");
	failed(&failures, ONE, SYS_unlink, EACCES, "/y", 0);
	said(&failures, ONE, "cannot remove /y\n");
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, &reason), SYS_mkdir);
	assert_int_equal(reason, BLAME_BEFORE);

	/* ... or one. */
	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	said(&failures, ROOT, "/x: Read-only file system\n");
	failed(&failures, ONE, SYS_unlink, EACCES, "/y", 0);
	said(&failures, ONE, "/y: Permission denied\n");
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, &reason), SYS_mkdir);
	assert_int_equal(reason, BLAME_SAID);
}

/* Silent: the child that failed, before what its parent fails in its stride or a child that passed.
 */
static void blame_silent_processes_the_one_that_failed(void **state)
{
	struct failures failures = {};

	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	ended(&failures, ONE, EXITED(3));
	failed(&failures, TWO, SYS_unlink, EACCES, "/x", 0);
	ended(&failures, TWO, EXITED(0));
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);

	/* test -e /none: of the command itself all counts before anything of others that passed. */
	failed(&failures, ROOT, SYS_newfstatat, ENOENT, "/none", 1);
	failed(&failures, ONE, SYS_kill, ESRCH, NULL, 0);
	ended(&failures, ONE, EXITED(0));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_newfstatat);
}

/* sh -c 'sleep 1; readlink /none': dash asks for another child before it ends, and there is none.
 */
static void blame_shell_that_waited_for_all_is_not_blamed(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ONE, SYS_readlink, ENOENT, "/none", 0);
	ended(&failures, ONE, EXITED(1));
	failed(&failures, ROOT, SYS_wait4, ECHILD, NULL, 0);
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_readlink);
	/* With nothing else it is what there is; and a message may be about it. */
	failed(&failures, ROOT, SYS_wait4, ECHILD, NULL, 0);
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_wait4);
	assert_int_equal(reason, BLAME_ONLY);
	said(&failures, ROOT, "wait: No child processes");
	assert_int_equal(blame_find(&failures, &any, &reason)->call.nr, SYS_wait4);
	assert_int_equal(reason, BLAME_SAID);
	failures_clear(&failures);
}

/* A shell tells 128 and the signal of a child that one killed. */
static void blame_killed_child_status_as_the_shell_has_it(void **state)
{
	struct failures failures = {};

	failed(&failures, ONE, SYS_mmap, ENOMEM, NULL, 0);
	ended(&failures, ONE, KILLED(6));
	failed(&failures, TWO, SYS_rmdir, EBUSY, "/sys", 0);
	ended(&failures, TWO, EXITED(1));
	ended(&failures, ROOT, EXITED(134));
	assert_int_equal(blamed(&failures, NULL), SYS_mmap);
}

/* A process ID that is used again is another process. */
static void blame_process_id_used_again_has_its_own_end(void **state)
{
	struct failures failures = {};

	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	ended(&failures, ONE, EXITED(1));
	failed(&failures, ONE, SYS_unlink, EACCES, "/x", 0);
	ended(&failures, ONE, EXITED(0));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);
}

/* wget: "Connecting to HOST... ", the call, and then what came of it, in one line. */
static void blame_message_begun_before_the_call_ends_behind_it(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_connect, ECONNREFUSED, "another", 1);
	said(&failures, ROOT, "Connecting to localhost... ");
	failed(&failures, ROOT, SYS_connect, ECONNREFUSED, "localhost", 1);
	said(&failures, ROOT, "failed: Connection refused.\n");
	failed(&failures, ROOT, SYS_connect, ECONNREFUSED, "a third", 1);
	assert_string_equal((const char *)blame_find(&failures, &any, &reason)->call.bytes[1],
			    "localhost");
	assert_int_equal(reason, BLAME_SAID);
	failures_clear(&failures);
	/* The same where it names no errno. */
	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	said(&failures, ROOT, "Mounting... ");
	failed(&failures, ROOT, SYS_mount, EINVAL, "none", 0);
	said(&failures, ROOT, "failed\n");
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, &reason), SYS_mount);
	assert_int_equal(reason, BLAME_BEFORE);
}

/* The kernel's side reads WHY_SAID_MAX bytes: of such a line the end is not there. */
static void blame_message_behind_one_that_was_cut(void **state)
{
	struct failures failures = {};
	char line[WHY_SAID_MAX + 1];

	memset(line, '-', WHY_SAID_MAX);
	line[WHY_SAID_MAX] = '\0';
	said(&failures, ROOT, line);
	failed(&failures, ROOT, SYS_rmdir, EBUSY, "/sys", 0);
	said(&failures, ROOT, "rmdir: Device or resource busy\n");
	assert_int_equal(failures.said_count, 2);
	assert_int_equal(failures.said[1].len, strlen("rmdir: Device or resource busy\n"));
	failures_clear(&failures);
}

/* git ends its progress by '\r', curl begins it so, and some write dots: none has an end of line.
 */
static void blame_message_behind_progress(void **state)
{
	static const char *const pieces[] = {"Receiving objects:  10%\r", "\r  % Total", "....."};

	for (size_t i = 0; i < 3; i++) {
		struct failures failures = {};
		const struct failure *found;
		enum blame_reason reason;

		for (int k = 0; k < 300; k++)
			said(&failures, ROOT, pieces[i]);
		failed(&failures, ROOT, SYS_rmdir, EBUSY, "/sys", 0);
		said(&failures, ROOT, "rmdir: /sys: Device or resource busy\n");
		found = blame_find(&failures, &any, &reason);
		assert_non_null(found);
		assert_int_equal(found->call.nr, SYS_rmdir);
		assert_int_equal(reason, BLAME_SAID);
		failures_clear(&failures);
	}
}

/* make: thousands of warnings before the message that says why it ends. */
static void blame_last_of_many_messages(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_mkdir, EROFS, "/x", 0);
	for (int i = 0; i < 5000; i++)
		said(&failures, ONE, "warning: unused variable\n");
	failed(&failures, TWO, SYS_unlink, EACCES, "/y", 0);
	said(&failures, TWO, "rm: cannot remove '/y': Permission denied\n");
	failed(&failures, ROOT, SYS_kill, ESRCH, NULL, 0);
	assert_int_equal(blamed(&failures, &reason), SYS_unlink);
	assert_int_equal(reason, BLAME_SAID);
}

/* ... or thousands of processes. */
static void blame_last_of_many_processes(void **state)
{
	struct failures failures = {};

	for (uint32_t i = 0; i < 200000; i++)
		ended(&failures, 1000 + i, EXITED(0));
	failed(&failures, ONE, SYS_rmdir, EBUSY, "/sys", 0);
	ended(&failures, ONE, EXITED(1));
	failed(&failures, TWO, SYS_unlink, EACCES, "/x", 0);
	ended(&failures, TWO, EXITED(0));
	ended(&failures, ROOT, EXITED(1));
	assert_int_equal(blamed(&failures, NULL), SYS_rmdir);
}

/* Several messages that name no errno: what failed before the last one, hints behind it included.
 */
static void blame_several_other_messages_failure_before_the_last(void **state)
{
	struct failures failures = {};
	enum blame_reason reason;

	failed(&failures, ROOT, SYS_setpriority, EPERM, NULL, 0);
	said(&failures, ROOT, "cannot be nice\n");
	failed(&failures, ROOT, SYS_mount, EINVAL, "none", 0);
	said(&failures, ROOT, "mount: wrong fs type\n");
	said(&failures, ROOT, "dmesg(1) may have more information\n");
	failed(&failures, ROOT, SYS_umount2, EBUSY, "/mnt", 0);
	ended(&failures, ROOT, EXITED(32));
	assert_int_equal(blamed(&failures, &reason), SYS_mount);
	assert_int_equal(reason, BLAME_BEFORE);
}

static void blame_each_reason_has_words(void **state)
{
	for (enum blame_reason one = BLAME_NONE; one <= BLAME_PROBE; one++)
		for (enum blame_reason other = BLAME_NONE; other < one; other++)
			assert_string_not_equal(blame_reason_text(one), blame_reason_text(other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blame_errno_in_message_wins_over_later_failures),
		cmocka_unit_test(blame_message_names_argument_that_call_is_taken),
		cmocka_unit_test(blame_message_names_call_that_call_is_taken),
		cmocka_unit_test(blame_message_catalogue_missing_is_not_blamed),
		cmocka_unit_test(blame_other_message_serious_failure_before_it),
		cmocka_unit_test(blame_silent_command_last_failure),
		cmocka_unit_test(blame_command_passed_only_what_it_said),
		cmocka_unit_test(blame_habits_never_while_another_call_failed),
		cmocka_unit_test(blame_habits_that_are_all_say_so),
		cmocka_unit_test(blame_message_of_errno_alone_is_not_of_a_habit),
		cmocka_unit_test(blame_file_to_be_made_is_no_look),
		cmocka_unit_test(blame_library_looks_for_last_capability_is_not_blamed),
		cmocka_unit_test(blame_look_that_no_message_names_says_so),
		cmocka_unit_test(blame_request_of_a_device_is_no_habit),
		cmocka_unit_test(blame_options_restrict),
		cmocka_unit_test(blame_two_children_failed_the_one_whose_status_was_handed_on),
		cmocka_unit_test(blame_child_that_ended_well_is_not_blamed_for_its_message),
		cmocka_unit_test(blame_several_messages_of_one_process_the_last),
		cmocka_unit_test(blame_message_that_only_fits_a_probing_call_comes_last),
		cmocka_unit_test(blame_libselinux_is_not_blamed),
		cmocka_unit_test(blame_background_process_is_not_blamed),
		cmocka_unit_test(blame_silent_processes_the_one_that_failed),
		cmocka_unit_test(blame_shell_that_waited_for_all_is_not_blamed),
		cmocka_unit_test(blame_killed_child_status_as_the_shell_has_it),
		cmocka_unit_test(blame_process_id_used_again_has_its_own_end),
		cmocka_unit_test(blame_several_other_messages_failure_before_the_last),
		cmocka_unit_test(blame_message_begun_before_the_call_ends_behind_it),
		cmocka_unit_test(blame_message_behind_one_that_was_cut),
		cmocka_unit_test(blame_message_behind_progress),
		cmocka_unit_test(blame_last_of_many_messages),
		cmocka_unit_test(blame_last_of_many_processes),
		cmocka_unit_test(blame_each_reason_has_words),
	};

	return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
