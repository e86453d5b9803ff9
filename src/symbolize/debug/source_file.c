// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/vector.h"

/* The longest file of Linux (a generated register list) has 21 MB; those with code, 1 MB. */
#define FILE_BYTES_MAX (8u << 20)
#define FILES_MAX      1024

/**
 * struct source_file - one file, or the knowledge that it is not there
 * @name: as DWARF has it
 * @text: NULL if it is not there
 * @lines: where each line starts; one more than there are lines
 */
struct source_file {
	char *name;
	char *text;
	size_t *lines;
	size_t line_count;
};

/** struct sources - @tree: with an archive, until it was read; @version: it has to be of */
struct sources {
	char *dir;
	struct source_tree tree;
	struct source_version version;
	struct source_file *files;
	size_t file_count;
	size_t last;
};

struct sources *sources_create(const char *dir)
{
	struct sources *sources = calloc(1, sizeof(*sources));

	if (!sources)
		return NULL;
	if (dir) {
		sources->dir = strdup(dir);
		if (!sources->dir) {
			free(sources);
			return NULL;
		}
	}
	return sources;
}

int sources_check_kernel(const char *dir, const char **ret_missing)
{
	/* Since Linux 0.01. */
	static const char always[] = "kernel/fork.c";
	_cleanup_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	*ret_missing = NULL;
	if (fd < 0)
		return -errno;
	if (!faccessat(fd, always, R_OK, 0))
		return 0;
	*ret_missing = always;
	return -errno;
}

void sources_destroy(struct sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->file_count; i++) {
		free(sources->files[i].name);
		free(sources->files[i].text);
		free(sources->files[i].lines);
	}
	free(sources->files);
	source_tree_deinit(&sources->tree);
	free(sources->dir);
	free(sources);
}

/* Names come from DWARF: whatever is no plain file is left alone. */
static int read_plain_file(const char *path, char **ret_text, size_t *ret_len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = 0;
	struct stat st;
	char *text;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX)
		return -ENOENT;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (len < (size_t)st.st_size) {
		ssize_t got = read(fd, text + len, (size_t)st.st_size - len);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	*ret_text = text;
	*ret_len = len;
	return 0;
}

static int find_text(const struct sources *sources, const char *name, char **ret_text,
		     size_t *ret_len)
{
	const char *rest = name;
	char path[PATH_MAX];

	if (*name == '/') {
		if (!read_plain_file(name, ret_text, ret_len))
			return 0;
		rest++;
	}
	if (!sources->dir)
		return -ENOENT;
	/* A bare file name is found anywhere, and is mostly another file. */
	while (rest && (strchr(rest, '/') || rest == name)) {
		if (snprintf(path, sizeof(path), "%s/%s", sources->dir, rest) < PATH_MAX &&
		    !read_plain_file(path, ret_text, ret_len))
			return 0;
		if (*name != '/')
			break;
		rest = strchr(rest, '/') + 1;
	}
	return -ENOENT;
}

static int index_lines(struct source_file *file, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += file->text[i] == '\n';
	file->lines = calloc(count + 2, sizeof(*file->lines));
	if (!file->lines)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++)
		if (file->text[i] == '\n')
			file->lines[++file->line_count] = i + 1;
	if (file->lines[file->line_count] < len)
		file->lines[++file->line_count] = len + 1;
	return 0;
}

static const struct source_file *add_file(struct sources *sources, const char *name)
{
	struct source_file *file;
	size_t len = 0;

	if (sources->file_count >= FILES_MAX)
		return NULL;
	if (vector_grow(&sources->files, sources->file_count, sizeof(*file)))
		return NULL;
	file = &sources->files[sources->file_count];
	*file = (struct source_file){.name = strdup(name)};
	if (!file->name)
		return NULL;
	sources->last = sources->file_count++;
	if (!find_text(sources, name, &file->text, &len) && index_lines(file, len)) {
		free(file->text);
		file->text = NULL;
	}
	return file;
}

static const struct source_file *find_file(struct sources *sources, const char *name)
{
	if (sources->file_count && !strcmp(sources->files[sources->last].name, name))
		return &sources->files[sources->last];
	for (size_t i = 0; i < sources->file_count; i++) {
		if (!strcmp(sources->files[i].name, name)) {
			sources->last = i;
			return &sources->files[i];
		}
	}
	return add_file(sources, name);
}

int sources_set_archive(struct sources *sources, const struct source_tree *tree,
			const struct source_version *version)
{
	source_tree_deinit(&sources->tree);
	sources->tree.archive = strdup(tree->archive);
	sources->tree.prefix = strdup(tree->prefix);
	sources->version = *version;
	if (sources->tree.archive && sources->tree.prefix)
		return 0;
	source_tree_deinit(&sources->tree);
	return -ENOMEM;
}

const char *sources_archive(const struct sources *sources)
{
	return sources ? sources->tree.archive : NULL;
}

bool sources_waiting(const struct sources *sources)
{
	if (!sources || !sources->tree.archive)
		return false;
	for (size_t i = 0; i < sources->file_count; i++)
		if (!sources->files[i].text)
			return true;
	return false;
}

/* DWARF may name a file by where it was compiled: from the tree's own folders on. */
static const char *name_in_tree(const char *name)
{
	static const char *const folders[] = {
		"/arch/", "/block/", "/crypto/",   "/drivers/", "/fs/",	 "/include/",
		"/init/", "/ipc/",   "/io_uring/", "/kernel/",	"/lib/", "/mm/",
		"/net/",  "/rust/",  "/security/", "/sound/",	"/virt/"};
	const char *first = NULL;

	if (*name != '/')
		return name;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		const char *at = strstr(name, folders[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first ? first + 1 : name + 1;
}

/* Is the tree that was unpacked the kernel's? Else its lines are others. */
static int check_version(const struct sources *sources, const char *dir, struct errmsg *msg)
{
	const struct source_version *want = &sources->version;
	_cleanup_free_ char *text = NULL;
	struct source_version have = {};
	char path[PATH_MAX];
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/Makefile", dir);
	if (!read_plain_file(path, &text, &len)) {
		text[len] = '\0';
		have = source_version_of_makefile(text);
	}
	if (have.version == want->version && have.patchlevel == want->patchlevel &&
	    have.sublevel == want->sublevel)
		return 0;
	return errmsg_set(msg, -ESTALE,
			  "%s has the sources of Linux %u.%u.%u; %u.%u.%u runs here, and their "
			  "text is not shown",
			  sources->tree.archive, have.version, have.patchlevel, have.sublevel,
			  want->version, want->patchlevel, want->sublevel);
}

static int take_files(struct sources *sources, const char *dir)
{
	for (size_t i = 0; i < sources->file_count; i++) {
		struct source_file *file = &sources->files[i];
		char path[PATH_MAX];
		size_t len = 0;

		if (file->text || snprintf(path, sizeof(path), "%s/%s", dir,
					   name_in_tree(file->name)) >= PATH_MAX)
			continue;
		if (!read_plain_file(path, &file->text, &len) && index_lines(file, len))
			return -ENOMEM;
	}
	return 0;
}

int sources_fetch(struct sources *sources, struct errmsg *msg)
{
	const char **names = calloc(sources->file_count + 1, sizeof(*names));
	char *dir = NULL;
	size_t count = 0;
	int err;

	if (!names)
		return -ENOMEM;
	names[count++] = "Makefile";
	for (size_t i = 0; i < sources->file_count; i++)
		if (!sources->files[i].text)
			names[count++] = name_in_tree(sources->files[i].name);
	err = source_tree_unpack(&sources->tree, names, count, &dir);
	free(names);
	if (err)
		errmsg_set(msg, err, "%s cannot be unpacked by tar: %s", sources->tree.archive,
			   strerror(-err));
	else
		err = check_version(sources, dir, msg) ?: take_files(sources, dir);
	source_tree_discard(dir);
	source_tree_deinit(&sources->tree);
	return err;
}

const char *sources_line(struct sources *sources, const char *file, int line, size_t *ret_len)
{
	const struct source_file *found;
	size_t start, end;

	if (!sources || !file || !*file || line < 1)
		return NULL;
	found = find_file(sources, file);
	if (!found || !found->text || (size_t)line > found->line_count)
		return NULL;
	start = found->lines[line - 1];
	end = found->lines[line] - 1;
	if (end > start && found->text[end - 1] == '\r')
		end--;
	*ret_len = end - start;
	return found->text + start;
}
