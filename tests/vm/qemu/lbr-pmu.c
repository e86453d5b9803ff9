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

struct counter_state {
	bool enabled;
	bool os, usr;
	bool interrupts;
	enum pmu_source source;
	uint64_t status_bit;
};

/* Architectural events: SDM vol. 3B, Table 18-1. The others count nothing. */
static enum pmu_source intel_source(uint32_t event)
{
	switch (event) {
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

/* AMD Processor Programming Reference, family 19H, "Core Performance Monitor Counters". */
static enum pmu_source amd_source(uint32_t event)
{
	switch (event) {
	case 0x0076: /* cycles not in halt: one an instruction */
	case 0x00c0: /* retired instructions */
		return SOURCE_INSNS;
	case 0x00c2: /* retired branch instructions */
		return SOURCE_BRANCHES;
	case 0x00c3: /* mispredicted ones */
		return SOURCE_MISPREDICTS;
	case 0x00c4: /* taken ones */
		return SOURCE_TAKEN;
	default:
		return SOURCE_NONE;
	}
}

static enum pmu_source event_source(uint64_t select)
{
	return lbr_model()->pmu->version ? intel_source(select & 0xffff)
					 : amd_source(select & 0xffff);
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
	CPUState *cs = env_cpu(env);
	uint32_t can_do_io = cs->can_do_io;

	/*
	 * With -icount QEMU aborts on an interrupt raised within a block, where its virtual clock
	 * would be off; counters overflow after executed instructions, not at a time of that clock.
	 */
	cs->can_do_io = 1;
	lbr_freeze(cpu);
	if (cpu->debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		cpu->pmu.global_ctrl = 0;
	if (!locked)
		qemu_mutex_lock_iothread();
	apic_local_deliver(apic, APIC_LVT_PERFORM);
	if (lbr_model()->pmu->lvtpc_masked)
		apic->lvt[APIC_LVT_PERFORM] |= APIC_LVT_MASKED;
	lbr_update(env, "pmu");
	/* Blocks are chained on the promise that hflags stay as they are: leave the chain. */
	cpu_interrupt(cs, CPU_INTERRUPT_EXITTB);
	cs->can_do_io = can_do_io;
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

#define MSR_OFFCORE_RSP0   0x1a6
#define MSR_FIXED_CTR0	   0x309
#define MSR_CAPABILITIES   0x345
#define MSR_FIXED_CTR_CTRL 0x38d

/* Which register of a bank that starts at @first is @msr? Return: its number, or @count. */
static uint32_t bank_index(uint32_t msr, uint32_t first, uint32_t step, uint32_t count)
{
	uint32_t offset = msr - first;

	return msr >= first && offset % step == 0 && offset / step < count ? offset / step : count;
}

/* The place of a register that only holds what is written. */
static uint64_t *plain_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	const struct pmu_layout *layout = lbr_model()->pmu;
	uint32_t i = bank_index(msr, layout->select_msr, layout->step, layout->counters);

	if (i < layout->counters)
		return &cpu->pmu.select[i];
	if (msr == layout->control_msr)
		return &cpu->pmu.global_ctrl;
	if (layout->fixed && msr == MSR_FIXED_CTR_CTRL)
		return &cpu->pmu.fixed_ctrl;
	i = bank_index(msr, MSR_OFFCORE_RSP0, 1, ARRAY_SIZE(cpu->offcore));
	return layout->version && i < ARRAY_SIZE(cpu->offcore) ? &cpu->offcore[i] : NULL;
}

static uint64_t *counter_msr(struct pmu *pmu, uint32_t msr)
{
	const struct pmu_layout *layout = lbr_model()->pmu;
	uint32_t i = bank_index(msr, layout->counter_msr, layout->step, layout->counters);

	if (i < layout->counters)
		return &pmu->counter[i];
	i = bank_index(msr, MSR_FIXED_CTR0, 1, layout->fixed);
	return i < layout->fixed ? &pmu->counter[PMU_FIXED(i)] : NULL;
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
	else if (msr == MSR_CAPABILITIES && lbr_model()->pmu->version)
		*ret_val = lbr_model()->capabilities;
	else if (msr == lbr_model()->pmu->status_msr)
		*ret_val = cpu->pmu.global_status;
	else if (msr == lbr_model()->pmu->status_clear_msr)
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
	const struct pmu_layout *layout = lbr_model()->pmu;
	bool clears = msr == layout->status_clear_msr;

	if (!counter && !place && !clears)
		return 0;
	pmu_sync(env);
	cpu->pmu.cpl = env->hflags & HF_CPL_MASK;
	/* SDM vol. 3B, 18.2.5: without full-width writes, bit 31 of the value is extended. */
	if (counter && !layout->full_width && counter < &cpu->pmu.counter[PMU_FIXED(0)])
		*counter = (uint64_t)(int32_t)val & COUNTER_MASK;
	else if (counter)
		*counter = val & COUNTER_MASK;
	else if (place)
		*place = val;
	else
		cpu->pmu.global_status &= ~val;
	lbr_update(env, NULL);
	set_deadline(env, &cpu->pmu);
	return 1;
}

int lbr_rdpmc(CPUX86State *env, uint32_t index, uint64_t *ret_val)
{
	struct lbr_cpu *cpu;
	bool fixed = index >> 30 & 1; /* SDM vol. 2B, RDPMC */
	uint32_t i = index & ~(1u << 30);

	if (!lbr_model())
		return 0;
	cpu = lbr_cpu_state(env);
	if (i >= (fixed ? lbr_model()->pmu->fixed : lbr_model()->pmu->counters))
		return -1;
	pmu_sync(env);
	*ret_val = cpu->pmu.counter[fixed ? PMU_FIXED(i) : i];
	return 1;
}

/* --- CPUID -------------------------------------------------------------------------------- */

/* SDM vol. 3B, 18.2: all seven architectural events. */
static void cpuid_perfmon(const struct pmu_layout *layout, uint32_t *regs[4])
{
	*regs[0] = layout->version | layout->counters << 8 | COUNTER_BITS << 16 | 7u << 24;
	*regs[1] = 0;
	*regs[2] = layout->version >= 5 ? (1u << layout->fixed) - 1 : 0;
	*regs[3] = layout->fixed | COUNTER_BITS << 5;
	if (layout->version >= 5)
		*regs[3] |= 1u << 15; /* AnyThread is no more */
}

/* SDM vol. 2A, CPUID leaf 1CH, "Last Branch Records Information". */
static void cpuid_arch_lbr(const struct lbr_model *model, uint32_t *regs[4])
{
	*regs[0] =
		((1u << model->depth / 8) - 1) | 1u << 31; /* depths 8, 16...; addresses are LIP */
	*regs[1] = 7; /* filters by CPL and by branch type, call stack */
	*regs[2] = 7; /* mispredicts, cycles, branch types */
	*regs[3] = 0;
}

/* AMD APM vol. 3, CPUID Fn8000_0022, "Extended Performance Monitoring and Debug". */
static void cpuid_amd_perfmon(const struct lbr_model *model, uint32_t *regs[4])
{
	*regs[0] = 7; /* PerfMonV2, LbrStack, LbrAndPmcFreeze */
	*regs[1] = model->pmu->counters | model->depth << 4;
	*regs[2] = 0;
	*regs[3] = 0;
}

void lbr_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *regs[4])
{
	const struct lbr_model *model = lbr_model();
	bool amd;

	if (leaf == LBR_LEAF_LIST) {
		*regs[0] = lbr_list_reload(env);
		*regs[1] = leaf;
	}
	if (!model)
		return;
	amd = !model->pmu->version;
	if (leaf == 0x1 && !amd)
		*regs[2] |= 1u << 15; /* SDM vol. 2A, CPUID: PDCM */
	/*
	 * RTM, for the kernel alone: it takes the TSX flags seriously only if there is TSX, but
	 * programs would use instructions that TCG does not have.
	 */
	if (leaf == 0x7 && subleaf == 0 && lbr_tsx() && !(env->hflags & HF_CPL_MASK))
		*regs[1] |= 1u << 11;
	if (leaf == 0x7 && subleaf == 0 && model->layout == LBR_ARCH)
		*regs[3] |= 1u << 19; /* architectural LBR */
	if (leaf == 0xa && !amd)
		cpuid_perfmon(model->pmu, regs);
	if (leaf == 0x1c && model->layout == LBR_ARCH)
		cpuid_arch_lbr(model, regs);
	if (leaf == 0x80000001 && amd)
		*regs[2] |= 1u << 23; /* AMD APM vol. 3: PerfCtrExtCore */
	if (leaf == 0x80000022 && amd)
		cpuid_amd_perfmon(model, regs);
}
