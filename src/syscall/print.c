// SPDX-License-Identifier: GPL-2.0
#include "syscall/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_char(struct printer *p, char c)
{
	if (p->len + 1 < p->size) {
		p->buf[p->len] = c;
		p->buf[p->len + 1] = '\0';
	}
	p->len++;
}

static void put_string(struct printer *p, const char *text)
{
	if (p->separate && *text) {
		p->separate = false;
		put_string(p, ", ");
	}
	while (*text)
		put_char(p, *text++);
}

void print_text(struct printer *p, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_string(p, text);
}

void print_address(struct printer *p, uint64_t address)
{
	if (address)
		print_text(p, "%#lx", address);
	else
		print_text(p, "NULL");
}

/* In octal: as few digits as can be, all three where another digit follows. */
static void put_octal(struct printer *p, uint8_t c, bool digit_follows)
{
	char text[8];

	snprintf(text, sizeof(text), digit_follows ? "\\%03o" : "\\%o", c);
	put_string(p, text);
}

void print_quoted(struct printer *p, const void *bytes, size_t len)
{
	static const char escapes[256] = {
		['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v',  ['\f'] = 'f',
		['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\',
	};
	const uint8_t *text = bytes;

	put_string(p, "\"");
	for (size_t i = 0; i < len; i++) {
		if (escapes[text[i]]) {
			put_char(p, '\\');
			put_char(p, escapes[text[i]]);
		} else if (text[i] >= ' ' && text[i] < 0x7f) {
			put_char(p, (char)text[i]);
		} else {
			put_octal(p, text[i],
				  i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '7');
		}
	}
	put_char(p, '"');
}

const char *constant_name(const struct constants *names, uint64_t value)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (names->rows[i].value == value)
			return names->rows[i].name;
	return NULL;
}

static void print_unknown(struct printer *p, uint64_t value, const struct constants *names)
{
	print_text(p, "%#lx", value);
	if (names->unknown)
		print_text(p, " /* %s */", names->unknown);
}

void print_choice(struct printer *p, uint64_t value, const struct constants *names)
{
	const char *name = constant_name(names, value);

	if (name)
		put_string(p, name);
	else
		print_unknown(p, value, names);
}

uint32_t print_known_flags(struct printer *p, uint64_t flags, const struct constants *names,
			   uint32_t before, uint64_t *ret_rest)
{
	uint32_t count = before;

	for (uint32_t i = 0; i < names->count; i++) {
		uint64_t bits = names->rows[i].value;

		if (!bits || (flags & bits) != bits)
			continue;
		if (count++)
			put_string(p, "|");
		put_string(p, names->rows[i].name);
		flags &= ~bits;
	}
	*ret_rest = flags;
	return count - before;
}

void print_flags(struct printer *p, uint64_t flags, const struct constants *names)
{
	const char *none = flags ? NULL : constant_name(names, 0);
	uint64_t rest;

	if (none)
		put_string(p, none);
	else if (!flags)
		put_string(p, "0");
	else if (!print_known_flags(p, flags, names, 0, &rest))
		print_unknown(p, flags, names);
	else if (rest)
		print_text(p, "|%#lx", rest);
}

const void *printer_blob(const struct printer *p, unsigned int arg, size_t need)
{
	const struct syscall_blob *blob = &p->call->blobs[arg];

	if (blob->status != SYSCALL_BLOB_READ && blob->status != SYSCALL_BLOB_CUT)
		return NULL;
	if (blob->len > SYSCALL_BYTES_MAX || blob->len < need)
		return NULL;
	return p->call->bytes[arg];
}
