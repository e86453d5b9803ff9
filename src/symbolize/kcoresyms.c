// SPDX-License-Identifier: GPL-2.0
/* kcoresyms.c - the running kernel's symbols, out of its memory (/proc/kcore) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/ksymtable.h"
#include "symbolize/symbols.h"
#include "symbolize/text/text.h"
#include "util/cleanup.h"

struct kcoresyms {
	struct text *text;
	struct ksymtable at;
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

int kcoresyms_read(struct kcoresyms *kcore, struct symbols_reading *reading, const struct btf *btf,
		   size_t *ret_modules)
{
	struct text_source memory = text_source(kcore->text);
	struct ksym_modules modules = {0};
	uint64_t list;
	int err = ksymtable_for_each(memory, &kcore->at, symbols_take_visited, reading);

	if (err)
		return err;
	/* A kernel without modules has no list of them. */
	list = symbols_single(reading->syms, SYMBOLS_MODULES);
	if (list || reading->tab->module_count > 1)
		err = ksym_modules_for_each(memory, list, btf, symbols_take_visited, reading,
					    &modules);
	*ret_modules = modules.visited;
	return err ?: modules.failed ? -EFAULT : 0;
}
