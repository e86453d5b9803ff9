// SPDX-License-Identifier: GPL-2.0
/*
 * guest-init.c - process 1 of the virtual machine: run one command on the host's root
 *
 * Linked statically and alone in an initramfs with the modules it needs. It loads
 * them in the order of /modules/order, mounts the host's root (9p, read-only)
 * under a tmpfs overlay, changes into it, runs the command and sends its output
 * and its exit status through a virtio-serial port. The host then ends the machine.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire.h"

#define NEWROOT		"/newroot"
#define P9_OPTIONS	"trans=virtio,version=9p2000.L,msize=512000"
#define PIPE_SIZE_BYTES (1 << 20)
#define PORT_TRIES	20000 /* times 1 ms: under load the host may be slow to plug it */
#define RECORDS_MAX	8192

/* What the host asks for. The strings live in the received frame. */
struct config {
	char *cwd;
	char *argv[RECORDS_MAX + 1];
	char *envp[RECORDS_MAX + 1];
	char **binds;  /* pairs: source, destination */
	char **shares; /* pairs: mount tag, directory */
	char **tmpfs;
	size_t argc, envc, bind_nr, share_nr, tmpfs_nr;
};

static const struct mount_row {
	const char *source, *target, *type, *data;
	unsigned long flags;
	bool optional;
} pseudo_mounts[] = {
	{"proc", "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false},
	{"sysfs", "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false},
	{"devtmpfs", "/dev", "devtmpfs", "mode=0755", MS_NOSUID, false},
	{"devpts", "/dev/pts", "devpts", "mode=0620,gid=5,ptmxmode=0666", MS_NOSUID, false},
	{"tmpfs", "/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, false},
	{"tmpfs", "/run", "tmpfs", "mode=0755", MS_NOSUID | MS_NODEV, false},
	{"debugfs", "/sys/kernel/debug", "debugfs", NULL, 0, false},
	{"tracefs", "/sys/kernel/tracing", "tracefs", NULL, 0, false},
	{"bpf", "/sys/fs/bpf", "bpf", "mode=0700", 0, false},
	{"cgroup2", "/sys/fs/cgroup", "cgroup2", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, true},
	{"securityfs", "/sys/kernel/security", "securityfs", NULL, 0, true},
};

static int port_fd = -1;

static int write_all(int fd, const void *data, size_t len_bytes)
{
	const char *at = data;

	while (len_bytes) {
		ssize_t n = write(fd, at, len_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len_bytes -= (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *data, size_t len_bytes)
{
	char *at = data;

	while (len_bytes) {
		ssize_t n = read(fd, at, len_bytes);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) { /* the host has not opened its end yet */
			usleep(1000);
			continue;
		}
		at += n;
		len_bytes -= (size_t)n;
	}
	return 0;
}

static int frame_send(enum wire_kind kind, const void *payload, size_t len_bytes)
{
	char frame[WIRE_FRAME_MAX];
	struct wire_header header = {.kind = (uint8_t)kind, .len_bytes = (uint32_t)len_bytes};

	if (len_bytes > WIRE_PAYLOAD_MAX)
		return -EMSGSIZE;
	memcpy(frame, &header, sizeof(header));
	memcpy(frame + sizeof(header), payload, len_bytes);
	return write_all(port_fd, frame, sizeof(header) + len_bytes);
}

/* The end of a machine that cannot do its work: say why, everywhere, and power off. */
__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len >= (int)sizeof(text))
		len = sizeof(text) - 1;
	dprintf(STDERR_FILENO, "guest-init: %s\n", text);
	if (port_fd >= 0) {
		frame_send(WIRE_FAILED, text, (size_t)len);
		for (;;) /* the host reads it and ends the machine */
			pause();
	}
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void mount_or_fail(const struct mount_row *row)
{
	if (mount(row->source, row->target, row->type, row->flags, row->data) && !row->optional)
		fail("mount %s on %s: %s", row->type, row->target, strerror(errno));
}

static void modules_load(void)
{
	char path[256];
	FILE *order = fopen("/modules/order", "re");

	if (!order)
		fail("/modules/order: %s", strerror(errno));
	while (fgets(path, sizeof(path), order)) {
		int fd;

		path[strcspn(path, "\n")] = '\0';
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fail("%s: %s", path, strerror(errno));
		/* ENODEV: the module's device is not there, as with pvpanic-mmio */
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST && errno != ENODEV)
			fail("load %s: %s", path, strerror(errno));
		close(fd);
	}
	fclose(order);
}

static bool port_is_ours(const char *entry)
{
	char path[512], name[64] = "";
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", entry);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, name, sizeof(name) - 1);
	close(fd);
	return n > 0 && !strncmp(name, WIRE_PORT_NAME, strlen(WIRE_PORT_NAME));
}

static int port_find(void)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	int fd = -ENOENT;

	if (!dir)
		return -errno;
	while (fd < 0 && (entry = readdir(dir))) {
		char path[512];

		if (entry->d_name[0] == '.' || !port_is_ours(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	closedir(dir);
	return fd;
}

static void port_open(void)
{
	int fd = -ENOENT;

	/* The ports appear when a work item of virtio_console has run. */
	for (int tries = 0; fd < 0 && tries < PORT_TRIES; tries++) {
		fd = port_find();
		if (fd < 0)
			usleep(1000);
	}
	if (fd < 0)
		fail("no virtio-serial port %s: %s", WIRE_PORT_NAME, strerror(-fd));
	port_fd = fd;
}

/* The next string of the frame, or fail(): every operand must be there. */
static char *config_next(char **at, char *end, const char *what)
{
	char *string = *at;
	char *nul = string < end ? memchr(string, '\0', (size_t)(end - string)) : NULL;

	if (!nul)
		fail("configuration: %s is missing", what);
	*at = nul + 1;
	return string;
}

static void config_add(char **array, size_t *nr, char *value)
{
	if (*nr >= RECORDS_MAX)
		fail("configuration: more than %d entries of a kind", RECORDS_MAX);
	array[(*nr)++] = value;
}

static void config_parse(struct config *config, char *at, char *end)
{
	while (at < end) {
		char *verb = config_next(&at, end, "a verb");
		char *first = config_next(&at, end, verb);

		if (!strcmp(verb, "cwd")) {
			config->cwd = first;
		} else if (!strcmp(verb, "arg")) {
			config_add(config->argv, &config->argc, first);
		} else if (!strcmp(verb, "env")) {
			config_add(config->envp, &config->envc, first);
		} else if (!strcmp(verb, "tmpfs")) {
			config_add(config->tmpfs, &config->tmpfs_nr, first);
		} else if (!strcmp(verb, "bind")) {
			config_add(config->binds, &config->bind_nr, first);
			config_add(config->binds, &config->bind_nr, config_next(&at, end, verb));
		} else if (!strcmp(verb, "share")) {
			config_add(config->shares, &config->share_nr, first);
			config_add(config->shares, &config->share_nr, config_next(&at, end, verb));
		} else {
			fail("configuration: unknown verb %s", verb);
		}
	}
	if (!config->cwd || !config->argc)
		fail("configuration: no working directory or no command");
}

static struct config *config_receive(void)
{
	struct config *config = calloc(1, sizeof(*config));
	struct wire_header header;
	char *payload;
	int err;

	err = read_all(port_fd, &header, sizeof(header));
	if (err)
		fail("read configuration: %s", strerror(-err));
	if (header.kind != WIRE_CONFIG || header.len_bytes > WIRE_CONFIG_MAX)
		fail("configuration: bad frame, kind %u, %u bytes", header.kind, header.len_bytes);
	payload = malloc(header.len_bytes + 1);
	if (!config || !payload)
		fail("out of memory");
	err = read_all(port_fd, payload, header.len_bytes);
	if (err)
		fail("read configuration: %s", strerror(-err));
	config->binds = calloc(RECORDS_MAX, sizeof(char *));
	config->shares = calloc(RECORDS_MAX, sizeof(char *));
	config->tmpfs = calloc(RECORDS_MAX, sizeof(char *));
	if (!config->binds || !config->shares || !config->tmpfs)
		fail("out of memory");
	config_parse(config, payload, payload + header.len_bytes);
	return config;
}

/* Make the directory and those above it; last says whether PATH itself is one. */
static void directories_make(const char *path, bool last)
{
	char copy[4096];

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		fail("path too long: %.64s...", path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
	if (last)
		mkdir(copy, 0755);
}

static void root_mount(void)
{
	static const struct mount_row rows[] = {
		{"host", "/lower", "9p", P9_OPTIONS ",cache=loose", MS_RDONLY, false},
		{"tmpfs", "/upper", "tmpfs", "mode=0755,size=75%", 0, false},
	};
	static const char *const directories[] = {"/lower", "/upper", NEWROOT};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		mkdir(directories[i], 0755);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		mount_or_fail(&rows[i]);
	mkdir("/upper/data", 0755);
	mkdir("/upper/work", 0755);
	if (mount("overlay", NEWROOT, "overlay", 0,
		  "lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work"))
		fail("mount the overlay: %s", strerror(errno));
}

static void root_switch(void)
{
	if (chdir(NEWROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		fail("switch to the host's root: %s", strerror(errno));
}

static void bind_make(const char *source, const char *target)
{
	struct stat status;

	if (stat(source, &status))
		fail("bind %s: %s", source, strerror(errno));
	directories_make(target, S_ISDIR(status.st_mode));
	if (!S_ISDIR(status.st_mode)) {
		int fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

		if (fd >= 0)
			close(fd);
	}
	if (mount(source, target, NULL, MS_BIND, NULL))
		fail("bind %s on %s: %s", source, target, strerror(errno));
}

/* What udev would add to devtmpfs. */
static void dev_links_make(void)
{
	static const char *const links[][2] = {
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			fail("link %s: %s", links[i][1], strerror(errno));
	}
}

/* Binds before tmpfs, which may hide their sources; shares may be below a tmpfs. */
static void root_furnish(const struct config *config)
{
	for (size_t i = 0; i < sizeof(pseudo_mounts) / sizeof(pseudo_mounts[0]); i++) {
		mkdir(pseudo_mounts[i].target, 0755);
		mount_or_fail(&pseudo_mounts[i]);
	}
	dev_links_make();
	for (size_t i = 0; i < config->bind_nr; i += 2)
		bind_make(config->binds[i], config->binds[i + 1]);
	for (size_t i = 0; i < config->tmpfs_nr; i++) {
		if (mount("tmpfs", config->tmpfs[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"))
			fail("mount tmpfs on %s: %s", config->tmpfs[i], strerror(errno));
	}
	for (size_t i = 0; i < config->share_nr; i += 2) {
		const char *directory = config->shares[i + 1];

		directories_make(directory, true);
		if (mount(config->shares[i], directory, "9p", 0, P9_OPTIONS ",cache=mmap"))
			fail("mount share %s: %s", directory, strerror(errno));
	}
}

static void loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		dprintf(STDERR_FILENO, "guest-init: lo: %s\n", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void sysctl_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		dprintf(STDERR_FILENO, "guest-init: %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/*
 * The kernel stops a counter until the next tick when more interrupts come than its rate of samples
 * allows, and lowers the rate when they take long. How long they take in an emulator is the host's
 * affair, and so is how late a tick comes. The rate cannot be set once nothing lowers it.
 */
static void sampling_unthrottle(void)
{
	sysctl_write("/proc/sys/kernel/perf_event_max_sample_rate", "10000000");
	sysctl_write("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

/* The shell's convention: 127 not found, 126 found but not to be executed. */
__attribute__((noreturn)) static void command_exec(const struct config *config, int out, int err)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(config->cwd)) {
		dprintf(STDERR_FILENO, "guest-init: %s: %s\n", config->cwd, strerror(errno));
		_exit(126);
	}
	clearenv();
	for (size_t i = 0; i < config->envc; i++)
		putenv(config->envp[i]);
	execvp(config->argv[0], config->argv);
	dprintf(STDERR_FILENO, "guest-init: %s: %s\n", config->argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/*
 * Send what is in the pipe at this moment and no more, so that a busy writer keeps
 * neither the other pipe nor the command's end from being seen. Returns false at its end.
 */
static bool output_pump(int fd, enum wire_kind kind)
{
	char data[WIRE_PAYLOAD_MAX];
	int pending = 0;

	if (ioctl(fd, FIONREAD, &pending))
		fail("FIONREAD: %s", strerror(errno));
	do {
		ssize_t n = read(fd, data, sizeof(data));
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return true;
		if (n == 0)
			return false;
		err = frame_send(kind, data, (size_t)n);
		if (err)
			fail("send output: %s", strerror(-err));
		pending -= (int)n;
	} while (pending > 0);
	return true;
}

/* Reap whatever ended, orphans included. Returns true when it was the command. */
static bool children_reap(int signals, pid_t command, int *ret_status)
{
	struct signalfd_siginfo info;
	bool done = false;
	int status;
	pid_t pid;

	if (read(signals, &info, sizeof(info)) < 0 && errno != EAGAIN)
		fail("signalfd: %s", strerror(errno));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		done = true;
	}
	return done;
}

static void pipe_make(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
	fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE_BYTES);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

static int command_run(const struct config *config)
{
	int out[2], err[2], status = 0;
	struct pollfd polled[3];
	bool done = false;
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	pipe_make(out);
	pipe_make(err);
	pid = fork();
	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (pid == 0)
		command_exec(config, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	polled[0] = (struct pollfd){.fd = out[0], .events = POLLIN};
	polled[1] = (struct pollfd){.fd = err[0], .events = POLLIN};
	polled[2] = (struct pollfd){.fd = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC),
				    .events = POLLIN};
	while (!done) {
		if (poll(polled, 3, -1) < 0 && errno != EINTR)
			fail("poll: %s", strerror(errno));
		if (polled[2].revents)
			done = children_reap(polled[2].fd, pid, &status);
		/* After the command's end what it wrote is in the pipes: one more round. */
		if ((done || polled[0].revents) && !output_pump(out[0], WIRE_STDOUT))
			polled[0].fd = -1;
		if ((done || polled[1].revents) && !output_pump(err[0], WIRE_STDERR))
			polled[1].fd = -1;
	}
	return status;
}

int main(void)
{
	struct config *config;
	uint32_t status;

	/* For the initramfs itself; the host's root gets its own. */
	for (size_t i = 0; i < 3; i++) {
		mkdir(pseudo_mounts[i].target, 0755);
		mount_or_fail(&pseudo_mounts[i]);
	}
	modules_load();
	port_open();
	config = config_receive();
	root_mount();
	root_switch();
	root_furnish(config);
	loopback_up();
	sampling_unthrottle();
	sethostname("lbrsnoop-vm", strlen("lbrsnoop-vm"));
	status = (uint32_t)command_run(config);
	sync();
	frame_send(WIRE_EXIT, &status, sizeof(status));
	for (;;)
		pause();
}
