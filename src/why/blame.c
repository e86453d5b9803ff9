// SPDX-License-Identifier: GPL-2.0
#include "why/blame.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "syscall/syscall.h"
#include "util/bitset.h"
#include "util/cleanup.h"

bool blame_wanted(const struct failure *failure, const struct blame_options *opts)
{
	if (opts->syscall >= 0 && failure->call.nr != (uint32_t)opts->syscall)
		return false;
	if (opts->any_errno)
		return true;
	return failure->err < 4096 && bitset_has(opts->errnos, failure->err);
}

static bool contains(const struct said *said, const char *word)
{
	return *word && memmem(said->bytes, said->len, word, strlen(word));
}

/* In the user's language, in English, or by its name. */
static bool names_errno(const struct said *said, uint32_t err)
{
	const char *english = strerrordesc_np((int)err), *name = strerrorname_np((int)err);

	return contains(said, strerror((int)err)) || (english && contains(said, english)) ||
	       (name && contains(said, name));
}

static bool path_has(const struct failure *failure, size_t arg, const char *part)
{
	const struct syscall_blob *blob = &failure->call.blobs[arg];

	return blob->len <= SYSCALL_BYTES_MAX &&
	       memmem(failure->call.bytes[arg], blob->len, part, strlen(part));
}

/*
 * What libraries look for in every program: the C library catalogues of messages and preloaded
 * libraries, libselinux whether the kernel has SELinux, libcap which is the kernel's last
 * capability.
 */
static bool is_of_library(const struct failure *failure)
{
	if (failure->via != WHY_VIA_SYSCALL)
		return false;
	if (failure->call.nr == SYS_prctl && failure->call.args[0] == PR_CAPBSET_READ)
		return failure->err == EINVAL;
	if (failure->err != ENOENT)
		return false;
	switch (failure->call.nr) {
	case SYS_openat:
		return path_has(failure, 1, "/locale/") || path_has(failure, 1, "/gconv") ||
		       path_has(failure, 1, "/glibc-hwcaps/");
	case SYS_access:
		return path_has(failure, 0, "/etc/ld.so.") ||
		       path_has(failure, 0, "/etc/selinux/config");
	case SYS_statfs:
		return path_has(failure, 0, "/selinux");
	default:
		return false;
	}
}

/* asm-generic/ioctls.h; its own definition needs struct termios2, which glibc's headers clash with
 */
#define REQUEST_TCGETS2 0x802c542a

/* isatty() and its like. */
static bool asks_terminal(const struct failure *failure)
{
	switch (failure->call.args[1]) {
	case TCGETS:
	case REQUEST_TCGETS2:
	case TIOCGWINSZ:
	case TIOCGPGRP:
	case TIOCGSID:
		return failure->err == ENOTTY;
	default:
		return false;
	}
}

/*
 * What programs try in any case, to see what they were given: a terminal? a link (realpath() asks
 * that of each part of a path)? something that can seek? And bash: a remote shell's connection? is
 * there a terminal at all?
 */
static bool is_habit(const struct failure *failure)
{
	if (failure->via != WHY_VIA_SYSCALL)
		return false;
	switch (failure->call.nr) {
	case SYS_ioctl:
		return asks_terminal(failure);
	case SYS_readlink:
	case SYS_readlinkat:
		return failure->err == EINVAL;
	case SYS_lseek:
		return failure->err == ESPIPE;
	case SYS_pause: /* The program waits for a signal: these calls end in no other way. */
	case SYS_rt_sigsuspend:
		return failure->err == EINTR;
	case SYS_getpeername:
		return failure->err == ENOTSOCK;
	case SYS_openat:
		return (failure->err == ENXIO && path_has(failure, 1, "/dev/tty")) ||
		       is_of_library(failure);
	default:
		return is_of_library(failure);
	}
}

/* Where a file is to be made, nobody looks whether it is there. */
static bool makes_file(const struct failure *failure)
{
	const size_t flags = failure->call.nr == SYS_open ? 1 : 2;

	return failure->call.args[flags] & O_CREAT;
}

/* A shell waits until no child is left: dash before it ends, whatever the children did. */
static bool ends_waiting(const struct failure *failure)
{
	return failure->via == WHY_VIA_SYSCALL && failure->err == ECHILD &&
	       (failure->call.nr == SYS_wait4 || failure->call.nr == SYS_waitid);
}

/*
 * Calls that look whether something is there: that it is not is an answer, mostly. And requests
 * that try what a file descriptor is.
 */
static bool is_probing(const struct failure *failure)
{
	if (is_habit(failure) || ends_waiting(failure))
		return true;
	if (failure->via != WHY_VIA_SYSCALL)
		return false;
	switch (failure->call.nr) {
	case SYS_access:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_stat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_readlink:
	case SYS_readlinkat:
	case SYS_getxattr:
	case SYS_lgetxattr:
	case SYS_fgetxattr:
		return failure->err == ENOENT || failure->err == EINVAL ||
		       failure->err == ENODATA || failure->err == EOPNOTSUPP ||
		       failure->err == ENOTDIR;
	case SYS_open:
	case SYS_openat:
		return (failure->err == ENOENT || failure->err == ENOTDIR) && !makes_file(failure);
	case SYS_execve:
	case SYS_statfs:
		return failure->err == ENOENT || failure->err == ENOTDIR;
	case SYS_connect: /* nscd, systemd's sockets */
		return failure->err == ENOENT && failure->call.blobs[1].len > 2 &&
		       failure->call.bytes[1][0] == 1;
	case SYS_arch_prctl:
	case SYS_rseq:
	case SYS_set_robust_list:
	case SYS_prctl:
		return failure->err == EINVAL;
	default:
		return failure->err == EAGAIN || failure->err == EINTR ||
		       failure->err == EINPROGRESS;
	}
}

/* Is a certain call meant, or errno? */
static bool is_asked_for(const struct blame_options *opts)
{
	return opts->syscall >= 0 || !opts->any_errno;
}

bool blame_chosen(const struct failure *failure, const struct blame_options *opts)
{
	return blame_wanted(failure, opts) && (is_asked_for(opts) || !is_probing(failure));
}

bool blame_possible(const struct failure *failure, const struct blame_options *opts)
{
	return blame_wanted(failure, opts) && (is_asked_for(opts) || !is_of_library(failure));
}

/** enum standing - what the end of a process tells of its failures */
enum standing {
	STANDING_PASSED, /* it ended well, or has not ended: they did it no harm */
	STANDING_FAILED,
	STANDING_STATUS, /* it is the command, or ended with the same status */
};

/* As a shell has it in $?. */
static uint32_t status_of(const struct ended *ended)
{
	return ended->code & 0x7f ? 128 + (ended->code & 0x7f) : ended->code >> 8 & 0xff;
}

static enum standing standing_of(const struct failures *failures, uint32_t tgid, uint64_t seq)
{
	const struct ended *root = failures_ended(failures, failures->root, 0);
	const struct ended *ended = failures_ended(failures, tgid, seq);

	if (tgid == failures->root && (!ended || status_of(ended)))
		return STANDING_STATUS;
	if (!ended || !status_of(ended))
		return STANDING_PASSED;
	return root && status_of(root) == status_of(ended) ? STANDING_STATUS : STANDING_FAILED;
}

/* Of those that are serious. @before: sequence number; @tgid: 0: any process */
static const struct failure *last_before(const struct failures *failures,
					 const struct blame_options *opts, uint64_t before,
					 uint32_t tgid)
{
	for (size_t i = failures->count; i-- > 0;) {
		const struct failure *failure = &failures->items[i];

		if (failure->seq < before && (!tgid || failure->tgid == tgid) &&
		    blame_possible(failure, opts) && !is_probing(failure))
			return failure;
	}
	return NULL;
}

/*
 * The errno alone is named. One that is no probe, of the same process, says most; what programs try
 * in any case is meant by no such message, but for that of a terminal: its errno has no other use.
 */
static const struct failure *last_with(const struct failures *failures,
				       const struct blame_options *opts, const struct said *said)
{
	const struct failure *best = NULL;
	int best_rank = 0;

	for (size_t i = failures->count; i-- > 0;) {
		const struct failure *failure = &failures->items[i];
		int rank = 1 + (failure->tgid == said->tgid) + 2 * !is_probing(failure);

		if (failure->seq > said->seq || !blame_wanted(failure, opts) ||
		    is_of_library(failure) || !names_errno(said, failure->err) ||
		    (is_habit(failure) &&
		     (opts->passed || failure->call.nr != SYS_ioctl || rank < 2)))
			continue;
		if (rank > best_rank) {
			best_rank = rank;
			best = failure;
		}
	}
	return best;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The program names the file that it could not find, or the descriptor's name. */
static bool names_argument(const struct said *said, const struct failure *failure)
{
	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		const struct syscall_blob *blob = &failure->call.blobs[i];

		if (blob->status == SYSCALL_BLOB_READ && blob->len > 1 &&
		    blob->len < SYSCALL_BYTES_MAX &&
		    memmem(said->bytes, said->len, failure->call.bytes[i], blob->len))
			return true;
	}
	return false;
}

/* "bind(5, ...): Read-only file system" */
static bool names_call(const struct said *said, const struct failure *failure)
{
	const char *name = syscall_name(failure->call.nr);
	const char *at = said->bytes, *end = said->bytes + said->len;
	size_t len = name ? strlen(name) : 0;

	while (len && (at = memmem(at, end - at, name, len))) {
		bool begins = at == said->bytes || !is_word_char(at[-1]);

		at += len;
		if (begins && (at == end || !is_word_char(*at)))
			return true;
	}
	return false;
}

/*
 * Of several with the errno that the message names: the last that it tells the most of.
 * @ret_credible: it tells something of it, or it is none that programs take in their stride
 */
static const struct failure *best_with(const struct failures *failures,
				       const struct blame_options *opts, const struct said *said,
				       bool *ret_credible)
{
	const struct failure *best = NULL;
	int best_score = 0;

	for (size_t i = failures->count; i-- > 0;) {
		const struct failure *failure = &failures->items[i];
		int score;

		if (failure->seq > said->seq || !blame_wanted(failure, opts) ||
		    !names_errno(said, failure->err))
			continue;
		score = 3 * names_argument(said, failure) + 2 * names_call(said, failure);
		if (score && !is_probing(failure))
			score += 2;
		if (score > best_score) {
			best_score = score;
			best = failure;
		}
	}
	if (!best)
		best = last_with(failures, opts, said);
	*ret_credible = best && (best_score || !is_probing(best));
	return best;
}

/* Who failed says more than who did not, whatever it says. */
static int rank_of(enum standing standing, bool credible)
{
	return 4 * (standing >= STANDING_FAILED) + 2 * credible + (standing == STANDING_STATUS);
}

static const struct failure *find_said(const struct failures *failures,
				       const struct blame_options *opts)
{
	const struct failure *best = NULL;
	int best_rank = 0;

	for (size_t i = 0; i < failures->said_count; i++) {
		const struct said *said = &failures->said[i];
		bool credible = false;
		const struct failure *found = best_with(failures, opts, said, &credible);
		int rank = rank_of(standing_of(failures, said->tgid, said->seq), credible);

		if (found && rank >= best_rank) {
			best = found;
			best_rank = rank;
		}
	}
	return best;
}

/* Messages that name no errno: what failed before them, in the same process rather than in others.
 */
static const struct failure *find_before(const struct failures *failures,
					 const struct blame_options *opts)
{
	const struct failure *best = NULL;
	int best_rank = 0;

	for (size_t i = 0; i < failures->said_count; i++) {
		const struct said *said = &failures->said[i];
		const struct failure *found = last_before(failures, opts, said->seq, said->tgid);
		int rank = rank_of(standing_of(failures, said->tgid, said->seq), found);

		if (!found)
			found = last_before(failures, opts, said->seq, 0);
		if (found && rank >= best_rank) {
			best = found;
			best_rank = rank;
		}
	}
	return best;
}

/* The last of what is tried in any case; of the C library what is asked for alone. */
static const struct failure *find_habit(const struct failures *failures,
					const struct blame_options *opts)
{
	for (size_t i = failures->count; i-- > 0;)
		if (blame_possible(&failures->items[i], opts))
			return &failures->items[i];
	return NULL;
}

/* But for what programs try in any case. */
static const struct failure *find_last(const struct failures *failures,
				       const struct blame_options *opts)
{
	static const struct {
		enum standing standing;
		bool probing;
	} order[] = {
		{STANDING_STATUS, false}, {STANDING_FAILED, false}, {STANDING_STATUS, true},
		{STANDING_FAILED, true},  {STANDING_PASSED, false}, {STANDING_PASSED, true},
	};

	for (size_t k = 0; k < ARRAY_SIZE(order); k++)
		for (size_t i = failures->count; i-- > 0;) {
			const struct failure *failure = &failures->items[i];

			if (blame_possible(failure, opts) && !is_habit(failure) &&
			    !ends_waiting(failure) && (order[k].probing || !is_probing(failure)) &&
			    standing_of(failures, failure->tgid, failure->seq) == order[k].standing)
				return failure;
		}
	return NULL;
}

/* dash's echo and printf say "I/O error" of each write() that fails, whatever its errno is. */
static bool is_write_of_shell(const struct said *said, const struct failure *failure)
{
	static const char text[] = "I/O error";

	return failure->via == WHY_VIA_SYSCALL && failure->call.nr == SYS_write &&
	       memmem(said->bytes, said->len, text, sizeof(text) - 1);
}

bool blame_unnamed(const struct failures *failures, const struct failure *found)
{
	for (size_t i = 0; i < failures->said_count; i++)
		if (names_argument(&failures->said[i], found) ||
		    names_call(&failures->said[i], found) ||
		    is_write_of_shell(&failures->said[i], found))
			return false;
	return failures->said_count;
}

const struct failure *blame_find(const struct failures *failures, const struct blame_options *opts,
				 enum blame_reason *ret_reason)
{
	enum blame_reason unused = BLAME_NONE, *reason = ret_reason ? ret_reason : &unused;
	const struct failure *found = find_said(failures, opts);

	*reason = BLAME_SAID;
	if (!found && !opts->passed) {
		*reason = BLAME_BEFORE;
		found = find_before(failures, opts);
	}
	if (!found && !opts->passed) {
		*reason = BLAME_LAST;
		found = find_last(failures, opts);
		if (found && !is_asked_for(opts) && is_probing(found) &&
		    blame_unnamed(failures, found))
			*reason = BLAME_PROBE;
	}
	if (!found && !opts->passed) {
		*reason = is_asked_for(opts) ? BLAME_LAST : BLAME_ONLY;
		found = find_habit(failures, opts);
	}
	if (!found)
		*reason = BLAME_NONE;
	return found;
}

const char *blame_reason_text(enum blame_reason reason)
{
	switch (reason) {
	case BLAME_SAID:
		return "the last one with the errno that was written to standard error";
	case BLAME_BEFORE:
		return "the last one before a message on standard error";
	case BLAME_LAST:
		return "the last one of a process that failed, or of any";
	case BLAME_ONLY:
		return "of those that programs try in any case, and no other call failed";
	case BLAME_PROBE:
		return "one that looks whether something is there; what was written does not "
		       "name it";
	default:
		return "none";
	}
}
