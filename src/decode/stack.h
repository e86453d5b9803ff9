/* SPDX-License-Identifier: GPL-2.0 */
/* stack.h - the registers of one CPU's LBR → its branches, oldest first */
#ifndef LBRSNOOP_DECODE_STACK_H
#define LBRSNOOP_DECODE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/dump.h"
#include "decode/model.h"
#include "decode/notes.h"
#include "snapshot/snapshot.h"

/* FROM, TO, INFO of every entry; ordering, filter, depth register, PERF_CAPABILITIES */
#define LBR_MSRS_MAX (3 * BRANCHES_MAX + 4)

/** enum lbr_role - what an MSR is in the LBR of a model */
enum lbr_role {
	LBR_ROLE_NONE = 0, /* nothing */
	LBR_ROLE_FROM,
	LBR_ROLE_TO,
	LBR_ROLE_INFO,
	LBR_ROLE_ORDER,
	LBR_ROLE_SELECT,
	LBR_ROLE_DEPTH,
	LBR_ROLE_CAPABILITIES,
	LBR_ROLE_LER_FROM,
	LBR_ROLE_LER_TO,
};

/**
 * lbr_msr_role() - what an MSR is in the LBR of a model
 * @ret_index: entry of a FROM, TO or INFO register; up to BRANCHES_MAX - 1, also beyond the
 *             model's depth, so that surplus entries are noticed; may be NULL
 */
enum lbr_role lbr_msr_role(const struct lbr_model *model, uint32_t msr, uint32_t *ret_index);

/** lbr_knows_msr() - is it a register of any model's LBR? */
bool lbr_knows_msr(uint32_t msr);

/**
 * lbr_model_msrs() - registers of a bare block, in its order
 * @depth: entries, at most BRANCHES_MAX
 * @ret_msrs: room for LBR_MSRS_MAX: all FROM, all TO, all INFO, then the ordering register
 * Return: their number.
 */
size_t lbr_model_msrs(const struct lbr_model *model, uint32_t depth, uint32_t *ret_msrs);

/**
 * struct stack_options - what the user said that a dump may lack
 * @tos: value of the TOS register where the dump has none; -1: not given
 */
struct stack_options {
	int64_t tos;
};

/**
 * struct stack_result - a snapshot with what it borrows; not to be copied
 * @snap: cpu, lbr, filter, path_ok, branches, count, dropped and missing are set, all else is 0
 * @lbr: what @snap.lbr points to
 * @has_ler: the dump has the last exception's record (LER)
 * @ler_from: last branch before the last exception or interrupt
 * @ler_to: where that branch went
 * @filter: what @snap.filter points to, unless the dump does not say which filter was in force
 */
struct stack_result {
	struct snapshot snap;
	struct lbr_info lbr;
	bool has_ler;
	uint64_t ler_from;
	uint64_t ler_to;
	char filter[64];
};

/**
 * stack_decode() - registers of one CPU → snapshot
 * @model: row (borrowed); the CPU's own IA32_PERF_CAPABILITIES, if among the records, settles a
 *         format that the row leaves open
 * @records: of one CPU, sorted by MSR and line
 * @count: of @records, at least 1
 * @ret: set on success only
 * @notes: everything missing, doubled, beyond the stack or not canonical
 * Return: 0; -EINVAL if the order of the entries is not known, or registers are given twice with
 * different values: there is an error in @notes that says what to add.
 */
int stack_decode(const struct lbr_model *model, const struct dump_record *records, size_t count,
		 const struct stack_options *opts, struct stack_result *ret, struct notes *notes);

/**
 * dump_choose_model() - which row to decode a dump by
 * @given: row the user named, or NULL; goes before what the dump says
 * @ret_model: copy of the row, without TSX flags if the dump's CPU has no TSX; set on success
 * Return: 0; -ENODATA if nobody names a model: there is an error in @notes.
 */
int dump_choose_model(const struct dump *dump, const struct lbr_model *given,
		      struct lbr_model *ret_model, struct notes *notes);

/**
 * dump_cpu_end() - where the records of a CPU end
 * @start: index of its first record
 * Return: index after its last one.
 */
size_t dump_cpu_end(const struct dump *dump, size_t start);

#endif
