/* SPDX-License-Identifier: GPL-2.0 */
/* sourcetree.h - the kernel's sources, where a package has installed them */
#ifndef LBRSNOOP_SYMBOLIZE_DEBUG_SOURCETREE_H
#define LBRSNOOP_SYMBOLIZE_DEBUG_SOURCETREE_H

#include <stddef.h>
#include <sys/utsname.h>

/** struct source_version - of a kernel, upstream's three numbers */
struct source_version {
	unsigned int version;
	unsigned int patchlevel;
	unsigned int sublevel;
};

/**
 * struct source_tree - free with source_tree_deinit()
 * @dir: root of an unpacked tree, or NULL
 * @archive: packed, or NULL; @prefix: what the names of all its members begin with
 * Both are NULL if there is none.
 */
struct source_tree {
	char *dir;
	char *archive;
	char *prefix;
};

/**
 * source_version_of() - which version a running kernel is of
 *
 * Debian's release is of the ABI alone (6.1.0-56), and uname -v has the version.
 * @signature: text of /proc/version_signature, which Ubuntu's kernels have; ""
 * Return: all 0 if it does not tell.
 */
struct source_version source_version_of(const struct utsname *kernel, const char *signature);

/**
 * source_version_of_makefile() - which version a tree is of
 * @text: of its Makefile, NUL-terminated
 */
struct source_version source_version_of_makefile(const char *text);

/**
 * source_tree_find() - sources of one version
 * @root: /usr/src: linux*, unpacked and of that very version, first; then linux-source-*.tar.*, of
 *        which only the name is looked at: what its Makefile says is for who unpacks it
 * Return: 0, also if there is none; -ENOMEM.
 */
int source_tree_find(const char *root, const struct source_version *version,
		     struct source_tree *ret);

/**
 * source_tree_unpack() - some files of @archive, into a folder of their own
 *
 * A kernel's archive takes seconds to be read, so it is read once for all of them, up to the last.
 * @files: their names, from the root of the tree; those that are not there are left out
 * @ret_dir: set on success; root of a tree of these files; source_tree_discard()
 * Return: 0; -ENOENT if nothing came out of it; errno of running tar.
 */
int source_tree_unpack(const struct source_tree *tree, const char *const *files, size_t count,
		       char **ret_dir);

/** source_tree_discard() - remove what was unpacked, and free; NULL is fine */
void source_tree_discard(char *dir);

/** source_tree_deinit() - free */
void source_tree_deinit(struct source_tree *tree);

#endif
