// SPDX-License-Identifier: GPL-2.0
#include "decode/dump.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "util/cleanup.h"

static inline void cleanup_json(json_t **json)
{
	json_decref(*json);
}

#define _cleanup_json_ _cleanup_(cleanup_json)

/**
 * struct json_dump - where the reader is
 * @line: of the top-level value: jansson keeps no lines of what is inside
 */
struct json_dump {
	struct dump *dump;
	struct notes *notes;
	size_t line;
};

/* A string in hexadecimal, or a JSON number */
static int get_number(const json_t *json, uint64_t max, uint64_t *ret_value)
{
	struct span text;

	if (json_is_integer(json)) {
		json_int_t value = json_integer_value(json);

		if (value < 0 || (uint64_t)value > max)
			return -ERANGE;
		*ret_value = (uint64_t)value;
		return 0;
	}
	if (!json_is_string(json))
		return -EINVAL;
	text = span_trim(span_of(json_string_value(json)));
	return span_hex(&text, max, ret_value) || !span_empty(text) ? -EINVAL : 0;
}

/* Decimal, also as a string: "3" */
static int get_cpu(const json_t *json, uint64_t *ret_cpu)
{
	struct span text;

	if (!json_is_string(json))
		return get_number(json, UINT32_MAX, ret_cpu);
	text = span_trim(span_of(json_string_value(json)));
	return span_decimal(&text, UINT32_MAX, ret_cpu) || !span_empty(text) ? -EINVAL : 0;
}

static int add(struct json_dump *j, uint64_t cpu, const char *msr_text, const json_t *msr_json,
	       const json_t *value)
{
	struct span text = span_trim(span_of(msr_text ? msr_text : ""));
	uint64_t msr, bits;
	int err;

	if (msr_json)
		err = get_number(msr_json, UINT32_MAX, &msr);
	else
		err = span_hex(&text, UINT32_MAX, &msr) || !span_empty(text) ? -EINVAL : 0;
	if (!err)
		err = get_number(value, UINT64_MAX, &bits);
	if (err) {
		notes_warning(
			j->notes, j->line,
			"MSR \"%.20s\" of CPU %u left out: register and value are strings like "
			"\"0x680\", or numbers",
			msr_text ? msr_text : "?", (unsigned int)cpu);
		return 0;
	}
	return dump_add(j->dump, cpu, (uint32_t)msr, bits, j->line);
}

static const json_t *get_any(const json_t *object, const char *const *keys)
{
	for (; *keys; keys++) {
		const json_t *value = json_object_get(object, *keys);

		if (value)
			return value;
	}
	return NULL;
}

/* Members that are no register: "model": "06_5EH", "cpu_family": 6, ... */
static bool take_property(struct json_dump *j, const char *key, const json_t *value)
{
	char number[24];
	struct span text;

	if (json_is_integer(value)) {
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
		text = span_of(number);
	} else if (json_is_string(value)) {
		text = span_of(json_string_value(value));
	} else {
		return false;
	}
	return dump_property(j->dump, span_of(key), text, j->line, j->notes);
}

/* {"0x680": "0x...", ...}; what is in @skip was looked at already */
static int take_registers(struct json_dump *j, uint64_t cpu, const json_t *object)
{
	static const char *const skip[] = {"cpu",	"core", "cpus",	 "msrs",
					   "registers", "msr",	"value", "schema"};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		size_t i = 0;
		int err;

		while (i < ARRAY_SIZE(skip) && strcmp(skip[i], key))
			i++;
		if (i < ARRAY_SIZE(skip) || take_property(j, key, value))
			continue;
		err = add(j, cpu, key, NULL, value);
		if (err)
			return err;
	}
	return 0;
}

static int take_array(struct json_dump *j, const json_t *array, uint64_t cpu);

static int take_object(struct json_dump *j, const json_t *object, uint64_t cpu)
{
	static const char *const cpu_keys[] = {"cpu", "core", NULL};
	static const char *const msr_keys[] = {"msr", NULL};
	static const char *const msrs_keys[] = {"msrs", "registers", NULL};
	static const char *const cpus_keys[] = {"cpus", NULL};
	const json_t *number = get_any(object, cpu_keys), *msr = get_any(object, msr_keys);
	const json_t *msrs = get_any(object, msrs_keys), *cpus = get_any(object, cpus_keys);
	int err = take_registers(j, number && get_cpu(number, &cpu) ? 0 : cpu, object);

	if (!err && msr)
		err = add(j, cpu, json_string_value(msr), msr, json_object_get(object, "value"));
	if (!err && json_is_object(msrs))
		err = take_registers(j, cpu, msrs);
	else if (!err && json_is_array(msrs))
		err = take_array(j, msrs, cpu);
	if (!err && json_is_array(cpus))
		err = take_array(j, cpus, cpu);
	return err;
}

/* Of objects; nesting is bounded by jansson's parser */
static int take_array(struct json_dump *j, const json_t *array, uint64_t cpu)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i);
		int err = 0;

		if (json_is_object(item))
			err = take_object(j, item, cpu);
		else if (json_is_array(item))
			err = take_array(j, item, cpu);
		else
			notes_warning(j->notes, j->line,
				      "item %zu of an array is no object: left "
				      "out",
				      i);
		if (err)
			return err;
	}
	return 0;
}

int dump_parse_json(const char *data, size_t len, struct dump *dump, struct notes *notes)
{
	struct json_dump j = {.dump = dump, .notes = notes, .line = 1};
	struct span rest = span_trim((struct span){data, data + len});

	while (!span_empty(rest)) {
		_cleanup_json_ json_t *json = NULL;
		json_error_t error;
		const char *start;
		int err;

		json = json_loadb(rest.p, (size_t)(rest.end - rest.p),
				  JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
		if (!json) {
			notes_error(notes, j.line + (size_t)error.line - 1, "JSON: %s%s",
				    error.text,
				    json_error_code(&error) == json_error_numeric_overflow
					    ? ": values over 0x7fffffffffffffff must be strings"
					    : "");
			return -EINVAL;
		}
		err = json_is_array(json) ? take_array(&j, json, 0) : take_object(&j, json, 0);
		if (err)
			return err;
		start = rest.p;
		rest.p += error.position; /* bytes that were read */
		span_skip(&rest, ",");
		for (; start < rest.p; start++)
			j.line += *start == '\n';
	}
	return 0;
}
