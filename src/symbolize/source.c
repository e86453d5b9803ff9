// SPDX-License-Identifier: GPL-2.0
#include "symbolize/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

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

struct sources {
	char *dir;
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
	struct source_file *files, *file;
	size_t len = 0;

	if (sources->file_count >= FILES_MAX)
		return NULL;
	files = realloc(sources->files, (sources->file_count + 1) * sizeof(*files));
	if (!files)
		return NULL;
	sources->files = files;
	file = &files[sources->file_count];
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
