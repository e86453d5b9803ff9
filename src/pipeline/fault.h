/* SPDX-License-Identifier: GPL-2.0 */
/* fault.h - puts faults of the kernel where they happened, not where the kernel reports them */
#ifndef LBRSNOOP_PIPELINE_FAULT_H
#define LBRSNOOP_PIPELINE_FAULT_H

#include "pipeline/trigger_instances.h"
#include "snapshot/snapshot.h"
#include "symbolize/text/bugtable.h"
#include "symbolize/symbolize.h"

/** struct faults - those seen; all zero at first */
struct faults {
	struct trigger_instances placed;
	struct bug_place bug; /* of the last one */
};

/**
 * fault_place() - the trigger of a TRIGGER_FAULT is in the function at fault from now on
 * @memory: the running kernel's, for file and line of a WARN or BUG(); @memory->read may be NULL
 * @snap: others are left alone; what it borrows is good until the next one
 */
void fault_place(struct faults *faults, struct symbols *symbols, const struct text_source *memory,
		 struct snapshot *snap);

void faults_deinit(struct faults *faults);

#endif
