/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capture_field.h - one event as a capture file, in a field of a message of the journal
 *
 * What finding.h says must not leave the host is taken out of it: arguments, registers, the
 * kernel's log, command lines, the names of tasks. Of a program nothing is written: its code and
 * its file's name are the user's.
 */
#ifndef LBRSNOOP_EXPORT_CAPTURE_FIELD_H
#define LBRSNOOP_EXPORT_CAPTURE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/finding.h"

#define CAPTURE_FIELD	      "LBRSNOOP_CAPTURE="
#define CAPTURE_BYTES_DEFAULT (64u << 10)
#define CAPTURE_BYTES_MAX     (1u << 20)
/* A capture of one event unpacks to less than a tenth of that. */
#define CAPTURE_UNPACKED_MAX (16u << 20)

/**
 * struct capture_field - {0}: none
 * @field: CAPTURE_FIELD and a capture file of @bytes bytes, to be freed; NULL: it is left out
 * @left_out: then: why, in one word: "size", "program", "budget", "error"
 */
struct capture_field {
	char *field;
	size_t bytes;
	const char *left_out;
};

/**
 * capture_field_make() - of one snapshot
 * @kernel: that it is of, with its text
 * @most: bytes of a capture file; larger ones are left out, and @ret->bytes says how large
 * @with_comm: the name of the task, too
 * @ret: set in any case; capture_field_deinit()
 */
void capture_field_make(const struct snapshot *snap, const struct finding_kernel *kernel,
			uint64_t most, bool with_comm, struct capture_field *ret);

/** capture_field_len() - bytes of @capture->field */
size_t capture_field_len(const struct capture_field *capture);

/** capture_field_deinit() - free */
void capture_field_deinit(struct capture_field *capture);

#endif
