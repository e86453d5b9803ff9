// SPDX-License-Identifier: GPL-2.0
#include "capfile/meta.h"

#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "util/cursor.h"
#include "capfile/format.h"
#include "symbolize/text/module_sections.h"
#include "util/cleanup.h"
#include "util/clock.h"

#define SECTION_NAME_MAX (MODULE_NAME_BYTES - 1)

static void add_pair(FILE *out, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void add_pair(FILE *out, const char *key, const char *fmt, ...)
{
	va_list args;

	fputs(key, out);
	fputc('\0', out);
	va_start(args, fmt);
	vfprintf(out, fmt, args);
	va_end(args);
	fputc('\0', out);
}

/* Leaves 1 to 6, 80000002H to 80000004H. Source: Intel SDM vol. 2A, CPUID. */
static void add_cpu(FILE *out)
{
	uint32_t vendor[4] = {0}, brand[13] = {0}, eax, ebx, ecx, edx, family, model;
	const char *name = (const char *)brand;

	if (!__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]) ||
	    !__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	family = eax >> 8 & 15;
	model = eax >> 4 & 15;
	if (family == 6 || family == 15)
		model |= eax >> 12 & 0xf0;
	if (family == 15)
		family += eax >> 20 & 255;
	add_pair(out, CAPFILE_META_CPU_ID, "%s,%u,%u,%u", (const char *)vendor, family, model,
		 eax & 15);
	for (uint32_t i = 0; i < 3; i++)
		if (!__get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1],
				 &brand[4 * i + 2], &brand[4 * i + 3]))
			return;
	add_pair(out, CAPFILE_META_CPU_NAME, "%s", name + strspn(name, " "));
}

static void add_symbol_addr(FILE *out, const struct symbols *symbols, const char *key,
			    enum symbols_single which)
{
	uint64_t addr = symbols_single(symbols, which);

	if (addr)
		add_pair(out, key, "%#" PRIx64, addr);
}

static void add_kernel(FILE *out, struct symbols *symbols)
{
	char id_text[2 * BUILD_ID_MAX + 1];
	struct build_id id;
	struct utsname uts;

	if (!uname(&uts)) {
		add_pair(out, CAPFILE_META_HOST, "%s", uts.nodename);
		add_pair(out, CAPFILE_META_RELEASE, "%s", uts.release);
		add_pair(out, CAPFILE_META_VERSION, "%s", uts.version);
		add_pair(out, CAPFILE_META_MACHINE, "%s", uts.machine);
	}
	build_id_of_kernel(&id);
	if (id.len)
		add_pair(out, CAPFILE_META_BUILD_ID, "%s", build_id_text(&id, id_text));
	add_symbol_addr(out, symbols, CAPFILE_META_TEXT, SYMBOLS_TEXT);
	add_symbol_addr(out, symbols, CAPFILE_META_STEXT, SYMBOLS_STEXT);
}

int meta_of_host(const struct recorder_options *opts, uint8_t **ret_bytes, size_t *ret_len)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);

	if (!out)
		return -ENOMEM;
	add_pair(out, CAPFILE_META_TOOL, "%s", opts->tool ?: "");
	add_pair(out, CAPFILE_META_COMMAND, "%s", opts->command ?: "");
	add_kernel(out, opts->symbols);
	add_pair(out, CAPFILE_META_CPUS, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	add_cpu(out);
	add_pair(out, CAPFILE_META_LBR_MODEL, "%s", opts->lbr->model);
	add_pair(out, CAPFILE_META_LBR_FORMAT, "%d", opts->lbr->format);
	add_pair(out, CAPFILE_META_LBR_DEPTH, "%u", opts->lbr->depth);
	add_pair(out, CAPFILE_META_LBR_FIELDS, "%u", opts->lbr->supported);
	add_pair(out, CAPFILE_META_FILTER, "%s", opts->filter ?: "");
	add_pair(out, CAPFILE_META_FILTERED, "%d", opts->filtered);
	add_pair(out, CAPFILE_META_PATH_OK, "%d", opts->path_ok);
	add_pair(out, CAPFILE_META_CLOCK, "realtime");
	add_pair(out, CAPFILE_META_START, "%" PRIu64, clock_ns(CLOCK_REALTIME));
	if (fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_bytes = (uint8_t *)bytes;
	*ret_len = len;
	return 0;
}

int meta_of_file(const struct capfile_meta *meta, const char *command, uint8_t **ret_bytes,
		 size_t *ret_len)
{
	const char *p = meta->text, *end = p + meta->len;
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);

	if (!out)
		return -ENOMEM;
	while (p < end) {
		const char *value = p + strlen(p) + 1;

		add_pair(out, p, "%s", strcmp(p, CAPFILE_META_COMMAND) ? value : command ?: "");
		p = value + strlen(value) + 1;
	}
	if (fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_bytes = (uint8_t *)bytes;
	*ret_len = len;
	return 0;
}

const char *meta_get(const struct capfile_meta *meta, const char *key)
{
	const char *p = meta->text, *end = p + meta->len;

	while (p < end) {
		const char *value = p + strlen(p) + 1;

		if (!strcmp(p, key))
			return value;
		p = value + strlen(value) + 1;
	}
	return "";
}

/* The whole text is a number of at most @max; @ret stays as it is if there is none. */
static bool parse_number(const struct capfile_meta *meta, const char *key, int64_t min, int64_t max,
			 int64_t *ret)
{
	const char *text = meta_get(meta, key);
	int64_t value;
	char *end;

	if (!*text)
		return true;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end || errno || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_address(const struct capfile_meta *meta, const char *key, uint64_t *ret)
{
	const char *text = meta_get(meta, key);
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 16);
	return !*end && !errno && *text != '-';
}

/* Names that are printed as they are: nothing that a terminal or a script takes for more. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text >= 0x7f)
			return false;
	return true;
}

/* Pairs, each string ended by its own NUL. */
static bool well_formed(const char *text, size_t len)
{
	size_t strings = 0;

	for (size_t i = 0; i < len; i++)
		strings += text[i] == '\0';
	return len && text[len - 1] == '\0' && strings % 2 == 0;
}

int meta_parse(const uint8_t *bytes, size_t len, struct capfile_meta *ret_meta)
{
	struct capfile_meta meta = {.len = len};
	int64_t format = -1, depth = 0, fields = 0, filtered = 0, path_ok = 0;
	const char *model;

	meta.text = malloc(len + 1);
	if (!meta.text)
		return -ENOMEM;
	memcpy(meta.text, bytes, len);
	meta.text[len] = '\0';
	if (!well_formed(meta.text, len))
		goto bad;
	model = meta_get(&meta, CAPFILE_META_LBR_MODEL);
	meta.filter = meta_get(&meta, CAPFILE_META_FILTER);
	meta.release = meta_get(&meta, CAPFILE_META_RELEASE);
	if (strlen(model) >= sizeof(meta.lbr.model) || !is_plain(model) || !is_plain(meta.filter) ||
	    !is_plain(meta.release) || strchr(meta.release, '/') ||
	    !parse_number(&meta, CAPFILE_META_LBR_FORMAT, -1, 63, &format) ||
	    !parse_number(&meta, CAPFILE_META_LBR_DEPTH, 0, BRANCHES_MAX, &depth) ||
	    !parse_number(&meta, CAPFILE_META_LBR_FIELDS, 0, UINT32_MAX, &fields) ||
	    !parse_number(&meta, CAPFILE_META_FILTERED, 0, 1, &filtered) ||
	    !parse_number(&meta, CAPFILE_META_PATH_OK, 0, 1, &path_ok) ||
	    !parse_address(&meta, CAPFILE_META_TEXT, &meta.text_addr) ||
	    !parse_address(&meta, CAPFILE_META_STEXT, &meta.stext) ||
	    !build_id_parse(meta_get(&meta, CAPFILE_META_BUILD_ID), &meta.build_id))
		goto bad;
	strcpy(meta.lbr.model, *model ? model : "unknown");
	meta.lbr.format = (int)format;
	meta.lbr.depth = (uint32_t)depth;
	meta.lbr.supported = (uint32_t)fields;
	meta.filtered = filtered;
	meta.path_ok = path_ok;
	*ret_meta = meta;
	return 0;
bad:
	free(meta.text);
	return -EBADMSG;
}

void meta_deinit(struct capfile_meta *meta)
{
	free(meta->text);
	*meta = (struct capfile_meta){0};
}

/*
 * Modules
 */

static void put_string(FILE *out, const char *text)
{
	uint16_t len = (uint16_t)strlen(text);

	fwrite(&len, 2, 1, out);
	fwrite(text, 1, len, out);
}

struct sections_out {
	FILE *out;
	uint16_t count;
};

static int put_section(const char *name, uint64_t addr, void *ctx)
{
	struct sections_out *put = ctx;

	if (strlen(name) > SECTION_NAME_MAX)
		return 0;
	put_string(put->out, name);
	fwrite(&addr, 8, 1, put->out);
	return ++put->count == META_SECTIONS_MAX;
}

int meta_module(uint16_t number, const char *name, uint8_t **ret_bytes, size_t *ret_len)
{
	_cleanup_free_ char *sections = NULL;
	char *bytes = NULL;
	size_t len = 0, sections_len = 0;
	struct sections_out put = {};
	struct build_id id;
	uint8_t id_len;
	FILE *out;

	out = open_memstream(&sections, &sections_len);
	if (!out)
		return -ENOMEM;
	put.out = out;
	module_sections_each(name, put_section, &put);
	if (fclose(out))
		return -ENOMEM;
	out = open_memstream(&bytes, &len);
	if (!out)
		return -ENOMEM;
	build_id_of_module(name, &id);
	id_len = (uint8_t)id.len;
	fwrite(&number, 2, 1, out);
	put_string(out, name);
	fwrite(&id_len, 1, 1, out);
	fwrite(id.bytes, 1, id_len, out);
	fwrite(&put.count, 2, 1, out);
	fwrite(sections, 1, sections_len, out);
	if (fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_bytes = (uint8_t *)bytes;
	*ret_len = len;
	return 0;
}

int meta_module_parse(const uint8_t *bytes, size_t len, struct capfile_module *ret_module)
{
	struct cursor cursor = {.at = bytes, .left = len};
	const uint8_t *id;

	ret_module->number = (uint32_t)cursor_number(&cursor, 2);
	cursor_string(&cursor, ret_module->name, sizeof(ret_module->name));
	ret_module->build_id.len = cursor_number(&cursor, 1);
	id = cursor_take(&cursor, ret_module->build_id.len);
	ret_module->section_count = (uint32_t)cursor_number(&cursor, 2);
	if (cursor.bad || !ret_module->number || !ret_module->name[0] ||
	    !is_plain(ret_module->name) || strchr(ret_module->name, '/') ||
	    ret_module->build_id.len > BUILD_ID_MAX ||
	    ret_module->section_count > META_SECTIONS_MAX)
		return -EBADMSG;
	memcpy(ret_module->build_id.bytes, id, ret_module->build_id.len);
	for (uint32_t i = 0; i < ret_module->section_count; i++) {
		struct capfile_section *section = &ret_module->sections[i];

		cursor_string(&cursor, section->name, sizeof(section->name));
		section->addr = cursor_number(&cursor, 8);
	}
	return cursor.bad ? -EBADMSG : 0;
}
