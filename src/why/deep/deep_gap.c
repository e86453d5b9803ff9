// SPDX-License-Identifier: GPL-2.0
/* deep_gap.c - why a path goes no further back, in words */
#include "why/deep/deep_search.h"

const char *deep_verdict_text(const struct deep *deep)
{
	switch (deep->verdict) {
	case DEEP_NO_HIT:
		return deep->opts->place ? "no such call came by there again"
					 : "the call did not fail there again";
	case DEEP_OTHER_PATH:
		return "the runs go different ways";
	case DEEP_SHORT:
		return "interrupts, or other entry code, came between in each run";
	case DEEP_SWITCHED:
		return DEEP_WAITED;
	case DEEP_OVERLAP:
		return "too few branches of the path were seen again";
	case DEEP_AMBIGUOUS:
		return "the same branches are executed more than once, and the hits cannot be told "
		       "apart";
	case DEEP_NO_POINT:
		return "no breakpoint could be had there: the kernel allows none, or others use "
		       "the debug registers (-v says more)";
	case DEEP_LOST:
		return "hits of the breakpoints were lost";
	case DEEP_TOO_MANY:
		return "the breakpoints were hit too often, and taken away for the machine's sake";
	default:
		if (deep->path->start)
			return "there the scheduler was called, and no breakpoint can stand "
			       "around that";
		return "no breakpoint may stand near its far end, or none led further";
	}
}

void deep_say_runs(const struct deep *deep, struct errmsg *gap)
{
	unsigned int runs = deep->path->runs, max = deep->opts->runs;

	if (runs == max && max == 1)
		errmsg_set(gap, 0, "the one run that was asked for was made");
	else if (runs == max)
		errmsg_set(gap, 0, "all %u runs were made", max);
	else
		errmsg_set(gap, 0, "%u of %u runs were made; those left are for checks", runs, max);
}

bool deep_is_hopeless(const struct deep_options *opts, const struct probes *probes,
		      const struct answer *answer, struct errmsg *gap)
{
	if (opts->place)
		return false;
	if (answer->state != ORIGIN_FOUND || !answer->hit)
		errmsg_set(gap, 0, "the place of the error is not known");
	else if (!answer->has_lbr || !probes->events)
		errmsg_set(gap, 0, "%s",
			   answer->lbr_reason.text[0] ? answer->lbr_reason.text
						      : "the LBR is not used");
	else
		return false;
	return true;
}
