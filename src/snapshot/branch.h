/* SPDX-License-Identifier: GPL-2.0 */
/*
 * branch.h - one taken branch, decoded
 *
 * What the CPU does not report stays "not reported": it is never turned into a "no" or a 0.
 */
#ifndef LBRSNOOP_SNAPSHOT_BRANCH_H
#define LBRSNOOP_SNAPSHOT_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* Deepest last-branch stack of any CPU known (Skylake, architectural LBR: 32), with room. */
#define BRANCHES_MAX 64

/** enum tri - a flag that the CPU may not have */
enum tri {
	TRI_NOT_REPORTED = 0,
	TRI_CLEAR,
	TRI_SET,
};

/** enum branch_type - class of a branch, by the names perf and the SDM use */
enum branch_type {
	BRANCH_NOT_REPORTED = 0,
	BRANCH_COND,	/* Jcc, LOOP, JRCXZ */
	BRANCH_JMP,	/* near relative jump */
	BRANCH_IJMP,	/* near indirect jump */
	BRANCH_CALL,	/* near relative call */
	BRANCH_ICALL,	/* near indirect call */
	BRANCH_RET,	/* near return */
	BRANCH_SYSCALL, /* SYSCALL, SYSENTER, INT n */
	BRANCH_SYSRET,	/* SYSRET, SYSEXIT */
	BRANCH_IRET,
	BRANCH_IRQ,   /* interrupt or exception: no instruction branched */
	BRANCH_FAR,   /* far branch, nothing finer known */
	BRANCH_ABORT, /* TSX abort */
	BRANCH_TYPE_COUNT,
};

/** enum branch_spec - AMD LbrExtV2: what the valid and spec bits of an entry say together */
enum branch_spec {
	BRANCH_SPEC_NOT_REPORTED = 0,
	BRANCH_SPEC_WRONG_PATH,	      /* speculative, and the path was wrong */
	BRANCH_SPEC_NON_SPEC_CORRECT, /* not speculative, correct path */
	BRANCH_SPEC_CORRECT,	      /* speculative, correct path */
};

/* What a CPU's LBR reports beside FROM and TO; bits of struct lbr_info.supported. */
#define LBR_HAS_MISPRED (1u << 0)
#define LBR_HAS_CYCLES	(1u << 1)
#define LBR_HAS_TSX	(1u << 2) /* in_tx and abort */
#define LBR_HAS_TYPE	(1u << 3)
#define LBR_HAS_SPEC	(1u << 4)

#define CYCLES_NOT_REPORTED (-1)

/**
 * struct branch - one taken branch
 * @from: linear address of the branch instruction (or of the interrupted one)
 * @to: linear address it went to
 * @cycles: core clocks since the previous entry, 0 to 65535 (saturating), or
 *          CYCLES_NOT_REPORTED
 * @mispred: direction or target was mispredicted
 * @in_tx: inside a transaction
 * @abort: entry made by a TSX abort
 * @type: as the CPU reports it; BRANCH_NOT_REPORTED on all without architectural LBR
 * @spec: AMD only
 * @tracing: leads to code of a tracer, ours or another (set by symbolize/trim)
 */
struct branch {
	uint64_t from;
	uint64_t to;
	int32_t cycles;
	enum tri mispred;
	enum tri in_tx;
	enum tri abort;
	enum branch_type type;
	enum branch_spec spec;
	bool tracing;
};

/** struct branch_ends - FROM and TO of a branch of which no more is known */
struct branch_ends {
	uint64_t from;
	uint64_t to;
};

/**
 * struct lbr_info - the LBR that a snapshot was read from
 * @model: name of the model in the table of decode/, or "unknown"
 * @format: IA32_PERF_CAPABILITIES[5:0], or -1 where there is none (AMD, or not known)
 * @depth: entries of the stack; 0 if unknown
 * @supported: LBR_HAS_* bits
 */
struct lbr_info {
	char model[32];
	int format;
	uint32_t depth;
	uint32_t supported;
};

#endif
