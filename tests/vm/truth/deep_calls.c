// SPDX-License-Identifier: GPL-2.0
/*
 * deep_calls - the branches of whole system calls, from the emulator's log
 *
 * Usage: deep_calls LOG OUTPUT [DIRECTORY]. Input: the lines of run --truth, of one CPU, none left
 * out. Added to OUTPUT: a line for each system call in which a breakpoint or kprobe was hit while
 * the LBR was on:
 *
 *	ENTRY HITS FROM,TO FROM,TO ...
 *
 * All its branches in the kernel up to the last hit, oldest first, without the digits 0x: from
 *behind the branch into the kernel, whose target is ENTRY, up to that back to user space, or up to
 *where another task ran or the guest itself stopped the LBR (then branches are missing). Behind
 *another task the call goes on in a line of its own, of ENTRY 1: what is in it began at the switch.
 *HITS: BRANCHES:ADDRESS of each hit, the number of branches before it, joined by semicolons. What
 * interrupts, exceptions and the handlers of breakpoints and kprobes did is left out. A branch that
 * has a kprobe is made by the kernel in its stead, and counts as executed. The jump that the kernel
 * makes of a kprobe, and the code that it leads to, are left out, too.
 *
 * In DIRECTORY the guest writes kallsyms, and then sections: they tell where tasks are switched,
 * what a kprobe's execution begins with, and which code is the scheduler's. If LBR_INSNS_AT of the
 * log has __switch_to_asm, a call that waited is in a line as a whole, too. There the call of the
 * scheduler that it waited in is left out, from the call instruction outside of the scheduler's
 *code up to the return from it. So is each direct call that wakes another task. Added to kprobes
 *there: how many kprobes were hit, and how many of these within another one's handling.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../log_lines.h"

#define BRANCHES_MAX (1u << 20)
#define HITS_MAX     (1u << 16)
#define NESTED_MAX   16
#define FRAMES_MAX   256
#define WAITS_MAX    8
#define NONE_MISSING UINT32_MAX
/* A kprobe behind so many branches of a call is no end of a way. */
#define WAY_MAX	   (1u << 12)
#define LOOK_LINES 4096 /* for what the guest has written */
/* Bytes of a call instruction. */
#define CALL_MIN 2
#define CALL_MAX 7
/* A call that goes no further is no function's. */
#define SHORT_CALL 16
/* The code of its own that the kernel makes for a kprobe: an instruction and a jump back. */
#define SLOT_BYTES (INSN_MAX + 5)
#define INSN_MAX   15
/* The same for a kprobe that is a jump: registers, a call, and some instructions. */
#define JUMP_CODE_BYTES 512
#define JUMP_BYTES	5

struct branch {
	uint64_t from;
	uint64_t to;
};

struct hit {
	uint32_t branches;
	uint64_t addr;
};

/** struct call - @entry: 0: in none; 1: its begin is not here */
struct call {
	uint64_t entry;
	struct branch *branches;
	struct hit *hits;
	uint32_t count, room, hit_count, hit_room;
};

/** struct frame - a call instruction at @from that has not returned; @before: branches before it */
struct frame {
	uint64_t from;
	uint32_t before;
};

/**
 * struct nested - what interrupted code at @resume; 0: a breakpoint's handler, wherever it was
 * @int3: a kprobe
 * @code: 0; or a kprobe that is a jump at @resume led to there
 */
struct nested {
	uint64_t resume;
	bool int3;
	uint64_t code;
};

/** struct kprobe - at @addr; its handler returned to @to; 0: there is none to be told */
struct kprobe {
	uint64_t addr;
	uint64_t to;
};

/**
 * struct task - one that was seen to run
 * @id: address of its task_struct; 0: not known
 * @part: of its call, since another task ran
 * @whole: the same call, without what it did while it waited
 * @waited: something was left out of @whole
 * @levels: what interrupted the call
 * @kprobe: that was hit last, while it is not known how the call went on from it
 * @frames: of @whole, the innermost last
 * @waits: calls of the scheduler that other tasks ran in, which have not returned
 * @missing: so many branches of @whole were before some are missing; NONE_MISSING
 */
struct task {
	uint64_t id;
	struct call part, whole;
	bool waited;
	struct nested levels[NESTED_MAX];
	unsigned int nested;
	struct kprobe kprobe;
	struct frame frames[FRAMES_MAX];
	unsigned int frame_count;
	struct frame waits[WAITS_MAX];
	unsigned int wait_count;
	uint32_t missing;
};

static struct task **tasks;
static size_t task_count;
static struct task *task;
/*
 * Kernel code that is called for another task's turn, the scheduler's, and the entry of kprobes; 0:
 * not known yet.
 */
static uint64_t switch_to, sched_start, sched_end, int3_entry, jump_entry;
/* What a kprobe is taken for that is hit within another one's handling. */
static uint64_t reenter;
static uint64_t kprobes, reentered;
/* What wakes another task. */
static const char *const wake_names[] = {" try_to_wake_up", " wake_up_process", " wake_up_state"};
static uint64_t wakes[3];
/* The next record says which task is next. */
static bool switching;
static const char *directory;
static uint64_t calls, lines, next_seq;
static FILE *out;

static bool is_user(uint64_t addr)
{
	return !(addr >> 63);
}

/* Room for one more of @size bytes. */
static void *grow(void *items, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 64;
	items = realloc(items, *room * size);
	if (!items)
		err(2, "branches");
	return items;
}

static void add_branch(struct call *call, const struct branch *branch)
{
	call->branches = grow(call->branches, call->count, &call->room, sizeof(*call->branches));
	call->branches[call->count++] = *branch;
}

static void add_hit(struct call *call, uint64_t addr)
{
	if (call->hit_count == HITS_MAX)
		errx(1, "line %llu: too many hits in a call", (unsigned long long)lines);
	call->hits = grow(call->hits, call->hit_count, &call->hit_room, sizeof(*call->hits));
	call->hits[call->hit_count++] = (struct hit){.branches = call->count, .addr = addr};
}

static void forget(struct call *call)
{
	call->entry = call->count = call->hit_count = 0;
}

static void print(struct call *call)
{
	if (!call->hit_count)
		return;
	fprintf(out, "%llx ", (unsigned long long)call->entry);
	for (uint32_t i = 0; i < call->hit_count; i++)
		fprintf(out, "%s%u:%llx", i ? ";" : "", call->hits[i].branches,
			(unsigned long long)call->hits[i].addr);
	/* What comes behind may be all that arming hundreds of kprobes takes. */
	for (uint32_t i = 0; i < call->hits[call->hit_count - 1].branches; i++)
		fprintf(out, " %llx,%llx", (unsigned long long)call->branches[i].from,
			(unsigned long long)call->branches[i].to);
	putc('\n', out);
	calls++;
}

static void forget_whole(void)
{
	forget(&task->whole);
	task->waited = false;
	task->missing = NONE_MISSING;
	task->frame_count = task->wait_count = 0;
}

static void begin_call(uint64_t entry)
{
	task->part.entry = task->whole.entry = entry;
}

static void end_call(void)
{
	print(&task->part);
	/* Of one that waits still, the end is missing. */
	if (task->waited && !task->wait_count && task->missing == NONE_MISSING)
		print(&task->whole);
	forget(&task->part);
	forget_whole();
	task->nested = 0;
	task->kprobe.to = 0;
}

static uint64_t symbol(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at && at[strlen(name)] == '\n' ? strtoull(line, NULL, 16) : 0;
}

static void find_switch(void)
{
	static char path[4096];
	uint64_t found = 0;
	char line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sections", directory);
	if (access(path, R_OK))
		return;
	snprintf(path, sizeof(path), "%s/kallsyms", directory);
	file = fopen(path, "re");
	if (!file)
		err(2, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		found = found ?: symbol(line, " __switch_to_asm");
		sched_start = sched_start ?: symbol(line, " __sched_text_start");
		sched_end = sched_end ?: symbol(line, " __sched_text_end");
		int3_entry = int3_entry ?: symbol(line, " asm_exc_int3");
		jump_entry = jump_entry ?: symbol(line, " optimized_callback");
		reenter = reenter ?: symbol(line, " reenter_kprobe");
		for (int i = 0; i < 3; i++)
			wakes[i] = wakes[i] ?: symbol(line, wake_names[i]);
	}
	fclose(file);
	if (!found)
		errx(2, "%s: no __switch_to_asm", path);
	switch_to = found;
}

static struct task *task_make(uint64_t id)
{
	struct task **more = realloc(tasks, (task_count + 1) * sizeof(struct task *));
	struct task *made = calloc(1, sizeof(struct task));

	if (!more || !made)
		err(2, "tasks");
	made->id = id;
	made->missing = NONE_MISSING;
	/* In whatever call of its own. */
	made->part.entry = made->whole.entry = 1;
	tasks = more;
	tasks[task_count++] = made;
	return made;
}

static struct task *task_find(uint64_t id)
{
	for (size_t i = 0; i < task_count; i++)
		if (tasks[i]->id == id)
			return tasks[i];
	return task_make(id);
}

static bool is_sched(uint64_t addr)
{
	return addr >= sched_start && addr < sched_end;
}

/* What is called at @frame is left out, once it has returned. */
static void leave_out(const struct frame *frame)
{
	if (task->wait_count == WAITS_MAX) {
		forget_whole();
		return;
	}
	task->waits[task->wait_count++] = *frame;
	task->waited = true;
}

/*
 * The innermost call of the scheduler by other code is left out, once it has returned. The kernel
 * stops the LBR on the way to the switch, in functions that the scheduler calls.
 */
static void begin_wait(void)
{
	bool inner = true;

	for (unsigned int i = task->frame_count; i-- > 0;) {
		const struct frame *frame = &task->frames[i];

		inner &= !is_sched(frame->from);
		if (inner || is_sched(frame->from))
			continue;
		if (task->wait_count && task->waits[task->wait_count - 1].from == frame->from &&
		    task->waits[task->wait_count - 1].before == frame->before)
			return;
		leave_out(frame);
		return;
	}
	forget_whole();
}

/* The call's line so far; behind the switch another one begins. */
static void part_ends(void)
{
	print(&task->part);
	forget(&task->part);
	task->part.entry = 1;
}

static void switch_tasks(uint64_t from, uint64_t to)
{
	/* Which one ran so far was not known. */
	if (!task->id)
		task->id = from;
	if (task->id != from) {
		end_call();
		task = task_find(from);
		forget_whole();
	}
	/* Within an exception, which is left out, a switch is, too. */
	if (task->whole.entry && !task->nested)
		begin_wait();
	part_ends();
	task = task_find(to);
}

/* Another task goes on, in whatever call of its own: nothing says which. */
static void switch_to_any(void)
{
	end_call();
	task->id = 0;
	task->part.entry = 1;
}

static bool returns_behind(const struct frame *frame, uint64_t to)
{
	return to - frame->from >= CALL_MIN && to - frame->from <= CALL_MAX;
}

static void take_call(const struct branch *branch)
{
	/* A retpoline, or what fills the return stack: its return goes elsewhere. */
	if (branch->to > branch->from && branch->to - branch->from <= SHORT_CALL)
		return;
	if (task->frame_count == FRAMES_MAX)
		memmove(task->frames, task->frames + 1,
			--task->frame_count * sizeof(task->frames[0]));
	task->frames[task->frame_count++] =
		(struct frame){.from = branch->from, .before = task->whole.count};
	for (int i = 0; i < 3; i++)
		if (wakes[i] && branch->to == wakes[i])
			leave_out(&task->frames[task->frame_count - 1]);
}

/* The call that waited is over: what it did is left out, its hits, too. */
static void end_wait(void)
{
	const struct frame *wait = &task->waits[--task->wait_count];
	struct call *whole = &task->whole;

	whole->count = wait->before;
	if (task->missing > wait->before)
		task->missing = NONE_MISSING;
	while (whole->hit_count && whole->hits[whole->hit_count - 1].branches > whole->count)
		whole->hit_count--;
}

/* True if that return ends a call that waited. */
static bool take_return(const struct branch *branch)
{
	unsigned int at = task->frame_count;

	while (at && !returns_behind(&task->frames[at - 1], branch->to))
		at--;
	if (!at)
		return false;
	task->frame_count = at - 1;
	if (!task->wait_count)
		return false;
	if (task->frames[at - 1].from != task->waits[task->wait_count - 1].from ||
	    task->frames[at - 1].before != task->waits[task->wait_count - 1].before)
		return false;
	end_wait();
	return true;
}

static void take_whole(const struct branch *branch, const char *type)
{
	if (!task->whole.entry)
		return;
	if (!strncmp(type, "call", 4) || !strncmp(type, "icall", 5))
		take_call(branch);
	else if (!strncmp(type, "ret", 3) && take_return(branch))
		return;
	if (task->whole.entry)
		add_branch(&task->whole, branch);
}

/*
 * The call goes on at another place than behind the kprobe, and not in code that was made for it:
 * so it stands on a branch, which the kernel has made in its stead. It may be a call, whose
 * function has to be known if it waits.
 */
static void end_kprobe(void)
{
	const struct branch branch = {.from = task->kprobe.addr, .to = task->kprobe.to};

	if (!branch.to)
		return;
	task->kprobe.to = 0;
	if (branch.to - branch.from <= INSN_MAX)
		return;
	add_branch(&task->part, &branch);
	take_whole(&branch, "call");
}

/* True if the branch is the jump back from code that was made for the kprobe. */
static bool leaves_slot(const struct branch *branch, const char *type)
{
	const struct kprobe *kprobe = &task->kprobe;

	if (!kprobe->to || strncmp(type, "jmp", 3) || branch->from - kprobe->to > SLOT_BYTES ||
	    branch->to - kprobe->addr > INSN_MAX)
		return false;
	task->kprobe.to = 0;
	return true;
}

static void push(uint64_t resume, bool int3)
{
	if (task->nested == NESTED_MAX) {
		task->part.hit_count = task->whole.hit_count = 0;
		end_call();
		return;
	}
	task->levels[task->nested++] = (struct nested){.resume = resume, .int3 = int3};
}

static bool drop_newest(struct call *call, const struct branch *branch)
{
	const struct branch *newest = call->count ? &call->branches[call->count - 1] : NULL;

	if (!newest || newest->from != branch->from || newest->to != branch->to)
		return false;
	call->count--;
	return true;
}

/* True if the branch is the call of what executes a kprobe that is a jump: that came just before.
 */
static bool enters_jump_code(const struct branch *branch)
{
	struct branch jump;

	if (!jump_entry || branch->to != jump_entry || !task->part.count)
		return false;
	jump = task->part.branches[task->part.count - 1];
	if (branch->from - jump.to > JUMP_CODE_BYTES)
		return false;
	drop_newest(&task->part, &jump);
	drop_newest(&task->whole, &jump);
	push(jump.from, false);
	if (task->nested)
		task->levels[task->nested - 1].code = jump.to;
	return true;
}

/* Some instructions that the jump replaced are executed there, and no branch. */
static bool leaves_jump_code(const struct nested *level, const struct branch *branch)
{
	return level->code && branch->from - level->code <= JUMP_CODE_BYTES &&
	       branch->to - level->resume >= JUMP_BYTES &&
	       branch->to - level->resume < JUMP_BYTES + INSN_MAX;
}

/* Is that the execution of a kprobe? The type of its branch is that of a system call. */
static bool is_int3(const struct branch *branch)
{
	return int3_entry && branch->to == int3_entry;
}

static void add_hits(uint64_t addr)
{
	add_hit(&task->part, addr);
	if (task->whole.entry)
		add_hit(&task->whole, addr);
}

/* An INT3's handler returns to wherever its kprobe's instruction leads to, or to a copy of it. */
static void end_int3(uint64_t addr, uint64_t to)
{
	if (to == addr)
		return;
	/* The copy cannot be jumped back from: there is an INT3 behind it. */
	if (task->kprobe.to && to - task->kprobe.addr <= INSN_MAX &&
	    addr - task->kprobe.to <= SLOT_BYTES) {
		task->kprobe.to = 0;
		return;
	}
	end_kprobe();
	if (task->part.count < WAY_MAX)
		add_hits(addr);
	task->kprobe = (struct kprobe){.addr = addr, .to = to};
}

/* Within an interrupt, or a handler. */
static void take_nested(const struct branch *branch, bool is_far, bool is_irq)
{
	const struct nested level = task->levels[task->nested - 1];

	if (is_user(branch->to)) {
		end_call(); /* another task's turn */
	} else if (is_irq || is_int3(branch)) {
		push(branch->from, is_int3(branch));
	} else if (level.code) {
		if (!leaves_jump_code(&level, branch))
			return;
		task->nested--;
		if (!task->nested && task->part.count < WAY_MAX)
			add_hits(level.resume);
	} else if (is_far && (!level.resume || level.int3 || branch->to == level.resume)) {
		task->nested--;
		if (task->nested)
			return;
		if (level.int3)
			end_int3(level.resume, branch->to);
		if (level.resume)
			return;
		end_kprobe();
		add_hits(branch->to);
	}
}

static void take_branch(const struct branch *branch, const char *type)
{
	bool is_far = !strncmp(type, "far", 3), is_irq = !strncmp(type, "irq", 3);

	kprobes += is_int3(branch);
	reentered += reenter && branch->to == reenter;
	if (is_user(branch->from)) {
		end_call();
		if (!is_irq && !is_user(branch->to))
			begin_call(branch->to);
		return;
	}
	if (switch_to && branch->to == switch_to) {
		if (!task->nested)
			take_call(branch);
		switching = true;
		return;
	}
	if (!task->part.entry)
		return;
	if (task->nested) {
		take_nested(branch, is_far, is_irq);
	} else if (is_user(branch->to)) {
		end_call();
	} else if (is_irq || is_int3(branch)) {
		push(branch->from, is_int3(branch));
	} else if (leaves_slot(branch, type) || enters_jump_code(branch)) {
		return;
	} else if (task->part.count == BRANCHES_MAX || task->whole.count == BRANCHES_MAX) {
		end_call();
	} else {
		end_kprobe();
		add_branch(&task->part, branch);
		take_whole(branch, type);
	}
}

/* The LBR was stopped: by a breakpoint, or by the guest, which misses branches then. */
static void take_stop(const char *reason)
{
	bool in_handler = task->nested && !task->levels[task->nested - 1].resume;

	if (!task->part.entry || in_handler)
		return;
	if (!strncmp(reason, "db", 2)) {
		push(0, false);
	} else {
		part_ends();
		if (task->missing == NONE_MISSING)
			task->missing = task->whole.count;
	}
}

/* An instruction of LBR_INSNS_AT: ADDRESS CR3 RSP RAX RDI RSI */
static void take_insn(const char *at)
{
	uint64_t values[6];

	for (int i = 0; i < 6; i++)
		values[i] = log_number(&at);
	if (switch_to && values[0] == switch_to) {
		switching = false;
		switch_tasks(values[4], values[5]);
	}
}

static void take_line(const char *at, const char *newline)
{
	char what = *at;
	struct branch branch;
	uint64_t seq;

	if (directory && !switch_to && !(lines % LOOK_LINES))
		find_switch();
	lines++;
	at += 2;
	if (log_number(&at))
		errx(1, "line %llu: a log of one CPU is expected", (unsigned long long)lines);
	seq = log_number(&at);
	if (next_seq && seq != next_seq)
		errx(1, "line %llu: record %llu follows %llu: the log is not whole",
		     (unsigned long long)lines, (unsigned long long)seq,
		     (unsigned long long)next_seq - 1);
	next_seq = seq + 1;
	if (what == 'I')
		take_insn(at);
	if (switching) {
		switching = false;
		switch_to_any();
	}
	if (what == 'Z') {
		take_stop(at);
	} else if (what == 'B') {
		branch.from = log_number(&at);
		branch.to = log_number(&at);
		take_branch(&branch, at);
	}
}

static void print_kprobes(void)
{
	static char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/kprobes", directory);
	file = fopen(path, "ae");
	if (!file ||
	    fprintf(file, "%llu %llu\n", (unsigned long long)kprobes,
		    (unsigned long long)reentered) < 0 ||
	    fclose(file))
		err(2, "%s", path);
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4)
		errx(2, "usage: deep_calls LOG OUTPUT [DIRECTORY]");
	directory = argv[3];
	task = task_make(0);
	forget(&task->part);
	forget_whole();
	out = fopen(argv[2], "ae");
	if (!out)
		err(2, "%s", argv[2]);
	log_lines(argv[1], take_line);
	if (fclose(out))
		err(2, "%s", argv[2]);
	if (int3_entry)
		print_kprobes();
	printf("%llu lines, %llu calls\n", (unsigned long long)lines, (unsigned long long)calls);
	return 0;
}
