/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clone.h - copies of a loaded BPF program for further functions
 *
 * A kernel takes one fentry or fexit program per function, and a skeleton holds a fixed number of
 * programs. So the program in the skeleton is a template: its instructions, as libbpf relocated
 * them, are loaded again for each function, with the target's index written into them.
 */
#ifndef LBRSNOOP_CAPTURE_CLONE_H
#define LBRSNOOP_CAPTURE_CLONE_H

#include <bpf/libbpf.h>
#include <stdint.h>

#include "util/errmsg.h"

/**
 * program_clone() - load a copy
 * @prog: template, loaded
 * @btf_id: function to attach to, in the BTF of @btf_fd; 0 for raw tracepoints
 * @btf_fd: BTF of a module, or a BPF program, which the kernel takes there too: its own BTF is
 * meant then, and itself is attached to; 0: vmlinux
 * @target: index that the copy puts into its records
 * Return: program fd, to be closed by the caller; negative errno, @msg says why.
 */
int program_clone(const struct bpf_program *prog, uint32_t btf_id, int btf_fd, uint32_t target,
		  struct errmsg *msg);

#endif
