/* SPDX-License-Identifier: GPL-2.0 */
/*
 * layout.h - the bits of the LBR registers, as the manuals tabulate them
 *
 * One description serves both decoding (decode/raw_msr.h) and printing a register field by field
 * (decode/explain.h), so the two cannot disagree.
 */
#ifndef LBRSNOOP_DECODE_LAYOUT_H
#define LBRSNOOP_DECODE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/** enum lbr_field_kind - what a field of an LBR register says about the branch */
enum lbr_field_kind {
	LBR_FIELD_RESERVED = 0,
	LBR_FIELD_ADDR,		/* address; sign-extended from the field's top bit */
	LBR_FIELD_SIGN_EXT,	/* copies of the address's top bit */
	LBR_FIELD_ADDR32,	/* 32-bit address (of a pair: the source), zero-extended */
	LBR_FIELD_TO32,		/* target address in the upper half of a pair */
	LBR_FIELD_MISPRED,	/* 1: mispredicted */
	LBR_FIELD_ABORT,	/* 1: made by a TSX abort */
	LBR_FIELD_IN_TX,	/* 1: inside a transaction */
	LBR_FIELD_CYCLES,	/* core clocks since the previous entry, saturating */
	LBR_FIELD_CYCLES_VALID, /* 1: LBR_FIELD_CYCLES means something */
	LBR_FIELD_TYPE,		/* branch type of architectural LBR */
	LBR_FIELD_SPEC,		/* AMD: with LBR_FIELD_VALID, the outcome of the speculation */
	LBR_FIELD_VALID,
	LBR_FIELD_BOGUS, /* 1: the CPU recorded what is no branch (AMD erratum 1452) */
	LBR_FIELD_FLAG,	 /* a control or status bit, no part of a branch */
	LBR_FIELD_VALUE, /* a number that is no part of a branch */
};

/** struct lbr_field - bits @hi to @lo of a register */
struct lbr_field {
	uint8_t hi;
	uint8_t lo;
	uint8_t kind; /* enum lbr_field_kind */
	const char *name;
	const char *text; /* what it means */
};

/**
 * struct lbr_layout - one kind of register
 * @fields: covering bits 63 to 0 without gap or overlap, highest first
 * @count: of @fields
 * @table: where the layout is documented
 */
struct lbr_layout {
	const struct lbr_field *fields;
	size_t count;
	const char *table;
};

/* FROM registers */
extern const struct lbr_layout layout_addr64;	    /* formats 01H, 02H */
extern const struct lbr_layout layout_from_mispred; /* formats 03H, 06H: Table 17-8 */
extern const struct lbr_layout layout_from_tsx;	    /* format 04H: Table 17-14 */
extern const struct lbr_layout layout_pair32;	    /* FROM and TO in one: Figure 17-15 */
extern const struct lbr_layout layout_addr32;	    /* P6 */
extern const struct lbr_layout layout_from_amd_v2;  /* AMD LbrExtV2 */
extern const struct lbr_layout layout_from_amd_brs; /* AMD Branch Sampling */
/* TO registers */
extern const struct lbr_layout layout_addr48;	 /* Table 17-9; FROM of format 05H, too */
extern const struct lbr_layout layout_to_cycles; /* format 06H */
extern const struct lbr_layout layout_to_amd_v2;
extern const struct lbr_layout layout_to_amd_brs;
/* INFO registers */
extern const struct lbr_layout layout_info_tsx;	 /* format 05H: Table 17-16 */
extern const struct lbr_layout layout_info;	 /* format 07H */
extern const struct lbr_layout layout_info_arch; /* architectural LBR */
/* Registers beside the stack */
extern const struct lbr_layout layout_select_nhm; /* Table 17-11 */
extern const struct lbr_layout layout_select_hsw; /* Table 17-13 */
extern const struct lbr_layout layout_select_amd;
extern const struct lbr_layout layout_ctl_arch;	     /* IA32_LBR_CTL */
extern const struct lbr_layout layout_depth_arch;    /* IA32_LBR_DEPTH */
extern const struct lbr_layout layout_dbg_extn_cfg;  /* AMD DBG_EXTN_CFG */
extern const struct lbr_layout layout_debugctl_core; /* Figure 17-14: Core Solo and Duo */
extern const struct lbr_layout layout_debugctl;	     /* IA32_DEBUGCTL */
extern const struct lbr_layout layout_perf_capabilities;

/**
 * lbr_layout_tos() - layout of the TOS register
 * @depth: entries: the low bits that count them are the pointer; 0: not known
 * Source: Intel SDM vol. 3A, Table 16-3.
 */
const struct lbr_layout *lbr_layout_tos(uint32_t depth);

/** lbr_field_get() - the field's bits of @value, shifted down to bit 0 */
uint64_t lbr_field_get(const struct lbr_field *field, uint64_t value);

#endif
