// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/fetch.h"
#include "snapshot/snapshot.h"
#include "symbolize/symbolize.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/deep/deep_code.h"

/* Documentation/arch/x86/x86_64/mm.rst */
#define MODULES 0xffffffffc0000000ull

static bool in_entry(const struct deep_code *code, uint64_t addr)
{
	return addr >= code->start && addr < code->end;
}

static bool in_user(uint64_t addr)
{
	return !address_is_kernel(addr);
}

static bool enters_call(const struct deep_code *code, const struct why_branch *branch)
{
	if (!in_entry(code, branch->from))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(code->calls); i++)
		if (code->calls[i] && code->calls[i] == branch->to)
			return true;
	return false;
}

static bool is_return(const struct deep_code *code, uint64_t addr)
{
	uint8_t bytes[INSN_LEN_MAX];
	struct insn insn;

	return code->text && !insn_fetch(code->text, addr, bytes, &insn) && insn.class == INSN_RET;
}

/*
 * Find the branch that entered the handler which returned to @resumed; @count: there is none. The
 * LBR does not record the entry of #DB: an older return to @resumed, and any entry before that, are
 * of another exception. If @resumed is a return, as in a thunk, the handler's own functions may
 * return to the entry code from there, too.
 */
static size_t find_interrupt(const struct deep_code *code, const struct why_branch *newest,
			     size_t count, size_t from, uint64_t resumed)
{
	if (is_return(code, resumed))
		return count;
	for (size_t i = from; i < count; i++) {
		if (newest[i].from == resumed && in_entry(code, newest[i].to))
			return i;
		if (newest[i].to == resumed && in_entry(code, newest[i].from))
			return count;
	}
	return count;
}

/*
 * Branch number @from - 1 leaves the entry code. Before that the handler returned to the part of
 * the entry code that had called it, which tells the handler.
 */
static enum deep_resumer find_resumer(const struct deep_code *code, const struct why_branch *newest,
				      size_t count, size_t from)
{
	for (size_t i = from; code->int3_end && i < count; i++) {
		uint64_t to = newest[i].to;

		if (!in_entry(code, to))
			break;
		if (!in_entry(code, newest[i].from))
			return to >= code->int3_start && to < code->int3_end ? DEEP_RESUMER_INT3
									     : DEEP_RESUMER_OTHER;
	}
	return DEEP_RESUMER_UNKNOWN;
}

static void put_oldest_first(struct deep_record *record)
{
	for (size_t i = 0, k = record->count; i + 1 < k; i++) {
		struct why_branch other = record->branches[--k];

		record->branches[k] = record->branches[i];
		record->branches[i] = other;
	}
}

static bool in_switch(const struct deep_code *code, uint64_t addr)
{
	for (size_t i = 0; i < ARRAY_SIZE(code->switch_start); i++)
		if (addr >= code->switch_start[i] && addr < code->switch_end[i])
			return true;
	return false;
}

/*
 * Is this code of a kprobe? It executes the instruction that the kprobe replaces, and jumps back.
 * It has no symbol if its page is newer than the symbols that were read.
 */
static bool in_kprobe(const struct deep_code *code, uint64_t addr)
{
	struct symbol sym;

	if (addr < MODULES || !code->symbols)
		return false;
	return symbols_find(code->symbols, addr, &sym) || !strcmp(sym.module, "__builtin__kprobes");
}

/* Add @branch, if it is of the call. True: the record ends there, and @ret->end says why. */
static bool take(const struct deep_code *code, const struct why_branch *branch,
		 struct deep_record *ret)
{
	bool entry = enters_call(code, branch);

	if (deep_code_left(code, branch) == DEEP_CALL_WAKES) {
		ret->end = DEEP_END_SWITCH;
		ret->resumed = branch->to;
		return true;
	}
	if (in_switch(code, branch->from) || in_switch(code, branch->to)) {
		ret->end = DEEP_END_SWITCH;
		return true;
	}
	if (in_kprobe(code, branch->from) || in_kprobe(code, branch->to)) {
		ret->end = DEEP_END_OTHER;
		if (in_kprobe(code, branch->to))
			return true;
		ret->end = DEEP_END_RESUMED;
		ret->resumed = branch->to;
		ret->resumer = DEEP_RESUMER_KPROBE_CODE;
		return true;
	}
	if (!entry && (in_user(branch->from) || in_user(branch->to) ||
		       in_entry(code, branch->from) || in_entry(code, branch->to))) {
		ret->end = DEEP_END_OTHER;
		return true;
	}
	ret->branches[ret->count++] = *branch;
	if (entry)
		ret->end = DEEP_END_ENTRY;
	return entry;
}

/*
 * The record begins at a task switch. Its branches are newest first. What a call does while the
 * task waits differs from run to run: cut it. A function that seldom waits is in the paths of other
 * runs: this run goes on after it as after an interrupt.
 */
static void cut_wait(const struct deep_code *code, struct deep_record *record)
{
	size_t kept = 0;

	for (size_t i = record->count; i-- > 0;) {
		enum deep_call_kind left = deep_code_left(code, &record->branches[i]);

		if (left != DEEP_CALL_WAITS && left != DEEP_CALL_YIELDS)
			continue;
		if (left == DEEP_CALL_YIELDS) {
			record->end = DEEP_END_RESUMED;
			record->resumer = DEEP_RESUMER_OTHER;
		}
		record->resumed = record->branches[i].to;
		record->count = i;
		break;
	}
	for (size_t i = 0; i < record->interrupt_count; i++) {
		if (record->interrupt_at[i] > record->count)
			continue;
		record->interrupts[kept] = record->interrupts[i];
		record->interrupt_at[kept++] = record->interrupt_at[i];
	}
	record->interrupt_count = kept;
}

void deep_record_make(const struct deep_code *code, const struct why_branch *newest, size_t count,
		      struct deep_record *ret)
{
	ret->count = ret->interrupt_count = 0;
	ret->end = DEEP_END_FULL;
	ret->resumed = 0;
	ret->resumer = DEEP_RESUMER_UNKNOWN;
	for (size_t i = 0; i < count && i < RECORD_BRANCHES_MAX; i++) {
		const struct why_branch *branch = &newest[i];
		bool returns = in_entry(code, branch->from) && !in_entry(code, branch->to) &&
			       !in_user(branch->to) && !enters_call(code, branch);
		size_t entered;

		if (!returns) {
			if (take(code, branch, ret))
				break;
			continue;
		}
		entered = find_interrupt(code, newest, count, i + 1, branch->to);
		if (entered == count) {
			ret->end = DEEP_END_RESUMED;
			ret->resumed = branch->to;
			ret->resumer = find_resumer(code, newest, count, i + 1);
			break;
		}
		ret->interrupts[ret->interrupt_count] = newest[entered].to;
		ret->interrupt_at[ret->interrupt_count++] = ret->count;
		i = entered;
	}
	if (ret->end == DEEP_END_SWITCH && !ret->resumed)
		cut_wait(code, ret);
	put_oldest_first(ret);
}

/* The instructions after branch @at: from @ret_low to @ret_high, both are executed. */
static void run_behind(const struct deep_known *known, long at, uint64_t *ret_low,
		       uint64_t *ret_high)
{
	long last = (long)known->count - 1;

	*ret_high = at == last ? known->end : known->branches[at + 1].from;
	*ret_low = at != DEEP_BEFORE ? known->branches[at].to : known->start ?: *ret_high;
}

bool deep_runs_through(const struct deep_known *known, long at, uint64_t addr)
{
	uint64_t low, high;

	run_behind(known, at, &low, &high);
	return addr >= low && addr <= high;
}

bool deep_runs_between(const struct deep_known *known, long first, long last, uint64_t addr)
{
	for (long at = first; at <= last; at++)
		if (deep_runs_through(known, at, addr))
			return true;
	return false;
}

const struct deep_interrupt *deep_cut_at(const struct deep_known *known, uint64_t addr)
{
	for (size_t i = 0; i < known->cut_count; i++)
		if (known->cuts[i].resumed && known->cuts[i].resumed == addr)
			return &known->cuts[i];
	return NULL;
}

/** struct place - an execution of the point at @addr, after branch @at of the path */
struct place {
	long at;
	uint64_t addr;
};

/* Go to the next older execution of any point; false: the path has none. */
static bool place_before(const struct deep_known *known, const struct deep_run *run,
			 struct place *place)
{
	uint64_t below = place->addr;

	for (long at = place->at; at >= DEEP_BEFORE; at--, below = UINT64_MAX) {
		uint64_t best = 0;

		for (size_t i = 0; i < run->point_count; i++)
			if (run->points[i] < below && run->points[i] > best &&
			    deep_runs_through(known, at, run->points[i]))
				best = run->points[i];
		if (best) {
			*place = (struct place){.at = at, .addr = best};
			return true;
		}
	}
	return false;
}

/*
 * The path begins after a call that is left out. If the record has all of the path before @place,
 * did the run take one more branch between that call and the path's first branch?
 */
static bool is_late(const struct deep_known *known, const struct place *place,
		    const struct deep_record *record)
{
	size_t overlap = (size_t)(place->at + 1);

	return known->start && record->count > overlap &&
	       record->branches[record->count - 1 - overlap].to != known->start;
}

/*
 * Does the record agree with the path before @place? Branches before the path do not count.
 * @ret_instead: the record's branch that differs; NULL: it is between the left-out call and the
 *               path
 */
static bool agrees(const struct deep_known *known, const struct place *place,
		   const struct deep_record *record, size_t *ret_differs,
		   const struct why_branch **ret_instead)
{
	for (size_t i = 0; i < record->count && (long)i <= place->at; i++) {
		const struct why_branch *has = &record->branches[record->count - 1 - i];
		const struct why_branch *way = &known->branches[place->at - i];

		if (deep_same_branch(has, way))
			continue;
		log_verbose("branch 0x%llx to 0x%llx instead of 0x%llx to 0x%llx",
			    (unsigned long long)has->from, (unsigned long long)has->to,
			    (unsigned long long)way->from, (unsigned long long)way->to);
		*ret_differs = place->at - i;
		*ret_instead = has;
		return false;
	}
	if (!is_late(known, place, record))
		return true;
	*ret_differs = 0;
	*ret_instead = NULL;
	return false;
}

/*
 * Does the record continue that of the hit before, with nothing executed in between? Not if it has
 * no branch and resumes at its own hit: an interrupt returned there, and the record does not have
 * how the run came from the hit before, as round a loop.
 */
static bool continues(const struct deep_run *run, size_t hit)
{
	const struct deep_record *record = &run->hits[hit].record;

	return hit && record->end == DEEP_END_RESUMED && run->hits[hit - 1].ip == record->resumed &&
	       deep_has_record(&run->hits[hit - 1]) &&
	       (record->count || run->hits[hit].ip != record->resumed);
}

/* How far back the records from number @last, the oldest, to number @hit go. */
static void set_reach(const struct deep_run *run, size_t hit, size_t last, struct deep_joint *ret)
{
	const struct deep_record *oldest = &run->hits[last].record;

	ret->entry = oldest->end == DEEP_END_ENTRY;
	ret->switched = oldest->end == DEEP_END_SWITCH;
	ret->resumed = ret->switched ? oldest->resumed : 0;
	ret->first = &run->hits[last];
	ret->last = &run->hits[hit];
}

/* All branches before a hit, the newest first, as far as records continue each other. */
static int collect(const struct deep_run *run, size_t hit, struct why_branch **ret,
		   size_t *ret_count, size_t *ret_last)
{
	for (;; hit--) {
		const struct deep_record *record = &run->hits[hit].record;

		for (size_t i = record->count; i-- > 0;) {
			if (vector_grow(ret, *ret_count, sizeof(**ret)))
				return -ENOMEM;
			(*ret)[(*ret_count)++] = record->branches[i];
		}
		*ret_last = hit;
		if (!continues(run, hit))
			return 0;
	}
}

/* Does a left-out call return to @addr, and has the run points at both its ends? */
static bool is_behind_wait(const struct deep_known *known, const struct deep_run *run,
			   uint64_t addr)
{
	return (addr == known->start || deep_cut_at(known, addr)) &&
	       address_among(run->points, run->point_count, addr) &&
	       address_among(run->points, run->point_count, addr - DEEP_CALL_BYTES);
}

/*
 * How many hits of the path's own code are older than number @hit. Hits within a left-out call are
 * deeper on the stack.
 */
static size_t older_hits(const struct deep_known *known, const struct deep_run *run, size_t hit)
{
	size_t left = hit;

	if (!is_behind_wait(known, run, run->hits[hit].ip))
		return left;
	while (left && run->hits[left - 1].regs[PTREG_SP] < run->hits[hit].regs[PTREG_SP])
		left--;
	return left;
}

/* Is a call left out between these two places, and can its own hits not be told from the path's? */
static bool crosses_wait(const struct deep_known *known, const struct deep_run *run,
			 const struct place *older, const struct place *newer)
{
	for (long at = older->at; at <= newer->at; at++) {
		uint64_t low, high;

		run_behind(known, at, &low, &high);
		low = at == older->at ? older->addr : low;
		high = at == newer->at ? newer->addr : high;
		for (size_t i = 0; i < known->cut_count; i++) {
			uint64_t resumed = known->cuts[i].resumed;

			if (resumed > low && resumed <= high &&
			    !is_behind_wait(known, run, resumed))
				return true;
		}
	}
	return false;
}

/*
 * Does the record at the next newer hit reach back to the hit at @place? Then both are of one
 * execution, and the branches between them count as overlap, too.
 */
static bool reaches(const struct deep_record *newer, long newer_at, const struct place *place)
{
	long between = newer_at - place->at;

	if ((long)newer->count > between ||
	    (place->at == DEEP_BEFORE && (long)newer->count == between))
		return true;
	if ((long)newer->count != between || !newer->resumed)
		return false;
	return newer->end == DEEP_END_RESUMED ? newer->resumed == place->addr
					      : newer->resumed - DEEP_CALL_BYTES == place->addr;
}

bool deep_is_ambiguous(const struct deep_known *known, uint64_t point, long at)
{
	for (long other = at + 1; other < (long)known->count; other++) {
		long i = 0;

		if (!deep_runs_through(known, other, point))
			continue;
		while (i <= at &&
		       deep_same_branch(&known->branches[at - i], &known->branches[other - i]))
			i++;
		if (i > at)
			return true;
	}
	return false;
}

/*
 * A call that waited is before the hit, and the path has nothing older. The path may begin with
 * @gone branches of that call, if its own record did not reach the switch.
 */
static int begin_behind_wait(const struct deep_known *known, const struct deep_record *record,
			     size_t gone, struct deep_joint *ret)
{
	ret->switched = !gone;
	if (!gone || known->branches[gone - 1].to == record->resumed) {
		ret->resumed = record->resumed;
		ret->gone = gone;
	}
	return DEEP_SWITCHED;
}

/* Add what the records have before the hit, and the path has not. */
static int prepend(const struct deep_known *known, long at, const struct deep_run *run, size_t hit,
		   struct deep_joint *ret)
{
	_cleanup_free_ struct why_branch *all = NULL;
	size_t count = 0, overlap = (size_t)(at + 1), last = hit;
	struct place place = {.at = at};

	if (collect(run, hit, &all, &count, &last))
		return -ENOMEM;
	for (size_t i = 0; i < count && i < overlap; i++)
		if (!deep_same_branch(&all[i], &known->branches[place.at - (long)i])) {
			ret->differs = (size_t)place.at - i;
			return DEEP_OTHER_PATH;
		}
	if (count <= overlap && run->hits[last].record.end == DEEP_END_SWITCH)
		return begin_behind_wait(known, &run->hits[last].record, overlap - count, ret);
	if (count < overlap)
		return DEEP_SHORT;
	if (count == overlap)
		return run->hits[last].record.end == DEEP_END_FULL ? DEEP_NO_PROGRESS : DEEP_SHORT;
	ret->added_count = count - overlap;
	ret->added = calloc(ret->added_count, sizeof(*ret->added));
	if (!ret->added)
		return -ENOMEM;
	for (size_t i = 0; i < ret->added_count; i++)
		ret->added[i] = all[count - 1 - i];
	set_reach(run, hit, last, ret);
	return DEEP_JOINED;
}

const struct deep_hit *deep_newest_hit(const struct deep_hit *hits, size_t count, uint64_t ip)
{
	while (count-- > 0)
		if (hits[count].ip == ip)
			return &hits[count];
	return NULL;
}

/*
 * Mark what the record at @place has. If not @goes_on, the run need not have gone on from the
 * newest branch as the path does: the point may be before a place where two paths meet.
 */
static void mark_seen(const struct deep_known *known, const struct place *place, size_t count,
		      bool goes_on, bool *seen)
{
	for (long i = goes_on ? 0 : 1; i < (long)count && i <= place->at; i++)
		seen[(long)known->count - 1 - (place->at - i)] = true;
}

/*
 * Hit number @hit continues the record of the hit before, the one at @place. Has it fewer branches
 * than the path has in between? Then the run did not take the next older branch.
 */
static bool is_shorter(const struct deep_run *run, size_t hit, long at, const struct place *place,
		       size_t *ret_differs)
{
	size_t count = run->hits[hit].record.count;

	if (!continues(run, hit) || (long)count >= at - place->at)
		return false;
	*ret_differs = (size_t)at - count;
	return true;
}

/*
 * Before @hit, the hit at @place is missing: the run was off the path there. If it did hit that
 * point earlier, it may have left the path later, and hit another point once more.
 */
static void parted_at(const struct deep_known *known, const struct deep_run *run,
		      const struct deep_hit *hit, long at, const struct place *place,
		      struct deep_parted *ret)
{
	size_t left = (size_t)(hit - run->hits), oldest = known->count - 1 - (size_t)place->at;
	size_t newest = known->count - 1 - (size_t)at + hit->record.count;
	bool was_hit = deep_newest_hit(run->hits, left, place->addr);
	bool begins = place->at >= 0 && place->addr == known->branches[place->at].to;

	/* The record does not have what led to its oldest branch. */
	if (was_hit && newest && newest <= oldest)
		newest--;
	else
		newest = oldest - (oldest && !begins);
	ret->newest = newest;
	ret->oldest = oldest;
}

bool deep_was_rescheduled(const struct deep_hit *hits, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (hits[i].switches != hits[0].switches)
			return true;
	return false;
}

/*
 * The run did not take branch @differs of the path: it came to @addr, and from there took the path.
 * If @addr is further on in the same block, it may have left the path within that block.
 */
static void parted_behind(const struct deep_known *known, size_t differs, uint64_t addr,
			  struct deep_parted *ret)
{
	size_t branch = known->count - 1 - differs;

	ret->newest = ret->oldest = 0;
	/* The path is empty: only the place where it begins is known, after a call. */
	if (!known->count)
		return;
	ret->newest = branch - (branch && addr > known->branches[differs].to);
	ret->oldest = branch;
	ret->to = addr;
}

int deep_agree(const struct deep_known *known, const struct deep_run *run, bool *seen,
	       size_t *ret_differs, struct deep_parted *ret_parted)
{
	struct place place = {.at = (long)known->count - 1, .addr = known->end};
	const struct deep_hit *hit = deep_newest_hit(run->hits, run->hit_count, known->end);
	bool goes_on = true;

	ret_parted->rescheduled =
		hit && deep_was_rescheduled(run->hits, (size_t)(hit - run->hits) + 1);
	while (hit) {
		const struct why_branch *instead;
		bool agreed = agrees(known, &place, &hit->record, ret_differs, &instead);
		struct place newer = place;
		long at = place.at;
		size_t left;

		mark_seen(known, &place,
			  agreed ? hit->record.count : (size_t)(at - (long)*ret_differs), goes_on,
			  seen);
		if (!agreed) {
			parted_behind(known, *ret_differs, instead ? instead->to : 0, ret_parted);
			ret_parted->returned = hit > run->hits && hit[-1].switches != hit->switches;
			return DEEP_OTHER_PATH;
		}
		if (!place_before(known, run, &place))
			return DEEP_JOINED;
		*ret_differs = known->count;
		left = older_hits(known, run, (size_t)(hit - run->hits));
		if (!left || run->hits[left - 1].ip != place.addr) {
			if (crosses_wait(known, run, &place, &newer))
				return DEEP_AMBIGUOUS;
			parted_at(known, run, hit, at, &place, ret_parted);
			return DEEP_OTHER_PATH;
		}
		if (left == (size_t)(hit - run->hits) &&
		    is_shorter(run, left, at, &place, ret_differs)) {
			parted_behind(known, *ret_differs, place.addr, ret_parted);
			return DEEP_OTHER_PATH;
		}
		goes_on = reaches(&hit->record, at, &place);
		hit = &run->hits[left - 1];
	}
	return DEEP_NO_HIT;
}

/* Find the run's hit at @point after branch @at. DEEP_JOINED, DEEP_OVERLAP: @ret_hit is set. */
static int find_hit(const struct deep_known *known, uint64_t point, long at,
		    const struct deep_run *run, struct deep_joint *ret, size_t *ret_hit)
{
	struct place place = {.at = (long)known->count - 1, .addr = known->end};
	const struct deep_hit *error = deep_newest_hit(run->hits, run->hit_count, known->end);
	const struct why_branch *instead;
	long newer_at,
		seen_from = place.at; /* the run recorded each branch from @place to this one */
	/* DEEP_AMBIGUOUS if hits may be of a left-out call: then a mismatch proves nothing. */
	int other = DEEP_OTHER_PATH;
	size_t hit;

	*ret = (struct deep_joint){};
	if (!error)
		return DEEP_NO_HIT;
	hit = (size_t)(error - run->hits);
	for (;;) {
		struct place newer = place;
		size_t left;

		if (!agrees(known, &place, &run->hits[hit].record, &ret->differs, &instead)) {
			ret->same_place =
				instead && instead->to == known->branches[ret->differs].to;
			return other;
		}
		if (place.at == at && place.addr == point)
			break;
		newer_at = place.at;
		if (!place_before(known, run, &place))
			return DEEP_NO_PROGRESS;
		ret->differs = (size_t)(place.at < 0 ? 0 : place.at);
		if (crosses_wait(known, run, &place, &newer))
			other = DEEP_AMBIGUOUS;
		left = older_hits(known, run, hit);
		if (!left || run->hits[left - 1].ip != place.addr)
			return other;
		if (left == hit && is_shorter(run, hit, newer_at, &place, &ret->differs))
			return DEEP_OTHER_PATH;
		if (!reaches(&run->hits[hit].record, newer_at, &place))
			seen_from = place.at;
		hit = left - 1;
	}
	ret->overlap = (size_t)(seen_from + 1);
	/* If a newer record reaches this hit, its branches identify the execution. */
	if (seen_from == at && deep_is_ambiguous(known, point, at))
		return DEEP_AMBIGUOUS;
	*ret_hit = hit;
	return ret->overlap < DEEP_OVERLAP_MIN ? DEEP_OVERLAP : DEEP_JOINED;
}

int deep_join(const struct deep_known *known, uint64_t point, long at, const struct deep_run *run,
	      struct deep_joint *ret)
{
	size_t hit;
	int verdict = find_hit(known, point, at, run, ret, &hit);

	return verdict ?: prepend(known, at, run, hit, ret);
}

/* Do these end with the @overlap oldest branches of the path, and with those of the record? */
static bool ends_with(const struct why_branch *computed, size_t count,
		      const struct deep_known *known, size_t overlap,
		      const struct deep_record *record)
{
	for (size_t i = 0; i < overlap; i++)
		if (i == count ||
		    !deep_same_branch(&computed[count - 1 - i], &known->branches[overlap - 1 - i]))
			return false;
	for (size_t i = 0; i < record->count && i < count; i++)
		if (!deep_same_branch(&computed[count - 1 - i],
				      &record->branches[record->count - 1 - i]))
			return false;
	return true;
}

/* Add what was before the call, and the computed branches that the path has not. */
static int prepend_call(const struct deep_run *run, size_t hit, const struct why_branch *computed,
			size_t count, struct deep_joint *ret)
{
	_cleanup_free_ struct why_branch *before = NULL;
	size_t before_count = 0, last = hit;

	if (collect(run, hit, &before, &before_count, &last))
		return -ENOMEM;
	ret->added_count = before_count + count;
	ret->added = calloc(ret->added_count + 1, sizeof(*ret->added));
	if (!ret->added)
		return -ENOMEM;
	for (size_t i = 0; i < before_count; i++)
		ret->added[i] = before[before_count - 1 - i];
	for (size_t i = 0; i < count; i++)
		ret->added[before_count + i] = computed[i];
	ret->computed = count;
	set_reach(run, hit, last, ret);
	return DEEP_JOINED;
}

int deep_join_call(const struct deep_known *known, uint64_t point, long at, uint64_t call,
		   const struct deep_run *run, deep_compute_fn *compute, void *ctx,
		   struct deep_joint *ret)
{
	_cleanup_free_ struct why_branch *computed = NULL;
	const struct deep_hit *behind, *before;
	size_t count = 0, hit, overlap = (size_t)(at + 1);
	int verdict = find_hit(known, point, at, run, ret, &hit);

	if (verdict)
		return verdict;
	ret->differs = 0;
	behind = &run->hits[hit];
	before = behind - 1;
	if (!hit || before->ip != call || before->regs[PTREG_SP] != behind->regs[PTREG_SP])
		return DEEP_OTHER_PATH;
	verdict = compute(ctx, before, &computed, &count);
	if (verdict)
		return verdict == -ENODATA ? DEEP_NO_PROGRESS : verdict;
	if (!ends_with(computed, count, known, overlap, &behind->record))
		return DEEP_OTHER_PATH;
	if (count == overlap && !before->record.count)
		return DEEP_NO_PROGRESS;
	return prepend_call(run, hit - 1, computed, count - overlap, ret);
}

/* Find the hit at the left-out call, before number @hit, which is after it; false: none. */
static bool find_wait(const struct deep_known *known, bool waits, const struct deep_run *run,
		      size_t hit, size_t *ret_call)
{
	const struct deep_hit *behind = &run->hits[hit], *before;
	size_t left = older_hits(known, run, hit);

	if (!left)
		return false;
	before = &run->hits[left - 1];
	*ret_call = left - 1;
	return before->ip == known->start - DEEP_CALL_BYTES &&
	       before->regs[PTREG_SP] == behind->regs[PTREG_SP] &&
	       (!waits || before->switches != behind->switches);
}

int deep_join_wait(const struct deep_known *known, bool waits, const struct deep_run *run,
		   struct deep_joint *ret)
{
	struct deep_known nothing = {.end = known->start};
	size_t hit = 0, overlap;
	int verdict = find_hit(known, known->start, DEEP_BEFORE, run, ret, &hit);

	overlap = ret->overlap;
	/* So near to the error, an overlap of the whole path is enough. */
	if (verdict && (verdict != DEEP_OVERLAP || overlap < known->count))
		return verdict;
	ret->differs = 0;
	if (!find_wait(known, waits, run, hit, &hit))
		return DEEP_OTHER_PATH;
	verdict = prepend(&nothing, DEEP_BEFORE, run, hit, ret);
	ret->overlap = overlap;
	/* Another call is left out right before, without a branch between the two. */
	if (verdict == DEEP_SWITCHED)
		ret->switched = false;
	return verdict;
}
