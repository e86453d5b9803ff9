// SPDX-License-Identifier: GPL-2.0
/*
 * ksyms.c - scripts/kallsyms.c's tables, as kernel/kallsyms.c reads them
 *
 * Each name is a length (one byte, or two if the first has its highest bit set) and so many
 * tokens; the first character that they give is the type. Addresses are 32-bit offsets: those
 * below zero count from kallsyms_relative_base, the others are per-CPU offsets; where there is
 * none below zero, all count from that base.
 */
#include "vmcore/ksyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "vmcore/modules.h"

#define COUNT_MAX  2000000u
#define TOKENS	   256
#define TOKEN_MAX  256
#define KSYM_CHARS 1024
#define CHUNK	   DUMP_PAGE_BYTES

struct table {
	struct dump *dump;
	uint64_t names, offsets, base;
	uint32_t count;
	bool negative; /* there are offsets below zero */
	int32_t *offset;
	uint16_t token_at[TOKENS];
	char *tokens;
	size_t tokens_len;
	uint8_t chunk[CHUNK];
	size_t chunk_at, chunk_len;
};

static int refill(struct table *table)
{
	/* The last piece ends where the page ends: what follows need not be there. */
	size_t want = DUMP_PAGE_BYTES - table->names % DUMP_PAGE_BYTES;

	if (dump_read(table->dump, table->names, table->chunk, want))
		return -EFAULT;
	table->names += want;
	table->chunk_at = 0;
	table->chunk_len = want;
	return 0;
}

static int next_byte(struct table *table, uint8_t *ret_byte)
{
	int err = table->chunk_at == table->chunk_len ? refill(table) : 0;

	if (!err)
		*ret_byte = table->chunk[table->chunk_at++];
	return err;
}

static int read_tokens(struct table *table)
{
	uint64_t index, tokens;

	if (dump_symbol(table->dump, "kallsyms_token_index", &index) ||
	    dump_symbol(table->dump, "kallsyms_token_table", &tokens))
		return -ENODATA;
	if (dump_read(table->dump, index, table->token_at, sizeof(table->token_at)))
		return -EFAULT;
	table->tokens_len = table->token_at[TOKENS - 1] + TOKEN_MAX;
	table->tokens = calloc(1, table->tokens_len + 1);
	if (!table->tokens)
		return -ENOMEM;
	return dump_read(table->dump, tokens, table->tokens, table->tokens_len);
}

static int open_table(struct table *table)
{
	uint64_t count_at, base_at;
	int err;

	if (dump_symbol(table->dump, "kallsyms_names", &table->names) ||
	    dump_symbol(table->dump, "kallsyms_offsets", &table->offsets) ||
	    dump_symbol(table->dump, "kallsyms_num_syms", &count_at) ||
	    dump_symbol(table->dump, "kallsyms_relative_base", &base_at))
		return -ENODATA;
	if (dump_read_u32(table->dump, count_at, &table->count) ||
	    dump_read_u64(table->dump, base_at, &table->base))
		return -EFAULT;
	if (!table->count || table->count > COUNT_MAX)
		return -EBADMSG;
	err = read_tokens(table);
	if (err)
		return err;
	table->offset = calloc(table->count, sizeof(*table->offset));
	if (!table->offset)
		return -ENOMEM;
	if (dump_read(table->dump, table->offsets, table->offset,
		      table->count * sizeof(*table->offset)))
		return -EFAULT;
	for (uint32_t i = 0; i < table->count && !table->negative; i++)
		table->negative = table->offset[i] < 0;
	return 0;
}

/* Type and name of the next symbol, "Tname". */
static int next_name(struct table *table, char name[KSYM_CHARS])
{
	uint32_t len, at = 0;
	uint8_t byte = 0;
	int err = next_byte(table, &byte);

	len = byte;
	if (!err && byte & 0x80) {
		err = next_byte(table, &byte);
		len = (len & 0x7f) | (uint32_t)byte << 7;
	}
	for (uint32_t i = 0; i < len && !err; i++) {
		const char *token;

		err = next_byte(table, &byte);
		if (err || table->token_at[byte] >= table->tokens_len)
			return err ?: -EBADMSG;
		for (token = table->tokens + table->token_at[byte]; *token; token++) {
			if (at + 1 >= KSYM_CHARS)
				return -EBADMSG;
			name[at++] = *token;
		}
	}
	name[at] = '\0';
	return err ?: at < 2 ? -EBADMSG : 0;
}

static uint64_t address_of(const struct table *table, uint32_t i)
{
	int32_t offset = table->offset[i];

	if (!table->negative)
		return table->base + (uint32_t)offset;
	return offset < 0 ? table->base - 1 - (int64_t)offset : (uint64_t)offset;
}

/* Calls @visit for each; non-zero ends it. */
static int for_each(struct dump *dump, int (*visit)(uint64_t addr, const char *name, void *ctx),
		    void *ctx)
{
	struct table *table = calloc(1, sizeof(*table));
	char name[KSYM_CHARS];
	int err;

	if (!table)
		return -ENOMEM;
	table->dump = dump;
	err = open_table(table);
	for (uint32_t i = 0; !err && i < table->count; i++) {
		err = next_name(table, name);
		err = err ?: visit(address_of(table, i), name, ctx);
	}
	free(table->tokens);
	free(table->offset);
	free(table);
	return err;
}

struct writing {
	FILE *out;
	struct modules_at at;
};

static void keep_address(struct modules_at *at, const char *name, uint64_t addr)
{
	if (!strcmp(name, "modules"))
		at->list = addr;
	else if (!strcmp(name, "__start_BTF"))
		at->btf_start = addr;
	else if (!strcmp(name, "__stop_BTF"))
		at->btf_stop = addr;
}

static int write_line(uint64_t addr, const char *name, void *ctx)
{
	struct writing *writing = ctx;

	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return -EBADMSG;
	keep_address(&writing->at, name + 1, addr);
	return fprintf(writing->out, "%016llx %c %s\n", (unsigned long long)addr, name[0],
		       name + 1) < 0
		       ? -ENOMEM
		       : 0;
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
		ret_modules->err = modules_write(dump, &writing.at, out, &ret_modules->failed);
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

static int find_name(uint64_t addr, const char *name, void *ctx)
{
	struct find *find = ctx;

	for (size_t i = 0; i < find->count; i++) {
		if (find->wanted[i].addr || strcmp(name + 1, find->wanted[i].name))
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
