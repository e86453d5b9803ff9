/* SPDX-License-Identifier: GPL-2.0 */
/* decode_tables.h - the LBR tables of decode/ on paper: --list-models, --explain */
#ifndef LBRSNOOP_CMD_DECODE_TABLES_H
#define LBRSNOOP_CMD_DECODE_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "decode/model.h"

/** print_models() - every row; @verbose: with source and errata */
enum exit_status print_models(FILE *out, bool verbose);

/**
 * print_explanation() - one register, field by field, with its table in the manual
 * @model: NULL: this machine's
 * @text: "MSR=VALUE", both hexadecimal
 */
enum exit_status print_explanation(FILE *out, const struct lbr_model *model, const char *text);

#endif
