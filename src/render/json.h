/* SPDX-License-Identifier: GPL-2.0 */
/* json.h - a snapshot for scripts: one object a line, schema lbrsnoop.snapshot/1 */
#ifndef LBRSNOOP_RENDER_JSON_H
#define LBRSNOOP_RENDER_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/**
 * render_json_snapshot() - print one line
 * @syms: may be NULL: addresses only
 * @lost_records: events lost since the last line
 * Return: 0; -ENOMEM; -EIO if @out does not take it.
 */
int render_json_snapshot(FILE *out, const struct snapshot *snap, struct symbols *syms,
			 uint64_t lost_records);

#endif
