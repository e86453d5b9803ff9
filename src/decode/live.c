// SPDX-License-Identifier: GPL-2.0
#include "decode/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/stack.h"
#include "util/cleanup.h"

static int open_error(const char *dir, const char *path, unsigned int cpu, struct errmsg *msg)
{
	int err = -errno;
	char first[PATH_MAX];

	switch (err) {
	case -ENOENT:
		snprintf(first, sizeof(first), "%s/0/msr", dir);
		if (access(first, F_OK))
			return errmsg_set(msg, err,
					  "%s is missing: load the module msr: modprobe "
					  "msr",
					  path);
		return errmsg_set(msg, err, "there is no CPU %u: %s is missing", cpu, path);
	case -ENXIO: /* Linux msr_open() */
		return errmsg_set(msg, -ENOENT, "CPU %u is offline: %s cannot be opened", cpu,
				  path);
	case -EPERM:
	case -EACCES:
		return errmsg_set(msg, err,
				  "%s: %s: root with CAP_SYS_RAWIO may read it; with "
				  "Secure Boot some kernels are locked down (see "
				  "/sys/kernel/security/lockdown) and nobody may",
				  path, strerror(-err));
	default:
		return errmsg_set(msg, err, "%s: %s", path, strerror(-err));
	}
}

static int read_msr(int fd, uint32_t msr, uint64_t *ret_value)
{
	uint64_t value = 0;
	ssize_t n = pread(fd, &value, sizeof(value), msr);

	if (n != sizeof(value))
		return n < 0 ? -errno : -EIO;
	*ret_value = value;
	return 0;
}

/* Is the LBR on? Then what reads it is recorded in it. */
static bool is_recording(const struct lbr_model *model, int fd)
{
	uint32_t msr = MSR_DEBUGCTL, bit = 0;
	uint64_t value = 0;

	if (model->format == LBR_FORMAT_ARCH) {
		msr = model->msr_select; /* IA32_LBR_CTL.LBREn */
	} else if (model->from == &layout_from_amd_v2) {
		msr = MSR_AMD_DBG_EXTN_CFG;
		bit = 6; /* LBRV2EN */
	} else if (model->order == LBR_ORDER_BRS) {
		msr = MSR_AMD_DBG_EXTN_CFG;
		bit = 2; /* BRSMEN */
	}
	return !read_msr(fd, msr, &value) && (value >> bit & 1);
}

int live_read(const struct lbr_model *model, const char *dir, unsigned int cpu, struct dump *dump,
	      struct notes *notes, struct errmsg *msg)
{
	_cleanup_close_ int fd = -1;
	uint32_t msrs[LBR_MSRS_MAX + 2];
	uint32_t depth = model->depth;
	char path[PATH_MAX];
	uint64_t value = 0;
	size_t count;

	snprintf(path, sizeof(path), "%s/%u/msr", dir, cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return open_error(dir, path, cpu, msg);
	if (is_recording(model, fd))
		notes_warning(notes, 0,
			      "CPU %u: the LBR is recording: its newest entries are those "
			      "of reading it, and it may change between two registers",
			      cpu);
	if (model->format == LBR_FORMAT_ARCH && !read_msr(fd, MSR_ARCH_LBR_DEPTH, &value) &&
	    value && value <= BRANCHES_MAX)
		depth = (uint32_t)value;
	count = lbr_model_msrs(model, depth, msrs);
	if (model->msr_select != MSR_LBR_NONE)
		msrs[count++] = model->msr_select;
	if (model->format == LBR_FORMAT_ARCH)
		msrs[count++] = MSR_ARCH_LBR_DEPTH;
	for (size_t i = 0; i < count; i++) {
		int err = read_msr(fd, msrs[i], &value);

		if (err == -EIO)
			return errmsg_set(msg, -ENODEV,
					  "CPU %u does not have MSR %XH of the LBR of "
					  "%s: a virtual machine whose hypervisor hides it, most "
					  "likely",
					  cpu, msrs[i], model->name);
		if (err)
			return errmsg_set(msg, err, "%s: MSR %XH: %s", path, msrs[i],
					  strerror(-err));
		err = dump_add(dump, cpu, msrs[i], value, 0);
		if (err)
			return errmsg_set(msg, err, "CPU %u: %s", cpu, strerror(-err));
	}
	return 0;
}
