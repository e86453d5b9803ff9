// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_journal_capture - captures in messages of a journal, made into files, and read again
 *
 * Inputs are those of capture_input.h. Where the first byte is 2 there are two captures of one
 * host: two bytes more have the length of the first one's records. Whatever they hold, a file that
 * is made of them is whole, and has as many snapshots as captures were taken.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture_input.h"
#include "capfile/reader.h"
#include "export/capture_field.h"
#include "export/journal_captures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int ok)
{
	if (!ok)
		abort();
}

/* As the journal has it. */
static void add(struct journal_spool *spool, uint64_t ident, const uint8_t *data, size_t size)
{
	struct journal_row row = {.ident = ident, .has_ident = true, .host = "alpha"};
	size_t len, field_len = sizeof(CAPTURE_FIELD) - 1;
	uint8_t *bytes = input_bytes(data, size, &len), *field;

	if (!bytes)
		return;
	field = malloc(field_len + len);
	require(field != NULL);
	memcpy(field, CAPTURE_FIELD, field_len);
	memcpy(field + field_len, bytes, len);
	journal_row_field(&row, field, field_len + len);
	require(row.capture == field + field_len && row.capture_len == len);
	require(!journal_spool_add(spool, &row));
	free(field);
	free(bytes);
}

static void add_records(struct journal_spool *spool, uint64_t ident, const uint8_t *data,
			size_t size)
{
	uint8_t *input = malloc(size + 1);

	require(input != NULL);
	input[0] = 1;
	memcpy(input + 1, data, size);
	add(spool, ident, input, size + 1);
	free(input);
}

static uint64_t read_again(const struct journal_capture_file *from)
{
	struct capfile *file;
	struct snapshot snap;
	uint64_t lost, count = 0;

	require(!capfile_open_fd(from->fd, from->name, &file, NULL));
	while (capfile_next(file, &snap, &lost) > 0)
		count++;
	require(capfile_ended(file) == CAPFILE_END_CLEAN);
	capfile_close(file);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_captures captures;
	struct journal_spool *spool;
	uint64_t count = 0;

	require(!journal_spool_create(NULL, &spool, NULL));
	if (size > 3 && data[0] == 2) {
		size_t first = data[1] | (size_t)data[2] << 8;

		if (first > size - 3)
			first = size - 3;
		add_records(spool, 1, data + 3, first);
		add_records(spool, 2, data + 3 + first, size - 3 - first);
	} else {
		add(spool, 1, data, size);
	}
	require(!journal_spool_finish(spool, &captures));
	for (size_t i = 0; i < captures.count; i++)
		count += read_again(&captures.items[i]);
	require(count == captures.paths);
	journal_captures_deinit(&captures);
	journal_spool_destroy(spool);
	return 0;
}
