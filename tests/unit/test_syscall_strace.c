// SPDX-License-Identifier: GPL-2.0
/*
 * System calls as strace writes them: a program runs once under strace, and once under this test,
 * which stops it at each call, reads what the plan says and formats that.
 *
 * The calls of syscall_calls.h are made by this program itself, under a seccomp filter that lets
 * none of them through. Of other programs, calls that succeed are compared where strace writes
 * nothing of what the kernel gave back.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cmocka.h>

#include "syscall/syscall.h"
#include "syscall/table.h"

#include "syscall_calls.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Before the first of our calls. */
#define MARK "close(-77)"

/* struct line - one call; @failed: it returned an error */
struct line {
	char *text;
	bool failed;
};

struct lines {
	struct line *line;
	size_t count;
};

static void lines_add(struct lines *lines, const char *text, bool failed)
{
	lines->line = realloc(lines->line, (lines->count + 1) * sizeof(*lines->line));
	assert_non_null(lines->line);
	lines->line[lines->count++] = (struct line){strdup(text), failed};
}

/*
 * Addresses and process IDs of two runs differ: a program that gets privileges gets other addresses
 * each time. Digits of long addresses are made the same, those behind "/proc/" go.
 */
static void mask(char *text)
{
	for (char *at = text; (at = strstr(at, "0x")); at += 2)
		if (strspn(at + 2, "0123456789abcdef") >= 9)
			memset(at + 2, 'A', strspn(at + 2, "0123456789abcdef"));
	for (char *at = text; (at = strstr(at, "/proc/")); at++) {
		const char *behind = at + 6 + strspn(at + 6, "0123456789");

		memmove(at + 6, behind, strlen(behind) + 1);
	}
}

static void lines_deinit(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->line[i].text);
	free(lines->line);
}

/* The child: nothing but exit_group() and what libc needs gets through. */

static void deny_all(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
		_exit(3);
}

static void make_call(const struct call *call)
{
	syscall(call->nr, call->args[0], call->args[1], call->args[2], call->args[3], call->args[4],
		call->args[5]);
}

static void make_sweep(const struct sweep *sweep)
{
	struct call call = sweep->call;

	if (sweep->first || sweep->last) {
		for (uint64_t value = sweep->first; value <= sweep->last; value++) {
			call.args[sweep->arg] = value;
			make_call(&call);
		}
		return;
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		call.args[sweep->arg] = 1ULL << bit;
		make_call(&call);
	}
	call.args[sweep->arg] = UINT32_MAX;
	make_call(&call);
	call.args[sweep->arg] = 0;
	make_call(&call);
}

static int make_calls(bool all)
{
	deny_all();
	syscall(SYS_close, -77);
	if (all) {
		for (size_t i = 0; i < ARRAY_SIZE(sweeps); i++)
			make_sweep(&sweeps[i]);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
			make_call(&calls[i]);
	}
	syscall(SYS_exit_group, 0);
	return 0;
}

/* Both tracers: the same addresses in every run. */
static void start(char *const argv[])
{
	int null = open("/dev/null", O_RDWR);

	personality(ADDR_NO_RANDOMIZE);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	close(null);
	execvp(argv[0], argv);
	_exit(127);
}

/* As a BPF program does it: all or nothing, a string up to its NUL. */
static void read_blob(pid_t pid, const struct syscall_event *event, const struct syscall_read *read,
		      struct syscall_blob *ret_blob, uint8_t *ret_bytes, uint64_t addr)
{
	size_t want = read->max, got = 0;

	memset(ret_blob, 0, sizeof(*ret_blob));
	if (read->kind == SYSCALL_READ_NONE || !addr)
		return;
	if (read->kind == SYSCALL_READ_COUNTED) {
		uint64_t count = event->args[read->len_arg];

		want = count > read->max / read->unit ? read->max : count * read->unit;
		ret_blob->status =
			count > read->max / read->unit ? SYSCALL_BLOB_CUT : SYSCALL_BLOB_READ;
	} else {
		ret_blob->status = SYSCALL_BLOB_READ;
	}
	while (got < want) {
		size_t piece = 4096 - (addr + got) % 4096;
		struct iovec to = {ret_bytes + got, piece < want - got ? piece : want - got};
		struct iovec from = {(void *)(uintptr_t)(addr + got), to.iov_len};

		if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)to.iov_len)
			break;
		got += to.iov_len;
	}
	if (read->kind == SYSCALL_READ_STRING) {
		const uint8_t *nul = memchr(ret_bytes, 0, got);

		if (nul) {
			ret_blob->len = (uint16_t)(nul - ret_bytes);
			return;
		}
		if (got == want) {
			ret_blob->len = (uint16_t)(want - 1);
			ret_blob->status = SYSCALL_BLOB_CUT;
			return;
		}
	}
	ret_blob->len = (uint16_t)got;
	if (got < want) {
		ret_blob->len = 0;
		ret_blob->status = SYSCALL_BLOB_FAULT;
	}
}

static void format_entry(pid_t pid, const struct __ptrace_syscall_info *info, char *text)
{
	struct syscall_event event = {.nr = (uint32_t)info->entry.nr};
	struct syscall_read_plan plan;

	memset(event.bytes, 0x5a, sizeof(event.bytes));
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++)
		event.args[i] = info->entry.args[i];
	syscall_read_plan(event.nr, &plan);
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++)
		read_blob(pid, &event, &plan.args[i], &event.blobs[i], event.bytes[i],
			  event.args[i]);
	assert_true(syscall_format(&event, text, SYSCALL_TEXT_MAX) < SYSCALL_TEXT_MAX);
}

static void record(char *const argv[], struct lines *lines)
{
	char text[SYSCALL_TEXT_MAX];
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		start(argv);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL,
				PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC),
			 0);
	for (int signal = 0;; signal = 0) {
		struct __ptrace_syscall_info info;

		ptrace(PTRACE_SYSCALL, pid, NULL, signal);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) || WIFSIGNALED(status))
			break;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
			ptrace(PTRACE_SYSCALL, pid, NULL, signal);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			continue;
		}
		ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
			format_entry(pid, &info, text);
		} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
			lines_add(lines, text, info.exit.is_error);
		}
	}
}

/*
 * Why a text may differ from strace's: @text occurs in ours. Reviewed by hand, with strace 6.1;
 * names newer than strace 6.1 are in src/syscall/newer.h.
 */
static const struct {
	const char *text;
	const char *reason;
} differences[] = {
	/* names that strace 6.1 does not have */
	{"AT_HANDLE_", "Linux 6.5 and later"},
	{"STATX_MNT_ID_UNIQUE", "Linux 6.8"},
	{"STATX_SUBVOL", "Linux 6.10"},
	{"STATX_WRITE_ATOMIC", "Linux 6.11"},
	{"STATX_DIO_READ_ALIGN", "Linux 6.14"},
	{"F_DUPFD_QUERY", "Linux 6.10"},
	{"F_CREATED_QUERY", "Linux 6.12"},
	{"_RW_HINT", "strace has no name for it"},
	{"F_SEAL_EXEC", "Linux 6.3"},
	{"FALLOC_FL_WRITE_ZEROES", "Linux 6.17"},
	{"FAN_REPORT_FD_ERROR", "Linux 6.13"},
	{"FAN_REPORT_MNT", "Linux 6.15"},
	{"FAN_PRE_ACCESS", "Linux 6.14"},
	{"FAN_MNT_", "Linux 6.15"},
	{"MFD_NOEXEC_SEAL", "Linux 6.3"},
	{"MFD_EXEC", "Linux 6.3"},
	{"FSCONFIG_CMD_CREATE_EXCL", "Linux 6.6"},
	{"MOUNT_ATTR_IDMAP", "strace has no name for it"},
	{"MOUNT_ATTR_NOSYMFOLLOW", "strace has no name for it"},
	{"MOVE_MOUNT_BENEATH", "Linux 6.5"},
	{"QFMT_SHMEM", "Linux 6.6"},
	{"IPPROTO_SMC", "Linux 6.11"},
	{"SOL_MPTCP", "strace has no name for it"},
	{"SOL_MCTP", "strace has no name for it"},
	{"SOL_SMC", "strace has no name for it"},
	{"SOL_VSOCK", "Linux 6.7"},
	{"SO_PASSPIDFD", "Linux 6.5"},
	{"SO_PEERPIDFD", "Linux 6.5"},
	{"SO_DEVMEM_", "Linux 6.12"},
	{"TCP_AO_", "Linux 6.7"},
	{"TCP_IS_MPTCP", "Linux 6.8"},
	{"TCP_RTO_M", "Linux 6.15"},
	{"IP_LOCAL_PORT_RANGE", "Linux 6.3"},
	{"IP_PROTOCOL", "Linux 6.5"},
	{"PACKET_VNET_HDR_SZ", "Linux 6.5"},
	{"MAP_DROPPABLE", "Linux 6.11"},
	{"MAP_ABOVE4G", "Linux 6.6"},
	{"MADV_GUARD_", "Linux 6.13"},
	{"MPOL_WEIGHTED_INTERLEAVE", "Linux 6.9"},
	{"MEMBARRIER_CMD_GET_REGISTRATIONS", "Linux 6.3"},
	{"SCHED_EXT", "Linux 6.12"},
	{"_SYSCALL_USER_DISPATCH_CONFIG", "Linux 6.4"},
	{"PTRACE_SET_SYSCALL_INFO", "Linux 6.16"},
	{"_MDWE", "Linux 6.3"},
	{"_MEMORY_MERGE", "Linux 6.4"},
	{"_SHADOW_STACK_STATUS", "Linux 6.13"},
	{"SECBIT_EXEC_", "Linux 6.14"},
	{"LANDLOCK_CREATE_RULESET_ERRATA", "Linux 6.15"},
	{"KEXEC_UPDATE_ELFCOREHDR", "Linux 6.6"},
	{"KEXEC_CRASH_HOTPLUG_SUPPORT", "Linux 6.10"},
	{"KEXEC_FILE_DEBUG", "Linux 6.8"},
	{"KEXEC_FILE_NO_CMA", "Linux 6.17"},
	{"BPF_TOKEN_CREATE", "Linux 6.9"},
	{"BPF_PROG_STREAM_READ_BY_FD", "Linux 6.17"},
	{"IORING_ENTER_ABS_TIMER", "Linux 6.12"},
	{"IORING_ENTER_EXT_ARG_REG", "Linux 6.13"},
	{"IORING_ENTER_NO_IOWAIT", "Linux 6.15"},
	{"IORING_REGISTER_SYNC_CANCEL", "strace has no name for it"},
	{"IORING_REGISTER_FILE_ALLOC_RANGE", "strace has no name for it"},
	{"IORING_REGISTER_PBUF_STATUS", "Linux 6.8"},
	{"IORING_REGISTER_NAPI", "Linux 6.9"},
	{"IORING_UNREGISTER_NAPI", "Linux 6.9"},
	{"IORING_REGISTER_CLOCK", "Linux 6.12"},
	{"IORING_REGISTER_CLONE_BUFFERS", "Linux 6.12"},
	{"IORING_REGISTER_SEND_MSG_RING", "Linux 6.13"},
	{"IORING_REGISTER_ZCRX_IFQ", "Linux 6.15"},
	/* two names for one number: strace writes both, or the other one */
	{"ioctl(3, FICLONE", "strace adds the older name of btrfs"},
	{"ioctl(3, TCSETS", "strace adds a name of OSS"},
	{"ioctl(3, VT_GETSTATE", "strace adds a name of VirtualBox"},
	{"getsockopt(3, SOL_SOCKET, SO_ATTACH_FILTER", "strace: SO_GET_FILTER, where it is read"},
	/* strace's own mistakes */
	{"semget(0x1, 1, 0x", "strace shifts flags without a name by 12 bits"},
	{"msgget(0x1, 0x", "strace shifts flags without a name by 12 bits"},
	{"semget(0x1, 1, IPC_CREAT|IPC_EXCL|IPC_NOWAIT|0x", "the same"},
	{"msgget(0x1, IPC_CREAT|IPC_EXCL|IPC_NOWAIT|0x", "the same"},
	{"ioctl(3, TIOCSSERIAL", "strace omits the argument if it cannot read it"},
	/* what strace knows of tracing another call */
	{"restart_syscall()", "strace writes which call goes on"},
	/* what is not read */
	{"FSCONFIG_SET_BINARY", "it is read up to a NUL, as the other values of fsconfig()"},
	{", {msg_name=", "name and data of the message are behind further pointers"},
	{"execve(", "argv and envp are pointers to pointers"},
	{", \" \\0\\0\\0",
	 "strace knows that the socket is of netlink, and takes the message apart"},
	/* what has no table here: rare, of another architecture, or text behind the number */
	{"socket(AF_AX25", "no table of its protocols"},
	{"socket(AF_IRDA", "no table of its protocols"},
	{"socket(AF_CAN", "no table of its protocols"},
	{"socket(AF_RXRPC", "no table of its protocols"},
	{"socket(AF_ISDN", "no table of its protocols"},
	{"socket(AF_PHONET", "no table of its protocols"},
	{"socket(AF_CAIF", "no table of its protocols"},
	{"socket(AF_NFC", "no table of its protocols"},
	{"socket(AF_KCM", "no table of its protocols"},
	{"socket(AF_SMC", "no table of its protocols"},
	{"setsockopt(3, 0x65 /* SOL_?? */", "no table of its options: SOL_CAN_RAW"},
	{"setsockopt(3, SOL_SCTP", "no table of its options"},
	{"setsockopt(3, SOL_RAW", "no table of its options"},
	{"setsockopt(3, SOL_IPX", "no table of its options"},
	{"setsockopt(3, SOL_AX25", "no table of its options"},
	{"setsockopt(3, SOL_IRDA", "no table of its options"},
	{"setsockopt(3, SOL_LLC", "no table of its options"},
	{"setsockopt(3, SOL_DCCP", "no table of its options"},
	{"setsockopt(3, SOL_TIPC", "no table of its options"},
	{"setsockopt(3, SOL_RXRPC", "no table of its options"},
	{"setsockopt(3, SOL_PPPOL2TP", "no table of its options"},
	{"setsockopt(3, SOL_BLUETOOTH", "no table of its options"},
	{"setsockopt(3, SOL_PNPIPE", "no table of its options"},
	{"setsockopt(3, SOL_RDS", "no table of its options"},
	{"setsockopt(3, SOL_IUCV", "no table of its options"},
	{"setsockopt(3, SOL_CAIF", "no table of its options"},
	{"setsockopt(3, SOL_ALG", "no table of its options"},
	{"setsockopt(3, SOL_NFC", "no table of its options"},
	{"setsockopt(3, SOL_KCM", "no table of its options"},
	{"setsockopt(3, SOL_TLS", "no table of its options"},
	{"setsockopt(3, SOL_XDP", "no table of its options"},
	{"SO_TXREHASH", "no table of its values"},
	{"fcntl(3, 0xc /* F_??? */", "F_GETLK64: not of the 64-bit system call"},
	{"fcntl(3, 0xd /* F_??? */", "F_SETLK64: not of the 64-bit system call"},
	{"fcntl(3, 0xe /* F_??? */", "F_SETLKW64: not of the 64-bit system call"},
	{"ptrace(PTRACE_PEEKUSER", "no table of registers"},
	{"ptrace(PTRACE_POKEUSER", "no table of registers"},
	{"ptrace(PTRACE_GETREGSET", "no table of register sets"},
	{"ptrace(PTRACE_SETREGSET", "no table of register sets"},
	{"prctl(PR_SET_UNALIGN", "of other architectures"},
	{"prctl(PR_SET_FP_MODE", "of other architectures"},
	{"prctl(PR_PAC_", "of other architectures"},
	{"prctl(PR_SET_TAGGED_ADDR_CTRL", "of other architectures"},
	{"prctl(PR_SCHED_CORE", "a comment for a number without a UAPI name"},
	{"PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0", "strace adds that 0 has no name"},
	{"arch_prctl(ARCH_REQ_XCOMP_", "no table of its features"},
	{"mq_open(\"x\", O_RDONLY|__O_TMPFILE", "a flag that mq_open() does not know"},
	{"ioctl(3, TCXONC", "no table of its argument"},
	{"ioctl(3, TCFLSH", "no table of its argument"},
	{"ioctl(3, HDIO_SET_", "no table of its argument"},
	{"ioctl(3, KD", "no table of its argument"},
	{"ioctl(3, PERF_EVENT_IOC_", "no table of its argument"},
};

static const char *reason_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (strstr(text, differences[i].text))
			return differences[i].reason;
	return NULL;
}

/* "close(3)      = 0": what stands before the last " = ", without blanks */
static bool cut_result(char *line, bool *ret_failed)
{
	char *result = NULL;

	for (char *at = line; (at = strstr(at, " = ")); at++)
		if (at > line && (at[-1] == ')' || at[-1] == ' '))
			result = at;
	if (!result)
		return false;
	*ret_failed = result[3] == '-' || result[3] == '?';
	while (result > line && result[-1] == ' ')
		result--;
	*result = '\0';
	return true;
}

static void read_strace(const char *path, struct lines *lines)
{
	FILE *file = fopen(path, "re");
	size_t size = 0;
	char *line = NULL;
	bool failed;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0)
		if (strncmp(line, "---", 3) && strncmp(line, "+++", 3) && cut_result(line, &failed))
			lines_add(lines, line, failed);
	free(line);
	fclose(file);
}

static void run_strace(char *const argv[], struct lines *lines)
{
	char path[] = "/tmp/test_syscall_strace.XXXXXX";
	char *args[32] = {"strace", "-a", "1", "-s", "127", "-o", path};
	size_t count = 7;
	int fd = mkstemp(path), status;
	pid_t pid;

	assert_true(fd >= 0);
	close(fd);
	while (*argv && count + 1 < ARRAY_SIZE(args))
		args[count++] = *argv++;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		start(args);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	read_strace(path, lines);
	unlink(path);
}

/* What the kernel wrote is not known: strace writes it, where the call succeeded. */
static bool has_output(const char *text)
{
	char name[64] = "";
	int nr;

	memcpy(name, text, strnlen(text, strcspn(text, "(") < 63 ? strcspn(text, "(") : 63));
	nr = syscall_number(name);
	if (nr < 0)
		return true;
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++) {
		const struct arg_type *type = syscall_rows[nr].args[i];

		if (type == &arg_output || type == &arg_address || type == &arg_int_pointer ||
		    type == &arg_offset_pointer || type == &arg_ioctl_arg || type == &arg_prctl_2 ||
		    type == &arg_clone_args || type == &arg_fd_set ||
		    type == &arg_received_message || type == &arg_iovecs ||
		    type == &arg_io_uring_params || type == &arg_pollfds)
			return true;
	}
	return false;
}

/* struct tally - @calls: different texts that are equal; @names: of different system calls */
struct tally {
	struct lines calls;
	bool names[SYSCALL_PLANS];
	unsigned int name_count, listed, skipped, wrong;
};

static void count_equal(struct tally *tally, char *text)
{
	char name[64] = "";
	int nr;

	mask(text);
	for (size_t i = 0; i < tally->calls.count; i++)
		if (!strcmp(tally->calls.line[i].text, text))
			return;
	lines_add(&tally->calls, text, false);
	memcpy(name, text, strcspn(text, "(") < 63 ? strcspn(text, "(") : 63);
	nr = syscall_number(name);
	assert_true(nr >= 0);
	tally->name_count += !tally->names[nr];
	tally->names[nr] = true;
}

static void compare_line(struct tally *tally, const struct line *ours, const struct line *theirs,
			 const char *command)
{
	if (strcmp(ours->text, theirs->text)) {
		mask(ours->text);
		mask(theirs->text);
	}
	if (!strcmp(ours->text, theirs->text)) {
		count_equal(tally, ours->text);
	} else if (reason_of(ours->text)) {
		tally->listed++;
	} else if (!theirs->failed && has_output(ours->text)) {
		tally->skipped++;
	} else {
		tally->wrong++;
		print_message("# %s:\n#   ours   %s\n#   strace %s\n", command, ours->text,
			      theirs->text);
	}
}

static size_t after_mark(const struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		if (!strcmp(lines->line[i].text, MARK))
			return i + 1;
	return lines->count;
}

static void compare(char *const argv[], bool marked, struct tally *tally)
{
	struct lines ours = {0}, theirs = {0};
	size_t a = 0, b = 0;

	record(argv, &ours);
	run_strace(argv, &theirs);
	if (marked) {
		a = after_mark(&ours);
		b = after_mark(&theirs);
		assert_true(a < ours.count && b < theirs.count);
	}
	/* strace's start is the execve() that began before this test saw the program */
	if (!marked && theirs.count && !strncmp(theirs.line[0].text, "execve(", 7))
		b = 1;
	while (!marked && a < ours.count && strncmp(ours.line[a].text, "brk(", 4))
		a++;
	for (; a < ours.count && b < theirs.count; a++, b++)
		compare_line(tally, &ours.line[a], &theirs.line[b], argv[0]);
	/* only strace writes exit_group() */
	assert_true(!marked || ours.count - a + 1 == theirs.count - b);
	lines_deinit(&ours);
	lines_deinit(&theirs);
}

static void finish(struct tally *tally)
{
	print_message("# %zu different calls of %u system calls equal, %u listed, %u with what the "
		      "kernel wrote\n",
		      tally->calls.count, tally->name_count, tally->listed, tally->skipped);
	lines_deinit(&tally->calls);
}

static bool strace_works(void)
{
	return !system("strace -o /dev/null true >/dev/null 2>&1");
}

#define NEED_STRACE                                                                                \
	do {                                                                                       \
		if (!strace_works()) {                                                             \
			print_message("skipped: strace is missing, or may not trace\n");           \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static char self[4096];

static void syscall_format_each_call_as_strace(void **state)
{
	struct tally tally = {0};

	(void)state;
	NEED_STRACE;
	compare((char *[]){self, "--make-calls", NULL}, true, &tally);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.calls.count >= 500);
	assert_true(tally.name_count >= 250);
	finish(&tally);
}

static void syscall_format_each_name_as_strace(void **state)
{
	struct tally tally = {0};

	(void)state;
	NEED_STRACE;
	compare((char *[]){self, "--make-sweeps", NULL}, true, &tally);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.calls.count >= 7000);
	finish(&tally);
}

/* Programs that do the same in each run, and fail. */
static char *const programs[][12] = {
	{"ls", "/none"},
	{"ls", "-l", "/dev/null"},
	{"cat", "/none", "/proc/self/mem"},
	{"cp", "/none", "/tmp/x"},
	{"mv", "/none", "/none2"},
	{"ln", "-s", "a", "/proc/none"},
	{"ln", "/none", "/none2"},
	{"rm", "/none"},
	{"rmdir", "/proc"},
	{"mkdir", "-p", "-m", "700", "/proc/none/b"},
	{"mknod", "/proc/none", "c", "1", "3"},
	{"mkfifo", "/proc/none"},
	{"touch", "-d", "@1", "/proc/version"},
	{"chmod", "600", "/none"},
	{"chown", "5:6", "/none"},
	{"truncate", "-s", "5", "/proc/version"},
	{"dd", "if=/dev/zero", "of=/dev/full", "count=1", "bs=20", "status=none"},
	{"readlink", "/none"},
	{"stat", "/none"},
	{"df", "/none"},
	{"sleep", "0.01"},
	{"env", "-C", "/none", "true"},
	{"nice", "-n", "5", "/none"},
	{"chroot", "/none"},
	{"sync", "/none"},
	{"tail", "-c", "5", "/none"},
	{"kill", "-9", "99999999"},
	{"mount", "-t", "proc", "-o", "hidepid=9", "none", "/none"},
	{"umount", "/none"},
	{"swapon", "/none"},
	{"swapoff", "/none"},
	{"losetup", "/dev/none", "/none"},
	{"blockdev", "--getsize64", "/dev/null"},
	{"chrt", "-f", "500", "true"},
	{"ionice", "-c", "2", "-n", "7", "/none"},
	{"taskset", "1", "/none"},
	{"unshare", "--mount", "/none"},
	{"nsenter", "--net=/none", "true"},
	{"pivot_root", "/none", "/none"},
	{"setsid", "/none"},
	{"flock", "-n", "/none/x", "true"},
	{"fallocate", "-l", "5", "/proc/version"},
	{"ip", "link", "show", "none0"},
	{"ip", "link", "set", "none0", "up"},
	{"sysctl", "-w", "kernel.pid_max=none"},
};

static bool found(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	return !system(command);
}

static void syscall_format_of_programs_as_strace(void **state)
{
	struct tally tally = {0};
	unsigned int run = 0;

	(void)state;
	NEED_STRACE;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (!found(programs[i][0]))
			continue;
		compare(programs[i], false, &tally);
		run++;
	}
	assert_int_equal(tally.wrong, 0);
	assert_true(run >= 30);
	assert_true(tally.calls.count >= 150);
	assert_true(tally.name_count >= 60);
	finish(&tally);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syscall_format_each_call_as_strace),
		cmocka_unit_test(syscall_format_each_name_as_strace),
		cmocka_unit_test(syscall_format_of_programs_as_strace),
	};

	if (argc > 1 && !strcmp(argv[1], "--make-calls"))
		return make_calls(false);
	if (argc > 1 && !strcmp(argv[1], "--make-sweeps"))
		return make_calls(true);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
