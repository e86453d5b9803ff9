/* SPDX-License-Identifier: GPL-2.0 */
/* records.h - what a recorder writes of one thing, see format.h */
#ifndef LBRSNOOP_CAPFILE_RECORDS_H
#define LBRSNOOP_CAPFILE_RECORDS_H

#include <stdint.h>

#include "capfile/writer.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"

/** records_write_symbol() - @module: its number in the file; 0, or negative errno */
int records_write_symbol(struct capfile_writer *writer, const struct symbol *sym, int module);

/** records_write_trigger() - @number: its own in the file; 0, or negative errno */
int records_write_trigger(struct capfile_writer *writer, uint32_t number,
			  const struct trigger *trigger);

/** records_trigger_hash() - of all that records_write_trigger() writes of it */
uint64_t records_trigger_hash(const struct trigger *trigger);

/** records_snapshot() - the fixed part of a SNAPSHOT, but for the number of its trigger */
struct capfile_snapshot records_snapshot(const struct snapshot *snap, uint64_t lost);

#endif
