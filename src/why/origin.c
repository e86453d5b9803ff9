// SPDX-License-Identifier: GPL-2.0
#include "why/origin.h"

#include <errno.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/log.h"
#include "why/values/backward.h"
#include "cfg/flow.h"

/** enum reach - how far a value comes */
enum reach {
	REACH_INTERRUPT, /* it is not of the call at all */
	REACH_LOST,	 /* a caller drops it */
	REACH_PERHAPS,	 /* it goes to memory, or to another code, on its way */
	REACH_RESULT,	 /* each caller may return it */
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

/* The system call's own function, and what calls it. */
static bool is_entry(const struct symbol *sym)
{
	return begins_with(sym->name, "__x64_sys_") || begins_with(sym->name, "__ia32_") ||
	       begins_with(sym->name, "x64_sys_call") || begins_with(sym->name, "do_syscall_64");
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

static uint64_t acknowledgement(struct symbols *symbols)
{
	struct symbol sym;

	return symbols_by_name(symbols, "", "netlink_ack", 0, &sym) ? 0 : sym.addr;
}

const struct why_hit *origin_choose(const struct failure *failure, const struct sites *sites,
				    const struct text_source *text, struct symbols *symbols)
{
	static const char *const words[] = {"in an interrupt", "lost", "perhaps", "returned"};
	struct chooser c = {
		.sites = sites,
		.text = text,
		.symbols = symbols,
		.ack = failure->via == WHY_VIA_NETLINK ? acknowledgement(symbols) : 0,
		.err = (uint16_t)failure->err,
	};
	const struct why_hit *best = NULL;
	enum reach best_reach = REACH_LOST;

	for (size_t i = 0; i < failure->hit_count; i++) {
		const struct why_hit *hit = &failure->hits[i];
		enum reach reach;

		if (hit->site >= sites->count)
			continue;
		reach = reach_of(&c, hit);
		log_verbose("hit %u of %u: %s+0x%llx: %s", hit->order, failure->executed,
			    sites->items[hit->site].sym.name,
			    (unsigned long long)(sites->items[hit->site].addr -
						 sites->items[hit->site].sym.addr),
			    words[reach]);
		if (reach == REACH_RESULT && best_reach == REACH_PERHAPS && failure->err != EPERM)
			continue;
		if (reach > best_reach) {
			best = hit;
			best_reach = reach;
		}
	}
	return best;
}
