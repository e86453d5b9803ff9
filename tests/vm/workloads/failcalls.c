// SPDX-License-Identifier: GPL-2.0
/*
 * failcalls - system calls that fail, in known numbers
 *
 * A workload for tests: each kind of call fails in its own way, at its own place in the kernel,
 * and is checked to fail as it should. Calls that succeed stand in between. At the end one line
 * a kind is printed: NAME SYSCALL ERRNO COUNT.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#define THREADS_MAX 64
#define NOBODY	    65534
#define BAD_FD	    987

/* What the calls need, made once. The path of the directory is the working directory. */
static struct {
	int file, dir, pipe_read, pipe_closed, udp, tcp, unix_stream, epoll;
	size_t page;
	char text[64];
} have;

static int fail_bpf(int cmd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = BAD_FD;
	return syscall(SYS_bpf, cmd, &attr, sizeof(attr));
}

static int fail_connect(int fd, in_port_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return connect(fd, (struct sockaddr *)&address, sizeof(address));
}

static int fail_unix(const char *path, bool do_bind)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), saved;

	strcpy(address.sun_path, path);
	if (do_bind)
		bind(fd, (struct sockaddr *)&address, sizeof(address));
	else
		connect(fd, (struct sockaddr *)&address, sizeof(address));
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static int fail_bind_foreign(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(0xc0000201)}; /* 192.0.2.1 */

	return bind(have.udp, (struct sockaddr *)&address, sizeof(address));
}

/* setfsuid() takes the capabilities of root over files away, of this thread alone. */
static int fail_as_nobody(int (*call)(void))
{
	int ret, saved;

	syscall(SYS_setfsuid, NOBODY);
	ret = call();
	saved = errno;
	syscall(SYS_setfsuid, 0);
	errno = saved;
	return ret;
}

static int open_secret(void)
{
	return open("secret", O_RDONLY);
}

static int create_in_locked(void)
{
	return mkdir("locked/x", 0700);
}

static int fail_execve(const char *path)
{
	char *const none[] = {NULL};

	return execve(path, none, none);
}

static int fail_epoll(int op, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(have.epoll, op, fd, &event);
}

static int fail_mmap(size_t len, int prot, int flags, int fd)
{
	return mmap(NULL, len, prot, flags, fd, 0) == MAP_FAILED ? -1 : 0;
}

static int fail_accept(void)
{
	return accept(have.tcp, NULL, NULL);
}

static int fail_setsockopt(void)
{
	int one = 1;

	return setsockopt(have.udp, IPPROTO_IP, 4321, &one, sizeof(one));
}

/* X(name, system call, errno, expression that is < 0) */
#define CALLS(X)                                                                                   \
	X("open-enoent", "openat", ENOENT, open("nowhere", O_RDONLY))                              \
	X("open-enoent-deep", "openat", ENOENT, open("dir/./../dir/nowhere/x", O_RDONLY))          \
	X("open-eacces", "openat", EACCES, fail_as_nobody(open_secret))                            \
	X("open-enotdir", "openat", ENOTDIR, open("file/x", O_RDONLY))                             \
	X("open-eloop", "openat", ELOOP, open("loop", O_RDONLY))                                   \
	X("open-eisdir", "openat", EISDIR, open("dir", O_WRONLY))                                  \
	X("open-eexist", "openat", EEXIST, open("file", O_CREAT | O_EXCL | O_RDWR, 0600))          \
	X("open-einval", "openat", EINVAL, open("dir", O_TMPFILE & ~O_DIRECTORY))                  \
	X("open-enxio", "openat", ENXIO, open("fifo", O_WRONLY | O_NONBLOCK))                      \
	X("open-efault", "openat", EFAULT, syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY))          \
	X("read-ebadf", "read", EBADF, read(BAD_FD, have.text, 1))                                 \
	X("read-eisdir", "read", EISDIR, read(have.dir, have.text, 1))                             \
	X("read-eagain", "read", EAGAIN, read(have.pipe_read, have.text, 1))                       \
	X("write-ebadf", "write", EBADF, write(BAD_FD, have.text, 1))                              \
	X("write-epipe", "write", EPIPE, write(have.pipe_closed, have.text, 1))                    \
	X("lseek-espipe", "lseek", ESPIPE, lseek(have.pipe_read, 0, SEEK_SET))                     \
	X("ftruncate-einval", "ftruncate", EINVAL, ftruncate(have.file, -1))                       \
	X("fcntl-einval", "fcntl", EINVAL, fcntl(have.file, 4321))                                 \
	X("dup-ebadf", "dup", EBADF, dup(BAD_FD))                                                  \
	X("ioctl-enotty", "ioctl", ENOTTY, ioctl(have.file, TCGETS, have.text))                    \
	X("ioctl-ebadf", "ioctl", EBADF, ioctl(BAD_FD, TCGETS, have.text))                         \
	X("mmap-einval", "mmap", EINVAL, fail_mmap(0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1)) \
	X("mmap-enomem", "mmap", ENOMEM,                                                           \
	  fail_mmap(1UL << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1))                        \
	X("mmap-ebadf", "mmap", EBADF, fail_mmap(have.page, PROT_READ, MAP_PRIVATE, BAD_FD))       \
	X("mmap-eacces", "mmap", EACCES, fail_mmap(have.page, PROT_WRITE, MAP_SHARED, have.file))  \
	X("munmap-einval", "munmap", EINVAL, munmap((void *)1, have.page))                         \
	X("mprotect-enomem", "mprotect", ENOMEM, mprotect(NULL, have.page, PROT_READ))             \
	X("madvise-einval", "madvise", EINVAL, madvise(NULL, have.page, 4321))                     \
	X("mount-enodev", "mount", ENODEV, mount("none", "dir", "nosuchfs", 0, NULL))              \
	X("mount-einval", "mount", EINVAL, mount("none", "dir", "tmpfs", MS_REMOUNT, NULL))        \
	X("mount-enoent", "mount", ENOENT, mount("none", "nowhere", "tmpfs", 0, NULL))             \
	X("umount-einval", "umount2", EINVAL, umount2("dir", 0))                                   \
	X("bpf-einval", "bpf", EINVAL, fail_bpf(BPF_MAP_CREATE))                                   \
	X("bpf-ebadfd", "bpf", EBADFD, fail_bpf(BPF_OBJ_GET_INFO_BY_FD))                           \
	X("socket-eafnosupport", "socket", EAFNOSUPPORT, socket(99, SOCK_STREAM, 0))               \
	X("socket-eprotonosupport", "socket", EPROTONOSUPPORT,                                     \
	  socket(AF_INET, SOCK_STREAM, IPPROTO_UDP))                                               \
	X("connect-econnrefused", "connect", ECONNREFUSED, fail_unix("file", false))               \
	X("connect-enoent", "connect", ENOENT, fail_unix("nowhere", false))                        \
	X("connect-enotsock", "connect", ENOTSOCK, fail_connect(have.file, 1))                     \
	X("bind-eaddrinuse", "bind", EADDRINUSE, fail_unix("file", true))                          \
	X("bind-eaddrnotavail", "bind", EADDRNOTAVAIL, fail_bind_foreign())                        \
	X("listen-eopnotsupp", "listen", EOPNOTSUPP, listen(have.udp, 1))                          \
	X("accept-einval", "accept", EINVAL, fail_accept())                                        \
	X("shutdown-enotconn", "shutdown", ENOTCONN, shutdown(have.tcp, SHUT_RDWR))                \
	X("setsockopt-enoprotoopt", "setsockopt", ENOPROTOOPT, fail_setsockopt())                  \
	X("send-edestaddrreq", "sendto", EDESTADDRREQ, send(have.udp, have.text, 1, 0))            \
	X("unlink-enoent", "unlink", ENOENT, unlink("nowhere"))                                    \
	X("unlink-eisdir", "unlink", EISDIR, unlink("dir"))                                        \
	X("rmdir-enotempty", "rmdir", ENOTEMPTY, rmdir("full"))                                    \
	X("mkdir-eexist", "mkdir", EEXIST, mkdir("dir", 0700))                                     \
	X("mkdir-eacces", "mkdir", EACCES, fail_as_nobody(create_in_locked))                       \
	X("rename-enoent", "rename", ENOENT, rename("nowhere", "elsewhere"))                       \
	X("link-eexist", "link", EEXIST, link("file", "dir"))                                      \
	X("readlink-einval", "readlink", EINVAL, readlink("file", have.text, sizeof(have.text)))   \
	X("chdir-enotdir", "chdir", ENOTDIR, chdir("file"))                                        \
	X("stat-enoent", "newfstatat", ENOENT, access_stat())                                      \
	X("getxattr-enodata", "getxattr", ENODATA,                                                 \
	  getxattr("file", "trusted.nothing", have.text, sizeof(have.text)))                       \
	X("execve-enoent", "execve", ENOENT, fail_execve("nowhere"))                               \
	X("execve-eacces", "execve", EACCES, fail_execve("file"))                                  \
	X("execve-enoexec", "execve", ENOEXEC, fail_execve("noexec"))                              \
	X("kill-esrch", "kill", ESRCH, kill(0x3ffffff, 0))                                         \
	X("kill-einval", "kill", EINVAL, kill(getpid(), 4321))                                     \
	X("wait-echild", "wait4", ECHILD, waitpid(0x3ffffff, NULL, WNOHANG))                       \
	X("ptrace-esrch", "ptrace", ESRCH, ptrace(PTRACE_ATTACH, 0x3ffffff, NULL, NULL))           \
	X("setpriority-esrch", "setpriority", ESRCH, setpriority(PRIO_PROCESS, 0x3ffffff, 0))      \
	X("setuid-einval", "setuid", EINVAL, syscall(SYS_setuid, -1))                              \
	X("prctl-einval", "prctl", EINVAL, prctl(4321, 0, 0, 0, 0))                                \
	X("epoll-enoent", "epoll_ctl", ENOENT, fail_epoll(EPOLL_CTL_MOD, have.udp))                \
	X("epoll-eperm", "epoll_ctl", EPERM, fail_epoll(EPOLL_CTL_ADD, have.file))                 \
	X("futex-eagain", "futex", EAGAIN, fail_futex())                                           \
	X("timerfd-einval", "timerfd_create", EINVAL, timerfd_create(4321, 0))                     \
	X("msgget-enoent", "msgget", ENOENT, msgget(0x1b25006d, 0))                                \
	X("semget-enoent", "semget", ENOENT, semget(0x1b25006d, 1, 0))                             \
	X("shmat-einval", "shmat", EINVAL, shmat(0x7fffff, NULL, 0) == (void *)-1 ? -1 : 0)        \
	X("sched-einval", "sched_setscheduler", EINVAL, fail_sched())

static int access_stat(void)
{
	struct stat st;

	return fstatat(AT_FDCWD, "nowhere", &st, 0);
}

static int fail_futex(void)
{
	int word = 1;

	return syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0);
}

static int fail_sched(void)
{
	struct sched_param param = {.sched_priority = 1};

	return syscall(SYS_sched_setscheduler, 0, 4321, &param);
}

static const struct kind {
	const char *name;
	const char *syscall;
	int err;
} kinds[] = {
#define X(name, syscall, err, call) {name, syscall, err},
	CALLS(X)
#undef X
};

#define KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

static int call_kind(int index)
{
	int at = 0;

#define X(name, syscall, err, call)                                                                \
	if (at++ == index)                                                                         \
		return (call) < 0;
	CALLS(X)
#undef X
	return 0;
}

static bool chosen[sizeof(kinds) / sizeof(kinds[0])];
static unsigned long rounds = 1, between = 1;
static pthread_barrier_t start;

static void succeed(unsigned long n)
{
	struct stat st;
	int fd;

	switch (n % 4) {
	case 0:
		fd = open("file", O_RDONLY);
		if (fd < 0 || close(fd))
			err(2, "file");
		break;
	case 1:
		syscall(SYS_getpid);
		break;
	case 2:
		if (fstat(have.file, &st))
			err(2, "fstat");
		break;
	default:
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (fd < 0 || close(fd))
			err(2, "socket");
	}
}

/* One thread's share: every chosen kind once a round. Return: how often a call did not fail so. */
static void *work(void *arg)
{
	long cpu = (long)arg;
	unsigned long wrong = 0, n = 0;
	cpu_set_t set;

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			err(2, "CPU %ld", cpu);
	}
	pthread_barrier_wait(&start);
	for (unsigned long round = 0; round < rounds; round++) {
		for (int i = 0; i < KINDS; i++) {
			bool failed;

			if (!chosen[i])
				continue;
			errno = 0;
			failed = call_kind(i);
			if (!failed || errno != kinds[i].err) {
				wrong++;
				if (!round)
					warn("%s: expected %s, got", kinds[i].name,
					     strerrorname_np(kinds[i].err));
			}
			for (unsigned long j = 0; j < between; j++)
				succeed(n++);
		}
	}
	return (void *)wrong;
}

static int make_file(const char *name, mode_t mode, const char *text)
{
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, mode);

	if (fd < 0 || fchmod(fd, mode) || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    close(fd))
		err(2, "%s", name);
	return 0;
}

static void prepare(void)
{
	char dir[] = "/dev/shm/failcalls.XXXXXX";
	int fds[2];

	if (!mkdtemp(dir) || chdir(dir) || chmod(".", 0755))
		err(2, "%s", dir);
	make_file("file", 0644, "text\n");
	make_file("secret", 0600, "");
	make_file("noexec", 0755, "no format that the kernel knows\n");
	if (mkdir("dir", 0755) || mkdir("full", 0755) || mkdir("locked", 0700) ||
	    mkdir("full/x", 0755) || mkfifo("fifo", 0600) || symlink("loop", "loop"))
		err(2, "%s", dir);
	have.page = sysconf(_SC_PAGESIZE);
	have.file = open("file", O_RDONLY);
	have.dir = open("dir", O_RDONLY | O_DIRECTORY);
	if (have.file < 0 || have.dir < 0 || pipe2(fds, O_NONBLOCK))
		err(2, "%s", dir);
	have.pipe_read = fds[0]; /* its writer stays open, or a read would see the end of file */
	if (pipe2(fds, O_NONBLOCK) || close(fds[0]))
		err(2, "pipe");
	have.pipe_closed = fds[1];
	have.udp = socket(AF_INET, SOCK_DGRAM, 0);
	have.tcp = socket(AF_INET, SOCK_STREAM, 0);
	have.epoll = epoll_create1(0);
	if (have.udp < 0 || have.tcp < 0 || have.epoll < 0)
		err(2, "socket");
	signal(SIGPIPE, SIG_IGN);
}

static void clean_up(void)
{
	static const char *const files[] = {"file", "secret", "noexec", "fifo", "loop"};
	static const char *const dirs[] = {"full/x", "full", "locked", "dir"};
	char dir[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		rmdir(dirs[i]);
	if (getcwd(dir, sizeof(dir)))
		rmdir(dir);
}

static void choose(char **patterns, int count)
{
	for (int j = 0; j < count; j++) {
		bool found = false;

		for (int i = 0; i < KINDS; i++) {
			if (fnmatch(patterns[j], kinds[i].name, 0))
				continue;
			found = chosen[i] = true;
		}
		if (!found)
			errx(2, "no kind of call matches %s; see --list", patterns[j]);
	}
	for (int i = 0; !count && i < KINDS; i++)
		chosen[i] = true;
}

static void list(FILE *out, unsigned long count)
{
	for (int i = 0; i < KINDS; i++)
		if (chosen[i])
			fprintf(out, "%s %s %s %lu\n", kinds[i].name, kinds[i].syscall,
				strerrorname_np(kinds[i].err), count);
}

static void usage(void)
{
	puts("Usage: failcalls [OPTION]... [KIND]...\n"
	     "Make system calls that fail: each KIND (glob, all by default) once a round.\n"
	     "  -n, --rounds N    1\n"
	     "  -b, --between N   calls that succeed after each one that fails; 1\n"
	     "  -t, --threads N   so many at once, thread I on CPU I; without it, one anywhere\n"
	     "  -l, --list        the kinds: NAME SYSCALL ERRNO 0\n"
	     "At the end a line a kind says how many were made: NAME SYSCALL ERRNO COUNT.\n"
	     "Exit status: 0 if each failed as it should, else 1; 2 if it could not start.");
}

static unsigned long run_threads(long threads)
{
	pthread_t ids[THREADS_MAX];
	unsigned long wrong = 0;
	void *result;

	pthread_barrier_init(&start, NULL, threads ?: 1);
	if (!threads)
		return (unsigned long)work((void *)-1L);
	for (long i = 0; i < threads; i++)
		if ((errno = pthread_create(&ids[i], NULL, work, (void *)i)))
			err(2, "thread");
	for (long i = 0; i < threads; i++) {
		pthread_join(ids[i], &result);
		wrong += (unsigned long)result;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"rounds", required_argument, NULL, 'n'},
		{"between", required_argument, NULL, 'b'},
		{"threads", required_argument, NULL, 't'},
		{"list", no_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'},
		{},
	};
	bool only_list = false;
	unsigned long wrong;
	long threads = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "n:b:t:lh", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			rounds = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			between = strtoul(optarg, NULL, 10);
			break;
		case 't':
			threads = strtol(optarg, NULL, 10);
			if (threads < 1 || threads > THREADS_MAX)
				errx(2, "--threads: 1 to %d", THREADS_MAX);
			break;
		case 'l':
			only_list = true;
			break;
		case 'h':
			usage();
			return 0;
		default:
			return 2;
		}
	}
	choose(argv + optind, argc - optind);
	if (only_list) {
		list(stdout, 0);
		return 0;
	}
	prepare();
	wrong = run_threads(threads);
	clean_up();
	list(stdout, rounds * (threads ?: 1));
	if (wrong)
		warnx("%lu calls did not fail as they should", wrong);
	return wrong ? 1 : 0;
}
