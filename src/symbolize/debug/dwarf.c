// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/dwarf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "symbolize/debug/debugfile.h"
#include "symbolize/text/module_sections.h"
#include "symbolize/debug/debugimage.h"
#include "symbolize/debug/lineplace.h"
#include "symbolize/symbolize.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/hash_table.h"

#define SECOND_NS    1000000000u
#define OBJECTS_MAX  4096
#define SECTIONS_MAX 1024
/* Chains remembered; a chain takes about 100 bytes. All are forgotten when it is full. */
#define CHAINS_MAX (1u << 18)

/** struct placed_section - where lines_place_section() said it is */
struct placed_section {
	char *name;
	uint64_t addr;
};

/**
 * struct lines_object - the kernel, or a module
 * @name: "" for the kernel
 * @id: build ID that its addresses are of; empty if unknown
 * @image: NULL until the first lookup
 * @failed: there is no debug info
 * @placed_by_caller: by lines_set_module() or lines_set_file(): not looked up in /sys
 * @file: of a user program, or NULL
 * @bias: of such a one
 * @sections: of such a module
 * @text_addr: of .text, when it was last placed
 * @checked_ns: when it was last looked whether it has moved
 */
struct lines_object {
	char *name;
	struct build_id id;
	struct debugimage *image;
	bool failed;
	bool placed_by_caller;
	char *file;
	uint64_t bias;
	struct placed_section *sections;
	size_t section_count;
	uint64_t text_addr;
	uint64_t checked_ns;
};

/** struct chain - of functions inlined at an address: @count from @first on in frames */
struct chain {
	uint64_t relative;
	uint32_t object;
	uint32_t first;
	uint32_t count;
};

/**
 * struct lines - all debug information of one kernel
 * @live: it is the running kernel: modules are where /sys/module says
 * @chains: of struct chain, by object and address in its file, which no KASLR moves
 */
struct lines {
	char *debug_dir;
	char *release;
	char *vmlinux;
	const struct symbols *symbols;
	struct lines_pool *pool;
	uint64_t stext;
	bool live;
	struct lines_object *objects;
	size_t object_count;
	size_t last_object;
	struct hash_table chains;
	struct srcline *frames;
	size_t frame_count;
	size_t frame_room;
};

static struct lines_object *add_object(struct lines *lines, const char *name)
{
	struct lines_object *objects;

	if (lines->object_count >= OBJECTS_MAX)
		return NULL;
	objects = realloc(lines->objects, (lines->object_count + 1) * sizeof(*objects));
	if (!objects)
		return NULL;
	lines->objects = objects;
	objects[lines->object_count] = (struct lines_object){.name = strdup(name)};
	if (!objects[lines->object_count].name)
		return NULL;
	lines->last_object = lines->object_count;
	return &objects[lines->object_count++];
}

/* Names are few, and mostly the same as before. */
static struct lines_object *find_object(struct lines *lines, const char *name)
{
	if (strcmp(lines->objects[lines->last_object].name, name) == 0)
		return &lines->objects[lines->last_object];
	for (size_t i = 0; i < lines->object_count; i++) {
		if (strcmp(lines->objects[i].name, name) == 0) {
			lines->last_object = i;
			return &lines->objects[i];
		}
	}
	return NULL;
}

/* Which kernel's addresses these are, and whether it is the one that runs here. */
static void identify_kernel(struct lines *lines, const struct lines_options *opts,
			    const char *running_release)
{
	struct lines_object *kernel = &lines->objects[0];
	struct build_id running;

	build_id_of_kernel(&running);
	if (opts->build_id && opts->build_id_len && opts->build_id_len <= BUILD_ID_MAX) {
		memcpy(kernel->id.bytes, opts->build_id, opts->build_id_len);
		kernel->id.len = opts->build_id_len;
		lines->live = running.len && !build_id_differ(&running, &kernel->id);
	} else {
		lines->live = strcmp(lines->release, running_release) == 0;
		if (lines->live)
			kernel->id = running;
	}
}

static int find_kernel(struct lines *lines, const struct lines_options *opts)
{
	const struct build_id *id = &lines->objects[0].id;
	int err;

	if (!opts->vmlinux)
		return debugfile_find_kernel(opts->debug_dir, lines->release, id, &lines->vmlinux);
	err = debugfile_check(opts->vmlinux, id);
	if (err)
		return err;
	lines->vmlinux = strdup(opts->vmlinux);
	return lines->vmlinux ? 0 : -ENOMEM;
}

int lines_open(const struct lines_options *opts, struct lines **ret_lines)
{
	struct lines *lines = calloc(1, sizeof(*lines));
	struct utsname uts;
	int err = -ENOMEM;

	if (!lines)
		return -ENOMEM;
	if (uname(&uts))
		strcpy(uts.release, "unknown");
	lines->release = strdup(opts->release && opts->release[0] ? opts->release : uts.release);
	lines->debug_dir = opts->debug_dir ? strdup(opts->debug_dir) : NULL;
	lines->stext = opts->stext;
	lines->symbols = opts->symbols;
	lines->pool = opts->pool;
	if (lines->release && (!opts->debug_dir || lines->debug_dir) && add_object(lines, "")) {
		identify_kernel(lines, opts, uts.release);
		err = find_kernel(lines, opts);
		if (err == -ENOENT && opts->without_kernel && !opts->vmlinux) {
			lines->objects[0].failed = true;
			err = 0;
		}
	}
	if (err) {
		lines_close(lines);
		return err;
	}
	*ret_lines = lines;
	return 0;
}

const char *lines_mismatch(const struct lines_options *opts, char *buf, size_t len)
{
	struct build_id have = {0}, want = {0};
	char text[2][2 * BUILD_ID_MAX + 1], hint[300];

	if (opts->build_id && opts->build_id_len <= BUILD_ID_MAX) {
		memcpy(want.bytes, opts->build_id, opts->build_id_len);
		want.len = opts->build_id_len;
	} else {
		build_id_of_kernel(&want);
	}
	if (opts->vmlinux)
		build_id_of_file(opts->vmlinux, &have);
	/* Of a capture: that kernel is another machine's, as may be its distribution. */
	if (opts->release)
		snprintf(hint, sizeof(hint), "that of Linux %s is wanted", opts->release);
	else
		lines_hint(hint, sizeof(hint));
	snprintf(buf, len,
		 "its build ID is %s, that of the kernel traced is %s: it is the debug information "
		 "of "
		 "another kernel; %s",
		 build_id_text(&have, text[0]), build_id_text(&want, text[1]), hint);
	return buf;
}

static void forget_sections(struct lines_object *object)
{
	for (size_t i = 0; i < object->section_count; i++)
		free(object->sections[i].name);
	free(object->sections);
	object->sections = NULL;
	object->section_count = 0;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->object_count; i++) {
		debugimage_close(lines->objects[i].image);
		forget_sections(&lines->objects[i]);
		free(lines->objects[i].name);
		free(lines->objects[i].file);
	}
	free(lines->objects);
	hash_table_deinit(&lines->chains);
	free(lines->frames);
	free(lines->vmlinux);
	free(lines->debug_dir);
	free(lines->release);
	free(lines);
}

static int place_section(const char *name, uint64_t addr, void *image)
{
	debugimage_place_section(image, name, addr);
	return 0;
}

static void place_live_module(struct lines_object *object)
{
	debugimage_unplace(object->image);
	module_sections_each(object->name, place_section, object->image);
}

/* A module can be unloaded, and loaded again at another address: look once a second. */
static void follow_module(struct lines_object *object)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), text_addr;

	if (object->checked_ns && now - object->checked_ns < SECOND_NS)
		return;
	object->checked_ns = now;
	text_addr = module_section_addr(object->name, ".text");
	if (text_addr != object->text_addr) {
		object->text_addr = text_addr;
		place_live_module(object);
	}
}

static int open_module(struct lines *lines, struct lines_object *object)
{
	_cleanup_free_ char *path = NULL;
	int err;

	if (object->file)
		return debugimage_open(lines->pool, object->file, &object->image);
	if (lines->live && !object->placed_by_caller)
		build_id_of_module(object->name, &object->id);
	err = debugfile_find_module(lines->debug_dir, lines->release, object->name, &object->id,
				    &path);
	if (err == 0)
		err = debugimage_open(lines->pool, path, &object->image);
	return err;
}

static int open_kernel(struct lines *lines, struct lines_object *object)
{
	int err = debugimage_open(lines->pool, lines->vmlinux, &object->image);

	if (err)
		return err;
	if (!lines->stext && lines->live && lines->symbols)
		lines->stext = symbols_single(lines->symbols, SYMBOLS_STEXT);
	debugimage_place_kernel(object->image, lines->stext);
	return 0;
}

/* Read the object's file, if that was not done; is there anything to look up in it? */
static bool object_ready(struct lines *lines, struct lines_object *object)
{
	int err;

	if (object->failed)
		return false;
	if (!object->image) {
		err = object->name[0] ? open_module(lines, object) : open_kernel(lines, object);
		if (err) {
			object->failed = true;
			return false;
		}
		for (size_t i = 0; i < object->section_count; i++)
			debugimage_place_section(object->image, object->sections[i].name,
						 object->sections[i].addr);
		if (object->file)
			debugimage_place_bias(object->image, object->bias);
	}
	if (object->name[0] && !object->placed_by_caller) {
		if (!lines->live)
			return false;
		follow_module(object);
	}
	return true;
}

int lines_set_module(struct lines *lines, const char *module, const uint8_t *build_id,
		     size_t build_id_len)
{
	struct lines_object *object = find_object(lines, module);

	if (!object && lines->object_count == OBJECTS_MAX)
		return -E2BIG;
	if (!object)
		object = add_object(lines, module);
	if (!object)
		return -ENOMEM;
	if (object->image) {
		/* What was handed out points into it: it is kept under no name. */
		struct lines_object *kept = add_object(lines, "/");

		if (!kept)
			return -ENOMEM;
		object = find_object(lines, module);
		kept->image = object->image;
		object->image = NULL;
	}
	object->failed = false;
	object->placed_by_caller = true;
	forget_sections(object);
	object->id = (struct build_id){0};
	if (build_id && build_id_len <= BUILD_ID_MAX) {
		memcpy(object->id.bytes, build_id, build_id_len);
		object->id.len = build_id_len;
	}
	hash_table_deinit(&lines->chains);
	lines->frame_count = 0;
	return 0;
}

int lines_place_section(struct lines *lines, const char *module, const char *section, uint64_t addr)
{
	struct lines_object *object = find_object(lines, module);
	struct placed_section *sections;

	if (!object || !object->placed_by_caller)
		return -ENOENT;
	if (object->section_count >= SECTIONS_MAX)
		return -E2BIG;
	sections = reallocarray(object->sections, object->section_count + 1, sizeof(*sections));
	if (!sections)
		return -ENOMEM;
	object->sections = sections;
	sections[object->section_count] = (struct placed_section){strdup(section), addr};
	if (!sections[object->section_count].name)
		return -ENOMEM;
	object->section_count++;
	if (object->image)
		debugimage_place_section(object->image, section, addr);
	return 0;
}

int lines_set_file(struct lines *lines, const char *module, const char *path, uint64_t bias)
{
	struct lines_object *object = find_object(lines, module);

	if (!object) {
		if (lines->object_count == OBJECTS_MAX)
			return -E2BIG;
		object = add_object(lines, module);
		if (!object)
			return -ENOMEM;
		object->file = strdup(path);
		if (!object->file)
			return -ENOMEM;
		object->placed_by_caller = true;
	}
	if (object->image && object->bias != bias)
		debugimage_place_bias(object->image, bias);
	object->bias = bias;
	return 0;
}

static bool is_chain(const void *element, const void *key)
{
	const struct chain *chain = element, *wanted = key;

	return chain->relative == wanted->relative && chain->object == wanted->object;
}

/* Room for one more chain in frames; all are forgotten when there are too many. */
static bool grow_frames(struct lines *lines)
{
	size_t more = lines->frame_room ? lines->frame_room * 2 : 16384;
	struct srcline *frames;

	if (lines->frame_count + INLINE_DEPTH_MAX > lines->frame_room) {
		frames = realloc(lines->frames, more * sizeof(*frames));
		if (!frames)
			return false;
		lines->frames = frames;
		lines->frame_room = more;
	}
	if (lines->chains.count >= CHAINS_MAX) {
		hash_table_clear(&lines->chains);
		lines->frame_count = 0;
	}
	return true;
}

/* The chain of an address, kept or newly read; NULL if there is no memory. */
static const struct chain *get_chain(struct lines *lines, struct lines_object *object,
				     uint64_t relative)
{
	struct chain chain = {.relative = relative, .object = (uint32_t)(object - lines->objects)};
	uint32_t hash = hash_number(relative ^ (uint64_t)chain.object << 40);
	const struct chain *found =
		hash_table_find(&lines->chains, sizeof(chain), hash, is_chain, &chain);
	int count;

	if (found)
		return found;
	if (!grow_frames(lines))
		return NULL;
	count = debugimage_chain(object->image, relative, lines->frames + lines->frame_count,
				 INLINE_DEPTH_MAX);
	if (count < 0)
		return NULL;
	chain.first = (uint32_t)lines->frame_count;
	chain.count = (uint32_t)count;
	found = hash_table_add(&lines->chains, sizeof(chain), hash, &chain);
	if (found)
		lines->frame_count += (size_t)count;
	return found;
}

struct debugimage *lines_image(struct lines *lines, const char *module)
{
	struct lines_object *object = find_object(lines, module);

	if (!object && !module_is_generated(module))
		object = add_object(lines, module);
	return object && object_ready(lines, object) ? object->image : NULL;
}

int lines_places(struct lines *lines, const char *module, const char *file, int line,
		 struct line_places *ret_places)
{
	struct debugimage *image = lines_image(lines, module);

	return image ? debugimage_places(image, file, line, ret_places) : -ENODATA;
}

int lines_for_each_unit(struct lines *lines, const char *module, lines_file_fn *fn, void *ctx)
{
	struct debugimage *image = lines_image(lines, module);

	return image ? debugimage_for_each_unit(image, fn, ctx) : 0;
}

int lines_find(struct lines *lines, const char *module, uint64_t addr, bool is_return,
	       struct srcline *ret_chain, size_t max)
{
	struct lines_object *object = find_object(lines, module);
	const struct chain *chain;
	uint64_t relative;
	size_t count;

	if (!object) {
		if (module_is_generated(module) || lines->object_count == OBJECTS_MAX)
			return -ENOENT;
		object = add_object(lines, module);
	}
	if (!object)
		return -ENOMEM;
	if (is_return)
		addr--;
	if (!object_ready(lines, object) || debugimage_relative(object->image, addr, &relative))
		return -ENOENT;
	chain = get_chain(lines, object, relative);
	if (!chain)
		return -ENOMEM;
	count = chain->count < max ? chain->count : max;
	memcpy(ret_chain, lines->frames + chain->first, count * sizeof(*ret_chain));
	return count ? (int)count : -ENOENT;
}
