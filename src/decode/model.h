/* SPDX-License-Identifier: GPL-2.0 */
/*
 * model.h - every CPU model, which LBR layout and registers it has, as one const table
 *
 * A row is one CPU family. Live capture, raw MSR decoding and --explain all read the same rows.
 */
#ifndef LBRSNOOP_DECODE_MODEL_H
#define LBRSNOOP_DECODE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/layout.h"
#include "snapshot/branch.h"

/** enum cpu_vendor - as far as LBRs differ; Hygon counts as AMD */
enum cpu_vendor {
	CPU_VENDOR_NONE = 0, /* row of a format, of no particular CPU */
	CPU_VENDOR_INTEL,
	CPU_VENDOR_AMD,
};

/** struct cpu_range - DisplayFamily and a range of DisplayModels, both ends included */
struct cpu_range {
	uint16_t family;
	uint16_t model_first;
	uint16_t model_last;
};

/** enum lbr_order - how the entries' age follows from their number */
enum lbr_order {
	LBR_ORDER_TOS,	  /* ring: the TOS register has the index of the newest */
	LBR_ORDER_NEWEST, /* shift register: entry 0 is the newest */
	LBR_ORDER_BRS,	  /* AMD BRS: filled once from 0; DBG_EXTN_CFG has the next index */
};

/* Filters in hardware: bits of struct lbr_model.select, numbered as MSR_LBR_SELECT is. */
#define LBR_SELECT_KERNEL    (1u << 0)
#define LBR_SELECT_USER	     (1u << 1)
#define LBR_SELECT_JCC	     (1u << 2)
#define LBR_SELECT_REL_CALL  (1u << 3)
#define LBR_SELECT_IND_CALL  (1u << 4)
#define LBR_SELECT_RET	     (1u << 5)
#define LBR_SELECT_IND_JMP   (1u << 6)
#define LBR_SELECT_REL_JMP   (1u << 7)
#define LBR_SELECT_FAR	     (1u << 8)
#define LBR_SELECT_CALLSTACK (1u << 9)
#define LBR_SELECT_PRIV	     (LBR_SELECT_KERNEL | LBR_SELECT_USER)
#define LBR_SELECT_TYPES     0x1fcu
#define LBR_SELECT_ALL	     (LBR_SELECT_PRIV | LBR_SELECT_TYPES)

/* Departures from the layout; each is explained in the row's errata. */
#define LBR_QUIRK_CALL_NEEDS_JMP (1u << 0) /* calls are captured only together with jumps */
#define LBR_QUIRK_TSX_SIGN_EXT	 (1u << 1) /* no TSX: FROM[62:61] means nothing */
#define LBR_QUIRK_LIP_HAS_FLAGS	 (1u << 2) /* says format 01H, has MISPRED all the same */
#define LBR_QUIRK_BASE_UNKNOWN	 (1u << 3) /* MSR numbers depend on the CPU, not on the format */

#define MSR_LBR_NONE	      0u
#define LBR_FORMAT_NONE	      (-1)
#define LBR_FORMAT_ARCH	      0x3f
#define MSR_DEBUGCTL	      0x1d9u
#define MSR_NETBURST_TOS      0x1dau
#define MSR_PERF_CAPABILITIES 0x345u
#define MSR_ARCH_LBR_DEPTH    0x14cfu
#define MSR_AMD_DBG_EXTN_CFG  0xc000010fu /* Linux msr-index.h; APM vol. 2, 13.1.1.8 */

/**
 * struct lbr_model - the LBR of one family of CPUs
 * @name: short, unique; goes into struct lbr_info
 * @title: for people
 * @vendor: CPU_VENDOR_NONE for the rows of bare formats
 * @cpus: CPUs of the row; NULL for rows found otherwise
 * @cpu_count: of @cpus
 * @format: IA32_PERF_CAPABILITIES[5:0]; LBR_FORMAT_NONE where there is none or it is unknown
 * @depth: entries; 0 where only the CPU (or the dump) can say
 * @msr_from: number of FROM register 0
 * @msr_to: number of TO register 0; MSR_LBR_NONE if @from holds both addresses
 * @msr_info: number of INFO register 0, or MSR_LBR_NONE
 * @stride: from one FROM (TO, INFO) register to the next
 * @msr_order: register that @order needs (TOS, DBG_EXTN_CFG), or MSR_LBR_NONE
 * @order: how entries are ordered
 * @msr_select: filter register, or MSR_LBR_NONE
 * @msr_ler: FROM register of the last exception's record (LER), TO is the next one; SDM vol. 4,
 * NetBurst: vol. 3C, Table 35-41; AMD APM vol. 2. MSR_LBR_NONE for bare formats
 * @select: LBR_SELECT_* filters the hardware has
 * @select_layout: layout of @msr_select, or NULL
 * @from: layout of the FROM registers
 * @to: layout of the TO registers, NULL with @msr_to
 * @info: layout of the INFO registers, NULL with @msr_info
 * @addr_bits: bits of a canonical linear address on these CPUs; 32 before Intel 64
 * @supported: LBR_HAS_*
 * @quirks: LBR_QUIRK_*
 * @live_since: the first Linux that takes branch snapshots on these CPUs; NULL: none does, their
 * registers can only be dumped (and of bare formats, where the CPU decides)
 * Source: Linux arch/x86/events/intel/core.c, amd/lbr.c:
 * static_call_update(perf_snapshot_branch_stack)
 * @errata: what to know when reading such entries; "" if nothing is known
 * @source: where the row was taken from, and what in it is not certain
 */
struct lbr_model {
	const char *name;
	const char *title;
	enum cpu_vendor vendor;
	const struct cpu_range *cpus;
	size_t cpu_count;
	int format;
	uint32_t depth;
	uint32_t msr_from;
	uint32_t msr_to;
	uint32_t msr_info;
	uint32_t stride;
	uint32_t msr_order;
	enum lbr_order order;
	uint32_t msr_select;
	uint32_t msr_ler;
	uint32_t select;
	const struct lbr_layout *select_layout;
	const struct lbr_layout *from;
	const struct lbr_layout *to;
	const struct lbr_layout *info;
	uint8_t addr_bits;
	uint32_t supported;
	uint32_t quirks;
	const char *live_since;
	const char *errata;
	const char *source;
};

/** lbr_models() - the whole table, CPUs first, rows of bare formats last */
const struct lbr_model *lbr_models(size_t *ret_count);

/** lbr_model_by_cpu() - row of a CPU; NULL if it is in none */
const struct lbr_model *lbr_model_by_cpu(enum cpu_vendor vendor, unsigned int family,
					 unsigned int model);

/** lbr_model_by_name() - row by its short name, NULL if there is none */
const struct lbr_model *lbr_model_by_name(const char *name);

/**
 * lbr_model_by_format() - row of a bare format
 * @format: IA32_PERF_CAPABILITIES[5:0]
 * Return: the row; NULL for a format that is not defined.
 * Source: Intel SDM vol. 3B, 17.4.8.1 (00H to 05H); Linux arch/x86/events/perf_event.h (06H, 07H).
 */
const struct lbr_model *lbr_model_by_format(unsigned int format);

/**
 * lbr_model_by_text() - row of a CPU as people write it
 * @text: "06_5EH" (the manual's spelling; 0x prefixes and a missing H are fine), "intel:06_5EH",
 *        "amd:19_11H", a CPUID.1:EAX signature "0x506E3", or a name of the table ("skylake").
 *        Without a vendor, Intel goes first: AMD's family 0FH and 12H need "amd:".
 * Return: 0; -EINVAL if @text is none of these; -ENOENT if no row has that CPU.
 */
int lbr_model_by_text(const char *text, const struct lbr_model **ret_model);

/**
 * cpu_signature_split() - family and model out of CPUID.1:EAX
 * Source: Intel SDM vol. 2A, CPUID, "DisplayFamily" and "DisplayModel"; AMD's are the same.
 */
void cpu_signature_split(uint32_t eax, unsigned int *ret_family, unsigned int *ret_model);

/**
 * lbr_model_set_format() - settle the format of a row that leaves it open (Core 2, Atom)
 * @model: copy of a row, changed in place: format, FROM/TO/INFO layout and what is supported
 * @format: IA32_PERF_CAPABILITIES[5:0] as read from the CPU
 * Return: 0 if the row had that format already, or none; -EEXIST if it has another one (a
 * hypervisor that hides the LBR says 0): nothing is changed, worth a warning; -EINVAL if the
 * format is not defined: nothing is changed.
 * Source: Intel SDM vol. 3B, 17.4.8.1: software should query this MSR.
 */
int lbr_model_set_format(struct lbr_model *model, unsigned int format);

/**
 * lbr_model_set_tsx() - settle whether the CPU has TSX
 * @model: copy of a row, changed in place
 * @has_tsx: false: there are no TSX flags to report; true: they are, and no doubt is left of them
 * Source: Linux arch/x86/events/intel/lbr.c, the sign-extension quirk of format 04H.
 */
void lbr_model_set_tsx(struct lbr_model *model, bool has_tsx);

/**
 * lbr_model_of_host() - row of this machine, refined by what its CPUID says
 * @ret_model: copy of a row; depth, flags and filters of architectural LBR (CPUID.1CH), depth of
 *             AMD LbrExtV2 (CPUID.80000022H), TSX (also as the kernel sees it: the
 *             "flags" of /proc/cpuinfo) and PERF_CAPABILITIES (if /dev/cpu/0/msr can
 *             be read) are this CPU's own. In a virtual machine CPUID is what the hypervisor says.
 * Return: 0; -ENOENT if no row has this CPU: no LBR is known for it.
 */
int lbr_model_of_host(struct lbr_model *ret_model);

/**
 * lbr_model_info() - what a snapshot says about its LBR
 * @depth: entries, e.g. of /sys/bus/event_source/devices/cpu/caps/branches; 0: the row's
 */
void lbr_model_info(const struct lbr_model *model, uint32_t depth, struct lbr_info *ret_info);

#endif
