// SPDX-License-Identifier: GPL-2.0
#include "operand/arithmetic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "operand/value.h"

bool arithmetic_is_number(const struct cexpr *e)
{
	return e->constant || e->type.class == CTYPE_SIGNED || e->type.class == CTYPE_UNSIGNED ||
	       e->type.class == CTYPE_BOOL || e->type.class == CTYPE_ENUM;
}

int arithmetic_fit(struct cexpr *e, unsigned int bits)
{
	if (e->constant)
		return 0;
	if (!e->type.bytes || (bits == 64 && e->type.bytes < 8))
		return -ENOENT;
	return value_narrow(e, bits);
}

static void operator_text(char operation, char buf[3])
{
	buf[0] = operation;
	buf[1] = operation == '<' || operation == '>' ? operation : '\0';
	buf[2] = '\0';
}

/* Of a sum the sign says whether it is one; of bits hex says more. */
static void constant_operand(char *operation, int64_t value, unsigned int bits, char *buf,
			     size_t size)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

	if (strchr("|^&", *operation)) {
		snprintf(buf, size, "0x%" PRIx64, (uint64_t)value & mask);
		return;
	}
	if (value < 0 && value != INT64_MIN && strchr("+-", *operation)) {
		*operation = *operation == '+' ? '-' : '+';
		value = -value;
	}
	snprintf(buf, size, value > 4096 ? "0x%" PRIx64 : "%" PRId64, value);
}

/* "1 << b" and "9 - b": what shifts, or is taken from, a constant. */
static int combine_constant(struct cexpr *left, char operation, const struct cexpr *right,
			    unsigned int bits)
{
	int64_t value = left->value;
	char b[CEXPR_MAX + 2], sign[3];
	int len;

	if (right->constant || !arithmetic_is_number(right) || value < 0 ||
	    !strchr("-<", operation))
		return -ENOENT;
	snprintf(b, sizeof(b), right->compound ? "(%s)" : "%s", right->text);
	operator_text(operation, sign);
	*left = (struct cexpr){
		.type = {.class = operation == '<' ? CTYPE_UNSIGNED : right->type.class,
			 .bytes = bits / 8 < 4 ? 4 : bits / 8},
		.compound = operation == '-',
	};
	len = snprintf(left->text, sizeof(left->text),
		       operation == '<'
			       ? (bits == 64 ? "(%" PRId64 "ul %s %s)" : "(%" PRId64 " %s %s)")
		       : value > 4096 ? "0x%" PRIx64 " %s %s"
				      : "%" PRId64 " %s %s",
		       value, sign, b);
	return len < 0 || (size_t)len >= sizeof(left->text) ? -ENOENT : 0;
}

int arithmetic_combine(struct cexpr *left, char operation, const struct cexpr *right,
		       unsigned int bits)
{
	char a[CEXPR_MAX + 8], b[CEXPR_MAX + 2], sign[3];
	uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
	bool enclosed = !strchr("+-", operation);
	int len;

	if (left->constant)
		return combine_constant(left, operation, right, bits);
	if (!arithmetic_is_number(left) || !arithmetic_is_number(right))
		return -ENOENT;
	/* SHR shifts zeros in. */
	snprintf(a, sizeof(a), left->compound ? "(%s)" : "%s", left->text);
	if (operation == '>' && left->type.class == CTYPE_SIGNED)
		snprintf(a, sizeof(a), left->compound ? "(u%u)(%s)" : "(u%u)%s", bits, left->text);
	if (right->constant)
		constant_operand(&operation, right->value, bits, b, sizeof(b));
	else
		snprintf(b, sizeof(b), right->compound ? "(%s)" : "%s", right->text);
	operator_text(operation, sign);
	len = snprintf(left->text, sizeof(left->text), enclosed ? "(%s %s %s)" : "%s %s %s", a,
		       sign, b);
	left->compound = !enclosed;
	/* Names of values are those of a whole variable. */
	left->type.image = NULL;
	if (strchr("&|^<>", operation) || left->type.class != CTYPE_SIGNED)
		left->type.class = CTYPE_UNSIGNED;
	left->type.bytes = bits / 8 < 4 ? 4 : bits / 8;
	/* What is left behind a mask fits into less. */
	if (operation == '&' && right->constant && (mask & (uint64_t)right->value) <= UINT16_MAX)
		left->type.bytes = (mask & (uint64_t)right->value) <= UINT8_MAX ? 1 : 2;
	return len < 0 || (size_t)len >= sizeof(left->text) ? -ENOENT : 0;
}
