// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_journal - any fields of a message: strings of the row end, numbers are within bounds
 *
 * Input: fields, a byte 0xff between two of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/journal_read.h"

static void require(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_row row = {.ts_ns = 0};
	const uint8_t *end = data + size;

	while (data < end) {
		const uint8_t *next = memchr(data, 0xff, (size_t)(end - data));
		size_t len = (size_t)((next ? next : end) - data);
		/* Of its own, so that a byte behind it is seen by the sanitizer. */
		uint8_t *field = malloc(len ? len : 1);

		if (!field)
			return 0;
		memcpy(field, data, len);
		journal_row_field(&row, field, len);
		free(field);
		data = next ? next + 1 : end;
	}
	require(memchr(row.function, '\0', sizeof(row.function)) != NULL);
	require(memchr(row.origin, '\0', sizeof(row.origin)) != NULL);
	require(memchr(row.kind, '\0', sizeof(row.kind)) != NULL);
	require(memchr(row.host, '\0', sizeof(row.host)) != NULL);
	require(row.err >= 0 && row.err <= 4095);
	return 0;
}
