// SPDX-License-Identifier: GPL-2.0
#include "path/ident.h"

#include <string.h>

#include "util/address.h"
#include "util/fnv.h"

#define USER "user"

/* Lets every bit depend on all: paths differ in few bytes. Source: the finalizer of MurmurHash3, by
 * Austin Appleby, in the public domain. */
static uint64_t finish(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
	return hash ^ hash >> 33;
}

/* The NUL goes in, too: "ab", "c" is not "a", "bc". */
static uint64_t mix_text(uint64_t hash, const char *text)
{
	return fnv(hash, text, strlen(text) + 1);
}

/* @user: addresses of programs are told apart, too */
static uint64_t mix_end(uint64_t hash, struct symbols *symbols, uint64_t addr, bool user)
{
	static const char trampoline[] = "bpf_trampoline_";
	struct symbol sym;
	uint64_t off;

	if (!address_is_kernel(addr) && !user)
		return mix_text(hash, USER);
	if (symbols_find(symbols, addr, &sym))
		return fnv(hash, &addr, sizeof(addr));
	off = addr - sym.addr;
	hash = mix_text(hash, strncmp(sym.name, trampoline, sizeof(trampoline) - 1) ? sym.name
										    : trampoline);
	hash = mix_text(hash, sym.module);
	return fnv(hash, &off, sizeof(off));
}

uint64_t path_ident(const struct snapshot *snap, struct symbols *symbols, const void *build_id,
		    size_t build_id_len)
{
	const struct trigger *trigger = snap->trigger;
	uint32_t end = snap->count - (snap->wasted < snap->count ? snap->wasted : snap->count);
	uint64_t hash = fnv(FNV_START, build_id, build_id_len);
	bool user = trigger_is_user(trigger);
	int32_t err = snap->err;

	if (trigger)
		hash = mix_text(hash, trigger->function && *trigger->function ? trigger->function
									      : trigger->target);
	hash = fnv(hash, &err, sizeof(err));
	for (uint32_t i = snap->shown_from; i < end; i++) {
		hash = mix_end(hash, symbols, snap->branches[i].from, user);
		hash = mix_end(hash, symbols, snap->branches[i].to, user);
	}
	return finish(hash);
}
