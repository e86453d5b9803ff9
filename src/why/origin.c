// SPDX-License-Identifier: GPL-2.0
#include "why/origin.h"

#include <errno.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "why/decision/decision.h"
#include "why/values/backward.h"
#include "cfg/errno_must_return.h"
#include "cfg/flow.h"
#include "disasm/regs.h"

/** enum reach - how far a value comes */
enum reach {
	REACH_INTERRUPT, /* it is not of the call at all */
	REACH_LOST,	 /* a caller drops it */
	REACH_PERHAPS,	 /* it goes to memory, or to another code, on its way */
	REACH_RESULT,	 /* each caller may return it */
	REACH_CERTAIN,	 /* each caller has to return it */
};

/* With FLOW_*: into netlink's acknowledgement. */
#define FLOW_ACKNOWLEDGED (1u << 2)

/** struct chooser - @ack: netlink_ack(), if the error is one of its; else 0 */
struct chooser {
	const struct sites *sites;
	const struct text_source *text;
	struct symbols *symbols;
	uint64_t ack;
	uint16_t err;
};

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool in_interrupt(const struct chooser *c, const struct why_hit *hit)
{
	for (uint32_t i = 1; i < hit->frames; i++) {
		struct symbol sym;

		if (!symbols_find(c->symbols, hit->stack[i] - 1, &sym) &&
		    begins_with(sym.name, "asm_"))
			return true;
	}
	return false;
}

/* What calls the system call's own function. */
static bool is_dispatcher(const struct symbol *sym)
{
	return begins_with(sym->name, "x64_sys_call") || begins_with(sym->name, "do_syscall_64");
}

/* The system call's own function, and what calls it. */
static bool is_entry(const struct symbol *sym)
{
	return begins_with(sym->name, "__x64_sys_") || begins_with(sym->name, "__ia32_") ||
	       is_dispatcher(sym);
}

/* netlink_ack() has the error as an argument: of its callers, what goes elsewhere goes there. */
static unsigned int note_ack(const struct chooser *c, const struct code *code, unsigned int goes)
{
	for (size_t i = 0; c->ack && goes & FLOW_ELSEWHERE && i < code->count; i++) {
		const struct insn *in = &code->insns[i];

		if (in->has_target && in->target == c->ack)
			return goes | FLOW_ACKNOWLEDGED;
	}
	return goes;
}

static unsigned int through_caller(const struct chooser *c, uint64_t to, const struct symbol *sym)
{
	unsigned int goes;
	struct code *code;

	if (code_load_symbol(c->text, c->symbols, sym, &code))
		return FLOW_ELSEWHERE;
	goes = note_ack(c, code, flow_of_result(code, c->symbols, to, c->err));
	code_free(code);
	return goes;
}

static unsigned int out_of_site(const struct chooser *c, const struct site *site)
{
	unsigned int goes;
	struct code *code;

	if (code_load_symbol(c->text, c->symbols, &site->sym, &code))
		return FLOW_ELSEWHERE;
	goes = site->watch == site->addr ? flow_of_site(code, c->symbols, site->addr, c->err)
					 : flow_of_register(code, c->symbols, site->watch,
							    register_number(site->reg), c->err);
	goes = note_ack(c, code, goes);
	code_free(code);
	return goes;
}

/* Behind a site, and in the callers: is what they return always this value, not another equal one?
 */
static bool must_return(const struct chooser *c, const struct symbol *sym, uint64_t addr,
			uint8_t reg)
{
	struct code *code;
	bool must;

	if (code_load_symbol(c->text, c->symbols, sym, &code))
		return false;
	must = errno_pair_must_return(code, addr, reg, reg, c->err);
	code_free(code);
	return must;
}

/*
 * Where a site's value is behind it; false: not in a register, or it may be somebody else's. What a
 * NEG makes is seen at the next instruction, and others may come there with a -1 of their own.
 */
static bool value_behind(const struct chooser *c, const struct site *site, uint64_t *ret_addr,
			 uint8_t *ret_reg)
{
	bool at_next = site->watch != site->addr, known;
	const struct insn *in;
	struct code *code;

	if (code_load_symbol(c->text, c->symbols, &site->sym, &code))
		return false;
	in = code_find(code, site->addr);
	known = at_next ? !code_jump_to(code, site->watch, NULL) : in && insn_loads_errno(in);
	if (known) {
		*ret_addr = at_next ? site->watch : in->addr + in->len;
		*ret_reg = at_next ? register_number(site->reg) : in->err_reg;
	}
	code_free(code);
	return known;
}

/* Up to the system call: then nothing that ran later has made the result. */
static bool must_be_result(const struct chooser *c, const struct why_hit *hit)
{
	const struct site *site = &c->sites->items[hit->site];
	uint64_t addr;
	uint8_t reg;

	if (c->ack || !value_behind(c, site, &addr, &reg) || !must_return(c, &site->sym, addr, reg))
		return false;
	for (uint32_t i = 1; i < hit->frames; i++) {
		struct symbol sym;

		if (symbols_find(c->symbols, hit->stack[i] - 1, &sym))
			return false;
		if (is_dispatcher(&sym))
			return true;
		if (!must_return(c, &sym, hit->stack[i], INSN_REG_RAX))
			return false;
		if (is_entry(&sym))
			return true;
	}
	return false;
}

static enum reach reach_of(const struct chooser *c, const struct why_hit *hit)
{
	unsigned int goes, elsewhere;

	if (in_interrupt(c, hit))
		return REACH_INTERRUPT;
	goes = out_of_site(c, &c->sites->items[hit->site]);
	elsewhere = goes & FLOW_ELSEWHERE;
	/* The first frame is the hit's own. */
	for (uint32_t i = 1; !(goes & FLOW_ACKNOWLEDGED) && goes & FLOW_RETURNED && i < hit->frames;
	     i++) {
		struct symbol sym;

		if (symbols_find(c->symbols, hit->stack[i] - 1, &sym))
			return REACH_PERHAPS;
		/* The system call returns it, and has not come by an acknowledgement. */
		if (is_entry(&sym) && c->ack)
			return elsewhere ? REACH_PERHAPS : REACH_LOST;
		if (is_entry(&sym))
			return REACH_RESULT;
		goes = through_caller(c, hit->stack[i], &sym);
		elsewhere |= goes & FLOW_ELSEWHERE;
	}
	if (goes & FLOW_ACKNOWLEDGED)
		return REACH_RESULT;
	if (goes & FLOW_RETURNED)
		return c->ack ? REACH_PERHAPS : REACH_RESULT;
	return elsewhere ? REACH_PERHAPS : REACH_LOST;
}

/* Of the branches behind an errno that is loaded in case. */
#define DECISIONS_MAX 4

/*
 * The errno is loaded in case, and the registers say that a branch behind it went the way on which
 * it is overwritten.
 */
static bool is_ruled_out(const struct chooser *c, const struct why_hit *hit)
{
	const struct site *site = &c->sites->items[hit->site];
	const struct decision_code where = {
		.text = c->text, .symbols = c->symbols, .no_values = true};
	const struct why_state state = {.regs = (const uint64_t *)hit->regs, .hit = hit};
	struct decision found[DECISIONS_MAX];
	int count;

	/* Behind the instruction its register is another one. */
	if (site->watch != site->addr)
		return false;
	count = decisions_find(&where, &site->sym, site->addr, NULL, &state, found, DECISIONS_MAX);
	for (int i = 0; i < count; i++)
		if (found[i].behind && found[i].excluded)
			return true;
	return false;
}

static uint64_t acknowledgement(struct symbols *symbols)
{
	struct symbol sym;

	return symbols_by_name(symbols, "", "netlink_ack", 0, &sym) ? 0 : sym.addr;
}

struct origin origin_choose(const struct failure *failure, const struct sites *sites,
			    const struct text_source *text, struct symbols *symbols)
{
	static const char *const words[] = {"in an interrupt", "lost", "perhaps", "returned",
					    "returned, always"};
	struct chooser c = {
		.sites = sites,
		.text = text,
		.symbols = symbols,
		.ack = failure->via == WHY_VIA_NETLINK ? acknowledgement(symbols) : 0,
		.err = (uint16_t)failure->err,
	};
	struct origin ret = {};
	enum reach best_reach = REACH_LOST;

	for (size_t i = 0; i < failure->hit_count; i++) {
		const struct why_hit *hit = &failure->hits[i];
		enum reach reach;

		if (hit->site >= sites->count)
			continue;
		reach = reach_of(&c, hit);
		if (reach >= REACH_PERHAPS && must_be_result(&c, hit))
			reach = REACH_CERTAIN;
		else if (reach >= REACH_PERHAPS && is_ruled_out(&c, hit))
			reach = REACH_LOST;
		log_verbose("hit %u of %u: %s+0x%llx: %s", hit->order, failure->executed,
			    sites->items[hit->site].sym.name,
			    (unsigned long long)(sites->items[hit->site].addr -
						 sites->items[hit->site].sym.addr),
			    words[reach]);
		if (reach == REACH_RESULT && best_reach == REACH_PERHAPS && failure->err != EPERM) {
			if (!ret.rival)
				ret.rival = hit;
			continue;
		}
		if (reach > best_reach) {
			ret.hit = hit;
			best_reach = reach;
		}
	}
	ret.certain = best_reach == REACH_CERTAIN;
	if (ret.certain)
		ret.rival = NULL;
	return ret;
}
