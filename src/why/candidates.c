// SPDX-License-Identifier: GPL-2.0
#include "why/candidates.h"

#include <emmintrin.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/cold_part.h"
#include "util/cleanup.h"

#define WINDOW_BYTES   (256u << 10)
#define FUNCTION_BYTES (1u << 20)
/* From an opcode to its constant: ModRM, SIB and a displacement of 4 bytes. */
#define CONSTANT_REACH 7
/* Three instructions back to what makes 0 or 1. */
#define TRUTH_REACH 24
/* From the opcode of SAR, over NOT, to that of AND; 15 bytes are an instruction at most. */
#define ONES_REACH 30
/*
 * The area of modules and of generated code begins here, or further up: MODULES_VADDR of
 * arch/x86/include/asm/pgtable_64_types.h, without CONFIG_RANDOMIZE_BASE.
 */
#define MODULES_LOWEST 0xffffffffa0000000
#define CALL_BYTES     5
#define ENTRY_BYTES    9 /* ENDBR and a call */

/*
 * SBB r/m, r and SBB r, r/m of the same register, or SAR r by 31 or 63, in the bytes before an AND,
 * with NOT r between them or not.
 */
static bool behind_ones(const uint8_t *bytes, size_t at)
{
	for (size_t i = at < ONES_REACH ? 0 : at - ONES_REACH; i + 1 < at; i++) {
		if ((bytes[i] == 0x19 || bytes[i] == 0x1b) && bytes[i + 1] >= 0xc0)
			return true;
		if (bytes[i] == 0xc1 && bytes[i + 1] >= 0xf8)
			return true;
	}
	return false;
}

/* Does an opcode with this extension in ModRM stand where the constant at @at may be its own? */
static bool has_opcode(const uint8_t *bytes, size_t at, uint8_t opcode, uint8_t extension)
{
	for (size_t i = 2; i <= CONSTANT_REACH && i <= at; i++)
		if (bytes[at - i] == opcode && (bytes[at - i + 1] >> 3 & 7) == extension)
			return true;
	return false;
}

/* @at: of a constant's first byte, 4 bytes of which are a negative errno. */
static bool loads_constant(const uint8_t *bytes, size_t at)
{
	if (!at)
		return false;
	if (bytes[at - 1] >= 0xb8 && bytes[at - 1] <= 0xbf) /* MOV r, imm */
		return true;
	if (has_opcode(bytes, at, 0xc7, 0)) /* MOV r/m, imm */
		return true;
	if (bytes[at] == 0xff && bytes[at + 1] == 0xff) /* OR rAX, -1; OR r/m, -1 */
		if (bytes[at - 1] == 0x0d || has_opcode(bytes, at, 0x81, 1))
			return true;
	if (bytes[at - 1] == 0x25) /* AND rAX, imm; AND r, imm */
		return behind_ones(bytes, at - 1);
	return at >= 2 && bytes[at - 2] == 0x81 && bytes[at - 1] >= 0xe0 && bytes[at - 1] <= 0xe7 &&
	       behind_ones(bytes, at - 2);
}

/* OR r/m and AND r of a constant of one byte, which is sign-extended. */
static bool is_short_form(const uint8_t *bytes, size_t at, size_t len)
{
	size_t left = len - at;

	if (bytes[at] != 0x83 || left < 3)
		return false;
	if ((bytes[at + 1] >> 3 & 7) == 1)
		return bytes[at + 1] >= 0xc0
			       ? bytes[at + 2] == 0xff
			       : !!memchr(bytes + at + 2, 0xff,
					  left - 2 < CONSTANT_REACH ? left - 2 : CONSTANT_REACH);
	return bytes[at + 1] >= 0xe0 && bytes[at + 1] <= 0xe7 && bytes[at + 2] >= 0x80 &&
	       behind_ones(bytes, at);
}

/* SETcc, MOVZX of a byte, AND of 1 in the few bytes before NEG, or SUB of 1. */
static bool is_truth_minus(const uint8_t *bytes, size_t at, size_t len)
{
	if (len - at < 2 ||
	    !(bytes[at] == 0xf7 ? (bytes[at + 1] & 0xf8) == 0xd8
				: len - at >= 3 && bytes[at] == 0x83 &&
					  (bytes[at + 1] & 0xf8) == 0xe8 && bytes[at + 2] == 1))
		return false;
	for (size_t i = at < TRUTH_REACH ? 0 : at - TRUTH_REACH; i + 1 < at; i++)
		if ((bytes[i] == 0x0f && ((bytes[i + 1] & 0xf0) == 0x90 || bytes[i + 1] == 0xb6)) ||
		    ((bytes[i] == 0x83 || bytes[i] == 0x80) && (bytes[i + 1] & 0xf8) == 0xe0) ||
		    (bytes[i] == 0x24 && bytes[i + 1] == 1))
			return true;
	return false;
}

/* May an instruction's constant end, or a short form begin, at @i? */
static bool may_load_at(const uint8_t *bytes, size_t i, size_t len)
{
	switch (bytes[i]) {
	case 0x83:
		return is_truth_minus(bytes, i, len) || is_short_form(bytes, i, len);
	case 0xf7:
		return is_truth_minus(bytes, i, len);
	case 0xff:
		/* The two high bytes of a constant from -4095 to -1, and the nibble below. */
		return i >= 3 && bytes[i - 1] == 0xff && bytes[i - 2] >= 0xf0 &&
		       (bytes[i - 2] > 0xf0 || bytes[i - 3]) && loads_constant(bytes, i - 3);
	default:
		return false;
	}
}

static __m128i load_16(const uint8_t *bytes)
{
	return _mm_loadu_si128((const __m128i *)bytes);
}

static __m128i equal(__m128i a, int byte)
{
	return _mm_cmpeq_epi8(a, _mm_set1_epi8((char)byte));
}

static __m128i masked_equal(__m128i a, int mask, int byte)
{
	return equal(_mm_and_si128(a, _mm_set1_epi8((char)mask)), byte);
}

/*
 * Of the 16 bytes at @bytes, those at which may_load_at() can be true, a bit each. Read are two
 * bytes before them and one behind: what stands beside each rules out nearly all.
 */
static unsigned int worth_a_look(const uint8_t *bytes)
{
	__m128i at = load_16(bytes), next = load_16(bytes + 1), below = load_16(bytes - 2);
	/* No byte below 0xf0 stays what it is. */
	__m128i high = _mm_cmpeq_epi8(_mm_max_epu8(below, _mm_set1_epi8((char)0xf0)), below);
	__m128i constant = _mm_and_si128(_mm_and_si128(equal(at, 0xff), high),
					 equal(load_16(bytes - 1), 0xff));
	/* OR, AND of a register, SUB of a register; NEG of a register */
	__m128i forms =
		_mm_or_si128(masked_equal(next, 0x38, 0x08), masked_equal(next, 0xf0, 0xe0));
	__m128i group1 = _mm_and_si128(equal(at, 0x83), forms);
	__m128i neg = _mm_and_si128(equal(at, 0xf7), masked_equal(next, 0xf8, 0xd8));

	return (unsigned int)_mm_movemask_epi8(_mm_or_si128(constant, _mm_or_si128(group1, neg)));
}

/* All of a kernel's text comes by here, 20 MB: 16 bytes are passed over by one look. */
bool may_load_errno(const uint8_t *bytes, size_t len)
{
	size_t i = 0;

	for (; i < len && i < 2; i++)
		if (may_load_at(bytes, i, len))
			return true;
	for (; i + 16 < len; i += 16)
		for (unsigned int look = worth_a_look(bytes + i); look; look &= look - 1)
			if (may_load_at(bytes, i + (unsigned int)__builtin_ctz(look), len))
				return true;
	for (; i < len; i++)
		if (may_load_at(bytes, i, len))
			return true;
	return false;
}

/* struct finder - functions are visited by address, so their text is read through a window */
struct finder {
	const struct text_source *text;
	struct symbols *symbols;
	struct candidates *found;
	size_t room;
	uint8_t *window;
	uint64_t window_addr;
	size_t window_len;
	uint64_t last_addr;
	uint64_t image_end; /* of the image's text that is still there; UINT64_MAX: not known */
	size_t read;
};

static const uint8_t *read_text(struct finder *f, uint64_t addr, uint64_t size)
{
	size_t len = WINDOW_BYTES;

	if (addr >= f->window_addr && addr + size <= f->window_addr + f->window_len)
		return f->window + (addr - f->window_addr);
	f->window_len = 0;
	if (size > WINDOW_BYTES)
		len = size;
	/* At the end of a section less can be read. */
	for (; len >= size; len = len > size ? (len / 2 > size ? len / 2 : size) : 0) {
		if (!len)
			return NULL;
		if (!f->text->read(f->text->ctx, addr, f->window, len)) {
			f->window_addr = addr;
			f->window_len = len;
			return f->window;
		}
	}
	return NULL;
}

static int add(struct finder *f, const struct symbol *sym)
{
	struct candidates *found = f->found;

	if (found->count == f->room) {
		size_t room = f->room ? f->room * 2 : 8192;
		struct candidate *items = reallocarray(found->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		found->items = items;
		f->room = room;
	}
	found->items[found->count++] = (struct candidate){.sym = *sym};
	return 0;
}

/*
 * Of a part that GCC split off ("foo.part.0.cold"), the function ("foo.part.0"). Where static
 * functions share the name nobody tells which one it is of: all of them are taken.
 */
static int add_whole(struct finder *f, const struct symbol *part)
{
	struct symbol found;
	int err = 0;

	for (size_t i = 0; !err && !cold_part_whole(f->symbols, part, i, &found); i++)
		err = add(f, &found);
	return err;
}

static int visit(const struct symbol *sym, void *ctx)
{
	struct finder *f = ctx;
	const uint8_t *bytes;

	/* Aliases of one address come one behind the other. */
	if (!sym->size || sym->size > FUNCTION_BYTES || sym->addr == f->last_addr ||
	    symbol_is_bpf(sym))
		return 0;
	f->last_addr = sym->addr;
	/* Text of the start-up, whose memory has another use now, and data that counts as text. */
	if (!*sym->module && sym->addr >= f->image_end)
		return 0;
	bytes = read_text(f, sym->addr, sym->size);
	if (!bytes)
		return 0;
	f->read++;
	if (!may_load_errno(bytes, sym->size))
		return 0;
	return cold_part_prefix(sym->name) ? add_whole(f, sym) : add(f, sym);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct candidate *)a)->sym.addr;
	uint64_t y = ((const struct candidate *)b)->sym.addr;

	return x < y ? -1 : x > y;
}

static void drop_twins(struct candidates *found)
{
	size_t kept = 0;

	qsort(found->items, found->count, sizeof(*found->items), by_address);
	for (size_t i = 0; i < found->count; i++)
		if (!kept || found->items[kept - 1].sym.addr != found->items[i].sym.addr)
			found->items[kept++] = found->items[i];
	found->count = kept;
}

/*
 * Some function begins with a call of its own. What a tracer calls is an entry of ftrace, or
 * generated code, which the table of symbols need not know.
 */
static bool calls_tracer(const struct finder *f, uint64_t addr, const uint8_t *bytes, uint64_t size)
{
	uint64_t at = size == ENTRY_BYTES && bytes[0] != 0xe8 ? ENTRY_BYTES - CALL_BYTES : 0, to;
	struct symbol sym;
	int32_t rel;

	if (bytes[at] != 0xe8)
		return true;
	memcpy(&rel, bytes + at + 1, sizeof(rel));
	to = addr + at + CALL_BYTES + (uint64_t)(int64_t)rel;
	/* None calls into the middle of a function: there the table lacks what is generated. */
	if (symbols_find(f->symbols, to, &sym) || sym.addr != to)
		return to >= MODULES_LOWEST;
	return module_is_generated(sym.module) ||
	       (!*sym.module && !strncmp(sym.name, "ftrace_", 7));
}

/*
 * Which of them are traced. Those that nobody may interrupt are dropped, traced or not: nothing
 * could be watched in them, and some run because we probe. kprobe_ftrace_handler() loads EEXIST
 * (~BIT(4)), and runs in the call when our kprobe on netlink_ack() is hit.
 */
static void sift(struct finder *f, const struct probeable *probeable)
{
	struct candidates *found = f->found;
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		struct candidate item = found->items[i];
		uint64_t size = item.sym.size < ENTRY_BYTES ? item.sym.size : ENTRY_BYTES;
		const uint8_t *bytes = read_text(f, item.sym.addr, size);

		item.traced = bytes && begins_with_fentry(bytes, size) &&
			      calls_tracer(f, item.sym.addr, bytes, size);
		if (!probeable || !probeable_forbidden(probeable, item.sym.addr))
			found->items[kept++] = item;
	}
	found->count = kept;
}

/*
 * What the kernel calls for each function that is armed or disarmed, up to a dozen times, while
 * others are armed already; and what our own program calls at the entry of each. Watched, they cost
 * as much as half of the arming. So they count as functions that are not traced: where one that
 * calls them ran, they may have run. Seen in samples of perf's cpu-clock on 6.12.
 */
static void exclude_arming_functions(struct symbols *symbols, struct candidates *found)
{
	static const char *const names[] = {
		"__pte_offset_map_lock",
		"bpf_get_current_pid_tgid",
		"ftrace_cmp_recs",
		"ftrace_verify_code",
		"insn_decode",
		"insn_get_displacement",
		"insn_get_immediate",
		"insn_get_length",
		"insn_get_modrm",
		"insn_get_opcode",
		"insn_get_prefixes",
		"insn_get_sib",
		"insn_init",
		"perf_event_text_poke",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct candidate key = {}, *item = NULL;

		if (!symbols_by_name(symbols, "", names[i], 0, &key.sym))
			item = bsearch(&key, found->items, found->count, sizeof(key), by_address);
		if (item)
			item->traced = false;
	}
}

int candidates_find(const struct text_source *text, struct symbols *symbols,
		    const struct probeable *probeable, struct candidates *ret)
{
	struct candidates found = {};
	struct finder f = {
		.text = text, .symbols = symbols, .found = &found, .image_end = UINT64_MAX};
	struct symbol end;
	int err;

	if (!symbols_by_name(symbols, "", "_etext", 0, &end))
		f.image_end = end.addr;
	f.window = malloc(FUNCTION_BYTES);
	if (!f.window)
		return -ENOMEM;
	err = symbols_for_each(symbols, visit, &f);
	if (!err && !f.read)
		err = -EFAULT;
	if (!err && found.count) {
		drop_twins(&found);
		sift(&f, probeable);
		exclude_arming_functions(symbols, &found);
	}
	free(f.window);
	if (err)
		candidates_deinit(&found);
	else
		*ret = found;
	return err;
}

void candidates_deinit(struct candidates *candidates)
{
	free(candidates->items);
	*candidates = (struct candidates){};
}

const struct candidate *candidates_at(const struct candidates *candidates, uint64_t addr)
{
	struct candidate key = {.sym.addr = addr};

	if (!candidates->count)
		return NULL;
	return bsearch(&key, candidates->items, candidates->count, sizeof(key), by_address);
}

const struct candidate *candidates_entered(const struct candidates *candidates, uint32_t low)
{
	/* All kernel text is in the highest 2 GiB: arch/x86/include/asm/page_64_types.h. */
	return candidates_at(candidates, 0xffffffff00000000 | low);
}
