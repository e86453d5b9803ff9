// SPDX-License-Identifier: GPL-2.0
#include "why/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "cfg/code.h"
#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "symbolize/place.h"
#include "syscall/syscall.h"
#include "cfg/returns.h"
#include "target/probeable.h"
#include "util/cleanup.h"
#include "util/hash_table.h"
#include "why/values/backward.h"
#include "cfg/flow.h"

/* What makes 0 or 1 stands this close above what uses it. */
#define TRUTH_WINDOW 3

/*
 * How far one goes through functions whose entries cannot be watched: __nla_validate_parse() is
 * called by __nla_parse(), _kstrtoull() by kstrtouint() by way of kstrtoull().
 */
#define UNTRACED_DEPTH 4
#define UNTRACED_MAX   1024
#define ENTRY_BYTES    9 /* ENDBR and a call */

/**
 * struct met - a function that is called
 * @depth: if it is not 0 its entry cannot be watched: one that ran may have entered it unseen, so
 *         many calls away
 */
struct met {
	struct symbol sym;
	unsigned int depth;
};

/** struct search - @met: of struct met; @further: what is found now is that of a site */
struct search {
	const struct candidates *candidates;
	const struct text_source *text;
	struct symbols *symbols;
	struct sites *sites;
	uint32_t err;
	struct hash_table met;
	size_t untraced_count;
	bool further;
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
							       .further = search->further,
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
			.further = search->further,
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

static bool is_untraced(const struct search *search, uint64_t entry, struct symbol *ret_sym)
{
	const struct candidate *candidate = candidates_at(search->candidates, entry);
	uint8_t bytes[ENTRY_BYTES];

	if (candidate) {
		*ret_sym = candidate->sym;
		return !candidate->traced;
	}
	return !symbols_find(search->symbols, entry, ret_sym) && ret_sym->addr == entry &&
	       ret_sym->size >= sizeof(bytes) &&
	       !search->text->read(search->text->ctx, entry, bytes, sizeof(bytes)) &&
	       !begins_with_fentry(bytes, sizeof(bytes));
}

static bool same_entry(const void *element, const void *key)
{
	return ((const struct met *)element)->sym.addr == *(const uint64_t *)key;
}

/* @ret_new: it is not traced, and was not met before */
static int note_called(struct search *search, uint64_t entry, unsigned int depth, bool *ret_new)
{
	const uint32_t hash = hash_number(entry);
	struct met met = {};

	*ret_new = false;
	if (hash_table_find(&search->met, sizeof(met), hash, same_entry, &entry))
		return 0;
	*ret_new = search->untraced_count < UNTRACED_MAX && is_untraced(search, entry, &met.sym);
	search->untraced_count += *ret_new;
	met.sym.addr = entry;
	met.depth = *ret_new ? depth : 0;
	return hash_table_add(&search->met, sizeof(met), hash, &met) ? 0 : -ENOMEM;
}

/* Its sites, if they are not there yet; those it calls, or ends in a jump to, are @depth away. */
static int look_at(struct search *search, const struct symbol *sym, unsigned int depth)
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
	if (depth == 1 || candidates_at(search->candidates, sym->addr))
		err = add_sites(search, sym, exits);
	for (size_t i = 0; !err && i < exits->call_count + exits->tail_call_count; i++) {
		uint64_t entry = i < exits->call_count
					 ? exits->calls[i]
					 : exits->tail_calls[i - exits->call_count].target;
		const struct candidate *called;
		bool is_new = false;

		if (depth <= UNTRACED_DEPTH)
			err = note_called(search, entry, depth, &is_new);
		called = is_new ? candidates_at(search->candidates, entry) : NULL;
		/* Whoever called it ran last: its sites come with the caller's. */
		if (!err && called && depth == 1)
			err = look_at(search, &called->sym, UNTRACED_DEPTH + 1);
	}
	function_exits_free(exits);
	return err;
}

/* What they call, the nearest first; of which nobody can say whether they ran. */
static int look_further(struct search *search)
{
	int err = 0;

	search->further = true;
	for (size_t i = 0; !err && i < search->met.count; i++) {
		/* It moves when one is added. */
		struct met met = ((struct met *)search->met.items)[i];

		if (met.depth)
			err = look_at(search, &met.sym, met.depth + 1);
	}
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
			err = look_at(search, &sym, 1);
	}
	return err;
}

/* Calls whose bytes are text for the kernel: files of sysfs and proc, parameters, options. */
static bool takes_text(const struct failure *failure)
{
	switch (failure->call.nr) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_init_module:
	case SYS_finit_module:
	case SYS_mount:
	case SYS_fsconfig:
		return failure->via == WHY_VIA_SYSCALL;
	default:
		return false;
	}
}

/*
 * What turns text into numbers is not traced, and who calls it hands its error on, loads none
 * itself, and so is no candidate: param_set_int(), store functions of sysfs. No more than there are
 * breakpoints: no kprobe may stand there.
 */
static int look_at_parsers(struct search *search)
{
	static const char *const names[] = {
		"_kstrtoull", "kstrtobool", "kstrtoint", "kstrtouint", "kstrtoll",
	};
	int err = 0;

	search->further = true;
	for (size_t i = 0; !err && i < ARRAY_SIZE(names); i++) {
		struct symbol sym;

		if (!symbols_by_name(search->symbols, "", names[i], 0, &sym))
			err = look_at(search, &sym, UNTRACED_DEPTH + 1);
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

	int ret = look_at(&search, sym, 1);

	hash_table_deinit(&search.met);
	return ret;
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
			err = look_at(&search, &ran->sym, 1);
	}
	err = err ?: look_at_call(&search, failure->call.nr);
	if (!err && takes_text(failure))
		err = look_at_parsers(&search);
	err = err ?: look_further(&search);
	hash_table_deinit(&search.met);
	return err;
}

void sites_deinit(struct sites *sites)
{
	free(sites->items);
	*sites = (struct sites){};
}
