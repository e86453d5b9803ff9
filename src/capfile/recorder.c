// SPDX-License-Identifier: GPL-2.0
#include "capfile/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capfile/context.h"
#include "capfile/meta.h"
#include "capfile/reader.h"
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
/* Blocks, and functions, remembered: a power of two. Which are forgotten costs time, nothing else.
 */
#define BLOCKS	     8192u
#define TRIGGERS_MAX 65536u
/* Numbers from 1 to the last one that a reader takes. */
#define MODULES_MAX 4095u

/** struct block - a straight run that was seen to with all that it needs */
struct block {
	uint64_t start;
	uint64_t end;
	uint64_t names; /* symbols_version() of then */
	uint32_t generation;
};

/** struct seen - a function, or a part of text that belongs to none, that was seen to */
struct seen {
	uint64_t addr;
	uint64_t names;
	uint32_t generation;
	bool part;
};

/**
 * struct written_trigger - number in the file is the index
 * @trigger: NULL: it was of a file that is not read any more
 * @hash: of what was written
 */
struct written_trigger {
	const struct trigger *trigger;
	enum trigger_kind kind;
	uint64_t hash;
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

/**
 * struct recorder
 * @generation: of text: recorder_text_may_differ() begins the next one
 * @symbols, @text: as a reader of the file has them by now. Each need of a snapshot is held against
 * them, and what differs is written. Nothing that still holds is ever taken from a reader: so what
 * was seen to stays, and is remembered in @blocks and @seen as long as neither symbols nor text may
 * differ
 * @user: the snapshot at hand is of a user function
 * @process: that the user addresses written last are of
 * @pages: of programs' text that a reader may keep, at most
 * @buffer: text that is being looked at
 */
struct recorder {
	struct recorder_options opts;
	struct capfile_writer *writer;
	uint32_t generation;
	uint64_t count;
	uint64_t flushed; /* of these */
	struct symbols *symbols;
	struct textstore *text;
	struct written_trigger *triggers;
	size_t trigger_count;
	size_t last_trigger;
	struct written_module *modules;
	size_t module_count;
	bool user;
	uint32_t process;
	size_t pages;
	struct block blocks[BLOCKS];
	struct seen seen[BLOCKS];
	uint8_t buffer[TEXT_BYTES_MAX];
};

static void forget_seen(struct recorder *rec)
{
	memset(rec->blocks, 0, sizeof(rec->blocks));
	memset(rec->seen, 0, sizeof(rec->seen));
}

/*
 * What the file says
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
	if (rec->opts.from)
		err = capfile_module(rec->opts.from, name, (uint16_t)(index + 1), &payload, &len);
	else
		err = meta_module((uint16_t)(index + 1), name, &payload, &len);
	if (err)
		return err == -ENOENT ? -E2BIG : err;
	hash = fnv(FNV_START, payload, len);
	if (hash != module->hash)
		err = add_record(rec, CAPFILE_MODULE, payload, len);
	module->hash = hash;
	return err ?: (int)index + 1;
}

static int write_text(struct recorder *rec, uint64_t addr, const uint8_t *bytes, size_t len)
{
	const struct iovec parts[] = {{&addr, 8}, {(void *)bytes, len}};

	if (!address_is_kernel(addr))
		rec->pages += len / TEXTSTORE_PAGE_BYTES + 2;
	return capfile_writer_add(rec->writer, CAPFILE_TEXT, parts, ARRAY_SIZE(parts));
}

static int write_gone(struct recorder *rec, uint64_t addr, uint64_t len)
{
	const struct iovec parts[] = {{&addr, 8}, {&len, 8}};

	symbols_remove(rec->symbols, addr, len);
	textstore_forget(rec->text, addr, len);
	return capfile_writer_add(rec->writer, CAPFILE_GONE, parts, ARRAY_SIZE(parts));
}

static bool same_symbol(const struct symbol *a, const struct symbol *b)
{
	return a->addr == b->addr && a->size == b->size && !strcmp(a->name, b->name) &&
	       !strcmp(a->module, b->module);
}

/* The address has no symbol any more: GONE of one byte takes the whole symbol that was there. */
static int put_no_name(struct recorder *rec, uint64_t addr)
{
	struct text_source text = textstore_source(rec->text);
	struct symbol old;
	uint8_t byte;
	bool there;
	int err;

	if (symbols_overlapping(rec->symbols, addr, 1, &old))
		return 0;
	there = !text.read(text.ctx, addr, &byte, 1);
	err = write_gone(rec, addr, 1);
	if (err || !there)
		return err;
	err = textstore_write(rec->text, addr, &byte, 1);
	return err ?: write_text(rec, addr, &byte, 1);
}

/* No reader would take this symbol: those that it replaces are gone without it. */
static int put_no_names(struct recorder *rec, const struct symbol *sym)
{
	struct symbol old;
	int err = 0;

	while (!err && !symbols_overlapping(rec->symbols, sym->addr, sym->size ?: 1, &old))
		err = put_no_name(rec, old.addr > sym->addr ? old.addr : sym->addr);
	return err;
}

/* A reader, as symbols_add(), forgets all symbols that it overlaps. */
static int put_symbol(struct recorder *rec, const struct symbol *sym)
{
	int err, module = module_number(rec, sym->module);
	struct symbol had;

	if (module == -E2BIG) /* one more program than a reader takes, or none that it keeps */
		return put_no_names(rec, sym);
	if (module < 0)
		return module;
	if (!sym->size || (!symbols_find(rec->symbols, sym->addr, &had) && same_symbol(&had, sym)))
		return 0;
	err = symbols_add(rec->symbols, sym);
	if (err == -EINVAL || err == -E2BIG)
		return put_no_names(rec, sym);
	return err ?: records_write_symbol(rec->writer, sym, module);
}

/*
 * No text is there from here on. A reader forgets the symbols of those bytes, too: those that
 * still hold are written again.
 */
static int put_no_text(struct recorder *rec, uint64_t addr, uint64_t len)
{
	_cleanup_free_ struct symbol *kept = NULL;
	struct symbol old, live;
	size_t count = 0;
	int err;

	if (!textstore_has_any(rec->text, addr, len))
		return 0;
	while (!symbols_overlapping(rec->symbols, addr, len, &old)) {
		symbols_remove(rec->symbols, old.addr, old.size);
		if (symbols_find(rec->opts.symbols, old.addr, &live) || !same_symbol(&live, &old))
			continue;
		if (vector_grow(&kept, count, sizeof(*kept)))
			return -ENOMEM;
		kept[count++] = old;
	}
	err = write_gone(rec, addr, len);
	for (size_t i = 0; i < count && !err; i++)
		err = put_symbol(rec, &kept[i]);
	return err;
}

/* The text in rec->buffer */
static int put_text(struct recorder *rec, uint64_t addr, size_t len)
{
	int err = textstore_write(rec->text, addr, rec->buffer, len);

	if (err == -E2BIG) /* more than a reader keeps */
		return put_no_text(rec, addr, len);
	return err ?: write_text(rec, addr, rec->buffer, len);
}

/*
 * What a snapshot needs
 */

/* The name that the target of a branch is printed with, or that it has none. */
static int need_target(struct recorder *rec, uint64_t target)
{
	struct symbol sym;

	if (symbols_find(rec->opts.symbols, target, &sym))
		return put_no_name(rec, target);
	return put_symbol(rec, &sym);
}

/* Names of what the @len bytes of text in rec->buffer lead to: a view may print them. */
static int need_targets(struct recorder *rec, uint64_t addr, size_t len)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	for (size_t at = 0; at < len; at += in.len) {
		int err = 0;

		/* One at the end may go on in the next stretch. */
		if (insn_decode(rec->buffer + at, len - at, addr + at, &in) &&
		    (len - at >= INSN_LEN_MAX ||
		     insn_fetch(&rec->opts.text, addr + at, bytes, &in))) {
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

/* Into rec->buffer; false if not all of it is there. */
static bool read_text(struct recorder *rec, uint64_t addr, size_t len)
{
	const struct text_source *text = &rec->opts.text;

	return !text->read(text->ctx, addr, rec->buffer, len);
}

/*
 * Reads the part of [@start, @start + @len) that is there into rec->buffer: what begins or ends
 * with it. Return: bytes; they stand @ret_skip behind @start.
 */
static size_t read_stretch(struct recorder *rec, uint64_t start, size_t len, size_t *ret_skip)
{
	size_t good = 0, bad = len;
	bool at_start;

	*ret_skip = 0;
	if (read_text(rec, start, len))
		return len;
	at_start = read_text(rec, start, 1);
	while (bad - good > 1) {
		size_t mid = (good + bad) / 2;

		if (read_text(rec, at_start ? start : start + len - mid, mid))
			good = mid;
		else
			bad = mid;
	}
	*ret_skip = at_start ? 0 : len - good;
	return good && read_text(rec, start + *ret_skip, good) ? good : 0;
}

/* The text in rec->buffer; @named: what the text that the file had led to has its names. */
static int need_stretch(struct recorder *rec, uint64_t addr, size_t len, bool named)
{
	int err;

	if (textstore_has(rec->text, addr, rec->buffer, len))
		return named ? 0 : need_targets(rec, addr, len);
	err = put_text(rec, addr, len);
	return err ?: need_targets(rec, addr, len);
}

/*
 * A function, or a part of text, in one piece if it is all there, else as far as it is: then an
 * instruction may reach from one stretch into the next, which is another one than before.
 */
static int need_text(struct recorder *rec, uint64_t addr, uint64_t size, bool named)
{
	int err = 0;

	if (read_text(rec, addr, size))
		return need_stretch(rec, addr, size, named);
	for (uint64_t at = addr, left = size, len; left && !err; at += len, left -= len) {
		size_t skip, got;

		len = STRETCH_BYTES - at % STRETCH_BYTES;
		len = len < left ? len : left;
		got = read_stretch(rec, at, len, &skip);
		skip = got ? skip : len;
		err = put_no_text(rec, at, skip);
		if (!err && got)
			err = need_stretch(rec, at + skip, got, false);
		if (!err)
			err = put_no_text(rec, at + skip + got, len - skip - got);
	}
	return err;
}

/* Where it is remembered; @ret_named: its text leads to the same as when it was seen to. */
static struct seen *find_seen(struct recorder *rec, uint64_t addr, bool part, bool *ret_named)
{
	struct seen *seen = &rec->seen[hash_number(addr ^ part) % BLOCKS];

	if (seen->addr != addr || seen->part != part)
		*seen = (struct seen){.addr = addr, .part = part};
	*ret_named = seen->generation && seen->names == symbols_version(rec->opts.symbols);
	return seen;
}

/* Unless that was done. @seen: of it */
static int see_to_text(struct recorder *rec, struct seen *seen, uint64_t size, bool named)
{
	int err;

	if (named && seen->generation == rec->generation)
		return 0;
	err = need_text(rec, seen->addr, size, named);
	if (!err) {
		seen->generation = rec->generation;
		seen->names = symbols_version(rec->opts.symbols);
	}
	return err;
}

/* The part of text around an address; no function, or a very long one. */
static int need_part(struct recorder *rec, uint64_t addr)
{
	bool named;
	struct seen *seen = find_seen(rec, addr & ~(uint64_t)(PART_BYTES - 1), true, &named);

	return see_to_text(rec, seen, PART_BYTES, named);
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
	bool named;
	struct seen *seen = find_seen(rec, sym->addr, false, &named);
	int err = put_symbol(rec, sym);

	if (err || !rec->opts.text.read || !sym->size || sym->size > TEXT_BYTES_MAX ||
	    (named && seen->generation == rec->generation))
		return err;
	err = see_to_text(rec, seen, sym->size, named);
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
			err = put_no_name(rec, addr);
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
	uint64_t names = symbols_version(rec->opts.symbols);
	int err;

	if (block->start == start && block->end == end && block->generation == rec->generation &&
	    block->names == names)
		return 0;
	if (end < start || end - start > RUN_BYTES_MAX) {
		err = need_run(rec, start, start);
		err = err ?: need_run(rec, end, end);
	} else {
		err = need_run(rec, start, end);
	}
	if (!err)
		*block = (struct block){start, end, names, rec->generation};
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
	if (rec->process && pid != rec->process)
		forget_seen(rec);
	rec->process = pid;
	/* No reader could keep all, where each process is loaded elsewhere. */
	if (rec->pages < TEXTSTORE_PAGES_MAX / 2)
		return 0;
	forget_seen(rec);
	rec->pages = 0;
	return write_gone(rec, 0, CAPFILE_GONE_USER);
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

/* The same of what led there; of the kernel alone. */
static int need_way(struct recorder *rec, const struct deep_way *way, uint64_t ip)
{
	int err = 0;

	for (size_t i = 0; i < way->count && !err; i++) {
		uint64_t start = way->branches[i].to;
		uint64_t end = i + 1 < way->count ? way->branches[i + 1].from : ip;

		err = need_address(rec, way->branches[i].from);
		if (!err && address_is_kernel(start & end))
			err = need_block(rec, start, end);
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

/*
 * Snapshots
 */

/* The same one out of a file that was read before. */
static bool find_read_before(struct recorder *rec, const struct trigger *trigger, uint32_t *ret)
{
	uint64_t hash = records_trigger_hash(trigger);

	for (size_t i = 0; i < rec->trigger_count; i++)
		if (!rec->triggers[i].trigger && rec->triggers[i].hash == hash) {
			rec->triggers[i].trigger = trigger;
			*ret = (uint32_t)i;
			return true;
		}
	return false;
}

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
	if (rec->opts.from && find_read_before(rec, trigger, ret))
		return 0;
	if (rec->trigger_count >= TRIGGERS_MAX)
		return -E2BIG;
	if (vector_grow(&rec->triggers, rec->trigger_count, sizeof(*rec->triggers)))
		return -ENOMEM;
	err = records_write_trigger(rec->writer, (uint32_t)rec->trigger_count, trigger);
	if (err)
		return err;
	rec->triggers[rec->trigger_count] =
		(struct written_trigger){trigger, trigger->kind, records_trigger_hash(trigger)};
	*ret = (uint32_t)rec->trigger_count;
	rec->last_trigger = rec->trigger_count++;
	return 0;
}

int recorder_need(struct recorder *rec, uint64_t addr)
{
	return need_address(rec, addr);
}

int recorder_add(struct recorder *rec, const struct snapshot *snap, uint64_t lost)
{
	struct capfile_snapshot fixed = records_snapshot(snap, lost);
	struct iovec parts[] = {
		{&fixed, sizeof(fixed)},
		{(void *)snap->raw, snap->raw_count * sizeof(snap->raw[0])},
	};
	int err;

	if (snap->raw_count > BRANCHES_MAX || !snap->trigger)
		return -EINVAL;
	err = trigger_number(rec, snap->trigger, &fixed.trigger);
	err = err ?: select_process(rec, snap);
	err = err ?: need_branches(rec, snap);
	err = err ?: need_way(rec, &snap->way, snap->ip);
	err = err ?: need_stack(rec, snap);
	err = err ?: context_write(rec->writer, snap);
	err = err ?: capfile_writer_add(rec->writer, CAPFILE_SNAPSHOT, parts, ARRAY_SIZE(parts));
	rec->count += !err;
	return err;
}

void recorder_read_from(struct recorder *rec, struct capfile *from)
{
	rec->opts.from = from;
	rec->opts.symbols = capfile_symbols(from);
	rec->opts.text = textstore_source(capfile_text(from));
	for (size_t i = 0; i < rec->trigger_count; i++)
		rec->triggers[i].trigger = NULL;
	forget_seen(rec);
	recorder_text_may_differ(rec);
}

void recorder_text_may_differ(struct recorder *rec)
{
	if (++rec->generation)
		return;
	rec->generation = 1;
	forget_seen(rec);
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
	symbols_close(rec->symbols);
	textstore_destroy(rec->text);
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
	rec->text = textstore_create();
	err = rec->text ? symbols_open_empty(&rec->symbols) : -ENOMEM;
	err = err ?: capfile_writer_open(opts->path, opts->fd, &rec->writer, msg);
	if (err) {
		destroy(rec);
		return err;
	}
	if (opts->from)
		err = meta_of_file(capfile_meta(opts->from), opts->command, &meta, &len);
	else
		err = meta_of_host(opts, &meta, &len);
	err = err ?: add_record(rec, CAPFILE_META, meta, len);
	err = err ?: capfile_writer_flush(rec->writer);
	if (err) {
		capfile_writer_close(rec->writer);
		destroy(rec);
		return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EINVAL : err, "%s: %s",
				  opts->path ?: "a capture in memory", strerror(-err));
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
