// SPDX-License-Identifier: GPL-2.0
/*
 * objdump_compare - our reading of each instruction against binutils'
 *
 *   objdump -d -w FILE | objdump_compare [-t]
 *
 * Compares length, class, branch target and errno constants; with -t also counts equal texts.
 * Prints the first differences and counts; exit status 1 if there is one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "objdump.h"

/* "mov    $0xffffffea,%eax  # ..." → "mov $0xffffffea,%eax" */
static void squeeze(const char *in, char *out, size_t size)
{
	size_t n = 0;

	for (; *in && *in != '#' && *in != '<' && n + 1 < size; in++) {
		if (*in == ' ' && (!n || out[n - 1] == ' '))
			continue;
		out[n++] = *in;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

static bool same_text(const struct objdump_line *l)
{
	char ours[INSN_TEXT_MAX], theirs[INSN_TEXT_MAX];

	insn_format(l->bytes, l->len, l->addr, INSN_ATT, NULL, NULL, ours, sizeof(ours));
	squeeze(l->text, theirs, sizeof(theirs));
	return !strcmp(ours, theirs);
}

static const char *const class_names[INSN_CLASS_COUNT] = {
	[INSN_OTHER] = "other", [INSN_COND] = "cond",	    [INSN_JMP] = "jmp",
	[INSN_IJMP] = "ijmp",	[INSN_CALL] = "call",	    [INSN_ICALL] = "icall",
	[INSN_RET] = "ret",	[INSN_SYSCALL] = "syscall", [INSN_SYSRET] = "sysret",
	[INSN_IRET] = "iret",	[INSN_INT] = "int",	    [INSN_HLT] = "hlt",
	[INSN_UD] = "ud",	[INSN_FAR] = "far",
};

static const char *difference(const struct objdump_line *l)
{
	struct insn in;
	int err = insn_decode(l->bytes, l->len, l->addr, &in);

	if (strstr(l->text, "(bad)"))
		return err ? NULL : "objdump knows no instruction here";
	if (err)
		return err == -ENODATA ? "longer" : "not decoded";
	if (in.len != l->len)
		return "length";
	if (in.class != objdump_class(l->text))
		return class_names[in.class];
	if (in.has_target && in.target != objdump_target(l->text))
		return "target";
	return NULL;
}

int main(int argc, char **argv)
{
	bool texts = argc > 1 && !strcmp(argv[1], "-t");
	uint64_t total = 0, different = 0, same_texts = 0;
	char *text = NULL;
	size_t size = 0;

	while (getline(&text, &size, stdin) > 0) {
		const char *why;
		struct objdump_line l;

		if (!objdump_parse(text, &l))
			continue;
		total++;
		why = difference(&l);
		if (why && ++different <= 40)
			printf("%" PRIx64 ": %s: %s (%zu bytes, %02x %02x)\n", l.addr, why, l.text,
			       l.len, l.bytes[0], l.bytes[1]);
		if (texts && same_text(&l))
			same_texts++;
	}
	free(text);
	printf("%" PRIu64 " instructions, %" PRIu64 " differ", total, different);
	if (texts)
		printf(", %" PRIu64 " texts are the same", same_texts);
	printf("\n");
	return different || !total;
}
