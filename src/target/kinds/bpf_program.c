// SPDX-License-Identifier: GPL-2.0
/* bpf_program.c - bpf:PROGRAM: the return of a loaded BPF program, as of a function of the kernel
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	uint64_t addr = 0;
	uint32_t size = 0;
	struct program program = {
		.info = {.nr_func_info = 1,
			 .func_info_rec_size = sizeof(func),
			 .func_info = (uintptr_t)&func,
			 .nr_jited_ksyms = 1,
			 .jited_ksyms = (uintptr_t)&addr,
			 .nr_jited_func_lens = 1,
			 .jited_func_lens = (uintptr_t)&size},
	};
	uint32_t len = sizeof(program.info);

	if (bpf_obj_get_info_by_fd(fd, &program.info, &len))
		return -errno;
	program.addr = addr;
	program.size = size;
	snprintf(program.name, sizeof(program.name), "%s", program.info.name);
	if (program.info.btf_id && program.info.nr_func_info)
		read_btf(&program, func.type_id);
	*ret = program;
	return 0;
}

/** typedef program_fn - non-zero stops */
typedef int program_fn(const struct program *program, void *ctx);

/* Return: what @visit returned; -E2BIG: there are more; other negative errno: they are not told. */
static int for_each_program(program_fn *visit, void *ctx)
{
	uint32_t id = 0;
	int stop = 0;

	for (int n = 0; !stop; n++) {
		_cleanup_close_ int fd = -1;
		struct program program;

		if (bpf_prog_get_next_id(id, &id))
			return errno == ENOENT ? 0 : -errno;
		if (n == PROGRAMS_MAX)
			return -E2BIG;
		fd = bpf_prog_get_fd_by_id(id); /* gone meanwhile: the next one */
		if (fd >= 0 && !read_program(fd, &program))
			stop = visit(&program, ctx);
	}
	return stop;
}

static int cannot_ask(int err, const char *what, struct errmsg *msg)
{
	if (err == -E2BIG)
		return errmsg_set(msg, err,
				  "'%s': more than %d BPF programs are loaded, and the others were "
				  "not looked at; 'bpftool prog' shows their IDs: bpf:ID",
				  what, PROGRAMS_MAX);
	return errmsg_set(msg, err, "'%s': the kernel does not show its BPF programs: %s%s", what,
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

/** enum match - does a name mean a program? The greater wins. MATCH_CUT: it is a part of the name
 */
enum match { MATCH_NONE, MATCH_CUT, MATCH_FULL };

static enum match match_name(const struct program *program, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(program->name, name))
		return MATCH_FULL;
	if (strcmp(program->info.name, name) != 0)
		return MATCH_NONE;
	return len == BPF_OBJ_NAME_LEN - 1 && !strncmp(program->name, name, len) ? MATCH_CUT
										 : MATCH_FULL;
}

/** struct search - @match: the best so far; @count: programs of it; @ids: of the first ones */
struct search {
	enum match match;
	size_t count;
	uint32_t ids[NAMESAKES_SHOWN];
	struct suggestions near;
};

static int look_at(const struct program *program, void *ctx)
{
	struct search *search = ctx;
	enum match match = match_name(program, search->near.wanted);

	suggestions_offer(&search->near, program->name);
	if (match == MATCH_NONE || match < search->match)
		return 0;
	if (match > search->match)
		search->count = 0;
	search->match = match;
	if (search->count < NAMESAKES_SHOWN)
		search->ids[search->count] = program->info.id;
	search->count++;
	return 0;
}

static int not_loaded(const struct suggestions *near, const struct target_spec *spec,
		      struct errmsg *msg)
{
	char text[SUGGESTIONS_MAX * 130 + 32];

	return errmsg_set(msg, -ENOENT,
			  "'%s': no such BPF program is loaded%s ('lbrsnoop list bpf')", spec->text,
			  suggestions_text(near, text, sizeof(text)));
}

static int ambiguous(const struct search *search, const struct target_spec *spec,
		     struct errmsg *msg)
{
	errmsg_set(msg, -EINVAL, "'%s': %zu BPF programs have this name; by their IDs they are",
		   spec->text, search->count);
	for (size_t i = 0; i < search->count && i < NAMESAKES_SHOWN; i++)
		errmsg_add(msg, "%s bpf:%u", i ? "," : "", search->ids[i]);
	if (search->count > NAMESAKES_SHOWN)
		errmsg_add(msg, ", ...");
	return -EINVAL;
}

static int find_id(const struct target_spec *spec, uint32_t *ret_id, struct errmsg *msg)
{
	struct search search = {.near = {.wanted = spec->name}};
	unsigned long id;
	char *end;
	int err;

	errno = 0;
	id = strtoul(spec->name, &end, 10);
	if (isdigit((unsigned char)*spec->name) && !*end && !errno && id && id <= UINT32_MAX) {
		*ret_id = (uint32_t)id;
		return 0;
	}
	err = for_each_program(look_at, &search);
	if (err)
		return cannot_ask(err, spec->text, msg);
	if (!search.count)
		return not_loaded(&search.near, spec, msg);
	if (search.count > 1)
		return ambiguous(&search, spec, msg);
	*ret_id = search.ids[0];
	return 0;
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
	struct program program;
	const char *why;
	uint32_t id = 0;
	int err = find_id(spec, &id, msg), fd;

	if (err)
		return err;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return errno == ENOENT ? not_loaded(&(struct suggestions){}, spec, msg)
				       : cannot_ask(-errno, spec->text, msg);
	err = resolver_keep_fd(resolver, fd);
	if (err) {
		close(fd);
		return err;
	}
	err = read_program(fd, &program);
	if (err)
		return cannot_ask(err, spec->text, msg);
	why = untraceable(&program);
	if (why)
		return errmsg_set(msg, -EINVAL, "'%s': BPF program %u: %s", spec->text, id, why);
	return add_program(&program, fd, spec, list);
}

/** struct bpf_listing - what for_each_program() needs to call a target_row_fn */
struct bpf_listing {
	target_row_fn *visit;
	void *ctx;
};

static int list_program(const struct program *program, void *ctx)
{
	const char *type = libbpf_bpf_prog_type_str(program->info.type);
	const char *why = untraceable(program);
	struct bpf_listing *listing = ctx;
	char target[NAME_BYTES + 8], what[64];

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
