// SPDX-License-Identifier: GPL-2.0
#include "target/choose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/place.h"
#include "cfg/errno_must_return.h"
#include "target/errno_origin.h"
#include "cfg/returns.h"
#include "util/bitset.h"

static int no_breakpoint(struct probe *probe, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int no_breakpoint(struct probe *probe, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(probe->hw_reason, sizeof(probe->hw_reason), fmt, args);
	va_end(args);
	return -EINVAL;
}

/* The error is to be seen in the function that the jump goes to, which may have a return. */
static int leaves_by_tail_calls(struct symbols *symbols, struct probe *probe,
				const struct function_exits *exits)
{
	uint64_t target = exits->tail_calls[0].target;
	struct symbol sym = {.name = ""};
	size_t count = exits->tail_call_count;

	for (size_t i = 1; i < count; i++)
		if (exits->tail_calls[i].target != target)
			target = 0;
	if (!target || symbols_find(symbols, target, &sym) || sym.addr != target)
		sym.name = "";
	return no_breakpoint(probe, "it leaves by %zu tail call%s elsewhere%s%s", count,
			     count == 1 ? ", which returns" : "s, which return",
			     *sym.name ? ": trace " : "", sym.name);
}

/* Is a breakpoint on each return of the function all that is needed? Says why not. */
static int check_exits(struct symbols *symbols, struct probe *probe,
		       const struct function_exits *exits, uint32_t free_regs)
{
	if (exits->code->breakpoint)
		return no_breakpoint(probe, "its text is being patched, or holds a kprobe");
	if (exits->code->truncated)
		return no_breakpoint(probe, "some of its text cannot be read");
	if (exits->tail_call_count)
		return leaves_by_tail_calls(symbols, probe, exits);
	if (exits->indirect_jumps)
		return no_breakpoint(probe, "it holds indirect jumps, which may leave it");
	if (exits->code->runs_on)
		return no_breakpoint(probe, "it runs on into the function behind it, which returns "
					    "in its stead");
	if (!exits->return_count)
		return no_breakpoint(probe, "no return is found in its text");
	if (exits->return_count > free_regs)
		return no_breakpoint(
			probe, "it has %zu returns, and %u debug register%s free (--rotate)",
			exits->return_count, free_regs, free_regs == 1 ? " is" : "s are");
	return 0;
}

/* The returns from @first on, as many as there are registers. */
static void use_returns(struct probe *probe, const struct function_exits *exits, size_t first)
{
	probe->site_kind = SITE_RETURN;
	probe->site_count = 0;
	for (size_t i = first; i < exits->return_count && probe->site_count < HW_SITES_MAX; i++)
		probe->sites[probe->site_count++] = exits->returns[i].addr;
}

static bool wanted(const uint64_t *errnos, unsigned int err)
{
	return !errnos || bitset_has(errnos, err);
}

/* What loads a wanted errno, from the @first such on, as many as there are registers. */
static void use_errno_sites(struct probe *probe, const struct function_exits *exits,
			    const uint64_t *errnos, bool certain, size_t first)
{
	size_t count = 0;

	probe->site_kind = SITE_ERRNO;
	probe->site_count = 0;
	for (size_t i = 0; i < exits->errno_count && probe->site_count < HW_SITES_MAX; i++) {
		const struct errno_site *site = &exits->errnos[i];

		if (!wanted(errnos, site->err) || count++ < first)
			continue;
		probe->sites[probe->site_count] = site->addr;
		probe->site_err[probe->site_count] = site->err;
		probe->site_certain[probe->site_count++] = certain;
	}
}

/* The same once more, for breakpoints that take turns with its own. */
static struct probe *add_turn(struct probe_list *list, size_t index)
{
	struct probe *more = probe_list_copy(list, index);

	if (more)
		more->trigger.kind = TRIGGER_HW;
	return more;
}

/* One probe for each handful of returns. @index: the one that all are of. */
static int split_returns(struct probe_list *list, size_t index, const struct function_exits *exits)
{
	use_returns(&list->items[index], exits, 0);
	for (size_t first = HW_SITES_MAX; first < exits->return_count; first += HW_SITES_MAX) {
		struct probe *more = add_turn(list, index);

		if (!more)
			return -ENOMEM;
		use_returns(more, exits, first);
	}
	return 0;
}

/* 0 if breakpoints on all places that make a wanted errno fit; they are set then. */
static int split_errno_sites(const struct choose_options *opts, struct probe_list *list,
			     size_t index, const struct function_exits *exits, uint32_t free_regs)
{
	struct probe *probe = &list->items[index];
	bool wide = probe->ret == RETURN_S64;
	/*
	 * One program on the function's exit sees them all, and the errors of callees; it goes only
	 * where --at errno asks for errors made here, and all of them are certain.
	 */
	bool certain = opts->at_errno && !opts->as_built;
	size_t count = 0;

	for (size_t i = 0; i < exits->errno_count; i++) {
		const struct errno_site *site = &exits->errnos[i];

		if (!wanted(opts->errnos, site->err))
			continue;
		certain = certain && errno_site_certain(exits->code, site, wide);
		count++;
	}
	if (!count)
		return no_breakpoint(probe,
				     "no instruction of it loads %s: it passes the error on "
				     "from a function that it calls",
				     opts->errnos ? "this errno" : "an errno");
	if (count > free_regs)
		return no_breakpoint(probe,
				     "%zu of its instructions load %s, and %u debug register%s "
				     "free; let them take turns with --rotate, or name fewer with "
				     "-e",
				     count, opts->errnos ? "these errnos" : "an errno", free_regs,
				     free_regs == 1 ? " is" : "s are");
	if (!probe->btf_id && !certain)
		return no_breakpoint(probe,
				     "it may drop the errno again, and without BTF of it its "
				     "return cannot be watched");
	use_errno_sites(probe, exits, opts->errnos, certain, 0);
	for (size_t first = HW_SITES_MAX; first < count; first += HW_SITES_MAX) {
		struct probe *more = add_turn(list, index);

		if (!more)
			return -ENOMEM;
		use_errno_sites(more, exits, opts->errnos, certain, first);
	}
	return 0;
}

/*
 * The kernel may refuse the program on the exit that errno sites need (a function of many
 * arguments, one that is live patched): returns need none.
 */
static void keep_returns(struct symbols *symbols, struct probe *probe,
			 const struct function_exits *exits, uint32_t free_regs)
{
	struct probe on_returns = {};

	if (probe->site_certain[0] || check_exits(symbols, &on_returns, exits, free_regs))
		return;
	use_returns(&on_returns, exits, 0);
	memcpy(probe->returns, on_returns.sites, sizeof(probe->returns));
	probe->return_count = on_returns.site_count;
}

/* Debug registers that it may come to need. */
static uint32_t registers_of(const struct probe *probe)
{
	return probe->return_count > probe->site_count ? probe->return_count : probe->site_count;
}

static int use_breakpoints(const struct choose_options *opts, struct probe_list *list, size_t index,
			   uint32_t free_regs)
{
	struct code_context context = {
		.place = place_by_symbols,
		.place_ctx = opts->symbols,
		.symbols = opts->symbols,
	};
	struct probe *probe = &list->items[index];
	const struct trigger *trigger = &probe->trigger;
	uint32_t room = opts->rotate ? UINT32_MAX : free_regs;
	struct function_exits *exits;
	int err;

	if (!trigger->func_addr || !trigger->func_size)
		return no_breakpoint(probe, "its address is not known");
	err = function_exits_find(opts->text, trigger->func_addr, trigger->func_size, &context,
				  &exits);
	if (err == -ENOMEM)
		return err;
	if (err)
		return no_breakpoint(probe, "its text cannot be read");
	err = -ENOENT;
	/* With -e alone, returns that are armed all the time are better than turns. */
	if (opts->at_errno || opts->errnos)
		err = split_errno_sites(opts, list, index, exits,
					opts->at_errno ? room : free_regs);
	probe = &list->items[index];
	if (!err && !opts->at_errno)
		keep_returns(opts->symbols, probe, exits, free_regs);
	if (err && err != -ENOMEM && !opts->at_errno) {
		err = check_exits(opts->symbols, probe, exits, room);
		if (!err)
			err = split_returns(list, index, exits);
		probe = &list->items[index];
	}
	if (!err) {
		probe->trigger.kind = TRIGGER_HW;
		probe->hw_reason[0] = 0;
	}
	function_exits_free(exits);
	return err;
}

/* First come, first served: a group is full when the next probe does not fit any more. */
static void form_groups(struct probe_list *list)
{
	uint32_t group = 1, left = HW_SITES_MAX;

	for (size_t i = 0; i < list->count; i++) {
		struct probe *probe = &list->items[i];

		if (probe->trigger.kind != TRIGGER_HW)
			continue;
		if (registers_of(probe) > left) {
			group++;
			left = HW_SITES_MAX;
		}
		probe->group = group;
		left -= registers_of(probe);
	}
	for (size_t i = 0; i < list->count; i++) {
		if (group == 1)
			list->items[i].group = 0;
		/* A turn that finds no register is left out; it changes nothing for the next. */
		if (list->items[i].group)
			list->items[i].fallback = false;
	}
}

static int check_address(const struct choose_options *opts, const struct probe *probe,
			 struct errmsg *msg)
{
	const struct trigger *trigger = &probe->trigger;

	if (!trigger->func_addr || trigger->addr == trigger->func_addr)
		return 0;
	if (function_has_insn(opts->text, trigger->func_addr, trigger->func_size, trigger->addr))
		return 0;
	return errmsg_set(msg, -EINVAL,
			  "'%s': no instruction starts there, the breakpoint would never be hit; "
			  "'gdb -batch -ex \"disassemble %s\" vmlinux' shows where they start",
			  trigger->target, trigger->function);
}

/* What a place of a preset is armed as where no breakpoint can be had. */
static void give_way(struct probe *probe)
{
	probe->trigger.kind = probe->btf_id && !probe->place ? TRIGGER_FENTRY : TRIGGER_KPROBE;
}

/* Places that the user named: they come first. */
static int reserve_named(const struct choose_options *opts, struct probe_list *list,
			 uint32_t *free_regs, struct errmsg *msg)
{
	for (size_t i = 0; i < list->count; i++) {
		struct probe *probe = &list->items[i];
		int err;

		if (probe->trigger.kind != TRIGGER_HW || probe->site_kind != SITE_PLAIN)
			continue;
		err = check_address(opts, probe, msg);
		if (err)
			return err;
		if (opts->rotate)
			continue;
		if (!*free_regs && probe->gives_way) {
			no_breakpoint(probe, "the places before it need all debug registers");
			give_way(probe);
			continue;
		}
		if (!*free_regs &&
		    probe->place) /* may be had where a register is free; else said */
			continue;
		if (!*free_regs)
			return errmsg_set(
				msg, -ENOSPC,
				"'%s': a CPU has four debug registers, and the targets before "
				"this one need them all; let them take turns with --rotate, or "
				"trace this one by fexit:",
				probe->trigger.target);
		--*free_regs;
	}
	return 0;
}

/* What to trace instead of a function that only passes the errno on, if one is wanted. */
static void advise(const struct choose_options *opts, const struct probe *probe, char *buf,
		   size_t size)
{
	struct callgraph *graph = NULL;
	struct errno_origins *origins;
	char command[512];
	int wanted_err = 0;

	buf[0] = '\0';
	for (int err = 1; opts->errnos && err < 4096; err++) {
		if (!wanted(opts->errnos, err))
			continue;
		if (wanted_err)
			return;
		wanted_err = err;
	}
	if (!wanted_err || callgraph_create(opts->text, opts->symbols, &graph))
		return;
	if (!errno_origins_find(graph, opts->symbols, probe->trigger.func_addr, wanted_err,
				&origins)) {
		if (errno_origins_advice(origins, wanted_err, command, sizeof(command)))
			snprintf(buf, size, "; these can make it: lbrsnoop %s", command);
		errno_origins_free(origins);
	}
	callgraph_destroy(graph);
}

/* What the user may do where breakpoints are asked for and none can be had. */
static const char *other_way(const struct probe *probe)
{
	if (probe->fallback)
		return "without --at errno another trigger is found";
	return probe->site_kind == SITE_RETURN
		       ? "-T auto finds another trigger"
		       : "fentry:FUNCTION and kprobe:FUNCTION+OFFSET need none";
}

/* What another kind of trigger can do gets that, and the rest is refused. */
static int choose_others(const struct choose_options *opts, struct probe_list *list,
			 struct errmsg *msg)
{
	for (size_t i = 0; i < list->count; i++) {
		struct probe *probe = &list->items[i];
		bool hw = probe->trigger.kind == TRIGGER_HW;

		if ((!hw && !probe->fallback) || probe->trigger.kind == TRIGGER_MULTI)
			continue;
		no_breakpoint(probe, "%s", opts->no_breakpoints);
		if (hw && probe->gives_way)
			give_way(probe);
		else if (hw ? !probe->optional : opts->at_errno)
			return errmsg_set(msg, -EOPNOTSUPP, "'%s': %s; %s", probe->trigger.target,
					  opts->no_breakpoints, other_way(probe));
	}
	return 0;
}

int choose_triggers(const struct choose_options *opts, struct probe_list *list, struct errmsg *msg)
{
	uint32_t free_regs = HW_SITES_MAX;
	size_t count = list->count; /* those that are appended here need no choice */
	char advice[600] = "";
	int err;

	if (opts->no_breakpoints)
		return choose_others(opts, list, msg);
	err = reserve_named(opts, list, &free_regs, msg);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		struct probe *probe = &list->items[i];
		bool required = probe->trigger.kind == TRIGGER_HW || opts->at_errno;

		if ((probe->site_kind != SITE_RETURN && !probe->fallback) ||
		    probe->trigger.kind == TRIGGER_MULTI)
			continue;
		err = use_breakpoints(opts, list, i, free_regs);
		probe = &list->items[i];
		if (err == -ENOMEM)
			return err;
		if (!err && !opts->rotate)
			free_regs -= probe->site_count; /* its returns may find none left */
		if (!err || !required || probe->optional)
			continue;
		if (opts->at_errno)
			advise(opts, probe, advice, sizeof(advice));
		return errmsg_set(msg, err, "'%s': no hardware breakpoint: %s%s",
				  probe->trigger.target, probe->hw_reason,
				  opts->at_errno ? advice : "; use -T auto");
	}
	if (opts->rotate)
		form_groups(list);
	return 0;
}
