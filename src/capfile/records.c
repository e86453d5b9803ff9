// SPDX-License-Identifier: GPL-2.0
#include "capfile/records.h"

#include <string.h>

#include "util/cleanup.h"
#include "util/fnv.h"

int records_write_symbol(struct capfile_writer *writer, const struct symbol *sym, int module)
{
	uint32_t size = (uint32_t)sym->size;
	size_t len = strnlen(sym->name, CAPFILE_NAME_MAX);
	uint16_t module16 = (uint16_t)module, len16 = (uint16_t)len;
	const struct iovec parts[] = {
		{(void *)&sym->addr, 8},  {&size, 4}, {&module16, 2}, {&len16, 2},
		{(void *)sym->name, len},
	};

	return capfile_writer_add(writer, CAPFILE_SYMBOLS, parts, ARRAY_SIZE(parts));
}

int records_write_trigger(struct capfile_writer *writer, uint32_t number,
			  const struct trigger *trigger)
{
	const char *strings[] = {trigger->target, trigger->function, trigger->module};
	uint32_t kind = trigger->kind;
	uint16_t lens[3];
	struct iovec parts[] = {
		{&number, 4},
		{&kind, 4},
		{(void *)&trigger->addr, 8},
		{(void *)&trigger->func_addr, 8},
		{(void *)&trigger->func_size, 8},
		{&lens[0], 2},
		{},
		{&lens[1], 2},
		{},
		{&lens[2], 2},
		{},
	};

	for (size_t i = 0; i < 3; i++) {
		const char *s = strings[i] ?: "";

		lens[i] = (uint16_t)strnlen(s, 4096);
		parts[6 + 2 * i] = (struct iovec){(void *)s, lens[i]};
	}
	return capfile_writer_add(writer, CAPFILE_TRIGGER, parts, ARRAY_SIZE(parts));
}

uint64_t records_trigger_hash(const struct trigger *trigger)
{
	const uint64_t numbers[] = {trigger->kind, trigger->addr, trigger->func_addr,
				    trigger->func_size};
	const char *strings[] = {trigger->target, trigger->function, trigger->module};
	uint64_t hash = fnv(FNV_START, numbers, sizeof(numbers));

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		hash = fnv(hash, strings[i] ?: "", strlen(strings[i] ?: "") + 1);
	return hash;
}

static uint16_t flags_of(const struct snapshot *snap)
{
	uint16_t flags = snap->has_retval ? CAPFILE_HAS_RETVAL : 0;

	if (snap->mixed != TRI_NOT_REPORTED)
		flags |= CAPFILE_MIXED_KNOWN;
	if (snap->mixed == TRI_SET)
		flags |= CAPFILE_MIXED;
	return flags;
}

static int64_t retval_of(const struct snapshot *snap)
{
	if (snap->bug_ip)
		return (int64_t)snap->bug_ip;
	return snap->signal ? snap->signal : snap->retval;
}

struct capfile_snapshot records_snapshot(const struct snapshot *snap, uint64_t lost)
{
	struct capfile_snapshot fixed = {
		.ts_ns = snap->ts_ns,
		.ip = snap->ip,
		.retval = retval_of(snap),
		.lost = lost,
		.cpu = snap->cpu,
		.pid = snap->pid,
		.tid = snap->tid,
		.flags = flags_of(snap),
		.count = (uint16_t)snap->raw_count,
		.read = snap->count + snap->dropped,
	};

	memcpy(fixed.comm, snap->comm, sizeof(fixed.comm));
	return fixed;
}
