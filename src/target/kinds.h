/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kinds.h - how users write the kinds of targets, and what each is resolved by: a row for each
 *
 * Internal to target/. Two other tables have a row for each kind of trigger:
 * snapshot/trigger_kind.c and capture/attach.c.
 */
#ifndef LBRSNOOP_TARGET_KINDS_H
#define LBRSNOOP_TARGET_KINDS_H

#include "target/target.h"

#define PREFIXES_MAX 4

/**
 * struct target_kind - one kind of target
 * @prefixes: "fentry" of fentry:FUNCTION; the first is the tool's, the others are bpftrace's words
 * @kind: TRIGGER_NONE: @parse finds out
 * @parse: takes apart what stands behind the prefix; spec->text and spec->kind are set. It frees
 *         nothing
 * @add: appends the probes that the target means
 * @written, @what: as of struct target_syntax
 * @list: likewise; NULL: a glob of names does
 * @for_each: targets of that list; NULL if not this folder, but cmd/list.c tells them
 */
struct target_kind {
	const char *prefixes[PREFIXES_MAX];
	enum trigger_kind kind;
	int (*parse)(const char *rest, struct target_spec *spec, struct errmsg *msg);
	int (*add)(struct resolver *resolver, const struct target_spec *spec,
		   struct probe_list *list, struct errmsg *msg);
	const char *written;
	const char *what;
	const char *list;
	int (*for_each)(target_row_fn *visit, void *ctx, struct errmsg *msg);
};

/**
 * target_kind_find() - the kind of a target by its prefix
 * @ret_rest: what stands behind it; all of @text if there is none
 * Return: the row; that of plain names if @text has no prefix that is known.
 */
const struct target_kind *target_kind_find(const char *text, const char **ret_rest);

/** parse_function() - [MODULE:]NAME */
int parse_function(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** parse_insn() - [MODULE:]NAME[+OFFSET] */
int parse_insn(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** parse_breakpoint() - the same, 0xADDRESS, or [MODULE:]FILE:LINE */
int parse_breakpoint(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** parse_tracepoint() - CATEGORY:NAME */
int parse_tracepoint(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** resolver_add_function() - a function or a glob of the kernel's, by BTF and symbols */
int resolver_add_function(struct resolver *resolver, const struct target_spec *spec,
			  struct probe_list *list, struct errmsg *msg);

/** resolver_add_breakpoint() - the same, an address, or the addresses of a source line */
int resolver_add_breakpoint(struct resolver *resolver, const struct target_spec *spec,
			    struct probe_list *list, struct errmsg *msg);

/** resolver_add_tracepoint() - a tracepoint or a glob of them, by tracefs */
int resolver_add_tracepoint(struct resolver *resolver, const struct target_spec *spec,
			    struct probe_list *list, struct errmsg *msg);

/** resolver_add_user() - a function of a program; see user_add() */
int resolver_add_user(struct resolver *resolver, const struct target_spec *spec,
		      struct probe_list *list, struct errmsg *msg);

/** bpf_program_parse() - NAME or ID of a loaded BPF program */
int bpf_program_parse(const char *rest, struct target_spec *spec, struct errmsg *msg);

/** bpf_program_add() - its return, by fexit: a BPF trampoline serves a program as it does a
 * function */
int bpf_program_add(struct resolver *resolver, const struct target_spec *spec,
		    struct probe_list *list, struct errmsg *msg);

/** bpf_program_for_each() - see target_list(): each that is loaded, and why it cannot be traced */
int bpf_program_for_each(target_row_fn *visit, void *ctx, struct errmsg *msg);

/** resolver_keep_fd() - of a probe.btf_fd: resolver_destroy() closes it; 0, -ENOMEM */
int resolver_keep_fd(struct resolver *resolver, int fd);

#endif
