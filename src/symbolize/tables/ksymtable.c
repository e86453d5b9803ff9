// SPDX-License-Identifier: GPL-2.0
/*
 * ksymtable.c - scripts/kallsyms.c's tables, as kernel/kallsyms.c reads them
 *
 * Each name is a length (one byte, or two if the first has its highest bit set) and so many
 * tokens; the first character that they give is the type. Addresses are 32-bit offsets: those
 * below zero count from kallsyms_relative_base, the others are per-CPU offsets; where there is
 * none below zero, all count from that base.
 */
#include "symbolize/tables/ksymtable.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX   2000000u
#define TOKENS	    256
#define TOKEN_MAX   256
#define KSYM_CHARS  1024
#define CHUNK_BYTES 4096
#define TOKEN_WORD  8

struct table {
	struct text_source memory;
	uint64_t names, base;
	uint32_t count;
	bool negative; /* there are offsets below zero */
	int32_t *offset;
	uint16_t token_at[TOKENS];
	uint16_t token_len[TOKENS];
	char token_word[TOKENS][TOKEN_WORD]; /* the first bytes of each */
	char *tokens;
	size_t tokens_len;
	uint8_t chunk[CHUNK_BYTES];
	size_t chunk_at, chunk_len;
};

static int read_at(const struct table *table, uint64_t addr, void *buf, size_t len)
{
	return table->memory.read(table->memory.ctx, addr, buf, len) ? -EFAULT : 0;
}

static int refill(struct table *table)
{
	/* The last piece ends where the page ends: what follows need not be there. */
	size_t want = CHUNK_BYTES - table->names % CHUNK_BYTES;

	if (read_at(table, table->names, table->chunk, want))
		return -EFAULT;
	table->names += want;
	table->chunk_at = 0;
	table->chunk_len = want;
	return 0;
}

static inline int next_byte(struct table *table, uint8_t *ret_byte)
{
	int err = table->chunk_at == table->chunk_len ? refill(table) : 0;

	if (!err)
		*ret_byte = table->chunk[table->chunk_at++];
	return err;
}

/* The table of tokens ends on some page; what is behind its last token need not be there. */
static int read_last_token(struct table *table, uint64_t addr)
{
	size_t at = table->token_at[TOKENS - 1];

	while (at + 1 < table->tokens_len) {
		if (read_at(table, addr + at, table->tokens + at, 1))
			return -EFAULT;
		if (!table->tokens[at++])
			return 0;
	}
	return -EBADMSG;
}

/* Names are put together of tokens alone: if these can be printed, so can all names. */
static int measure_tokens(struct table *table)
{
	for (size_t i = 0; i < TOKENS; i++) {
		const char *token = table->tokens + table->token_at[i];

		if (table->token_at[i] >= table->tokens_len)
			return -EBADMSG;
		table->token_len[i] = (uint16_t)strlen(token);
		memcpy(table->token_word[i], token, strnlen(token, TOKEN_WORD));
		for (const char *c = token; *c; c++)
			if (*c <= ' ' || *c >= 0x7f)
				return -EBADMSG;
	}
	return 0;
}

static int read_tokens(struct table *table, const struct ksymtable *at)
{
	size_t whole;
	int err;

	if (read_at(table, at->token_index, table->token_at, sizeof(table->token_at)))
		return -EFAULT;
	whole = table->token_at[TOKENS - 1];
	table->tokens_len = whole + TOKEN_MAX;
	table->tokens = calloc(1, table->tokens_len + 1);
	if (!table->tokens)
		return -ENOMEM;
	if (read_at(table, at->token_table, table->tokens, whole))
		return -EFAULT;
	err = read_last_token(table, at->token_table);
	return err ?: measure_tokens(table);
}

static int open_table(struct table *table, const struct ksymtable *at)
{
	int err;

	if (read_at(table, at->num_syms, &table->count, sizeof(table->count)) ||
	    read_at(table, at->relative_base, &table->base, sizeof(table->base)))
		return -EFAULT;
	if (!table->count || table->count > COUNT_MAX)
		return -EBADMSG;
	err = read_tokens(table, at);
	if (err)
		return err;
	table->offset = calloc(table->count, sizeof(*table->offset));
	if (!table->offset)
		return -ENOMEM;
	if (read_at(table, at->offsets, table->offset, table->count * sizeof(*table->offset)))
		return -EFAULT;
	for (uint32_t i = 0; i < table->count && !table->negative; i++)
		table->negative = table->offset[i] < 0;
	table->names = at->names;
	return 0;
}

/*
 * @tokens tokens, which are in the chunk, behind the @len characters of @name. Returns how many
 * characters there are then, or KSYM_CHARS: too many.
 */
static size_t add_tokens(struct table *table, char *name, size_t len, uint32_t tokens)
{
	const uint8_t *bytes = table->chunk + table->chunk_at;

	table->chunk_at += tokens;
	for (uint32_t i = 0; i < tokens; i++) {
		size_t token_len = table->token_len[bytes[i]];

		if (len + token_len >= KSYM_CHARS)
			return KSYM_CHARS;
		/* Nearly all are of two to four characters: a call of memcpy() takes longer. */
		memcpy(name + len, table->token_word[bytes[i]], TOKEN_WORD);
		if (token_len > TOKEN_WORD)
			memcpy(name + len, table->tokens + table->token_at[bytes[i]], token_len);
		len += token_len;
	}
	return len;
}

/* Type and name of the next symbol, "Tname". */
static int next_name(struct table *table, char name[KSYM_CHARS + TOKEN_WORD], size_t *ret_len)
{
	uint32_t tokens;
	size_t len = 0;
	uint8_t byte = 0;
	int err = next_byte(table, &byte);

	tokens = byte;
	if (!err && byte & 0x80) {
		err = next_byte(table, &byte);
		tokens = (tokens & 0x7f) | (uint32_t)byte << 7;
	}
	while (tokens && !err) {
		uint32_t here = (uint32_t)(table->chunk_len - table->chunk_at);

		here = here < tokens ? here : tokens;
		len = add_tokens(table, name, len, here);
		if (len == KSYM_CHARS)
			return -EBADMSG;
		tokens -= here;
		if (tokens)
			err = refill(table);
	}
	name[len] = '\0';
	*ret_len = len;
	return err ?: len < 2 || !isalpha((unsigned char)name[0]) ? -EBADMSG : 0;
}

static uint64_t address_of(const struct table *table, uint32_t i)
{
	int32_t offset = table->offset[i];

	if (!table->negative)
		return table->base + (uint32_t)offset;
	return offset < 0 ? table->base - 1 - (int64_t)offset : (uint64_t)offset;
}

int ksymtable_locate(ksymtable_lookup_fn *lookup, void *ctx, struct ksymtable *ret_table)
{
	if (lookup(ctx, "kallsyms_names", &ret_table->names) ||
	    lookup(ctx, "kallsyms_offsets", &ret_table->offsets) ||
	    lookup(ctx, "kallsyms_num_syms", &ret_table->num_syms) ||
	    lookup(ctx, "kallsyms_relative_base", &ret_table->relative_base) ||
	    lookup(ctx, "kallsyms_token_table", &ret_table->token_table) ||
	    lookup(ctx, "kallsyms_token_index", &ret_table->token_index))
		return -ENODATA;
	return 0;
}

int ksymtable_for_each(struct text_source memory, const struct ksymtable *at, ksym_visit_fn *visit,
		       void *ctx)
{
	struct table *table = calloc(1, sizeof(*table));
	char name[KSYM_CHARS + TOKEN_WORD];
	size_t len = 0;
	int err;

	if (!table)
		return -ENOMEM;
	table->memory = memory;
	err = open_table(table, at);
	for (uint32_t i = 0; !err && i < table->count; i++) {
		err = next_name(table, name, &len);
		err = err ?: visit(address_of(table, i), name[0], name + 1, len - 1, "", ctx);
	}
	free(table->tokens);
	free(table->offset);
	free(table);
	return err;
}
