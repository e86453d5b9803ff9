// SPDX-License-Identifier: GPL-2.0
#include "operand/alternatives.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ALTERNATIVES_MAX 2

/* The " or " of "(a or b)"; NULL: the text is no such pair. "(a or b)->f()" is none. */
static const char *find_or(const char *text)
{
	const char *found = NULL;
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == '(') - (*text == ')');
		if (!depth)
			return text[1] ? NULL : found;
		if (depth == 1 && !strncmp(text, " or ", 4))
			found = text;
	}
	return NULL;
}

/**
 * struct parts - what an expression stands for: one, or two of "(a or b)"
 */
struct parts {
	char text[ALTERNATIVES_MAX][CEXPR_MAX];
	size_t count;
};

static void split(const struct cexpr *e, struct parts *ret)
{
	const char *between = find_or(e->text);

	ret->count = between ? 2 : 1;
	snprintf(ret->text[0], sizeof(ret->text[0]), "%s", e->text);
	if (!between)
		return;
	snprintf(ret->text[0], sizeof(ret->text[0]), "%.*s", (int)(between - e->text - 1),
		 e->text + 1);
	snprintf(ret->text[1], sizeof(ret->text[1]), "%.*s", (int)strlen(between + 4) - 1,
		 between + 4);
}

static bool has(const struct parts *parts, const char *text)
{
	for (size_t i = 0; i < parts->count; i++)
		if (!strcmp(parts->text[i], text))
			return true;
	return false;
}

/* "do_it" instead of its address, which is @like: a pointer to a function. */
static bool name_function(struct symbols *symbols, struct cexpr *e, const struct cexpr *like)
{
	struct symbol sym;

	if (like->constant || like->type.class != CTYPE_POINTER ||
	    symbols_find(symbols, (uint64_t)e->value, &sym) || sym.addr != (uint64_t)e->value ||
	    (size_t)snprintf(e->text, sizeof(e->text), "%s", sym.name) >= sizeof(e->text))
		return false;
	e->type = like->type;
	e->constant = false;
	return true;
}

static bool same_type(const struct ctype *a, const struct ctype *b)
{
	return a->image == b->image && a->die == b->die;
}

/* A register that is NULL as one pointer may be reused for another, which is NULL as well: true,
 * and no help. Numbers of one size are the same in all their types. */
static bool comparable(const struct ctype *a, const struct ctype *b)
{
	return a->class != CTYPE_UNKNOWN && a->class == b->class && a->bytes == b->bytes &&
	       (a->class != CTYPE_POINTER || same_type(a, b));
}

int alternatives_join(struct symbols *symbols, struct cexpr *e, const struct cexpr *other)
{
	struct cexpr one = *e, two = *other;
	struct parts parts, more;
	int len;

	if (!strcmp(one.text, two.text))
		return one.type.class == two.type.class && one.type.bytes == two.type.bytes
			       ? 0
			       : -ENOENT;
	if ((one.constant && !name_function(symbols, &one, &two)) ||
	    (two.constant && !name_function(symbols, &two, &one)) ||
	    !comparable(&one.type, &two.type))
		return -ENOENT;
	split(&one, &parts);
	split(&two, &more);
	for (size_t i = 0; i < more.count; i++) {
		if (has(&parts, more.text[i]))
			continue;
		if (parts.count == ALTERNATIVES_MAX)
			return -ENOENT;
		memcpy(parts.text[parts.count++], more.text[i], sizeof(parts.text[0]));
	}
	if (!same_type(&one.type, &two.type))
		one.type.image = NULL;
	len = snprintf(one.text, sizeof(one.text), "(%s or %s)", parts.text[0], parts.text[1]);
	if (len < 0 || (size_t)len >= sizeof(one.text))
		return -ENOENT;
	/* There is no one instruction before which it holds. */
	one.at = 0;
	one.compound = false;
	*e = one;
	return 0;
}
