// SPDX-License-Identifier: GPL-2.0
#include "flight/header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/cursor.h"

#define STRING_MAX  4096
#define TARGETS_MAX 65536u
#define SYMBOLS_MAX 65536u

static void put(FILE *out, uint64_t value, size_t bytes)
{
	fwrite(&value, bytes, 1, out);
}

static void put_string(FILE *out, const char *text)
{
	size_t len = strnlen(text ?: "", STRING_MAX - 1);

	put(out, len, 2);
	fwrite(text ?: "", 1, len, out);
}

static struct flight_fixed fixed_of(const struct flight_header *header)
{
	struct flight_fixed fixed = {
		.start_ns = header->start_ns,
		.mono_to_real_ns = header->mono_to_real_ns,
		.stext = header->stext,
		.flags = (header->filtered ? FLIGHT_FILTERED : 0) |
			 (header->path_ok ? FLIGHT_PATH_OK : 0),
		.lbr_depth = header->lbr.depth,
		.lbr_supported = header->lbr.supported,
		.lbr_format = header->lbr.format,
		.targets = header->target_count,
		.symbols = header->symbol_count,
		.build_id_bytes = header->build_id_len,
	};

	memcpy(fixed.lbr_model, header->lbr.model, sizeof(fixed.lbr_model));
	memcpy(fixed.filter, header->filter, sizeof(fixed.filter));
	memcpy(fixed.release, header->release, sizeof(fixed.release));
	memcpy(fixed.build_id, header->build_id, sizeof(fixed.build_id));
	return fixed;
}

int flight_header_encode(const struct flight_header *header, uint8_t **ret_bytes, size_t *ret_len)
{
	struct flight_fixed fixed = fixed_of(header);
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);

	if (!out)
		return -ENOMEM;
	fwrite(&fixed, sizeof(fixed), 1, out);
	for (size_t i = 0; i < header->target_count; i++) {
		const struct flight_target *target = &header->targets[i];

		put(out, target->trigger.kind, 4);
		put(out, target->ret, 4);
		put(out, target->retval_kinds, 4);
		put(out, target->trigger.addr, 8);
		put(out, target->trigger.func_addr, 8);
		put(out, target->trigger.func_size, 8);
		put_string(out, target->trigger.target);
		put_string(out, target->trigger.function);
		put_string(out, target->trigger.module);
	}
	for (size_t i = 0; i < header->symbol_count; i++) {
		put(out, header->symbols[i].addr, 8);
		put(out, header->symbols[i].size, 4);
		put_string(out, header->symbols[i].name);
	}
	if (fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_bytes = (uint8_t *)bytes;
	*ret_len = len;
	return 0;
}

/* NULL if it is bad, or there is no memory. */
static char *take_string(struct cursor *cursor)
{
	char text[STRING_MAX];

	cursor_string(cursor, text, sizeof(text));
	return cursor->bad ? NULL : strdup(text);
}

static int take_target(struct cursor *cursor, struct flight_target *target)
{
	uint64_t kind = cursor_number(cursor, 4), ret = cursor_number(cursor, 4);

	target->retval_kinds = (uint32_t)cursor_number(cursor, 4);
	if (kind >= TRIGGER_KIND_COUNT || ret > RETURN_S64)
		return -EBADMSG;
	target->trigger.kind = (enum trigger_kind)kind;
	target->ret = (enum return_class)ret;
	target->trigger.addr = cursor_number(cursor, 8);
	target->trigger.func_addr = cursor_number(cursor, 8);
	target->trigger.func_size = cursor_number(cursor, 8);
	target->trigger.target = take_string(cursor);
	target->trigger.function = take_string(cursor);
	target->trigger.module = take_string(cursor);
	if (cursor->bad)
		return -EBADMSG;
	return target->trigger.target && target->trigger.function && target->trigger.module
		       ? 0
		       : -ENOMEM;
}

static int take_lists(struct cursor *cursor, const struct flight_fixed *fixed,
		      struct flight_header *header)
{
	header->targets = calloc(fixed->targets + 1, sizeof(*header->targets));
	header->symbols = calloc(fixed->symbols + 1, sizeof(*header->symbols));
	if (!header->targets || !header->symbols)
		return -ENOMEM;
	for (uint32_t i = 0; i < fixed->targets; i++) {
		int err = take_target(cursor, &header->targets[header->target_count++]);

		if (err)
			return err;
	}
	for (uint32_t i = 0; i < fixed->symbols; i++) {
		struct flight_symbol *sym = &header->symbols[header->symbol_count++];

		sym->addr = cursor_number(cursor, 8);
		sym->size = cursor_number(cursor, 4);
		sym->name = take_string(cursor);
		if (!sym->name)
			return cursor->bad ? -EBADMSG : -ENOMEM;
	}
	return 0;
}

static void copy_text(char *to, const char *from, size_t bytes)
{
	memcpy(to, from, bytes);
	to[bytes - 1] = '\0';
}

int flight_header_decode(const void *bytes, size_t len, struct flight_header *ret_header)
{
	struct cursor cursor = {.at = bytes, .left = len};
	const uint8_t *at = cursor_take(&cursor, sizeof(struct flight_fixed));
	struct flight_header header = {};
	struct flight_fixed fixed;
	int err;

	if (!at)
		return -EBADMSG;
	memcpy(&fixed, at, sizeof(fixed));
	/* A target takes 42 bytes at least, a symbol 14. */
	if (fixed.targets > TARGETS_MAX || fixed.targets > len / 42 ||
	    fixed.symbols > SYMBOLS_MAX || fixed.symbols > len / 14 ||
	    fixed.build_id_bytes > sizeof(fixed.build_id))
		return -EBADMSG;
	header.start_ns = fixed.start_ns;
	header.mono_to_real_ns = fixed.mono_to_real_ns;
	header.stext = fixed.stext;
	header.filtered = fixed.flags & FLIGHT_FILTERED;
	header.path_ok = fixed.flags & FLIGHT_PATH_OK;
	header.lbr.depth = fixed.lbr_depth;
	header.lbr.supported = fixed.lbr_supported;
	header.lbr.format = fixed.lbr_format;
	header.build_id_len = fixed.build_id_bytes;
	copy_text(header.lbr.model, fixed.lbr_model, sizeof(header.lbr.model));
	copy_text(header.filter, fixed.filter, sizeof(header.filter));
	copy_text(header.release, fixed.release, sizeof(header.release));
	memcpy(header.build_id, fixed.build_id, sizeof(header.build_id));
	err = take_lists(&cursor, &fixed, &header);
	if (err) {
		flight_header_deinit(&header);
		return err;
	}
	*ret_header = header;
	return 0;
}

void flight_header_deinit(struct flight_header *header)
{
	for (size_t i = 0; i < header->target_count; i++) {
		free(header->targets[i].trigger.target);
		free(header->targets[i].trigger.function);
		free(header->targets[i].trigger.module);
	}
	for (size_t i = 0; i < header->symbol_count; i++)
		free(header->symbols[i].name);
	free(header->targets);
	free(header->symbols);
	*header = (struct flight_header){};
}
