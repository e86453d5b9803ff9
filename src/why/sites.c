// SPDX-License-Identifier: GPL-2.0
#include "why/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/code.h"
#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "symbolize/place.h"
#include "syscall/syscall.h"
#include "cfg/returns.h"
#include "util/cleanup.h"
#include "why/values/backward.h"
#include "cfg/flow.h"

/* What makes 0 or 1 stands this close above what uses it. */
#define TRUTH_WINDOW 3

struct search {
	const struct candidates *candidates;
	const struct text_source *text;
	struct symbols *symbols;
	struct sites *sites;
	uint32_t err;
};

bool sites_has(const struct sites *sites, uint64_t addr)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->items[i].addr == addr)
			return true;
	return false;
}

int sites_add(struct sites *sites, const struct site *site)
{
	if (sites_has(sites, site->addr))
		return 0;
	if (sites->count == sites->room) {
		size_t room = sites->room ? sites->room * 2 : 32;
		struct site *items = reallocarray(sites->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		sites->items = items;
		sites->room = room;
	}
	sites->items[sites->count++] = *site;
	return 0;
}

static bool is_and(const struct code *code, uint64_t addr)
{
	const struct insn *in = code_find(code, addr);

	return in && in->flags & INSN_F_ERR_MASK;
}

/*
 * "condition ? 0 : -EPERM" as arithmetic: a register that is 0 or 1 is negated, or made one less.
 * Whether it became -1 is seen behind that.
 */
static int add_truth_sites(struct search *search, const struct symbol *sym, const struct code *code)
{
	uint16_t truths[TRUTH_WINDOW] = {};
	int err = 0;

	for (size_t i = 0; !err && i + 1 < code->count; i++) {
		const struct insn *in = &code->insns[i];
		uint8_t reg = 0;
		enum insn_truth truth = insn_truth(code_bytes(code, in), in->len, &reg);
		uint16_t near = 0;

		for (size_t k = 0; k < TRUTH_WINDOW; k++)
			near |= truths[k];
		if (truth == INSN_TRUTH_MINUS && near & 1u << reg &&
		    in[1].addr == in->addr + in->len &&
		    flow_of_register(code, search->symbols, in[1].addr, reg, EPERM) != FLOW_LOST)
			err = sites_add(search->sites, &(struct site){
							       .addr = in->addr,
							       .watch = in[1].addr,
							       .sym = *sym,
							       .err = EPERM,
							       .reg = register_of_cpu(reg),
						       });
		truths[i % TRUTH_WINDOW] = truth == INSN_TRUTH_MAKES ? 1u << reg : 0;
	}
	return err;
}

/* Can the constant that this instruction loads come out of the function? */
static bool leads_out(struct search *search, const struct code *code, const struct site *site)
{
	return !code || flow_of_site(code, search->symbols, site->addr, site->err) != FLOW_LOST;
}

static bool has_errno(const struct function_exits *exits, uint32_t err)
{
	for (size_t i = 0; i < exits->errno_count; i++)
		if (exits->errnos[i].err == err)
			return true;
	return err == EPERM;
}

static int add_sites(struct search *search, const struct symbol *sym,
		     const struct function_exits *exits)
{
	struct code *code = NULL;
	int err = 0;

	if (!has_errno(exits, search->err))
		return 0;
	/* Of a cold part the whole function: control comes back from there. */
	if (code_load_symbol(search->text, search->symbols, sym, &code))
		code = NULL;
	for (size_t i = 0; !err && i < exits->errno_count; i++) {
		const struct errno_site *from = &exits->errnos[i];
		struct site site = {
			.addr = from->addr,
			.watch = from->addr,
			.sym = *sym,
			.err = from->err,
			.reg = SITE_REG_NONE,
		};

		if (from->err != search->err)
			continue;
		if (from->uncertain && is_and(exits->code, from->addr))
			site.reg = register_of_cpu(from->reg);
		if (leads_out(search, code, &site))
			err = sites_add(search->sites, &site);
	}
	if (!err && code && search->err == EPERM)
		err = add_truth_sites(search, sym, code);
	code_free(code);
	return err;
}

/* @calls: those that it calls, or ends in a jump to, of which nobody can say whether they ran */
static int look_at(struct search *search, const struct symbol *sym, bool calls)
{
	struct code_context context = {
		.place = place_by_symbols,
		.place_ctx = search->symbols,
		.symbols = search->symbols,
	};
	struct function_exits *exits;
	int err = function_exits_find(search->text, sym->addr, sym->size, &context, &exits);

	if (err)
		return err == -ENOMEM ? err : 0;
	err = add_sites(search, sym, exits);
	for (size_t i = 0; !err && calls && i < exits->call_count + exits->tail_call_count; i++) {
		uint64_t entry = i < exits->call_count
					 ? exits->calls[i]
					 : exits->tail_calls[i - exits->call_count].target;
		const struct candidate *called = candidates_at(search->candidates, entry);

		if (called && !called->traced)
			err = look_at(search, &called->sym, false);
	}
	function_exits_free(exits);
	return err;
}

/* The system call's own functions: they ran, whether their entries can be watched or not. */
static int look_at_call(struct search *search, uint32_t nr)
{
	static const char *const prefixes[] = {"__x64_sys_", "__do_sys_", "__se_sys_", "ksys_",
					       "do_"};
	const char *call = syscall_name(nr);
	char name[128];
	struct symbol sym;
	int err = 0;

	for (size_t i = 0; call && !err && i < ARRAY_SIZE(prefixes); i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], call);
		if (!symbols_by_name(search->symbols, "", name, 0, &sym))
			err = look_at(search, &sym, true);
	}
	return err;
}

int sites_of_function(const struct symbol *sym, uint32_t err, const struct candidates *candidates,
		      const struct text_source *text, struct symbols *symbols, struct sites *sites)
{
	struct search search = {
		.candidates = candidates,
		.text = text,
		.symbols = symbols,
		.sites = sites,
		.err = err,
	};

	return look_at(&search, sym, true);
}

int sites_find(const struct failure *failure, const struct candidates *candidates,
	       const struct text_source *text, struct symbols *symbols, struct sites *sites)
{
	struct search search = {
		.candidates = candidates,
		.text = text,
		.symbols = symbols,
		.sites = sites,
		.err = failure->err,
	};
	int err = 0;

	for (size_t i = 0; !err && i < failure->func_count; i++) {
		const struct candidate *ran = candidates_entered(candidates, failure->funcs[i]);

		if (ran)
			err = look_at(&search, &ran->sym, true);
	}
	return err ?: look_at_call(&search, failure->call.nr);
}

void sites_deinit(struct sites *sites)
{
	free(sites->items);
	*sites = (struct sites){};
}
