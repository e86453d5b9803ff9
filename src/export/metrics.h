/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics.h - counts for Prometheus, by node_exporter's textfile collector
 *
 * Source: Prometheus documentation, "Exposition formats", text format 0.0.4.
 */
#ifndef LBRSNOOP_EXPORT_METRICS_H
#define LBRSNOOP_EXPORT_METRICS_H

#include "export/finding.h"
#include "util/errmsg.h"

/**
 * metrics_write() - replace a file as a whole: a reader sees the old one or the new one
 * @service: of new_file_replace(); false: of new_file_open()
 * @series: paths that get a series of their own, the most frequent ones; the others are one number.
 *          No number falls from one file to the next: what was counted there stays there
 * Return: 0; negative errno with @msg, and the old file is as it was.
 */
int metrics_write(const char *path, bool service, struct findings *findings, uint32_t series,
		  struct errmsg *msg);

#endif
