// SPDX-License-Identifier: GPL-2.0
#include "msr_write.h"

#include <ctype.h>
#include <string.h>

/* The register that an operand names, without its size: "di" of %edi and %rdi, "r8" of %r8d */
static void register_name(const char *operand, char name[4])
{
	size_t n = 0;

	operand += *operand == '%';
	operand += *operand == 'e' || (*operand == 'r' && !isdigit((unsigned char)operand[1]));
	while (n < 3 && isalnum((unsigned char)operand[n])) {
		name[n] = operand[n];
		n++;
	}
	n -= n && name[0] == 'r' && name[n - 1] == 'd';
	name[n] = '\0';
}

enum write { KEEPS, CONSTANT, UNTOLD };

/* What an instruction writes to the register @name. If it copies another one, @name becomes that.
 */
static enum write register_write(const char *text, char name[4])
{
	const char *first = strchr(text, ' '), *last = strrchr(text, ',');
	char written[4], from[4];

	last = last ?: first;
	if (!last || last[1] != '%' || !strncmp(text, "cmp", 3) || !strncmp(text, "test", 4))
		return KEEPS;
	register_name(last + 1, written);
	if (strcmp(written, name) != 0)
		return KEEPS;
	register_name(first + 1, from);
	if (!strncmp(text, "mov $", 5) || (!strncmp(text, "xor %", 5) && !strcmp(from, name)))
		return CONSTANT;
	if (strncmp(text, "mov %", 5) != 0)
		return UNTOLD;
	memcpy(name, from, sizeof(from));
	return KEEPS;
}

bool msr_is_untold(const json_t *path, size_t end)
{
	const json_t *insns = json_object_get(json_array_get(path, end), "insns");
	size_t n = json_array_size(insns);
	const json_t *last = n ? json_array_get(insns, n - 1) : NULL;
	char name[4] = "cx";

	if (strcmp(json_string_value(json_object_get(last, "text")) ?: "", "wrmsr") != 0)
		return false;
	for (size_t i = end + 1; i-- > 0;) {
		const json_t *block = json_array_get(path, i);

		if (json_is_string(json_object_get(block, "gap")))
			return true;
		insns = json_object_get(block, "insns");
		for (n = json_array_size(insns); n-- > 0;) {
			const json_t *text = json_object_get(json_array_get(insns, n), "text");
			enum write write = register_write(json_string_value(text) ?: "", name);

			if (write != KEEPS)
				return write == UNTOLD;
		}
	}
	return true;
}
