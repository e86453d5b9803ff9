// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/vector.h"

/* Runs that should have seen each branch, with the one that added it. */
#define RUNS_MIN 4
/*
 * The same, once a run has left the path: it may vary at other places, too. If every second run
 * goes another way, so many runs overlook that once in 32 times.
 */
#define RUNS_MIN_VARIED 6
/* Runs that should have seen each branch that no probe observes. */
#define RUNS_MIN_BLIND 3
/* Runs leave the path often if so many do within one record. One may have had a page fault. */
#define OFTEN 2
/* And if they are more than one for so many runs that took the path there. */
#define SHARE 3
/*
 * If only one run has more records in a row than these, it is a loop. Another run may go round it
 * another number of times: the parts before and after it would be of two runs.
 */
#define RECORDS_ALONE_MAX 4
/* Runs made to see one branch, at most; and the mark of a branch that no breakpoint can show. */
#define TRIES_MAX	 12
#define TRIES_IMPOSSIBLE UINT8_MAX

/**
 * struct deep_look - what run number @run was seen to take
 * @rescheduled: other tasks ran between its hits
 * @seen: one for each of @count branches, the newest first
 */
struct deep_look {
	unsigned int run;
	bool rescheduled;
	bool *seen;
	size_t count;
};

/** struct deep_varied - the newest branch that @times runs did not take, or did not go on from */
struct deep_varied {
	size_t branch;
	unsigned int times;
};

void deep_looks_clear(struct deep_looks *looks)
{
	for (size_t i = 0; i < looks->run_count; i++)
		free(looks->runs[i].seen);
	free(looks->runs);
	free(looks->varied);
	free(looks->parted);
	free(looks->tries);
	free(looks->blind);
	*looks = (struct deep_looks){
		.depth = looks->depth, .checked = looks->checked, .number = looks->number};
}

static int add_look(struct deep_looks *looks, bool *seen, size_t count)
{
	if (vector_grow(&looks->runs, looks->run_count, sizeof(*looks->runs)))
		return -ENOMEM;
	looks->runs[looks->run_count++] =
		(struct deep_look){.run = looks->number, .seen = seen, .count = count};
	return 0;
}

int deep_looks_begin(struct deep_looks *looks, size_t count)
{
	bool *seen;

	deep_looks_clear(looks);
	seen = calloc(count + 1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	memset(seen, true, count * sizeof(*seen));
	if (!add_look(looks, seen, count))
		return 0;
	free(seen);
	return -ENOMEM;
}

/* Keep them in ascending order. */
static int add_varied(struct deep_looks *looks, size_t branch)
{
	size_t at = 0;

	while (at < looks->varied_count && looks->varied[at].branch < branch)
		at++;
	if (at < looks->varied_count && looks->varied[at].branch == branch) {
		looks->varied[at].times++;
		return 0;
	}
	if (vector_grow(&looks->varied, looks->varied_count, sizeof(*looks->varied)))
		return -ENOMEM;
	memmove(looks->varied + at + 1, looks->varied + at,
		(looks->varied_count - at) * sizeof(*looks->varied));
	looks->varied[at] = (struct deep_varied){.branch = branch, .times = 1};
	looks->varied_count++;
	return 0;
}

static int add_parted(struct deep_looks *looks, struct deep_parted parted)
{
	log_verbose("a run left the path before one of branches %zu to %zu from the error%s",
		    parted.newest, parted.oldest,
		    parted.rescheduled ? ", other tasks ran meanwhile" : "");
	if (vector_grow(&looks->parted, looks->parted_count, sizeof(*looks->parted)))
		return -ENOMEM;
	looks->parted[looks->parted_count++] = parted;
	looks->left = true;
	return 0;
}

int deep_looks_add(struct deep_looks *looks, const struct deep_known *known,
		   const struct deep_run *run, size_t added)
{
	bool *seen = calloc(known->count + 1, sizeof(*seen));
	struct deep_parted parted = {};
	size_t differs = 0;
	int err;

	if (!seen)
		return -ENOMEM;
	err = add_look(looks, seen, known->count);
	if (err) {
		free(seen);
		return err;
	}
	if (deep_agree(known, run, seen, &differs, &parted) == DEEP_OTHER_PATH) {
		if (differs == known->count)
			looks->elsewhere++;
		else
			err = add_varied(looks, known->count - 1 - differs);
		/* It may have left the path further back: a record spans so many branches. */
		parted.oldest += looks->depth - 2;
		if (!err && !parted.returned)
			err = add_parted(looks, parted);
	}
	looks->runs[looks->run_count - 1].rescheduled = parted.rescheduled;
	memset(seen + known->count - added, true, added * sizeof(*seen));
	return err;
}

static struct deep_look *look_of(struct deep_looks *looks, unsigned int run)
{
	for (size_t i = looks->run_count; run && i-- > 0;)
		if (looks->runs[i].run == run)
			return &looks->runs[i];
	return NULL;
}

int deep_looks_add_range(struct deep_looks *looks, unsigned int run, size_t newest, size_t count)
{
	struct deep_look *look = look_of(looks, run);
	size_t had = look ? look->count : 0, end = newest + count;
	bool *seen = calloc((end > had ? end : had) + 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	if (look) {
		memcpy(seen, look->seen, had * sizeof(*seen));
		free(look->seen);
		look->seen = seen;
		look->count = end > had ? end : had;
	} else if (add_look(looks, seen, end)) {
		free(seen);
		return -ENOMEM;
	} else {
		looks->runs[looks->run_count - 1].run = run;
	}
	memset(seen + newest, true, count * sizeof(*seen));
	return 0;
}

static size_t blind_ones(const struct deep_blind *blind, size_t count)
{
	size_t ones = 0;

	for (size_t i = 0; i < count; i++)
		ones += blind[i].newer > 0;
	return ones;
}

/* How many of the newest @count branches the run shows without a blind fork. */
static size_t shown_by_itself(size_t count, const struct deep_blind *blind)
{
	size_t shown = count;

	for (size_t i = 0; i < count; i++)
		if (blind[i].newer && i + 1 - blind[i].newer < shown)
			shown = i + 1 - blind[i].newer;
	return shown;
}

int deep_looks_prove(struct deep_looks *looks, size_t count, const struct deep_blind *blind,
		     bool left, bool rescheduled)
{
	struct deep_parted parted = {.newest = count, .oldest = count, .rescheduled = rescheduled};
	size_t shown = shown_by_itself(count, blind);
	struct deep_blind *copy;

	if (shown > looks->shown)
		looks->shown = shown;
	/* It took older branches on another path: on this one it would have hit a probe. */
	if (left && (add_varied(looks, count) || add_parted(looks, parted)))
		return -ENOMEM;
	if (count < looks->proven ||
	    (count == looks->proven &&
	     (!count || blind_ones(blind, count) >= blind_ones(looks->blind, count))))
		return 0;
	copy = calloc(count, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, blind, count * sizeof(*copy));
	free(looks->blind);
	looks->blind = copy;
	looks->proven = count;
	looks->rescheduled = rescheduled;
	return 1;
}

static bool is_doubt(const struct deep_looks *looks, size_t i)
{
	return looks->varied[i].times >= OFTEN && looks->varied[i].branch >= looks->depth - 1;
}

bool deep_looks_parted(const struct deep_looks *looks, unsigned int turn, size_t *ret_branch)
{
	unsigned int count = 0;

	for (size_t i = 0; i < looks->varied_count; i++)
		count += is_doubt(looks, i);
	if (!count)
		return false;
	turn %= count;
	for (size_t i = 0;; i++)
		if (is_doubt(looks, i) && !turn--) {
			*ret_branch = looks->varied[i].branch;
			return true;
		}
}

/* Runs that left the path before the cut still did. The part that is cut has no others. */
static void cut_parted(struct deep_looks *looks, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < looks->parted_count; i++) {
		struct deep_parted parted = looks->parted[i];

		if (parted.newest > count)
			continue;
		if (parted.oldest > count)
			parted.oldest = count;
		looks->parted[kept++] = parted;
	}
	looks->parted_count = kept;
}

void deep_looks_cut(struct deep_looks *looks, size_t count)
{
	for (size_t i = 0; i < looks->run_count; i++)
		if (looks->runs[i].count > count)
			looks->runs[i].count = count;
	while (looks->varied_count && looks->varied[looks->varied_count - 1].branch > count)
		looks->varied_count--;
	/*
	 * The path takes another way there now. Keep one of the runs that did not take the old one:
	 * with one more they are two.
	 */
	if (looks->varied_count && looks->varied[looks->varied_count - 1].branch == count)
		looks->varied[looks->varied_count - 1].times = 1;
	looks->elsewhere = 0;
	cut_parted(looks, count);
	if (looks->proven > count)
		looks->proven = count;
	if (looks->shown > count)
		looks->shown = count;
	for (size_t i = count; i < looks->try_count; i++)
		looks->tries[i] = 0;
}

/* May the run that took the path have left it before @branch, as far as its probes show? */
static bool is_blind(const struct deep_looks *looks, size_t branch)
{
	return branch < looks->proven && looks->blind[branch].newer;
}

/*
 * The path will take the other way. Runs that left it there are on it then; runs that took the old
 * branch have left it.
 */
int deep_looks_turn(struct deep_looks *looks, size_t count, const struct why_branch *gone)
{
	size_t kept = 0;
	int err = 0;

	log_verbose("runs left the path before branch %zu from the error: another way is tried",
		    count);
	looks->turned = *gone;
	looks->turned_at = looks->turned_end = count;
	for (size_t i = count; i < looks->proven; i++)
		if (is_blind(looks, i) && i + 1 - looks->blind[i].newer <= count)
			looks->turned_end = i;
	for (size_t i = 0; i < looks->parted_count; i++)
		if (looks->parted[i].newest > count || looks->parted[i].oldest < count)
			looks->parted[kept++] = looks->parted[i];
	looks->parted_count = kept;
	for (size_t i = 0; !err && i < looks->run_count; i++) {
		const struct deep_look *look = &looks->runs[i];

		if (count < look->count && look->seen[count])
			err = add_parted(looks,
					 (struct deep_parted){.newest = count,
							      .oldest = count,
							      .rescheduled = look->rescheduled});
	}
	return err;
}

void deep_looks_extended(struct deep_looks *looks, const struct deep_known *known)
{
	size_t at = looks->turned_at, kept = 0;

	if (!at || known->count <= at)
		return;
	looks->turned_at = 0;
	if (!deep_same_branch(&looks->turned, &known->branches[known->count - 1 - at]))
		return;
	log_verbose("before branch %zu from the error the path goes the same way again", at);
	for (size_t i = 0; i < looks->parted_count; i++)
		if (looks->parted[i].newest > at || looks->parted[i].oldest < at)
			looks->parted[kept++] = looks->parted[i];
	looks->parted_count = kept;
	for (size_t branch = at + 1; branch <= looks->turned_end + 1; branch++) {
		for (size_t i = 0; i < looks->run_count; i++)
			if (branch < looks->runs[i].count)
				looks->runs[i].seen[branch] = false;
		if (branch < looks->try_count && looks->tries[branch] != TRIES_IMPOSSIBLE)
			looks->tries[branch] = 0;
	}
}

static bool saw(const struct deep_look *look, size_t branch)
{
	return branch < look->count && look->seen[branch];
}

unsigned int deep_looks_seen(const struct deep_looks *looks, size_t branch)
{
	unsigned int runs = 0;

	for (size_t i = 0; i < looks->run_count; i++)
		runs += saw(&looks->runs[i], branch);
	return runs;
}

static uint8_t tries_of(const struct deep_looks *looks, size_t branch)
{
	return branch < looks->try_count ? looks->tries[branch] : 0;
}

/*
 * Do so many runs go another way there that the path may have the rarer way? If most runs take the
 * path's way here, and most take it there, some run takes both.
 */
static bool varies_at(const struct deep_looks *looks, size_t first)
{
	size_t branch = looks->varied[first].branch;
	unsigned int times = 0;

	for (size_t i = first; i < looks->varied_count; i++)
		if (looks->varied[i].branch < branch + looks->depth)
			times += looks->varied[i].times;
	return times >= OFTEN && SHARE * times > deep_looks_seen(looks, branch);
}

bool deep_looks_varies(const struct deep_looks *looks)
{
	for (size_t i = 0; i < looks->varied_count; i++)
		if (varies_at(looks, i))
			return true;
	return looks->elsewhere >= OFTEN;
}

/* Does a run that sees a place where runs differ see this branch, too? */
static bool is_varied(const struct deep_looks *looks, size_t branch)
{
	for (size_t i = 0; i < looks->varied_count; i++)
		if (looks->varied[i].branch >= looks->depth - 1 &&
		    branch >= looks->varied[i].branch &&
		    branch < looks->varied[i].branch + looks->depth - 1)
			return true;
	return false;
}

static bool is_seen_by(const struct deep_looks *looks, size_t branch, unsigned int least)
{
	return tries_of(looks, branch) == TRIES_IMPOSSIBLE || is_varied(looks, branch) ||
	       deep_looks_seen(looks, branch) >= least;
}

/*
 * May a run have left the path before @branch? A run that from there went round a loop once more
 * was seen off the path where the path comes to the loop, which is older. A run that was
 * rescheduled (cold cache, a lock taken meanwhile) tells little of one that was not.
 */
static bool parted_at(const struct deep_looks *looks, size_t branch)
{
	const struct deep_blind *blind = &looks->blind[branch];

	for (size_t i = 0; i < looks->parted_count; i++) {
		const struct deep_parted *parted = &looks->parted[i];
		size_t older = parted->to && parted->to == blind->loop ? blind->older : 0;

		if (branch + older >= parted->newest && branch < parted->oldest + blind->newer &&
		    (looks->rescheduled || !parted->rescheduled))
			return true;
	}
	return false;
}

/*
 * Did enough runs see that the path goes on from @branch to the next newer one? More are asked once
 * any run was seen to leave the path: what it tested may be tested here, too.
 */
static bool is_observed(const struct deep_looks *looks, size_t branch)
{
	return !branch || !is_blind(looks, branch - 1) ||
	       tries_of(looks, branch) == TRIES_IMPOSSIBLE ||
	       deep_looks_seen(looks, branch) >= (looks->left ? RUNS_MIN_VARIED : RUNS_MIN_BLIND);
}

static bool is_seen_enough(const struct deep_looks *looks, size_t branch)
{
	bool varied = looks->varied_count || looks->elsewhere;

	if (looks->checked)
		return is_observed(looks, branch);
	return is_seen_by(looks, branch, varied ? RUNS_MIN_VARIED : RUNS_MIN);
}

/* How many of the newest branches one run took, as far as the places where runs differ show. */
static size_t longest_run(const struct deep_looks *looks, size_t count)
{
	size_t longest = looks->varied_count ? looks->varied[0].branch : count;

	for (size_t i = 0; i < looks->run_count && longest < count; i++) {
		size_t k = 0;

		while (k < looks->varied_count && saw(&looks->runs[i], looks->varied[k].branch))
			k++;
		if (k == looks->varied_count)
			longest = count;
		else if (looks->varied[k].branch > longest)
			longest = looks->varied[k].branch;
	}
	return longest;
}

/* All places where runs differ, for one run to see. The record at the error shows the newest. */
static size_t next_together(const struct deep_looks *looks, size_t *ret_branches, size_t max)
{
	size_t wanted = 0, end = looks->depth - 1;

	for (size_t i = 0; i < looks->varied_count && wanted < max; i++) {
		size_t branch = looks->varied[i].branch;

		if (branch < end)
			continue;
		/* They are too many, or no run takes all of them: what is older is not sure. */
		if (tries_of(looks, branch) >= TRIES_MAX)
			return 0;
		ret_branches[wanted++] = branch;
		end = branch + looks->depth - 1;
	}
	return wanted;
}

bool deep_looks_contested(const struct deep_looks *looks, size_t *ret_branch)
{
	for (*ret_branch = 0; *ret_branch < looks->proven; ++*ret_branch)
		if (is_blind(looks, *ret_branch) && parted_at(looks, *ret_branch))
			return true;
	return false;
}

/*
 * Branches that too few runs have seen, from the error backwards. Without checks the record at the
 * error shows the newest: checked runs may have none there.
 */
static size_t next_unseen(const struct deep_looks *looks, size_t count, size_t *ret_branches,
			  size_t max)
{
	size_t wanted = 0, end = 0, first = looks->checked ? 0 : looks->depth - 1, contested;

	/* Older branches will be cut, whoever sees them. */
	if (looks->checked && deep_looks_contested(looks, &contested) && contested + 1 < count)
		count = contested + 1;
	for (size_t branch = first; branch < count && wanted < max; branch++) {
		if (branch < end || is_seen_enough(looks, branch) ||
		    tries_of(looks, branch) >= TRIES_MAX)
			continue;
		ret_branches[wanted++] = branch;
		end = branch + looks->depth - 1;
	}
	return wanted;
}

/* By turns: a run that leaves the path at one place may not have seen the others. */
size_t deep_looks_next(const struct deep_looks *looks, size_t count, size_t *ret_branches,
		       size_t max)
{
	size_t wanted = next_unseen(looks, count, ret_branches, max), together;

	if (looks->checked)
		return wanted;
	if ((wanted && (max == 1 || looks->run_count % 2)) || longest_run(looks, count) == count)
		return wanted;
	together = next_together(looks, ret_branches, max);
	if (together || !wanted)
		return together;
	return next_unseen(looks, count, ret_branches, max);
}

int deep_looks_tried(struct deep_looks *looks, size_t branch, bool possible)
{
	while (looks->try_count <= branch) {
		if (vector_grow(&looks->tries, looks->try_count, sizeof(*looks->tries)))
			return -ENOMEM;
		looks->tries[looks->try_count++] = 0;
	}
	if (!possible)
		looks->tries[branch] = TRIES_IMPOSSIBLE;
	else if (looks->tries[branch] < TRIES_MAX)
		looks->tries[branch]++;
	return 0;
}

/* What one run took without a gap, from the error backwards, needs no other run. */
static size_t seen_in_a_row(const struct deep_looks *looks, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < looks->run_count; i++) {
		size_t branch = 0;

		while (branch < count && saw(&looks->runs[i], branch))
			branch++;
		if (branch > most)
			most = branch;
	}
	return most;
}

/* The newest branch of a part that only one run has, of more than RECORDS_ALONE_MAX records. */
static size_t seen_by_two(const struct deep_looks *looks, size_t count)
{
	size_t alone = 0;

	for (size_t branch = 0; branch < count; branch++) {
		if (is_seen_by(looks, branch, 2))
			alone = 0;
		else if (++alone > (size_t)RECORDS_ALONE_MAX * looks->depth)
			return branch + 1 - alone;
	}
	return count;
}

/*
 * How many branches one run took. At a blind fork, no other run may have been seen to leave the
 * path, and enough runs have to have seen it.
 */
static size_t proven_by_one(const struct deep_looks *looks, bool *ret_few)
{
	for (size_t branch = 0; branch < looks->proven; branch++) {
		if (!is_blind(looks, branch))
			continue;
		if (parted_at(looks, branch))
			return branch + 1 - looks->blind[branch].newer;
		*ret_few = !is_observed(looks, branch + 1);
		if (*ret_few)
			return branch + 1 - looks->blind[branch].newer;
	}
	return looks->proven;
}

size_t deep_looks_sure(const struct deep_looks *looks, size_t count, bool *ret_few)
{
	size_t sure = longest_run(looks, count), most = seen_in_a_row(looks, count), two;

	*ret_few = false;
	if (looks->checked) {
		sure = proven_by_one(looks, ret_few);
		*ret_few |= !looks->proven;
		if (sure < looks->shown)
			sure = looks->shown;
		if (sure < most)
			sure = most;
		*ret_few &= sure < count;
		return sure;
	}
	if (sure < most)
		sure = most;
	two = seen_by_two(looks, sure);
	if (two < most)
		two = most;
	if (two < sure) {
		*ret_few = true;
		sure = two;
	}
	if (!deep_looks_varies(looks))
		return sure;
	for (size_t branch = most; branch < sure; branch++)
		if (!is_seen_by(looks, branch, RUNS_MIN)) {
			*ret_few = true;
			return branch;
		}
	return sure;
}
