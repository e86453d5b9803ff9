// SPDX-License-Identifier: GPL-2.0
#include "cmd/decode_tables.h"

#include <inttypes.h>
#include <string.h>

#include "decode/explain.h"
#include "decode/span.h"
#include "render/branch_list.h"
#include "util/log.h"

static void print_cpus(FILE *out, const struct lbr_model *model)
{
	if (!model->cpu_count)
		fputs("any CPU with this format", out);
	for (size_t i = 0; i < model->cpu_count; i++) {
		const struct cpu_range *cpu = &model->cpus[i];

		fprintf(out, "%s%s%02X_%02XH", i ? " " : "",
			model->vendor == CPU_VENDOR_AMD ? "amd:" : "", cpu->family,
			cpu->model_first);
		if (cpu->model_last != cpu->model_first)
			fprintf(out, "-%02XH", cpu->model_last);
	}
}

static void print_msr(FILE *out, const char *name, uint32_t msr)
{
	if (msr != MSR_LBR_NONE)
		fprintf(out, " %s %XH", name, msr);
}

static void print_model(FILE *out, const struct lbr_model *model, bool verbose)
{
	char fields[80], depth[16] = "any", format[16] = "-";

	if (model->depth)
		snprintf(depth, sizeof(depth), "%u", model->depth);
	if (model->format != LBR_FORMAT_NONE)
		snprintf(format, sizeof(format), "%02XH", (unsigned int)model->format);
	fprintf(out, "%-15s %5s %6s  %s\n", model->name, depth, format, model->title);
	fputs("\tCPUs: ", out);
	print_cpus(out, model);
	fputs("\n\tMSRs:", out);
	print_msr(out, "FROM", model->msr_from);
	print_msr(out, "TO", model->msr_to);
	print_msr(out, "INFO", model->msr_info);
	print_msr(out, model->order == LBR_ORDER_BRS ? "DBG_EXTN_CFG" : "TOS", model->msr_order);
	print_msr(out, "SELECT", model->msr_select);
	print_msr(out, "LER", model->msr_ler);
	fprintf(out, "; reports %s\n",
		lbr_supported_text(model->supported, fields, sizeof(fields)));
	if (model->cpu_count && model->live_since)
		fprintf(out, "\tLive: Linux %s and later\n", model->live_since);
	else if (model->cpu_count)
		fputs("\tLive: no\n", out);
	if (!verbose)
		return;
	fprintf(out, "\tSource: %s\n", model->source);
	if (*model->errata)
		fprintf(out, "\tErrata: %s\n", model->errata);
}

enum exit_status print_models(FILE *out, bool verbose)
{
	size_t count;
	const struct lbr_model *models = lbr_models(&count);

	fprintf(out, "%-15s %5s %6s\n", "name", "depth", "format");
	for (size_t i = 0; i < count; i++)
		print_model(out, &models[i], verbose);
	return EXIT_SEEN; /* what cannot be written is told at the exit: output_init() */
}

static void print_field(FILE *out, const struct lbr_field *field, uint64_t value)
{
	uint64_t bits = lbr_field_get(field, value);
	char range[16], words[80];

	if (field->hi == field->lo)
		snprintf(range, sizeof(range), "%u", field->hi);
	else
		snprintf(range, sizeof(range), "%u:%u", field->hi, field->lo);
	fprintf(out, "  %-6s %-20s 0x%-16" PRIx64 "  %-28s %s\n", range, field->name, bits,
		field_explain(field, value, words, sizeof(words)), field->text);
}

enum exit_status print_explanation(FILE *out, const struct lbr_model *model, const char *text)
{
	const struct lbr_layout *layout;
	struct span value_text = span_of(text), msr_text = span_until(&value_text, "=");
	struct lbr_model host;
	uint64_t msr, value;
	char name[40];

	if (span_hex(&msr_text, UINT32_MAX, &msr) || !span_empty(msr_text) ||
	    span_hex(&value_text, UINT64_MAX, &value) || !span_empty(value_text)) {
		log_error("--explain '%s': write it as 0x680=0xffffffff81000010", text);
		return EXIT_USAGE;
	}
	if (!model) {
		if (lbr_model_of_host(&host)) {
			log_error("--explain: no LBR is known of this machine's CPU: name one with "
				  "--cpu or --format");
			return EXIT_USAGE;
		}
		model = &host;
		log_info("as this machine (%s) has it; --cpu names another one", host.name);
	}
	if (msr_explain(model, (uint32_t)msr, name, sizeof(name), &layout)) {
		log_error(
			"MSR %XH is not a register of the LBR of %s; --list-models has the numbers",
			(uint32_t)msr, model->name);
		return EXIT_ERROR;
	}
	fprintf(out, "%s (%XH) = 0x%016" PRIx64 "\n%s: %s\n%s\n", name, (uint32_t)msr, value,
		model->name, model->title, layout->table);
	for (size_t i = 0; i < layout->count; i++)
		print_field(out, &layout->fields[i], value);
	if (*model->errata)
		fprintf(out, "Errata: %s\n", model->errata);
	return EXIT_SEEN;
}
