// SPDX-License-Identifier: GPL-2.0
/* resolve.c - a target's name or glob to the places to arm, by BTF, symbols and tracefs */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/place.h"
#include "symbolize/text/text.h"
#include "target/functions.h"
#include "target/kinds.h"
#include "target/probeable.h"
#include "target/suggest.h"
#include "target/target.h"
#include "target/kinds/user.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* @init_start, @init_end: text that the kernel freed after boot; both 0 if not known */
struct resolver {
	struct resolve_options opts;
	struct functions *funcs;
	uint64_t init_start;
	uint64_t init_end;
	bool init_known;
	int *fds; /* that probes borrow */
	size_t fd_count;
};

static void find_init_text(struct resolver *resolver)
{
	struct symbol start, end;

	resolver->init_known = true;
	if (symbols_by_name(resolver->opts.symbols, "", "_sinittext", 0, &start) ||
	    symbols_by_name(resolver->opts.symbols, "", "_einittext", 0, &end))
		return;
	resolver->init_start = start.addr;
	resolver->init_end = end.addr;
}

/*
 * BTF and kallsyms name functions of the start-up still when their text is gone. Linux 6.12 reads
 * it when a fentry or fexit program is attached there, without a check, and oopses
 * (__arch_prepare_bpf_trampoline()): so nothing is ever armed there.
 */
static bool is_freed(struct resolver *resolver, uint64_t addr)
{
	if (!resolver->init_known)
		find_init_text(resolver);
	return addr >= resolver->init_start && addr < resolver->init_end;
}

int resolver_create(const struct resolve_options *opts, struct resolver **ret_resolver,
		    struct errmsg *msg)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));
	int err;

	if (!resolver)
		return -ENOMEM;
	resolver->opts = *opts;
	/* Without types no program can be loaded: functions_open() tells what to do. */
	err = opts->tracepoints_only && !access("/sys/kernel/btf/vmlinux", R_OK)
		      ? 0
		      : functions_open(&resolver->funcs, msg);
	if (err) {
		free(resolver);
		return err;
	}
	*ret_resolver = resolver;
	return 0;
}

void resolver_destroy(struct resolver *resolver)
{
	if (!resolver)
		return;
	functions_close(resolver->funcs);
	for (size_t i = 0; i < resolver->fd_count; i++)
		close(resolver->fds[i]);
	free(resolver->fds);
	free(resolver);
}

void resolver_finish(struct resolver *resolver)
{
	if (resolver->funcs)
		functions_forget(resolver->funcs);
}

int resolver_keep_fd(struct resolver *resolver, int fd)
{
	if (vector_grow(&resolver->fds, resolver->fd_count, sizeof(*resolver->fds)))
		return -ENOMEM;
	resolver->fds[resolver->fd_count++] = fd;
	return 0;
}

const struct btf *resolver_btf(const struct resolver *resolver)
{
	return resolver && resolver->funcs ? functions_btf(resolver->funcs) : NULL;
}

static int offer_symbol(const struct symbol *sym, void *ctx)
{
	suggestions_offer(ctx, sym->name);
	return 0;
}

static int is_in_module(const struct symbol *sym, void *module)
{
	return !strcmp(sym->module, module);
}

/* Of a glob that names several modules nobody knows which are meant. */
static bool module_missing(struct resolver *resolver, const struct target_spec *spec)
{
	return spec->module && !strpbrk(spec->module, "*?[") &&
	       !symbols_for_each(resolver->opts.symbols, is_in_module, spec->module);
}

static int no_such_module(const struct target_spec *spec, struct errmsg *msg)
{
	return errmsg_set(msg, -ENOENT,
			  "'%s': module %s is not loaded, and a trace arms what is there when it "
			  "begins; load it (modprobe %s), then start again",
			  spec->text, spec->module, spec->module);
}

static int no_such_function(struct resolver *resolver, const struct target_spec *spec,
			    struct errmsg *msg)
{
	struct suggestions sug = {.wanted = spec->name};
	char near[SUGGESTIONS_MAX * 130 + 32];

	if (module_missing(resolver, spec))
		return no_such_module(spec, msg);
	symbols_for_each(resolver->opts.symbols, offer_symbol, &sug);
	return errmsg_set(msg, -ENOENT, "no function '%s'%s%s in this kernel%s", spec->name,
			  spec->module ? " in module " : "", spec->module ?: "",
			  suggestions_text(&sug, near, sizeof(near)));
}

static int no_address(const struct function *func, struct errmsg *msg)
{
	if (func->module && *func->module)
		return errmsg_set(msg, -ENOENT,
				  "'%s' is described by the BTF of module %s, but has no address: "
				  "it was inlined everywhere, its text was freed once the module "
				  "was initialized, or the module is being loaded or unloaded",
				  func->name, func->module);
	return errmsg_set(msg, -ENOENT,
			  "'%s' is described by this kernel's BTF, but has no address: it was "
			  "inlined everywhere; trace the functions that call it",
			  func->name);
}

/* Adds a probe on @func; @func->btf_id is 0 where only the symbol is known. */
static int add_function(struct resolver *resolver, const struct target_spec *spec,
			enum trigger_kind kind, const struct function *func,
			struct probe_list *list)
{
	struct probe *probe = probe_list_add(list);
	struct symbol sym, other;
	const char *module = func->module;

	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = kind;
	probe->trigger.function = strdup(func->name);
	probe->trigger.module = strdup(module ?: "");
	probe->trigger.target = strdup(spec->is_glob ? func->name : spec->text);
	if (!probe->trigger.function || !probe->trigger.module || !probe->trigger.target)
		return -ENOMEM;
	probe->ret = func->ret;
	probe->btf_id = func->btf_id;
	probe->btf_fd = func->btf_fd;
	/* Of a glob there may be thousands, which are traced in a way that has no arguments. */
	if (!spec->is_glob &&
	    functions_parameters(func, &probe->parameters, &probe->parameter_count))
		return -ENOMEM;
	probe->offset = spec->offset;
	probe->optional = spec->is_glob;
	probe->fallback = spec->kind == TRIGGER_NONE && resolver->opts.force == TRIGGER_NONE;
	if (!symbols_by_name(resolver->opts.symbols, module, func->name, 0, &sym)) {
		probe->trigger.func_addr = sym.addr;
		probe->trigger.func_size = sym.size;
		probe->trigger.addr = sym.addr + spec->offset;
		probe->namesakes =
			!symbols_by_name(resolver->opts.symbols, module, func->name, 1, &other);
	}
	/* -T hw of a plain name means its returns; choose_triggers() finds them. */
	if (kind == TRIGGER_HW && spec->kind == TRIGGER_NONE) {
		probe->site_kind = SITE_RETURN;
	} else {
		probe->sites[0] = probe->trigger.addr;
		probe->site_count = 1;
	}
	return 0;
}

static enum trigger_kind choose_kind(const struct resolver *resolver,
				     const struct target_spec *spec, bool has_btf)
{
	if (spec->kind != TRIGGER_NONE)
		return spec->kind;
	if (resolver->opts.force != TRIGGER_NONE)
		return resolver->opts.force;
	return has_btf ? TRIGGER_FEXIT : TRIGGER_KRETPROBE;
}

static bool watches_return(const struct target_spec *spec, enum trigger_kind kind)
{
	return trigger_traits(kind)->value == VALUE_RETURN ||
	       (kind == TRIGGER_HW && spec->kind == TRIGGER_NONE);
}

static int freed_after_boot(const struct target_spec *spec, struct errmsg *msg)
{
	return errmsg_set(
		msg, -EINVAL,
		"'%s' belongs to the kernel's start-up: its text was freed after boot, and "
		"nobody can call it",
		spec->text);
}

/*
 * The kernel lets both stand there, and does not survive it: the handler of the exception returns
 * through the same thunk before it has switched breakpoints off. Seen on Zen 4, Linux 6.12.
 */
static int refuse_thunk(const struct target_spec *spec, const struct symbol *sym,
			struct errmsg *msg)
{
	if (!place_is_thunk(place_of_symbol(sym->name, 0)))
		return 0;
	return errmsg_set(msg, -EINVAL,
			  "'%s': %s is a thunk that the kernel's functions return or jump through; "
			  "the handler of breakpoints does, too, and the CPU would never come out "
			  "of it; name the function that is called, or that returns",
			  spec->text, sym->name);
}

/* The kernel allows that, too. At the entry the tracer makes the kprobe, without an exception. */
static int refuse_in_handler(const struct target_spec *spec, enum trigger_kind kind,
			     const struct symbol *sym, struct errmsg *msg)
{
	if (kind != TRIGGER_KPROBE || !spec->offset || !probeable_by_handler(sym->name))
		return 0;
	return errmsg_set(
		msg, -EINVAL,
		"'%s': each kprobe executes %s itself; with one in the middle of it an NMI "
		"can stop the kernel (BUG in reenter_kprobe); a breakpoint does no harm: "
		"hw:%s+%#llx",
		spec->text, sym->name, spec->name, (unsigned long long)spec->offset);
}

/* One breakpoint of hw:ADDRESS or hw:FILE:LINE. */
static int add_breakpoint(struct resolver *resolver, const struct target_spec *spec, uint64_t addr,
			  struct probe_list *list, struct errmsg *msg)
{
	struct probe *probe;
	struct symbol sym;

	if (symbols_find(resolver->opts.symbols, addr, &sym))
		return errmsg_set(msg, -ENOENT, "'%s': there is no kernel text at this address",
				  spec->text);
	if (is_freed(resolver, addr))
		return freed_after_boot(spec, msg);
	if (refuse_thunk(spec, &sym, msg))
		return -EINVAL;
	probe = probe_list_add(list);
	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = TRIGGER_HW;
	probe->trigger.target = strdup(spec->text);
	probe->trigger.function = strdup(sym.name);
	probe->trigger.module = strdup(sym.module);
	probe->trigger.func_addr = sym.addr;
	probe->trigger.func_size = sym.size;
	probe->trigger.addr = probe->sites[0] = addr;
	probe->site_count = 1;
	probe->offset = probe->trigger.addr - sym.addr;
	probe->ret = RETURN_NONE;
	return probe->trigger.target && probe->trigger.function && probe->trigger.module ? 0
											 : -ENOMEM;
}

/* hw:0xffffffff81234567 */
static int add_address(struct resolver *resolver, const struct target_spec *spec,
		       struct probe_list *list, struct errmsg *msg)
{
	char *end;
	uint64_t addr = strtoull(spec->name, &end, 16);

	if (*end || addr < 1ULL << 63)
		return errmsg_set(
			msg, -EINVAL,
			"'%s': no address of kernel text; write it as /proc/kallsyms does, "
			"with 0x in front",
			spec->text);
	return add_breakpoint(resolver, spec, addr + spec->offset, list, msg);
}

/* The name of a unit, from as far behind as the name that was asked for. */
static int offer_unit(const char *path, void *ctx)
{
	struct suggestions *sug = ctx;
	const char *tail = path + strlen(path);
	int parts = 1;

	for (const char *p = sug->wanted; *p; p++)
		parts += *p == '/';
	while (tail > path && (tail[-1] != '/' || --parts))
		tail--;
	suggestions_offer(sug, tail);
	return 0;
}

static int no_such_file(struct resolver *resolver, const struct target_spec *spec,
			struct errmsg *msg)
{
	struct suggestions sug = {.wanted = spec->file};
	char near[SUGGESTIONS_MAX * 130 + 32];

	lines_for_each_unit(resolver->opts.lines, spec->module ?: "", offer_unit, &sug);
	return errmsg_set(msg, -ENOENT,
			  "'%s': no source file '%s' in the debug information of %s%s; a file of a "
			  "module is written hw:MODULE:FILE:LINE%s",
			  spec->text, spec->file, spec->module ? "module " : "the kernel",
			  spec->module ?: "", suggestions_text(&sug, near, sizeof(near)));
}

static int several_files(const struct target_spec *spec, const struct line_places *places,
			 struct errmsg *msg)
{
	errmsg_set(msg, -EINVAL,
		   "'%s': several files are called so, write more of the path:", spec->text);
	for (size_t i = 0; i < places->file_count && i < SUGGESTIONS_MAX; i++)
		errmsg_add(msg, "%s %s", i ? "," : "", places->files[i]);
	if (places->file_count > SUGGESTIONS_MAX)
		errmsg_add(msg, ", ...");
	return -EINVAL;
}

static int no_code(const struct target_spec *spec, const struct line_places *places,
		   struct errmsg *msg)
{
	errmsg_set(msg, -EINVAL, "'%s': the compiler made no code for this line of %s", spec->text,
		   places->files[0]);
	if (places->next_line)
		errmsg_add(msg, "; the next one with code is hw:%s%s%s:%d", spec->module ?: "",
			   spec->module ? ":" : "", spec->file, places->next_line);
	return -EINVAL;
}

static int too_many_places(struct resolver *resolver, const struct target_spec *spec,
			   const struct line_places *places, struct errmsg *msg)
{
	errmsg_set(msg, -ENOSPC,
		   "'%s': the line has code in %zu places, and a CPU has %d debug registers; name "
		   "those you mean:",
		   spec->text, places->addr_count, HW_SITES_MAX);
	for (size_t i = 0; i < places->addr_count && i < 2 * HW_SITES_MAX; i++) {
		struct symbol sym;

		if (!symbols_find(resolver->opts.symbols, places->addrs[i], &sym))
			errmsg_add(msg, "%s hw:%s+%#llx", i ? "," : "", sym.name,
				   (unsigned long long)(places->addrs[i] - sym.addr));
	}
	if (places->addr_count > 2 * HW_SITES_MAX)
		errmsg_add(msg, ", ...");
	return -ENOSPC;
}

/* hw:fs/open.c:123 */
static int add_line(struct resolver *resolver, const struct target_spec *spec,
		    struct probe_list *list, struct errmsg *msg)
{
	struct line_places places;
	char hint[300];
	int err;

	err = resolver->opts.lines ? lines_places(resolver->opts.lines, spec->module ?: "",
						  spec->file, spec->line, &places)
				   : -ENODATA;
	if (err == -ENODATA)
		return errmsg_set(msg, -ENOENT,
				  "'%s': a source line needs debug information%s%s, and there is "
				  "none; %s",
				  spec->text, spec->module ? " of module " : " of this kernel",
				  spec->module ?: "", lines_hint(hint, sizeof(hint)));
	if (err == -ENOENT)
		return no_such_file(resolver, spec, msg);
	if (err)
		return err;
	if (places.file_count > 1)
		return several_files(spec, &places, msg);
	if (!places.addr_count)
		return no_code(spec, &places, msg);
	if (places.addr_count > HW_SITES_MAX)
		return too_many_places(resolver, spec, &places, msg);
	for (size_t i = 0; i < places.addr_count && !err; i++)
		err = add_breakpoint(resolver, spec, places.addrs[i], list, msg);
	return err;
}

/* BPF programs and trampolines are read only when a name is nowhere else. */
static int find_symbol(struct symbols *symbols, const char *module, const char *name,
		       struct symbol *ret_sym)
{
	int err = symbols_by_name(symbols, module, name, 0, ret_sym);

	if (err && symbols_partial(symbols) && !symbols_refresh(symbols))
		err = symbols_by_name(symbols, module, name, 0, ret_sym);
	return err;
}

static int add_one(struct resolver *resolver, const struct target_spec *spec,
		   struct probe_list *list, struct errmsg *msg)
{
	struct function func = {.name = spec->name, .module = spec->module};
	bool has_btf = !functions_find(resolver->funcs, spec->module, spec->name, &func);
	enum trigger_kind kind = choose_kind(resolver, spec, has_btf);
	struct symbol sym;

	if (find_symbol(resolver->opts.symbols, has_btf ? func.module : spec->module, spec->name,
			&sym)) {
		if (!has_btf)
			return no_such_function(resolver, spec, msg);
		return no_address(&func, msg);
	}
	if (is_freed(resolver, sym.addr))
		return freed_after_boot(spec, msg);
	if (refuse_thunk(spec, &sym, msg) || refuse_in_handler(spec, kind, &sym, msg))
		return -EINVAL;
	if (!has_btf)
		func.module = sym.module;
	if (!has_btf && (kind == TRIGGER_FENTRY || kind == TRIGGER_FEXIT))
		return errmsg_set(msg, -EINVAL,
				  "'%s' is a symbol of this kernel, but its BTF does not describe "
				  "it, and %s needs that; use kprobe:%s or kretprobe:%s",
				  spec->name, trigger_kind_name(kind), spec->name, spec->name);
	if (has_btf && resolver->opts.errors_only && watches_return(spec, kind) &&
	    func.ret == RETURN_NONE)
		return errmsg_set(
			msg, -EINVAL,
			"'%s' returns %s, which holds no errno; 'lbrsnoop -e none %s' shows "
			"its every return; or name the function that calls it",
			spec->name, func.ret_text, spec->name);
	if (spec->offset && spec->offset >= sym.size)
		return errmsg_set(msg, -EINVAL,
				  "'%s+%#llx': the function is %#llx bytes long; give an offset "
				  "inside it (objdump or gdb show its instructions)",
				  spec->name, (unsigned long long)spec->offset,
				  (unsigned long long)sym.size);
	return add_function(resolver, spec, kind, &func, list);
}

struct glob_ctx {
	struct resolver *resolver;
	const struct target_spec *spec;
	struct probe_list *list;
	size_t returns_nothing;
};

static int add_match(const struct function *func, void *ctx)
{
	struct glob_ctx *glob = ctx;
	enum trigger_kind kind = choose_kind(glob->resolver, glob->spec, true);
	struct symbol sym;

	if (glob->resolver->opts.errors_only && watches_return(glob->spec, kind) &&
	    func->ret == RETURN_NONE) {
		glob->returns_nothing++;
		return 0;
	}
	/* BTF also names functions that were inlined everywhere or freed after boot. */
	if (symbols_by_name(glob->resolver->opts.symbols, func->module, func->name, 0, &sym) ||
	    is_freed(glob->resolver, sym.addr))
		return 0;
	return add_function(glob->resolver, glob->spec, kind, func, glob->list);
}

static int add_glob(struct resolver *resolver, const struct target_spec *spec,
		    struct probe_list *list, struct errmsg *msg)
{
	struct glob_ctx ctx = {.resolver = resolver, .spec = spec, .list = list};
	size_t before = list->count;
	int err;

	err = functions_for_each(resolver->funcs, spec->module, spec->name, add_match, &ctx);
	if (err)
		return err;
	if (list->count > before)
		return 0;
	if (module_missing(resolver, spec))
		return no_such_module(spec, msg);
	if (ctx.returns_nothing)
		return errmsg_set(msg, -EINVAL,
				  "'%s' matches %zu function%s, but none returns an errno; "
				  "'lbrsnoop -e none' shows every return",
				  spec->text, ctx.returns_nothing,
				  ctx.returns_nothing == 1 ? "" : "s");
	return errmsg_set(
		msg, -ENOENT,
		"no function of this kernel matches '%s'; 'lbrsnoop list GLOB' shows what "
		"does (quote globs, or the shell expands them)",
		spec->text);
}

struct tracepoint_ctx {
	const struct target_spec *spec;
	struct probe_list *list;
	size_t found;
};

/* System calls are events without a tracepoint of their own: sys_enter and sys_exit serve all. */
static bool has_raw(const char *category)
{
	return strcmp(category, "syscalls") != 0;
}

typedef int tracepoint_visit_fn(const char *category, const char *name, void *ctx);

static int for_each_tracepoint(const char *category_glob, const char *name_glob,
			       tracepoint_visit_fn *visit, void *ctx)
{
	const char *tracefs = tracefs_dir();
	char path[600];
	DIR *categories;
	struct dirent *cat, *event;
	int err = 0;

	if (!tracefs)
		return -ENODEV;
	snprintf(path, sizeof(path), "%s/events", tracefs);
	categories = opendir(path);
	if (!categories)
		return -errno;
	while (!err && (cat = readdir(categories))) {
		DIR *events;

		if (cat->d_name[0] == '.' || fnmatch(category_glob, cat->d_name, 0))
			continue;
		snprintf(path, sizeof(path), "%s/events/%s", tracefs, cat->d_name);
		events = opendir(path);
		if (!events)
			continue;
		while (!err && (event = readdir(events))) {
			if (fnmatch(name_glob, event->d_name, 0))
				continue;
			snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, cat->d_name,
				 event->d_name);
			if (event->d_name[0] != '.' && !access(path, F_OK))
				err = visit(cat->d_name, event->d_name, ctx);
		}
		closedir(events);
	}
	closedir(categories);
	return err;
}

static int add_tracepoint(const char *category, const char *name, void *ctx)
{
	struct tracepoint_ctx *tp = ctx;
	bool raw = tp->spec->kind == TRIGGER_RAWTRACEPOINT;
	struct probe *probe;
	char *target = NULL;

	if (raw && !has_raw(category))
		return 0;
	tp->found++;
	probe = probe_list_add(tp->list);
	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = tp->spec->kind;
	probe->ret = RETURN_NONE;
	if (!raw && !strcmp(category, "syscalls") && !strncmp(name, "sys_exit_", 9))
		probe->ret = RETURN_S64;
	if (!strcmp(category, "raw_syscalls") && !strcmp(name, "sys_exit") && !raw)
		probe->ret = RETURN_S64;
	probe->optional = tp->spec->is_glob;
	probe->category = strdup(category);
	probe->trigger.function = strdup(name);
	probe->trigger.module = strdup("");
	if (asprintf(&target, raw ? "rawtracepoint:%.0s%s" : "tracepoint:%s:%s", category, name) <
	    0)
		target = NULL;
	probe->trigger.target = target;
	return probe->category && probe->trigger.function && probe->trigger.module && target
		       ? 0
		       : -ENOMEM;
}

/* As a target is written: a raw tracepoint needs no category. */
static int offer_tracepoint(const char *category, const char *name, void *ctx)
{
	struct suggestions *sug = ctx;
	char full[NAME_MAX + 1];

	if (!strchr(sug->wanted, ':')) {
		if (has_raw(category))
			suggestions_offer(sug, name);
		return 0;
	}
	snprintf(full, sizeof(full), "%s:%s", category, name);
	suggestions_offer(sug, full);
	return 0;
}

static int no_such_tracepoint(const struct target_spec *spec, struct errmsg *msg)
{
	char wanted[2 * NAME_MAX + 2], near[SUGGESTIONS_MAX * 130 + 32];
	struct suggestions sug = {.wanted = wanted};

	snprintf(wanted, sizeof(wanted), "%.*s%s%.*s", NAME_MAX, spec->module ?: "",
		 spec->module ? ":" : "", NAME_MAX, spec->name);
	/* In all categories: it may be the category that is misspelt. */
	for_each_tracepoint("*", "*", offer_tracepoint, &sug);
	return errmsg_set(msg, -ENOENT, "no tracepoint '%s' in this kernel%s", wanted,
			  suggestions_text(&sug, near, sizeof(near)));
}

/* One of which all is known is looked up, not looked for. Return: -ENOENT if there is none. */
static int add_exact(const struct target_spec *spec, struct tracepoint_ctx *ctx)
{
	const char *tracefs = tracefs_dir();
	char path[600];

	if (!tracefs || spec->is_glob || !spec->module || strchr(spec->module, '/') ||
	    strchr(spec->name, '/') || spec->module[0] == '.' || spec->name[0] == '.')
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, spec->module, spec->name);
	return access(path, F_OK) ? -ENOENT : add_tracepoint(spec->module, spec->name, ctx);
}

int resolver_add_tracepoint(struct resolver *resolver, const struct target_spec *spec,
			    struct probe_list *list, struct errmsg *msg)
{
	struct tracepoint_ctx ctx = {.spec = spec, .list = list};
	int err;

	err = add_exact(spec, &ctx);
	if (err == -ENOENT)
		err = for_each_tracepoint(spec->module ?: "*", spec->name, add_tracepoint, &ctx);
	if (err == -ENODEV)
		return errmsg_set(msg, -ENOENT,
				  "target '%s': tracefs is not mounted, or you may not read it; "
				  "mount -t tracefs tracefs /sys/kernel/tracing",
				  spec->text);
	if (err)
		return errmsg_set(msg, err, "target '%s': cannot list the tracepoints: %s",
				  spec->text, strerror(-err));
	return ctx.found ? 0 : no_such_tracepoint(spec, msg);
}

int resolver_symbol(struct resolver *resolver, const char *name, struct symbol *ret_sym)
{
	return symbols_by_name(resolver->opts.symbols, "", name, 0, ret_sym);
}

int resolver_add_function(struct resolver *resolver, const struct target_spec *spec,
			  struct probe_list *list, struct errmsg *msg)
{
	return spec->is_glob ? add_glob(resolver, spec, list, msg)
			     : add_one(resolver, spec, list, msg);
}

int resolver_add_breakpoint(struct resolver *resolver, const struct target_spec *spec,
			    struct probe_list *list, struct errmsg *msg)
{
	if (spec->file)
		return add_line(resolver, spec, list, msg);
	if (!strncasecmp(spec->name, "0x", 2))
		return add_address(resolver, spec, list, msg);
	return resolver_add_function(resolver, spec, list, msg);
}

int resolver_add_user(struct resolver *resolver, const struct target_spec *spec,
		      struct probe_list *list, struct errmsg *msg)
{
	return user_add(&resolver->opts, spec, list, msg);
}

int resolver_add(struct resolver *resolver, const struct target_spec *spec, struct probe_list *list,
		 struct errmsg *msg)
{
	return spec->row->add(resolver, spec, list, msg);
}

#define JUMP_TABLE_MAX (16u << 20) /* bytes; Debian's kernels have 200 KiB */

struct list_ctx {
	resolver_visit_fn *visit;
	struct resolver *resolver;
	struct probeable *probeable;
	const char *glob;
	void *ctx;
};

static int list_function(const struct function *func, void *ctx)
{
	struct list_ctx *list = ctx;
	struct symbol sym;

	if (symbols_by_name(list->resolver->opts.symbols, func->module, func->name, 0, &sym) ||
	    is_freed(list->resolver, sym.addr))
		return 0;
	return list->visit(func->module, func->name, func->ret,
			   probeable_kinds(list->probeable, func, sym.addr), list->ctx);
}

static int list_tracepoint(const char *category, const char *name, void *ctx)
{
	struct list_ctx *list = ctx;
	unsigned int raw = has_raw(category) ? 1u << TRIGGER_RAWTRACEPOINT : 0;

	return list->visit(category, name, RETURN_NONE, 1u << TRIGGER_TRACEPOINT | raw, list->ctx);
}

/* What stands before the last colon of GLOB, MODULE:GLOB or tracepoint:CATEGORY:GLOB. */
static int split_list_glob(const char *glob, struct list_ctx *list, char **ret_group,
			   bool *ret_tracepoints)
{
	const char *colon = strrchr(glob, ':');
	const char *group = glob;

	list->glob = colon ? colon + 1 : glob;
	*ret_tracepoints = colon && !strncmp(glob, "tracepoint:", 11);
	if (*ret_tracepoints)
		group = glob + 11 > colon ? colon : glob + 11;
	*ret_group = colon && group < colon ? strndup(group, (size_t)(colon - group)) : NULL;
	return colon && group < colon && !*ret_group ? -ENOMEM : 0;
}

/* Where the table cannot be read all are listed: arming says what the kernel refuses. */
static int read_jump_table(struct resolver *resolver, struct probeable *probeable)
{
	uint64_t addr = symbols_single(resolver->opts.symbols, SYMBOLS_JUMP_TABLE);
	uint64_t end = symbols_single(resolver->opts.symbols, SYMBOLS_JUMP_TABLE_END);
	_cleanup_free_ void *table = NULL;
	struct text_source source;
	struct text *text;
	int err = 0;

	if (!addr || end <= addr || end - addr > JUMP_TABLE_MAX || text_live_open(NULL, &text))
		return 0;
	source = text_source(text);
	table = malloc(end - addr);
	if (!table)
		err = -ENOMEM;
	else if (!source.read(source.ctx, addr, table, end - addr))
		err = probeable_add_jump_table(probeable, table, end - addr, addr);
	text_close(text);
	return err;
}

int resolver_list(struct resolver *resolver, const char *glob, resolver_visit_fn *visit, void *ctx)
{
	struct list_ctx list = {.visit = visit, .resolver = resolver, .ctx = ctx};
	_cleanup_free_ char *group = NULL;
	bool tracepoints;
	int err = split_list_glob(glob, &list, &group, &tracepoints);

	if (!err && !tracepoints)
		err = probeable_open(&list.probeable);
	if (!err && !tracepoints)
		err = read_jump_table(resolver, list.probeable);
	if (!err && !tracepoints)
		err = functions_for_each(resolver->funcs, group, list.glob, list_function, &list);
	probeable_destroy(list.probeable);
	if (err || (group && !tracepoints))
		return err;
	err = for_each_tracepoint(group ?: "*", list.glob, list_tracepoint, &list);
	return err == -ENODEV ? 0 : err;
}
