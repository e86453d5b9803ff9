// SPDX-License-Identifier: GPL-2.0
#include "why/learned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "symbolize/build_id.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "util/file/trusted_file.h"

#define FOLDER	   "/var/cache/lbrsnoop"
#define NAME_BYTES 512 /* KSYM_NAME_LEN of include/linux/kallsyms.h */
/* The oldest go. */
#define FUNCTIONS_MAX 4096

void learned_path(char *buf, size_t size)
{
	const char *given = getenv("LBRSNOOP_LEARNED");
	char id[2 * BUILD_ID_MAX + 1];
	struct build_id build;
	struct utsname name;

	if (given && *given) {
		snprintf(buf, size, "%s", given);
		return;
	}
	build_id_of_kernel(&build);
	if (uname(&name))
		name.release[0] = '\0';
	snprintf(buf, size, FOLDER "/why-%s-%.16s", name.release, build_id_text(&build, id));
}

static bool known(const struct learned *learned, uint32_t nr, uint16_t err, const char *module,
		  const char *function)
{
	for (size_t i = 0; i < learned->count; i++) {
		const struct learned_function *item = &learned->items[i];

		if (item->nr == nr && item->err == err && !strcmp(item->function, function) &&
		    !strcmp(item->module, module))
			return true;
	}
	return false;
}

static void function_deinit(struct learned_function *item)
{
	free(item->module);
	free(item->function);
}

static int add(struct learned *learned, uint32_t nr, uint16_t err, const char *module,
	       const char *function)
{
	struct learned_function item = {.nr = nr, .err = err};

	if (known(learned, nr, err, module, function))
		return 0;
	if (learned->count == FUNCTIONS_MAX) {
		function_deinit(&learned->items[0]);
		memmove(learned->items, learned->items + 1, --learned->count * sizeof(item));
	}
	if (learned->count == learned->room) {
		size_t room = learned->room ? learned->room * 2 : 64;
		struct learned_function *items = reallocarray(learned->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		learned->items = items;
		learned->room = room;
	}
	item.module = strdup(module);
	item.function = strdup(function);
	if (!item.module || !item.function) {
		function_deinit(&item);
		return -ENOMEM;
	}
	learned->items[learned->count++] = item;
	learned->changed = true;
	return 0;
}

int learned_read(const char *path, struct learned *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err = 0;
	_cleanup_fclose_ FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	*ret = (struct learned){};
	if (!file) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	/* What others may write decides which functions of the kernel are probed: no. */
	if (!file_is_trusted(fd))
		return -EPERM;
	while (!err && getline(&line, &room, file) > 0) {
		char module[NAME_BYTES], function[NAME_BYTES];
		unsigned int nr, number;
		int end = 0;

		if (sscanf(line, "%u %u %511s %511s%n", &nr, &number, module, function, &end) !=
			    4 ||
		    line[end] != '\n' || !number || number > 4095)
			continue;
		err = add(ret, nr, (uint16_t)number, strcmp(module, "-") != 0 ? module : "",
			  function);
	}
	ret->changed = false;
	return err;
}

int learned_add(struct learned *learned, uint32_t nr, uint16_t err, const struct sites *sites)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < sites->count; i++)
		if (sites->items[i].err == err)
			ret = add(learned, nr, err, sites->items[i].sym.module,
				  sites->items[i].sym.name);
	return ret;
}

static int write_lines(const struct learned *learned, int fd)
{
	FILE *file = fdopen(fd, "w");
	bool failed;

	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	for (size_t i = 0; i < learned->count; i++) {
		const struct learned_function *item = &learned->items[i];

		fprintf(file, "%u %u %s %s\n", item->nr, item->err,
			*item->module ? item->module : "-", item->function);
	}
	failed = ferror(file);
	if (fclose(file) || failed)
		return -EIO;
	return 0;
}

int learned_write(struct learned *learned, const char *path)
{
	char temporary[PATH_MAX], folder[PATH_MAX];
	char *slash;
	int fd, err;

	if (!learned->changed)
		return 0;
	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash && slash != folder) {
		*slash = '\0';
		if (mkdir(folder, 0755) && errno != EEXIST)
			return -errno;
	}
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_lines(learned, fd);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	else
		learned->changed = false;
	return err;
}

int learned_open(struct learned *ret)
{
	char path[PATH_MAX];
	int err;

	learned_path(path, sizeof(path));
	err = learned_read(path, ret);
	if (err == -EPERM)
		log_warning("%s is not used: others than root and its owner may write to it", path);
	return err == -ENOMEM ? err : 0;
}

void learned_close(struct learned *learned)
{
	char path[PATH_MAX];
	int err;

	learned_path(path, sizeof(path));
	err = learned_write(learned, path);
	if (err)
		log_verbose("%s: %s: what was learned is lost", path, strerror(-err));
	learned_deinit(learned);
}

void learned_deinit(struct learned *learned)
{
	for (size_t i = 0; i < learned->count; i++)
		function_deinit(&learned->items[i]);
	free(learned->items);
	*learned = (struct learned){};
}
