// SPDX-License-Identifier: GPL-2.0
/* What a dump says of its CPU: lines of /proc/cpuinfo and lscpu, a signature, a format. */
#include "decode/dump.h"

#include <errno.h>
#include <string.h>

#include "util/cleanup.h"

enum property {
	PROPERTY_IGNORED, /* known, of no use here */
	PROPERTY_VENDOR,
	PROPERTY_FAMILY,
	PROPERTY_MODEL,
	PROPERTY_SIGNATURE,
	PROPERTY_FORMAT,
	PROPERTY_FLAGS,
};

static const struct {
	const char *key;
	enum property property;
} properties[] = {
	{"vendor_id", PROPERTY_VENDOR},
	{"vendor id", PROPERTY_VENDOR},
	{"vendor", PROPERTY_VENDOR},
	{"cpu family", PROPERTY_FAMILY},
	{"cpu_family", PROPERTY_FAMILY},
	{"family", PROPERTY_FAMILY},
	{"model", PROPERTY_MODEL},
	{"cpu model", PROPERTY_MODEL},
	{"signature", PROPERTY_SIGNATURE},
	{"cpuid", PROPERTY_SIGNATURE},
	{"cpuid signature", PROPERTY_SIGNATURE},
	{"cpu signature", PROPERTY_SIGNATURE},
	{"displayfamily_displaymodel", PROPERTY_SIGNATURE},
	{"lbr format", PROPERTY_FORMAT},
	{"lbr_format", PROPERTY_FORMAT},
	{"format", PROPERTY_FORMAT},
	{"flags", PROPERTY_FLAGS},
	{"processor", PROPERTY_IGNORED},
	{"model name", PROPERTY_IGNORED},
	{"stepping", PROPERTY_IGNORED},
	{"microcode", PROPERTY_IGNORED},
	{"architecture", PROPERTY_IGNORED},
};

static void take_signature(struct dump *dump, struct span value, size_t line, struct notes *notes)
{
	const struct lbr_model *model;
	char text[48];
	int err = lbr_model_by_text(span_copy(value, text, sizeof(text)), &model);

	if (!err)
		dump_set_model(dump, model, line, notes);
	else
		notes_warning(notes, line, "\"%s\" is no CPU %s; --list-models lists all", text,
			      err == -ENOENT ? "with a known LBR" : "in the form 06_5EH");
}

/* Once "cpu family" and "model" of /proc/cpuinfo are both there */
static void settle_number(struct dump *dump, struct notes *notes)
{
	const struct lbr_model *model = NULL;

	if (!dump->family || !dump->number_line)
		return;
	if (dump->vendor != CPU_VENDOR_AMD)
		model = lbr_model_by_cpu(CPU_VENDOR_INTEL, dump->family, dump->number);
	if (!model && dump->vendor != CPU_VENDOR_INTEL)
		model = lbr_model_by_cpu(CPU_VENDOR_AMD, dump->family, dump->number);
	if (model)
		dump_set_model(dump, model, dump->number_line, notes);
	else
		notes_warning(notes, dump->number_line,
			      "CPU %02X_%02XH is not in the table: name its LBR format with "
			      "--format",
			      dump->family, dump->number);
	dump->number_line = 0;
}

/* The number of /proc/cpuinfo, or the manual's spelling */
static void take_model(struct dump *dump, struct span value, size_t line, struct notes *notes)
{
	struct span rest = value;
	uint64_t number;

	if (span_decimal(&rest, 0xff, &number) || !span_empty(rest)) {
		take_signature(dump, value, line, notes);
		return;
	}
	dump->number = (unsigned int)number;
	dump->number_line = line;
	settle_number(dump, notes);
}

static void take_format(struct dump *dump, struct span value, size_t line, struct notes *notes)
{
	const struct lbr_model *model = NULL;
	uint64_t number;

	if (!span_hex(&value, 0x3f, &number) && span_empty(value))
		model = lbr_model_by_format((unsigned int)number);
	if (model)
		dump_set_model(dump, model, line, notes);
	else
		notes_warning(notes, line, "LBR formats are 00H to 07H and 3FH");
}

static void take_vendor(struct dump *dump, struct span value)
{
	if (span_is(value, "GenuineIntel"))
		dump->vendor = CPU_VENDOR_INTEL;
	else if (span_is(value, "AuthenticAMD") || span_is(value, "HygonGenuine"))
		dump->vendor = CPU_VENDOR_AMD;
}

static void take_flags(struct dump *dump, struct span value)
{
	dump->has_flags = true;
	while (!span_empty(value)) {
		struct span word = span_until(&value, " \t");

		if (span_is(word, "hle") || span_is(word, "rtm"))
			dump->has_tsx = true;
	}
}

bool dump_property(struct dump *dump, struct span key, struct span value, size_t line,
		   struct notes *notes)
{
	size_t i = 0;
	uint64_t number;

	key = span_trim(key);
	value = span_trim(value);
	while (i < ARRAY_SIZE(properties) && !span_is(key, properties[i].key))
		i++;
	if (i == ARRAY_SIZE(properties))
		return false;
	switch (properties[i].property) {
	case PROPERTY_IGNORED:
		break;
	case PROPERTY_VENDOR:
		take_vendor(dump, value);
		break;
	case PROPERTY_FAMILY:
		if (!span_decimal(&value, 0xff, &number))
			dump->family = (unsigned int)number;
		settle_number(dump, notes);
		break;
	case PROPERTY_MODEL:
		take_model(dump, value, line, notes);
		break;
	case PROPERTY_SIGNATURE:
		take_signature(dump, value, line, notes);
		break;
	case PROPERTY_FORMAT:
		take_format(dump, value, line, notes);
		break;
	case PROPERTY_FLAGS:
		take_flags(dump, value);
		break;
	}
	return true;
}
