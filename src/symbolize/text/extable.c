// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/extable.h"

#include "symbolize/text/module_sections.h"

/* A table's end is known of the kernel image alone; no module has so many. */
#define MODULE_ENTRIES_MAX 4096u

/** struct exception_entry - as the kernel has it; both addresses are relative to themselves */
struct exception_entry {
	int32_t insn;
	int32_t fixup;
	int32_t data;
};

_Static_assert(sizeof(struct exception_entry) == 12, "without holes");

static bool read_entry(const struct text_source *memory, uint64_t at, uint64_t *ret_insn,
		       uint64_t *ret_fixup)
{
	struct exception_entry entry;

	if (memory->read(memory->ctx, at, &entry, sizeof(entry)))
		return false;
	*ret_insn = at + (uint64_t)(int64_t)entry.insn;
	*ret_fixup = at + offsetof(struct exception_entry, fixup) + (uint64_t)(int64_t)entry.fixup;
	return true;
}

bool extable_search(const struct text_source *memory, uint64_t start, uint64_t end,
		    const struct fixup_question *question)
{
	uint64_t insn, to, before = 0;

	for (uint64_t at = start; at < end && end - at >= sizeof(struct exception_entry);
	     at += sizeof(struct exception_entry)) {
		if (!read_entry(memory, at, &insn, &to) || insn < before ||
		    insn >= question->addr + question->size)
			return false;
		if (insn >= question->addr && to == question->fixup && insn != question->above)
			return true;
		before = insn;
	}
	return false;
}

/* The first entry of the kernel image's table that is of @addr, or of what lies behind it. */
static uint64_t skip_lower(const struct text_source *memory, uint64_t start, uint64_t end,
			   uint64_t addr)
{
	uint64_t low = 0, high = (end - start) / sizeof(struct exception_entry);

	while (low < high) {
		uint64_t mid = low + (high - low) / 2, insn, to;

		if (!read_entry(memory, start + mid * sizeof(struct exception_entry), &insn, &to))
			return end;
		if (insn < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return start + low * sizeof(struct exception_entry);
}

bool extable_has_fixup(struct symbols *symbols, const struct text_source *memory,
		       const struct fixup_question *question)
{
	uint64_t start = symbols_single(symbols, SYMBOLS_EXTABLE_START);
	uint64_t end = symbols_single(symbols, SYMBOLS_EXTABLE_STOP);
	struct symbol sym;

	/* Of a kernel that does not run, nobody says where its modules' tables are. */
	if (!start || end < start || !memory->read || symbols_find(symbols, question->addr, &sym))
		return false;
	if (!sym.module[0]) {
		start = skip_lower(memory, start, end, question->addr);
	} else {
		start = module_section_addr(sym.module, "__ex_table");
		end = start + MODULE_ENTRIES_MAX * sizeof(struct exception_entry);
	}
	return start && extable_search(memory, start, end, question);
}
