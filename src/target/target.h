/* SPDX-License-Identifier: GPL-2.0 */
/*
 * target.h - from what the user wrote to the places to arm
 *
 * Syntax: lbrsnoop(8), "TARGETS".
 */
#ifndef LBRSNOOP_TARGET_TARGET_H
#define LBRSNOOP_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"
#include "util/errmsg.h"

struct target_kind;

/**
 * struct target_spec - a target, taken apart
 * @text: as written; borrowed
 * @row: how that is parsed and resolved
 * @kind: TRIGGER_NONE for a plain name: the tool chooses
 * @module: of MODULE:FN, or the category of a tracepoint; NULL if none was given
 * @name: function, tracepoint or glob
 * @offset: of FN+OFF
 * @file, @line: of hw:FILE:LINE, else NULL and 0; @name is NULL then
 * @path: of a user function's file as it was written, else NULL
 * @event: of perf:EVENT, else all zero
 * @preset: @name is one of preset.h, or "all"
 * @is_glob: @name holds *, ? or [
 */
struct target_spec {
	const char *text;
	const struct target_kind *row;
	enum trigger_kind kind;
	char *module;
	char *name;
	uint64_t offset;
	char *file;
	int line;
	char *path;
	struct probe_event event;
	bool preset;
	bool is_glob;
};

/**
 * target_parse() - take a target apart
 * @ret_spec: free with target_spec_deinit(); untouched on failure
 * Return: 0; -EINVAL if it is no target, @msg says why; -ENOMEM.
 */
int target_parse(const char *text, struct target_spec *ret_spec, struct errmsg *msg);

/** target_spec_deinit() - free what target_parse() allocated */
void target_spec_deinit(struct target_spec *spec);

/**
 * struct resolve_options - what the places to arm depend on
 * @symbols: of the kernel to be traced; borrowed; looked at from resolver_add() on
 * @lines: its debug information, for hw:FILE:LINE; NULL if there is none; borrowed
 * @force: TRIGGER_NONE, or the kind that -T asks for
 * @pid: paths of user functions are this process's; 0: our own
 * @debug_dir: searched for debug information of programs, or NULL; borrowed
 * @errors_only: only error returns are wanted: a function that returns none is refused
 * @tracepoints_only: no other targets will come: neither the kernel's types are read nor @symbols
 */
struct resolve_options {
	struct symbols *symbols;
	struct lines *lines;
	enum trigger_kind force;
	uint32_t pid;
	const char *debug_dir;
	bool errors_only;
	bool tracepoints_only;
};

/**
 * struct target_syntax - a kind of target, for those who have to write one
 * @prefix: "fexit:"; "" of plain names
 * @written: "fexit:NAME"
 * @what: it captures, in words
 * @list: word behind "lbrsnoop list" that tells which ones there are; "": a glob of names does
 */
struct target_syntax {
	char prefix[24];
	const char *written;
	const char *what;
	const char *list;
};

/** target_syntax_at() - that of each kind; false behind the last */
bool target_syntax_at(size_t index, struct target_syntax *ret_syntax);

#define TARGET_COLUMNS 3

/** typedef target_row_fn - one target of a list, and what there is to say of it; non-zero stops */
typedef int target_row_fn(const char *const columns[TARGET_COLUMNS], void *ctx);

/**
 * target_list() - the targets of one kind
 * @word: struct target_syntax.list of it
 * Return: what @visit returned; -ENOENT if no kind has a list of that name here.
 */
int target_list(const char *word, target_row_fn *visit, void *ctx, struct errmsg *msg);

/** target_needs_lines() - is debug information needed to resolve it? */
bool target_needs_lines(const struct target_spec *spec);

/** target_is_user() - a user function, a program's error, or an event that finds it at work? */
bool target_is_user(const struct target_spec *spec);

/**
 * target_has_no_result() - does no event of it say whether a call failed?
 * False as well where that is not known before it is resolved: hw:, tracepoint:.
 */
bool target_has_no_result(const struct target_spec *spec);

struct btf;
struct resolver;

/**
 * resolver_create() - read the kernel's BTF
 * Return: 0; -ENOENT if the kernel has no BTF; -ENOMEM. Free with resolver_destroy(), which also
 * closes the BTF file descriptors that probes borrow.
 */
int resolver_create(const struct resolve_options *opts, struct resolver **ret_resolver,
		    struct errmsg *msg);
void resolver_destroy(struct resolver *resolver);

/** resolver_btf() - of the kernel image, NULL if it was not read; valid until resolver_finish() */
const struct btf *resolver_btf(const struct resolver *resolver);

/** resolver_finish() - all is resolved: only what probes borrow stays, until resolver_destroy() */
void resolver_finish(struct resolver *resolver);

/**
 * resolver_add() - find the places that a target means, append them to @list
 * Return: 0; -ENOENT if the name does not exist, @msg then names the nearest that do; -EINVAL if
 * it cannot be traced as asked; -ENOMEM. On success @msg is empty, or names what is left out.
 */
int resolver_add(struct resolver *resolver, const struct target_spec *spec, struct probe_list *list,
		 struct errmsg *msg);

/** resolver_symbol() - a function of the kernel image by its name; 0 or -ENOENT */
int resolver_symbol(struct resolver *resolver, const char *name, struct symbol *ret_sym);

/**
 * typedef resolver_visit_fn - called for each thing that can be traced
 * @kinds: trigger kinds that work for it, one bit (1 << kind) each; 0: none does
 */
typedef int resolver_visit_fn(const char *module, const char *name, enum return_class ret,
			      unsigned int kinds, void *ctx);

/** resolver_list() - every function and tracepoint whose name matches @glob */
int resolver_list(struct resolver *resolver, const char *glob, resolver_visit_fn *visit, void *ctx);

/** tracefs_dir() - where tracefs is mounted, or NULL */
const char *tracefs_dir(void);

#endif
