// SPDX-License-Identifier: GPL-2.0
/* parse.c - a target as the user wrote it, taken apart: prefix, module, name, offset, line */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/kinds.h"
#include "target/preset.h"
#include "target/target.h"

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
		return errmsg_set(
			msg, -EINVAL,
			"target '%s': '%s' is not a name of a function or tracepoint (byte "
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
			"target '%s': '+%s' is not an offset; write it in bytes, as +16 or +0x10",
			text, plus + 1);
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
		return errmsg_set(msg, -EINVAL, "target '%s': '%s' is not a line of a file", text,
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

static bool is_user_function(const struct target_spec *spec)
{
	return spec->kind == TRIGGER_UPROBE || spec->kind == TRIGGER_URETPROBE;
}

bool target_is_user(const struct target_spec *spec)
{
	const struct preset *preset = spec->preset ? preset_find(spec->name) : NULL;

	return is_user_function(spec) || spec->kind == TRIGGER_PERF || (preset && preset->program);
}

bool target_has_no_result(const struct target_spec *spec)
{
	return spec->preset ||
	       (spec->kind != TRIGGER_NONE && trigger_traits(spec->kind)->value == VALUE_NONE);
}

/* [GROUP:]NAME. @group_glob: GROUP may be a glob; @offset: +OFFSET may stand behind NAME. */
static int parse_name(const char *rest, struct target_spec *spec, bool group_glob, bool offset,
		      struct errmsg *msg)
{
	const char *colon = strchr(rest, ':');
	int err = 0;

	if (colon) {
		spec->module = strndup(rest, colon - rest);
		if (!spec->module)
			return -ENOMEM;
		err = check_name(spec->text, spec->module, group_glob, msg);
	}
	if (err)
		return err;
	spec->name = strdup(colon ? colon + 1 : rest);
	if (!spec->name)
		return -ENOMEM;
	if (offset)
		err = parse_offset(spec->text, spec->name, &spec->offset, msg);
	err = err ?: check_name(spec->text, spec->name, true, msg);
	if (err)
		return err;
	spec->is_glob =
		strpbrk(spec->name, "*?[") || (spec->module && strpbrk(spec->module, "*?["));
	if (spec->is_glob && spec->offset)
		return errmsg_set(msg, -EINVAL,
				  "target '%s': an offset needs one function, not a glob",
				  spec->text);
	return 0;
}

int parse_function(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	return parse_name(rest, spec, false, false, msg);
}

int parse_insn(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	return parse_name(rest, spec, false, true, msg);
}

int parse_breakpoint(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	int err = parse_line(spec->text, rest, spec, msg);

	return err == -ENOENT ? parse_insn(rest, spec, msg) : err;
}

int parse_tracepoint(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	if (strchr(rest, ':'))
		return parse_name(rest, spec, true, false, msg);
	return errmsg_set(msg, -EINVAL,
			  "target '%s': a tracepoint is written tracepoint:CATEGORY:NAME, "
			  "for example tracepoint:syscalls:sys_exit_openat",
			  spec->text);
}

int target_parse(const char *text, struct target_spec *ret_spec, struct errmsg *msg)
{
	const char *rest;
	const struct target_kind *row = target_kind_find(text, &rest);
	struct target_spec spec = {.text = text, .row = row, .kind = row->kind};
	int err = row->parse(rest, &spec, msg);

	if (err)
		target_spec_deinit(&spec);
	else
		*ret_spec = spec;
	return err;
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
