// SPDX-License-Identifier: GPL-2.0
/* The row of this machine, narrowed down to what its own CPUID reports. */
#include "decode/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

struct cpuid_regs {
	uint32_t eax;
	uint32_t ebx;
	uint32_t ecx;
	uint32_t edx;
};

/* All zero if the CPU has no such leaf. */
static struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_regs r = {0};

	if (!__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx))
		memset(&r, 0, sizeof(r));
	return r;
}

static enum cpu_vendor host_vendor(void)
{
	struct cpuid_regs r = cpuid(0, 0);
	char name[12];

	memcpy(name, &r.ebx, 4);
	memcpy(name + 4, &r.edx, 4);
	memcpy(name + 8, &r.ecx, 4);
	if (!memcmp(name, "GenuineIntel", sizeof(name)))
		return CPU_VENDOR_INTEL;
	if (!memcmp(name, "AuthenticAMD", sizeof(name)) ||
	    !memcmp(name, "HygonGenuine", sizeof(name)))
		return CPU_VENDOR_AMD;
	return CPU_VENDOR_NONE;
}

/* Intel SDM vol. 2A, CPUID leaf 1CH "Last Branch Records" */
static void refine_arch(struct lbr_model *model)
{
	struct cpuid_regs r = cpuid(0x1c, 0);
	uint32_t depths = r.eax & 0xff;

	if (depths)
		model->depth = 8u * (32u - (uint32_t)__builtin_clz(depths));
	if (!(r.ebx & 1))
		model->select &= ~LBR_SELECT_PRIV;
	if (!(r.ebx & 2))
		model->select &= ~LBR_SELECT_TYPES;
	/* Linux wants all three for call-stack mode: intel_pmu_arch_lbr_init() */
	if ((r.ebx & 7) != 7)
		model->select &= ~LBR_SELECT_CALLSTACK;
	if (!(r.ecx & 1))
		model->supported &= ~LBR_HAS_MISPRED;
	if (!(r.ecx & 2))
		model->supported &= ~LBR_HAS_CYCLES;
	if (!(r.ecx & 4))
		model->supported &= ~LBR_HAS_TYPE;
}

static const struct lbr_model *intel_row(unsigned int family, unsigned int model)
{
	const struct lbr_model *row = lbr_model_by_cpu(CPU_VENDOR_INTEL, family, model);

	/* CPUID.07H:EDX[19]: architectural LBR, whatever the model number */
	if ((!row || row->format == LBR_FORMAT_ARCH) && (cpuid(7, 0).edx & (1u << 19)))
		return row ? row : lbr_model_by_format(LBR_FORMAT_ARCH);
	return row;
}

/* CPUID.80000022H:EAX[1] is LbrExtV2, CPUID.80000008H:EBX[31] is BRS: Linux cpufeatures.h */
static const struct lbr_model *amd_row(unsigned int family, unsigned int model)
{
	const struct lbr_model *row = lbr_model_by_cpu(CPU_VENDOR_AMD, family, model);

	if (cpuid(0x80000022, 0).eax & 2)
		return row && row->from == &layout_from_amd_v2 ? row : lbr_model_by_name("zen5");
	if (row && row->order == LBR_ORDER_BRS && (cpuid(0x80000008, 0).ebx & (1u << 31)))
		return row;
	return lbr_model_by_name("amd_single");
}

/* What the kernel has found counts as well: its driver believes it, not this process's CPUID. */
static bool kernel_has_tsx(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/cpuinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 1) {
		if (strncmp(line, "flags", 5))
			continue;
		for (char *rest = line, *word; (word = strsep(&rest, " \t\n"));) {
			if (!strcmp(word, "hle") || !strcmp(word, "rtm"))
				return true;
		}
		return false;
	}
	return false;
}

static bool host_has_tsx(void)
{
	return (cpuid(7, 0).ebx & ((1u << 4) | (1u << 11))) || kernel_has_tsx(); /* HLE, RTM */
}

static void refine_intel(struct lbr_model *model)
{
	_cleanup_close_ int fd = -1;
	uint64_t caps;

	if (model->format == LBR_FORMAT_ARCH)
		refine_arch(model);
	lbr_model_set_tsx(model, host_has_tsx());
	if (model->format != LBR_FORMAT_NONE || !(cpuid(1, 0).ecx & (1u << 15))) /* PDCM */
		return;
	fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, &caps, sizeof(caps), MSR_PERF_CAPABILITIES) == sizeof(caps))
		(void)lbr_model_set_format(model, caps & 0x3f);
}

int lbr_model_of_host(struct lbr_model *ret_model)
{
	enum cpu_vendor vendor = host_vendor();
	const struct lbr_model *row = NULL;
	unsigned int family, model;
	uint32_t depth;

	cpu_signature_split(cpuid(1, 0).eax, &family, &model);
	if (vendor == CPU_VENDOR_INTEL)
		row = intel_row(family, model);
	else if (vendor == CPU_VENDOR_AMD)
		row = amd_row(family, model);
	if (!row)
		return -ENOENT;
	*ret_model = *row;
	if (vendor == CPU_VENDOR_INTEL)
		refine_intel(ret_model);
	depth = (cpuid(0x80000022, 0).ebx >> 4) & 0x3f;
	if (row->from == &layout_from_amd_v2 && depth)
		ret_model->depth = depth;
	return 0;
}
#else
int lbr_model_of_host(struct lbr_model *ret_model)
{
	(void)ret_model;
	return -ENOENT;
}
#endif
