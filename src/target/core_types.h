/* SPDX-License-Identifier: GPL-2.0 */
/*
 * core_types.h - of the kernel's types those that a BPF object's CO-RE relocations look at
 *
 * libbpf reads all of the kernel's types, 130,000, for each object that it loads, and looks through
 * them for each struct of the program. Who has read them already gives it these: a hundred.
 */
#ifndef LBRSNOOP_TARGET_CORE_TYPES_H
#define LBRSNOOP_TARGET_CORE_TYPES_H

struct btf;

/**
 * core_types_write() - write them as BTF, for btf_custom_path of struct bpf_object_open_opts
 *
 * Structs, unions and enums of a name that @object has, all of that name, and what lies in them.
 * What a pointer points at is left out: a relocation follows members alone.
 * @kernel: the kernel's types
 * @object: those of the BPF object
 * @fd: an empty file
 * Return: 0; -ENODATA if the kernel has none of them; -EOPNOTSUPP if a kind of type is not known
 * here; negative errno.
 */
int core_types_write(const struct btf *kernel, const struct btf *object, int fd);

#endif
