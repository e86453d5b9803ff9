// SPDX-License-Identifier: GPL-2.0
#include "target/functions.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/vector.h"

struct module_btf {
	char name[64];
	struct btf *btf;
	int fd;
};

struct functions {
	struct btf *vmlinux;
	struct module_btf *modules;
	size_t module_count;
	bool modules_read;
};

int functions_open(struct functions **ret_funcs, struct errmsg *msg)
{
	struct functions *funcs = calloc(1, sizeof(*funcs));

	if (!funcs)
		return -ENOMEM;
	funcs->vmlinux = btf__load_vmlinux_btf();
	if (!funcs->vmlinux) {
		int err = -errno;

		free(funcs);
		/* libbpf: there is none, nor an image in /boot that has it */
		if (err == -ESRCH)
			err = -ENOENT;
		return errmsg_set(msg, err == -ENOMEM ? err : -ENOENT,
				  "this kernel describes no types (/sys/kernel/btf/vmlinux: %s); "
				  "lbrsnoop needs one built with CONFIG_DEBUG_INFO_BTF=y, as "
				  "distributions build them",
				  strerror(-err));
	}
	*ret_funcs = funcs;
	return 0;
}

void functions_forget(struct functions *funcs)
{
	for (size_t i = 0; i < funcs->module_count; i++) {
		btf__free(funcs->modules[i].btf);
		funcs->modules[i].btf = NULL;
	}
	btf__free(funcs->vmlinux);
	funcs->vmlinux = NULL;
}

void functions_close(struct functions *funcs)
{
	if (!funcs)
		return;
	functions_forget(funcs);
	for (size_t i = 0; i < funcs->module_count; i++)
		close(funcs->modules[i].fd);
	free(funcs->modules);
	free(funcs);
}

const struct btf *functions_btf(const struct functions *funcs)
{
	return funcs->vmlinux;
}

/* Takes over @fd if it is the BTF of a module. */
static bool add_module(struct functions *funcs, int fd, uint32_t id)
{
	struct module_btf mod = {.fd = fd};
	struct bpf_btf_info info = {.name = (uintptr_t)mod.name, .name_len = sizeof(mod.name)};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.kernel_btf)
		return false;
	if (!strcmp(mod.name, "vmlinux"))
		return false;
	if (vector_grow(&funcs->modules, funcs->module_count, sizeof(mod)))
		return false;
	mod.btf = btf__load_from_kernel_by_id_split(id, funcs->vmlinux);
	if (!mod.btf)
		return false;
	funcs->modules[funcs->module_count++] = mod;
	return true;
}

static void read_modules(struct functions *funcs)
{
	uint32_t id = 0;

	if (funcs->modules_read)
		return;
	funcs->modules_read = true;
	while (!bpf_btf_get_next_id(id, &id)) {
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd >= 0 && !add_module(funcs, fd, id))
			close(fd);
	}
}

static const struct btf_type *skip_modifiers(const struct btf *btf, const struct btf_type *type)
{
	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

static enum return_class classify(const struct btf *btf, const struct btf_type *func,
				  const char **ret_text)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_type *type;

	*ret_text = "void";
	if (!proto || !btf_is_func_proto(proto) || !proto->type)
		return RETURN_NONE;
	type = btf__type_by_id(btf, proto->type);
	*ret_text = type && type->name_off ? btf__name_by_offset(btf, type->name_off) : "";
	type = skip_modifiers(btf, type);
	if (!type)
		return RETURN_NONE;
	if (btf_is_ptr(type)) {
		*ret_text = "pointer";
		return RETURN_S64;
	}
	if (btf_is_any_enum(type))
		return type->size == 8 ? RETURN_S64 : RETURN_S32;
	if (!btf_is_int(type)) {
		*ret_text = "a structure";
		return RETURN_NONE;
	}
	if (btf_int_encoding(type) & BTF_INT_BOOL)
		return RETURN_NONE;
	if (type->size == 8)
		return RETURN_S64;
	return type->size == 4 ? RETURN_S32 : RETURN_NONE;
}

/* What btf_distill_func_proto() of kernel/bpf/btf.c makes of it. */
static uint32_t count_words(const struct btf *btf, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type), *type;
	const struct btf_param *params;
	uint32_t words = 0;

	if (!proto || !btf_is_func_proto(proto))
		return FUNCTION_WORDS_NONE;
	type = proto->type ? skip_modifiers(btf, btf__type_by_id(btf, proto->type)) : NULL;
	if (proto->type && (!type || btf_is_composite(type)))
		return FUNCTION_WORDS_NONE;
	params = btf_params(proto);
	for (uint32_t i = 0; i < btf_vlen(proto); i++) {
		type = params[i].type ? skip_modifiers(btf, btf__type_by_id(btf, params[i].type))
				      : NULL;
		/* "..." has no type. */
		if (!type || (btf_is_composite(type) && type->size > 16))
			return FUNCTION_WORDS_NONE;
		words += btf_is_ptr(type) ? 1 : (type->size + 7) / 8;
	}
	return words;
}

/* False: of another kind, or without a name. */
static bool describe_parameter(const struct btf *btf, const struct btf_param *param,
			       struct parameter *ret)
{
	const char *name = btf__name_by_offset(btf, param->name_off);
	const struct btf_type *type =
		param->type ? skip_modifiers(btf, btf__type_by_id(btf, param->type)) : NULL;

	if (!name || !*name || !type)
		return false;
	ret->bytes = 8;
	ret->kind = ARGUMENT_POINTER;
	if (!btf_is_ptr(type)) {
		if ((!btf_is_int(type) && !btf_is_any_enum(type)) || type->size > 8)
			return false;
		ret->bytes = (uint8_t)type->size;
		ret->kind = ARGUMENT_UNSIGNED;
		if (btf_is_int(type) ? btf_int_encoding(type) & BTF_INT_SIGNED : btf_kflag(type))
			ret->kind = ARGUMENT_SIGNED;
	}
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	return true;
}

int functions_parameters(const struct function *func, struct parameter **ret, uint32_t *ret_count)
{
	struct parameter found[ARGUMENTS_MAX] = {};
	const struct btf_type *type = func->btf ? btf__type_by_id(func->btf, func->btf_id) : NULL;
	const struct btf_type *proto =
		type && btf_is_func(type) ? btf__type_by_id(func->btf, type->type) : NULL;
	uint32_t count = 0, word = 0;

	for (uint32_t i = 0; proto && btf_is_func_proto(proto) && i < btf_vlen(proto); i++) {
		const struct btf_param *param = &btf_params(proto)[i];
		const struct btf_type *is =
			param->type
				? skip_modifiers(func->btf, btf__type_by_id(func->btf, param->type))
				: NULL;

		if (!is || word >= ARGUMENTS_MAX)
			break;
		if (describe_parameter(func->btf, param, &found[count]))
			found[count++].word = (uint8_t)word;
		word += btf_is_ptr(is) ? 1 : (is->size + 7) / 8;
	}
	*ret = NULL;
	*ret_count = 0;
	if (!count)
		return 0;
	*ret = calloc(count, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, found, count * sizeof(**ret));
	*ret_count = count;
	return 0;
}

static void fill(const struct btf *btf, const char *module, int fd, uint32_t id,
		 const struct btf_type *type, struct function *ret_func)
{
	ret_func->name = btf__name_by_offset(btf, type->name_off);
	ret_func->module = module;
	ret_func->btf_id = id;
	ret_func->btf_fd = fd;
	ret_func->btf = btf;
	ret_func->ret = classify(btf, type, &ret_func->ret_text);
	ret_func->words = count_words(btf, type);
}

static int find_in(const struct btf *btf, const char *module, int fd, const char *name,
		   uint32_t start, struct function *ret_func)
{
	uint32_t count = btf__type_cnt(btf);

	for (uint32_t id = start; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (!btf_is_func(type))
			continue;
		if (strcmp(btf__name_by_offset(btf, type->name_off), name))
			continue;
		fill(btf, module, fd, id, type, ret_func);
		return 0;
	}
	return -ENOENT;
}

int functions_find(struct functions *funcs, const char *module, const char *name,
		   struct function *ret_func)
{
	uint32_t base = btf__type_cnt(funcs->vmlinux);

	if (!module || !*module) {
		if (!find_in(funcs->vmlinux, "", 0, name, 1, ret_func))
			return 0;
		if (module)
			return -ENOENT;
	}
	read_modules(funcs);
	for (size_t i = 0; i < funcs->module_count; i++) {
		struct module_btf *mod = &funcs->modules[i];

		if (module && strcmp(module, mod->name))
			continue;
		if (!find_in(mod->btf, mod->name, mod->fd, name, base, ret_func))
			return 0;
	}
	return -ENOENT;
}

static int visit_matches(const struct btf *btf, const char *module, int fd, uint32_t start,
			 const char *glob, functions_visit_fn *visit, void *ctx)
{
	uint32_t count = btf__type_cnt(btf);
	size_t fixed = strcspn(glob, "*?[\\");

	for (uint32_t id = start; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		struct function func;
		const char *name;
		int err;

		if (!btf_is_func(type))
			continue;
		name = btf__name_by_offset(btf, type->name_off);
		if (strncmp(name, glob, fixed) || fnmatch(glob, name, 0))
			continue;
		fill(btf, module, fd, id, type, &func);
		err = visit(&func, ctx);
		if (err)
			return err;
	}
	return 0;
}

int functions_for_each(struct functions *funcs, const char *module, const char *glob,
		       functions_visit_fn *visit, void *ctx)
{
	uint32_t base = btf__type_cnt(funcs->vmlinux);
	int err;

	if (!module || !*module) {
		err = visit_matches(funcs->vmlinux, "", 0, 1, glob, visit, ctx);
		if (err || module)
			return err;
	}
	read_modules(funcs);
	for (size_t i = 0; i < funcs->module_count; i++) {
		struct module_btf *mod = &funcs->modules[i];

		if (module && fnmatch(module, mod->name, 0))
			continue;
		err = visit_matches(mod->btf, mod->name, mod->fd, base, glob, visit, ctx);
		if (err)
			return err;
	}
	return 0;
}
