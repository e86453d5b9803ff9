// SPDX-License-Identifier: GPL-2.0
#include "compare/ranking.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/chance.h"
#include "compare/group.h"
#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/** enum side - of a branch */
enum side { NOT_TAKEN, TAKEN, SIDES };

/** enum match - how a branch was found in another build */
enum match { MATCH_NONE, MATCH_LINE, MATCH_CONDITION };

/**
 * struct tally - a branch in calls of one kind
 * @group: of which kind, an index
 * @seen: in how many calls it was executed; @seen_complete in complete ones
 * @went: in how many it went each way, the last time it ran
 * @open: of @went, in how many its function was still open
 * @distance: sum over @went of the distance from the failure
 */
struct tally {
	size_t group;
	uint64_t seen;
	uint64_t seen_complete;
	uint64_t went[SIDES];
	uint64_t open[SIDES];
	uint64_t distance[SIDES];
};

/**
 * struct site - a branch of one build
 * @keys: or NULL
 * @alike: the same branch of another build, by @match; of the last one the first: a ring
 * @next_touched: of the branches of the present call
 * @before_entry: some call has executed it before it began: where it is not in a record, nobody
 * knows
 * @tallies: of the kinds of calls that executed it, @tally_count: most branches are of few
 * @side, @open, @distance: of the present call, the last time it ran; valid if @call is the
 * present one
 */
struct site {
	unsigned int build;
	struct ranking_keys *keys;
	struct site *alike;
	enum match match;
	char *function;
	char *module;
	uint64_t off;
	uint64_t rel;
	uint64_t addr;
	bool before_entry;
	char *condition[SIDES];
	char *source[SIDES];
	struct site *next_touched;
	uint64_t call;
	enum side side;
	bool open;
	uint32_t distance;
	struct tally *tallies;
	size_t tally_count;
};

struct ranking {
	struct group *groups;
	size_t group_count;
	struct hash_table sites; /* of pointers to struct site */
	struct site *touched;	 /* by the present call */
	uint64_t call;
	size_t group;
	unsigned int build;
	bool complete;
	ranking_keys_fn *keys;
	void *keys_ctx;
};

struct ranking *ranking_create(void)
{
	return calloc(1, sizeof(struct ranking));
}

static void site_destroy(struct site *site)
{
	free(site->function);
	free(site->module);
	free(site->condition[TAKEN]);
	free(site->condition[NOT_TAKEN]);
	free(site->source[TAKEN]);
	free(site->source[NOT_TAKEN]);
	free(site->keys);
	free(site->tallies);
	free(site);
}

void ranking_destroy(struct ranking *ranking)
{
	struct site **sites;

	if (!ranking)
		return;
	for (size_t i = 0; i < ranking->group_count; i++)
		group_deinit(&ranking->groups[i]);
	free(ranking->groups);
	sites = ranking->sites.items;
	for (size_t i = 0; i < ranking->sites.count; i++)
		site_destroy(sites[i]);
	hash_table_deinit(&ranking->sites);
	free(ranking);
}

static int add_group(struct ranking *ranking, const struct ranking_call *call)
{
	size_t same = 0;

	if (vector_grow(&ranking->groups, ranking->group_count, sizeof(*ranking->groups)))
		return -ENOMEM;
	for (size_t i = 0; i < ranking->group_count; i++)
		same += ranking->groups[i].failing == call->failing;
	if (same == (call->failing ? RANKING_FAILING_MAX : RANKING_PASSING_MAX))
		return -E2BIG;
	return group_init(&ranking->groups[ranking->group_count++], call);
}

int ranking_call(struct ranking *ranking, const struct ranking_call *call)
{
	size_t i = 0;
	int err;

	while (i < ranking->group_count && !group_has(&ranking->groups[i], call))
		i++;
	if (i == ranking->group_count) {
		err = add_group(ranking, call);
		if (err)
			return err;
	}
	ranking->call++;
	ranking->group = i;
	ranking->build = call->build;
	ranking->complete = call->complete;
	ranking->touched = NULL;
	group_note(&ranking->groups[i], call);
	return 0;
}

/** struct site_key - what tells a site */
struct site_key {
	unsigned int build;
	const struct ranking_decision *decision;
};

uint32_t ranking_place_hash(const struct ranking_place *place, uint64_t rel)
{
	uint64_t hash = fnv(FNV_START, place->function, strlen(place->function) + 1);

	hash = fnv(hash, place->module, strlen(place->module) + 1);
	hash = fnv(hash, &rel, sizeof(rel));
	return (uint32_t)fnv(hash, &place->off, sizeof(place->off));
}

bool ranking_place_same(const struct ranking_place *a, const struct ranking_place *b)
{
	return a->off == b->off && !strcmp(a->function, b->function) &&
	       !strcmp(a->module, b->module);
}

static struct ranking_place place_of(const struct site *site)
{
	return (struct ranking_place){
		.function = site->function, .module = site->module, .off = site->off};
}

/* Elements are pointers: sites stay where they are. */
static bool is_site(const void *element, const void *key)
{
	const struct site *site = *(struct site *const *)element;
	const struct site_key *wanted = key;
	const struct ranking_decision *decision = wanted->decision;
	const struct ranking_place place = place_of(site);

	return site->build == wanted->build && site->rel == decision->rel &&
	       ranking_place_same(&place, &decision->place);
}

void ranking_set_keys(struct ranking *ranking, ranking_keys_fn *fn, void *ctx)
{
	ranking->keys = fn;
	ranking->keys_ctx = ctx;
}

static int name_site(const struct ranking *ranking, const struct ranking_decision *decision,
		     struct site *site)
{
	if (!ranking->keys)
		return 0;
	site->keys = calloc(1, sizeof(*site->keys));
	return site->keys ? ranking->keys(ranking->keys_ctx, decision, site->keys) : -ENOMEM;
}

static int find_site(struct ranking *ranking, const struct ranking_decision *decision,
		     struct site **ret)
{
	const struct site_key key = {.build = ranking->build, .decision = decision};
	uint32_t hash = ranking_place_hash(&decision->place, decision->rel);
	struct site **found =
		hash_table_find(&ranking->sites, sizeof(struct site *), hash, is_site, &key);
	struct site *site;

	if (found) {
		*ret = *found;
		return 0;
	}
	site = calloc(1, sizeof(*site));
	if (!site)
		return -ENOMEM;
	site->build = ranking->build;
	site->alike = site;
	site->function = strdup(decision->place.function);
	site->module = strdup(decision->place.module);
	site->off = decision->place.off;
	site->rel = decision->rel;
	if (!site->function || !site->module || name_site(ranking, decision, site) ||
	    !hash_table_add(&ranking->sites, sizeof(struct site *), hash, &site)) {
		site_destroy(site);
		return -ENOMEM;
	}
	*ret = site;
	return 0;
}

/* NULL: no call of this kind executed it. */
static struct tally *find_tally(const struct site *site, size_t group)
{
	for (size_t i = 0; i < site->tally_count; i++)
		if (site->tallies[i].group == group)
			return &site->tallies[i];
	return NULL;
}

static const struct tally *tally_in(const struct site *site, size_t group)
{
	static const struct tally none;

	return find_tally(site, group) ?: &none;
}

static int add_tally(struct site *site, size_t group)
{
	if (find_tally(site, group))
		return 0;
	if (vector_grow(&site->tallies, site->tally_count, sizeof(*site->tallies)))
		return -ENOMEM;
	site->tallies[site->tally_count++] = (struct tally){.group = group};
	return 0;
}

int ranking_decision(struct ranking *ranking, const struct ranking_decision *decision)
{
	enum side side = decision->taken ? TAKEN : NOT_TAKEN;
	struct site *site;

	if (find_site(ranking, decision, &site) || add_tally(site, ranking->group))
		return -ENOMEM;
	site->before_entry |= decision->before_entry;
	if (decision->addr)
		site->addr = decision->addr;
	if (site->call != ranking->call) {
		site->next_touched = ranking->touched;
		ranking->touched = site;
		site->call = ranking->call;
		site->distance = UINT32_MAX;
	}
	if (decision->distance < site->distance) {
		site->distance = decision->distance;
		site->side = side;
		site->open = decision->open;
	}
	if (!site->condition[side] && *decision->condition) {
		site->condition[side] = strndup(decision->condition, RANKING_TEXT_MAX - 1);
		if (!site->condition[side])
			return -ENOMEM;
	}
	if (!site->source[side] && *decision->source) {
		site->source[side] = strdup(decision->source);
		if (!site->source[side])
			return -ENOMEM;
	}
	return 0;
}

void ranking_call_end(struct ranking *ranking)
{
	for (struct site *site = ranking->touched; site; site = site->next_touched) {
		struct tally *tally = find_tally(site, ranking->group);

		tally->seen++;
		tally->seen_complete += ranking->complete;
		tally->went[site->side]++;
		tally->open[site->side] += site->open;
		tally->distance[site->side] += site->distance;
	}
	ranking->touched = NULL;
}

/** struct named - a site by one of its keys */
struct named {
	const char *key;
	struct site *site;
};

static int by_key(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->key, y->key) ?: (int)x->site->build - (int)y->site->build;
}

/* Those of one key, which are sorted by their builds. */
static void join(const struct named *named, size_t count, enum match match)
{
	for (size_t i = 1; i < count; i++)
		if (named[i].site->build == named[i - 1].site->build)
			return;
	for (size_t i = 0; count > 1 && i < count; i++) {
		named[i].site->alike = named[(i + 1) % count].site;
		named[i].site->match = match;
	}
}

/* @offset: of the key in struct ranking_keys; @named has room for all sites */
static void join_by(struct ranking *ranking, size_t offset, enum match match, struct named *named)
{
	struct site **sites = ranking->sites.items;
	size_t count = 0;

	for (size_t i = 0; i < ranking->sites.count; i++) {
		const char *key = sites[i]->keys ? (const char *)sites[i]->keys + offset : "";

		if (*key && sites[i]->match == MATCH_NONE)
			named[count++] = (struct named){.key = key, .site = sites[i]};
	}
	qsort(named, count, sizeof(*named), by_key);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(named[end].key, named[i].key);)
			end++;
		join(&named[i], end - i, match);
	}
}

int ranking_match_builds(struct ranking *ranking)
{
	struct named *named = calloc(ranking->sites.count + 1, sizeof(*named));

	if (!named)
		return -ENOMEM;
	join_by(ranking, offsetof(struct ranking_keys, chain), MATCH_LINE, named);
	join_by(ranking, offsetof(struct ranking_keys, line), MATCH_LINE, named);
	join_by(ranking, offsetof(struct ranking_keys, condition), MATCH_CONDITION, named);
	free(named);
	return 0;
}

/* Of a kind of calls, of this branch in all builds; its sides are those of @site. */
static struct tally tally_of(const struct site *site, size_t group)
{
	struct tally sum = *tally_in(site, group);

	for (const struct site *other = site->alike; other != site; other = other->alike) {
		const struct tally *tally = tally_in(other, group);
		bool swap = other->keys->negated != site->keys->negated;

		sum.seen += tally->seen;
		sum.seen_complete += tally->seen_complete;
		for (int side = 0; side < SIDES; side++) {
			sum.went[side] += tally->went[swap ? !side : side];
			sum.open[side] += tally->open[swap ? !side : side];
			sum.distance[side] += tally->distance[swap ? !side : side];
		}
	}
	return sum;
}

/*
 * A branch of the call that is not in a complete record was not executed: it did not go that way.
 * Of one that runs before the call, too, a record that ends there knows nothing, as calls of a
 * build do not in which it was not found.
 */
static struct ranking_count count_of(const struct site *site, const struct group *group,
				     const struct tally *tally, enum side side)
{
	bool before_entry = site->before_entry;
	uint64_t complete = group->complete[site->build];

	for (const struct site *other = site->alike; other != site; other = other->alike) {
		before_entry |= other->before_entry;
		complete += group->complete[other->build];
	}
	return (struct ranking_count){
		.true_calls = tally->went[side],
		.known = tally->seen + (before_entry ? 0 : complete - tally->seen_complete)};
}

static uint64_t least(uint64_t calls)
{
	return calls < RANKING_CALLS_LEAST ? calls : RANKING_CALLS_LEAST;
}

/* Is it what the errno of these failing calls followed from? */
static bool decides(const struct site *site, enum side side, const struct group *failing)
{
	const struct ranking_decision decision = {
		.place = place_of(site),
		.rel = site->rel,
		.taken = side == TAKEN,
	};

	return site->build == failing->build && is_decision(&failing->decided, &decision);
}

/* Is it what the errno followed from, and is no passing call of a build that is known to have it?
 */
static bool decides_alone(const struct site *site, enum side side, const struct group *failing,
			  const struct group *passing)
{
	return site->match == MATCH_NONE && passing->calls && !passing->calls_of[site->build] &&
	       decides(site, side, failing);
}

/* False: it does not tell failing calls, or too few of them know. */
static bool judge(const struct site *site, enum side side, const struct group *failing,
		  const struct group *passing, size_t failing_at, size_t passing_at,
		  struct ranked *ret)
{
	const struct tally *failed = tally_in(site, failing_at);
	const struct tally passed = tally_of(site, passing_at);
	struct ranking_count bad = count_of(site, failing, failed, side);
	struct ranking_count good = count_of(site, passing, &passed, side);
	/* A passing call that went this way would have failed; one that did, or failed, says
	 * otherwise. Of the code of another build nothing follows, and an errno that was loaded in
	 * case can have been left, too. */
	bool alone = failing->made_behind && !passing->erring &&
		     decides_alone(site, side, failing, passing);
	bool decided = alone || (!good.true_calls && !passing->erring &&
				 passing->calls_of[site->build] && decides(site, side, failing));
	uint64_t inferred = alone ? passing->calls : decided ? passing->calls_of[site->build] : 0;
	uint64_t good_known = inferred > good.known ? inferred : good.known;
	double tpr, fpr;

	if (bad.known < least(failing->calls) || good_known < least(passing->calls) ||
	    !bad.true_calls || !good_known)
		return false;
	tpr = (double)bad.true_calls / (double)bad.known;
	fpr = (double)good.true_calls / (double)good_known;
	if (tpr <= fpr)
		return false;
	*ret = (struct ranked){
		.build = site->build,
		.place = place_of(site),
		.addr = site->addr,
		.taken = side == TAKEN,
		.source = site->source[side] ?: "",
		.failing = bad,
		.passing = good,
		.accuracy = (tpr + 1 - fpr) / 2,
		.weight = ((double)(bad.true_calls + 1) / (double)(bad.known + 2) +
			   (double)(good_known - good.true_calls + 1) / (double)(good_known + 2)) /
			  2,
		.distance = (double)failed->distance[side] / (double)bad.true_calls,
		.parts = passed.went[!side] >= least(passing->calls),
		.open = 2 * failed->open[side] > bad.true_calls,
		.decides = decided,
		.inferred = decided && good.known < least(passing->calls),
		.alone = alone,
	};
	if (site->condition[side])
		strcpy(ret->condition, site->condition[side]);
	return true;
}

/*
 * Do the ways part there, in a function in which the error can depend on it? What a function that
 * has returned did differently can have led to the error by what it left behind alone, and then
 * something that is open asked for that.
 */
static bool is_parting(const struct ranked *item)
{
	return item->parts && item->open;
}

static bool tells_all(const struct ranked *item)
{
	return item->failing.true_calls == item->failing.known && !item->passing.true_calls;
}

/*
 * A record is contiguous, but for gaps: a passing call that knows a parting knows all that it did
 * behind it. If such calls did not execute @item, which failing ones did behind that parting, no
 * way parts at @item: whether it is executed depends on where they parted before. That more calls
 * know of it, as it is nearer to the end of the record, or as the error follows from it, says no
 * more about the cause.
 */
static bool can_follow(const struct ranked *item)
{
	return !item->parts && !item->passing.true_calls;
}

static bool parts_all(const struct ranked *item)
{
	return is_parting(item) && tells_all(item);
}

static int by_distance(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->distance < y->distance ? 1 : x->distance > y->distance ? -1 : 0;
}

/* The furthest first: the best of the partings that come before an item is that of those seen. */
static void limit_followers(struct ranked *items, size_t count)
{
	double limit = 0, next = 0;

	qsort(items, count, sizeof(*items), by_distance);
	for (size_t i = 0; i < count; i++) {
		if (i && items[i].distance < items[i - 1].distance)
			limit = next;
		if (parts_all(&items[i]) && items[i].weight > next)
			next = items[i].weight;
		items[i].follows = limit > 0 && can_follow(&items[i]);
		if (items[i].follows && items[i].weight > limit)
			items[i].weight = limit;
	}
}

/* What is not measured has no weight of its own: see struct ranked. */
static void place_alone(struct ranked *items, size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		if (!items[i].alone && !(tells_all(&items[i]) && items[i].passing.known) &&
		    items[i].weight > most)
			most = items[i].weight;
	for (size_t i = 0; i < count; i++)
		if (items[i].alone)
			items[i].weight = nextafter(most, 1);
}

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int names;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (is_parting(x) != is_parting(y))
		return is_parting(x) ? -1 : 1;
	if (x->parts != y->parts)
		return x->parts ? -1 : 1;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	names = strcmp(x->place.function, y->place.function);
	if (names)
		return names;
	return x->place.off < y->place.off ? -1 : x->place.off > y->place.off;
}

/* Which calls do not know is not by chance: of most of them has to be known. */
static bool is_known(const struct ranking_count *count, uint64_t calls)
{
	return count->known * 10 >= calls * 9;
}

static bool separates(const struct ranking_reason *reason, const struct ranked *item)
{
	return tells_all(item) && is_known(&item->failing, reason->failing) &&
	       is_known(&item->passing, reason->passing);
}

static void find_parting(struct ranking_reason *reason)
{
	reason->parts_at = -1;
	for (size_t i = 0; i < reason->count; i++)
		if (separates(reason, &reason->items[i]) &&
		    (reason->parts_at < 0 ||
		     reason->items[i].distance > reason->items[reason->parts_at].distance))
			reason->parts_at = (int)i;
}

/* Did most calls of a kind go that way there? */
static bool most_went(const struct tally *tally, enum side side, const struct group *group)
{
	return 2 * tally->went[side] > group->calls;
}

static bool is_joined(const struct ranking *ranking, size_t failing, size_t passing,
		      const struct ranking_reason *reason)
{
	const struct ranked *first = &reason->items[reason->parts_at >= 0 ? reason->parts_at : 0];
	struct site *const *sites = ranking->sites.items;

	for (size_t i = 0; i < ranking->sites.count; i++)
		for (int side = 0; side < SIDES; side++) {
			const struct tally *bad = tally_in(sites[i], failing);
			const struct tally good = tally_of(sites[i], passing);

			if (most_went(bad, side, &ranking->groups[failing]) &&
			    most_went(&good, side, &ranking->groups[passing]) &&
			    (double)bad->distance[side] / (double)bad->went[side] > first->distance)
				return true;
		}
	return false;
}

static bool is_known_to_some(const struct ranking_count *count)
{
	return count->known >= RANKING_CALLS_LEAST;
}

/*
 * What is true of all calls, or of none, cannot tell them apart. The more others there
 * are, the likelier it is that one does: Bonferroni's bound.
 */
static bool is_chance(const struct ranking *ranking, size_t failing, size_t passing,
		      const struct ranked *first)
{
	struct site *const *sites = ranking->sites.items;
	uint64_t predicates = 0;

	if (first->decides)
		return false;
	for (size_t i = 0; i < ranking->sites.count; i++)
		for (int side = 0; side < SIDES; side++) {
			const struct tally *failed = tally_in(sites[i], failing);
			const struct tally passed = tally_of(sites[i], passing);
			struct ranking_count bad =
				count_of(sites[i], &ranking->groups[failing], failed, side);
			struct ranking_count good =
				count_of(sites[i], &ranking->groups[passing], &passed, side);
			uint64_t true_calls = bad.true_calls + good.true_calls;

			predicates += is_known_to_some(&bad) && is_known_to_some(&good) &&
				      true_calls && true_calls < bad.known + good.known;
		}
	return (double)predicates * chance_of_table(first->failing.true_calls, first->failing.known,
						    first->passing.true_calls,
						    first->passing.known) >
	       CHANCE_MOST;
}

static size_t passing_group(const struct ranking *ranking, const char *function)
{
	for (size_t i = 0; i < ranking->group_count; i++)
		if (!ranking->groups[i].failing && !strcmp(ranking->groups[i].function, function))
			return i;
	return SIZE_MAX;
}

/* NULL: no call passes. */
static const char *most_passing(const struct ranking *ranking)
{
	const struct group *most = NULL;

	for (size_t i = 0; i < ranking->group_count; i++)
		if (!ranking->groups[i].failing &&
		    (!most || ranking->groups[i].calls > most->calls))
			most = &ranking->groups[i];
	return most ? most->function : NULL;
}

static struct ranking_match match_of(const struct ranking *ranking, size_t failing, size_t passing)
{
	const struct group *bad = &ranking->groups[failing], *good = &ranking->groups[passing];
	struct ranking_match match = {.passing = good->calls - good->calls_of[bad->build]};
	struct site *const *sites = ranking->sites.items;

	for (size_t i = 0; match.passing && i < ranking->sites.count; i++) {
		if (!tally_in(sites[i], failing)->seen)
			continue;
		match.by_line += sites[i]->match == MATCH_LINE;
		match.by_condition += sites[i]->match == MATCH_CONDITION;
		match.alone += sites[i]->match == MATCH_NONE;
		match.decided_alone |= decides_alone(sites[i], TAKEN, bad, good) ||
				       decides_alone(sites[i], NOT_TAKEN, bad, good);
	}
	return match;
}

static int rank(const struct ranking *ranking, size_t at, struct ranking_reason *reason)
{
	const struct group *group = &ranking->groups[at];
	size_t passing = passing_group(ranking, group->function), executed = 0;
	struct site *const *sites = ranking->sites.items;

	*reason = (struct ranking_reason){
		.function = group->function,
		.build = group->build,
		.err = group->err,
		.made_at = {.function = group->made_function,
			    .module = group->made_module,
			    .off = group->made_off},
		.failing = group->calls,
		.failing_values = group->values,
		.passing = passing == SIZE_MAX ? 0 : ranking->groups[passing].calls,
		.parts_at = -1,
	};
	if (passing == SIZE_MAX) {
		reason->passing_function = most_passing(ranking);
		return 0;
	}
	reason->match = match_of(ranking, at, passing);
	reason->passing_values = ranking->groups[passing].values;
	reason->passing_errnos = ranking->groups[passing].erring;
	reason->argument_count =
		argument_pairs(&group->arguments, group->calls, &ranking->groups[passing].arguments,
			       reason->passing, reason->arguments);
	for (size_t i = 0; i < ranking->sites.count; i++)
		executed += find_tally(sites[i], at) != NULL;
	reason->items = calloc(SIDES * executed + 1, sizeof(*reason->items));
	if (!reason->items)
		return -ENOMEM;
	for (size_t i = 0; i < ranking->sites.count; i++)
		for (int side = 0; side < SIDES && find_tally(sites[i], at); side++)
			reason->count += judge(sites[i], side, group, &ranking->groups[passing], at,
					       passing, &reason->items[reason->count]);
	limit_followers(reason->items, reason->count);
	place_alone(reason->items, reason->count);
	qsort(reason->items, reason->count, sizeof(*reason->items), by_weight);
	find_parting(reason);
	reason->by_chance = reason->count && is_chance(ranking, at, passing, &reason->items[0]);
	reason->joined =
		reason->count && reason->items[0].parts && is_joined(ranking, at, passing, reason);
	return 0;
}

static int by_calls(const void *a, const void *b)
{
	const struct ranking_reason *x = a, *y = b;

	return x->failing > y->failing ? -1 : x->failing < y->failing;
}

int ranking_reasons(const struct ranking *ranking, struct ranking_reason **ret, size_t *ret_count)
{
	struct ranking_reason *reasons = calloc(ranking->group_count + 1, sizeof(*reasons));
	size_t count = 0;
	int err = reasons ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < ranking->group_count; i++)
		if (ranking->groups[i].failing)
			err = rank(ranking, i, &reasons[count++]);
	if (err) {
		ranking_reasons_free(reasons, count);
		return err;
	}
	qsort(reasons, count, sizeof(*reasons), by_calls);
	*ret = reasons;
	*ret_count = count;
	return 0;
}

void ranking_reasons_free(struct ranking_reason *reasons, size_t count)
{
	for (size_t i = 0; reasons && i < count; i++)
		free(reasons[i].items);
	free(reasons);
}
