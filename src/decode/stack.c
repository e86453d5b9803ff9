// SPDX-License-Identifier: GPL-2.0
#include "decode/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/raw_msr.h"
#include "util/cleanup.h"

/* Linux marks the end of its own entries with this TO: arch/x86/events/amd/brs.c */
#define BRS_POISON UINT64_C(0xfffffffffffffffe)

/**
 * struct stack - the registers of one CPU, sorted into their places
 * @raw: FROM, TO, INFO by entry
 * @have: bit n of have[0], [1], [2]: FROM, TO, INFO of entry n is given
 * @value: of the registers beside the stack, by enum lbr_role
 * @has: bit n: value[n] is given
 */
struct stack {
	uint32_t cpu;
	struct raw_branch raw[BRANCHES_MAX];
	uint64_t have[3];
	uint64_t value[LBR_ROLE_LER_TO + 1];
	uint32_t has;
};

static bool in_bank(const struct lbr_model *model, uint32_t base, uint32_t msr, uint32_t *ret_index)
{
	uint32_t size = BRANCHES_MAX, index;

	if (base == MSR_LBR_NONE || msr < base || (msr - base) % model->stride)
		return false;
	/* What lies behind these banks are other registers, not more entries. */
	if (base < 0x100)
		size = 32;
	else if (base < 0x200)
		size = model->depth;
	index = (msr - base) / model->stride;
	if (index >= size)
		return false;
	*ret_index = index;
	return true;
}

enum lbr_role lbr_msr_role(const struct lbr_model *model, uint32_t msr, uint32_t *ret_index)
{
	uint32_t index = 0;
	enum lbr_role role = LBR_ROLE_NONE;

	if (msr == model->msr_order && msr)
		role = LBR_ROLE_ORDER;
	else if (msr == model->msr_select && msr)
		role = LBR_ROLE_SELECT;
	else if (msr == MSR_ARCH_LBR_DEPTH && model->format == LBR_FORMAT_ARCH)
		role = LBR_ROLE_DEPTH;
	else if (msr == MSR_PERF_CAPABILITIES && model->vendor != CPU_VENDOR_AMD)
		role = LBR_ROLE_CAPABILITIES;
	else if (model->msr_ler && msr == model->msr_ler)
		role = LBR_ROLE_LER_FROM;
	else if (model->msr_ler && msr == model->msr_ler + 1)
		role = LBR_ROLE_LER_TO;
	else if (in_bank(model, model->msr_from, msr, &index))
		role = LBR_ROLE_FROM;
	else if (in_bank(model, model->msr_to, msr, &index))
		role = LBR_ROLE_TO;
	else if (in_bank(model, model->msr_info, msr, &index))
		role = LBR_ROLE_INFO;
	if (ret_index)
		*ret_index = index;
	return role;
}

bool lbr_knows_msr(uint32_t msr)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	for (size_t i = 0; i < count; i++) {
		if (lbr_msr_role(&models[i], msr, NULL) != LBR_ROLE_NONE)
			return true;
	}
	return false;
}

size_t lbr_model_msrs(const struct lbr_model *model, uint32_t depth, uint32_t *ret_msrs)
{
	const uint32_t banks[] = {model->msr_from, model->msr_to, model->msr_info};
	size_t n = 0;

	for (size_t bank = 0; bank < ARRAY_SIZE(banks); bank++) {
		for (uint32_t i = 0; banks[bank] != MSR_LBR_NONE && i < depth; i++)
			ret_msrs[n++] = banks[bank] + i * model->stride;
	}
	if (model->msr_order != MSR_LBR_NONE)
		ret_msrs[n++] = model->msr_order;
	return n;
}

/* Same register twice: the sort put them side by side. */
static int check_duplicates(const struct dump_record *records, size_t count, struct notes *notes)
{
	size_t same = 0;

	for (size_t i = 1; i < count; i++) {
		const struct dump_record *a = &records[i - 1], *b = &records[i];

		if (a->msr != b->msr)
			continue;
		if (a->value != b->value) {
			notes_error(notes, b->line,
				    "CPU %u: MSR %XH is 0x%" PRIx64 ", and was 0x%" PRIx64
				    " in line %zu: two dumps in one? Decode them one by one",
				    b->cpu, b->msr, b->value, a->value, a->line);
			return -EINVAL;
		}
		if (!same++)
			notes_warning(notes, b->line, "CPU %u: MSR %XH again, with the same value",
				      b->cpu, b->msr);
	}
	return 0;
}

/* Formats 01H to 04H were built with the stack at 40H and at 680H: the dump shows which. */
static int settle_base(struct lbr_model *model, const struct dump_record *records, size_t count,
		       struct notes *notes)
{
	size_t low = 0, high = 0;

	if (!(model->quirks & LBR_QUIRK_BASE_UNKNOWN))
		return 0;
	for (size_t i = 0; i < count; i++) {
		low += records[i].msr >= 0x40 && records[i].msr < 0x60;
		high += records[i].msr >= 0x680 && records[i].msr < 0x6c0;
	}
	if (low && high) {
		notes_error(notes, 0,
			    "CPU %u: FROM registers at 40H and at 680H: name the CPU with --cpu",
			    records[0].cpu);
		return -EINVAL;
	}
	model->msr_from = low ? 0x40 : 0x680;
	model->msr_to = low ? 0x60 : 0x6c0;
	return 0;
}

static bool has_to(const struct lbr_model *model, const struct dump_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (lbr_msr_role(model, records[i].msr, NULL) == LBR_ROLE_TO)
			return true;
	}
	return false;
}

static void settle_format(struct lbr_model *model, const struct dump_record *records, size_t count,
			  struct notes *notes)
{
	for (size_t i = 0; i < count; i++) {
		unsigned int format = records[i].value & 0x3f;
		int err;

		if (lbr_msr_role(model, records[i].msr, NULL) != LBR_ROLE_CAPABILITIES)
			continue;
		if (format == 0 && model->format < 0 && has_to(model, records, count)) {
			notes_warning(notes, records[i].line,
				      "CPU %u: IA32_PERF_CAPABILITIES says format 00H, which has "
				      "no TO registers, but the dump has them: not heeded (a "
				      "hypervisor that hides the LBR says 0); --format 0 heeds it",
				      records[i].cpu);
			return;
		}
		err = lbr_model_set_format(model, format);
		if (err == -EEXIST)
			notes_warning(notes, records[i].line,
				      "CPU %u: IA32_PERF_CAPABILITIES says format %02XH, model %s "
				      "has %02XH: decoded as %s; --format %u for the other",
				      records[i].cpu, format, model->name,
				      (unsigned int)model->format, model->name, format);
		else if (err)
			notes_warning(notes, records[i].line,
				      "CPU %u: IA32_PERF_CAPABILITIES says format %02XH, which is "
				      "not defined: not heeded",
				      records[i].cpu, format);
		return;
	}
}

static void place(struct stack *stack, const struct lbr_model *model,
		  const struct dump_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t index;
		enum lbr_role role = lbr_msr_role(model, records[i].msr, &index);
		uint64_t bit = UINT64_C(1) << index, value = records[i].value;

		switch (role) {
		case LBR_ROLE_NONE:
			break;
		case LBR_ROLE_FROM:
			stack->raw[index].from = value;
			stack->have[0] |= bit;
			break;
		case LBR_ROLE_TO:
			stack->raw[index].to = value;
			stack->have[1] |= bit;
			break;
		case LBR_ROLE_INFO:
			stack->raw[index].info = value;
			stack->have[2] |= bit;
			break;
		default:
			stack->value[role] = value;
			stack->has |= 1u << role;
			break;
		}
	}
}

static bool has(const struct stack *stack, enum lbr_role role)
{
	return stack->has & (1u << role);
}

/* How many entries there are: the depth register, the row, or what a bare format's dump has */
static int settle_depth(const struct stack *stack, struct lbr_model *model,
			const struct stack_options *opts, struct notes *notes)
{
	uint64_t depth = stack->value[LBR_ROLE_DEPTH], tos = 0;

	if (has(stack, LBR_ROLE_ORDER) || opts->tos >= 0)
		tos = has(stack, LBR_ROLE_ORDER) ? stack->value[LBR_ROLE_ORDER]
						 : (uint64_t)opts->tos;

	if (has(stack, LBR_ROLE_DEPTH)) {
		if (depth >= 8 && depth <= BRANCHES_MAX && depth % 8 == 0)
			model->depth = (uint32_t)depth;
		else
			notes_warning(notes, 0,
				      "CPU %u: MSR 14CFH says depth %" PRIu64
				      ", which is none: not heeded",
				      stack->cpu, depth);
	}
	if (model->depth)
		return 0;
	/* one of them is there: stack_decode() has seen to it */
	model->depth = 64u - (uint32_t)__builtin_clzll(stack->have[0] | stack->have[1]);
	if (model->order == LBR_ORDER_TOS && (model->depth & (model->depth - 1))) {
		notes_error(notes, 0,
			    "CPU %u: the last FROM register is number %u, but a stack has 4, 8, 16 "
			    "or 32: add the missing ones, or name the CPU with --cpu",
			    stack->cpu, model->depth - 1);
		return -EINVAL;
	}
	if (model->order == LBR_ORDER_TOS && tos >= model->depth) {
		notes_error(notes, 0,
			    "CPU %u: TOS is %" PRIu64 ", so the stack is deeper than the %u "
			    "entries of the dump: add the missing ones, or name the CPU with --cpu",
			    stack->cpu, tos, model->depth);
		return -EINVAL;
	}
	notes_warning(notes, 0,
		      "CPU %u: %s does not say how deep the LBR is: %u entries, "
		      "as many as the dump has",
		      stack->cpu, model->name, model->depth);
	return 0;
}

/* Bits of the entries that exist */
static uint64_t depth_mask(const struct lbr_model *model)
{
	return model->depth < 64 ? (UINT64_C(1) << model->depth) - 1 : ~UINT64_C(0);
}

static uint32_t msr_of(const struct lbr_model *model, uint32_t base, uint64_t entries)
{
	return base + (uint32_t)__builtin_ctzll(entries) * model->stride;
}

/* Says what is missing or too much. Returns the entries that are complete enough to decode. */
static uint64_t check_complete(const struct stack *stack, const struct lbr_model *model,
			       struct notes *notes)
{
	uint64_t all = depth_mask(model);
	uint64_t from = stack->have[0], to = model->to ? stack->have[1] : from;
	uint64_t info = model->info ? stack->have[2] : ~UINT64_C(0);
	uint64_t surplus = (from | to) & ~all, half = (from ^ to) & all, gone = all & ~(from | to);
	uint64_t whole = from & to & all;

	if (surplus)
		notes_warning(notes, 0,
			      "CPU %u: MSR %XH is entry %d, but %s has %u: %d surplus entries left "
			      "out; is the model right?",
			      stack->cpu, msr_of(model, model->msr_from, surplus),
			      __builtin_ctzll(surplus), model->name, model->depth,
			      __builtin_popcountll(surplus));
	for (uint64_t rest = half; rest; rest &= rest - 1) {
		bool no_to = from & (rest & -rest);

		notes_warning(notes, 0, "CPU %u: entry %d has no %s: left out; add MSR %XH",
			      stack->cpu, __builtin_ctzll(rest), no_to ? "TO" : "FROM",
			      msr_of(model, no_to ? model->msr_to : model->msr_from, rest));
	}
	if (gone)
		notes_warning(notes, 0,
			      "CPU %u: %d of %u entries are not in the dump; the first is MSR %XH",
			      stack->cpu, __builtin_popcountll(gone), model->depth,
			      msr_of(model, model->msr_from, gone));
	if (whole & ~info)
		notes_warning(
			notes, 0,
			"CPU %u: %d entries have no INFO: no flags for them; the first is MSR "
			"%XH",
			stack->cpu, __builtin_popcountll(whole & ~info),
			msr_of(model, model->msr_info, whole & ~info));
	return whole;
}

static int order_by_tos(const struct stack *stack, const struct lbr_model *model,
			const struct stack_options *opts, uint8_t *ret_order, struct notes *notes)
{
	uint64_t tos = stack->value[LBR_ROLE_ORDER];

	if (!has(stack, LBR_ROLE_ORDER)) {
		if (opts->tos < 0) {
			notes_error(
				notes, 0,
				"CPU %u: no TOS, so which entry is the newest is not known: add "
				"MSR %XH, or give its value with --tos",
				stack->cpu, model->msr_order);
			return -EINVAL;
		}
		tos = (uint64_t)opts->tos;
	} else if (opts->tos >= 0 && (uint64_t)opts->tos != tos) {
		notes_warning(notes, 0,
			      "CPU %u: the dump has a TOS, %" PRIu64 ": --tos %" PRId64
			      " is not heeded",
			      stack->cpu, tos, opts->tos);
	}
	if (tos >= model->depth)
		notes_warning(notes, 0,
			      "CPU %u: TOS is %" PRIu64 ", a stack of %u entries has 0 to %u: its "
			      "low bits count",
			      stack->cpu, tos, model->depth, model->depth - 1);
	for (uint32_t i = 0; i < model->depth; i++)
		ret_order[i] = (uint8_t)((tos + 1 + i) & (model->depth - 1));
	return (int)model->depth;
}

/* AMD BRS fills from 0; amd_brs_drain() of Linux arch/x86/events/amd/brs.c */
static int order_by_brs(const struct stack *stack, const struct lbr_model *model,
			uint8_t *ret_order, struct notes *notes)
{
	uint64_t cfg = stack->value[LBR_ROLE_ORDER];
	uint32_t end = (uint32_t)(cfg >> 16) & 0xf, start = 0;

	if (!has(stack, LBR_ROLE_ORDER)) {
		notes_error(
			notes, 0,
			"CPU %u: without DBG_EXTN_CFG nobody knows which entries are valid: add "
			"MSR %XH",
			stack->cpu, model->msr_order);
		return -EINVAL;
	}
	if (!(cfg & (1u << 5))) /* VB: nothing was recorded */
		return 0;
	if (end == 0)
		end = model->depth;
	for (uint32_t i = 0; i < end; i++) {
		if (stack->raw[i].to == BRS_POISON)
			start = i + 1;
	}
	for (uint32_t i = start; i < end; i++)
		ret_order[i - start] = (uint8_t)i;
	return (int)(end - start);
}

/* Numbers of the entries, oldest first. Returns how many, or -EINVAL. */
static int order_entries(const struct stack *stack, const struct lbr_model *model,
			 const struct stack_options *opts, uint8_t *ret_order, struct notes *notes)
{
	if (model->order == LBR_ORDER_TOS)
		return order_by_tos(stack, model, opts, ret_order, notes);
	if (opts->tos >= 0)
		notes_warning(notes, 0, "CPU %u: %s has no TOS: --tos is not heeded", stack->cpu,
			      model->name);
	if (model->order == LBR_ORDER_BRS)
		return order_by_brs(stack, model, ret_order, notes);
	for (uint32_t i = 0; i < model->depth; i++)
		ret_order[i] = (uint8_t)(model->depth - 1 - i);
	return (int)model->depth;
}

static void note_address(const struct stack *stack, const struct lbr_model *model, uint32_t entry,
			 bool from, struct notes *notes)
{
	uint32_t base = from || !model->to ? model->msr_from : model->msr_to;

	notes_warning(notes, 0,
		      "CPU %u: entry %u: MSR %XH = 0x%016" PRIx64 " holds no canonical %u-bit "
		      "address: is the model right?",
		      stack->cpu, entry, base + entry * model->stride,
		      from ? stack->raw[entry].from : stack->raw[entry].to, model->addr_bits);
}

static void note_doubts(const struct stack *stack, const struct lbr_model *model, uint32_t entry,
			uint32_t doubts, uint32_t seen, struct notes *notes)
{
	if (doubts & RAW_DOUBT_FROM_CANONICAL)
		note_address(stack, model, entry, true, notes);
	if (doubts & RAW_DOUBT_TO_CANONICAL)
		note_address(stack, model, entry, false, notes);
	doubts &= ~seen; /* the rest once a CPU */
	if (doubts & RAW_DOUBT_RESERVED)
		notes_warning(notes, 0,
			      "CPU %u: entry %u has reserved bits set: is the model right?",
			      stack->cpu, entry);
	if (doubts & RAW_DOUBT_TYPE)
		notes_warning(notes, 0, "CPU %u: entry %u has a reserved branch type: left open",
			      stack->cpu, entry);
	if (doubts & RAW_DOUBT_TSX_SIGN_EXT)
		notes_warning(notes, 0,
			      "CPU %u: entry %u: IN_TSX and TSX_ABORT of a kernel address are both "
			      "set; on a CPU without TSX they are sign extension. Add its "
			      "\"flags\" line of /proc/cpuinfo",
			      stack->cpu, entry);
}

static void decode_entries(const struct stack *stack, const struct lbr_model *model,
			   const uint8_t *order, int entries, uint64_t whole, struct snapshot *snap,
			   struct notes *notes)
{
	struct lbr_model without_info = *model;
	uint32_t seen = 0, bogus = 0;

	without_info.info = NULL;
	without_info.supported = 0;
	for (int i = 0; i < entries; i++) {
		uint32_t entry = order[i], doubts;
		bool no_info = model->info && !(stack->have[2] >> entry & 1);
		int err;

		if (!(whole >> entry & 1)) {
			snap->missing++;
			continue;
		}
		err = raw_msr_decode(no_info ? &without_info : model, &stack->raw[entry],
				     &snap->branches[snap->count], &doubts);
		bogus += err == -EBADMSG;
		if (err)
			continue;
		snap->count++;
		note_doubts(stack, model, entry, doubts, seen, notes);
		seen |= doubts;
	}
	if (bogus)
		notes_warning(notes, 0,
			      "CPU %u: TO[61] is set in %u entries: no branches (AMD erratum "
			      "1452), left out",
			      stack->cpu, bogus);
	snap->dropped = model->depth - snap->count - snap->missing;
	snap->path_ok &= !snap->missing;
}

/* IA32_LBR_CTL says what is captured, in another order; make it look like MSR_LBR_SELECT. */
static uint32_t select_of_ctl(uint64_t ctl)
{
	static const struct {
		uint8_t ctl_bit;
		uint16_t select;
	} bits[] = {
		{1, LBR_SELECT_KERNEL},	   {2, LBR_SELECT_USER},     {16, LBR_SELECT_JCC},
		{17, LBR_SELECT_REL_JMP},  {18, LBR_SELECT_IND_JMP}, {19, LBR_SELECT_REL_CALL},
		{20, LBR_SELECT_IND_CALL}, {21, LBR_SELECT_RET},     {22, LBR_SELECT_FAR},
	};
	uint32_t select = LBR_SELECT_ALL;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (ctl >> bits[i].ctl_bit & 1)
			select &= ~(uint32_t)bits[i].select;
	}
	return ctl & (1u << 3) ? select | LBR_SELECT_CALLSTACK : select;
}

/* Which branches were recorded, by perf's names where perf has one; "" if it is not known. */
static void describe_filter(const struct stack *stack, const struct lbr_model *model, char *buf,
			    size_t len)
{
	static const struct {
		uint32_t select;
		const char *name;
	} names[] = {
		{LBR_SELECT_JCC, "cond"},	   {LBR_SELECT_REL_CALL, "call"},
		{LBR_SELECT_IND_CALL, "ind_call"}, {LBR_SELECT_RET, "ret"},
		{LBR_SELECT_IND_JMP, "ind_jmp"},   {LBR_SELECT_REL_JMP, "jmp"},
		{LBR_SELECT_FAR, "far"},	   {LBR_SELECT_USER, "u"},
		{LBR_SELECT_KERNEL, "k"},
	};
	uint64_t value = stack->value[LBR_ROLE_SELECT];
	uint32_t select = (uint32_t)value & (LBR_SELECT_ALL | LBR_SELECT_CALLSTACK);
	size_t n = 0;

	buf[0] = '\0';
	if (model->format == LBR_FORMAT_ARCH)
		select = select_of_ctl(value);
	if (model->msr_select == MSR_LBR_NONE && model->vendor == CPU_VENDOR_NONE)
		return; /* some CPUs of that format have a filter */
	if (model->msr_select != MSR_LBR_NONE && !has(stack, LBR_ROLE_SELECT))
		return;
	if ((select & LBR_SELECT_ALL) == LBR_SELECT_ALL ||
	    (select & LBR_SELECT_PRIV) == LBR_SELECT_PRIV)
		return; /* nothing was to be recorded: what is there, is from before */
	if (select & LBR_SELECT_CALLSTACK)
		n += (size_t)snprintf(buf, len, "call_stack");
	else if (!(select & LBR_SELECT_TYPES))
		n += (size_t)snprintf(buf, len, "any");
	for (size_t i = 0; i < ARRAY_SIZE(names) && n < len; i++) {
		bool ring = names[i].select & LBR_SELECT_PRIV;

		if (select & names[i].select || (ring && !(select & LBR_SELECT_PRIV)) ||
		    (!ring && (select & LBR_SELECT_CALLSTACK || !(select & LBR_SELECT_TYPES))))
			continue;
		n += (size_t)snprintf(buf + n, len - n, "%s%s", n ? "," : "", names[i].name);
	}
}

/*
 * SDM vol. 3B, p. 17-30: with EN_CALLSTACK, JCC, NEAR_IND_JMP, NEAR_REL_JMP and FAR_BRANCH must be
 * set, the calls and NEAR_RET clear, and at most one of the rings may be kept out; "otherwise the
 * contents of the LBR MSRs are undefined" (Table 17-13, note 1).
 */
static void check_call_stack(const struct stack *stack, const struct lbr_model *model,
			     struct notes *notes)
{
	uint64_t select = stack->value[LBR_ROLE_SELECT];
	uint64_t set = LBR_SELECT_JCC | LBR_SELECT_IND_JMP | LBR_SELECT_REL_JMP | LBR_SELECT_FAR;
	uint64_t clear = LBR_SELECT_REL_CALL | LBR_SELECT_IND_CALL | LBR_SELECT_RET;

	if (model->select_layout != &layout_select_hsw || !(select & LBR_SELECT_CALLSTACK))
		return;
	if ((select & set) != set || (select & clear) ||
	    (select & LBR_SELECT_PRIV) == LBR_SELECT_PRIV)
		notes_warning(notes, 0,
			      "CPU %u: MSR %XH has EN_CALLSTACK in a combination that the manual "
			      "(p. 17-30) calls invalid: the entries are undefined",
			      stack->cpu, model->msr_select);
}

/* Some CPUs do not sign-extend it, and no layout of it is in the manual. */
static void check_ler(const struct stack *stack, const struct lbr_model *model, struct notes *notes)
{
	unsigned int shift = 64u - model->addr_bits;

	for (uint32_t i = 0; i < 2; i++) {
		uint64_t addr = stack->value[LBR_ROLE_LER_FROM + i];

		if ((uint64_t)((int64_t)(addr << shift) >> shift) != addr &&
		    (shift < 32 || addr >> 32))
			notes_warning(notes, 0,
				      "CPU %u: last exception's record: MSR %XH = 0x%016" PRIx64
				      " holds no canonical %u-bit address: printed as it is",
				      stack->cpu, model->msr_ler + i, addr, model->addr_bits);
	}
}

int stack_decode(const struct lbr_model *row, const struct dump_record *records, size_t count,
		 const struct stack_options *opts, struct stack_result *ret, struct notes *notes)
{
	struct stack stack = {.cpu = records[0].cpu};
	struct lbr_model model = *row;
	uint8_t order[BRANCHES_MAX];
	uint64_t whole;
	int entries;

	if (check_duplicates(records, count, notes) || settle_base(&model, records, count, notes))
		return -EINVAL;
	settle_format(&model, records, count, notes);
	place(&stack, &model, records, count);
	if (!stack.have[0] && !stack.have[1]) {
		notes_error(notes, records[0].line,
			    "CPU %u: none of its %zu MSRs is an entry of the LBR of %s (FROM is at "
			    "%XH): is the model right? MSR numbers are read as hexadecimal",
			    stack.cpu, count, model.name, model.msr_from);
		return -EINVAL;
	}
	if (settle_depth(&stack, &model, opts, notes))
		return -EINVAL;
	check_call_stack(&stack, &model, notes);
	check_ler(&stack, &model, notes);
	whole = check_complete(&stack, &model, notes);
	entries = order_entries(&stack, &model, opts, order, notes);
	if (entries < 0)
		return entries;
	memset(ret, 0, sizeof(*ret));
	ret->snap.cpu = stack.cpu;
	lbr_model_info(&model, 0, &ret->lbr);
	ret->snap.lbr = &ret->lbr;
	describe_filter(&stack, &model, ret->filter, sizeof(ret->filter));
	ret->snap.filter = ret->filter[0] ? ret->filter : NULL;
	ret->snap.path_ok = !strcmp(ret->filter, "any");
	ret->ler_from = stack.value[LBR_ROLE_LER_FROM];
	ret->ler_to = stack.value[LBR_ROLE_LER_TO];
	ret->has_ler = ret->ler_from || ret->ler_to;
	decode_entries(&stack, &model, order, entries, whole, &ret->snap, notes);
	return 0;
}

int dump_choose_model(const struct dump *dump, const struct lbr_model *given,
		      struct lbr_model *ret_model, struct notes *notes)
{
	const struct lbr_model *row = given ? given : dump->model;

	if (given && dump->model && given != dump->model && given->vendor != CPU_VENDOR_NONE)
		notes_warning(notes, dump->model_line, "the dump is of a %s, you said %s: %s it is",
			      dump->model->name, given->name, given->name);
	for (size_t i = 0; !row && i < dump->count; i++) {
		if (dump->records[i].msr == MSR_PERF_CAPABILITIES)
			row = lbr_model_by_format(dump->records[i].value & 0x3f);
	}
	if (!row) {
		notes_error(notes, 0,
			    "whose LBR is this? Name the CPU with --cpu 06_5EH or its format with "
			    "--format 5, or add its \"cpu family\" and \"model\" lines of "
			    "/proc/cpuinfo to the dump; --list-models lists all");
		return -ENODATA;
	}
	*ret_model = *row;
	if (dump->has_flags)
		lbr_model_set_tsx(ret_model, dump->has_tsx);
	return 0;
}

size_t dump_cpu_end(const struct dump *dump, size_t start)
{
	size_t end = start;

	while (end < dump->count && dump->records[end].cpu == dump->records[start].cpu)
		end++;
	return end;
}
