// SPDX-License-Identifier: GPL-2.0
/* bpf_program.c - bpf:PROGRAM: the return of a loaded BPF program, as of a function of the kernel
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/kinds.h"
#include "target/suggest.h"
#include "util/cleanup.h"

/* IDs are handed out upwards and freed: so many programs at most are looked at. */
#define PROGRAMS_MAX 16384
/* BTF names a function in at most KSYM_NAME_LEN - 1 bytes. */
#define NAME_BYTES	512
#define NAMESAKES_SHOWN 6

/**
 * struct program - a loaded BPF program
 * @name: its function's as BTF has it; without BTF what the kernel keeps, 15 bytes of it
 * @func_id: type of its entry function in its own BTF; 0: it has none
 * @ret: of that function
 * @addr, @size: of the entry function's machine code; 0 where that is hidden from us
 */
struct program {
	struct bpf_prog_info info;
	char name[NAME_BYTES];
	uint32_t func_id;
	enum return_class ret;
	uint64_t addr;
	uint32_t size;
};

static enum return_class class_of_return(const struct btf *btf, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);

	if (!proto || !btf_is_func_proto(proto))
		return RETURN_UNKNOWN;
	if (!proto->type)
		return RETURN_NONE;
	return btf__resolve_size(btf, proto->type) > 4 ? RETURN_S64 : RETURN_S32;
}

static void read_btf(struct program *program, uint32_t func_id)
{
	struct btf *btf = btf__load_from_kernel_by_id(program->info.btf_id);
	const struct btf_type *func = btf ? btf__type_by_id(btf, func_id) : NULL;
	const char *name =
		func && btf_is_func(func) ? btf__name_by_offset(btf, func->name_off) : "";

	if (*name) {
		snprintf(program->name, sizeof(program->name), "%s", name);
		program->func_id = func_id;
		program->ret = class_of_return(btf, func);
	}
	btf__free(btf);
}

/* The entry is the first function of each list. 0 or negative errno. */
static int read_program(int fd, struct program *ret)
{
	struct bpf_func_info func = {0};
	struct program program = {
		.info = {.nr_func_info = 1,
			 .func_info_rec_size = sizeof(func),
			 .func_info = (uintptr_t)&func,
			 .nr_jited_ksyms = 1,
			 .jited_ksyms = (uintptr_t)&ret->addr,
			 .nr_jited_func_lens = 1,
			 .jited_func_lens = (uintptr_t)&ret->size},
	};
	uint32_t len = sizeof(program.info);
	int err;

	ret->addr = ret->size = 0;
	err = bpf_obj_get_info_by_fd(fd, &program.info, &len);
	if (err)
		return err;
	program.addr = ret->addr;
	program.size = ret->size;
	snprintf(program.name, sizeof(program.name), "%s", program.info.name);
	if (program.info.btf_id && program.info.nr_func_info)
		read_btf(&program, func.type_id);
	*ret = program;
	return 0;
}

/** typedef program_fn - non-zero stops; @fd: of the program, closed afterwards */
typedef int program_fn(int fd, const struct program *program, void *ctx);

static int for_each_program(program_fn *visit, void *ctx)
{
	uint32_t id = 0;
	int stop = 0;

	for (int n = 0; n < PROGRAMS_MAX && !stop; n++) {
		_cleanup_close_ int fd = -1;
		struct program program;

		if (bpf_prog_get_next_id(id, &id))
			return errno == ENOENT ? 0 : -errno;
		fd = bpf_prog_get_fd_by_id(id); /* gone meanwhile: the next one */
		if (fd >= 0 && !read_program(fd, &program))
			stop = visit(fd, &program, ctx);
	}
	return stop;
}

static int cannot_ask(int err, const char *what, struct errmsg *msg)
{
	return errmsg_set(msg, err, "%s: the kernel does not list its BPF programs: %s%s", what,
			  strerror(-err),
			  err == -EPERM ? "; that needs CAP_SYS_ADMIN: run as root (sudo)" : "");
}

int bpf_program_parse(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	if (!*rest || strlen(rest) >= NAME_BYTES)
		return errmsg_set(msg, -EINVAL,
				  "target '%.40s': a BPF program is written bpf:NAME or bpf:ID; "
				  "'lbrsnoop list bpf' shows those that are loaded",
				  spec->text);
	spec->name = strdup(rest);
	return spec->name ? 0 : -ENOMEM;
}

/** struct search - @fd: of the first that was found; @ids: of the first ones */
struct search {
	const char *name;
	uint32_t id;
	int fd;
	struct program found;
	size_t count;
	uint32_t ids[NAMESAKES_SHOWN];
	struct suggestions near;
};

static int look_at(int fd, const struct program *program, void *ctx)
{
	struct search *search = ctx;

	suggestions_offer(&search->near, program->name);
	if (search->id ? program->info.id != search->id
		       : strcmp(program->name, search->name) &&
				 strcmp(program->info.name, search->name))
		return 0;
	if (search->count < NAMESAKES_SHOWN)
		search->ids[search->count] = program->info.id;
	if (search->count++)
		return 0;
	search->found = *program;
	search->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return search->fd < 0 ? -errno : 0;
}

static int not_one(const struct search *search, const struct target_spec *spec, struct errmsg *msg)
{
	char near[SUGGESTIONS_MAX * 130 + 32];

	if (!search->count)
		return errmsg_set(msg, -ENOENT,
				  "'%s': no such BPF program is loaded%s ('lbrsnoop list bpf')",
				  spec->text, suggestions_text(&search->near, near, sizeof(near)));
	errmsg_set(msg, -EINVAL, "'%s': %zu BPF programs have this name; by their IDs they are",
		   spec->text, search->count);
	for (size_t i = 0; i < search->count && i < NAMESAKES_SHOWN; i++)
		errmsg_add(msg, "%s bpf:%u", i ? "," : "", search->ids[i]);
	if (search->count > NAMESAKES_SHOWN)
		errmsg_add(msg, ", ...");
	return -EINVAL;
}

/* Why nothing can be attached to it, as far as it can be told before; NULL: the kernel decides. */
static const char *untraceable(const struct program *program)
{
	if (!program->func_id)
		return "it has no BTF, and the kernel attaches to no program without; compile it "
		       "with clang -g";
	if (!program->info.jited_prog_len)
		return "it is interpreted, and has no code to attach to; sysctl "
		       "net.core.bpf_jit_enable=1, and load it again";
	if (program->ret == RETURN_NONE)
		return "it returns nothing";
	return NULL;
}

static int add_program(const struct program *program, int fd, const struct target_spec *spec,
		       struct probe_list *list)
{
	struct probe *probe = probe_list_add(list);

	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = TRIGGER_FEXIT;
	probe->trigger.target = strdup(spec->text);
	probe->trigger.function = strdup(program->name);
	probe->trigger.module = strdup("bpf");
	probe->trigger.addr = probe->trigger.func_addr = program->addr;
	probe->trigger.func_size = program->size;
	probe->ret = program->ret;
	probe->btf_id = program->func_id;
	probe->btf_fd = fd;
	return probe->trigger.target && probe->trigger.function && probe->trigger.module ? 0
											 : -ENOMEM;
}

int bpf_program_add(struct resolver *resolver, const struct target_spec *spec,
		    struct probe_list *list, struct errmsg *msg)
{
	struct search search = {.name = spec->name, .fd = -1, .near = {.wanted = spec->name}};
	unsigned long id;
	const char *why;
	char *end;
	int err;

	errno = 0;
	id = strtoul(spec->name, &end, 10);
	if (isdigit((unsigned char)*spec->name) && !*end && !errno && id <= UINT32_MAX)
		search.id = (uint32_t)id;
	err = for_each_program(look_at, &search);
	if (err == -EPERM || err == -EINVAL)
		err = cannot_ask(err, spec->text, msg);
	else if (!err && search.count != 1)
		err = not_one(&search, spec, msg);
	why = err ? NULL : untraceable(&search.found);
	if (why)
		err = errmsg_set(msg, -EINVAL, "'%s': BPF program %u: %s", spec->text,
				 search.found.info.id, why);
	/* From here on the resolver closes it. */
	err = err ?: resolver_keep_fd(resolver, search.fd);
	if (err && search.fd >= 0)
		close(search.fd);
	return err ?: add_program(&search.found, search.fd, spec, list);
}

/** struct bpf_listing - what for_each_program() needs to call a target_row_fn */
struct bpf_listing {
	target_row_fn *visit;
	void *ctx;
};

static int list_program(int fd, const struct program *program, void *ctx)
{
	const char *type = libbpf_bpf_prog_type_str(program->info.type);
	const char *why = untraceable(program);
	struct bpf_listing *listing = ctx;
	char target[NAME_BYTES + 8], what[64];

	(void)fd;
	if (program->name[0])
		snprintf(target, sizeof(target), "bpf:%s", program->name);
	else
		snprintf(target, sizeof(target), "bpf:%u", program->info.id);
	snprintf(what, sizeof(what), "ID %u, %s", program->info.id, type ?: "of an unknown type");
	return listing->visit((const char *[]){target, what, why ?: ""}, listing->ctx);
}

int bpf_program_for_each(target_row_fn *visit, void *ctx, struct errmsg *msg)
{
	struct bpf_listing listing = {.visit = visit, .ctx = ctx};
	int err = for_each_program(list_program, &listing);

	return err < 0 ? cannot_ask(err, "bpf:", msg) : err;
}
