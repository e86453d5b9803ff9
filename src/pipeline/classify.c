// SPDX-License-Identifier: GPL-2.0
#include "pipeline/classify.h"

#include "path/staleness.h"
#include "symbolize/place.h"
#include "symbolize/trim.h"

void snapshot_classify(struct snapshot *snap, struct symbols *symbols,
		       const struct text_source *text)
{
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = symbols};

	snapshot_trim(snap, symbols);
	snapshot_classify_stale(snap, text, &opts);
}

void snapshot_unclassify(struct snapshot *snap)
{
	snap->wasted = snap->shown_from = snap->tracing = 0;
	snap->stale = TRI_NOT_REPORTED;
	for (uint32_t i = 0; i < snap->count; i++)
		snap->branches[i].tracing = false;
}
