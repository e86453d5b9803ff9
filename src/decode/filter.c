// SPDX-License-Identifier: GPL-2.0
#include "decode/filter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "decode/model.h"
#include "util/cleanup.h"

/**
 * struct filter - one name
 * @name: perf's (tools/perf/util/parse-branch-options.c)
 * @bit: PERF_SAMPLE_BRANCH_*
 * @needs: LBR_SELECT_* bits the hardware must have; FILTER_* below
 */
struct filter {
	const char *name;
	uint64_t bit;
	uint32_t needs;
};

#define FILTER_ALWAYS	 0u
#define FILTER_SOFTWARE	 (1u << 30) /* no hardware has it; Linux sorts entries out afterwards */
#define FILTER_NO_FILTER (1u << 31) /* says what to record of a branch, not which branches */

/* Which bits a filter needs: Linux arch/x86/events/intel/lbr.c, snb_lbr_sel_map, hsw_lbr_sel_map */
static const struct filter filters[] = {
	{"any", PERF_SAMPLE_BRANCH_ANY, FILTER_ALWAYS},
	{"u", PERF_SAMPLE_BRANCH_USER, LBR_SELECT_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL, LBR_SELECT_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV, FILTER_SOFTWARE},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL,
	 LBR_SELECT_REL_CALL | LBR_SELECT_IND_CALL | LBR_SELECT_FAR},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN, LBR_SELECT_RET | LBR_SELECT_FAR},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL, LBR_SELECT_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP, LBR_SELECT_IND_JMP},
	{"call", PERF_SAMPLE_BRANCH_CALL, LBR_SELECT_REL_CALL},
	{"cond", PERF_SAMPLE_BRANCH_COND, LBR_SELECT_JCC},
	{"call_stack", PERF_SAMPLE_BRANCH_CALL_STACK,
	 LBR_SELECT_REL_CALL | LBR_SELECT_IND_CALL | LBR_SELECT_RET | LBR_SELECT_CALLSTACK},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK,
	 LBR_SELECT_REL_CALL | LBR_SELECT_IND_CALL | LBR_SELECT_RET | LBR_SELECT_CALLSTACK},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX, FILTER_SOFTWARE},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX, FILTER_SOFTWARE},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX, FILTER_SOFTWARE},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS, FILTER_NO_FILTER},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES, FILTER_NO_FILTER},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE, FILTER_NO_FILTER},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX, FILTER_NO_FILTER},
	{"priv", PERF_SAMPLE_BRANCH_PRIV_SAVE, FILTER_NO_FILTER},
};

static const struct filter *filter_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (strlen(filters[i].name) == len && !memcmp(filters[i].name, name, len))
			return &filters[i];
	}
	return NULL;
}

int lbr_filter_parse(const char *list, uint64_t *ret_bits, const char **ret_bad)
{
	uint64_t bits = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		const struct filter *filter = filter_find(list, len);

		if (!filter) {
			if (ret_bad)
				*ret_bad = list;
			return -EINVAL;
		}
		bits |= filter->bit;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*ret_bits = bits;
	return 0;
}

char *lbr_filter_format(uint64_t bits, char *buf, size_t len)
{
	size_t used = 0;

	if (len)
		buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		const char *name = filters[i].name;
		size_t need = strlen(name) + (used ? 1 : 0);

		if (!(bits & filters[i].bit) || used + need >= len)
			continue;
		if (used)
			buf[used++] = ',';
		strcpy(buf + used, name);
		used += strlen(name);
		bits &= ~filters[i].bit; /* a second name of the same filter */
	}
	return buf;
}

uint64_t lbr_model_filters(const struct lbr_model *model)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if ((filters[i].needs & ~model->select) == 0)
			bits |= filters[i].bit;
	}
	/* nhm_lbr_sel_map has no entry for "call": Linux would record nothing at all */
	if (model->quirks & LBR_QUIRK_CALL_NEEDS_JMP)
		bits &= ~(uint64_t)PERF_SAMPLE_BRANCH_CALL;
	return bits;
}

#define FILTER_TX                                                                                  \
	((uint64_t)(PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX |                       \
		    PERF_SAMPLE_BRANCH_NO_TX))
#define FILTER_RINGS ((uint64_t)(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL))
/* What Linux tells apart by reading the text where the hardware has no filter */
#define FILTER_CLASSES                                                                             \
	((uint64_t)(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |                         \
		    PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL |                  \
		    PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL |                        \
		    PERF_SAMPLE_BRANCH_COND))

static bool has_select(const struct lbr_model *model)
{
	return model->msr_select != MSR_LBR_NONE;
}

uint64_t lbr_filters_offered(const struct lbr_model *model)
{
	uint64_t bits = FILTER_RINGS | PERF_SAMPLE_BRANCH_ANY;

	if (has_select(model))
		bits |= lbr_model_filters(model) & (FILTER_CLASSES | PERF_SAMPLE_BRANCH_CALL_STACK);
	else
		bits |= FILTER_CLASSES;
	if (model->supported & LBR_HAS_TSX)
		bits |= FILTER_TX;
	return bits;
}

int lbr_filter_plan(const struct lbr_model *model, uint64_t bits, struct lbr_filter_plan *ret_plan,
		    uint64_t *ret_refused)
{
	uint64_t classes = bits & (FILTER_CLASSES | PERF_SAMPLE_BRANCH_CALL_STACK);
	uint64_t refused = bits & ~lbr_filters_offered(model);
	struct lbr_filter_plan plan = {.own = bits & FILTER_TX};

	/* Aborts are a class of their own, which only the whole stack has. */
	if ((plan.own & PERF_SAMPLE_BRANCH_ABORT_TX) &&
	    (classes & ~(uint64_t)PERF_SAMPLE_BRANCH_ANY))
		refused |= PERF_SAMPLE_BRANCH_ABORT_TX;
	if (refused) {
		*ret_refused = refused;
		return -EOPNOTSUPP;
	}
	plan.kernel = classes ? classes : PERF_SAMPLE_BRANCH_ANY;
	plan.kernel |= bits & FILTER_RINGS ? bits & FILTER_RINGS : FILTER_RINGS;
	plan.software =
		!has_select(model) && plan.kernel != (FILTER_RINGS | PERF_SAMPLE_BRANCH_ANY);
	/* Before Linux 6.1 the type is BR_TYPE as it is in the register unless this is asked for.
	 */
	if (model->supported & LBR_HAS_TYPE)
		plan.kernel |= PERF_SAMPLE_BRANCH_TYPE_SAVE;
	*ret_plan = plan;
	return 0;
}

uint64_t lbr_filter_own(const char *list)
{
	uint64_t bits;

	return lbr_filter_parse(list, &bits, NULL) ? 0 : bits & FILTER_TX;
}

bool lbr_filter_wants(uint64_t own, const struct branch *branch)
{
	if ((own & PERF_SAMPLE_BRANCH_ABORT_TX) && branch->abort != TRI_SET)
		return false;
	/* Both of them together are everything. */
	if ((own & PERF_SAMPLE_BRANCH_IN_TX) && !(own & PERF_SAMPLE_BRANCH_NO_TX))
		return branch->in_tx == TRI_SET;
	if ((own & PERF_SAMPLE_BRANCH_NO_TX) && !(own & PERF_SAMPLE_BRANCH_IN_TX))
		return branch->in_tx == TRI_CLEAR;
	return true;
}
