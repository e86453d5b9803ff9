// SPDX-License-Identifier: GPL-2.0
/*
 * load_programs - does this kernel load every BPF program of an object?
 *
 * Prints "ok load/NAME", "not ok load/NAME: why" or "skip load/NAME: reason" for each. A skip only
 * where the kernel refuses the simplest program of the same type as well.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char said[65536];
static size_t said_len;

__attribute__((format(printf, 2, 0))) static int keep_words(enum libbpf_print_level level,
							    const char *format, va_list args)
{
	int len;

	if (level == LIBBPF_DEBUG || said_len >= sizeof(said) - 1)
		return 0;
	len = vsnprintf(said + said_len, sizeof(said) - said_len, format, args);
	if (len > 0)
		said_len += len;
	return 0;
}

/* Open, keep only program @name (all if NULL), load. Return: 0 or negative errno. */
static int load(const char *path, const char *name)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *prog;
	int err;

	said[said_len = 0] = '\0';
	if (!object)
		return -errno;
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, !name || !strcmp(bpf_program__name(prog), name));
	err = bpf_object__load(object);
	bpf_object__close(object);
	return err;
}

/* The simplest program of a type: "return 0". Return: 0 or negative errno. */
static int load_simplest(const struct bpf_program *like)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	enum bpf_prog_type type = bpf_program__type(like);
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd;

	if (type == BPF_PROG_TYPE_TRACING) {
		opts.expected_attach_type = bpf_program__expected_attach_type(like);
		fd = libbpf_find_vmlinux_btf_id("bpf_fentry_test1", opts.expected_attach_type);
		if (fd < 0)
			return fd;
		opts.attach_btf_id = fd;
	}
	fd = bpf_prog_load(type, NULL, "GPL", insns, 2, &opts);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void comment(const char *text)
{
	fputs("# ", stdout);
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n' && text[1])
			fputs("# ", stdout);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct bpf_program *prog;
	struct bpf_object *object;
	int all, failed = 0;

	if (argc != 2) {
		fputs("usage: load_programs OBJECT\n", stderr);
		return 2;
	}
	libbpf_set_print(keep_words);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	all = load(argv[1], NULL);
	bpf_object__for_each_program(prog, object)
	{
		const char *name = bpf_program__name(prog);
		int err = all ? load(argv[1], name) : 0, simplest;

		if (!err) {
			printf("ok load/%s\n", name);
			continue;
		}
		simplest = load_simplest(prog);
		if (simplest) {
			printf("skip load/%s: this kernel refuses even an empty program of its "
			       "type: "
			       "%s\n",
			       name, strerror(-simplest));
			continue;
		}
		printf("not ok load/%s: %s\n", name, strerror(-err));
		comment(said);
		failed = 1;
	}
	bpf_object__close(object);
	return failed;
}
