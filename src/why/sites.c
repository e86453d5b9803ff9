// SPDX-License-Identifier: GPL-2.0
#include "why/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "symbolize/place.h"
#include "syscall/syscall.h"
#include "target/returns.h"
#include "util/cleanup.h"
#include "why/decision.h"

struct search {
	const struct candidates *candidates;
	const struct text_source *text;
	struct symbols *symbols;
	struct sites *sites;
	uint32_t err;
};

static bool known(const struct sites *sites, uint64_t addr)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->items[i].addr == addr)
			return true;
	return false;
}

static int add(struct sites *sites, const struct site *site)
{
	if (known(sites, site->addr))
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

static bool is_and(const struct text_source *text, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	for (size_t len = sizeof(bytes); len; len--)
		if (!text->read(text->ctx, addr, bytes, len))
			return !insn_decode(bytes, len, addr, &in) && (in.flags & INSN_F_ERR_MASK);
	return false;
}

static int add_sites(struct search *search, const struct symbol *sym,
		     const struct function_exits *exits)
{
	int err = 0;

	for (size_t i = 0; !err && i < exits->errno_count; i++) {
		const struct errno_site *from = &exits->errnos[i];
		struct site site = {
			.addr = from->addr,
			.sym = *sym,
			.err = from->err,
			.reg = SITE_REG_NONE,
		};

		if (from->err != search->err)
			continue;
		if (from->uncertain && is_and(search->text, from->addr))
			site.reg = register_of_cpu(from->reg);
		err = add(search->sites, &site);
	}
	return err;
}

/* @calls: those that it calls, too, of which nobody can say whether they ran */
static int look_at(struct search *search, const struct symbol *sym, bool calls)
{
	struct exits_options opts = {
		.place = place_by_symbols,
		.place_ctx = search->symbols,
		.symbols = search->symbols,
	};
	struct function_exits *exits;
	int err = function_exits_find(search->text, sym->addr, sym->size, &opts, &exits);

	if (err)
		return err == -ENOMEM ? err : 0;
	err = add_sites(search, sym, exits);
	for (size_t i = 0; !err && calls && i < exits->call_count; i++) {
		const struct candidate *called = candidates_at(search->candidates, exits->calls[i]);

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
