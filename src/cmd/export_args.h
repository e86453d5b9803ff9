/* SPDX-License-Identifier: GPL-2.0 */
/* export_args.h - the options of export/ */
#ifndef LBRSNOOP_CMD_EXPORT_ARGS_H
#define LBRSNOOP_CMD_EXPORT_ARGS_H

#include <argp.h>

/* For argp's children; the child's input is a struct export_options. */
extern const struct argp export_argp;

#endif
