// SPDX-License-Identifier: GPL-2.0
/* The types that a BPF object's relocations look at, out of BTF that is made here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include "symbolize/btf_member.h"
#include "target/core_types.h"

/*
 * struct inner { u32 value; };
 * struct far { u32 value; };
 * struct task { struct far *far; const inner_t inner[3]; u32 flags:5; };	inner_t: struct
 * inner struct other { u32 value; }; enum state { RUNNING }; struct task { u32 of_another_file; };
 */
static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int u32, inner, far, pointer, alias, fixed, array;

	assert_non_null(btf);
	u32 = btf__add_int(btf, "unsigned int", 4, 0);
	inner = btf__add_struct(btf, "inner", 4);
	btf__add_field(btf, "value", u32, 0, 0);
	far = btf__add_struct(btf, "far", 4);
	btf__add_field(btf, "value", u32, 0, 0);
	pointer = btf__add_ptr(btf, far);
	/* What comes later than who uses it. */
	btf__add_struct(btf, "task", 24);
	btf__add_field(btf, "far", pointer, 0, 0);
	array = pointer + 5;
	btf__add_field(btf, "inner", array, 64, 0);
	btf__add_field(btf, "flags", u32, 160, 5);
	btf__add_struct(btf, "other", 4);
	btf__add_field(btf, "value", u32, 0, 0);
	alias = btf__add_typedef(btf, "inner_t", inner);
	fixed = btf__add_const(btf, alias);
	assert_int_equal(btf__add_array(btf, u32, fixed, 3), array);
	btf__add_enum(btf, "state", 4);
	btf__add_enum_value(btf, "RUNNING", 0);
	btf__add_struct(btf, "task", 4);
	btf__add_field(btf, "of_another_file", u32, 0, 0);
	return btf;
}

/* A program's own view: other members, and one for another kernel. */
static struct btf *make_object(const char *name)
{
	struct btf *btf = btf__new_empty();
	int u32;

	assert_non_null(btf);
	u32 = btf__add_int(btf, "unsigned int", 4, 0);
	btf__add_struct(btf, name, 4);
	btf__add_field(btf, "flags", u32, 0, 0);
	btf__add_struct(btf, "no_such_struct", 4);
	btf__add_field(btf, "flags", u32, 0, 0);
	btf__add_enum(btf, "state", 4);
	btf__add_enum_value(btf, "RUNNING", 0);
	return btf;
}

static struct btf *taken(const char *name, int *ret_err)
{
	struct btf *kernel = make_kernel(), *object = make_object(name), *found = NULL;
	int fd = memfd_create("types", MFD_CLOEXEC);
	char path[64];

	assert_true(fd >= 0);
	*ret_err = core_types_write(kernel, object, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!*ret_err) {
		found = btf__parse(path, NULL);
		assert_non_null(found);
	}
	close(fd);
	btf__free(object);
	btf__free(kernel);
	return found;
}

static unsigned int count_named(const struct btf *btf, const char *name)
{
	unsigned int count = 0;

	for (uint32_t id = 1; id < btf__type_cnt(btf); id++)
		count +=
			!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off), name);
	return count;
}

static void check_task(const struct btf *btf)
{
	const struct btf_type *task, *member;
	uint32_t at = 0;
	int id;

	/* Both of the name, for libbpf looks at each. */
	assert_int_equal(count_named(btf, "task"), 2);
	assert_int_equal(count_named(btf, "other"), 0);
	assert_int_equal(count_named(btf, "far"), 0);
	assert_int_equal(count_named(btf, "inner"), 1);
	assert_int_equal(btf_member_at(btf, "task", "far", &at), 0);
	assert_int_equal(at, 0);
	assert_int_equal(btf_member_at(btf, "task", "inner", &at), 0);
	assert_int_equal(at, 8);
	id = btf__find_by_name_kind(btf, "task", BTF_KIND_STRUCT);
	assert_true(id > 0);
	task = btf__type_by_id(btf, (uint32_t)id);
	assert_int_equal(task->size, 24);
	assert_int_equal(btf_vlen(task), 3);
	assert_int_equal(btf_member_bitfield_size(task, 2), 5);
	assert_int_equal(btf_member_bit_offset(task, 2), 160);
	/* A pointer is one, to nobody knows what. */
	member = btf__type_by_id(btf, btf_members(task)[0].type);
	assert_true(btf_is_ptr(member));
	assert_int_equal(member->type, 0);
	/* Through array, const and typedef: three times the struct of 4 bytes. */
	assert_int_equal(btf__resolve_size(btf, btf_members(task)[1].type), 12);
	member = btf__type_by_id(btf, btf_members(task)[1].type);
	assert_true(btf_is_array(member));
	id = btf__resolve_type(btf, btf_array(member)->type);
	assert_string_equal(btf__name_by_offset(btf, btf__type_by_id(btf, (uint32_t)id)->name_off),
			    "inner");
}

static void types_of_a_name_and_what_lies_in_them(void **state)
{
	struct btf *btf;
	int err;

	(void)state;
	btf = taken("task", &err);
	assert_int_equal(err, 0);
	check_task(btf);
	assert_int_equal(count_named(btf, "state"), 1);
	btf__free(btf);
}

static void types_of_a_flavor(void **state)
{
	struct btf *btf;
	int err;

	(void)state;
	btf = taken("task___before_6_2", &err);
	assert_int_equal(err, 0);
	check_task(btf);
	btf__free(btf);
}

static void types_that_are_not_there(void **state)
{
	struct btf *kernel = btf__new_empty(), *object = make_object("task");
	int fd = memfd_create("types", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(core_types_write(kernel, object, fd), -ENODATA);
	/* A member of a kind that has no place in a struct: all of them are to be read then. */
	assert_int_equal(btf__add_func_proto(kernel, 0), 1);
	btf__add_struct(kernel, "task", 4);
	btf__add_field(kernel, "f", 1, 0, 0);
	assert_int_equal(core_types_write(kernel, object, fd), -EOPNOTSUPP);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	btf__free(kernel);
	btf__free(object);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_a_name_and_what_lies_in_them),
		cmocka_unit_test(types_of_a_flavor),
		cmocka_unit_test(types_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
