/* SPDX-License-Identifier: GPL-2.0 */
/* graph_file.h - a graph into files, drawn by Graphviz where a picture is wanted */
#ifndef LBRSNOOP_CMD_GRAPH_FILE_H
#define LBRSNOOP_CMD_GRAPH_FILE_H

#include <stddef.h>

#include "util/errmsg.h"

/**
 * graphviz_check() - is the program "dot" there?
 * Return: 0; -ENOENT, with @msg.
 */
int graphviz_check(struct errmsg *msg);

/**
 * graph_write() - write a graph
 * @dot: file, or NULL
 * @svg: file that "dot" draws it into, or NULL
 * Return: 0; negative errno, with @msg.
 */
int graph_write(const char *text, size_t len, const char *dot, const char *svg, struct errmsg *msg);

#endif
