// SPDX-License-Identifier: GPL-2.0
/* path.c - from the target of one branch to the source of the next, straight ahead */
#include "path/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "path/depth.h"
#include "path/fold.h"
#include "path/lbr_switch.h"
#include "path/story.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

/* Bytes fetched at a time: a block is rarely longer. */
#define WINDOW_BYTES 256
#define ENDBR_BYTES  4

/* Text around the instruction being decoded. */
struct window {
	const struct text_source *text;
	uint64_t addr;
	size_t len;
	uint8_t buf[WINDOW_BYTES];
};

/* Last writer of each condition flag, as indices into path.insns. */
struct flag_writers {
	uint32_t cf, pf, zf, sf, of;
};

struct builder {
	const struct snapshot *snap;
	const struct branch *branches; /* the snapshot's, or those of its way */
	uint32_t count;
	uint32_t useful;  /* those before the capture's own */
	uint32_t decoded; /* instructions, those of gaps too */
	const struct path_options *opts;
	struct window window;
	struct path *path;
	struct flag_writers writers;
	bool folds;	/* wanted */
	bool user;	/* a program's path: its own text is there, the kernel's branches are not */
	bool frozen;	/* the LBR is off: which way a branch went is not known */
	uint32_t entry; /* branch that led to the block being built */
	bool tracing;	/* it is a tracer's */
};

/*
 * Text
 */

/* As many bytes at @addr as there are, at most a window; 0 if none. */
static size_t window_fill(struct window *w, uint64_t addr)
{
	size_t room = UINT64_MAX - addr < WINDOW_BYTES ? (size_t)(UINT64_MAX - addr) : WINDOW_BYTES;

	w->addr = addr;
	/* A read fails as a whole if its last byte is not there: come closer. */
	for (size_t len = room; len; len = len > 16 ? len / 2 : len - 1) {
		if (!w->text->read(w->text->ctx, addr, w->buf, len)) {
			w->len = len;
			return len;
		}
	}
	w->len = 0;
	return 0;
}

static size_t window_at(struct window *w, uint64_t addr, const uint8_t **ret_bytes)
{
	size_t off = (size_t)(addr - w->addr);

	if (addr >= w->addr && addr - w->addr < w->len && w->len - off >= INSN_LEN_MAX) {
		*ret_bytes = w->buf + off;
		return w->len - off;
	}
	*ret_bytes = w->buf;
	return window_fill(w, addr);
}

static enum path_gap decode_at(struct builder *b, uint64_t addr, struct insn *ret,
			       const uint8_t **ret_bytes)
{
	size_t avail = window_at(&b->window, addr, ret_bytes);
	int err;

	if (!avail)
		return PATH_GAP_NO_TEXT;
	err = insn_decode(*ret_bytes, avail, addr, ret);
	if (err == -ENODATA)
		return PATH_GAP_NO_TEXT;
	return err ? PATH_GAP_UNDECODABLE : PATH_GAP_NONE;
}

/*
 * Decisions
 */

static const struct flag_writers no_writers = {PATH_NONE, PATH_NONE, PATH_NONE, PATH_NONE,
					       PATH_NONE};

static void note_flags(struct flag_writers *w, const struct insn *in, uint32_t index)
{
	if (in->flags_written & INSN_CF)
		w->cf = index;
	if (in->flags_written & INSN_PF)
		w->pf = index;
	if (in->flags_written & INSN_ZF)
		w->zf = index;
	if (in->flags_written & INSN_SF)
		w->sf = index;
	if (in->flags_written & INSN_OF)
		w->of = index;
}

/* The one instruction that set all flags @in reads; PATH_NONE if there is no such one. */
static uint32_t find_setter(const struct flag_writers *w, const struct insn *in)
{
	const struct {
		uint16_t flag;
		uint32_t writer;
	} all[] = {
		{INSN_CF, w->cf}, {INSN_PF, w->pf}, {INSN_ZF, w->zf},
		{INSN_SF, w->sf}, {INSN_OF, w->of},
	};
	uint32_t setter = PATH_NONE;
	bool first = true;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!(in->flags_read & all[i].flag))
			continue;
		if (!first && all[i].writer != setter)
			return PATH_NONE;
		setter = all[i].writer;
		first = false;
	}
	return setter;
}

static int add_decision(struct builder *b, const struct insn *in, uint32_t index)
{
	struct path *p = b->path;

	if (vector_grow(&p->decisions, p->decision_count, sizeof(*p->decisions)))
		return -ENOMEM;
	p->decisions[p->decision_count++] = (struct path_decision){
		.addr = in->addr,
		.target = in->target,
		.insn = index,
		.setter = find_setter(&b->writers, in),
		.block = p->block_count,
		.branch = PATH_NONE,
	};
	return 0;
}

/* Instruction number @count - 1 of the path, if it stands directly before @addr. */
static bool decode_before(const struct path *p, size_t count, uint64_t addr, struct insn *ret)
{
	const struct path_insn *before = count ? &p->insns[count - 1] : NULL;

	return before && before->addr + before->len == addr &&
	       !insn_decode(before->bytes, before->len, before->addr, ret);
}

/* @in directly follows the newest instructions of the path, which made all ones of its register. */
static bool makes_errno(const struct path *p, const struct insn *in)
{
	struct insn prev, earlier;

	if (!in->err || !(in->flags & INSN_F_ERR_MASK))
		return in->err;
	if (!decode_before(p, p->insn_count, in->addr, &prev))
		return false;
	return insn_makes_errno(in, &prev,
				decode_before(p, p->insn_count - 1, prev.addr, &earlier) ? &earlier
											 : NULL);
}

static int add_insn(struct builder *b, const struct insn *in, const uint8_t *bytes)
{
	struct path *p = b->path;
	struct path_insn *pi;

	/* Branches of a snapshot cannot reach that. */
	if (b->decoded++ >= PATH_WAY_INSNS_MAX)
		return -E2BIG;
	if (vector_grow(&p->insns, p->insn_count, sizeof(*p->insns)))
		return -ENOMEM;
	pi = &p->insns[p->insn_count];
	*pi = (struct path_insn){
		.addr = in->addr,
		.len = in->len,
		.class = (uint8_t)in->class,
		.err = makes_errno(p, in) ? in->err : 0,
	};
	memcpy(pi->bytes, bytes, in->len);
	if (in->class == INSN_COND && add_decision(b, in, p->insn_count))
		return -ENOMEM;
	note_flags(&b->writers, in, p->insn_count);
	p->insn_count++;
	return 0;
}

/*
 * Blocks
 */

static bool is_user(uint64_t addr)
{
	return !address_is_kernel(addr);
}

static enum place place_of(const struct builder *b, uint64_t addr)
{
	return b->opts->place ? b->opts->place(b->opts->place_ctx, addr) : PLACE_ORDINARY;
}

static int add_block(struct builder *b, const struct path_block *block)
{
	struct path *p = b->path;

	if (vector_grow(&p->blocks, p->block_count, sizeof(*p->blocks)))
		return -ENOMEM;
	p->blocks[p->block_count++] = *block;
	return 0;
}

/* A block that starts now, with all that follows from where we are. */
static struct path_block open_block(const struct builder *b, uint64_t start)
{
	return (struct path_block){
		.start = start,
		.end = start,
		.first_insn = b->path->insn_count,
		.first_decision = b->path->decision_count,
		.tracing = b->tracing,
		.entry = b->entry,
		.branch = PATH_NONE,
	};
}

static int close_block(struct builder *b, struct path_block *block)
{
	block->insn_count = b->path->insn_count - block->first_insn;
	block->decision_count = b->path->decision_count - block->first_decision;
	return add_block(b, block);
}

/* Take back what was decoded since @block was opened, and make it a gap up to @end. */
static int close_as_gap(struct builder *b, struct path_block *block, uint64_t end,
			enum path_gap gap)
{
	struct path *p = b->path;
	struct path_block *last = p->block_count ? &p->blocks[p->block_count - 1] : NULL;

	p->insn_count = block->first_insn;
	p->decision_count = block->first_decision;
	b->writers = no_writers;
	/* One stay in user space, however many branches; and a gap that only goes on. */
	if (last && ((last->gap == PATH_GAP_USER && gap == PATH_GAP_USER) ||
		     (last->gap == PATH_GAP_LBR_OFF && block->entry == PATH_NONE))) {
		last->end = end;
		last->branch = block->branch;
		last->end_class = block->end_class;
		return 0;
	}
	block->gap = gap;
	block->ends = PATH_END_UNKNOWN;
	block->end = end;
	if (gap != PATH_GAP_USER)
		p->gap_count++;
	return close_block(b, block);
}

/* Why straight execution cannot go past @in; PATH_GAP_NONE if it can. */
static enum path_gap why_stuck(const struct builder *b, const struct insn *in)
{
	/* Linux leaves the kernel's return out of the record, too; elsewhere it would not fit. */
	if (b->user && in->class == INSN_SYSCALL)
		return PATH_GAP_NONE;
	if (in->flags & INSN_F_VMENTRY)
		return PATH_GAP_LBR_OFF;
	if (b->frozen && in->class == INSN_COND)
		return PATH_GAP_OVERFLOW;
	if (insn_falls_through(in->class))
		return PATH_GAP_NONE;
	if (in->flags & INSN_F_INT3)
		return PATH_GAP_PATCHING;
	/* A branch to the next instruction: both ways lead to the same place. */
	if (in->has_target && in->target == in->addr + in->len)
		return PATH_GAP_NONE;
	return PATH_GAP_UNRECORDED;
}

/* End the block after a WRMSR that may have stopped the LBR, mark it, and start another. */
static int split_at_lbr_off(struct builder *b, struct path_block *block, uint64_t next)
{
	struct path_block gap;
	int err;

	block->end = next;
	block->ends = PATH_END_LBR_OFF;
	err = close_block(b, block);
	if (err)
		return err;
	b->entry = PATH_NONE;
	gap = open_block(b, next);
	err = close_as_gap(b, &gap, next, PATH_GAP_LBR_OFF);
	if (err)
		return err;
	*block = open_block(b, next);
	return 0;
}

/*
 * Decode from block->start up to, not including, @end.
 * Returns a reason if it does not come out exactly there, or -ENOMEM, -E2BIG.
 */
static int walk(struct builder *b, struct path_block *block, uint64_t end)
{
	uint64_t start = block->start;
	const uint8_t *bytes;
	struct insn in;
	int err;

	if (is_user(start) != is_user(end) || (is_user(start) && !b->user))
		return PATH_GAP_USER;
	if (end < start)
		return PATH_GAP_BACKWARDS;
	if (end - start > PATH_RUN_BYTES_MAX)
		return PATH_GAP_TOO_LONG;
	for (uint64_t addr = start, n = 0; addr != end; addr += in.len, n++) {
		enum path_gap gap;

		if (addr > end)
			return PATH_GAP_MISALIGNED;
		if (n >= PATH_RUN_INSNS_MAX)
			return PATH_GAP_TOO_LONG;
		gap = decode_at(b, addr, &in, &bytes);
		if (!gap)
			gap = why_stuck(b, &in);
		if (gap)
			return gap;
		err = add_insn(b, &in, bytes);
		if (err)
			return err;
		if ((in.flags & INSN_F_WRMSR) &&
		    recording_may_stop(b->path, b->path->insn_count - 1)) {
			err = split_at_lbr_off(b, block, addr + in.len);
			if (err)
				return err;
		}
	}
	block->end = end;
	return PATH_GAP_NONE;
}

/* What the CPU says a branch was, against what the text says; true if they cannot both be. */
static bool types_differ(enum branch_type type, enum insn_class class)
{
	static const enum branch_type of_class[INSN_CLASS_COUNT] = {
		[INSN_COND] = BRANCH_COND, [INSN_JMP] = BRANCH_JMP,	[INSN_IJMP] = BRANCH_IJMP,
		[INSN_CALL] = BRANCH_CALL, [INSN_ICALL] = BRANCH_ICALL, [INSN_RET] = BRANCH_RET,
	};

	switch (type) {
	case BRANCH_COND:
	case BRANCH_JMP:
	case BRANCH_IJMP:
	case BRANCH_CALL:
	case BRANCH_ICALL:
	case BRANCH_RET:
		return of_class[class] != type;
	default:
		return false;
	}
}

static bool near_branch_reported(enum branch_type type)
{
	return type >= BRANCH_COND && type <= BRANCH_RET;
}

/* Did the branch @br come from an interrupt before the instruction @in, not from @in itself? */
static bool is_interrupt(const struct builder *b, const struct branch *br, const struct insn *in)
{
	if (br->type == BRANCH_IRQ)
		return in->class != INSN_INT;
	if (near_branch_reported(br->type))
		return false;
	if (in->has_target && in->target == br->to)
		return false; /* stubs of the IDT jump to the common entry */
	if (in->class == INSN_UD)
		return true;
	if (in->class == INSN_INT || place_of(b, br->to) != PLACE_INTERRUPT)
		return false;
	/* KVM calls IDT entries, through a thunk or not. */
	return place_of(b, br->from) != PLACE_CALLS_INTERRUPT &&
	       (b->entry == PATH_NONE ||
		place_of(b, b->branches[b->entry].from) != PLACE_CALLS_INTERRUPT);
}

/* Can the instruction @in, which stands where @br came from, have made @br? */
static enum path_gap check_branch(const struct builder *b, const struct branch *br,
				  const struct insn *in)
{
	switch (in->class) {
	case INSN_COND:
	case INSN_JMP:
	case INSN_CALL:
		if (in->target != br->to)
			return PATH_GAP_CHANGED;
		break;
	case INSN_INT:
		if (b->opts->place && place_of(b, br->to) != PLACE_INTERRUPT &&
		    place_of(b, br->to) != PLACE_SYSCALL)
			return in->flags & INSN_F_INT3 ? PATH_GAP_PATCHING : PATH_GAP_CHANGED;
		break;
	case INSN_OTHER:
	case INSN_HLT:
	case INSN_UD:
		return PATH_GAP_CHANGED;
	default:
		break;
	}
	return types_differ(br->type, in->class) ? PATH_GAP_CHANGED : PATH_GAP_NONE;
}

/* Add the branch instruction that ends @block. */
static int end_with_branch(struct builder *b, struct path_block *block, const struct insn *in,
			   const uint8_t *bytes)
{
	int err = add_insn(b, in, bytes);

	if (err)
		return err;
	block->end = in->addr + in->len;
	if (in->class == INSN_COND) {
		struct path_decision *d = &b->path->decisions[b->path->decision_count - 1];

		d->taken = true;
		d->branch = block->branch;
	} else if (in->class != INSN_JMP) {
		b->writers = no_writers;
	}
	return close_block(b, block);
}

/* A program's block that ends where the kernel came back to, by branch @index: it was entered
 * there. */
static int block_to_kernel(struct builder *b, uint64_t start, uint32_t index)
{
	const struct branch *br = &b->branches[index];
	struct path_block block = open_block(b, start);
	int gap = is_user(br->to) ? walk(b, &block, br->to) : PATH_GAP_USER;

	if (gap < 0)
		return gap;
	block.branch = index;
	b->writers = no_writers;
	if (gap)
		return close_as_gap(b, &block, br->to, PATH_GAP_KERNEL);
	block.ends = PATH_END_KERNEL;
	block.end_class = INSN_OTHER;
	return close_block(b, &block);
}

/* The block that ends with branch @index. */
static int block_to_branch(struct builder *b, uint64_t start, uint32_t index)
{
	const struct branch *br = &b->branches[index];
	struct path_block block = open_block(b, start);
	const uint8_t *bytes = NULL;
	uint8_t copy[INSN_LEN_MAX];
	struct insn in = {.class = INSN_OTHER};
	bool interrupt = false;
	int gap;

	if (b->user && is_user(start) && !is_user(br->from))
		return block_to_kernel(b, start, index);
	block.branch = index;
	gap = is_user(br->from) && !b->user ? PATH_GAP_USER
					    : (int)decode_at(b, br->from, &in, &bytes);
	if (br->abort == TRI_SET)
		gap = PATH_GAP_ABORTED;
	if (!gap) {
		memcpy(copy, bytes, in.len);
		interrupt = is_interrupt(b, br, &in);
		gap = interrupt ? PATH_GAP_NONE : check_branch(b, br, &in);
	}
	if (gap)
		return close_as_gap(b, &block, br->from, gap);
	gap = walk(b, &block, br->from);
	if (gap < 0)
		return gap;
	/* Not before: the walk may have ended this block and started another. */
	block.branch = index;
	block.end_class = interrupt ? INSN_OTHER : in.class;
	if (gap)
		return close_as_gap(b, &block, br->from, gap);
	if (!interrupt)
		return end_with_branch(b, &block, &in, copy);
	block.ends = PATH_END_INTERRUPT;
	b->writers = no_writers;
	return close_block(b, &block);
}

/* The block that ends before the trigger's own instruction, at @ip. */
static int block_to_trigger(struct builder *b, uint64_t start, uint64_t ip)
{
	struct path_block block = open_block(b, start);
	const uint8_t *bytes;
	struct insn in;
	int gap;

	gap = walk(b, &block, ip);
	if (gap < 0)
		return gap;
	if (gap)
		return close_as_gap(b, &block, ip, gap);
	block.ends = PATH_END_TRIGGER;
	if (!decode_at(b, ip, &in, &bytes)) {
		struct path_insn *pi = &b->path->trigger_insn;

		*pi = (struct path_insn){.addr = in.addr,
					 .len = in.len,
					 .class = (uint8_t)in.class,
					 .err = makes_errno(b->path, &in) ? in.err : 0};
		memcpy(pi->bytes, bytes, in.len);
		b->path->has_trigger_insn = true;
	}
	return close_block(b, &block);
}

/*
 * To the interrupt of a counter that overflowed. The overflow stops the LBR, and the CPU runs on
 * until the interrupt comes: branches that it takes meanwhile are not recorded. What lies straight
 * ahead has run, if the interrupt came there; how often is not known.
 */
static int block_to_overflow(struct builder *b, uint64_t start)
{
	struct path_block block = open_block(b, start);
	uint64_t ip = b->snap->ip;
	int gap, err;

	b->frozen = true;
	gap = walk(b, &block, ip);
	if (gap < 0)
		return gap;
	if (gap == PATH_GAP_NO_TEXT || (gap == PATH_GAP_USER && is_user(start) == is_user(ip)))
		return close_as_gap(b, &block, ip, gap);
	if (!gap && ip != start) {
		block.ends = PATH_END_LBR_OFF;
		err = close_block(b, &block);
		if (err)
			return err;
		b->entry = PATH_NONE;
		block = open_block(b, ip);
	}
	err = close_as_gap(b, &block, ip, PATH_GAP_OVERFLOW);
	b->entry = PATH_NONE;
	return err || is_user(ip) ? err : block_to_trigger(b, ip, ip);
}

/* Triggers that fire once the function has returned: its return is the last branch. */
static bool fires_after_return(const struct snapshot *snap)
{
	return snap->trigger && trigger_traits(snap->trigger->kind)->after_return;
}

/*
 * Where the trigger took over. A trampoline is called behind the ENDBR64 that functions begin with
 * on kernels built for IBT, and what it is told is the function's address.
 */
static uint64_t trigger_place(const struct snapshot *snap, uint32_t next)
{
	uint64_t from = next != PATH_NONE ? snap->branches[next].from : snap->ip;

	if (snap->trigger && snap->trigger->kind == TRIGGER_FENTRY && from > snap->ip &&
	    from - snap->ip <= ENDBR_BYTES)
		return from;
	return snap->ip;
}

/* From the newest useful branch to where the trigger took over; @next is the branch after. */
static int last_block(struct builder *b, uint64_t start, uint32_t next)
{
	const struct snapshot *snap = b->snap;
	/* Of a software event the kernel's is where it was told of, in the midst of the capture. */
	bool event = snap->trigger && snap->trigger->kind == TRIGGER_PERF;
	bool to_ip = snap->ip && (is_user(snap->ip) ? b->user : !event);

	if (fires_after_return(snap))
		return 0;
	if (snap->ip && snap->trigger && snap->trigger->kind == TRIGGER_PMI)
		return block_to_overflow(b, start);
	/* Where the capture's own first branch left is where the traced code got to. */
	if (next != PATH_NONE &&
	    (!to_ip || snap->ip < start || snap->ip - start > PATH_RUN_BYTES_MAX))
		return block_to_branch(b, start, next);
	return to_ip ? block_to_trigger(b, start, trigger_place(snap, next)) : 0;
}

static bool is_executed(const struct branch *br)
{
	return br->spec != BRANCH_SPEC_WRONG_PATH;
}

static int build_blocks(struct builder *b)
{
	uint32_t prev = PATH_NONE, next = PATH_NONE;
	int err;

	for (uint32_t i = 0; i < b->useful; i++) {
		if (!is_executed(&b->branches[i]))
			continue;
		if (prev != PATH_NONE) {
			b->entry = prev;
			b->tracing = b->branches[prev].tracing;
			err = block_to_branch(b, b->branches[prev].to, i);
			if (err)
				return err;
		}
		prev = i;
	}
	if (prev == PATH_NONE)
		return -ENODATA;
	for (uint32_t i = b->useful; i < b->count && next == PATH_NONE; i++) {
		if (is_executed(&b->branches[i]))
			next = i;
	}
	b->entry = prev;
	b->tracing = b->branches[prev].tracing;
	return last_block(b, b->branches[prev].to, next);
}

static int build(struct builder *b, const struct text_source *text, struct path **ret)
{
	const struct snapshot *snap = b->snap;
	int err;

	b->path = calloc(1, sizeof(*b->path));
	if (!b->path)
		return -ENOMEM;
	b->path->text = text;
	b->path->opts = *b->opts;
	err = build_blocks(b);
	if (!err)
		err = path_set_depths(b->path, b->branches, b->user, b->opts);
	if (!err && b->folds)
		err = path_find_folds(b->path);
	if (!err && snap->err) {
		/* It looks at text that did not run: once is enough. */
		path_find_error(b->path, snap->err, &b->path->error_insn, &b->path->error_decision);
		b->path->err = snap->err;
	}
	if (err) {
		path_free(b->path);
		return err;
	}
	*ret = b->path;
	return 0;
}

static const struct path_options defaults = {0};

int path_build(const struct snapshot *snap, const struct text_source *text,
	       const struct path_options *opts, struct path **ret)
{
	struct builder b = {
		.snap = snap,
		.branches = snap->branches,
		.count = snap->count,
		.useful = snap->wasted < snap->count ? snap->count - snap->wasted : 0,
		.opts = opts ? opts : &defaults,
		.window = {.text = text},
		.writers = no_writers,
		.folds = true,
		.user = trigger_is_user(snap->trigger),
	};

	if (!snap->path_ok)
		return -EOPNOTSUPP;
	if (snap->count > BRANCHES_MAX)
		return -EINVAL;
	return build(&b, text, ret);
}

int path_build_way(const struct snapshot *snap, const struct text_source *text,
		   const struct path_options *opts, struct path **ret)
{
	const struct deep_way *way = &snap->way;
	_cleanup_free_ struct branch *branches = NULL;
	struct builder b = {
		.snap = snap,
		.count = (uint32_t)way->count,
		.useful = (uint32_t)way->count,
		.opts = opts ? opts : &defaults,
		.window = {.text = text},
		.writers = no_writers,
	};

	if (way->count > PATH_WAY_MAX)
		return -E2BIG;
	b.branches = branches = calloc(way->count + 1, sizeof(*branches));
	if (!branches)
		return -ENOMEM;
	for (size_t i = 0; i < way->count; i++)
		branches[i] = (struct branch){.from = way->branches[i].from,
					      .to = way->branches[i].to,
					      .cycles = CYCLES_NOT_REPORTED};
	return build(&b, text, ret);
}

uint64_t path_insn_addr(const struct path *path, uint32_t insn)
{
	return insn < path->insn_count ? path->insns[insn].addr : path->trigger_insn.addr;
}

bool path_is_blank(const struct path *path)
{
	for (uint32_t i = 0; i < path->block_count; i++)
		if (path->blocks[i].gap != PATH_GAP_NO_TEXT && path->blocks[i].gap != PATH_GAP_USER)
			return false;
	return true;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	free(path->blocks);
	free(path->insns);
	free(path->decisions);
	free(path->folds);
	free(path);
}
