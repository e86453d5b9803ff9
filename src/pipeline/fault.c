// SPDX-License-Identifier: GPL-2.0
#include "pipeline/fault.h"

void fault_place(struct faults *faults, struct symbols *symbols, const struct text_source *memory,
		 struct snapshot *snap)
{
	if (!snap->trigger || snap->trigger->kind != TRIGGER_FAULT)
		return;
	if (snap->bug_ip && !bugtable_find(symbols, memory, snap->bug_ip, &faults->bug)) {
		snap->bug_warning = faults->bug.warning ? TRI_SET : TRI_CLEAR;
		snap->bug_file = faults->bug.file;
		snap->bug_line = faults->bug.line;
	}
	trigger_instance_at_symbol(&faults->placed, symbols, snap);
}

void faults_deinit(struct faults *faults)
{
	trigger_instances_deinit(&faults->placed);
}
