// SPDX-License-Identifier: GPL-2.0
#include "cmd/watch/watch_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cgroup.h"
#include "util/log.h"
#include "util/vector.h"
#include "why/learned.h"

/* Each gets a program of its own: the newest ones. */
#define LEARNED_MAX 256

int watch_cgroup(const struct watch_config *config, struct cgroup *ret)
{
	if (config->cgroup)
		return cgroup_find(config->cgroup, ret);
	return config->unit ? cgroup_find_unit(config->unit, ret) : -ENODATA;
}

int watch_find_cgroup(const struct watch_config *config, const struct cgroup *known,
		      struct cgroup *ret)
{
	struct cgroup cgroup = {};
	int err = watch_cgroup(config, &cgroup);

	if (err == -ENOENT && known->id && !strcmp(known->path, cgroup.path)) {
		*ret = *known;
		return 0;
	}
	if (err == -ENOENT)
		log_error("%s '%s': there is no control group %s; start what is to be watched "
			  "before: After= in the unit of this service does",
			  config->cgroup ? "ControlGroup" : "Unit", config->cgroup ?: config->unit,
			  cgroup.path);
	else
		*ret = cgroup;
	return err == -ENODATA ? 0 : err;
}

static bool is_there(const struct watch_learned *learned, const char *name)
{
	for (size_t i = 0; i < learned->count; i++)
		if (!strcmp(learned->names[i], name))
			return true;
	return false;
}

static int add_learned(struct watch_learned *learned, const struct learned_function *item)
{
	char name[1100];

	/* A part that the compiler has split off returns no error. */
	if (strchr(item->function, '.'))
		return 0;
	snprintf(name, sizeof(name), "%s%s%s", item->module, *item->module ? ":" : "",
		 item->function);
	if (is_there(learned, name))
		return 0;
	if (vector_grow(&learned->names, learned->count, sizeof(*learned->names)))
		return -ENOMEM;
	learned->names[learned->count] = strdup(name);
	return learned->names[learned->count] ? (learned->count++, 0) : -ENOMEM;
}

int watch_learned(const struct watch_config *config, struct watch_learned *ret)
{
	struct learned file;
	int err;

	*ret = (struct watch_learned){};
	if (!config->learned)
		return 0;
	err = learned_open(&file);
	for (size_t i = file.count; !err && i-- && ret->count < LEARNED_MAX;)
		err = add_learned(ret, &file.items[i]);
	learned_deinit(&file);
	if (!err)
		log_info("%zu functions that 'why' has learned of", ret->count);
	return err;
}

void watch_learned_deinit(struct watch_learned *learned)
{
	for (size_t i = 0; i < learned->count; i++)
		free(learned->names[i]);
	free(learned->names);
	*learned = (struct watch_learned){};
}

static int add_targets(struct trace_options *opts, char *const *names, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = -trace_options_add_target(opts, names[i]);
	return err;
}

int watch_options(const struct watch_config *config, const struct watch_learned *learned,
		  const struct cgroup *cgroup, struct trace_options *ret)
{
	uint64_t branch_types;
	int err;

	trace_options_init(ret);
	branch_types = ret->capture.branch_types;
	ret->capture = config->filter;
	ret->capture.branch_types = branch_types;
	ret->capture.gate = true;
	ret->skip_unknown = true;
	/* Of presets, which pass the gate: a flood of them is one, too. */
	ret->max_rate = config->per_s * 2;
	ret->view.silent = true;
	ret->view.no_lines = !config->source_lines;
	err = add_targets(ret, config->targets, config->target_count);
	if (learned) {
		err = err ?: add_targets(ret, learned->names, learned->count);
		ret->capture.cgroup = cgroup->id;
		ret->capture.cgroup_level = cgroup->level;
		if (!err && !ret->target_count) {
			log_error("'why' has learned of no function on this kernel yet, and there "
				  "is no Target=; run 'lbrsnoop why', or name one");
			err = -ENOENT;
		}
	}
	err = err ?: -trace_options_settle(ret);
	if (err)
		trace_options_deinit(ret);
	return err;
}
