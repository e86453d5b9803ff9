// SPDX-License-Identifier: GPL-2.0
#include "cmd/compare/builds.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "render/escape.h"

static bool is_of(const struct capfile *file, const struct capfile *other)
{
	const struct capfile_meta *one = capfile_meta(file), *two = capfile_meta(other);

	return one->build_id.len == two->build_id.len &&
	       !memcmp(one->build_id.bytes, two->build_id.bytes, one->build_id.len);
}

static void name_build(struct build *build)
{
	const struct capfile_meta *meta = capfile_meta(build->file);
	char release[100];
	size_t used = (size_t)snprintf(build->name, sizeof(build->name), "Linux %s (build ID ",
				       escape_text(meta->release, release, sizeof(release)));

	/* As many digits as tell builds apart. */
	for (size_t i = 0; i < meta->build_id.len && i < 6; i++)
		used += (size_t)snprintf(build->name + used, sizeof(build->name) - used, "%02x",
					 meta->build_id.bytes[i]);
	snprintf(build->name + used, sizeof(build->name) - used, ")");
}

static int add_build(struct builds *builds, struct capfile *file, const char *path,
		     const struct view_options *opts, FILE *out, struct errmsg *msg)
{
	struct build *build = &builds->items[builds->count];
	int err;

	if (builds->count == RANKING_BUILDS_MAX)
		return errmsg_set(msg, -E2BIG,
				  "%s is of one more build of the kernel than the %d that can be "
				  "compared; leave captures of some away",
				  path, RANKING_BUILDS_MAX);
	build->opts = *opts;
	if (builds->count)
		build->opts.vmlinux = NULL;
	if (!builds->pool)
		builds->pool = lines_pool_create();
	if (!builds->pool)
		return -ENOMEM;
	err = view_create_for_capture(&build->opts, out, file, builds->pool, NULL, &build->view,
				      msg);
	if (err)
		return err;
	build->file = file;
	build->path = path;
	name_build(build);
	builds->count++;
	return 0;
}

int builds_find(struct builds *builds, struct capfile *file, const char *path,
		const struct view_options *opts, FILE *out, size_t *ret, struct errmsg *msg)
{
	int err;

	for (size_t i = 0; i < builds->count; i++) {
		const struct build *build = &builds->items[i];
		bool known = capfile_meta(file)->build_id.len;

		if (!known || !capfile_meta(build->file)->build_id.len)
			return errmsg_set(msg, -EINVAL,
					  "%s has no build ID of its kernel, so nobody knows "
					  "whether two files are of one: compare it by itself",
					  known ? build->path : path);
		if (!is_of(file, build->file))
			continue;
		*ret = i;
		return 0;
	}
	err = add_build(builds, file, path, opts, out, msg);
	if (!err)
		*ret = builds->count - 1;
	return err;
}

bool builds_may_differ(const char *const *paths, size_t count)
{
	struct capfile *first = NULL, *file;
	struct errmsg msg;
	bool differ = false;
	struct stat st;

	for (size_t i = 0; i < count && count > 1 && !differ; i++) {
		if (stat(paths[i], &st) || !S_ISREG(st.st_mode)) {
			differ = true;
			break;
		}
		/* Whoever reads it says what is wrong with it. */
		if (capfile_open(paths[i], &file, &msg))
			continue;
		differ = first && !is_of(file, first);
		if (first)
			capfile_close(file);
		else
			first = file;
	}
	capfile_close(first);
	return differ;
}

void builds_deinit(struct builds *builds)
{
	for (size_t i = 0; i < builds->count; i++) {
		view_destroy(builds->items[i].view);
		conditions_deinit(&builds->items[i].conditions);
		capfile_close(builds->items[i].file);
	}
	builds->count = 0;
	lines_pool_destroy(builds->pool);
	builds->pool = NULL;
}
