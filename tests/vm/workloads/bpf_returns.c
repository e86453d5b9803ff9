// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_returns - BPF programs whose returns are known
 *
 *     bpf_returns NAME...      load a program each, wait to be killed; of -NAME without BTF
 *     bpf_returns --run ID N   run that one 2 * N times; it returns -EACCES every second time
 *
 * A program is a socket filter that returns -EACCES for packets of up to 64 bytes and 0 for others.
 * Each line of NAME's is "NAME ID", --run ends with a line as of failcalls: KIND SYSCALL ERRNO
 * COUNT.
 */
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT 64

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* int NAME(void *ctx): types 1 to 4. Return: fd. Source: Documentation/bpf/btf.rst */
static int load_btf(const char *name)
{
	struct {
		struct btf_header header;
		struct btf_type integer;
		uint32_t encoding;
		struct btf_type pointer, proto;
		struct btf_param param;
		struct btf_type func;
		char strings[64];
	} btf = {
		.header = {.magic = BTF_MAGIC,
			   .version = BTF_VERSION,
			   .hdr_len = sizeof(btf.header)},
		.integer = {.name_off = 1, .info = BTF_KIND_INT << 24, .size = 4},
		.encoding = BTF_INT_SIGNED << 24 | 32,
		.pointer = {.info = BTF_KIND_PTR << 24},
		.proto = {.info = BTF_KIND_FUNC_PROTO << 24 | 1, .type = 1},
		.param = {.name_off = 5, .type = 2},
		.func = {.name_off = 9, .info = BTF_KIND_FUNC << 24, .type = 3},
		.strings = "\0int\0ctx",
	};
	union bpf_attr attr = {.btf = (uintptr_t)&btf, .btf_size = sizeof(btf)};
	int fd;

	strcpy(btf.strings + 9, name);
	btf.header.type_len = (uint32_t)((char *)btf.strings - (char *)&btf.integer);
	btf.header.str_off = btf.header.type_len;
	btf.header.str_len = 10 + (uint32_t)strlen(name);
	attr.btf_size = sizeof(btf.header) + btf.header.type_len + btf.header.str_len;
	fd = bpf(BPF_BTF_LOAD, &attr);
	if (fd < 0)
		err(2, "BTF of %s", name);
	return fd;
}

static uint32_t load_program(const char *name)
{
	const struct bpf_insn insns[] = {
		{BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct __sk_buff, len),
		 0},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
		{BPF_JMP | BPF_JGT | BPF_K, BPF_REG_2, 0, 1, SHORT},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, -EACCES},
		{BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
	};
	struct bpf_func_info func = {.insn_off = 0, .type_id = 4};
	struct bpf_prog_info info = {};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(insns[0]),
		.license = (uintptr_t) "GPL",
	};
	int fd;

	if (*name == '-') {
		name++;
	} else {
		attr.prog_btf_fd = (uint32_t)load_btf(name);
		attr.func_info = (uintptr_t)&func;
		attr.func_info_cnt = 1;
		attr.func_info_rec_size = sizeof(func);
	}
	strncpy(attr.prog_name, name, sizeof(attr.prog_name) - 1);
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		err(2, "%s", name);
	attr = (union bpf_attr){.info = {.bpf_fd = (uint32_t)fd,
					 .info_len = sizeof(info),
					 .info = (uintptr_t)&info}};
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		err(2, "%s: info", name);
	return info.id;
}

static void run(int fd, uint32_t bytes, int wanted)
{
	static const char packet[256];
	union bpf_attr attr = {.test = {.prog_fd = (uint32_t)fd,
					.data_in = (uintptr_t)packet,
					.data_size_in = bytes}};

	if (bpf(BPF_PROG_TEST_RUN, &attr))
		err(2, "BPF_PROG_TEST_RUN");
	if ((int)attr.test.retval != wanted)
		errx(2, "%u bytes: it returns %d, not %d", bytes, (int)attr.test.retval, wanted);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--run")) {
		union bpf_attr attr = {.prog_id = (uint32_t)atoi(argv[2])};
		int count = atoi(argv[3]), fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);

		if (fd < 0)
			err(2, "program %s", argv[2]);
		for (int i = 0; i < count; i++) {
			run(fd, SHORT / 2, -EACCES);
			run(fd, SHORT * 3, 0);
		}
		printf("bpf-run bpf EACCES %d\n", count);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		printf("%s %u\n", argv[i], load_program(argv[i]));
	fflush(stdout);
	pause();
	return 0;
}
