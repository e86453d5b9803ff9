/* SPDX-License-Identifier: GPL-2.0 */
/*
 * otlp.h - OpenTelemetry's log records, for the file receiver of a collector (otlpjsonfile)
 *
 * A line is a LogsData with one record. Source: opentelemetry-proto 1.x,
 * opentelemetry/proto/logs/v1/logs.proto, common.proto and resource.proto, and the OTLP
 * specification, "JSON Protobuf Encoding": 64-bit integers are decimal strings, enums are numbers,
 * names are lowerCamelCase.
 */
#ifndef LBRSNOOP_EXPORT_OTLP_H
#define LBRSNOOP_EXPORT_OTLP_H

#include <stdbool.h>
#include <stdio.h>

#include "export/finding.h"

/**
 * otlp_write() - one line
 * @finding: has a snapshot or a path
 * @with_comm: the name of the task, too
 * Return: 0; -ENOMEM; -EIO.
 */
int otlp_write(FILE *out, const struct finding *finding, bool with_comm);

#endif
