// SPDX-License-Identifier: GPL-2.0
#include "cmd/fault.h"

void fault_place(struct faults *faults, struct symbols *symbols, const struct text_source *memory,
		 struct snapshot *snap)
{
	struct trigger *placed;
	struct symbol sym;

	if (!snap->trigger || snap->trigger->kind != TRIGGER_FAULT)
		return;
	if (snap->bug_ip && !bugtable_find(symbols, memory, snap->bug_ip, &faults->bug)) {
		snap->bug_file = faults->bug.file;
		snap->bug_line = faults->bug.line;
	}
	if (symbols_find(symbols, snap->ip, &sym))
		return;
	placed = placed_at(&faults->placed, snap->trigger, sym.addr);
	if (!placed)
		return;
	/* Names outlive the trigger, and are not its own. */
	placed->function = (char *)sym.name;
	placed->module = (char *)sym.module;
	placed->func_size = sym.size;
	snap->trigger = placed;
}

void faults_deinit(struct faults *faults)
{
	placed_deinit(&faults->placed);
}
