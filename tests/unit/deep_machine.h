/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deep_machine.h - a made-up machine for the tests of src/why/deep
 *
 * It executes one call, in each run by the way that a test says. What is armed by watch.h is hit
 * there, and told as the kernel's programs tell it.
 */
#ifndef LBRSNOOP_TESTS_UNIT_DEEP_MACHINE_H
#define LBRSNOOP_TESTS_UNIT_DEEP_MACHINE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "why/deep/deep.h"
#include "why/deep/deep_place.h"

/* Straight code: block N ends with the branch to block N + 1. Functions have ten blocks each. */
#define KERNEL	 0xffffffff81000000ull
#define START(n) (KERNEL + (uint64_t)(n)*0x100)
#define END(n)	 (START(n) + 0x40)
#define ENTRY	 0xffffffff82000000ull
#define SWITCH	 0xffffffff83000000ull
#define SCHED	 0xffffffff81800000ull
#define WAKE	 0xffffffff81900000ull
#define STALE	 0xffffffff84000000ull
/* A call in block N, where it returns to, and the stack pointer there. */
#define CALL_AT(n) (START(n) + 0x18)
#define BEHIND(n)  (CALL_AT(n) + DEEP_CALL_BYTES)
#define SP	   0xffffc90000004000ull
#define BLOCKS	   200
#define ERROR	   END(BLOCKS)
#define BREAKS	   4
#define EVENTS	   64
#define TID	   42
#define FORBIDDEN  50
#define OLDER	   60
#define NEWER	   150
#define LOOP	   100
#define SHARED	   70
#define KPROBES	   1000

/**
 * struct deep_machine - what the call executes up to its error in each run, and what is armed
 *
 * Runs count from 0. Times are seconds. A member that is 0 (or NULL) means: this does not happen.
 */
struct deep_machine {
	struct symbols *symbols;
	uint32_t depth; /* entries of the LBR */

	/* The way through the call */
	unsigned int other; /* up to this block each run goes a way of its own */
	unsigned int (*ways)(unsigned int run);	  /* 1: one branch more at both NEWER and OLDER */
	bool pairs;				  /* NEWER stands beside OLDER, within one record */
	bool at_the_end;			  /* NEWER is the last block */
	unsigned int (*rounds)(unsigned int run); /* how often it goes round block LOOP once more */
	unsigned int calls; /* this block ends with a call that has not returned at the error */
	bool endless;	    /* the call does not come to its end */
	bool (*silent)(unsigned int run); /* the call is not made in this run */

	/* Other tasks, and interrupts. Calls of the scheduler differ from run to run; they execute
	 * block SHARED, too, deeper on the stack. */
	unsigned int waits;  /* another task runs before this block */
	unsigned int sleeps; /* the scheduler is called in this block, and another task runs */
	/* no other task runs in this run, though the call sleeps */
	bool (*awake)(unsigned int run);
	unsigned int wakes; /* another task is woken in this block */
	uint64_t sp;
	uint32_t switches;
	/* in so many first runs an interrupt ends one branch before the error */
	unsigned int interrupted;

	/* Kprobes */
	bool kprobes;	    /* the kernel has them */
	unsigned int blind; /* but none in the blocks from here to blind_end, nor in blind_too */
	unsigned int blind_end;
	unsigned int blind_too;
	/* in ten blocks from here the function has no place for the tracer */
	unsigned int untraced;
	unsigned int handler; /* each kprobe's handling executes this function of ten blocks */
	uint64_t probed[KPROBES];
	size_t probed_count;
	uint64_t plain[BREAKS]; /* kprobes that are told as points are, without branches */
	size_t plain_count;
	size_t most_plain;
	unsigned int plain_runs;    /* so many runs had plain kprobes */
	bool mute;		    /* no plain kprobe is told */
	uint64_t others_pass;	    /* other tasks hit kprobes so often in a run */
	uint64_t others_pass_armed; /* the same, for each kprobe that is armed */
	uint64_t passed;	    /* how often other tasks hit them in all */
	unsigned int told;	    /* hits of kprobes within the call */
	bool stale; /* while a kprobe is armed, records of points hold what the LBR had before */

	/* Time */
	unsigned int seconds; /* that each run takes */
	unsigned int slow;    /* this run takes 400 more */
	unsigned int now;

	/* Breakpoints */
	bool refused;		/* none may stand in the blocks below FORBIDDEN */
	unsigned int unwatched; /* nor in the blocks from here up to unwatched_end */
	unsigned int unwatched_end;
	size_t free; /* debug registers that nobody else uses */
	bool busy;   /* others use debug registers */
	/* after so many runs none is free, once, while one is armed at the error */
	unsigned int taken;
	uint64_t hot; /* a breakpoint here is hit hot_hits times in a run */
	uint64_t hot_hits;
	unsigned int losing; /* each hit of a point in this block is lost */
	uint64_t lost;
	uint64_t point_hits; /* of points in a run, 0: as the call makes them */
	uint64_t outside;    /* of points in no call */
	uint64_t armed[BREAKS];
	size_t armed_count;
	size_t most_armed;
	size_t most_probed;

	/* How the call ends */
	bool passes;	/* it does not fail, and returns 3 */
	uint64_t place; /* a return: of -2 for failing times in a run, then of 0 */
	unsigned int failing;
	unsigned int returned; /* in this run */
	size_t ends;	       /* so many calls that pass are told, too */
	uint64_t end;	       /* by the first of them */
	unsigned int fails;    /* in this run command_run() fails with error */
	int error;
	/* 0, or a register that holds all ones for an error. Behind the error its instruction is
	 * executed once more, with another value; behind counts these in a run. */
	uint8_t ones;
	unsigned int behind;

	bool running;
	unsigned int runs;
	unsigned int loud; /* runs whose output is shown */
};

extern struct deep_machine machine;

extern unsigned int machine_seed;

/** machine_read_code() - for struct text_source */
int machine_read_code(void *ctx, uint64_t addr, void *buf, size_t len);

/** machine_execution() - all branches of the call in run number @run, oldest first; their number */
size_t machine_execution(unsigned int run, struct why_branch *to);

/** machine_told() - for deep_options.progress: no breakpoint of the run before is left */
void machine_told(void *ctx, const struct deep_path *path);

/** machine_find() - the way to the error, in up to @runs runs; @hw: the first record is of a
 * breakpoint */
struct deep_path *machine_find(unsigned int runs, bool hw);

/** assert_path() - it is the last branches of what each run executes, from number @first on */
void assert_path(const struct deep_path *path, size_t first);

/** machine_draws() - by machine_seed and @run, true for one of @of runs */
unsigned int machine_draws(unsigned int run, unsigned int of);

/* For machine.ways: which runs go the other way */
unsigned int each_second(unsigned int run);
unsigned int half(unsigned int run);
unsigned int each_fifth(unsigned int run);

/** machine_took_all() - did one of the runs take all of it? */
bool machine_took_all(const struct deep_path *path);

/* For TEST(); of setup_handler() blocks 150 to 159 are a function that the handling of kprobes
 * calls */
int setup(void **state);
int setup_handler(void **state);
int teardown(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
