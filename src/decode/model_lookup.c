// SPDX-License-Identifier: GPL-2.0
/* Rows of the table in model.c, by CPU, name or format, and what narrows a copy of one down. */
#include "decode/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool row_has_cpu(const struct lbr_model *row, enum cpu_vendor vendor, unsigned int family,
			unsigned int model)
{
	if (row->vendor != vendor)
		return false;
	for (size_t i = 0; i < row->cpu_count; i++) {
		const struct cpu_range *cpu = &row->cpus[i];

		if (cpu->family == family && model >= cpu->model_first && model <= cpu->model_last)
			return true;
	}
	return false;
}

const struct lbr_model *lbr_model_by_cpu(enum cpu_vendor vendor, unsigned int family,
					 unsigned int model)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	for (size_t i = 0; i < count; i++) {
		if (row_has_cpu(&models[i], vendor, family, model))
			return &models[i];
	}
	return NULL;
}

const struct lbr_model *lbr_model_by_name(const char *name)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	for (size_t i = 0; i < count; i++) {
		if (!strcasecmp(models[i].name, name))
			return &models[i];
	}
	return NULL;
}

const struct lbr_model *lbr_model_by_format(unsigned int format)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	for (size_t i = 0; i < count; i++) {
		if (models[i].vendor == CPU_VENDOR_NONE && models[i].format == (int)format)
			return &models[i];
	}
	return NULL;
}

void cpu_signature_split(uint32_t eax, unsigned int *ret_family, unsigned int *ret_model)
{
	unsigned int family = (eax >> 8) & 0xf;
	unsigned int model = (eax >> 4) & 0xf;

	if (family == 0x6 || family == 0xf)
		model |= (eax >> 12) & 0xf0;
	if (family == 0xf)
		family += (eax >> 20) & 0xff;
	*ret_family = family;
	*ret_model = model;
}

/* Hexadecimal number of at most 8 digits, with or without 0x; *text moves behind it. */
static int parse_hex(const char **text, unsigned int *ret_value)
{
	const char *p = *text;
	unsigned long value;
	size_t digits;
	char *end;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	digits = strspn(p, "0123456789abcdefABCDEF");
	if (digits < 1 || digits > 8)
		return -EINVAL;
	value = strtoul(p, &end, 16);
	*ret_value = (unsigned int)value;
	*text = end;
	return 0;
}

/* "06_5EH" or a CPUID signature "0x506E3" */
static int parse_signature(const char *text, unsigned int *ret_family, unsigned int *ret_model)
{
	unsigned int first, second;

	if (parse_hex(&text, &first) < 0)
		return -EINVAL;
	if (*text == '\0' && first > 0xff) {
		cpu_signature_split(first, ret_family, ret_model);
		return 0;
	}
	if (*text == 'h' || *text == 'H')
		text++;
	if (*text++ != '_' || parse_hex(&text, &second) < 0)
		return -EINVAL;
	if (*text == 'h' || *text == 'H')
		text++;
	if (*text != '\0')
		return -EINVAL;
	*ret_family = first;
	*ret_model = second;
	return 0;
}

int lbr_model_by_text(const char *text, const struct lbr_model **ret_model)
{
	enum cpu_vendor vendor = CPU_VENDOR_NONE;
	const struct lbr_model *row;
	unsigned int family, model;

	row = lbr_model_by_name(text);
	if (row) {
		*ret_model = row;
		return 0;
	}
	if (!strncasecmp(text, "intel:", 6))
		vendor = CPU_VENDOR_INTEL;
	else if (!strncasecmp(text, "amd:", 4))
		vendor = CPU_VENDOR_AMD;
	if (vendor != CPU_VENDOR_NONE)
		text = strchr(text, ':') + 1;
	if (parse_signature(text, &family, &model) < 0)
		return -EINVAL;
	if (vendor != CPU_VENDOR_NONE) {
		row = lbr_model_by_cpu(vendor, family, model);
	} else {
		row = lbr_model_by_cpu(CPU_VENDOR_INTEL, family, model);
		if (!row)
			row = lbr_model_by_cpu(CPU_VENDOR_AMD, family, model);
	}
	if (!row)
		return -ENOENT;
	*ret_model = row;
	return 0;
}

int lbr_model_set_format(struct lbr_model *model, unsigned int format)
{
	const struct lbr_model *row = lbr_model_by_format(format);

	if (!row)
		return -EINVAL;
	if (model->format == (int)format)
		return 0;
	if (format == 1 && (model->quirks & LBR_QUIRK_LIP_HAS_FLAGS))
		return 0;
	if (model->format >= 0)
		return -EEXIST;
	model->format = row->format;
	model->from = row->from;
	model->to = row->to;
	model->info = row->info;
	model->msr_info = row->msr_info;
	model->supported = row->supported;
	model->addr_bits = row->addr_bits;
	if (!row->to)
		model->msr_to = MSR_LBR_NONE;
	return 0;
}

void lbr_model_set_tsx(struct lbr_model *model, bool has_tsx)
{
	if (has_tsx)
		model->quirks &= ~LBR_QUIRK_TSX_SIGN_EXT;
	else
		model->supported &= ~LBR_HAS_TSX;
}

void lbr_model_info(const struct lbr_model *model, uint32_t depth, struct lbr_info *ret_info)
{
	memset(ret_info, 0, sizeof(*ret_info));
	snprintf(ret_info->model, sizeof(ret_info->model), "%s", model->name);
	ret_info->format = model->format;
	ret_info->depth = depth ? depth : model->depth;
	ret_info->supported = model->supported;
}
