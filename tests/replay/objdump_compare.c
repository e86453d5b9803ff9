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

/* One line of objdump: address, bytes, text. */
struct line {
	uint64_t addr;
	uint8_t bytes[32];
	size_t len;
	char *text;
};

static bool parse(char *line, struct line *ret)
{
	char *end, *tab = strchr(line, '\t');
	unsigned int byte;
	int used;

	ret->addr = strtoull(line, &end, 16);
	if (end == line || *end != ':' || !tab)
		return false;
	ret->len = 0;
	for (char *p = tab + 1;
	     ret->len < sizeof(ret->bytes) && sscanf(p, "%2x%n", &byte, &used) == 1;
	     p += used + 1) {
		ret->bytes[ret->len++] = (uint8_t)byte;
		if (p[used] == '\t' || !p[used])
			break;
		if (p[used + 1] == '\t' || p[used + 1] == ' ')
			break;
	}
	ret->text = strchr(tab + 1, '\t');
	if (!ret->text)
		return false;
	ret->text++;
	ret->text[strcspn(ret->text, "\n")] = '\0';
	/* FINIT: one line, two instructions, WAIT and the one behind it (SDM vol. 2A). */
	if (ret->len > 1 && ret->bytes[0] == 0x9b)
		ret->len = 1;
	return ret->len > 0;
}

/* First word of @text that is no prefix. */
static const char *mnemonic(const char *text, char *buf, size_t size)
{
	static const char *const prefixes[] = {"bnd", "repz",	"notrack", "lock", "cs",
					       "ds",  "data16", "addr32",  "rep",  "repnz",
					       "es",  "ss",	"fs"};
	size_t len;

again:
	len = strcspn(text, " ");
	if (!strncmp(text, "rex", 3) && text[len]) { /* rex.W, rex.WB, ... */
		text += len + strspn(text + len, " ");
		goto again;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (len == strlen(prefixes[i]) && !strncmp(text, prefixes[i], len) && text[len]) {
			text += len + strspn(text + len, " ");
			goto again;
		}
	}
	snprintf(buf, size, "%.*s", (int)len, text);
	return text + len + strspn(text + len, " ");
}

static enum insn_class class_by_text(const char *text)
{
	char word[32];
	const char *rest = mnemonic(text, word, sizeof(word));
	static const struct {
		const char *word;
		enum insn_class class;
	} exact[] = {
		{"ret", INSN_RET},	   {"retq", INSN_RET},	       {"lret", INSN_FAR},
		{"lretq", INSN_FAR},	   {"ljmp", INSN_FAR},	       {"lcall", INSN_FAR},
		{"syscall", INSN_SYSCALL}, {"sysenter", INSN_SYSCALL}, {"sysret", INSN_SYSRET},
		{"sysretl", INSN_SYSRET},  {"sysretq", INSN_SYSRET},   {"sysexit", INSN_SYSRET},
		{"iret", INSN_IRET},	   {"iretq", INSN_IRET},       {"iretl", INSN_IRET},
		{"int3", INSN_INT},	   {"int", INSN_INT},	       {"int1", INSN_INT},
		{"icebp", INSN_INT},	   {"hlt", INSN_HLT},	       {"ud2", INSN_UD},
		{"ud1", INSN_UD},	   {"ud0", INSN_UD},	       {"loop", INSN_COND},
		{"loope", INSN_COND},	   {"loopne", INSN_COND},      {"lretl", INSN_FAR},
		{"rsm", INSN_FAR},	   {"sysexitq", INSN_SYSRET},  {"sysexitl", INSN_SYSRET},
		{"ljmpl", INSN_FAR},
	};

	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		if (!strcmp(word, exact[i].word))
			return exact[i].class;
	}
	if (!strcmp(word, "jmp") || !strcmp(word, "jmpq"))
		return *rest == '*' ? INSN_IJMP : INSN_JMP;
	if (!strcmp(word, "call") || !strcmp(word, "callq"))
		return *rest == '*' ? INSN_ICALL : INSN_CALL;
	return word[0] == 'j' ? INSN_COND : INSN_OTHER;
}

static uint64_t target_by_text(const char *text)
{
	char word[32];

	return strtoull(mnemonic(text, word, sizeof(word)), NULL, 16);
}

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

static bool same_text(const struct line *l)
{
	char ours[INSN_TEXT_MAX], theirs[INSN_TEXT_MAX];

	insn_format(l->bytes, l->len, l->addr, INSN_ATT, NULL, NULL, ours, sizeof(ours));
	squeeze(l->text, theirs, sizeof(theirs));
	return !strcmp(ours, theirs);
}

static const char *difference(const struct line *l)
{
	struct insn in;
	int err = insn_decode(l->bytes, l->len, l->addr, &in);

	if (strstr(l->text, "(bad)"))
		return err ? NULL : "objdump knows no instruction here";
	if (err)
		return err == -ENODATA ? "longer" : "not decoded";
	if (in.len != l->len)
		return "length";
	if (in.class != class_by_text(l->text))
		return insn_class_name(in.class);
	if (in.has_target && in.target != target_by_text(l->text))
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
		struct line l;

		if (!parse(text, &l))
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
