// SPDX-License-Identifier: GPL-2.0
/* ksyms.c - the tables of symbolize/ksymtable.h, out of a dump, as lines of /proc/kallsyms */
#include "vmcore/ksyms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "symbolize/ksymtable.h"
#include "util/cleanup.h"
#include "vmcore/kernel_btf.h"

static int lookup(void *ctx, const char *name, uint64_t *ret_addr)
{
	return dump_symbol(ctx, name, ret_addr);
}

static int for_each(struct dump *dump, ksym_visit_fn *visit, void *ctx)
{
	struct ksymtable at;
	int err = ksymtable_locate(lookup, dump, &at);

	return err ?: ksymtable_for_each(dump_text(dump), &at, visit, ctx);
}

struct writing {
	FILE *out;
	uint64_t modules, btf_start, btf_stop;
};

static void keep_address(struct writing *writing, const char *name, uint64_t addr)
{
	if (!strcmp(name, "modules"))
		writing->modules = addr;
	else if (!strcmp(name, "__start_BTF"))
		writing->btf_start = addr;
	else if (!strcmp(name, "__stop_BTF"))
		writing->btf_stop = addr;
}

static int write_line(uint64_t addr, char type, const char *name, size_t len, const char *module,
		      void *ctx)
{
	struct writing *writing = ctx;

	(void)len;
	if (!*module)
		keep_address(writing, name, addr);
	return fprintf(writing->out, *module ? "%016llx %c %s\t[%s]\n" : "%016llx %c %s\n",
		       (unsigned long long)addr, type, name, module) < 0
		       ? -ENOMEM
		       : 0;
}

static int write_modules(struct dump *dump, struct writing *writing, uint32_t *ret_failed)
{
	_cleanup_(kernel_btf_free) struct btf *btf = NULL;
	struct ksym_modules modules = {0};
	int err = kernel_btf_read(dump, writing->btf_start, writing->btf_stop, &btf);

	err = err
		      ?: ksym_modules_for_each(dump_text(dump), writing->modules, btf, write_line,
					       writing, &modules);
	*ret_failed = modules.failed;
	return err;
}

int ksyms_open(struct dump *dump, struct ksyms_modules *ret_modules, struct symbols **ret_symbols)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	_cleanup_fclose_ FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct writing writing = {.out = out};
	char path[64];
	int err;

	if (!out) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	err = for_each(dump, write_line, &writing);
	if (!err)
		ret_modules->err = write_modules(dump, &writing, &ret_modules->failed);
	if (!err && fflush(out))
		err = -ENOMEM;
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = symbols_open(path, ret_symbols);
	return err && err != -ENOMEM ? -EBADMSG : err;
}

struct find {
	struct ksym *wanted;
	size_t count;
	size_t left;
};

static int find_name(uint64_t addr, char type, const char *name, size_t len, const char *module,
		     void *ctx)
{
	struct find *find = ctx;

	(void)type;
	(void)len;
	(void)module;
	for (size_t i = 0; i < find->count; i++) {
		if (find->wanted[i].addr || strcmp(name, find->wanted[i].name))
			continue;
		find->wanted[i].addr = addr;
		find->left--;
	}
	return !find->left;
}

int ksyms_find(struct dump *dump, struct ksym *wanted, size_t count)
{
	struct find find = {.wanted = wanted, .count = count, .left = count};
	int err;

	for (size_t i = 0; i < count; i++)
		wanted[i].addr = 0;
	err = for_each(dump, find_name, &find);
	return err == 1 ? 0 : err;
}
