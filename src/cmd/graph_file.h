/* SPDX-License-Identifier: GPL-2.0 */
/* graph_file.h - a graph into files, drawn by Graphviz where a picture is wanted */
#ifndef LBRSNOOP_CMD_GRAPH_FILE_H
#define LBRSNOOP_CMD_GRAPH_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/errmsg.h"

/**
 * graphviz_check() - is the program "dot" there?
 * Return: 0; -ENOENT, with @msg.
 */
int graphviz_check(struct errmsg *msg);

/**
 * graph_check() - can these files be written? Asked before anything is traced, and changes nothing
 * @dot, @svg: or NULL
 * Return: 0; -ENOMEM; -EIO, with @msg.
 */
int graph_check(const char *dot, const char *svg, struct errmsg *msg);

/**
 * graph_write() - write a graph
 * @dot: file, or NULL
 * @svg: file that "dot" draws it into, or NULL
 * @limit_ms: how long that may take; large functions take it hours
 * Return: 0; -ETIMEDOUT; another negative errno; with @msg.
 */
int graph_write(const char *text, size_t len, const char *dot, const char *svg, uint32_t limit_ms,
		struct errmsg *msg);

#endif
