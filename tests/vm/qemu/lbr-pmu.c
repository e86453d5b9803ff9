// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters, their overflow interrupt and CPUID. Everything is counted in retired instructions. */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hw/i386/apic_internal.h"
#include "lbr-internal.h"

#define COUNTER_BITS 48
#define COUNTER_MASK ((1ull << COUNTER_BITS) - 1)

/* SDM vol. 3B, 18.2.1.1, "IA32_PERFEVTSELx" */
#define EVTSEL_USR    (1ull << 16)
#define EVTSEL_OS     (1ull << 17)
#define EVTSEL_INT    (1ull << 20)
#define EVTSEL_ENABLE (1ull << 22)

/* SDM vol. 3B, 18.2.2, "IA32_FIXED_CTR_CTRL": four bits a counter */
#define FIXED_OS  1
#define FIXED_USR 2
#define FIXED_PMI 8

/* SDM vol. 3B, 17.4.1, "IA32_DEBUGCTL MSR" */
#define DEBUGCTL_LBR		       (1ull << 0)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI (1ull << 12)

struct counter_state {
	bool enabled;
	bool os, usr;
	bool interrupts;
	enum pmu_source source;
	uint64_t status_bit;
};

/* Architectural events: SDM vol. 3B, Table 18-1. The others count nothing. */
static enum pmu_source event_source(uint64_t select)
{
	switch (select & 0xffff) {
	case 0x003c: /* core cycles: one an instruction */
	case 0x013c: /* reference cycles */
	case 0x00c0: /* instructions retired */
		return SOURCE_INSNS;
	case 0x00c4: /* branch instructions retired */
		return SOURCE_BRANCHES;
	case 0x20c4: /* near taken branches, from Sandy Bridge on */
		return SOURCE_TAKEN;
	case 0x00c5: /* mispredicted branches retired */
		return SOURCE_MISPREDICTS;
	default:
		return SOURCE_NONE;
	}
}

static struct counter_state gp_state(const struct pmu *pmu, int i)
{
	uint64_t select = pmu->select[i];

	return (struct counter_state){
		.enabled = (select & EVTSEL_ENABLE) && (pmu->global_ctrl >> i & 1),
		.os = select & EVTSEL_OS,
		.usr = select & EVTSEL_USR,
		.interrupts = select & EVTSEL_INT,
		.source = event_source(select),
		.status_bit = 1ull << i,
	};
}

static struct counter_state fixed_state(const struct pmu *pmu, int i)
{
	uint32_t ctrl = pmu->fixed_ctrl >> (4 * i) & 15;

	return (struct counter_state){
		.enabled = (ctrl & (FIXED_OS | FIXED_USR)) && (pmu->global_ctrl >> (32 + i) & 1),
		.os = ctrl & FIXED_OS,
		.usr = ctrl & FIXED_USR,
		.interrupts = ctrl & FIXED_PMI,
		.source = SOURCE_INSNS,
		.status_bit = 1ull << (32 + i),
	};
}

static struct counter_state counter_state(const struct pmu *pmu, int i)
{
	return i < PMU_GP_MAX ? gp_state(pmu, i) : fixed_state(pmu, i - PMU_GP_MAX);
}

static bool counts_now(const struct pmu *pmu, const struct counter_state *state)
{
	return state->enabled && (pmu->cpl ? state->usr : state->os);
}

bool pmu_active(const struct lbr_cpu *cpu)
{
	for (int i = 0; i < PMU_COUNTERS; i++)
		if (counter_state(&cpu->pmu, i).enabled)
			return true;
	return false;
}

/* No source counts more than one event an instruction: no counter overflows before this. */
static void set_deadline(CPUX86State *env, struct pmu *pmu)
{
	uint64_t nearest = UINT64_MAX - env->lbr.insns;

	for (int i = 0; i < PMU_COUNTERS; i++) {
		struct counter_state state = counter_state(pmu, i);

		if (counts_now(pmu, &state) && state.source != SOURCE_NONE)
			nearest = MIN(nearest, COUNTER_MASK + 1 - pmu->counter[i]);
	}
	pmu->deadline = env->lbr.insns + nearest;
}

/* Add what has happened since the last time. Return: the counters that overflowed. */
static uint64_t advance(CPUX86State *env, struct pmu *pmu, bool *ret_interrupt)
{
	uint64_t delta[SOURCE_NR], overflowed = 0;

	pmu->total[SOURCE_INSNS] = env->lbr.insns;
	for (int s = 0; s < SOURCE_NR; s++) {
		delta[s] = pmu->total[s] - pmu->seen[s];
		pmu->seen[s] = pmu->total[s];
	}
	*ret_interrupt = false;
	for (int i = 0; i < PMU_COUNTERS; i++) {
		struct counter_state state = counter_state(pmu, i);

		if (!counts_now(pmu, &state))
			continue;
		pmu->counter[i] += delta[state.source];
		if (pmu->counter[i] > COUNTER_MASK) {
			pmu->counter[i] &= COUNTER_MASK;
			overflowed |= state.status_bit;
			*ret_interrupt |= state.interrupts;
		}
	}
	return overflowed;
}

/*
 * SDM vol. 3A, 10.5.1, "Local Vector Table": delivering a PMI masks LVTPC.
 * SDM vol. 3B, 17.4.7, "Freezing LBR and Performance Counters on PMI".
 */
static void raise_pmi(CPUX86State *env, struct lbr_cpu *cpu)
{
	APICCommonState *apic = APIC_COMMON(env_archcpu(env)->apic_state);
	bool locked = qemu_mutex_iothread_locked();

	if (cpu->debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI)
		cpu->debugctl &= ~DEBUGCTL_LBR;
	if (cpu->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		cpu->pmu.global_ctrl = 0;
	if (!locked)
		qemu_mutex_lock_iothread();
	apic_local_deliver(apic, APIC_LVT_PERFORM);
	apic->lvt[APIC_LVT_PERFORM] |= APIC_LVT_MASKED;
	lbr_update(env, "pmu");
	/* Blocks are chained on the promise that hflags stay as they are: leave the chain. */
	cpu_interrupt(env_cpu(env), CPU_INTERRUPT_EXITTB);
	if (!locked)
		qemu_mutex_unlock_iothread();
}

void pmu_sync(CPUX86State *env)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	bool interrupt;

	cpu->pmu.global_status |= advance(env, &cpu->pmu, &interrupt);
	if (interrupt)
		raise_pmi(env, cpu);
	set_deadline(env, &cpu->pmu);
}

void pmu_arrive(CPUX86State *env)
{
	struct pmu *pmu = &lbr_cpu_state(env)->pmu;
	uint32_t cpl = env->hflags & HF_CPL_MASK;

	if (cpl == pmu->cpl && env->lbr.insns < pmu->deadline)
		return;
	pmu_sync(env);
	if (cpl != pmu->cpl) {
		pmu->cpl = cpl;
		set_deadline(env, pmu);
	}
}

/* --- MSRs --------------------------------------------------------------------------------- */

#define MSR_PMC0	     0xc1
#define MSR_PERFEVTSEL0	     0x186
#define MSR_OFFCORE_RSP0     0x1a6
#define MSR_FIXED_CTR0	     0x309
#define MSR_CAPABILITIES     0x345
#define MSR_FIXED_CTR_CTRL   0x38d
#define MSR_GLOBAL_STATUS    0x38e
#define MSR_GLOBAL_CTRL	     0x38f
#define MSR_GLOBAL_OVF_CTRL  0x390

/* The place of a register that only holds what is written. */
static uint64_t *plain_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	if (msr - MSR_PERFEVTSEL0 < lbr_model()->gp_counters)
		return &cpu->pmu.select[msr - MSR_PERFEVTSEL0];
	if (msr - MSR_OFFCORE_RSP0 < ARRAY_SIZE(cpu->offcore))
		return &cpu->offcore[msr - MSR_OFFCORE_RSP0];
	switch (msr) {
	case MSR_FIXED_CTR_CTRL:
		return &cpu->pmu.fixed_ctrl;
	case MSR_GLOBAL_CTRL:
		return &cpu->pmu.global_ctrl;
	default:
		return NULL;
	}
}

static uint64_t *counter_msr(struct pmu *pmu, uint32_t msr)
{
	if (msr - MSR_PMC0 < lbr_model()->gp_counters)
		return &pmu->counter[msr - MSR_PMC0];
	if (msr - MSR_FIXED_CTR0 < PMU_FIXED_MAX)
		return &pmu->counter[PMU_FIXED(msr - MSR_FIXED_CTR0)];
	return NULL;
}

bool pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *ret_val)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	uint64_t *place = plain_msr(cpu, msr);

	if (!place) {
		place = counter_msr(&cpu->pmu, msr);
		if (place)
			pmu_sync(env);
	}
	if (place)
		*ret_val = *place;
	else if (msr == MSR_CAPABILITIES)
		*ret_val = lbr_model()->capabilities;
	else if (msr == MSR_GLOBAL_STATUS)
		*ret_val = cpu->pmu.global_status;
	else if (msr == MSR_GLOBAL_OVF_CTRL)
		*ret_val = 0;
	else
		return false;
	return true;
}

int pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	uint64_t *counter = counter_msr(&cpu->pmu, msr);
	uint64_t *place = plain_msr(cpu, msr);

	if (!counter && !place) {
		if (msr == MSR_GLOBAL_OVF_CTRL)
			cpu->pmu.global_status &= ~val;
		return msr == MSR_GLOBAL_OVF_CTRL;
	}
	pmu_sync(env);
	cpu->pmu.cpl = env->hflags & HF_CPL_MASK;
	/* SDM vol. 3B, 18.2.5: without full-width writes, bit 31 of the value is extended. */
	if (counter)
		*counter = (msr < MSR_FIXED_CTR0 ? (uint64_t)(int32_t)val : val) & COUNTER_MASK;
	else
		*place = val;
	lbr_update(env, "off");
	set_deadline(env, &cpu->pmu);
	return 1;
}

int lbr_rdpmc(CPUX86State *env, uint32_t index, uint64_t *ret_val)
{
	struct lbr_cpu *cpu;
	uint32_t i = index & ~(1u << 30);

	if (!lbr_model())
		return 0;
	cpu = lbr_cpu_state(env);
	if (i >= (index >> 30 & 1 ? PMU_FIXED_MAX : lbr_model()->gp_counters))
		return -1;
	pmu_sync(env);
	*ret_val = cpu->pmu.counter[index >> 30 & 1 ? PMU_FIXED(i) : i];
	return 1;
}

/* --- CPUID -------------------------------------------------------------------------------- */

void lbr_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *regs[4])
{
	const struct lbr_model *model = lbr_model();

	if (!model)
		return;
	switch (leaf) {
	case 0x0: /* the highest leaf */
		*regs[0] = MAX(*regs[0], 0xau);
		break;
	case 0x1: /* SDM vol. 2A, CPUID: ECX[15] PDCM */
		*regs[2] |= 1u << 15;
		break;
	case 0xa: /* SDM vol. 3B, 18.2: version 2, all seven events, three fixed counters */
		*regs[0] = 2 | model->gp_counters << 8 | COUNTER_BITS << 16 | 7u << 24;
		*regs[1] = 0;
		*regs[2] = 0;
		*regs[3] = PMU_FIXED_MAX | COUNTER_BITS << 5;
		break;
	}
}
