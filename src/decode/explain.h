/* SPDX-License-Identifier: GPL-2.0 */
/* explain.h - which register an MSR is, and what each of its fields says */
#ifndef LBRSNOOP_DECODE_EXPLAIN_H
#define LBRSNOOP_DECODE_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "decode/layout.h"

struct lbr_model;

/**
 * msr_explain() - name and layout of an MSR
 * @model: LBR layout of the CPU (borrowed)
 * @ret_name: e.g. "MSR_LASTBRANCH_3_FROM_IP"
 * @ret_layout: its fields
 * Return: 0; -ENOENT if the MSR has nothing to do with the model's LBR.
 * Source: register names of Intel SDM vol. 4 and of Linux arch/x86/include/asm/msr-index.h.
 */
int msr_explain(const struct lbr_model *model, uint32_t msr, char *ret_name, size_t len,
		const struct lbr_layout **ret_layout);

/**
 * field_explain() - what the bits of one field mean, in words
 * @value: the whole register
 * Return: @buf: "mispredicted", "0xffffffff81000010", "23 core clocks", ...; "" if the bits say
 * nothing beyond their value.
 */
const char *field_explain(const struct lbr_field *field, uint64_t value, char *buf, size_t len);

#endif
