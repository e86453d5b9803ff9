// SPDX-License-Identifier: GPL-2.0
#include "decode/dump.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/stack.h"
#include "util/cleanup.h"
#include "util/vector.h"

#define RECORD_BYTES 16

int dump_add(struct dump *dump, uint64_t cpu, uint32_t msr, uint64_t value, size_t line)
{
	if (cpu > DUMP_CPU_MAX) {
		dump->bad_cpu = cpu;
		dump->bad_cpu_line = line;
		return -E2BIG;
	}
	if (dump->count >= DUMP_RECORDS_MAX)
		return -E2BIG;
	if (vector_grow(&dump->records, dump->count, sizeof(*dump->records)))
		return -ENOMEM;
	dump->records[dump->count++] = (struct dump_record){
		.cpu = (uint32_t)cpu,
		.msr = msr,
		.value = value,
		.line = line,
	};
	return 0;
}

void dump_set_model(struct dump *dump, const struct lbr_model *model, size_t line,
		    struct notes *notes)
{
	if (dump->model && dump->model != model)
		notes_warning(notes, line, "names CPU model %s, line %zu said %s: %s it is",
			      model->name, dump->model_line, dump->model->name, dump->model->name);
	if (dump->model)
		return;
	dump->model = model;
	dump->model_line = line;
}

void dump_deinit(struct dump *dump)
{
	free(dump->records);
	memset(dump, 0, sizeof(*dump));
}

static int compare_records(const void *a, const void *b)
{
	const struct dump_record *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->msr != y->msr)
		return x->msr < y->msr ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void dump_sort(struct dump *dump)
{
	if (dump->count)
		qsort(dump->records, dump->count, sizeof(*dump->records), compare_records);
}

static uint64_t get_le64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static uint32_t get_le32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static int parse_records(const char *data, size_t len, struct dump *dump, struct notes *notes)
{
	if (len % RECORD_BYTES) {
		notes_error(notes, 0, "binary dump of %zu bytes: records have 16 bytes each", len);
		return -EINVAL;
	}
	for (size_t i = 0; i < len / RECORD_BYTES; i++) {
		const char *p = data + i * RECORD_BYTES;
		int err = dump_add(dump, get_le32(p + 4), get_le32(p), get_le64(p + 8), i + 1);

		if (err)
			return err;
	}
	return 0;
}

static int parse_block(const char *data, size_t len, const struct lbr_model *model,
		       struct dump *dump, struct notes *notes)
{
	uint32_t msrs[LBR_MSRS_MAX];
	size_t count, cpus;

	if (!model || !model->depth) {
		notes_error(
			notes, 0,
			"it has NUL bytes and is no list of records: a bare block of MSRs, whose "
			"model --cpu has to tell? Text with a stray NUL: say --input text");
		return -EINVAL;
	}
	count = lbr_model_msrs(model, model->depth, msrs);
	if (len % (count * 8)) {
		notes_error(notes, 0,
			    "a block of model %s has %zu registers, %zu bytes, for each "
			    "CPU; the dump has %zu bytes. If it is no block: records of 16 bytes "
			    "are --input records, text with a stray NUL --input text",
			    model->name, count, count * 8, len);
		return -EINVAL;
	}
	cpus = len / (count * 8);
	for (size_t i = 0; i < cpus * count; i++) {
		int err = dump_add(dump, i / count, msrs[i % count], get_le64(data + i * 8), i + 1);

		if (err)
			return err;
	}
	return 0;
}

/* Records name a register of some LBR; a block starts with an address or with nothing. */
static bool looks_like_records(const char *data, size_t len)
{
	return len >= RECORD_BYTES && len % RECORD_BYTES == 0 && lbr_knows_msr(get_le32(data)) &&
	       get_le32(data + 4) <= DUMP_CPU_MAX;
}

/* What is not what it was taken for: the first bytes of other kinds of file */
static const struct {
	const char *magic;
	size_t len;
	const char *what;
	const char *remedy;
} foreign_files[] = {
	{"\x1f\x8b\x08", 3, "compressed by gzip", "unpack it with gunzip"},
	{"\xfd"
	 "7zXZ",
	 5, "compressed by xz", "unpack it with unxz"},
	{"\x28\xb5\x2f\xfd", 4, "compressed by zstd", "unpack it with unzstd"},
	{"BZh", 3, "compressed by bzip2", "unpack it with bunzip2"},
	{"PK\x03\x04", 4, "a zip archive", "unpack it with unzip"},
	{"\x7f"
	 "ELF",
	 4, "an ELF file (a program, or a core dump)", "expected registers of the LBR"},
	{"LBRSNOOP", 8, "a capture of lbrsnoop record", "print it with lbrsnoop report"},
	{"\xff\xfe", 2, "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", 2, "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"},
};

static int refuse_foreign(const char *data, size_t len, struct notes *notes)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_files); i++) {
		if (len < foreign_files[i].len ||
		    memcmp(data, foreign_files[i].magic, foreign_files[i].len))
			continue;
		notes_error(notes, 0,
			    "this is %s: %s; if it is the registers of a model after all, "
			    "say --input block",
			    foreign_files[i].what, foreign_files[i].remedy);
		return -EINVAL;
	}
	return 0;
}

/* Is every second byte of the first few 0? UTF-16 without its mark at the start looks like that. */
static bool looks_like_utf16(const char *data, size_t len)
{
	size_t pairs = len / 2 < 8 ? len / 2 : 8;

	for (size_t i = 0; i < pairs; i++) {
		if (!isprint((unsigned char)data[2 * i]) && !isspace((unsigned char)data[2 * i]))
			return false;
		if (data[2 * i + 1])
			return false;
	}
	return pairs >= 4;
}

/* A block of the model that was named, to the byte */
static bool fits_block(const struct lbr_model *model, size_t len)
{
	uint32_t msrs[LBR_MSRS_MAX];

	return model && model->depth && len % (lbr_model_msrs(model, model->depth, msrs) * 8) == 0;
}

static enum dump_form find_form(const char *data, size_t len)
{
	size_t i = 0;

	if (memchr(data, '\0', len))
		return looks_like_records(data, len) ? DUMP_FORM_RECORDS : DUMP_FORM_BLOCK;
	while (i < len && isspace((unsigned char)data[i]))
		i++;
	/* "[cpu 3] ..." is text; JSON goes on with a brace, a bracket or nothing */
	if (i < len && data[i] == '{')
		return DUMP_FORM_JSON;
	if (i < len && data[i] == '[') {
		for (i++; i < len && isspace((unsigned char)data[i]); i++)
			;
		if (i == len || strchr("{[]", data[i]))
			return DUMP_FORM_JSON;
	}
	return dump_is_csv(data, len) ? DUMP_FORM_CSV : DUMP_FORM_TEXT;
}

static int parse_form(const char *data, size_t len, enum dump_form form,
		      const struct lbr_model *block_model, struct dump *dump, struct notes *notes)
{
	switch (form) {
	case DUMP_FORM_RECORDS:
		return parse_records(data, len, dump, notes);
	case DUMP_FORM_BLOCK:
		return parse_block(data, len, block_model, dump, notes);
	case DUMP_FORM_JSON:
		return dump_parse_json(data, len, dump, notes);
	case DUMP_FORM_CSV:
		return dump_parse_csv(data, len, dump, notes);
	default:
		return dump_parse_text(data, len, dump, notes);
	}
}

int dump_parse(const char *data, size_t len, enum dump_form form,
	       const struct lbr_model *block_model, struct dump *ret_dump, struct notes *notes)
{
	struct dump dump = {0};
	int err = 0;

	if (!len) {
		notes_error(notes, 0, "the input is empty");
		return -ENODATA;
	}
	if (len > DUMP_BYTES_MAX) {
		notes_error(notes, 0, "%zu bytes: a dump has at most %u", len, DUMP_BYTES_MAX);
		return -E2BIG;
	}
	if (len >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) && form != DUMP_FORM_BLOCK &&
	    form != DUMP_FORM_RECORDS) {
		data += 3; /* the mark that some editors put before UTF-8 */
		len -= 3;
	}
	if (form == DUMP_FORM_AUTO) {
		if (!looks_like_records(data, len) && !fits_block(block_model, len) &&
		    refuse_foreign(data, len, notes))
			return -EINVAL;
		form = find_form(data, len);
		if (form == DUMP_FORM_BLOCK && !block_model && looks_like_utf16(data, len)) {
			notes_error(notes, 0,
				    "this is text in UTF-16: convert it: iconv -f UTF-16LE "
				    "-t UTF-8");
			return -EINVAL;
		}
	}
	err = parse_form(data, len, form, block_model, &dump, notes);
	if (err == -E2BIG && dump.bad_cpu_line)
		notes_error(notes, dump.bad_cpu_line, "CPU %" PRIu64 ": CPU numbers end at %u",
			    dump.bad_cpu, DUMP_CPU_MAX);
	else if (err == -E2BIG)
		notes_error(notes, 0, "more than %u registers: cut the dump into several",
			    DUMP_RECORDS_MAX);
	if (!err && !dump.count) {
		notes_error(notes, 0,
			    "no MSR value in it; known forms are \"MSR 0x680: 0x...\", "
			    "\"680 = ...\", a pasted rdmsr session, CSV, JSON, binary");
		err = -ENODATA;
	}
	if (err) {
		dump_deinit(&dump);
		return err;
	}
	if (dump.number_line)
		notes_warning(notes, dump.number_line, "a model without its \"cpu family\"");
	dump_sort(&dump);
	*ret_dump = dump;
	return 0;
}
