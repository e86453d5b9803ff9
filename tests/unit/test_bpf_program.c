// SPDX-License-Identifier: GPL-2.0
/* Which program bpf:PROGRAM means, and what is said where it means none. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <cmocka.h>

#include "target/kinds.h"

#define FUNC_ID 3

/** struct loaded - @btf: name of its function; NULL: it has no BTF; @kept: by the kernel */
struct loaded {
	uint32_t id;
	const char *btf;
	const char *kept;
};

/** struct kernel - @refuses: errno of each call; @opens: errno of an ID's; @crowded: IDs go on */
static struct kernel {
	const struct loaded *programs;
	size_t count;
	int refuses;
	int opens;
	bool crowded;
	int fd_of[8];
	int kept_fd;
} kernel;

static const struct loaded *loaded_of(uint32_t id)
{
	for (size_t i = 0; i < kernel.count; i++)
		if (kernel.programs[i].id == id)
			return &kernel.programs[i];
	return NULL;
}

int __wrap_bpf_prog_get_next_id(uint32_t start_id, uint32_t *next_id);
int __wrap_bpf_prog_get_fd_by_id(uint32_t id);
int __wrap_bpf_obj_get_info_by_fd(int fd, void *info, uint32_t *len);
struct btf *__wrap_btf__load_from_kernel_by_id(uint32_t id);
int __wrap_resolver_keep_fd(struct resolver *resolver, int fd);

int __wrap_bpf_prog_get_next_id(uint32_t start_id, uint32_t *next_id)
{
	errno = kernel.refuses ?: ENOENT;
	if (kernel.refuses)
		return -errno;
	for (size_t i = 0; i < kernel.count; i++)
		if (kernel.programs[i].id > start_id) {
			*next_id = kernel.programs[i].id;
			return 0;
		}
	if (!kernel.crowded)
		return -errno;
	*next_id = start_id + 1;
	return 0;
}

int __wrap_bpf_prog_get_fd_by_id(uint32_t id)
{
	const struct loaded *program = loaded_of(id);
	int fd;

	errno = kernel.refuses ?: kernel.opens ?: ENOENT;
	if (kernel.refuses || kernel.opens || !program)
		return -errno;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	kernel.fd_of[program - kernel.programs] = fd;
	return fd;
}

/* Of the kernel's answer what is asked for: entry and type of the first function. */
int __wrap_bpf_obj_get_info_by_fd(int fd, void *buf, uint32_t *len)
{
	struct bpf_prog_info *info = buf;
	struct bpf_func_info *func = (void *)(uintptr_t)info->func_info;
	size_t i = 0;

	assert_int_equal(*len, sizeof(*info));
	while (i < kernel.count && kernel.fd_of[i] != fd)
		i++;
	assert_true(i < kernel.count);
	info->id = kernel.programs[i].id;
	info->btf_id = kernel.programs[i].btf ? info->id : 0;
	info->jited_prog_len = 1;
	snprintf(info->name, sizeof(info->name), "%s", kernel.programs[i].kept);
	func->type_id = FUNC_ID;
	*(uint64_t *)(uintptr_t)info->jited_ksyms = 0xffffffffc0000000 + info->id;
	*(uint32_t *)(uintptr_t)info->jited_func_lens = 40;
	kernel.fd_of[i] = -1;
	return 0;
}

struct btf *__wrap_btf__load_from_kernel_by_id(uint32_t id)
{
	struct btf *btf = btf__new_empty();

	assert_int_equal(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	assert_int_equal(btf__add_func_proto(btf, 1), 2);
	assert_int_equal(btf__add_func(btf, loaded_of(id)->btf, BTF_FUNC_STATIC, 2), FUNC_ID);
	return btf;
}

int __wrap_resolver_keep_fd(struct resolver *resolver, int fd)
{
	(void)resolver;
	kernel.kept_fd = fd;
	return 0;
}

static int add(const char *name, struct probe_list *list, struct errmsg *msg)
{
	char text[64];
	struct target_spec spec = {.text = text, .kind = TRIGGER_FEXIT};
	int err;

	*msg = (struct errmsg){};
	kernel.kept_fd = -1;
	snprintf(text, sizeof(text), "bpf:%s", name);
	assert_int_equal(bpf_program_parse(name, &spec, msg), 0);
	err = bpf_program_add(NULL, &spec, list, msg);
	target_spec_deinit(&spec);
	if (kernel.kept_fd >= 0)
		close(kernel.kept_fd);
	return err;
}

/* The program of @id, and its function, are what the probe stands on. */
static void means(const char *name, uint32_t id)
{
	struct probe_list list = {};
	struct errmsg msg;

	assert_int_equal(add(name, &list, &msg), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].trigger.addr, 0xffffffffc0000000 + id);
	assert_int_equal(list.items[0].trigger.func_size, 40);
	assert_int_equal(list.items[0].btf_id, FUNC_ID);
	assert_int_equal(list.items[0].btf_fd, kernel.kept_fd);
	assert_int_equal(list.items[0].ret, RETURN_S32);
	assert_string_equal(list.items[0].trigger.function, loaded_of(id)->btf);
	probe_list_deinit(&list);
}

static void is_refused(const char *name, int err, const char *why)
{
	struct probe_list list = {};
	struct errmsg msg;

	assert_int_equal(add(name, &list, &msg), err);
	assert_int_equal(list.count, 0);
	if (!strstr(msg.text, why))
		fail_msg("'%s' is said, not '%s'", msg.text, why);
	probe_list_deinit(&list);
}

static void loads(const struct loaded *programs, size_t count)
{
	kernel = (struct kernel){.programs = programs, .count = count};
}

static void bpf_program_add_name_means_function_or_kept_name(void **state)
{
	static const struct loaded programs[] = {
		{3, "denies_short_packets", "denies_short_pa"},
		{5, "handler", "other"},
		{9, NULL, "plain"},
	};

	(void)state;
	loads(programs, 3);
	means("denies_short_packets", 3);
	means("denies_short_pa", 3);
	means("handler", 5);
	means("other", 5);
	means("5", 5);
	is_refused("plain", -EINVAL, "'bpf:plain': BPF program 9: it has no BTF");
	is_refused("handlr", -ENOENT, "did you mean handler?");
	is_refused("0", -ENOENT, "'bpf:0': no such BPF program is loaded");
	is_refused("4", -ENOENT, "'bpf:4': no such BPF program is loaded");
}

/* BPF_OBJ_NAME_LEN of include/uapi/linux/bpf.h: the kernel keeps 15 bytes. */
static void bpf_program_add_whole_name_wins_over_a_cut_one(void **state)
{
	static const struct loaded programs[] = {
		{1, "fifteen_bytes_x_and_more", "fifteen_bytes_x"},
		{2, "fifteen_bytes_x", "fifteen_bytes_x"},
		{3, "fifteen_bytes_x_too", "fifteen_bytes_x"},
	};

	(void)state;
	loads(programs, 3);
	means("fifteen_bytes_x", 2);
	means("fifteen_bytes_x_too", 3);
	loads(programs, 1);
	means("fifteen_bytes_x", 1);
}

static void bpf_program_add_namesakes_are_told_by_id(void **state)
{
	static const struct loaded programs[] = {
		{1, "fifteen_bytes_x_and_more", "fifteen_bytes_x"},
		{3, "fifteen_bytes_x_too", "fifteen_bytes_x"},
		{4, "short", "short"},
		{7, "another", "short"}, /* not cut: it has this name */
	};

	(void)state;
	loads(programs, 4);
	is_refused("fifteen_bytes_x", -EINVAL,
		   "2 BPF programs have this name; by their IDs they are bpf:1, bpf:3");
	is_refused("short", -EINVAL, "they are bpf:4, bpf:7");
	means("7", 7);
}

static void bpf_program_add_too_many_says_so(void **state)
{
	static const struct loaded program = {2, "deny", "deny"};

	(void)state;
	loads(&program, 1);
	kernel.crowded = true;
	is_refused("deny", -E2BIG, "'bpf:deny': more than 16384 BPF programs are loaded");
	means("2", 2);
}

static void bpf_program_add_refusal_names_the_target(void **state)
{
	static const struct loaded program = {2, "deny", "deny"};

	(void)state;
	loads(&program, 1);
	kernel.refuses = EPERM;
	is_refused("deny", -EPERM, "'bpf:deny': ");
	is_refused("2", -EPERM, "CAP_SYS_ADMIN");
	kernel.refuses = 0;
	kernel.opens = EMFILE;
	is_refused("2", -EMFILE, "'bpf:2': ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_program_add_name_means_function_or_kept_name),
		cmocka_unit_test(bpf_program_add_whole_name_wins_over_a_cut_one),
		cmocka_unit_test(bpf_program_add_namesakes_are_told_by_id),
		cmocka_unit_test(bpf_program_add_too_many_says_so),
		cmocka_unit_test(bpf_program_add_refusal_names_the_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
