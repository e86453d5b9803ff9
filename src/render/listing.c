// SPDX-License-Identifier: GPL-2.0
#include "render/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/fetch.h"
#include "util/address.h"
#include "util/hash_table.h"

/* As PATH_RUN_BYTES_MAX: no straight run of a kernel comes near it. */
#define RUN_BYTES_MAX (64u << 10)
/* Runs that are kept; then all are forgotten. Each has about 400 bytes. */
#define RUNS_MAX (64u << 10)

/**
 * struct run - text of what ran from @start up to the branch from @from to @to
 * @user: the snapshot is of a program: its text is known
 */
struct run {
	uint64_t start;
	uint64_t from;
	uint64_t to;
	bool user;
	char *text; /* without the newline: flags follow */
	uint32_t len;
};

/**
 * struct listing
 * @runs: of struct run
 * @buf: what is being written: a snapshot, or a run
 */
struct listing {
	struct hash_table runs;
	char *buf;
	size_t len;
	size_t size;
	bool failed; /* no memory */
};

struct listing *listing_create(void)
{
	return calloc(1, sizeof(struct listing));
}

void listing_forget(struct listing *listing)
{
	struct run *runs = listing->runs.items;

	for (size_t i = 0; i < listing->runs.count; i++)
		free(runs[i].text);
	hash_table_clear(&listing->runs);
}

void listing_destroy(struct listing *listing)
{
	if (!listing)
		return;
	listing_forget(listing);
	hash_table_deinit(&listing->runs);
	free(listing->buf);
	free(listing);
}

static void put(struct listing *l, const char *text, size_t len)
{
	if (l->size - l->len < len) {
		size_t size = l->size ? l->size : 4096;
		char *buf;

		while (size - l->len < len)
			size *= 2;
		buf = realloc(l->buf, size);
		if (!buf) {
			l->failed = true;
			return;
		}
		l->buf = buf;
		l->size = size;
	}
	memcpy(l->buf + l->len, text, len);
	l->len += len;
}

static void put_text(struct listing *l, const char *text)
{
	put(l, text, strlen(text));
}

static void __attribute__((format(printf, 2, 3))) put_fmt(struct listing *l, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put(l, text, len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

static void put_number(struct listing *l, uint32_t value)
{
	char text[10], *p = text + sizeof(text);

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(l, p, (size_t)(text + sizeof(text) - p));
}

static bool name_target(void *symbols, uint64_t addr, char *buf, size_t len)
{
	char place[200];

	render_location(symbols, addr, place, sizeof(place));
	if (place[0] == '0' && place[1] == 'x')
		return false;
	snprintf(buf, len, "0x%" PRIx64 " <%s>", addr, place);
	return true;
}

static void put_label(struct listing *l, struct symbols *symbols, uint64_t addr)
{
	char place[200];

	put_text(l, render_location(symbols, addr, place, sizeof(place)));
	put_text(l, ":\n");
}

/* One instruction, and the newline before it. 0: it is none, or is not there. */
static uint32_t put_insn(struct listing *l, const struct text_source *text, struct symbols *symbols,
			 uint64_t addr, struct insn *ret)
{
	char formatted[2 * INSN_TEXT_MAX];
	uint8_t bytes[INSN_LEN_MAX];

	if (insn_fetch(text, addr, bytes, ret))
		return 0;
	insn_format(bytes, ret->len, addr, INSN_ATT, name_target, symbols, formatted,
		    sizeof(formatted));
	put_fmt(l, "  %016" PRIx64 "  %s", addr, formatted);
	return ret->len;
}

static bool can_branch(const struct insn *in, uint64_t to)
{
	switch (in->class) {
	case INSN_OTHER:
	case INSN_HLT:
	case INSN_UD:
		return false;
	default:
		return !in->has_target || in->target == to;
	}
}

/* What ran; ends with the branch, without its newline. */
static void write_run(struct listing *l, const struct text_source *text, struct symbols *symbols,
		      const struct run *run)
{
	struct insn in;

	if (!address_is_kernel(run->start & run->from) &&
	    !(run->user && !address_is_kernel(run->start | run->from))) {
		char place[200];

		put_fmt(l, "  %016" PRIx64 "  branch", run->from);
		if (address_is_kernel(run->from))
			put_fmt(l, " in %s",
				render_location(symbols, run->from, place, sizeof(place)));
		else
			put_text(l, " in user space");
		return;
	}
	put_label(l, symbols, run->start);
	if (!text->read || run->from < run->start || run->from - run->start > RUN_BYTES_MAX) {
		put_fmt(l, "  %016" PRIx64 "  (what ran up to here is not known)", run->from);
		return;
	}
	for (uint64_t addr = run->start;;) {
		size_t before = l->len;
		uint32_t len = put_insn(l, text, symbols, addr, &in);

		if (!len || addr > run->from) {
			l->len = before;
			put_fmt(l, "  %016" PRIx64 "  (what ran up to here is not known)",
				run->from);
			return;
		}
		if (addr == run->from) {
			if (can_branch(&in, run->to))
				return;
			l->len = before;
			put_fmt(l, "  %016" PRIx64 "  (interrupt or exception before this)", addr);
			return;
		}
		put(l, "\n", 1);
		addr += len;
	}
}

static bool is_run(const void *element, const void *key)
{
	const struct run *run = element, *wanted = key;

	return run->start == wanted->start && run->from == wanted->from && run->to == wanted->to &&
	       run->user == wanted->user;
}

/* Appends the run, out of what is kept or newly made. */
static void put_run(struct listing *l, const struct text_source *text, struct symbols *symbols,
		    const struct run *key)
{
	uint32_t hash = hash_number(key->start ^ key->from << 13 ^ key->to << 29);
	const struct run *kept = hash_table_find(&l->runs, sizeof(*kept), hash, is_run, key);
	struct run made = *key;
	size_t at = l->len;

	if (kept) {
		put(l, kept->text, kept->len);
		return;
	}
	write_run(l, text, symbols, key);
	if (l->failed)
		return;
	if (l->runs.count >= RUNS_MAX)
		listing_forget(l);
	made.len = (uint32_t)(l->len - at);
	made.text = malloc(made.len ? made.len : 1);
	if (made.text)
		memcpy(made.text, l->buf + at, made.len);
	if (!made.text || !hash_table_add(&l->runs, sizeof(made), hash, &made)) {
		free(made.text);
		l->failed = true;
	}
}

static void put_flags(struct listing *l, const struct branch *br)
{
	const char *type = branch_type_name(br->type);

	put_text(l, "\t#");
	if (br->cycles != CYCLES_NOT_REPORTED) {
		put(l, " ", 1);
		put_number(l, (uint32_t)br->cycles);
		put_text(l, br->cycles == 1 ? " cycle" : " cycles");
	}
	if (type) {
		put(l, " ", 1);
		put_text(l, type);
	}
	if (br->mispred == TRI_SET)
		put_text(l, " mispredicted");
	if (br->in_tx == TRI_SET)
		put_text(l, " in transaction");
	if (br->abort == TRI_SET)
		put_text(l, " abort");
	if (br->spec == BRANCH_SPEC_WRONG_PATH)
		put_text(l, " SPEC_WRONG_PATH");
	put(l, "\n", 1);
}

int render_listing(struct listing *listing, FILE *out, const struct snapshot *snap,
		   const struct text_source *text, struct symbols *symbols,
		   const struct text_options *opts)
{
	uint32_t first = opts->raw ? 0 : snap->shown_from;
	uint32_t end = opts->raw ? snap->count : snap->count - snap->wasted;

	listing->len = 0;
	listing->failed = false;
	render_text_heading(out, snap, opts);
	for (uint32_t i = first; i < end; i++) {
		const struct branch *br = &snap->branches[i];
		/* Of the oldest, it is not known where its run began: the branch alone. */
		const struct run key = {.start = i ? snap->branches[i - 1].to : br->from,
					.from = br->from,
					.to = br->to,
					.user = trigger_is_user(snap->trigger)};

		if (opts->raw && snap->wasted && i == snap->count - snap->wasted)
			put_text(listing, "  -- spent by the capture itself:\n");
		put_run(listing, text, symbols, &key);
		put_flags(listing, br);
	}
	if (first == end)
		put_text(listing, snap->count ? "  no branch of the traced code is left\n"
					      : "  the LBR was empty\n");
	else
		put_label(listing, symbols, snap->branches[end - 1].to);
	put(listing, "\n", 1);
	if (listing->failed)
		return -ENOMEM;
	fwrite(listing->buf, 1, listing->len, out);
	return 0;
}
