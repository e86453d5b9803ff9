// SPDX-License-Identifier: GPL-2.0
/* src/why/values/variables.c: what the arguments of a function of our own hold, by its own DWARF */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "snapshot/snapshot.h"
#include "symbolize/debug/dwarf.h"
#include "symbolize/variable/variable.h"
#include "symbolize/symbolize.h"
#include "util/cleanup.h"
#include "why/values/variables.h"

#define SELF "/proc/self/exe"

enum kind {
	KIND_ONE = 1,
	KIND_TWO,
	/* The upper bit of one, two and four bytes: no sign. */
	KIND_BYTE = 200,
	KIND_HALF = 40000,
	KIND_WORD = 0xf0000000,
};

/* One byte, with a sign. */
enum __attribute__((packed)) depth {
	DEPTH_BELOW = -56,
	DEPTH_ABOVE = 1,
};

struct link {
	struct link *next, *prev;
};

struct named {
	long size;
	struct {
		int length;
		const char *text;
	} in;
	/* Which of them it is, nobody knows. */
	union {
		const char *either;
		long other;
	};
	char label[16];
	char behind[8];
	unsigned int bits : 3;
};

static volatile long sink;

/* At its entry the arguments are in the registers of the psABI, figure 3.4. */
__attribute__((noinline)) static long tested(int number, const char *word, struct named *what,
					     enum kind kind, unsigned char *bytes,
					     struct named *none)
{
	sink += number + word[0] + what->size + (long)kind + bytes[0] + (none != NULL);
	return sink;
}

/* Called through it alone, the function is as it is written. */
static long (*volatile call)(int, const char *, struct named *, enum kind, unsigned char *,
			     struct named *) = tested;

static uint64_t inside;

/* Its "number" is a part of the caller's, and nothing uses it. */
__attribute__((always_inline)) static inline void inlined(int number)
{
	(void)number;
	__asm__ volatile("0: lea 0b(%%rip), %0" : "=r"(inside));
}

__attribute__((noinline)) static long with_inlined(int number, int other)
{
	inlined(number & 7);
	sink += number + other;
	return sink;
}

static long (*volatile call_with_inlined)(int, int) = with_inlined;

/* Its "size" is another one than the caller's, and both are in registers. */
__attribute__((always_inline)) static inline void hiding(long size)
{
	__asm__ volatile("0: lea 0b(%%rip), %0" : "=&r"(inside) : "r"(size));
	__asm__ volatile("" : : "r"(size));
}

__attribute__((noinline)) static long with_hidden(long size)
{
	hiding(3 * size + 1);
	sink += size;
	return sink;
}

static long (*volatile call_with_hidden)(long) = with_hidden;

/* The sanitizer's instructions would come before the one that is looked at. */
#define NOT_SANITIZED __attribute__((no_sanitize("address", "undefined")))

/* Its "list" is in memory, and only before the first instruction: an empty range tells of it. */
NOT_SANITIZED static inline struct link *without_flags(struct link *list)
{
	uintptr_t value = (uintptr_t)list;

	return (struct link *)(value & ~(uintptr_t)3);
}

NOT_SANITIZED __attribute__((noinline)) static int with_empty_range(struct link *list)
{
	return without_flags(without_flags(list->next)->prev) == list ? 0 : -EINVAL;
}

static int (*volatile call_with_empty_range)(struct link *) = with_empty_range;

/* Of its variables nothing is left but debug information. */
__attribute__((noinline)) static long with_constants(void)
{
	int byte = 200, half = 40000, below = -3;
	long word = 3000000000;
	enum kind kind = KIND_WORD;
	enum depth depth = DEPTH_BELOW;

	__asm__ volatile("0: lea 0b(%%rip), %0" : "=r"(inside));
	sink = byte + half + below + word + (long)kind + depth;
	return sink;
}

static long (*volatile call_with_constants)(void) = with_constants;

static struct named what = {
	.in.text = "inside", .either = "nobody knows", .label = "lab\"el\\\xff\x31", .bits = 1};
static unsigned char bytes[] = "\x01\x02\x03";
static const char word[] = "hidepid";

/** struct self - @regs: at the entry of tested() */
struct self {
	struct lines *lines;
	struct symbols *symbols;
	struct symbol sym;
	uint64_t regs[PTREG_COUNT];
	struct why_read_table table;
	struct why_hit hit;
};

/* What the BPF program does, in our own memory. */
static void read_all(struct self *self)
{
	for (uint32_t i = 0; i < self->table.count; i++) {
		const struct why_read *read = &self->table.reads[i];
		uint64_t from = read->from < WHY_FROM_READ
					? self->regs[read->from]
					: self->hit.values[read->from - WHY_FROM_READ];
		const void *at = (const void *)(uintptr_t)(from + (uint64_t)read->offset);

		if (!from)
			continue;
		self->hit.read |= 1u << i;
		if (read->string)
			snprintf(self->hit.strings[read->string - 1], WHY_STRING_MAX, "%s",
				 (const char *)at);
		else
			memcpy(&self->hit.values[i], at, read->bytes);
	}
}

static int open_self(void **state)
{
	struct lines_options opts = {.vmlinux = SELF, .release = "no-kernel"};
	struct self *self = calloc(1, sizeof(*self));

	if (!self || lines_open(&opts, &self->lines) || symbols_open_elf(SELF, 0, &self->symbols) ||
	    symbols_by_name(self->symbols, "", "tested", 0, &self->sym))
		return -1;
	self->regs[PTREG_DI] = (uint32_t)-77;
	self->regs[PTREG_SI] = (uintptr_t)word;
	self->regs[PTREG_DX] = (uintptr_t)&what;
	self->regs[PTREG_CX] = KIND_TWO;
	self->regs[PTREG_R8] = (uintptr_t)bytes;
	*state = self;
	return 0;
}

static int close_self(void **state)
{
	struct self *self = *state;

	lines_close(self->lines);
	symbols_close(self->symbols);
	free(self);
	return 0;
}

/* At the instruction before which a variable of the same name hides the argument. */
static void move_inside(struct self *self)
{
	(void)call_with_inlined(131, 131);
	assert_int_equal(symbols_by_name(self->symbols, "", "with_inlined", 0, &self->sym), 0);
	self->sym.addr += inside - (uintptr_t)with_inlined;
	/* Which registers the compiler has kept them in is its own choice. */
	for (unsigned int reg = 0; reg < PTREG_COUNT; reg++)
		self->regs[reg] = reg == PTREG_SP || reg == PTREG_BP ? 0 : 131;
}

/* First the table is made, of the code alone; then what was read by it is found. */
static size_t find(struct self *self, bool no_values, struct variable_seen *ret)
{
	const struct decision_code where = {
		.lines = self->lines, .symbols = self->symbols, .no_values = no_values};
	struct why_state state = {.wanted = &self->table};

	variables_find(&where, "", self->sym.addr, &state, ret, VARIABLES_MAX);
	read_all(self);
	state = (struct why_state){.regs = self->regs, .hit = &self->hit, .table = &self->table};
	return variables_find(&where, "", self->sym.addr, &state, ret, VARIABLES_MAX);
}

static void assert_seen(const struct variable_seen *seen, const char *name, const char *type,
			const char *value)
{
	assert_string_equal(seen->name, name);
	assert_string_equal(seen->type, type);
	assert_string_equal(seen->value, value);
	assert_false(seen->optimized_out);
	assert_true(seen->parameter);
}

static void arguments_are_what_the_caller_passed(void **state)
{
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	(void)call(1, word, &what, KIND_ONE, bytes, NULL);
	assert_int_equal(find(self, false, all), 6);
	assert_seen(&all[0], "number", "int", "-77");
	assert_seen(&all[1], "word", "char *", "\"hidepid\"");
	assert_seen(&all[2], "what->in.text", "char *", "\"inside\"");
	assert_string_equal(all[3].name, "what->label");
	assert_string_equal(all[3].value, "\"lab\\\"el\\\\\\3771\"");
	assert_seen(&all[4], "kind", "enum kind", "KIND_TWO");
	/* Bytes that are no text are no string. */
	assert_seen(&all[5], "none", "struct named *", "NULL");
}

/* Its last byte need not be NUL: what stands behind an array is something else. */
static void string_ends_with_its_array(void **state)
{
	static struct named full = {.in.text = "", .behind = "behind", .bits = 1};
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	memcpy(full.label, "sixteen letters!", sizeof(full.label));
	self->regs[PTREG_DX] = (uintptr_t)&full;
	assert_int_equal(find(self, false, all), 6);
	assert_string_equal(all[3].name, "what->label");
	assert_string_equal(all[3].value, "\"sixteen letters!\"");
}

static void pointer_that_is_an_error_says_so(void **state)
{
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	self->regs[PTREG_DX] = (uint64_t)-EACCES;
	/* Nobody can read there. */
	self->regs[PTREG_R9] = 0;
	const struct decision_code where = {.lines = self->lines, .symbols = self->symbols};
	const struct why_state known = {
		.regs = self->regs, .hit = &self->hit, .table = &self->table};

	assert_int_equal(variables_find(&where, "", self->sym.addr, &known, all, VARIABLES_MAX), 4);
	assert_seen(&all[1], "what", "struct named *", "ERR_PTR(-EACCES)");
}

static void what_an_inner_function_hides_is_not_told_for_its_own(void **state)
{
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;
	size_t count;

	move_inside(self);
	count = find(self, false, all);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(all[i].name, "number"))
			assert_string_not_equal(all[i].value, "131");
	assert_in_range(count, 1, VARIABLES_MAX);
	assert_seen(&all[count - 1], "other", "int", "131");
}

/* "mov $200,%ecx" has no sign, nor has what the debug information says KIND_BYTE is. */
static void enumerator_with_the_upper_bit_has_its_name(void **state)
{
	static const struct {
		uint64_t value;
		const char *name;
	} rows[] = {{200, "KIND_BYTE"}, {40000, "KIND_HALF"}, {0xf0000000, "KIND_WORD"}};
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		self->regs[PTREG_CX] = rows[i].value;
		assert_int_equal(find(self, false, all), 6);
		assert_seen(&all[4], "kind", "enum kind", rows[i].name);
	}
}

static void constant_of_the_debug_information_has_its_sign(void **state)
{
	static const char *const wanted[][3] = {
		{"byte", "int", "200"},
		{"half", "int", "40000"},
		{"below", "int", "-3"},
		{"word", "long int", "0xb2d05e00"},
		{"kind", "enum kind", "KIND_WORD"},
		{"depth", "enum depth", "DEPTH_BELOW"},
	};
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	(void)call_with_constants();
	assert_int_equal(symbols_by_name(self->symbols, "", "with_constants", 0, &self->sym), 0);
	self->sym.addr += inside - (uintptr_t)with_constants;
	assert_int_equal(find(self, false, all), ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		assert_string_equal(all[i].name, wanted[i][0]);
		assert_string_equal(all[i].type, wanted[i][1]);
		assert_string_equal(all[i].value, wanted[i][2]);
	}
}

static void nothing_is_read_where_nobody_wants_values(void **state)
{
	struct variable_seen all[VARIABLES_MAX];
	struct self *self = *state;

	assert_int_equal(find(self, true, all), 0);
	assert_int_equal(self->table.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_self, close_self)

/* A name means the innermost function's variable: the register of the caller's has none. */
static void register_of_a_hidden_variable_has_no_name(void **state)
{
	struct self *self = *state;
	struct variable_code code = {.lines = self->lines, .module = ""};
	unsigned int named = 0;

	(void)call_with_hidden(131);
	assert_int_equal(symbols_by_name(self->symbols, "", "with_hidden", 0, &self->sym), 0);
	code.addr = self->sym.addr + inside - (uintptr_t)with_hidden;
	for (uint8_t reg = 0; reg < 16; reg++) {
		struct cexpr found;

		named += !variable_in_register(&code, reg, &found) &&
			 strcmp(found.text, "size") == 0;
	}
	assert_int_equal(named, 1);
}

static bool is_named(const struct variable_code *code, uint8_t reg, const char *name)
{
	struct cexpr found;

	return !variable_in_register(code, reg, &found) && !strcmp(found.text, name);
}

/* As in rb_check_links() of Linux 6.12, which begins with one instruction of rb_list_head(). */
static void register_of_a_variable_hidden_by_an_empty_range_has_no_name(void **state)
{
	const uint8_t rdi = 7;
	struct self *self = *state;
	struct variable_code code = {.lines = self->lines, .module = ""};
	struct link links[2] = {{&links[1], &links[1]}, {&links[0], &links[0]}};
	unsigned int named = 0;

	assert_int_equal(call_with_empty_range(links), 0);
	assert_int_equal(symbols_by_name(self->symbols, "", "with_empty_range", 0, &self->sym), 0);
	code.addr = self->sym.addr;
	assert_false(is_named(&code, rdi, "list"));
	for (; code.addr < self->sym.addr + self->sym.size; code.addr++)
		named += is_named(&code, rdi, "list");
	assert_in_range(named, 1, self->sym.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_are_what_the_caller_passed),
		TEST(string_ends_with_its_array),
		TEST(pointer_that_is_an_error_says_so),
		TEST(what_an_inner_function_hides_is_not_told_for_its_own),
		TEST(register_of_a_hidden_variable_has_no_name),
		TEST(register_of_a_variable_hidden_by_an_empty_range_has_no_name),
		TEST(enumerator_with_the_upper_bit_has_its_name),
		TEST(constant_of_the_debug_information_has_its_sign),
		TEST(nothing_is_read_where_nobody_wants_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
