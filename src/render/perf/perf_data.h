/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_data.h - snapshots for perf: the directory that "perf record --kcore" makes
 *
 *	DIR/data		samples with branch stacks
 *	DIR/kcore_dir/kallsyms	symbols that the snapshots need
 *	DIR/kcore_dir/kcore	the kernel's text that they need
 *	DIR/kcore_dir/modules	empty: modules' symbols are in kallsyms
 *	DIR/vmlinux		the same file as kcore, which has sections and symbols, too
 *	DIR/user/NAME		text and symbols of a program or library, if there are any; their
 *				absolute names are in DIR/data
 *
 * perf script and perf report take it with -i DIR, and need neither the kernel nor its image. For
 * perf annotate it is -i DIR -k DIR/vmlinux: perf 6.1 has objdump disassemble kcore without its
 * sections, which works for a core file alone; and of a core file its report dies, see
 * write_headers() in perf_kcore.c.
 */
#ifndef LBRSNOOP_RENDER_PERF_PERF_DATA_H
#define LBRSNOOP_RENDER_PERF_PERF_DATA_H

#include <stdint.h>

#include "capfile/meta.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/textstore.h"
#include "util/errmsg.h"

struct perf_data;

/**
 * perf_data_create() - begin
 * @dir: made; must not be there yet, or be empty, or one that this has made
 * @meta: of the machine; borrowed until perf_data_finish()
 * Return: 0; negative errno, with @msg.
 */
int perf_data_create(const char *dir, const struct capfile_meta *meta, struct perf_data **ret,
		     struct errmsg *msg);

/** perf_data_add() - one sample: all branches of the snapshot; 0, or negative errno */
int perf_data_add(struct perf_data *data, const struct snapshot *snap);

/**
 * perf_data_finish() - write what is needed to read them, end
 * Where text has changed meanwhile, perf knows it as it was at the end.
 * Return: 0; negative errno, with @msg.
 */
int perf_data_finish(struct perf_data *data, struct symbols *symbols, struct textstore *text,
		     struct errmsg *msg);

/** perf_data_destroy() - free; NULL is fine */
void perf_data_destroy(struct perf_data *data);

#endif
