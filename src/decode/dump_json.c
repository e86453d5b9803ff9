// SPDX-License-Identifier: GPL-2.0
/* dump_json.c - a dump as JSON, through jansson */
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

/* Members of an object that are neither a register nor said of the CPU */
static const char *const cpu_keys[] = {"cpu", "core", NULL};
static const char *const msr_keys[] = {"msr", "register", "reg", "address", "addr", NULL};
static const char *const value_keys[] = {"value", "val", "data", NULL};
static const char *const msrs_keys[] = {"msrs", "registers", NULL};
static const char *const cpus_keys[] = {"cpus", NULL};
static const char *const other_keys[] = {"schema", NULL};

static bool is_one_of(const char *key, const char *const *keys)
{
	while (*keys && strcmp(*keys, key))
		keys++;
	return *keys;
}

static bool is_structure(const char *key, const json_t *object)
{
	return is_one_of(key, cpu_keys) || is_one_of(key, msr_keys) || is_one_of(key, msrs_keys) ||
	       is_one_of(key, cpus_keys) || is_one_of(key, other_keys) ||
	       (is_one_of(key, value_keys) && get_any(object, msr_keys));
}

static int take_array(struct json_dump *j, const json_t *array, uint64_t cpu);
static int take_object(struct json_dump *j, const json_t *object, uint64_t cpu);

static int take_container(struct json_dump *j, const char *name, const json_t *json, uint64_t cpu)
{
	if (json_is_object(json))
		return take_object(j, json, cpu);
	if (json_is_array(json))
		return take_array(j, json, cpu);
	notes_warning(j->notes, j->line, "\"%.20s\" left out: it is no object and no array", name);
	return 0;
}

/* "cpu3": {...}, and under "cpus" also "3": {...} */
static int take_named_cpu(struct json_dump *j, const char *key, const json_t *value, bool in_cpus)
{
	struct span text = span_trim(span_of(key));
	bool is_cpu;
	uint64_t cpu;

	is_cpu = dump_cut_cpu(&text, &cpu) || (in_cpus && !span_decimal(&text, UINT32_MAX, &cpu));
	if (is_cpu && span_empty(text))
		return take_container(j, key, value, cpu);
	notes_warning(j->notes, j->line,
		      "\"%.20s\" left out: registers are looked for in \"msrs\", \"registers\", "
		      "\"cpus\", \"cpu3\"",
		      key);
	return 0;
}

/* {"0x680": "0x...", ...}, or of "cpus": {"0": {...}, ...}; the structure is looked at elsewhere */
static int take_members(struct json_dump *j, uint64_t cpu, const json_t *object, bool in_cpus)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		int err;

		if (is_structure(key, object) || take_property(j, key, value))
			continue;
		if (in_cpus || json_is_object(value) || json_is_array(value))
			err = take_named_cpu(j, key, value, in_cpus);
		else
			err = add(j, cpu, key, NULL, value);
		if (err)
			return err;
	}
	return 0;
}

static int take_object(struct json_dump *j, const json_t *object, uint64_t cpu)
{
	const json_t *number = get_any(object, cpu_keys), *msr = get_any(object, msr_keys);
	const json_t *msrs = get_any(object, msrs_keys), *cpus = get_any(object, cpus_keys);
	int err;

	if (number && get_cpu(number, &cpu)) {
		notes_warning(j->notes, j->line, "registers left out: their CPU is no number");
		return 0;
	}
	err = take_members(j, cpu, object, false);
	if (!err && msr)
		err = add(j, cpu, json_string_value(msr), msr, get_any(object, value_keys));
	if (!err && msrs)
		err = take_container(j, "msrs", msrs, cpu);
	if (!err && json_is_object(cpus))
		err = take_members(j, cpu, cpus, true);
	else if (!err && cpus)
		err = take_container(j, "cpus", cpus, cpu);
	return err;
}

static bool is_scalar(const json_t *json)
{
	return !json_is_object(json) && !json_is_array(json);
}

/* ["0x680", "0x..."] */
static bool is_pair(const json_t *item)
{
	return json_array_size(item) == 2 && is_scalar(json_array_get(item, 0)) &&
	       is_scalar(json_array_get(item, 1));
}

/* Of objects or pairs; nesting is bounded by jansson's parser */
static int take_array(struct json_dump *j, const json_t *array, uint64_t cpu)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i), *msr = json_array_get(item, 0);
		int err = 0;

		if (json_is_object(item))
			err = take_object(j, item, cpu);
		else if (is_pair(item))
			err = add(j, cpu, json_string_value(msr), msr, json_array_get(item, 1));
		else if (json_is_array(item))
			err = take_array(j, item, cpu);
		else
			notes_warning(j->notes, j->line,
				      "item %zu of an array is no object and no pair: left out", i);
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
