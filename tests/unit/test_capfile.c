// SPDX-License-Identifier: GPL-2.0
/* What was recorded is what is read: whole files, cut ones, damaged ones, files that cannot grow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "../symbol_table.h"
#include "../whole_file.h"
#include "capfile/format.h"
#include "capfile/reader.h"
#include "capfile/recorder.h"
#include "util/cleanup.h"

#define KERNEL	  0xffffffff81000000ull
#define MODULE	  0xffffffffc0000000ull
#define SNAPSHOTS 20

static char dir[] = "/tmp/lbrsnoop-capfile.XXXXXX";
static char path[64];
static struct symbols *symbols;
static uint8_t patch;	   /* byte of the text that changes */
static uint8_t module_key; /* so is the module's text, each byte */
static bool module_gone;   /* its memory is not there */

/* Two functions of the kernel, one of a module, and text between that belongs to none. */
static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T alpha\n"
			       "ffffffff81000100 t beta\n"
			       "ffffffff81000200 t beta.cold\n"
			       "ffffffff81000210 D some_data\n"
			       "ffffffffc0000000 t gamma\t[mod]\n"
			       "ffffffffc0000080 t delta\t[mod]\n";

/* Each byte tells its address; NOPs would do, but would not show a mix-up. */
static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	uint8_t *bytes = buf;

	if (addr < KERNEL || (addr + len > KERNEL + 0x1000 && addr < MODULE) ||
	    addr + len > MODULE + 0x1000 || (addr >= MODULE && module_gone))
		return -EFAULT;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)((addr + i) * 7 + ((addr + i) >> 8)) ^
			   (addr >= MODULE ? module_key : 0);
	if (addr <= KERNEL + 0x10 && addr + len > KERNEL + 0x10)
		bytes[KERNEL + 0x10 - addr] = patch;
	return 0;
}

static const struct lbr_info lbr = {.model = "skylake",
				    .format = 5,
				    .depth = 32,
				    .supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES};

static struct recorder_options options(void)
{
	return (struct recorder_options){
		.path = path,
		.command = "record -o x alpha",
		.tool = "test",
		.symbols = symbols,
		.text = {.read = read_text},
		.lbr = &lbr,
		.filter = "any,u,k",
		.path_ok = true,
	};
}

static struct trigger trigger = {
	.target = (char *)"alpha",
	.kind = TRIGGER_FEXIT,
	.function = (char *)"alpha",
	.module = (char *)"",
	.addr = KERNEL,
	.func_addr = KERNEL,
	.func_size = 0x100,
};

/* Flags as the kernel gives them: bit 0 mispredicted, 1 predicted, 4 to 19 cycles. */
static const struct raw_branch raw[] = {
	{MODULE + 0x20, KERNEL + 0x108, 2 | 7 << 4}, /* newest first */
	{KERNEL + 0x30, MODULE + 0x10, 1 | 9 << 4},
	{0x7f0000001000, KERNEL + 0x8, 2},
};

static struct snapshot make(uint64_t number)
{
	struct snapshot snap = {
		.ts_ns = 1000 + number,
		.cpu = (uint32_t)number % 4,
		.pid = 100,
		.tid = 101,
		.comm = "bad\x1b[31m",
		.trigger = &trigger,
		.ip = KERNEL,
		.has_retval = true,
		.retval = -ENOENT,
		.count = 3,
		.raw = raw,
		.raw_count = 3,
		.dropped = 29,
		.path_ok = true,
		.mixed = (enum tri)(number % 3),
	};

	for (uint32_t i = 0; i < 3; i++)
		snap.branches[i] = (struct branch){.from = raw[2 - i].from, .to = raw[2 - i].to};
	return snap;
}

/* Size of the file after each snapshot that record() wrote. */
static uint64_t flushed[SNAPSHOTS];

static void record(size_t count)
{
	struct recorder_options opts = options();
	struct recorder *recorder;
	struct errmsg msg = {};

	assert_int_equal(recorder_open(&opts, &recorder, &msg), 0);
	for (size_t i = 0; i < count; i++) {
		struct snapshot snap = make(i);

		assert_int_equal(recorder_add(recorder, &snap, i == 3 ? 5 : 0), 0);
		assert_int_equal(recorder_flush(recorder), 0);
		flushed[i] = recorder_bytes(recorder);
	}
	assert_int_equal(recorder_count(recorder), count);
	assert_int_equal(recorder_close(recorder, 2), 0);
}

/* All of the file; free() */
static uint8_t *slurp(size_t *ret_len)
{
	uint8_t *bytes = whole_file(path, ret_len);

	assert_non_null(bytes);
	return bytes;
}

static void check_snapshot(const struct snapshot *snap, uint64_t number)
{
	assert_int_equal(snap->ts_ns, 1000 + number);
	assert_int_equal(snap->cpu, number % 4);
	assert_int_equal(snap->pid, 100);
	assert_int_equal(snap->tid, 101);
	assert_string_equal(snap->comm, "bad\x1b[31m");
	assert_int_equal(snap->ip, KERNEL);
	assert_true(snap->has_retval);
	assert_int_equal(snap->retval, -ENOENT);
	assert_int_equal(snap->err, ENOENT);
	assert_true(snap->path_ok);
	assert_int_equal(snap->mixed, number % 3);
	assert_int_equal(snap->stale, TRI_NOT_REPORTED);
	assert_int_equal(snap->tracing, 0);
	assert_null(snap->log);
	assert_string_equal(snap->filter, "any,u,k");
	assert_string_equal(snap->trigger->target, "alpha");
	assert_string_equal(snap->trigger->function, "alpha");
	assert_string_equal(snap->trigger->module, "");
	assert_int_equal(snap->trigger->kind, TRIGGER_FEXIT);
	assert_int_equal(snap->trigger->func_size, 0x100);
	assert_string_equal(snap->lbr->model, "skylake");
	assert_int_equal(snap->lbr->depth, 32);
	assert_int_equal(snap->count, 3);
	assert_int_equal(snap->dropped, 29);
	assert_int_equal(snap->missing, 0);
	assert_int_equal(snap->branches[0].from, 0x7f0000001000);
	assert_int_equal(snap->branches[2].to, KERNEL + 0x108);
	assert_int_equal(snap->branches[1].mispred, TRI_SET);
	assert_int_equal(snap->branches[1].cycles, 9);
	assert_int_equal(snap->branches[2].mispred, TRI_CLEAR);
	assert_int_equal(snap->branches[2].in_tx, TRI_NOT_REPORTED);
}

static void record_whole_reads_all_back(void **state)
{
	struct capfile *file;
	struct snapshot snap;
	struct errmsg msg = {};
	uint64_t lost;
	char why[200];

	record(SNAPSHOTS);
	assert_int_equal(capfile_open(path, &file, &msg), 0);
	assert_string_equal(meta_get(capfile_meta(file), "command"), "record -o x alpha");
	assert_int_equal(capfile_meta(file)->text_addr, KERNEL);
	assert_int_equal(capfile_meta(file)->stext, KERNEL);
	for (uint64_t i = 0; i < SNAPSHOTS; i++) {
		lost = 77;
		memset(&snap, 0x5a, sizeof(snap));
		assert_int_equal(capfile_next(file, &snap, &lost), 1);
		check_snapshot(&snap, i);
		assert_int_equal(lost, i == 3 ? 5 : 0);
	}
	assert_int_equal(capfile_next(file, &snap, &lost), 0);
	assert_int_equal(capfile_ended(file), CAPFILE_END_CLEAN);
	assert_int_equal(capfile_lost(file), 2);
	assert_string_equal(capfile_end_text(file, why, sizeof(why)), "");
	capfile_close(file);
}

static void record_symbols_and_text_are_those_of_the_functions(void **state)
{
	struct text_source text;
	struct capfile *file;
	struct snapshot snap;
	struct symbol sym;
	uint64_t lost;
	uint8_t want[0x100], got[0x100];

	record(1);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	assert_int_equal(capfile_next(file, &snap, &lost), 1);
	text = textstore_source(capfile_text(file));
	assert_int_equal(symbols_find(capfile_symbols(file), KERNEL + 0x30, &sym), 0);
	assert_string_equal(sym.name, "alpha");
	assert_int_equal(sym.size, 0x100);
	assert_int_equal(symbols_find(capfile_symbols(file), MODULE + 0x7f, &sym), 0);
	assert_string_equal(sym.name, "gamma");
	assert_string_equal(sym.module, "mod");
	assert_int_equal(sym.size, 0x80);
	/* beta's cold part, because a graph shows it; data and delta, no: nothing leads there */
	assert_int_equal(symbols_by_name(capfile_symbols(file), "", "beta.cold", 0, &sym), 0);
	assert_int_equal(sym.addr, KERNEL + 0x200);
	assert_int_equal(symbols_find(capfile_symbols(file), KERNEL + 0x210, &sym), -ENOENT);
	for (uint64_t at = KERNEL; at < KERNEL + 0x200; at += 0x100) {
		assert_int_equal(read_text(NULL, at, want, sizeof(want)), 0);
		assert_int_equal(text.read(text.ctx, at, got, sizeof(got)), 0);
		assert_memory_equal(want, got, sizeof(want));
	}
	assert_int_equal(text.read(text.ctx, MODULE, got, 0x80), 0);
	assert_int_equal(text.read(text.ctx, MODULE + 1, got, 0x80), -EFAULT);
	capfile_close(file);
}

#define TEXT_END (KERNEL + 0x8f5)

/* As of a program's last segment, which ends where no part of text does. */
static int read_to_the_end(void *ctx, uint64_t addr, void *buf, size_t len)
{
	return addr + len > TEXT_END && addr < MODULE ? -EFAULT : read_text(ctx, addr, buf, len);
}

static void record_text_that_ends_in_a_part_is_there_up_to_its_end(void **state)
{
	struct recorder_options opts = options();
	struct snapshot snap = make(0);
	struct text_source text;
	struct recorder *recorder;
	struct capfile *file;
	uint8_t want[5], got[6];
	uint64_t lost;

	opts.text.read = read_to_the_end;
	snap.ip = TEXT_END - 1;
	snap.branches[2].to = TEXT_END - 5;
	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	assert_int_equal(recorder_add(recorder, &snap, 0), 0);
	assert_int_equal(recorder_close(recorder, 0), 0);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	assert_int_equal(capfile_next(file, &snap, &lost), 1);
	text = textstore_source(capfile_text(file));
	assert_int_equal(text.read(text.ctx, TEXT_END - 5, got, 5), 0);
	assert_int_equal(read_text(NULL, TEXT_END - 5, want, 5), 0);
	assert_memory_equal(want, got, 5);
	assert_int_equal(text.read(text.ctx, TEXT_END - 5, got, 6), -EFAULT);
	capfile_close(file);
}

static void record_text_that_changes_is_that_of_each_snapshot(void **state)
{
	struct recorder_options opts = options();
	struct text_source text;
	struct recorder *recorder;
	struct capfile *file;
	struct snapshot snap = make(0);
	uint64_t lost;
	uint8_t byte;

	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	for (patch = 0x90; patch < 0x93; patch++) {
		recorder_text_may_differ(recorder);
		assert_int_equal(recorder_add(recorder, &snap, 0), 0);
	}
	patch = 0xcc; /* nobody was told */
	assert_int_equal(recorder_add(recorder, &snap, 0), 0);
	patch = 0;
	assert_int_equal(recorder_close(recorder, 0), 0);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	text = textstore_source(capfile_text(file));
	for (int i = 0; i < 4; i++) {
		assert_int_equal(capfile_next(file, &snap, &lost), 1);
		assert_int_equal(text.read(text.ctx, KERNEL + 0x10, &byte, 1), 0);
		assert_int_equal(byte, i < 3 ? 0x90 + i : 0x92);
	}
	capfile_close(file);
}

/** struct module_life - what stands in a module's memory, one after the other */
struct module_life {
	const char *name; /* NULL: none */
	const char *module;
	uint32_t offset;
	bool gone;
	uint8_t key;
};

static const struct module_life lives[] = {
	{"gamma", "mod", 0, false, 0},
	/* unloaded */
	{NULL, NULL, 0, true, 0},
	/* another one, over the end of where the first one was */
	{"other", "second", 0x20, false, 0x55},
	/* the first one again, at the same place */
	{"gamma", "mod", 0, false, 0},
	/* unloaded, and something without a symbol has the memory */
	{NULL, NULL, 0, false, 0xaa},
	{"gamma", "mod", 0, false, 0},
};

static void check_life(struct capfile *file, const struct module_life *life)
{
	struct text_source text = textstore_source(capfile_text(file));
	struct symbol sym;
	uint8_t got[16], want[16];

	/* gamma's end, where the other one's is not */
	if (life->name && life->offset) {
		assert_int_equal(symbols_find(capfile_symbols(file), MODULE + 0x10, &sym), -ENOENT);
		assert_int_equal(symbols_by_name(capfile_symbols(file), NULL, "gamma", 0, &sym),
				 -ENOENT);
	}
	if (life->name) {
		assert_int_equal(symbols_find(capfile_symbols(file), MODULE + 0x20, &sym), 0);
		assert_string_equal(sym.name, life->name);
		assert_string_equal(sym.module, life->module);
		assert_int_equal(sym.addr, MODULE + life->offset);
	} else {
		assert_int_equal(symbols_find(capfile_symbols(file), MODULE + 0x20, &sym), -ENOENT);
	}
	module_gone = life->gone;
	module_key = life->key;
	assert_int_equal(text.read(text.ctx, MODULE + 0x20, got, sizeof(got)),
			 life->gone ? -EFAULT : 0);
	if (!life->gone) {
		assert_int_equal(read_text(NULL, MODULE + 0x20, want, sizeof(want)), 0);
		assert_memory_equal(got, want, sizeof(got));
	}
}

static void record_module_that_goes_takes_its_symbols_and_text_along(void **state)
{
	const struct symbol alpha = {"alpha", "", KERNEL, 0x100},
			    beta = {"beta", "", KERNEL + 0x100, 0x100};
	struct recorder_options opts = options();
	struct recorder *recorder;
	struct capfile *file;
	struct snapshot snap = make(0);
	uint64_t lost;

	assert_int_equal(symbols_open_empty(&opts.symbols), 0);
	assert_int_equal(symbols_add(opts.symbols, &alpha), 0);
	assert_int_equal(symbols_add(opts.symbols, &beta), 0);
	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		const struct module_life *life = &lives[i];
		const struct symbol sym = {life->name, life->module, MODULE + life->offset, 0x80};

		symbols_remove(opts.symbols, MODULE, 0x1000);
		if (life->name)
			assert_int_equal(symbols_add(opts.symbols, &sym), 0);
		module_gone = life->gone;
		module_key = life->key;
		recorder_text_may_differ(recorder);
		assert_int_equal(recorder_add(recorder, &snap, 0), 0);
	}
	assert_int_equal(recorder_close(recorder, 0), 0);
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		assert_int_equal(capfile_next(file, &snap, &lost), 1);
		check_life(file, &lives[i]);
	}
	module_gone = false;
	module_key = 0;
	assert_int_equal(capfile_next(file, &snap, &lost), 0);
	assert_int_equal(capfile_ended(file), CAPFILE_END_CLEAN);
	capfile_close(file);
	symbols_close(opts.symbols);
}

/* The capture's records, with one of @payload before its first snapshot. */
static void insert_record(enum capfile_type type, const void *payload, uint32_t payload_len)
{
	static uint8_t records[1 << 20], frame[1 << 20];
	uint32_t head[3] = {type, payload_len, 0}, other[3];
	size_t len, at = 0, packed;
	_cleanup_free_ uint8_t *bytes = slurp(&len);
	size_t have = ZSTD_decompress(records, sizeof(records), bytes + CAPFILE_HEADER_BYTES,
				      len - CAPFILE_HEADER_BYTES);
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	assert_false(ZSTD_isError(have));
	for (;;) {
		assert_true(at + sizeof(other) < have);
		memcpy(other, records + at, sizeof(other));
		if (other[0] == CAPFILE_SNAPSHOT)
			break;
		at += sizeof(other) + other[1];
	}
	head[2] = (uint32_t)crc32(crc32(0, (const void *)head, 8), payload, payload_len);
	memmove(records + at + sizeof(head) + payload_len, records + at, have - at);
	memcpy(records + at, head, sizeof(head));
	memcpy(records + at + sizeof(head), payload, payload_len);
	packed = ZSTD_compress(frame, sizeof(frame), records, have + sizeof(head) + payload_len, 1);
	assert_false(ZSTD_isError(packed));
	fwrite(bytes, 1, CAPFILE_HEADER_BYTES, out);
	fwrite(frame, 1, packed, out);
	assert_int_equal(fclose(out), 0);
}

/* A capture may come from anywhere: ESC and U+009B begin a command of the reader's terminal. */
static void read_symbol_with_control_characters_is_made_plain(void **state)
{
	static const char name[] = "caf\xc3\xa9\x1b[2J\xc2\x9b"
				   "2J\x7f";
	uint64_t addr = KERNEL, lost;
	uint32_t size = 0x100;
	uint16_t module = 0, chars = sizeof(name) - 1;
	uint8_t payload[8 + 4 + 2 + 2 + sizeof(name) - 1], *at = payload;
	struct capfile *file;
	struct snapshot snap;
	struct symbol sym;

	(void)state;
	at = mempcpy(at, &addr, 8);
	at = mempcpy(at, &size, 4);
	at = mempcpy(at, &module, 2);
	at = mempcpy(at, &chars, 2);
	memcpy(at, name, chars);
	record(1);
	insert_record(CAPFILE_SYMBOLS, payload, sizeof(payload));
	assert_int_equal(capfile_open(path, &file, NULL), 0);
	assert_int_equal(capfile_next(file, &snap, &lost), 1);
	assert_int_equal(symbols_find(capfile_symbols(file), KERNEL + 0x10, &sym), 0);
	assert_string_equal(sym.name, "caf\xc3\xa9?[2J??2J?");
	capfile_close(file);
}

/* Snapshots that can be read of the first @len bytes; *@ret_end: how it ended. -1: it has no head
 */
static int readable(const uint8_t *bytes, size_t len, enum capfile_end *ret_end)
{
	struct capfile *file;
	struct snapshot snap;
	uint64_t lost;
	int count = 0;
	uint8_t *copy = malloc(len ? len : 1); /* exact: a sanitizer sees a read beyond it */

	memcpy(copy, bytes, len);
	if (capfile_open_bytes(copy, len, UINT64_MAX, &file, NULL)) {
		free(copy);
		return -1;
	}
	while (capfile_next(file, &snap, &lost) > 0) {
		check_snapshot(&snap, (uint64_t)count);
		count++;
	}
	*ret_end = capfile_ended(file);
	capfile_close(file);
	free(copy);
	return count;
}

static void read_cut_at_every_length_gives_all_whole_snapshots(void **state)
{
	size_t len;

	record(SNAPSHOTS);
	_cleanup_free_ uint8_t *bytes = slurp(&len);
	for (size_t cut = 0; cut <= len; cut++) {
		enum capfile_end end = CAPFILE_END_CUT;
		int count = readable(bytes, cut, &end), want = 0;

		while (want < SNAPSHOTS && flushed[want] <= cut)
			want++;
		assert_true(count >= want || (count == -1 && !want));
		assert_true(end == CAPFILE_END_CUT || end == CAPFILE_END_OPEN ||
			    (end == CAPFILE_END_CLEAN && count == SNAPSHOTS));
	}
	assert_true(flushed[SNAPSHOTS - 1] < len);
}

static void read_every_byte_damaged_never_makes_up_a_snapshot(void **state)
{
	size_t len, whole = 0;

	record(SNAPSHOTS);
	_cleanup_free_ uint8_t *bytes = slurp(&len);
	for (size_t at = 0; at < len; at++) {
		enum capfile_end end;
		int count;

		bytes[at] ^= 0x5a;
		count = readable(bytes, len, &end); /* checks each that is read */
		bytes[at] ^= 0x5a;
		whole += count == SNAPSHOTS && end == CAPFILE_END_CLEAN;
	}
	/* The reserved word of the head is nobody's, the last frame's checksum comes after the end.
	 */
	assert_true(whole <= 4 + 8);
}

static void read_newer_version_says_so(void **state)
{
	struct capfile *file;
	struct errmsg msg = {};
	size_t len;

	record(1);
	_cleanup_free_ uint8_t *bytes = slurp(&len);
	bytes[16] = 2;
	assert_int_equal(capfile_open_bytes(bytes, len, UINT64_MAX, &file, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "version 2"));
	assert_int_equal(capfile_open_bytes("hello", 5, UINT64_MAX, &file, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "no capture file"));
	assert_int_equal(capfile_open("/", &file, &msg), -EINVAL);
	assert_int_equal(capfile_open("/nonexistent", &file, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "/nonexistent: No such file"));
}

static void record_the_file_is_private_and_named_at_once(void **state)
{
	struct recorder_options opts = options();
	struct recorder *recorder;
	char command[128], line[128] = "";
	struct stat st;
	FILE *ls;

	umask(0);
	unlink(path);
	assert_int_equal(recorder_open(&opts, &recorder, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(recorder_close(recorder, 0), 0);
	/* nothing else is left in the directory */
	snprintf(command, sizeof(command), "ls -A %s", dir);
	ls = popen(command, "re");
	assert_non_null(fgets(line, sizeof(line), ls));
	assert_string_equal(line, "capture\n");
	assert_null(fgets(line, sizeof(line), ls));
	pclose(ls);
}

static void record_to_full_device_fails(void **state)
{
	struct recorder_options opts = options();
	struct recorder *recorder;
	struct errmsg msg = {};
	struct stat st;

	opts.path = "/dev/full";
	assert_int_equal(recorder_open(&opts, &recorder, &msg), -ENOSPC);
	assert_non_null(strstr(msg.text, "/dev/full: No space left on device"));
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	opts.path = "/nonexistent/file";
	assert_int_equal(recorder_open(&opts, &recorder, &msg), -ENOENT);
	assert_non_null(strstr(msg.text, "/nonexistent/file"));
}

/* Writes until it is killed; @done: snapshots that were written. */
static void write_forever(volatile uint64_t *done)
{
	struct recorder_options opts = options();
	struct recorder *recorder;

	if (recorder_open(&opts, &recorder, NULL))
		_exit(1);
	for (uint64_t i = 0;; i++) {
		struct snapshot snap = make(i);

		patch = (uint8_t)(i / 50);
		if (i % 50 == 0)
			recorder_text_may_differ(recorder);
		if (recorder_add(recorder, &snap, 0))
			_exit(1);
		/* in batches, as a trace does */
		if (i % 7 == 6) {
			if (recorder_flush(recorder))
				_exit(1);
			*done = i + 1;
		}
	}
}

static void record_killed_at_random_moments_loses_nothing_written(void **state)
{
	volatile uint64_t *done =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed = (unsigned int)getpid();
	uint64_t sum = 0;

	assert_true(done != MAP_FAILED);
	print_message("seed %u\n", seed);
	for (int round = 0; round < 50; round++) {
		uint64_t target = (uint64_t)rand_r(&seed) % 3000;
		struct capfile *file;
		struct snapshot snap;
		uint64_t lost, count = 0;
		int status, got;
		pid_t pid;

		*done = 0;
		pid = fork();
		if (!pid)
			write_forever(done);
		assert_true(pid > 0);
		while (*done < target)
			sched_yield();
		for (volatile int spin = rand_r(&seed) % 20000; spin; spin--)
			;
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		if (!*done && access(path, F_OK))
			continue; /* before it had a name */
		assert_int_equal(capfile_open(path, &file, NULL), 0);
		while ((got = capfile_next(file, &snap, &lost)) > 0)
			check_snapshot(&snap, count++);
		assert_int_equal(got, 0);
		assert_true(count >= *done);
		assert_true(capfile_ended(file) == CAPFILE_END_OPEN ||
			    capfile_ended(file) == CAPFILE_END_CUT);
		sum += count;
		capfile_close(file);
		unlink(path);
	}
	patch = 0;
	assert_true(sum > 1000);
	munmap((void *)done, 4096);
}

static int setup(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	symbols = symbol_table(kallsyms);
	if (!symbols)
		return -1;
	snprintf(path, sizeof(path), "%s/capture", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	rmdir(dir);
	symbols_close(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_whole_reads_all_back),
		cmocka_unit_test(record_symbols_and_text_are_those_of_the_functions),
		cmocka_unit_test(record_text_that_ends_in_a_part_is_there_up_to_its_end),
		cmocka_unit_test(record_text_that_changes_is_that_of_each_snapshot),
		cmocka_unit_test(record_module_that_goes_takes_its_symbols_and_text_along),
		cmocka_unit_test(read_symbol_with_control_characters_is_made_plain),
		cmocka_unit_test(read_cut_at_every_length_gives_all_whole_snapshots),
		cmocka_unit_test(read_every_byte_damaged_never_makes_up_a_snapshot),
		cmocka_unit_test(read_newer_version_says_so),
		cmocka_unit_test(record_the_file_is_private_and_named_at_once),
		cmocka_unit_test(record_to_full_device_fails),
		cmocka_unit_test(record_killed_at_random_moments_loses_nothing_written),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
