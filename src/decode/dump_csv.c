// SPDX-License-Identifier: GPL-2.0
/* dump_csv.c - a dump as columns: CPU, MSR, value */
#include "decode/dump.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/cleanup.h"

#define COLUMNS_MAX 16

enum column {
	COLUMN_OTHER = 0,
	COLUMN_CPU,
	COLUMN_MSR,
	COLUMN_VALUE,
};

static const struct {
	const char *name;
	enum column column;
} column_names[] = {
	{"cpu", COLUMN_CPU},	{"core", COLUMN_CPU},	  {"processor", COLUMN_CPU},
	{"thread", COLUMN_CPU}, {"msr", COLUMN_MSR},	  {"address", COLUMN_MSR},
	{"addr", COLUMN_MSR},	{"register", COLUMN_MSR}, {"reg", COLUMN_MSR},
	{"number", COLUMN_MSR}, {"value", COLUMN_VALUE},  {"val", COLUMN_VALUE},
	{"data", COLUMN_VALUE},
};

struct csv {
	struct dump *dump;
	struct notes *notes;
	size_t line;
	const char *delim;
	enum column columns[COLUMNS_MAX];
	bool has_columns;
};

/* A delimiter within quotes is none. */
static struct span cut_field(struct span *line, const char *delim)
{
	struct span field;

	while (!span_empty(*line) && *line->p == ' ') /* a tab may be the delimiter */
		line->p++;
	if (!span_empty(*line) && *line->p == '"') {
		struct span rest = {line->p + 1, line->end};

		field = span_until(&rest, "\"");
		while (!span_empty(rest) && *rest.p == '"') {
			rest.p++; /* a doubled quote is one of the text: the field goes on */
			field.end = span_until(&rest, "\"").end;
		}
		field = span_trim(field);
		if (span_empty(span_trim(span_until(&rest, delim)))) {
			*line = rest;
			return field;
		}
	}
	return span_trim(span_until(line, delim));
}

static enum column column_of(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(column_names); i++) {
		if (span_is(name, column_names[i].name))
			return column_names[i].column;
	}
	return COLUMN_OTHER;
}

bool dump_is_csv(const char *data, size_t len)
{
	struct span rest = {data, data + len}, line = rest;
	bool has_tab, has_header = false;
	size_t fields = 0;

	do {
		if (!span_line(&rest, &line))
			return false;
		line = span_trim(line);
	} while (span_empty(line) || *line.p == '#');
	has_tab = memchr(line.p, '\t', (size_t)(line.end - line.p));
	for (; !span_empty(line); fields++) {
		struct span field = cut_field(&line, ",;\t");

		has_header |= column_of(field) == COLUMN_MSR;
		for (; !span_empty(field); field.p++) {
			if (!isalnum((unsigned char)*field.p) && *field.p != '_')
				return false;
		}
	}
	/* two columns with a tab between are as good as text, which takes other lines, too */
	return fields == 3 || (fields == 2 && !has_tab) || (fields > 3 && has_header);
}

/* The first line: a header, or values whose number tells the columns. True: it was a header. */
static bool take_header(struct csv *csv, struct span line)
{
	static const enum column by_count[4][3] = {
		[2] = {COLUMN_MSR, COLUMN_VALUE},
		[3] = {COLUMN_CPU, COLUMN_MSR, COLUMN_VALUE},
	};
	bool has_msr = false;
	size_t count = 0;

	csv->has_columns = true;
	for (; count < COLUMNS_MAX && !span_empty(line); count++) {
		csv->columns[count] = column_of(cut_field(&line, csv->delim));
		has_msr |= csv->columns[count] == COLUMN_MSR;
	}
	if (has_msr)
		return true;
	memset(csv->columns, 0, sizeof(csv->columns));
	if (count < ARRAY_SIZE(by_count))
		memcpy(csv->columns, by_count[count], sizeof(by_count[count]));
	return false;
}

static int take_row(struct csv *csv, struct span line)
{
	uint64_t cpu = 0, msr = 0, value = 0;
	bool has_msr = false, has_value = false;
	int err = 0;

	for (size_t i = 0; i < COLUMNS_MAX && !span_empty(line) && !err; i++) {
		struct span field = cut_field(&line, csv->delim);

		switch (csv->columns[i]) {
		case COLUMN_OTHER:
			continue;
		case COLUMN_CPU:
			err = span_decimal(&field, UINT32_MAX, &cpu);
			break;
		case COLUMN_MSR:
			err = span_hex(&field, UINT32_MAX, &msr);
			has_msr = true;
			break;
		case COLUMN_VALUE:
			err = span_hex(&field, UINT64_MAX, &value);
			has_value = true;
			break;
		}
		if (!err && !span_empty(field))
			err = -EINVAL;
	}
	if (err || !has_msr || !has_value) {
		notes_warning(csv->notes, csv->line,
			      "left out: columns are msr,value or cpu,msr,value (CPU decimal, the "
			      "others hexadecimal), or as a header names them");
		return 0;
	}
	return dump_add(csv->dump, cpu, (uint32_t)msr, value, csv->line);
}

int dump_parse_csv(const char *data, size_t len, struct dump *dump, struct notes *notes)
{
	struct csv csv = {.dump = dump, .notes = notes};
	struct span rest = {data, data + len}, line;

	while (span_line(&rest, &line)) {
		int err;

		csv.line++;
		line = span_trim(line);
		if (span_empty(line))
			continue;
		if (*line.p == '#') {
			struct span value, key;

			span_skip(&line, "#");
			value = line;
			key = span_until(&value, ":=");
			dump_property(dump, key, value, csv.line, notes);
			continue;
		}
		if (!csv.delim) {
			size_t n = (size_t)(line.end - line.p);

			csv.delim = memchr(line.p, ',', n)   ? ","
				    : memchr(line.p, ';', n) ? ";"
							     : "\t";
		}
		if (!csv.has_columns && take_header(&csv, line))
			continue;
		err = take_row(&csv, line);
		if (err)
			return err;
	}
	return 0;
}
