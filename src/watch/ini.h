/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ini.h - configuration files as systemd has them
 *
 * Source: systemd.syntax(7): "[Section]", "Key=value"; lines that begin with # or ; are comments;
 * a backslash at the end of a line joins the next one, comments in between are left out. Quotes are
 * a matter of each key, and no key of ours has them. A byte order mark before all is passed over.
 */
#ifndef LBRSNOOP_WATCH_INI_H
#define LBRSNOOP_WATCH_INI_H

#include <stddef.h>

/** enum ini_what - what a line holds */
enum ini_what {
	INI_SECTION, /* name */
	INI_VALUE,   /* key and value */
	INI_ERROR,   /* value: what is wrong with it, and the remedy */
};

/**
 * struct ini_line - one line, or several that are joined
 * @number: of the first of them, from 1
 * @name: of a section or a key; never NULL, and without blanks around it, as @value
 */
struct ini_line {
	enum ini_what what;
	unsigned int number;
	const char *name;
	const char *value;
};

/** typedef ini_fn - takes one; other than 0 ends the reading */
typedef int ini_fn(const struct ini_line *line, void *ctx);

/**
 * ini_read() - all lines of a file
 * @text: the file; its bytes are changed
 * @len: of it; @text[@len] is 0
 * Return: 0; what @fn returned.
 */
int ini_read(char *text, size_t len, ini_fn *fn, void *ctx);

#endif
