// SPDX-License-Identifier: GPL-2.0
#include "compare/branch_key.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg/code.h"
#include "disasm/insn.h"

/* From here on addresses are the kernel's: no two builds have the same ones. */
#define KERNEL_ADDRESSES 0xffff800000000000u
/* A test looks at flags that were set a few instructions before it. */
#define SETTER_INSNS  16
#define CONDITION_LEN 128

/* The end of an operand in registers or memory, or NULL: it is none. */
static const char *operand_end(const char *text)
{
	const char *at = text, *close;
	char *end;

	if (*at == '%' && (isalnum((unsigned char)at[1]))) {
		at++;
		while (isalnum((unsigned char)*at))
			at++;
		/* A segment's register stands before an address. */
		return *at == ':' ? operand_end(at + 1)
					    ?: at + 1 + strspn(at + 1, "-0x123456789abcdef")
				  : at;
	}
	if (*at == '-' || isdigit((unsigned char)*at)) {
		uint64_t number = strtoull(at, &end, 0);

		if (*end != '(')
			return *at != '-' && number >= KERNEL_ADDRESSES && number < (uint64_t)-4096
				       ? end
				       : NULL;
		at = end;
	}
	/* A place in memory without a register: "(0xffffffff81000207)". */
	if (at[0] == '(' && isdigit((unsigned char)at[1]) &&
	    strtoull(at + 1, &end, 0) >= KERNEL_ADDRESSES && *end == ')')
		return end + 1;
	/* "(%dl & 2)" has blanks, and "(%rax,%rbx,8)" none. */
	if (at[0] != '(' || (at[1] != '%' && at[1] != ','))
		return NULL;
	close = strchr(at, ')');
	return close && !memchr(at, ' ', (size_t)(close - at)) ? close + 1 : NULL;
}

static int plain_operands(const char *condition, char *buf, size_t len)
{
	size_t used = 0;

	for (const char *at = condition, *end; *at; at = end) {
		bool begins = at == condition || strchr(" (", at[-1]);

		if (used + 2 > len)
			return -ENOENT;
		end = begins ? operand_end(at) : NULL;
		buf[used++] = end ? 'x' : *at;
		end = end ?: at + 1;
	}
	buf[used] = '\0';
	return 0;
}

/* "x <= 5" is "x < 6": @number and what stands behind it, appended. False: no room, or none. */
static bool put_next_number(const char *number, char *buf, size_t len)
{
	bool negative = number[0] == '-', hex = number[0] == '0' && number[1] == 'x';
	size_t used = strlen(buf);
	char *end;
	uint64_t value = strtoull(number, &end, 0);
	int wrote;

	if (end == number || value == UINT64_MAX)
		return false;
	if (negative)
		wrote = snprintf(buf + used, len - used, "%" PRId64 "%s", (int64_t)value + 1, end);
	else
		wrote = snprintf(buf + used, len - used,
				 hex || value >= 4095 ? "%#" PRIx64 "%s" : "%" PRIu64 "%s",
				 value + 1, end);
	return wrote > 0 && (size_t)wrote < len - used;
}

int branch_condition(const char *condition, char *buf, size_t len, bool *ret_negated)
{
	static const struct {
		const char *relation;
		const char *plain;
		bool negated;
		bool or_equal;
	} relations[] = {
		{" == ", " == ", false, false}, {" != ", " == ", true, false},
		{" >= ", " < ", true, false},	{" <= ", " < ", false, true},
		{" < ", " < ", false, false},	{" > ", " < ", true, true},
	};
	char words[CONDITION_LEN];

	if (plain_operands(condition, words, sizeof(words)))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
		const char *right;
		char *at = strstr(words, relations[i].relation);

		if (!at)
			continue;
		right = at + strlen(relations[i].relation);
		*at = '\0';
		if ((size_t)snprintf(buf, len, "%s%s%s", words, relations[i].plain,
				     relations[i].or_equal ? "" : right) >= len)
			return -ENOENT;
		/* "a <= b" has no number, and is "not b < a". */
		if (relations[i].or_equal && !put_next_number(right, buf, len))
			return -ENOENT;
		*ret_negated = relations[i].negated;
		return 0;
	}
	return -ENOENT;
}

/* "fn@12 fn@30": each line counted from where its function is declared. False: not known. */
static bool chain_words(const struct srcline *chain, int count, char *buf, size_t len)
{
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		int wrote;

		if (!*chain[i].function || !chain[i].line || !chain[i].decl_line)
			return false;
		wrote = snprintf(buf + used, len - used, "%s@%d ", chain[i].function,
				 chain[i].line - chain[i].decl_line);
		if (wrote < 0 || (size_t)wrote >= len - used)
			return false;
		used += (size_t)wrote;
	}
	return count > 0;
}

static void line_keys(const struct branch_code *code, const char *module, const char *condition,
		      struct ranking_keys *ret)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	char words[RANKING_KEY_MAX - CONDITION_LEN];
	int count;

	if (!code->lines || !code->lines_addr)
		return;
	count = lines_find(code->lines, module, code->lines_addr, false, chain, INLINE_DEPTH_MAX);
	if (chain_words(chain, count, words, sizeof(words)))
		snprintf(ret->chain, sizeof(ret->chain), "%s%s", words, condition);
	if (count > 0 && chain_words(chain, 1, words, sizeof(words)))
		snprintf(ret->line, sizeof(ret->line), "%s%s", words, condition);
}

/* Of the branch at @index the condition that it is taken at; -ENOENT: not known. */
static int condition_at(const struct code *code, size_t index, char *buf, size_t len)
{
	const struct insn *branch = &code->insns[index];
	char words[CONDITION_LEN];
	bool negated;

	for (size_t i = index; i > 0 && index - i < SETTER_INSNS; i--) {
		const struct insn *in = &code->insns[i - 1];

		if (in->addr + in->len != code->insns[i].addr ||
		    (in->class != INSN_OTHER && in->class != INSN_COND))
			return -ENOENT;
		if (!(in->flags_written & branch->flags_read))
			continue;
		return insn_condition(code_bytes(code, in), in->len, in->addr,
				      code_bytes(code, branch), branch->len, true, words,
				      sizeof(words))
			       ?: branch_condition(words, buf, len, &negated);
	}
	return -ENOENT;
}

/* Does no other branch of its function ask the same? One whose condition is not known may. */
static int find_single(const struct branch_code *where, const char *condition, bool *ret_single)
{
	char words[CONDITION_LEN];
	struct symbol sym;
	struct code *code;
	int err;

	*ret_single = false;
	if (symbols_find(where->symbols, where->addr, &sym))
		return 0;
	err = code_load_symbol(where->text, where->symbols, &sym, &code);
	if (err)
		return err == -ENOMEM ? err : 0;
	*ret_single = !code->truncated;
	for (size_t i = 0; i < code->count && *ret_single; i++)
		if (code->insns[i].class == INSN_COND && code->insns[i].addr != where->addr &&
		    !condition_at(code, i, words, sizeof(words)) && !strcmp(words, condition))
			*ret_single = false;
	code_free(code);
	return 0;
}

int branch_keys(const struct branch_code *code, const struct ranking_decision *decision,
		struct ranking_keys *ret)
{
	char condition[CONDITION_LEN];
	bool single;
	int err;

	if (branch_condition(decision->condition, condition, sizeof(condition), &ret->negated))
		return 0;
	ret->negated = ret->negated == decision->taken;
	line_keys(code, decision->place.module, condition, ret);
	err = find_single(code, condition, &single);
	if (!err && single)
		/* What GCC appends, as .isra.0, differs. */
		snprintf(ret->condition, sizeof(ret->condition), "%s %.*s %s",
			 decision->place.module, (int)strcspn(decision->place.function, "."),
			 decision->place.function, condition);
	return err;
}
