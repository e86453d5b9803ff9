/* SPDX-License-Identifier: GPL-2.0 */
/* config.h - what a service watches, what it may cost, and where it tells of it; lbrsnoop(8) has
 * the keys */
#ifndef LBRSNOOP_WATCH_CONFIG_H
#define LBRSNOOP_WATCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "export/export.h"
#include "util/errmsg_queue.h"

#define WATCH_CONFIG_FILE  "/etc/lbrsnoop/watch.conf"
#define WATCH_TARGETS_MAX  1024
#define WATCH_CONFIG_BYTES (1u << 20)

/**
 * struct watch_config - all strings are its own
 * @targets: as a user writes them
 * @learned: those that "why" has learned of, too
 * @filter: errno, comm, cpu and max_overhead
 * @comm, @cgroup, @unit: or NULL
 * @source_lines: origins by line of source
 * @cpu_share: 0.01 is 1 % of a CPU
 * @memory: bytes, 0: any number
 * @per_s: snapshots, 0: any number
 * @export: where to
 * @interval_s: between counts
 */
struct watch_config {
	char **targets;
	size_t target_count;
	bool learned;
	struct capture_options filter;
	char *comm;
	char *cgroup;
	char *unit;
	bool source_lines;
	double cpu_share;
	uint64_t memory;
	uint64_t per_s;
	struct export_options export;
	char *otlp;
	char *metrics;
	uint64_t interval_s;
};

/**
 * watch_config_read() - read a file
 * @errors: told all that is wrong, as "FILE:LINE: cause; remedy"
 * @ret: set on success; free with watch_config_deinit()
 * Return: 0; -EINVAL; -EPERM: others may write to it; negative errno; each is in @errors.
 */
int watch_config_read(const char *path, struct watch_config *ret, struct errmsg_queue *errors);

/** watch_config_parse() - the same of a file in memory, as ini_read() wants it; @path: its name */
int watch_config_parse(const char *path, char *text, size_t len, struct watch_config *ret,
		       struct errmsg_queue *errors);

/** watch_config_same_export() - do both tell the same places the same way? */
bool watch_config_same_export(const struct watch_config *a, const struct watch_config *b);

/** watch_config_keep_export() - @config gets the strings of @from for its export, which are equal
 */
void watch_config_keep_export(struct watch_config *config, struct watch_config *from);

/** watch_config_deinit() - free */
void watch_config_deinit(struct watch_config *config);

#endif
