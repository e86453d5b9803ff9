// SPDX-License-Identifier: GPL-2.0-or-later
/* Recording: which branch enters the LBR, with which flags, and what stops it. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "lbr-internal.h"

/* SDM vol. 3B, Table 17-11, MSR_LBR_SELECT: a set bit keeps that class out. */
#define SELECT_CPL_EQ_0	 (1 << 0)
#define SELECT_CPL_NEQ_0 (1 << 1)
#define SELECT_CALLSTACK (1 << 9)

#define INFO_MISPRED   (1ull << 63)
#define INFO_IN_TSX    (1ull << 62)
#define INFO_TSX_ABORT (1ull << 61)
#define INFO_CYCLES    0xffffu

#define DEBUGCTL_LBR 1

bool lbr_log_insns;

static const uint32_t select_bit[KIND_NR] = {
	[KIND_COND] = 1 << 2, [KIND_CALL] = 1 << 3, [KIND_ICALL] = 1 << 4, [KIND_RET] = 1 << 5,
	[KIND_IJMP] = 1 << 6, [KIND_JMP] = 1 << 7,  [KIND_FAR] = 1 << 8,   [KIND_IRQ] = 1 << 8,
};

struct lbr_cpu *lbr_cpu_state(CPUX86State *env)
{
	static struct lbr_cpu *states[LBR_MAX_CPUS];
	int index = env_cpu(env)->cpu_index;

	assert(index < LBR_MAX_CPUS);
	if (!states[index]) {
		const char *insns = getenv("LBR_INSNS");

		lbr_log_insns = insns && !strcmp(insns, "1");
		states[index] = g_new0(struct lbr_cpu, 1);
		states[index]->depth = lbr_model()->depth;
	}
	return states[index];
}

static int cpu_number(CPUX86State *env)
{
	return env_cpu(env)->cpu_index;
}

static uint64_t linear_eip(CPUX86State *env)
{
	return env->hflags & HF_CS64_MASK ? env->eip : (uint32_t)(env->segs[R_CS].base + env->eip);
}

static bool lbr_enabled(const struct lbr_cpu *cpu)
{
	return cpu->debugctl & DEBUGCTL_LBR;
}

static void lbr_disable(struct lbr_cpu *cpu)
{
	cpu->debugctl &= ~(uint64_t)DEBUGCTL_LBR;
}

void lbr_update(CPUX86State *env, const char *reason)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	bool recording = lbr_enabled(cpu);
	bool tracking = recording || pmu_active(cpu);

	if (cpu->recording && !recording)
		truth_stop(cpu_number(env), reason);
	if (!cpu->recording && recording)
		cpu->last_update = env->lbr.insns;
	cpu->recording = recording;
	if (!tracking) {
		env->hflags &= ~HF_LBR_MASK;
	} else if (!(env->hflags & HF_LBR_MASK)) {
		env->lbr.next = LBR_NEXT_FIRST;
		env->hflags |= HF_LBR_MASK;
	}
}

/* --- branch prediction: two-bit counters, last targets, a return stack -------------------- */

static uint32_t predict_slot(uint64_t from)
{
	return (from ^ from >> 12) % PREDICT_SLOTS;
}

/* Train on a conditional branch. Return: true if it went the other way than predicted. */
static bool predict_direction(struct predictor *p, uint64_t from, bool taken)
{
	uint8_t *counter = &p->direction[predict_slot(from)];
	bool mispredicted = (*counter >= 2) != taken;

	if (taken && *counter < 3)
		(*counter)++;
	else if (!taken && *counter > 0)
		(*counter)--;
	return mispredicted;
}

static bool predict_target(struct predictor *p, uint64_t from, uint64_t to)
{
	uint64_t *target = &p->target[predict_slot(from)];
	bool mispredicted = *target != to;

	*target = to;
	return mispredicted;
}

static bool predict_return(struct predictor *p, uint64_t to)
{
	p->top = (p->top + PREDICT_RETURN - 1) % PREDICT_RETURN;
	return p->returns[p->top] != to;
}

static void predict_call(struct predictor *p, uint64_t return_to)
{
	p->returns[p->top] = return_to;
	p->top = (p->top + 1) % PREDICT_RETURN;
}

/* Return: true if the taken branch was mispredicted. */
static bool predict(struct predictor *p, uint64_t from, uint64_t to, enum lbr_kind kind,
		    uint32_t len)
{
	switch (kind) {
	case KIND_COND:
		return predict_direction(p, from, true);
	case KIND_IJMP:
		return predict_target(p, from, to);
	case KIND_CALL:
		predict_call(p, from + len);
		return false;
	case KIND_ICALL:
		predict_call(p, from + len);
		return predict_target(p, from, to);
	case KIND_RET:
		return predict_return(p, to);
	default:
		return false;
	}
}

/* --- the stack ---------------------------------------------------------------------------- */

/*
 * TCG has no transactions. With LBR_TSX=1 the flags are a function of the branch's address that a
 * test can compute too: IN_TSX if FROM[5:4] are both set, TSX_ABORT if FROM[7:6] are so as well.
 */
static uint64_t tsx_flags(uint64_t from)
{
	static int enabled = -1;

	if (enabled < 0) {
		const char *tsx = getenv("LBR_TSX");

		enabled = tsx && !strcmp(tsx, "1");
	}
	if (!enabled || (from & 0x30) != 0x30)
		return 0;
	return (from & 0xc0) == 0xc0 ? INFO_IN_TSX | INFO_TSX_ABORT : INFO_IN_TSX;
}

/* Bits that FROM holds besides the address; @keep: those address bits that stay. */
static uint64_t from_with_flags(uint64_t from, uint64_t keep, uint64_t flags)
{
	return (from & keep) | flags;
}

static uint64_t entry_from(const struct lbr_model *model, uint64_t from, uint64_t flags)
{
	switch (model->layout) {
	case LBR_FROM_MISPRED: /* SDM vol. 3B, Table 17-8: 62:48 extend the sign */
		return from_with_flags(from, ~INFO_MISPRED, flags & INFO_MISPRED);
	case LBR_FROM_TSX: /* SDM vol. 3B, Table 17-14: 60:48 extend the sign */
		return from_with_flags(from, INFO_TSX_ABORT - 1, flags);
	default:
		return from;
	}
}

/* The flags that this model has, as the truth log shows them. */
static uint64_t visible_flags(const struct lbr_model *model, uint64_t flags)
{
	switch (model->layout) {
	case LBR_PLAIN:
		return 0;
	case LBR_FROM_MISPRED:
		return flags & INFO_MISPRED;
	default:
		return flags;
	}
}

static void log_entry(CPUX86State *env, uint64_t from, uint64_t to, enum lbr_kind kind,
		      uint64_t flags, uint32_t cycles)
{
	char letters[4];
	int n = 0;

	flags = visible_flags(lbr_model(), flags);
	if (flags & INFO_MISPRED)
		letters[n++] = 'M';
	if (flags & INFO_IN_TSX)
		letters[n++] = 'X';
	if (flags & INFO_TSX_ABORT)
		letters[n++] = 'A';
	letters[n] = '\0';
	truth_branch(cpu_number(env), from, to, kind, letters, lbr_model()->info_msr ? cycles : 0);
}

static void push(CPUX86State *env, struct lbr_cpu *cpu, uint64_t from, uint64_t to,
		 enum lbr_kind kind, bool mispredicted)
{
	const struct lbr_model *model = lbr_model();
	uint64_t flags = tsx_flags(from) | (mispredicted ? INFO_MISPRED : 0);
	uint64_t elapsed = env->lbr.insns - cpu->last_update;
	uint32_t cycles = MIN(elapsed, INFO_CYCLES);
	struct lbr_entry *entry;

	cpu->last_update = env->lbr.insns;
	/* SDM vol. 3B, 17.9: TOS is incremented, modulo the depth, before the pair is recorded. */
	cpu->tos = (cpu->tos + 1) % model->depth;
	entry = &cpu->stack[cpu->tos];
	entry->from = entry_from(model, from, flags);
	entry->to = to;
	entry->info = flags | cycles;
	log_entry(env, from, to, kind, flags, cycles);
}

/* SDM vol. 3B, 17.9: a return flushes the last captured record, last in, first out. */
static void pop(CPUX86State *env, struct lbr_cpu *cpu, uint64_t from, uint64_t to)
{
	memset(&cpu->stack[cpu->tos], 0, sizeof(cpu->stack[cpu->tos]));
	cpu->tos = (cpu->tos + lbr_model()->depth - 1) % lbr_model()->depth;
	truth_pop(cpu_number(env), from, to);
}

/* Does LBR_SELECT let this branch in? The ring is that of the target: it is where we are now. */
static bool selected(CPUX86State *env, const struct lbr_cpu *cpu, enum lbr_kind kind)
{
	uint32_t ring = env->hflags & HF_CPL_MASK ? SELECT_CPL_NEQ_0 : SELECT_CPL_EQ_0;

	return !(cpu->select & (ring | select_bit[kind]));
}

static void record(CPUX86State *env, struct lbr_cpu *cpu, uint64_t from, uint64_t to,
		   enum lbr_kind kind, uint32_t len, bool mispredicted)
{
	if (!selected(env, cpu, kind))
		return;
	if (cpu->select & SELECT_CALLSTACK) {
		if (kind == KIND_RET) {
			pop(env, cpu, from, to);
			return;
		}
		/* SDM vol. 3B, 17.9: "zero length calls" are excluded. */
		if (kind == KIND_CALL && to == from + len)
			return;
	}
	push(env, cpu, from, to, kind, mispredicted);
}

/* A branch has been taken from where the flow says to @to. */
static void branch_taken(CPUX86State *env, struct lbr_cpu *cpu, uint64_t to)
{
	enum lbr_kind kind = env->lbr.kind & 0xff;
	uint32_t len = env->lbr.kind >> 8;
	uint64_t from = env->lbr.from;
	bool mispredicted = predict(&cpu->predictor, from, to, kind, len);

	if (kind != KIND_IRQ) {
		cpu->pmu.total[SOURCE_BRANCHES]++;
		cpu->pmu.total[SOURCE_TAKEN]++;
		cpu->pmu.total[SOURCE_MISPREDICTS] += mispredicted;
	}
	if (cpu->recording)
		record(env, cpu, from, to, kind, len, mispredicted);
}

/*
 * An instruction that starts again is no branch: a REP iteration, or one that QEMU interrupted to
 * retranslate. Only a direct jump can branch to itself, and such a jump never starts again,
 * because it accesses no memory.
 */
static bool starts_again(const struct lbr_flow *flow, uint64_t pc)
{
	enum lbr_kind kind = flow->kind & 0xff;

	if (flow->next == LBR_NEXT_INSIDE)
		return true;
	return pc == flow->from && kind != KIND_COND && kind != KIND_JMP;
}

void helper_lbr_arrive(CPUX86State *env, target_ulong pc)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	struct lbr_flow *flow = &env->lbr;

	if (flow->next != LBR_NEXT_FIRST) {
		if (starts_again(flow, pc)) {
			flow->insns--;
			cpu->restarted = true;
			return;
		}
		branch_taken(env, cpu, pc);
	}
	pmu_arrive(env);
}

void helper_lbr_insn(CPUX86State *env, target_ulong pc)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);

	if (cpu->recording && !cpu->restarted)
		truth_insn(cpu_number(env), pc);
	cpu->restarted = false;
}

void helper_lbr_not_taken(CPUX86State *env, target_ulong next)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);

	env->lbr.next = next;
	cpu->pmu.total[SOURCE_BRANCHES]++;
	cpu->pmu.total[SOURCE_MISPREDICTS] +=
		predict_direction(&cpu->predictor, env->lbr.from, false);
}

/*
 * Bring the flow up to the interrupted instruction at @pc.
 * Return: true if that instruction had started (an exception of its own).
 */
static bool settle(CPUX86State *env, struct lbr_cpu *cpu, uint64_t pc, bool is_async)
{
	struct lbr_flow *flow = &env->lbr;

	if (flow->next == LBR_NEXT_INSIDE) {
		if (is_async)
			flow->insns--; /* it was about to start again */
		return !is_async;
	}
	if (!is_async && flow->from == pc)
		return true;
	if (flow->next != pc && flow->next != LBR_NEXT_FIRST && !starts_again(flow, pc))
		branch_taken(env, cpu, pc);
	return false;
}

void lbr_interrupt(CPUX86State *env, int vector, int is_insn, int is_async)
{
	uint64_t pc = linear_eip(env);
	struct lbr_cpu *cpu;
	bool started;

	if (!(env->hflags & HF_LBR_MASK))
		return;
	cpu = lbr_cpu_state(env);
	started = settle(env, cpu, pc, is_async);
	if (is_insn) {
		env->lbr.kind = KIND_FAR;
	} else {
		env->lbr.kind = KIND_IRQ;
		if (started)
			env->lbr.insns--; /* a fault: not retired */
	}
	env->lbr.from = pc;
	env->lbr.next = LBR_NEXT_BRANCH;
	/*
	 * SDM vol. 3B, 17.4.1 "IA32_DEBUGCTL MSR" and 17.4.2 "Monitoring Branches, Exceptions, and
	 * Interrupts": when the processor generates a #DB it clears the LBR flag before the
	 * handler runs, and leaves the LBR stack as it is.
	 */
	if (vector == EXCP01_DB && !is_insn && lbr_model()->db_stops && cpu->recording) {
		lbr_disable(cpu);
		lbr_update(env, "db");
	}
}

/* --- MSRs --------------------------------------------------------------------------------- */

/* Which register of the LBR stack is @msr? Return: its place, or NULL. */
static uint64_t *stack_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	const struct lbr_model *model = lbr_model();

	if (msr - model->from_msr < model->depth)
		return &cpu->stack[msr - model->from_msr].from;
	if (msr - model->to_msr < model->depth)
		return &cpu->stack[msr - model->to_msr].to;
	if (model->info_msr && msr - model->info_msr < model->depth)
		return &cpu->stack[msr - model->info_msr].info;
	return NULL;
}

#define MSR_DEBUGCTL 0x1d9

static uint64_t *control_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	const struct lbr_model *model = lbr_model();

	if (msr == MSR_DEBUGCTL)
		return &cpu->debugctl;
	if (model->tos_msr && msr == model->tos_msr)
		return &cpu->tos;
	if (model->select_msr && msr == model->select_msr)
		return &cpu->select;
	return NULL;
}

bool lbr_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *ret_val)
{
	struct lbr_cpu *cpu;
	uint64_t *place;

	if (!lbr_model())
		return false;
	cpu = lbr_cpu_state(env);
	place = stack_msr(cpu, msr);
	if (!place)
		place = control_msr(cpu, msr);
	if (place) {
		*ret_val = *place;
		return true;
	}
	return pmu_rdmsr(env, msr, ret_val);
}

int lbr_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	const struct lbr_model *model = lbr_model();
	struct lbr_cpu *cpu;
	uint64_t *place;

	if (!model)
		return 0;
	cpu = lbr_cpu_state(env);
	place = stack_msr(cpu, msr);
	if (place) {
		*place = val;
		return 1;
	}
	place = control_msr(cpu, msr);
	if (!place)
		return pmu_wrmsr(env, msr, val);
	if (place == &cpu->select && (val & ~model->select_mask))
		return -1; /* SDM vol. 3B, Table 17-11: the rest must be zero */
	if (place == &cpu->tos)
		val %= model->depth;
	*place = val;
	lbr_update(env, "off");
	return 1;
}
