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

/* SDM vol. 3B, Table 17-16, MSR_LBR_INFO_x */
#define INFO_MISPRED   (1ull << 63)
#define INFO_IN_TSX    (1ull << 62)
#define INFO_TSX_ABORT (1ull << 61)
#define INFO_CYCLES    0xffffu

/* SDM vol. 3B, "Last Branch Records", IA32_LBR_x_INFO: what architectural LBR adds */
#define INFO_CYCLES_VALID (1ull << 60)
#define INFO_TYPE_SHIFT	  56

/* IA32_LBR_CTL: a set bit lets that class in */
#define ARCH_CTL_ENABLE	    (1 << 0)
#define ARCH_CTL_OS	    (1 << 1)
#define ARCH_CTL_USR	    (1 << 2)
#define ARCH_CTL_CALL_STACK (1 << 3)

/* AMD APM vol. 2, DBG_EXTN_CFG and LastBranchStackToIp */
#define AMD_CTL_ENABLE (1 << 6)
#define AMD_TO_VALID   (1ull << 63)
#define AMD_TO_SPEC    (1ull << 62)

#define MSR_DEBUGCTL	 0x1d9
#define MSR_ARCH_CTL	 0x14ce
#define MSR_ARCH_DEPTH	 0x14cf
#define MSR_AMD_EXTN_CFG 0xc000010f

bool lbr_log_insns;

static const struct {
	uint32_t select_bit; /* LBR_SELECT */
	uint32_t arch_bit;   /* IA32_LBR_CTL */
	uint32_t arch_type;  /* IA32_LBR_x_INFO.BR_TYPE */
} kinds[KIND_NR] = {
	[KIND_COND] = {1 << 2, 1 << 16, 0},  [KIND_JMP] = {1 << 7, 1 << 17, 2},
	[KIND_IJMP] = {1 << 6, 1 << 18, 1},  [KIND_CALL] = {1 << 3, 1 << 19, 4},
	[KIND_ICALL] = {1 << 4, 1 << 20, 3}, [KIND_RET] = {1 << 5, 1 << 21, 5},
	[KIND_FAR] = {1 << 8, 1 << 22, 8},   [KIND_IRQ] = {1 << 8, 1 << 22, 8},
};

struct lbr_cpu *lbr_cpu_create(CPUX86State *env)
{
	const char *insns = getenv("LBR_INSNS");
	struct lbr_cpu *cpu = g_new0(struct lbr_cpu, 1);

	lbr_log_insns = insns && !strcmp(insns, "1");
	cpu->model = lbr_model();
	cpu->tsx = lbr_tsx();
	cpu->truth = truth_buffer_get(env_cpu(env)->cpu_index);
	cpu->depth = cpu->model->depth;
	env->lbr.cpu = cpu;
	return cpu;
}

static uint64_t linear_eip(CPUX86State *env)
{
	return env->hflags & HF_CS64_MASK ? env->eip : (uint32_t)(env->segs[R_CS].base + env->eip);
}

/* The bit that switches the LBR on, wherever this model has it. */
static uint64_t *enable_register(struct lbr_cpu *cpu, uint64_t *ret_bit)
{
	switch (cpu->model->layout) {
	case LBR_ARCH:
		*ret_bit = ARCH_CTL_ENABLE;
		return &cpu->control;
	case LBR_AMD_V2:
		*ret_bit = AMD_CTL_ENABLE;
		return &cpu->control;
	default:
		*ret_bit = DEBUGCTL_LBR;
		return &cpu->debugctl;
	}
}

static bool lbr_enabled(struct lbr_cpu *cpu)
{
	uint64_t bit, *reg = enable_register(cpu, &bit);

	return (*reg & bit) && !(cpu->pmu.global_status & STATUS_LBR_FROZEN);
}

static void lbr_disable(struct lbr_cpu *cpu)
{
	uint64_t bit, *reg = enable_register(cpu, &bit);

	*reg &= ~bit;
}

void lbr_freeze(struct lbr_cpu *cpu)
{
	if (!(cpu->debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI))
		return;
	if (cpu->model->pmu->frozen_bit)
		cpu->pmu.global_status |= STATUS_LBR_FROZEN;
	else
		lbr_disable(cpu);
}

/*
 * Who wrote the register: its WRMSR, and what the stack's top is then: where a function returns to
 * that does nothing else.
 */
static void stop_by_guest(CPUX86State *env, struct lbr_cpu *cpu)
{
	uint64_t caller = 0;

	cpu_memory_rw_debug(env_cpu(env), env->regs[R_ESP], &caller, sizeof(caller), false);
	truth_stop_by(cpu->truth, linear_eip(env), caller);
}

void lbr_update(CPUX86State *env, const char *reason)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	bool recording = lbr_enabled(cpu);
	bool tracking = recording || pmu_active(cpu);

	if (cpu->recording && !recording) {
		if (reason)
			truth_stop(cpu->truth, reason);
		else
			stop_by_guest(env, cpu);
	}
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
static uint64_t tsx_flags(const struct lbr_cpu *cpu, uint64_t from)
{
	if (!cpu->tsx || (from & 0x30) != 0x30)
		return 0;
	return (from & 0xc0) == 0xc0 ? INFO_IN_TSX | INFO_TSX_ABORT : INFO_IN_TSX;
}

/* The entry as the MSRs show it. */
static struct lbr_entry entry_encode(enum lbr_layout layout, uint64_t from, uint64_t to,
				     enum lbr_kind kind, uint64_t flags, uint32_t cycles)
{
	struct lbr_entry entry = {.from = from, .to = to};

	switch (layout) {
	case LBR_PLAIN:
		break;
	case LBR_FROM_MISPRED: /* SDM vol. 3B, Table 17-8: 62:48 extend the sign */
		entry.from = (from & ~INFO_MISPRED) | flags;
		break;
	case LBR_FROM_TSX: /* SDM vol. 3B, Table 17-14: 60:48 extend the sign */
		entry.from = (from & (INFO_TSX_ABORT - 1)) | flags;
		break;
	case LBR_INFO:
		entry.info = flags | cycles;
		break;
	case LBR_ARCH:
		entry.info = flags | cycles | INFO_CYCLES_VALID |
			     (uint64_t)kinds[kind].arch_type << INFO_TYPE_SHIFT;
		break;
	case LBR_AMD_V2: /* AMD APM vol. 2: FROM[63] mispredicted; TO[61] reserved */
		entry.from = (from & ~INFO_MISPRED) | flags;
		entry.to = (to & (INFO_TSX_ABORT - 1)) | AMD_TO_VALID;
		if (kind != KIND_FAR && kind != KIND_IRQ)
			entry.to |= AMD_TO_SPEC;
		break;
	}
	return entry;
}

static uint32_t truth_flags(uint64_t flags)
{
	return (flags & INFO_MISPRED ? TRUTH_MISPREDICTED : 0) |
	       (flags & INFO_IN_TSX ? TRUTH_IN_TSX : 0) |
	       (flags & INFO_TSX_ABORT ? TRUTH_ABORT : 0);
}

static void push(CPUX86State *env, struct lbr_cpu *cpu, uint64_t from, uint64_t to,
		 enum lbr_kind kind, bool mispredicted)
{
	const struct lbr_model *model = cpu->model;
	uint64_t flags = tsx_flags(cpu, from);
	uint32_t cycles = 0;

	if (mispredicted && model->layout != LBR_PLAIN)
		flags |= INFO_MISPRED;
	if (model->info_msr)
		cycles = MIN(env->lbr.insns - cpu->last_update, INFO_CYCLES);
	cpu->last_update = env->lbr.insns;
	/* SDM vol. 3B, 17.9: TOS is incremented, modulo the depth, before the pair is recorded. */
	cpu->tos = cpu->tos + 1 < cpu->depth ? cpu->tos + 1 : 0;
	cpu->stack[cpu->tos] = entry_encode(model->layout, from, to, kind, flags, cycles);
	if (cpu->truth)
		truth_branch(cpu->truth, from, to, kind, truth_flags(flags), cycles);
}

/* SDM vol. 3B, 17.9: a return flushes the last captured record, last in, first out. */
static void pop(struct lbr_cpu *cpu, uint64_t from, uint64_t to)
{
	memset(&cpu->stack[cpu->tos], 0, sizeof(cpu->stack[cpu->tos]));
	cpu->tos = (cpu->tos + cpu->depth - 1) % cpu->depth;
	truth_pop(cpu->truth, from, to);
}

static bool call_stack_mode(const struct lbr_cpu *cpu)
{
	return cpu->model->layout == LBR_ARCH ? cpu->control & ARCH_CTL_CALL_STACK
					      : cpu->select & SELECT_CALLSTACK;
}

/* Do the filters let this branch in? The ring is that of the target: it is where we are now. */
static bool selected(CPUX86State *env, const struct lbr_cpu *cpu, enum lbr_kind kind)
{
	bool user = env->hflags & HF_CPL_MASK;

	if (cpu->model->layout == LBR_ARCH)
		return (cpu->control & (user ? ARCH_CTL_USR : ARCH_CTL_OS)) &&
		       (cpu->control & kinds[kind].arch_bit);
	return !(cpu->select &
		 ((user ? SELECT_CPL_NEQ_0 : SELECT_CPL_EQ_0) | kinds[kind].select_bit));
}

static void record(CPUX86State *env, struct lbr_cpu *cpu, uint64_t from, uint64_t to,
		   enum lbr_kind kind, uint32_t len, bool mispredicted)
{
	if (!selected(env, cpu, kind))
		return;
	if (call_stack_mode(cpu)) {
		if (kind == KIND_RET) {
			pop(cpu, from, to);
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

int lbr_restore_word(CPUX86State *env, uint64_t word)
{
	env->lbr.inside = word >> LBR_WORD_SHIFT;
	return word & ((1 << LBR_WORD_SHIFT) - 1);
}

/*
 * Count the instructions of a block that was left within it, the one that left it included. A fault
 * of its last instruction restores the state, too, and the block has counted that one itself.
 */
static void count_inside(struct lbr_flow *flow)
{
	if (flow->next == LBR_NEXT_INSIDE) {
		g_assert(flow->inside); /* or QEMU left the block without restoring the state */
		flow->insns += flow->inside;
	}
	flow->inside = 0;
}

void helper_lbr_arrive(CPUX86State *env, target_ulong pc)
{
	struct lbr_cpu *cpu = lbr_cpu_state(env);
	struct lbr_flow *flow = &env->lbr;

	if (flow->next != LBR_NEXT_FIRST) {
		count_inside(flow);
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
		truth_insn(cpu->truth, pc);
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

	if (flow->next == LBR_NEXT_FIRST)
		return false;
	count_inside(flow);
	if (!is_async && (flow->next == LBR_NEXT_INSIDE || flow->from == pc))
		return true;
	if (starts_again(flow, pc))
		flow->insns--; /* a REP, say: it has been counted, and will be again */
	else if (flow->next != pc)
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
	 * handler runs, and leaves the LBR stack as it is. AMD APM vol. 2, 13.1.1.8 and 13.1.6.1:
	 * the same of DebugExtnCtl[LBRSE].
	 */
	if (vector == EXCP01_DB && !is_insn && cpu->recording) {
		lbr_disable(cpu);
		lbr_update(env, "db");
	}
}

/* --- MSRs --------------------------------------------------------------------------------- */

/* The stack entry that MSR number @i of its bank shows. */
static struct lbr_entry *entry_at(struct lbr_cpu *cpu, uint32_t i)
{
	/* Without a TOS, entry 0 is the newest. */
	return &cpu->stack[lbr_model()->tos_msr ? i : (cpu->tos + cpu->depth - i) % cpu->depth];
}

static bool in_bank(const struct lbr_model *model, const struct lbr_cpu *cpu, uint32_t msr,
		    uint32_t first, uint32_t *ret_index)
{
	if (!first || msr < first || (msr - first) % model->step)
		return false;
	*ret_index = (msr - first) / model->step;
	return *ret_index < cpu->depth;
}

/* Which register of the LBR stack is @msr? Return: its place, or NULL. */
static uint64_t *stack_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	const struct lbr_model *model = lbr_model();
	uint32_t i;

	if (in_bank(model, cpu, msr, model->from_msr, &i))
		return &entry_at(cpu, i)->from;
	if (in_bank(model, cpu, msr, model->to_msr, &i))
		return &entry_at(cpu, i)->to;
	if (in_bank(model, cpu, msr, model->info_msr, &i))
		return &entry_at(cpu, i)->info;
	return NULL;
}

static uint64_t *control_msr(struct lbr_cpu *cpu, uint32_t msr)
{
	const struct lbr_model *model = lbr_model();

	if (msr == MSR_DEBUGCTL)
		return &cpu->debugctl;
	if (model->tos_msr && msr == model->tos_msr)
		return &cpu->tos;
	if (model->select_msr && msr == model->select_msr)
		return &cpu->select;
	if (model->layout == LBR_ARCH && msr == MSR_ARCH_CTL)
		return &cpu->control;
	if (model->layout == LBR_ARCH && msr == MSR_ARCH_DEPTH)
		return &cpu->depth;
	if (model->layout == LBR_AMD_V2 && msr == MSR_AMD_EXTN_CFG)
		return &cpu->control;
	return NULL;
}

/*
 * Linux's commit "perf/x86/intel: Fix MSR_LAST_BRANCH_FROM_x bug when no TSX": in the layout with
 * TSX flags, on a processor without TSX, bits 62:61 are part of the sign extension that WRMSR
 * wants.
 */
static bool from_writable(const struct lbr_cpu *cpu, const uint64_t *place, uint64_t val)
{
	int64_t extended = (int64_t)(val << 1) >> 1;

	if (lbr_model()->layout != LBR_FROM_TSX || lbr_tsx())
		return true;
	for (uint32_t i = 0; i < cpu->depth; i++)
		if (place == &cpu->stack[i].from)
			return extended >> 47 == 0 || extended >> 47 == -1;
	return true;
}

static bool entry_empty(const struct lbr_entry *entry)
{
	return !entry->from && !entry->to;
}

/* Is there nothing left? Entries beyond the depth cannot be read. */
static bool stack_empty(const struct lbr_cpu *cpu)
{
	for (uint32_t i = 0; i < cpu->depth; i++)
		if (!entry_empty(&cpu->stack[i]))
			return false;
	return true;
}

/*
 * A register of the stack. The guest clears entry by entry: the log has a clear when the last one
 * goes, and none while any is left.
 */
static void stack_write(struct lbr_cpu *cpu, uint64_t *place, uint64_t val)
{
	bool emptied = *place && !val;

	*place = val;
	if (emptied && stack_empty(cpu))
		truth_clear(cpu->truth);
}

/* Return: 1 if written, -1 if the processor would raise #GP. */
static int control_write(struct lbr_cpu *cpu, uint64_t *place, uint64_t val)
{
	const struct lbr_model *model = lbr_model();

	if (place == &cpu->select && (val & ~model->select_mask))
		return -1; /* SDM vol. 3B, Table 17-11: the rest must be zero */
	if (place == &cpu->tos)
		val %= model->depth;
	if (place == &cpu->depth) {
		/* SDM vol. 3B, IA32_LBR_DEPTH: a write clears all entries. */
		if (!val || val % 8 || val > model->depth)
			return -1;
		memset(cpu->stack, 0, sizeof(cpu->stack));
		cpu->tos = 0;
		truth_clear(cpu->truth);
	}
	*place = val;
	return 1;
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
	struct lbr_cpu *cpu;
	uint64_t *place;
	int written;

	if (!lbr_model())
		return 0;
	cpu = lbr_cpu_state(env);
	place = stack_msr(cpu, msr);
	if (place) {
		if (!from_writable(cpu, place, val))
			return -1;
		stack_write(cpu, place, val);
		return 1;
	}
	place = control_msr(cpu, msr);
	if (!place)
		return pmu_wrmsr(env, msr, val);
	written = control_write(cpu, place, val);
	lbr_update(env, NULL);
	return written;
}
