/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by lbr.c, lbr-pmu.c, lbr-models.c and lbr-truth.c. */
#ifndef TARGET_I386_LBR_INTERNAL_H
#define TARGET_I386_LBR_INTERNAL_H

#include "tcg/sysemu/lbr.h"

#define LBR_MAX_DEPTH	  32
#define LBR_MAX_CPUS	  64
#define PMU_GP_MAX	  8
#define PMU_FIXED_MAX	  3
#define PMU_COUNTERS	  (PMU_GP_MAX + PMU_FIXED_MAX)
#define STATUS_LBR_FROZEN (1ull << 58) /* Intel: LBR_FRZ; AMD: LBRS_FROZEN */
#define PMU_FIXED(i)	  (PMU_GP_MAX + (i))
/* SDM vol. 3B, 17.4.1, "IA32_DEBUGCTL MSR" */
#define DEBUGCTL_LBR		       (1ull << 0)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI (1ull << 12)

#define PREDICT_SLOTS  4096
#define PREDICT_RETURN 16

/* Where a model keeps its flags, and how its stack is laid out. */
enum lbr_layout {
	LBR_PLAIN,	  /* FROM and TO are addresses, nothing else */
	LBR_FROM_MISPRED, /* MISPRED in FROM[63] */
	LBR_FROM_TSX,	  /* and IN_TSX, TSX_ABORT in FROM[62:61] */
	LBR_INFO,	  /* flags and cycles in an INFO MSR */
	LBR_ARCH,	  /* architectural LBR */
	LBR_AMD_V2,	  /* AMD LbrExtV2 */
};

/* Where the counters are, and what their controls are called. */
struct pmu_layout {
	uint32_t counters; /* general ones */
	uint32_t select_msr;
	uint32_t counter_msr;
	uint32_t step;	/* from one counter's MSR to the next one's */
	uint32_t fixed; /* fixed counters */
	uint32_t status_msr;
	uint32_t control_msr;
	uint32_t status_clear_msr;
	uint32_t version;  /* of architectural performance monitoring; 0: AMD */
	bool full_width;   /* counters take 48 bits; else bit 31 is extended */
	bool lvtpc_masked; /* delivering a PMI masks LVTPC */
	bool frozen_bit;   /* freezing sets a status bit; else it clears the enable bit */
};

struct lbr_model {
	const char *name;
	enum lbr_layout layout;
	uint32_t depth;
	uint32_t from_msr; /* of entry 0 */
	uint32_t to_msr;
	uint32_t info_msr;     /* 0: none */
	uint32_t step;	       /* from one entry's FROM to the next one's */
	uint32_t tos_msr;      /* 0: none, entry 0 is the newest */
	uint32_t select_msr;   /* 0: none */
	uint64_t select_mask;  /* bits that exist */
	uint64_t capabilities; /* IA32_PERF_CAPABILITIES */
	const struct pmu_layout *pmu;
};

/* What a counter counts; see pmu_source(). */
enum pmu_source {
	SOURCE_NONE,
	SOURCE_INSNS,
	SOURCE_BRANCHES,
	SOURCE_TAKEN,
	SOURCE_MISPREDICTS,
	SOURCE_NR,
};

struct pmu {
	uint64_t counter[PMU_COUNTERS];
	uint64_t select[PMU_GP_MAX];
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t global_status;
	uint64_t total[SOURCE_NR]; /* events so far */
	uint64_t seen[SOURCE_NR];  /* already added to the counters */
	uint64_t deadline;	   /* in instructions: no overflow before it */
	uint32_t cpl;
};

struct predictor {
	uint8_t direction[PREDICT_SLOTS]; /* two-bit counters */
	uint64_t target[PREDICT_SLOTS];	  /* last target of an indirect branch */
	uint64_t returns[PREDICT_RETURN];
	uint32_t top;
};

struct lbr_entry {
	uint64_t from, to, info;
};

/* @model, @tsx and @truth: looked up once, because every branch asks for them */
struct lbr_cpu {
	const struct lbr_model *model;
	struct truth_buffer *truth; /* NULL: no log */
	bool tsx;
	struct lbr_entry stack[LBR_MAX_DEPTH];
	uint64_t tos;
	uint64_t select;   /* LBR_SELECT */
	uint64_t debugctl; /* IA32_DEBUGCTL */
	uint64_t control;  /* IA32_LBR_CTL, or DBG_EXTN_CFG */
	uint64_t depth;	   /* IA32_LBR_DEPTH */
	uint64_t offcore[2];
	uint64_t last_update; /* instruction count at the last update of the stack */
	bool recording;
	bool restarted; /* the instruction that starts now was counted before */
	struct pmu pmu;
	struct predictor predictor;
};

/* --- lbr-models.c ------------------------------------------------------------------------- */

/** lbr_model() - the model named by $LBR_MODEL; NULL: this machine has no PMU. */
const struct lbr_model *lbr_model(void);

/** lbr_tsx() - are TSX flags to be made up? ($LBR_TSX) */
bool lbr_tsx(void);

/* --- lbr.c -------------------------------------------------------------------------------- */

/* $LBR_INSNS: executed instructions are logged, too. Known before the log is opened. */
extern bool lbr_log_insns;

/** lbr_freeze() - a PMI: stop recording if the guest has asked for that. */
void lbr_freeze(struct lbr_cpu *cpu);

/** lbr_cpu_create() - for lbr_cpu_state() alone */
struct lbr_cpu *lbr_cpu_create(CPUX86State *env);

/** lbr_cpu_state() - what we keep for a vCPU; created at first use, never freed. */
static inline struct lbr_cpu *lbr_cpu_state(CPUX86State *env)
{
	return likely(env->lbr.cpu) ? env->lbr.cpu : lbr_cpu_create(env);
}

/**
 * lbr_update() - start or stop tracking and recording after a control register has changed
 * @env: the vCPU (borrowed)
 * @reason: for the truth log, if this stops the recording; NULL: the guest wrote a register
 */
void lbr_update(CPUX86State *env, const char *reason);

/* --- lbr-pmu.c ---------------------------------------------------------------------------- */

/** pmu_active() - is any counter enabled? */
bool pmu_active(const struct lbr_cpu *cpu);

/** pmu_sync() - bring the counters up to date, for the ring the vCPU has been in till now. */
void pmu_sync(CPUX86State *env);

/** pmu_arrive() - after a taken branch: follow the ring, raise the PMI that is due. */
void pmu_arrive(CPUX86State *env);

/**
 * pmu_rdmsr(), pmu_wrmsr() - counters and their controls
 * Return: as lbr_rdmsr() and lbr_wrmsr().
 */
bool pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *ret_val);
int pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);

/* --- lbr-list.c --------------------------------------------------------------------------- */

/* CPUID leaf that has the list read again: in the range of hypervisors, "LBR" behind it. */
#define LBR_LEAF_LIST 0x404c4252

/**
 * lbr_list_reload() - read the list of $LBR_INSNS_AT again
 * @env: the vCPU (borrowed)
 * Return: the number of addresses; UINT32_MAX if there is no list, or it cannot be read: the old
 * one stays.
 */
uint32_t lbr_list_reload(CPUX86State *env);

/* --- lbr-truth.c -------------------------------------------------------------------------- */

#define TRUTH_MISPREDICTED 1
#define TRUTH_IN_TSX	   2
#define TRUTH_ABORT	   4

/** truth_buffer_get() - of vCPU number @cpu; NULL if there is no log ($LBR_TRUTH) */
struct truth_buffer *truth_buffer_get(int cpu);

/* Append a record to the log; @flags: TRUTH_*; @buffer: not NULL */
void truth_branch(struct truth_buffer *buffer, uint64_t from, uint64_t to, enum lbr_kind kind,
		  uint32_t flags, uint32_t cycles);

/* The same; nothing happens if @buffer is NULL. */
void truth_insn(struct truth_buffer *buffer, uint64_t addr);
void truth_listed(struct truth_buffer *buffer, uint64_t addr, const uint64_t *values, size_t count);
void truth_pop(struct truth_buffer *buffer, uint64_t from, uint64_t to);
void truth_clear(struct truth_buffer *buffer);
void truth_stop(struct truth_buffer *buffer, const char *reason);
void truth_stop_by(struct truth_buffer *buffer, uint64_t writer, uint64_t caller);

#endif
