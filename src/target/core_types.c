// SPDX-License-Identifier: GPL-2.0
#include "target/core_types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/file/new_file.h"
#include "util/fnv.h"
#include "util/hash_table.h"
#include "util/vector.h"

/* struct name - not terminated: "task_struct" of "task_struct___old", as libbpf takes it */
struct name {
	const char *text;
	size_t len;
};

/**
 * struct copy - @from to @to
 * @number: by a type's number in @from that in @to, 0: it is not taken
 * @taken: by its number in @to, less one, that in @from
 */
struct copy {
	const struct btf *from;
	struct btf *to;
	uint32_t *number;
	uint32_t *taken;
	size_t count;
};

static struct name name_of(const struct btf *btf, const struct btf_type *type)
{
	const char *text = btf__name_by_offset(btf, type->name_off), *flavor = strstr(text, "___");

	return (struct name){.text = text, .len = flavor ? (size_t)(flavor - text) : strlen(text)};
}

static uint32_t hash_of(const struct name *name)
{
	return hash_number(fnv(FNV_START, name->text, name->len));
}

static bool same_name(const void *element, const void *key)
{
	const struct name *a = element, *b = key;

	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

static bool is_named(const struct btf_type *type)
{
	return type->name_off && (btf_is_composite(type) || btf_is_any_enum(type));
}

static int read_names(const struct btf *object, struct hash_table *names)
{
	for (uint32_t id = 1; id < btf__type_cnt(object); id++) {
		const struct btf_type *type = btf__type_by_id(object, id);
		struct name name;
		uint32_t hash;

		if (!is_named(type))
			continue;
		name = name_of(object, type);
		hash = hash_of(&name);
		if (!hash_table_find(names, sizeof(name), hash, same_name, &name) &&
		    !hash_table_add(names, sizeof(name), hash, &name))
			return -ENOMEM;
	}
	return 0;
}

static int take(struct copy *copy, uint32_t id)
{
	if (!id || copy->number[id])
		return 0;
	if (vector_grow(&copy->taken, copy->count, sizeof(*copy->taken)))
		return -ENOMEM;
	copy->taken[copy->count++] = id;
	copy->number[id] = (uint32_t)copy->count;
	return 0;
}

/* Those that the object has, by name. */
static int take_named(struct copy *copy, const struct hash_table *names)
{
	int err = 0;

	for (uint32_t id = 1; !err && id < btf__type_cnt(copy->from); id++) {
		const struct btf_type *type = btf__type_by_id(copy->from, id);
		struct name name;

		if (!is_named(type))
			continue;
		name = name_of(copy->from, type);
		if (hash_table_find(names, sizeof(name), hash_of(&name), same_name, &name))
			err = take(copy, id);
	}
	return err ?: copy->count ? 0 : -ENODATA;
}

typedef int type_fn(struct copy *copy, uint32_t *id);

/* For each type that lies in this one. */
static int visit_parts(struct copy *copy, struct btf_type *type, type_fn *visit)
{
	int err = 0;

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_PTR:
		return 0;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return visit(copy, &type->type);
	case BTF_KIND_ARRAY:
		return visit(copy, &btf_array(type)->type)
			       ?: visit(copy, &btf_array(type)->index_type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (uint16_t i = 0; !err && i < btf_vlen(type); i++)
			err = visit(copy, &btf_members(type)[i].type);
		return err;
	default:
		return -EOPNOTSUPP;
	}
}

static int take_part(struct copy *copy, uint32_t *id)
{
	return take(copy, *id);
}

static int renumber(struct copy *copy, uint32_t *id)
{
	*id = copy->number[*id];
	return 0;
}

static int add_types(struct copy *copy)
{
	for (size_t i = 0; i < copy->count; i++) {
		const struct btf_type *type = btf__type_by_id(copy->from, copy->taken[i]);
		int id = btf__add_type(copy->to, copy->from, type);
		struct btf_type *added;

		if (id < 0)
			return id;
		added = (struct btf_type *)btf__type_by_id(copy->to, (uint32_t)id);
		if (btf_is_ptr(added))
			added->type = 0; /* void */
		else if (visit_parts(copy, added, renumber))
			return -EOPNOTSUPP;
	}
	return 0;
}

static int write_types(const struct btf *btf, int fd)
{
	uint32_t size = 0;
	const void *data = btf__raw_data(btf, &size);

	return data ? write_all(fd, data, size) : -ENOMEM;
}

int core_types_write(const struct btf *kernel, const struct btf *object, int fd)
{
	struct copy copy = {.from = kernel, .to = btf__new_empty()};
	struct hash_table names = {};
	int err = 0;

	copy.number = calloc(btf__type_cnt(kernel), sizeof(*copy.number));
	if (!copy.to || !copy.number)
		err = -ENOMEM;
	err = err ?: read_names(object, &names);
	err = err ?: take_named(&copy, &names);
	/* What is taken on the way comes behind. */
	for (size_t i = 0; !err && i < copy.count; i++)
		err = visit_parts(&copy, (struct btf_type *)btf__type_by_id(kernel, copy.taken[i]),
				  take_part);
	err = err ?: add_types(&copy);
	err = err ?: write_types(copy.to, fd);
	hash_table_deinit(&names);
	btf__free(copy.to);
	free(copy.number);
	free(copy.taken);
	return err;
}
