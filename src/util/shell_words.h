/* SPDX-License-Identifier: GPL-2.0 */
/* shell_words.h - words as a shell takes them, for a command to be pasted */
#ifndef LBRSNOOP_UTIL_SHELL_WORDS_H
#define LBRSNOOP_UTIL_SHELL_WORDS_H

#include <stddef.h>

/**
 * shell_word() - one word, quoted where that is needed
 *
 * 'single quotes' suffice for most; a word with control characters, or with what is no UTF-8, is
 * $'quoted' with \NNN for these: what a terminal shows of it can be pasted, and bash, ksh and zsh
 * read the very bytes. Not for the first word of a command line, which may be an assignment.
 * @buf: NUL-terminated if @size is not 0; cut if it is too small
 * Return: length of the whole, without the NUL, as snprintf().
 */
size_t shell_word(const char *word, char *buf, size_t size);

/**
 * shell_words() - words with a blank between them
 * @words: ended by NULL
 * @buf, Return: as shell_word()
 */
size_t shell_words(const char *const *words, char *buf, size_t size);

#endif
