// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/perf_event.h"
#include "target/preset.h"
#include "target/target.h"
#include "target/user.h"
#include "util/cleanup.h"

struct prefix {
	const char *name;
	enum trigger_kind kind;
};

static const struct prefix prefixes[] = {
	{"fentry", TRIGGER_FENTRY},	  {"fexit", TRIGGER_FEXIT},
	{"kfunc", TRIGGER_FENTRY},				 /* bpftrace's word */
	{"kretfunc", TRIGGER_FEXIT},				 /* bpftrace's word */
	{"kprobe", TRIGGER_KPROBE},	  {"k", TRIGGER_KPROBE}, /* bpftrace's short form */
	{"kretprobe", TRIGGER_KRETPROBE}, {"kr", TRIGGER_KRETPROBE},
	{"kprobe.multi", TRIGGER_MULTI},  {"tracepoint", TRIGGER_TRACEPOINT},
	{"t", TRIGGER_TRACEPOINT},	  {"rawtracepoint", TRIGGER_RAWTRACEPOINT},
	{"rt", TRIGGER_RAWTRACEPOINT},	  {"hw", TRIGGER_HW},
	{"uprobe", TRIGGER_UPROBE},	  {"u", TRIGGER_UPROBE},
	{"uretprobe", TRIGGER_URETPROBE}, {"ur", TRIGGER_URETPROBE},
};

static bool has_prefix(const char *text, const char *name, const char **ret_rest)
{
	size_t len = strlen(name);

	if (strncmp(text, name, len) || text[len] != ':')
		return false;
	*ret_rest = text + len + 1;
	return true;
}

static int check_name(const char *text, const char *name, bool allow_glob, struct errmsg *msg)
{
	size_t len = strlen(name);

	if (!len)
		return errmsg_set(msg, -EINVAL, "target '%s': no name in it", text);
	if (len > 255)
		return errmsg_set(msg, -EINVAL,
				  "target '%.40s...': the name is %zu bytes long, no symbol of the "
				  "kernel is longer than 255",
				  text, len);
	for (const char *p = name; *p; p++) {
		bool glob = strchr("*?[]!^-", *p);

		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= '0' && *p <= '9') || *p == '_' || *p == '.' || *p == '$' ||
		    (glob && allow_glob))
			continue;
		return errmsg_set(msg, -EINVAL,
				  "target '%s': '%s' is no name of a function or tracepoint (byte "
				  "0x%02x at position %td)",
				  text, name, (unsigned char)*p, p - name);
	}
	return 0;
}

static int parse_offset(const char *text, char *name, uint64_t *ret_offset, struct errmsg *msg)
{
	char *plus = strchr(name, '+');
	char *end;

	*ret_offset = 0;
	if (!plus)
		return 0;
	*plus = 0;
	errno = 0;
	*ret_offset = strtoull(plus + 1, &end, 0);
	if (plus[1] < '0' || plus[1] > '9' || *end || errno || *ret_offset > 1 << 24)
		return errmsg_set(
			msg, -EINVAL,
			"target '%s': '+%s' is no offset; write it in bytes, as +16 or +0x10", text,
			plus + 1);
	return 0;
}

/*
 * FILE:LINE or MODULE:FILE:LINE, as ["module", ":"] name ":" digits, where the name holds '/' or
 * '.'. 0 and *ret_spec's file and line; -ENOENT if it is none; -EINVAL.
 */
static int parse_line(const char *text, const char *rest, struct target_spec *spec,
		      struct errmsg *msg)
{
	const char *colon = strrchr(rest, ':'), *file = rest;
	char *end;
	long line;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return -ENOENT;
	errno = 0;
	line = strtol(colon + 1, &end, 10);
	if (*end)
		return -ENOENT;
	for (const char *p = rest; p < colon; p++)
		if (*p == ':')
			file = p + 1;
	if (!memchr(file, '/', colon - file) && !memchr(file, '.', colon - file))
		return -ENOENT;
	if (errno || line < 1 || line > 10000000)
		return errmsg_set(msg, -EINVAL, "target '%s': '%s' is no line of a file", text,
				  colon + 1);
	if (file > rest) {
		spec->module = strndup(rest, file - rest - 1);
		if (!spec->module)
			return -ENOMEM;
	}
	spec->file = strndup(file, colon - file);
	spec->line = line;
	return spec->file ? 0 : -ENOMEM;
}

bool target_needs_lines(const struct target_spec *spec)
{
	return spec->file;
}

bool target_is_user_function(const struct target_spec *spec)
{
	return spec->kind == TRIGGER_UPROBE || spec->kind == TRIGGER_URETPROBE;
}

bool target_is_user(const struct target_spec *spec)
{
	const struct preset *preset = spec->preset ? preset_find(spec->name) : NULL;

	return target_is_user_function(spec) || spec->kind == TRIGGER_PERF ||
	       (preset && preset->program);
}

static bool kind_takes_offset(enum trigger_kind kind)
{
	return kind == TRIGGER_KPROBE || kind == TRIGGER_HW;
}

/* What a parser of one kind has filled goes to the caller, or is freed. */
static int handed_on(int err, struct target_spec *spec, struct target_spec *ret_spec)
{
	if (err)
		target_spec_deinit(spec);
	else
		*ret_spec = *spec;
	return err;
}

int target_parse(const char *text, struct target_spec *ret_spec, struct errmsg *msg)
{
	struct target_spec spec = {.text = text, .kind = TRIGGER_NONE};
	_cleanup_free_ char *module = NULL, *name = NULL;
	const char *rest = text;
	char *colon;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (has_prefix(text, prefixes[i].name, &rest)) {
			spec.kind = prefixes[i].kind;
			break;
		}

	if (target_is_user_function(&spec))
		return handed_on(user_parse(rest, &spec, msg), &spec, ret_spec);
	if (has_prefix(text, "preset", &rest))
		return handed_on(preset_parse(rest, &spec, msg), &spec, ret_spec);
	if (has_prefix(text, "perf", &rest))
		return handed_on(perf_event_parse(rest, &spec, msg), &spec, ret_spec);
	if (spec.kind == TRIGGER_HW) {
		err = handed_on(parse_line(text, rest, &spec, msg), &spec, ret_spec);
		if (err != -ENOENT)
			return err;
	}
	name = strdup(rest);
	if (!name)
		return -ENOMEM;
	colon = strchr(name, ':');
	if (colon) {
		*colon = 0;
		module = name;
		name = strdup(colon + 1);
		if (!name)
			return -ENOMEM;
		err = check_name(text, module, spec.kind == TRIGGER_TRACEPOINT, msg);
		if (err)
			return err;
	}
	if (spec.kind == TRIGGER_TRACEPOINT && !module)
		return errmsg_set(msg, -EINVAL,
				  "target '%s': a tracepoint is written tracepoint:CATEGORY:NAME, "
				  "for example tracepoint:syscalls:sys_exit_openat",
				  text);
	if (kind_takes_offset(spec.kind)) {
		err = parse_offset(text, name, &spec.offset, msg);
		if (err)
			return err;
	}
	err = check_name(text, name, true, msg);
	if (err)
		return err;
	spec.is_glob = strpbrk(name, "*?[") || (module && strpbrk(module, "*?["));
	if (spec.is_glob && spec.offset)
		return errmsg_set(msg, -EINVAL,
				  "target '%s': an offset needs one function, not a glob", text);
	spec.module = module;
	spec.name = name;
	module = name = NULL;
	*ret_spec = spec;
	return 0;
}

void target_spec_deinit(struct target_spec *spec)
{
	free(spec->module);
	free(spec->name);
	free(spec->file);
	free(spec->path);
	spec->path = NULL;
	spec->module = spec->name = spec->file = NULL;
}
