// SPDX-License-Identifier: GPL-2.0
#include "why/decision/decider.h"

#include <errno.h>
#include <stdlib.h>

#include "disasm/dataflow.h"
#include "disasm/insn.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "why/decision/reasons.h"
#include "why/hit_snapshot.h"

/* The place is number 0 of the sites. */
#define PLACE 0

static struct decision_code code_of(const struct probes *probes)
{
	return (struct decision_code){.text = &probes->text, .symbols = probes->opts->symbols};
}

/* 1 if one branch is certain, by the text, the registers at the place, or the branches before it;
 * 0; -ENOMEM */
static int is_decided(const struct decision_code *where, const struct answer *answer,
		      struct decision *room)
{
	_cleanup_free_ struct hit_snapshot *hit = calloc(1, sizeof(*hit));

	if (!hit)
		return -ENOMEM;
	hit_snapshot_make(answer->hit, &answer->site, answer->call, hit);
	return reasons_find(where, answer, &hit->snap, room, 1) > 0;
}

int decider_sites(const struct probes *probes, const struct answer *answer, struct sites *ret)
{
	const struct decision_code where = code_of(probes);
	_cleanup_free_ struct decision *ways = calloc(REASONS_WAYS_MAX, sizeof(*ways));
	const struct site *place = &answer->site;
	int count, err;

	if (!ways)
		return -ENOMEM;
	if (!answer->hit || place->watch != place->addr)
		return 0;
	err = is_decided(&where, answer, ways);
	if (err)
		return err < 0 ? err : 0;
	/* In the next run the values may be others: all ways, whatever these leave. */
	count = decisions_one_of(&where, &place->sym, place->addr, NULL, ways, REASONS_WAYS_MAX);
	if (count < 1)
		return count == -ENOMEM ? count : 0;
	err = sites_add(ret, place);
	for (int i = 0; !err && i < count; i++)
		err = sites_add(ret, &(struct site){.addr = ways[i].addr,
						    .watch = ways[i].addr,
						    .sym = place->sym,
						    .err = place->err,
						    .reg = SITE_REG_NONE,
						    .branch = true,
						    .taken = ways[i].taken,
						    .behind = ways[i].behind});
	/* Both sides of one branch: its flags do not tell which edge it was. */
	if (!err && ret->count != (size_t)count + 1)
		sites_deinit(ret);
	log_verbose("%d branches may have led to the place", count);
	return err;
}

/* The call may have come there once more on another way: what was learned of the hit that the
 * answer has is nothing of that one. */
static const struct why_hit *hit_of_place(const struct failure *failure,
					  const struct why_hit *known)
{
	for (size_t i = 0; i < failure->hit_count; i++)
		if (failure->hits[i].site == PLACE && answer_same_frame(&failure->hits[i], known))
			return &failure->hits[i];
	return NULL;
}

/* Which way it went: 1 taken, 0 not; negative: not known. */
static int way_of(const struct probes *probes, const struct why_hit *hit, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn in;

	if (probes->text.read(probes->text.ctx, addr, bytes, sizeof(bytes)) ||
	    insn_decode(bytes, sizeof(bytes), addr, &in) || in.class != INSN_COND)
		return -ENOENT;
	return insn_branch_taken(bytes, in.len, (uint16_t)hit->regs[PTREG_FLAGS]);
}

static bool went_there(const struct probes *probes, const struct why_hit *hit,
		       const struct why_hit *place)
{
	const struct site *site = &probes->sites.items[hit->site];

	return answer_same_frame(hit, place) && way_of(probes, hit, site->addr) == site->taken;
}

/*
 * Of the branches in front of the place the last one before it; of those behind it, which keep its
 * errno, the one after it that went to do so. A hit tells the last execution of a branch alone:
 * where one in front was executed again behind the place, what it did before is not known.
 */
static const struct why_hit *find_decider(const struct probes *probes,
					  const struct failure *failure,
					  const struct why_hit *place)
{
	const struct why_hit *found = NULL;

	for (size_t i = 0; i < failure->hit_count; i++) {
		const struct why_hit *hit = &failure->hits[i];
		bool later = hit->order > place->order;

		if (hit->site == PLACE || hit->site >= probes->sites.count)
			continue;
		if (!probes->sites.items[hit->site].behind) {
			if (later)
				return NULL;
			if (!found || hit->order > found->order)
				found = hit;
		} else if (later && went_there(probes, hit, place)) {
			if (found)
				return NULL;
			found = hit;
		}
	}
	return found && went_there(probes, found, place) ? found : NULL;
}

int decider_choose(const struct probes *probes, const struct failure *failure,
		   struct answer *answer)
{
	const struct why_hit *place = hit_of_place(failure, answer->hit);
	const struct why_hit *hit = place ? find_decider(probes, failure, place) : NULL;

	if (!hit) {
		log_verbose("which branch decided was not seen");
		return 0;
	}
	answer->decider_hit = malloc(sizeof(*hit));
	if (!answer->decider_hit)
		return -ENOMEM;
	*answer->decider_hit = *hit;
	answer->decider = probes->sites.items[hit->site];
	answer->decider_table = probes->tables[hit->site];
	/* The LBR of another run is kept beside it: that came the same way. */
	if (probes->events && answer->hit->hw)
		return 0;
	answer->table = probes->tables[PLACE];
	return answer_keep_hit(answer, failure, place);
}
