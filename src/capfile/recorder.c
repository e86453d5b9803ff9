// SPDX-License-Identifier: GPL-2.0
#include "capfile/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capfile/context.h"
#include "capfile/items.h"
#include "capfile/meta.h"
#include "capfile/records.h"
#include "capfile/writer.h"
#include "disasm/fetch.h"
#include "symbolize/cold_part.h"
#include "symbolize/stack_frame.h"
#include "symbolize/text/textstore.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/* A function longer than this is taken in parts, where it ran. As FLOW_BYTES_MAX of render/. */
#define TEXT_BYTES_MAX (256u << 10)
/* Longest straight run that a path believes: PATH_RUN_BYTES_MAX. */
#define RUN_BYTES_MAX (64u << 10)
/* Parts of text without a function, and of functions that are too long. */
#define PART_BYTES 256u
/* What compilers align functions to. */
#define ALIGN_BYTES 16u
/* Where text ends within a function or a part, it is taken up to there; as the kernel's pages. */
#define STRETCH_BYTES 4096u
/* struct item.text: there is none, and the file does not say otherwise. No hash is even. */
#define NO_TEXT 2u
/* What is left of a snapshot's needs when others have been withdrawn is looked at again. */
#define PASSES_MAX 4
/* Blocks remembered: a power of two. Which are forgotten costs time, nothing else. */
#define BLOCKS	     8192u
#define TRIGGERS_MAX 65536u
/* Numbers from 1 to the last one that a reader takes. */
#define MODULES_MAX 4095u

/** struct block - a straight run that was seen to with all that it needs; @named: as of items */
struct block {
	uint64_t start;
	uint64_t end;
	uint64_t named;
	uint32_t generation;
};

/** struct written_trigger - number in the file is the index */
struct written_trigger {
	const struct trigger *trigger;
	enum trigger_kind kind;
};

/**
 * struct written_module - number in the file is index + 1
 * @hash: of its MODULE as it was written
 * @generation: when that was last compared: a module may be loaded again elsewhere
 */
struct written_module {
	char *name;
	uint64_t hash;
	uint32_t generation;
};

struct recorder {
	struct recorder_options opts;
	struct capfile_writer *writer;
	uint32_t generation;
	uint64_t count;
	uint64_t flushed;	      /* of these */
	struct symbols *written;      /* as a reader of the file knows them by now */
	struct item_table items;      /* of the kernel */
	struct item_table user_items; /* of programs */
	struct written_trigger *triggers;
	size_t trigger_count;
	size_t last_trigger;
	struct written_module *modules;
	size_t module_count;
	bool user;	  /* the snapshot at hand is of a user function */
	uint32_t process; /* that the user addresses written last are of */
	bool others;	  /* the file has another one's, too */
	size_t pages;	  /* of programs' text that a reader may keep, at most */
	uint64_t withdrawals;
	struct block blocks[BLOCKS];
	uint8_t text[TEXT_BYTES_MAX];
};

/* Never 0, which means that nothing was written. */
static uint64_t hash_text(const uint8_t *bytes, size_t len)
{
	return fnv(FNV_START, bytes, len) | 1;
}

static struct item_table *items_at(struct recorder *rec, uint64_t addr)
{
	return address_is_kernel(addr) ? &rec->items : &rec->user_items;
}

static void forget_user(struct recorder *rec)
{
	items_forget(&rec->user_items);
	memset(rec->blocks, 0, sizeof(rec->blocks));
}

static void forget_all(struct recorder *rec)
{
	items_forget(&rec->items);
	forget_user(rec);
}

/*
 * Symbols and text
 */

static int add_record(struct recorder *rec, enum capfile_type type, const void *bytes, size_t len)
{
	struct iovec part = {.iov_base = (void *)bytes, .iov_len = len};

	return capfile_writer_add(rec->writer, type, &part, 1);
}

static int find_module(struct recorder *rec, const char *name, size_t *ret)
{
	for (size_t i = rec->module_count; i-- > 0;)
		if (!strcmp(rec->modules[i].name, name)) {
			*ret = i;
			return 0;
		}
	if (rec->module_count >= MODULES_MAX)
		return -E2BIG;
	if (vector_grow(&rec->modules, rec->module_count, sizeof(*rec->modules)))
		return -ENOMEM;
	rec->modules[rec->module_count] = (struct written_module){.name = strdup(name)};
	if (!rec->modules[rec->module_count].name)
		return -ENOMEM;
	*ret = rec->module_count++;
	return 0;
}

/*
 * A module was unloaded, or a BPF program, and its memory is nobody's or another's: what the file
 * says of that place holds no more, and is to be written again if it comes back.
 */
static int withdraw(struct recorder *rec, uint64_t addr, uint64_t size)
{
	uint64_t most = size == CAPFILE_GONE_USER ? size : CAPFILE_GONE_MAX;
	int err = 0;

	rec->withdrawals++;
	symbols_remove(rec->written, addr, size);
	items_withdraw(items_at(rec, addr), addr, size);
	for (uint64_t len; size && !err; addr += len, size -= len) {
		const struct iovec parts[] = {{&addr, 8}, {&len, 8}};

		len = size < most ? size : most;
		err = capfile_writer_add(rec->writer, CAPFILE_GONE, parts, ARRAY_SIZE(parts));
	}
	return err;
}

static int withdraw_overlapping(struct recorder *rec, uint64_t addr, uint64_t size)
{
	struct symbol old;
	int err = 0;

	while (!err && !symbols_overlapping(rec->written, addr, size, &old))
		err = withdraw(rec, old.addr, old.size);
	return err;
}

/** struct module_search - @found: a function of @module, if there is one */
struct module_search {
	const char *module;
	struct symbol found;
};

static int visit_module(const struct symbol *sym, void *ctx)
{
	struct module_search *search = ctx;

	search->found = *sym;
	return !strcmp(sym->module, search->module);
}

/* It was loaded again, elsewhere or as another build. */
static int withdraw_module(struct recorder *rec, const char *name)
{
	struct module_search search = {.module = name};
	int err = 0;

	while (!err && symbols_for_each(rec->written, visit_module, &search))
		err = withdraw(rec, search.found.addr, search.found.size);
	return err;
}

/* Number of a module in the file, which is told about it first; negative errno. */
static int module_number(struct recorder *rec, const char *name)
{
	_cleanup_free_ uint8_t *payload = NULL;
	struct written_module *module;
	size_t index, len = 0;
	uint64_t hash;
	int err;

	if (!*name)
		return 0;
	err = find_module(rec, name, &index);
	if (err)
		return err;
	module = &rec->modules[index];
	if (module->generation == rec->generation)
		return (int)index + 1;
	module->generation = rec->generation;
	err = meta_module((uint16_t)(index + 1), name, &payload, &len);
	if (err)
		return err;
	hash = hash_text(payload, len);
	if (hash != module->hash && module->hash)
		err = withdraw_module(rec, name);
	if (hash != module->hash)
		err = err ?: add_record(rec, CAPFILE_MODULE, payload, len);
	module->hash = hash;
	return err ?: (int)index + 1;
}

static int write_text(struct recorder *rec, uint64_t addr, size_t len)
{
	const struct iovec parts[] = {{&addr, 8}, {rec->text, len}};

	if (!address_is_kernel(addr))
		rec->pages += len / TEXTSTORE_PAGE_BYTES + 2;
	return capfile_writer_add(rec->writer, CAPFILE_TEXT, parts, ARRAY_SIZE(parts));
}

static bool same_symbol(const struct symbol *a, const struct symbol *b)
{
	return a->addr == b->addr && a->size == b->size && !strcmp(a->name, b->name) &&
	       !strcmp(a->module, b->module);
}

/* The symbol without its text; @ret_item, if not NULL, until the next item is asked for. */
static int need_symbol(struct recorder *rec, const struct symbol *sym, struct item **ret_item)
{
	struct item *item = items_get(items_at(rec, sym->addr), sym->addr, false);
	int err, module = module_number(rec, sym->module);
	struct symbol had;

	if (!item)
		return -ENOMEM;
	if (ret_item)
		*ret_item = item;
	if (module == -E2BIG) /* one more program than a reader takes: it has no names there */
		return withdraw_overlapping(rec, sym->addr, sym->size ? sym->size : 1);
	if (module < 0)
		return module;
	if (!sym->size)
		return 0;
	if (!symbols_find(rec->written, sym->addr, &had) && same_symbol(&had, sym))
		return 0;
	err = withdraw_overlapping(rec, sym->addr, sym->size);
	err = err ?: symbols_add(rec->written, sym);
	if (err == -EINVAL || err == -E2BIG) /* no reader would take it */
		return 0;
	return err ?: records_write_symbol(rec->writer, sym, module);
}

/* Names that were written may be gone since it was another value, and there may be new ones. */
static uint64_t names_stamp(const struct recorder *rec)
{
	return 1 + rec->withdrawals + symbols_version(rec->opts.symbols);
}

/* The name that the target of a branch is printed with, or that it has none. */
static int need_target(struct recorder *rec, uint64_t target)
{
	struct symbol sym;

	if (symbols_find(rec->opts.symbols, target, &sym))
		return withdraw_overlapping(rec, target, 1);
	return need_symbol(rec, &sym, NULL);
}

/* Names of what the @len bytes of text in rec->text lead to: a view may print them. */
static int need_targets(struct recorder *rec, uint64_t addr, size_t len)
{
	struct insn in;

	for (size_t at = 0; at < len; at += in.len) {
		int err = 0;

		if (insn_decode(rec->text + at, len - at, addr + at, &in)) {
			in.len = 1;
			continue;
		}
		if (in.has_target && in.target - addr >= len)
			err = need_target(rec, in.target);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Reads the part of [@start, @start + @len) that is there into rec->text: all of it, or what begins
 * or ends with it. Return: bytes; they stand @ret_skip behind @start.
 */
static size_t read_stretch(struct recorder *rec, uint64_t start, size_t len, size_t *ret_skip)
{
	const struct text_source *text = &rec->opts.text;
	size_t good = 0, bad = len;
	bool at_start;

	*ret_skip = 0;
	if (!text->read(text->ctx, start, rec->text, len))
		return len;
	at_start = !text->read(text->ctx, start, rec->text, 1);
	while (bad - good > 1) {
		size_t mid = (good + bad) / 2;

		if (text->read(text->ctx, at_start ? start : start + len - mid, rec->text, mid))
			bad = mid;
		else
			good = mid;
	}
	*ret_skip = at_start ? 0 : len - good;
	return good && !text->read(text->ctx, start + *ret_skip, rec->text, good) ? good : 0;
}

/** enum visit - of text, one stretch after the other */
enum visit {
	VISIT_HASH,  /* what is there? */
	VISIT_NAMES, /* where does it lead to? */
	VISIT_WRITE, /* both, into the file */
};

/* A stretch of text that is in rec->text. */
static int visit_stretch(struct recorder *rec, enum visit what, uint64_t addr, size_t len,
			 uint64_t *hash)
{
	int err = 0;

	if (what == VISIT_HASH) {
		*hash = fnv(*hash == NO_TEXT ? FNV_START : *hash, &addr, sizeof(addr));
		*hash = fnv(*hash, rec->text, len) | 1;
		return 0;
	}
	if (what == VISIT_WRITE)
		err = write_text(rec, addr, len);
	return err ?: need_targets(rec, addr, len);
}

/* Into rec->text. */
static bool all_there(struct recorder *rec, uint64_t addr, uint64_t size)
{
	return !rec->opts.text.read(rec->opts.text.ctx, addr, rec->text, size);
}

/*
 * All stretches of a function or a part of text: in one piece if it is all there. @ret_hash: of
 * them, or NO_TEXT.
 */
static int visit_text(struct recorder *rec, enum visit what, uint64_t addr, uint64_t size,
		      uint64_t *ret_hash)
{
	int err = 0;

	*ret_hash = NO_TEXT;
	if (all_there(rec, addr, size))
		return visit_stretch(rec, what, addr, size, ret_hash);
	for (uint64_t at = addr, left = size, len; left && !err; at += len, left -= len) {
		size_t skip, got;

		len = STRETCH_BYTES - at % STRETCH_BYTES;
		len = len < left ? len : left;
		got = read_stretch(rec, at, len, &skip);
		if (got)
			err = visit_stretch(rec, what, at + skip, got, ret_hash);
	}
	return err;
}

/* In this generation, and no name that its text leads to was withdrawn since. */
static bool seen_to(const struct recorder *rec, const struct item *item)
{
	return item->generation == rec->generation && item->named == names_stamp(rec);
}

/* The text of an item, as far as it is there; what the file says of more does not hold. */
static int need_text(struct recorder *rec, struct item *item, uint64_t addr, uint64_t size)
{
	uint64_t hash, had = item->text;
	bool others = rec->others && !address_is_kernel(addr);
	struct item_table *table = items_at(rec, addr);
	enum visit what = VISIT_NAMES;
	int err = visit_text(rec, VISIT_HASH, addr, size, &hash);

	item->generation = rec->generation;
	if (err || (hash == had && !item->rewrite && item->named == names_stamp(rec)))
		return err;
	item->gaps = !all_there(rec, addr, size);
	table->gaps |= item->gaps;
	if (hash != had || item->rewrite)
		what = VISIT_WRITE;
	/* Withdrawn for another one, it may not in turn withdraw that. */
	if (hash != had && (had ? had != NO_TEXT : others || item->gaps))
		err = withdraw(rec, addr, size);
	else if (hash != had)
		items_fill(table, addr, size);
	item->size = (uint32_t)size;
	item->text = hash;
	item->rewrite = false;
	item->named = names_stamp(rec);
	item->generation = rec->generation;
	return err ?: visit_text(rec, what, addr, size, &hash);
}

/* The part of text around an address; no function, or a very long one. */
static int need_part(struct recorder *rec, uint64_t addr)
{
	uint64_t start = addr & ~(uint64_t)(PART_BYTES - 1);
	struct item *item = items_get(items_at(rec, start), start, true);

	if (!item)
		return -ENOMEM;
	return seen_to(rec, item) ? 0 : need_text(rec, item, start, PART_BYTES);
}

static int need_function(struct recorder *rec, const struct symbol *sym);

/* What GCC moved out of line: a graph shows it as part of the function. */
static int need_cold(struct recorder *rec, const struct symbol *sym)
{
	struct symbol cold, shown;
	int err = 0;

	for (size_t i = 0; !err && !symbols_cold_part(rec->opts.symbols, sym, i, &cold); i++)
		if (!symbols_find(rec->opts.symbols, cold.addr, &shown) &&
		    same_symbol(&shown, &cold))
			err = need_function(rec, &cold);
	return err;
}

static int need_function(struct recorder *rec, const struct symbol *sym)
{
	struct item *item;
	int err = need_symbol(rec, sym, &item);

	if (err || !rec->opts.text.read || !sym->size || sym->size > TEXT_BYTES_MAX ||
	    seen_to(rec, item))
		return err;
	err = need_text(rec, item, sym->addr, sym->size);
	return err ?: need_cold(rec, sym);
}

/*
 * An instruction of no function, or of a very long one, with what it leads to: parts of text begin
 * in the middle of one. Where the next one is, which a function may begin with, goes to @ret_next.
 */
static int need_insn(struct recorder *rec, uint64_t addr, uint64_t *ret_next)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;
	size_t len = insn_fetch(&rec->opts.text, addr, bytes, &in) ? 0 : in.len;
	int err = rec->opts.text.read ? need_part(rec, addr) : 0;

	*ret_next = len ? addr + len : (addr & ~(uint64_t)(ALIGN_BYTES - 1)) + ALIGN_BYTES;
	if (err || !len)
		return err;
	if ((addr ^ (addr + len - 1)) / PART_BYTES)
		err = need_part(rec, addr + len - 1);
	return err || !in.has_target ? err : need_target(rec, in.target);
}

/* The instruction at @addr may reach over @next, where a function ends. */
static int need_rest(struct recorder *rec, uint64_t addr, uint64_t next)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	if (next - addr >= INSN_LEN_MAX || insn_fetch(&rec->opts.text, addr, bytes, &in) ||
	    in.len <= next - addr)
		return 0;
	return need_part(rec, next);
}

/* All that runs, or may be asked for, from @start up to the instruction at @end. */
static int need_run(struct recorder *rec, uint64_t start, uint64_t end)
{
	uint64_t addr = start;

	while (true) {
		struct symbol sym;
		uint64_t next;
		int err;

		if (!symbols_find(rec->opts.symbols, addr, &sym)) {
			err = need_function(rec, &sym);
			next = sym.addr + sym.size;
			if (!err && sym.size > TEXT_BYTES_MAX)
				err = need_insn(rec, addr, &next);
			else if (!err && addr == end)
				err = need_rest(rec, addr, next);
		} else {
			err = withdraw_overlapping(rec, addr, 1);
			err = err ?: need_insn(rec, addr, &next);
		}
		if (err || next <= addr || addr == end)
			return err;
		addr = next < end ? next : end;
	}
}

static int need_block(struct recorder *rec, uint64_t start, uint64_t end)
{
	struct block *block = &rec->blocks[hash_number(start ^ end << 7) % BLOCKS];
	uint64_t before = rec->withdrawals;
	int err;

	if (block->start == start && block->end == end && block->generation == rec->generation &&
	    block->named == names_stamp(rec))
		return 0;
	if (end < start || end - start > RUN_BYTES_MAX) {
		err = need_run(rec, start, start);
		err = err ?: need_run(rec, end, end);
	} else {
		err = need_run(rec, start, end);
	}
	/* A withdrawal may have taken a name of the block with it: see need_all(). */
	if (!err && rec->withdrawals == before)
		*block = (struct block){start, end, names_stamp(rec), rec->generation};
	return err;
}

static int need_address(struct recorder *rec, uint64_t addr)
{
	return address_is_kernel(addr) || rec->user ? need_block(rec, addr, addr) : 0;
}

/*
 * Addresses of a program are of one process: what the file has of another one's code is compared
 * with this one's. Kernel functions' snapshots take none.
 */
static int select_process(struct recorder *rec, const struct snapshot *snap)
{
	uint32_t pid = trigger_is_user(snap->trigger) ? snap->pid : 0;

	rec->user = pid;
	if (!pid)
		return 0;
	if (rec->process && pid != rec->process) {
		items_recheck(&rec->user_items);
		memset(rec->blocks, 0, sizeof(rec->blocks));
		rec->others = true;
	}
	rec->process = pid;
	/* No reader could keep all, where each process is loaded elsewhere. */
	if (rec->pages < TEXTSTORE_PAGES_MAX / 2)
		return 0;
	forget_user(rec);
	rec->others = false;
	rec->pages = 0;
	return withdraw(rec, 0, CAPFILE_GONE_USER);
}

/* From where a branch went to where the next one came from. */
static int need_branches(struct recorder *rec, const struct snapshot *snap)
{
	int err = need_address(rec, snap->ip);

	if (!err && snap->trigger)
		err = need_address(rec, snap->trigger->func_addr);
	for (uint32_t i = 0; i <= snap->count && !err; i++) {
		uint64_t start = i ? snap->branches[i - 1].to : 0;
		uint64_t end = i < snap->count ? snap->branches[i].from : snap->ip;

		if (address_is_kernel(start & end) ||
		    (i && rec->user && !address_is_kernel(start | end))) {
			err = need_block(rec, start, end);
			continue;
		}
		/* From where the program came to the oldest branch nobody knows. */
		err = i ? need_address(rec, start) : 0;
		err = err ?: need_address(rec, end);
	}
	return err;
}

static int need_stack(struct recorder *rec, const struct snapshot *snap)
{
	int err = 0;

	for (uint32_t i = 0; i < snap->stack_count && !err; i++) {
		struct backtrace_frame frame;

		backtrace_frame(rec->opts.symbols, snap, i, &frame);
		err = need_address(rec, frame.probe);
	}
	return err;
}

/* What was withdrawn for one need may have been another's, which was seen to before. */
static int need_all(struct recorder *rec, const struct snapshot *snap)
{
	int passes = 0, err = select_process(rec, snap);
	uint64_t before;

	if (err)
		return err;
	do {
		before = rec->withdrawals;
		err = need_branches(rec, snap);
		err = err ?: need_stack(rec, snap);
	} while (!err && rec->withdrawals != before && ++passes < PASSES_MAX);
	return err;
}

/*
 * Snapshots
 */

/* Number of a trigger in the file; a trigger that changes its kind becomes another one. */
static int trigger_number(struct recorder *rec, const struct trigger *trigger, uint32_t *ret)
{
	int err;

	for (size_t n = 0, i = rec->last_trigger; n < rec->trigger_count;
	     n++, i = (i + 1) % rec->trigger_count)
		if (rec->triggers[i].trigger == trigger &&
		    (!trigger || rec->triggers[i].kind == trigger->kind)) {
			rec->last_trigger = i;
			*ret = (uint32_t)i;
			return 0;
		}
	if (rec->trigger_count >= TRIGGERS_MAX)
		return -E2BIG;
	if (vector_grow(&rec->triggers, rec->trigger_count, sizeof(*rec->triggers)))
		return -ENOMEM;
	err = records_write_trigger(rec->writer, (uint32_t)rec->trigger_count, trigger);
	if (err)
		return err;
	rec->triggers[rec->trigger_count] = (struct written_trigger){trigger, trigger->kind};
	*ret = (uint32_t)rec->trigger_count;
	rec->last_trigger = rec->trigger_count++;
	return 0;
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

int recorder_add(struct recorder *rec, const struct snapshot *snap, uint64_t lost)
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
	struct iovec parts[] = {
		{&fixed, sizeof(fixed)},
		{(void *)snap->raw, snap->raw_count * sizeof(snap->raw[0])},
	};
	int err;

	if (snap->raw_count > BRANCHES_MAX || !snap->trigger)
		return -EINVAL;
	memcpy(fixed.comm, snap->comm, sizeof(fixed.comm));
	err = trigger_number(rec, snap->trigger, &fixed.trigger);
	err = err ?: need_all(rec, snap);
	err = err ?: context_write(rec->writer, snap);
	err = err ?: capfile_writer_add(rec->writer, CAPFILE_SNAPSHOT, parts, ARRAY_SIZE(parts));
	rec->count += !err;
	return err;
}

void recorder_text_may_differ(struct recorder *rec)
{
	if (++rec->generation)
		return;
	rec->generation = 1;
	forget_all(rec);
}

int recorder_flush(struct recorder *rec)
{
	int err = capfile_writer_flush(rec->writer);

	if (!err)
		rec->flushed = rec->count;
	return err;
}

uint64_t recorder_flushed(const struct recorder *rec)
{
	return rec->flushed;
}

uint64_t recorder_count(const struct recorder *rec)
{
	return rec->count;
}

uint64_t recorder_bytes(const struct recorder *rec)
{
	return capfile_writer_bytes(rec->writer);
}

static void destroy(struct recorder *rec)
{
	forget_all(rec);
	symbols_close(rec->written);
	for (size_t i = 0; i < rec->module_count; i++)
		free(rec->modules[i].name);
	free(rec->modules);
	free(rec->triggers);
	free(rec);
}

int recorder_open(const struct recorder_options *opts, struct recorder **ret_recorder,
		  struct errmsg *msg)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	_cleanup_free_ uint8_t *meta = NULL;
	size_t len = 0;
	int err;

	if (!rec)
		return -ENOMEM;
	rec->opts = *opts;
	rec->generation = 1;
	err = symbols_open_empty(&rec->written);
	err = err ?: capfile_writer_open(opts->path, &rec->writer, msg);
	if (err) {
		destroy(rec);
		return err;
	}
	err = meta_of_host(opts, &meta, &len);
	err = err ?: add_record(rec, CAPFILE_META, meta, len);
	err = err ?: capfile_writer_flush(rec->writer);
	if (err) {
		capfile_writer_close(rec->writer);
		destroy(rec);
		return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EINVAL : err, "%s: %s",
				  opts->path, strerror(-err));
	}
	*ret_recorder = rec;
	return 0;
}

int recorder_close(struct recorder *rec, uint64_t lost)
{
	uint64_t end[2];
	int err, close_err;

	if (!rec)
		return 0;
	end[0] = rec->count;
	end[1] = lost;
	err = add_record(rec, CAPFILE_END, end, sizeof(end));
	close_err = capfile_writer_close(rec->writer);
	destroy(rec);
	return err ?: close_err;
}
