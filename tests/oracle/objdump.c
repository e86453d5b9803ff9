// SPDX-License-Identifier: GPL-2.0
#include "objdump.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
}

bool objdump_parse(char *line, struct objdump_line *ret)
{
	char *end, *tab = strchr(line, '\t');

	ret->addr = strtoull(line, &end, 16);
	if (end == line || *end != ':' || !tab)
		return false;
	ret->len = 0;
	for (char *p = tab + 1; ret->len < sizeof(ret->bytes) && isxdigit(p[0]) && isxdigit(p[1]);
	     p += 3) {
		ret->bytes[ret->len++] = (uint8_t)(digit(p[0]) << 4 | digit(p[1]));
		if (p[2] != ' ')
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

enum insn_class objdump_class(const char *text)
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
		{"ljmpl", INSN_FAR},	   {"eretu", INSN_IRET},       {"erets", INSN_IRET},
	};

	/* How binutils before 2.41 reads ERETU and ERETS. */
	if (!strncmp(text, "repz clac", 9) || !strncmp(text, "repnz clac", 10))
		return INSN_IRET;
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

uint64_t objdump_target(const char *text)
{
	char word[32];

	return strtoull(mnemonic(text, word, sizeof(word)), NULL, 16);
}
