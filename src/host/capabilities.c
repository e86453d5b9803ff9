// SPDX-License-Identifier: GPL-2.0
#include "host/capabilities.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"

static uint64_t effective_capabilities(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	_cleanup_free_ char *line = NULL;
	uint64_t caps = 0;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0)
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			return caps;
	return 0;
}

bool process_has_capability(int cap)
{
	return effective_capabilities() & 1ULL << cap;
}

/* The kernel's own has all user IDs; one that is not set up yet has none. */
static bool in_user_namespace(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long long inside, outside, count;

	if (!f)
		return false;
	return fscanf(f, "%llu %llu %llu", &inside, &outside, &count) != 3 || inside || outside ||
	       count != UINT32_MAX;
}

const char *missing_capabilities(void)
{
	uint64_t caps = effective_capabilities();
	/* CAP_SYS_ADMIN stands for both (capabilities(7)). */
	bool admin = caps & 1ULL << CAP_SYS_ADMIN;
	bool bpf = admin || caps & 1ULL << CAP_BPF;
	bool perfmon = admin || caps & 1ULL << CAP_PERFMON;

	if (in_user_namespace())
		return "root's privilege outside of this container (user namespace)";
	if (!bpf && !perfmon)
		return "CAP_BPF and CAP_PERFMON";
	if (!bpf)
		return "CAP_BPF";
	if (!perfmon)
		return "CAP_PERFMON";
	return NULL;
}

const char *missing_capabilities_remedy(void)
{
	return in_user_namespace() ? "run lbrsnoop on the host" : "run as root (sudo)";
}

const char *kallsyms_error(int err)
{
	if (err != -EPERM)
		return strerror(-err);
	/* kptr_restrict 2 is for root, too. */
	return process_has_capability(CAP_SYSLOG) && !in_user_namespace()
		       ? "the kernel hides its addresses from root, too; sysctl "
			 "kernel.kptr_restrict=1 shows them"
		       : "the kernel hides its addresses; run as root, or with CAP_SYSLOG";
}

/* Is the file in a directory that is not ours, and that root alone may write to? */
static bool is_foreign(const char *path)
{
	_cleanup_free_ char *copy = path ? strdup(path) : NULL;
	struct stat st;

	return copy && !stat(dirname(copy), &st) && st.st_uid != geteuid();
}

static int keep_only(uint64_t keep, const char *const *files, size_t file_count)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	for (size_t i = 0; i < file_count; i++)
		if (is_foreign(files[i]))
			keep |= 1ULL << CAP_DAC_OVERRIDE;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	/* Without CAP_SETPCAP there is no way; then nobody gave us more than we asked for. */
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (!(keep & 1ULL << cap))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(keep >> 32 * i);
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

#define KEEP_ARMED (1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_SYSLOG)
/* What other users' processes have mapped, and those files. */
#define KEEP_PROGRAMS (1ULL << CAP_SYS_PTRACE | 1ULL << CAP_DAC_READ_SEARCH)

int drop_privileges(bool admin, bool programs, const char *const *files, size_t file_count)
{
	uint64_t keep = KEEP_ARMED;

	if (admin)
		keep |= 1ULL << CAP_SYS_ADMIN;
	if (programs)
		keep |= KEEP_PROGRAMS;
	return keep_only(keep, files, file_count);
}

int keep_arming_privileges(const char *const *files, size_t file_count)
{
	/* CAP_SYS_RAWIO: /proc/kcore, and the registers that tell the LBR's format. */
	return keep_only(KEEP_ARMED | KEEP_PROGRAMS | 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_SYS_RAWIO,
			 files, file_count);
}
