/* SPDX-License-Identifier: GPL-2.0 */
/* json.h - a snapshot for scripts: one object a line, schema lbrsnoop.snapshot/1 */
#ifndef LBRSNOOP_RENDER_JSON_H
#define LBRSNOOP_RENDER_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "path/path.h"
#include "render/path_json.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * render_json_snapshot() - print one line
 * @path: rebuilt from @snap, or NULL: "path" is null
 * @opts: names, lines and instructions, for the branches as for the path
 * @lost_records: events lost since the last line
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int render_json_snapshot(FILE *out, const struct snapshot *snap, const struct path *path,
			 const struct path_json_options *opts, uint64_t lost_records);

#endif
