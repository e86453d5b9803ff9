// SPDX-License-Identifier: GPL-2.0
#include "why/values/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/errno_name.h"

/* Names of general registers in AT&T syntax, by the CPU's number. */
static const char *const names[16][4] = {
	{"%rax", "%eax", "%ax", "%al"},	     {"%rcx", "%ecx", "%cx", "%cl"},
	{"%rdx", "%edx", "%dx", "%dl"},	     {"%rbx", "%ebx", "%bx", "%bl"},
	{"%rsp", "%esp", "%sp", "%spl"},     {"%rbp", "%ebp", "%bp", "%bpl"},
	{"%rsi", "%esi", "%si", "%sil"},     {"%rdi", "%edi", "%di", "%dil"},
	{"%r8", "%r8d", "%r8w", "%r8b"},     {"%r9", "%r9d", "%r9w", "%r9b"},
	{"%r10", "%r10d", "%r10w", "%r10b"}, {"%r11", "%r11d", "%r11w", "%r11b"},
	{"%r12", "%r12d", "%r12w", "%r12b"}, {"%r13", "%r13d", "%r13w", "%r13b"},
	{"%r14", "%r14d", "%r14w", "%r14b"}, {"%r15", "%r15d", "%r15w", "%r15b"},
};

const char *value_register_name(uint8_t reg, int bits)
{
	switch (bits) {
	case 64:
		return names[reg & 15][0];
	case 32:
		return names[reg & 15][1];
	case 16:
		return names[reg & 15][2];
	case 8:
		return names[reg & 15][3];
	default:
		return "";
	}
}

bool value_has_word(const char *text, const char *word)
{
	const char *at = text;
	size_t len = strlen(word);

	while (len && (at = strstr(at, word))) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", at[len]) || !at[len])
			return true;
		at += len;
	}
	return false;
}

/* What is narrower than an int has a sign only if its type says so. */
static int64_t number_of(uint64_t value, int width, const struct ctype *type)
{
	bool has_sign = type && type->class == CTYPE_SIGNED;

	switch (width) {
	case 64:
		return (int64_t)value;
	case 32:
		return (int32_t)value;
	case 16:
		return has_sign ? (int16_t)value : (uint16_t)value;
	default:
		return has_sign ? (int8_t)value : (uint8_t)value;
	}
}

/* What a number below zero is an errno in: the result of a call, or what is called so. */
static bool is_result(const char *name)
{
	static const char *const usual[] = {"err", "error", "ret", "retval", "rc", "res", "result"};
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!strcmp(name, usual[i]))
			return true;
	return len > 2 && !strcmp(name + len - 2, "()");
}

/* What a type says of its values by name: false, NULL, an enumerator, ERR_PTR(). */
static bool named_value(char *buf, size_t size, uint64_t value, int bits, const struct ctype *type)
{
	int64_t number = number_of(value, bits, type);
	const char *err;

	switch (type->class) {
	case CTYPE_BOOL:
		if (value > 1)
			return false;
		snprintf(buf, size, value ? "true" : "false");
		return true;
	case CTYPE_ENUM:
		return !variable_constant(type, number, buf, size);
	case CTYPE_POINTER:
		err = number < 0 && number > -4096 ? errno_name((int)-number) : NULL;
		if (err)
			snprintf(buf, size, "ERR_PTR(-%s)", err);
		else if (!value)
			snprintf(buf, size, "NULL");
		else
			snprintf(buf, size, "0x%" PRIx64, value);
		return true;
	default:
		return false;
	}
}

/* Bits are easier to read in hex, and an errno by its name. */
void value_text(char *buf, size_t size, const char *name, uint64_t value, int bits,
		const struct ctype *type)
{
	int64_t number = number_of(value, bits, type);
	const char *err;

	if (type && named_value(buf, size, value, bits, type))
		return;
	err = number < 0 && number > -4096 && is_result(name) ? errno_name((int)-number) : NULL;
	if (type && type->class == CTYPE_UNSIGNED && number < 0)
		snprintf(buf, size, "0x%" PRIx64, value);
	else if (err)
		snprintf(buf, size, "-%s", err);
	else if (number > -65536 && number < 65536 && !(strstr(name, " & 0x") && number > 9))
		snprintf(buf, size, "%" PRId64, number);
	else
		snprintf(buf, size, "0x%" PRIx64, bits == 64 ? value : (uint64_t)(uint32_t)value);
}

void value_append(char *buf, size_t size, const char *name, uint64_t value, int bits,
		  const struct ctype *type, const char *note)
{
	size_t len = strlen(buf);
	char text[128];
	int more;

	value_text(text, sizeof(text), name, value, bits, type);
	more = snprintf(buf + len, size - len, "%s%s = %s%s", len ? ", " : "", name, text, note);
	if (more < 0 || (size_t)more >= size - len)
		buf[len] = '\0';
}
