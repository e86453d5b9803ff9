// SPDX-License-Identifier: GPL-2.0
/*
 * Raw MSR dumps: parser, model choice and decoder.
 *
 * The whole input is a dump whose form is to be found out; or, if its first byte is 1 to 5, that
 * byte is the form (enum dump_form), the second one the model, and the rest the dump.
 */
#include <stdint.h>
#include <stdlib.h>

#include "decode/dump.h"
#include "decode/explain.h"
#include "decode/stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds of every result, whatever the input was */
static void check(const struct stack_result *result)
{
	const struct snapshot *snap = &result->snap;

	if (snap->count > BRANCHES_MAX || snap->lbr != &result->lbr ||
	    result->lbr.depth > BRANCHES_MAX ||
	    snap->count + snap->dropped + snap->missing != result->lbr.depth)
		abort();
	for (uint32_t i = 0; i < snap->count; i++) {
		const struct branch *b = &snap->branches[i];
		uint32_t supported = result->lbr.supported;

		if ((b->mispred && !(supported & LBR_HAS_MISPRED)) ||
		    ((b->in_tx || b->abort) && !(supported & LBR_HAS_TSX)) ||
		    (b->cycles >= 0 && !(supported & LBR_HAS_CYCLES)) || b->cycles > 0xffff ||
		    (b->type && !(supported & LBR_HAS_TYPE)) ||
		    (b->spec && !(supported & LBR_HAS_SPEC)))
			abort();
	}
}

static void explain(const struct lbr_model *model, const struct dump_record *record)
{
	const struct lbr_layout *layout;
	char name[40], text[80];

	if (msr_explain(model, record->msr, name, sizeof(name), &layout))
		return;
	for (size_t i = 0; i < layout->count; i++)
		field_explain(&layout->fields[i], record->value, text, sizeof(text));
}

static void decode(const struct dump *dump, const struct lbr_model *given, struct notes *notes)
{
	static struct stack_result result;
	struct stack_options opts = {.tos = -1};
	struct lbr_model model;

	if (dump_choose_model(dump, given, &model, notes))
		return;
	for (size_t start = 0, end; start < dump->count; start = end) {
		end = dump_cpu_end(dump, start);
		explain(&model, &dump->records[start]);
		for (opts.tos = -1; opts.tos < 3; opts.tos += 3) {
			if (!stack_decode(&model, dump->records + start, end - start, &opts,
					  &result, notes))
				check(&result);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum dump_form form = DUMP_FORM_AUTO;
	const struct lbr_model *given = NULL;
	struct notes notes = {0};
	struct dump dump = {0};
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	if (size >= 2 && data[0] >= DUMP_FORM_TEXT && data[0] <= DUMP_FORM_BLOCK) {
		form = data[0];
		given = &models[data[1] % count];
		data += 2;
		size -= 2;
	}
	if (!dump_parse((const char *)data, size, form, given, &dump, &notes)) {
		if (!dump.count)
			abort();
		decode(&dump, given, &notes);
	} else if (!notes.errors) {
		abort();
	}
	dump_deinit(&dump);
	notes_deinit(&notes);
	return 0;
}
