/* SPDX-License-Identifier: GPL-2.0 */
/* path_json.h - the "path" array of schema lbrsnoop.snapshot/1 */
#ifndef LBRSNOOP_RENDER_PATH_JSON_H
#define LBRSNOOP_RENDER_PATH_JSON_H

#include "path/names.h"
#include "path/path.h"
#include "render/json_writer.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/symbolize.h"

/**
 * struct path_json_options - what goes into the array
 * @symbols: or NULL: no names (borrowed)
 * @lines: or NULL: no files and lines (borrowed)
 * @names: conditions that others like it have found; or NULL (borrowed)
 * @insns: the executed instructions, too
 * @ident: by path_ident()
 * @host: machine that it happened on; NULL: not known
 */
struct path_json_options {
	struct symbols *symbols;
	struct lines *lines;
	struct path_names *names;
	bool insns;
	uint64_t ident;
	const char *host;
};

/** path_json() - a path as an array, oldest block first */
void path_json(struct json_writer *w, const struct path *path,
	       const struct path_json_options *opts);

#endif
