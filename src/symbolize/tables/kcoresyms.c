// SPDX-License-Identifier: GPL-2.0
/* kcoresyms.c - the running kernel's symbols, out of its memory (/proc/kcore) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/symbols.h"
#include "symbolize/tables/ksymtable.h"
#include "symbolize/text/text.h"
#include "util/cleanup.h"

struct kcoresyms {
	struct text *text;
	struct ksymtable at;
	struct ksym_layout layout;
};

/* "SYMBOL(name)=ffffffff81000000" in a line of its own, as a kernel address. */
static int find_in_info(void *ctx, const char *name, uint64_t *ret_addr)
{
	char wanted[64];
	const char *line = ctx, *found;

	snprintf(wanted, sizeof(wanted), "SYMBOL(%s)=", name);
	found = strstr(line, wanted);
	if (!found || (found != line && found[-1] != '\n'))
		return -ENOENT;
	*ret_addr = strtoull(found + strlen(wanted), NULL, 16);
	return *ret_addr ? 0 : -ENOENT;
}

struct kcoresyms *kcoresyms_open(const char *path)
{
	struct kcoresyms *kcore = path ? calloc(1, sizeof(*kcore)) : NULL;
	_cleanup_free_ char *info = NULL;

	if (!kcore)
		return NULL;
	if (text_live_open(path, &kcore->text) || text_live_info(kcore->text, &info) ||
	    ksymtable_locate(find_in_info, info, &kcore->at)) {
		kcoresyms_close(kcore);
		return NULL;
	}
	return kcore;
}

void kcoresyms_close(struct kcoresyms *kcore)
{
	if (!kcore)
		return;
	text_close(kcore->text);
	free(kcore);
}

void kcoresyms_describe(struct kcoresyms *kcore, const struct btf *btf)
{
	ksym_layout_read(btf, &kcore->layout);
}

static int read_modules(struct kcoresyms *kcore, struct symbols_reading *reading,
			size_t *ret_modules)
{
	uint64_t list = symbols_single(reading->syms, SYMBOLS_MODULES);
	size_t listed = reading->tab->module_count;
	struct ksym_modules modules = {0};
	int err = 0;

	/* A kernel without modules has no list of them. */
	if (list || reading->tab->module_count > 1)
		err = ksym_modules_for_each(text_source(kcore->text), list, &kcore->layout,
					    symbols_take_visited, symbols_take_text, reading,
					    &modules);
	*ret_modules = modules.visited;
	if (!err && modules.failed)
		return -EFAULT;
	/* One that is not in /proc/modules was added. */
	return err ?: reading->tab->module_count != listed ? -EAGAIN : 0;
}

static int read_generated(struct kcoresyms *kcore, struct symbols_reading *reading)
{
	const struct symbols *syms = reading->syms;
	const struct ksym_generated lists = {
		.bpf_kallsyms = symbols_single(syms, SYMBOLS_BPF_KALLSYMS),
		.ftrace_ops_trampoline_list = symbols_single(syms, SYMBOLS_FTRACE_TRAMPOLINES),
		.kprobe_insn_slots = symbols_single(syms, SYMBOLS_KPROBE_SLOTS),
		.kprobe_optinsn_slots = symbols_single(syms, SYMBOLS_KPROBE_OPT_SLOTS),
	};

	return ksym_generated_for_each(text_source(kcore->text), &lists, &kcore->layout,
				       symbols_take_visited, reading);
}

int kcoresyms_read(struct kcoresyms *kcore, struct symbols_reading *reading, unsigned int parts,
		   size_t *ret_modules)
{
	int err = 0;

	if (parts & KCORESYMS_IMAGE)
		err = ksymtable_for_each(text_source(kcore->text), &kcore->at, symbols_take_visited,
					 reading);
	if (!err && parts & KCORESYMS_MODULES)
		err = read_modules(kcore, reading, ret_modules);
	if (!err && parts & KCORESYMS_GENERATED)
		err = read_generated(kcore, reading);
	/* The next time is when something else is there. */
	text_drop_pages(kcore->text);
	return err;
}
