// SPDX-License-Identifier: GPL-2.0
#include "capture/clone.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "util/cleanup.h"

/* TARGET_PLACEHOLDER of bpf/snapshot.bpf.h */
#define TARGET_PLACEHOLDER 0x1b25006d

#define LOG_BYTES (64u << 10)

static int set_target(struct bpf_insn *insns, size_t count, uint32_t target)
{
	int err = -EINVAL;

	for (size_t i = 0; i + 1 < count; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) && !insns[i].src_reg &&
		    insns[i].imm == TARGET_PLACEHOLDER) {
			insns[i].imm = (int32_t)target;
			err = 0;
		}
	return err;
}

/* The last line of the verifier's log, without the statistics that end each log. */
static const char *last_words(char *log)
{
	const char *words = "";
	char *save = NULL;

	for (char *line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, "processed ", 10))
			words = line;
	return words;
}

/* The kernel's errno alone does not tell why a function, or a program, cannot be attached to. */
static int refused(const struct bpf_program *prog, const struct bpf_insn *insns, size_t count,
		   struct bpf_prog_load_opts *opts, struct errmsg *msg)
{
	/* EACCES is the verifier's word for a program that it refuses: no permission lacks. */
	int err = errno == EACCES ? -EINVAL : -errno, fd;
	const char *name = bpf_program__name(prog), *text = strerror(errno), *words;
	_cleanup_free_ char *log = calloc(1, LOG_BYTES);

	if (!log)
		return -ENOMEM;
	opts->log_buf = log;
	opts->log_size = LOG_BYTES;
	opts->log_level = 1;
	fd = bpf_prog_load(bpf_program__type(prog), name, "GPL", insns, count, opts);
	if (fd >= 0)
		return fd;
	words = last_words(log);
	return errmsg_set(msg, err, "the kernel does not load %s for this function: %s%s%s", name,
			  text, *words ? ": " : "", words);
}

int program_clone(const struct bpf_program *prog, uint32_t btf_id, int btf_fd, uint32_t target,
		  struct errmsg *msg)
{
	const char *name = bpf_program__name(prog);
	size_t count = bpf_program__insn_cnt(prog);
	_cleanup_free_ struct bpf_insn *insns = calloc(count, sizeof(*insns));
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = bpf_program__expected_attach_type(prog),
		    .attach_btf_id = btf_id, .attach_btf_obj_fd = btf_id ? btf_fd : 0);
	int fd;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), count * sizeof(*insns));
	if (set_target(insns, count, target))
		return errmsg_set(msg, -EINVAL, "BPF program %s has no place for a target", name);
	fd = bpf_prog_load(bpf_program__type(prog), name, "GPL", insns, count, &opts);
	return fd < 0 ? refused(prog, insns, count, &opts, msg) : fd;
}
