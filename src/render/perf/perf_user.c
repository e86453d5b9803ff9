// SPDX-License-Identifier: GPL-2.0
#include "render/perf/perf_user.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "render/perf/text_elf.h"
#include "util/address.h"
#include "util/vector.h"

#define PAGE_MASK (~(uint64_t)(TEXT_ELF_PAGE_BYTES - 1))
/* Of one process or another; further ones have no names in perf. */
#define PAGES_MAX (1u << 20)
#define FILES_MAX 1024u

/** struct page - that a process had a branch from or to */
struct page {
	uint64_t addr;
	uint32_t pid;
};

/** struct file - @name: as the capture has it, "" where it tells none */
struct file {
	const char *name;
	char path[PATH_MAX];
	struct text_elf elf;
};

struct perf_user {
	struct page *pages;
	size_t count;
	size_t room;
	struct page last;
	struct symbols *symbols;
	struct file *files;
	size_t file_count;
};

struct perf_user *perf_user_create(void)
{
	return calloc(1, sizeof(struct perf_user));
}

static int compare_pages(const void *a, const void *b)
{
	const struct page *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void drop_copies(struct perf_user *user)
{
	size_t kept = 0;

	if (!user->count)
		return;
	qsort(user->pages, user->count, sizeof(*user->pages), compare_pages);
	for (size_t i = 0; i < user->count; i++)
		if (!i || compare_pages(&user->pages[kept - 1], &user->pages[i]))
			user->pages[kept++] = user->pages[i];
	user->count = kept;
}

static int make_room(struct perf_user *user)
{
	size_t room = user->room ? 2 * user->room : 1024;
	struct page *pages;

	drop_copies(user);
	if (user->count <= user->room / 2 && user->room)
		return 0;
	pages = reallocarray(user->pages, room, sizeof(*pages));
	if (!pages)
		return -ENOMEM;
	user->pages = pages;
	user->room = room;
	return 0;
}

static int saw_page(struct perf_user *user, uint32_t pid, uint64_t addr)
{
	struct page page = {addr & PAGE_MASK, pid};
	int err;

	if (address_is_kernel(addr) || !compare_pages(&page, &user->last))
		return 0;
	if (user->count == user->room) {
		err = make_room(user);
		if (err)
			return err;
		if (user->count >= PAGES_MAX)
			return 0;
	}
	user->last = page;
	user->pages[user->count++] = page;
	return 0;
}

int perf_user_saw(struct perf_user *user, const struct snapshot *snap)
{
	int err;

	if (!trigger_is_user(snap->trigger))
		return 0;
	err = saw_page(user, snap->pid, snap->ip);
	for (uint32_t i = 0; i < snap->count && !err; i++) {
		err = saw_page(user, snap->pid, snap->branches[i].to);
		err = err ?: saw_page(user, snap->pid, snap->branches[i].from);
	}
	return err;
}

static struct file *file_of(struct perf_user *user, uint64_t page)
{
	struct symbol sym;
	const char *name = "";

	if (!symbols_overlapping(user->symbols, page, TEXT_ELF_PAGE_BYTES, &sym))
		name = sym.module;
	for (size_t i = user->file_count; i-- > 0;)
		if (!strcmp(user->files[i].name, name))
			return &user->files[i];
	if (user->file_count >= FILES_MAX)
		return NULL;
	if (vector_grow(&user->files, user->file_count, sizeof(*user->files)))
		return NULL;
	user->files[user->file_count] = (struct file){.name = name, .elf = {.by_offset = true}};
	return &user->files[user->file_count++];
}

static int add_text(uint64_t addr, const uint8_t *bytes, size_t len, void *ctx)
{
	uint64_t start = addr & PAGE_MASK, end = ((addr + len - 1) | ~PAGE_MASK) + 1;
	struct perf_user *user = ctx;
	struct text_run *last;
	struct file *file;

	(void)bytes;
	if (address_is_kernel(addr))
		return 1; /* in address order: there are no others */
	file = file_of(user, start);
	if (!file)
		return user->file_count < FILES_MAX ? -ENOMEM : 0;
	last = file->elf.count ? &file->elf.runs[file->elf.count - 1] : NULL;
	if (!last || start > last->end)
		return text_elf_add_run(&file->elf, start, end);
	last->end = end > last->end ? end : last->end;
	return 0;
}

static int visit_symbol(const struct symbol *sym, void *ctx)
{
	struct text_elf *elf = ctx;

	return text_elf_find(elf, sym->addr)
		       ? text_elf_add_symbol(elf, sym->name, sym->addr, sym->size)
		       : 0;
}

/* A name out of a capture is no path, and nothing hidden. */
static int write_file(struct perf_user *user, struct file *file, const char *dir,
		      struct textstore *text)
{
	const char *name = *file->name ? file->name : "unknown";
	int err, len = snprintf(file->path, sizeof(file->path), "%s/user/%s%s", dir,
				*name == '.' ? "_" : "", name);

	if (len >= (int)sizeof(file->path) || strchr(name, '/'))
		return -ENAMETOOLONG;
	text_elf_place(&file->elf);
	err = symbols_for_each(user->symbols, visit_symbol, &file->elf);
	return err ?: text_elf_write(&file->elf, file->path, NULL, text);
}

/* Each run once for each process that was in it: pages are in order. */
static void tell_maps(struct perf_user *user, struct file *file, perf_user_map_fn *on_map,
		      void *ctx)
{
	const struct text_run *told = NULL;

	for (size_t i = 0; i < user->count; i++) {
		const struct page *page = &user->pages[i];
		const struct text_run *run = text_elf_find(&file->elf, page->addr);
		struct perf_user_map map = {.pid = page->pid, .path = file->path};

		if (i && page->pid != page[-1].pid)
			told = NULL;
		if (!run || run == told)
			continue;
		told = run;
		map.addr = run->start;
		map.len = run->end - run->start;
		map.offset = run->offset;
		on_map(&map, ctx);
	}
}

int perf_user_write(struct perf_user *user, const char *dir, struct symbols *symbols,
		    struct textstore *text, perf_user_map_fn *on_map, void *ctx)
{
	char full[PATH_MAX], path[PATH_MAX];
	int err;

	drop_copies(user);
	user->symbols = symbols;
	err = user->count ? textstore_for_each(text, add_text, user) : 0;
	if (err < 0 || !user->file_count)
		return err < 0 ? err : 0;
	if (!realpath(dir, full))
		return -errno;
	if (snprintf(path, sizeof(path), "%s/user", full) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	err = 0;
	for (size_t i = 0; i < user->file_count && !err; i++) {
		err = write_file(user, &user->files[i], full, text);
		if (!err)
			tell_maps(user, &user->files[i], on_map, ctx);
	}
	return err;
}

void perf_user_destroy(struct perf_user *user)
{
	if (!user)
		return;
	for (size_t i = 0; i < user->file_count; i++)
		text_elf_deinit(&user->files[i].elf);
	free(user->files);
	free(user->pages);
	free(user);
}
