// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/unloads.h"

#include <stddef.h>
#include <string.h>

#include "util/cleanup.h"

/* What ends a word in a shell's script; the name of a program stands behind its directory. */
#define BETWEEN_WORDS " \t\n;&|(){}'\"`$/"

/* kmod(8) under its names; it is that program, or a link to it. */
static const char *const unloaders[] = {"rmmod", "modprobe", "kmod"};

static bool is_unloader(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(unloaders); i++)
		if (strlen(unloaders[i]) == len && !strncmp(word, unloaders[i], len))
			return true;
	return false;
}

bool unloads_modules(char *const *argv)
{
	for (; *argv; argv++) {
		for (const char *word = *argv; *word;) {
			size_t len = strcspn(word, BETWEEN_WORDS);

			if (word[len] != '/' && is_unloader(word, len))
				return true;
			word += len + strspn(word + len, BETWEEN_WORDS);
		}
	}
	return false;
}
