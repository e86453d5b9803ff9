/* SPDX-License-Identifier: GPL-2.0 */
/*
 * otlp_file.h - a file of otlp.h's lines that grows for as long as a service runs
 *
 * Each path is written in full once an hour; then lines with "lbrsnoop.count" count it. There is
 * never half a line in the file: what does not fit is cut off again, and waits.
 */
#ifndef LBRSNOOP_EXPORT_OTLP_FILE_H
#define LBRSNOOP_EXPORT_OTLP_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "export/finding.h"
#include "export/quota.h"

struct otlp_file;

/**
 * otlp_file_open() - append to @path, which is made with mode 0640
 * @path, @quota: borrowed
 * @with_comm: the names of tasks, too
 * Return: 0; negative errno.
 */
int otlp_file_open(const char *path, bool with_comm, struct quota *quota,
		   struct otlp_file **ret_file);

/** otlp_file_add() - one finding; what cannot be written waits */
void otlp_file_add(struct otlp_file *file, const struct finding *finding);

/** otlp_file_tell() - write what has not been told yet; @host: this machine's name; 0; -ENOMEM */
int otlp_file_tell(struct otlp_file *file, const struct findings *findings, const char *host,
		   uint64_t now_ns);

/** otlp_file_error() - negative errno of the last write, 0 if it succeeded */
int otlp_file_error(const struct otlp_file *file);

/** otlp_file_close() - free; NULL is fine */
void otlp_file_close(struct otlp_file *file);

#endif
