// SPDX-License-Identifier: GPL-2.0
#include "export/finding.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path/story.h"
#include "util/errno_name.h"

#define FRAMES_MAX 4

/** struct findings - @paths: a hash by ident, @room a power of two */
struct findings {
	struct finding_path *paths;
	size_t room;
	struct findings_total total;
};

struct findings *findings_create(void)
{
	struct findings *findings = calloc(1, sizeof(*findings));

	if (!findings)
		return NULL;
	findings->room = 256;
	findings->paths = calloc(findings->room, sizeof(*findings->paths));
	if (!findings->paths) {
		free(findings);
		return NULL;
	}
	return findings;
}

static void free_texts(struct finding_path *path)
{
	free(path->function);
	free(path->origin);
	free(path->origin_function);
	free(path->build_id);
	free(path->release);
	free(path->model);
}

void findings_destroy(struct findings *findings)
{
	if (!findings)
		return;
	for (size_t i = 0; i < findings->room; i++)
		free_texts(&findings->paths[i]);
	free(findings->paths);
	free(findings);
}

static struct finding_path *find_slot(struct finding_path *paths, size_t room, uint64_t ident)
{
	size_t i = ident & (room - 1);

	while (paths[i].used && paths[i].ident != ident)
		i = (i + 1) & (room - 1);
	return &paths[i];
}

bool findings_know(const struct findings *findings, uint64_t ident)
{
	return find_slot(findings->paths, findings->room, ident)->used;
}

static int grow(struct findings *findings)
{
	size_t room = findings->room * 2;
	struct finding_path *paths = calloc(room, sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < findings->room; i++)
		if (findings->paths[i].used)
			*find_slot(paths, room, findings->paths[i].ident) = findings->paths[i];
	free(findings->paths);
	findings->paths = paths;
	findings->room = room;
	return 0;
}

/* The target of a program has its path: "uprobe:/home/user/...". */
static void name_function(const struct trigger *trigger, char *buf, size_t len)
{
	if (trigger && trigger->function && *trigger->function)
		snprintf(buf, len, "%s", trigger->function);
	else if (trigger && !trigger->path)
		snprintf(buf, len, "%s", trigger->target);
	else
		snprintf(buf, len, "%s", trigger ? trigger_kind_name(trigger->kind) : "");
}

/* Names of a program's files are the user's: its functions alone are named. */
static void place(const struct finding_kernel *kernel, bool user, uint64_t addr, char *origin,
		  char *function)
{
	struct srcline chain[FRAMES_MAX];
	struct symbol sym;
	int got = -ENOENT;

	if (symbols_find(kernel->symbols, addr, &sym))
		return;
	snprintf(function, FINDING_PLACE_BYTES, "%s", sym.name);
	if (kernel->lines && !user)
		got = lines_find(kernel->lines, sym.module, addr, false, chain, FRAMES_MAX);
	if (got > 0 && *chain[0].file && chain[0].line) {
		snprintf(origin, FINDING_PLACE_BYTES, "%s:%d", chain[0].file, chain[0].line);
		if (*chain[0].function)
			snprintf(function, FINDING_PLACE_BYTES, "%s", chain[0].function);
	} else {
		snprintf(origin, FINDING_PLACE_BYTES, "%s+0x%" PRIx64, sym.name, addr - sym.addr);
	}
}

static void find_origin(const struct finding_kernel *kernel, const struct snapshot *snap,
			const struct path *path, char *origin, char *function)
{
	uint32_t insn = PATH_NONE, decision = PATH_NONE;

	if (path && snap->err)
		path_find_error(path, snap->err, &insn, &decision);
	if (insn != PATH_NONE)
		place(kernel, trigger_is_user(snap->trigger), path_insn_addr(path, insn), origin,
		      function);
}

static int new_path(struct findings *findings, const struct snapshot *snap, uint64_t ident,
		    const struct path *path, const struct finding_kernel *kernel,
		    struct finding_path **ret)
{
	char origin[FINDING_PLACE_BYTES] = "", origin_function[FINDING_PLACE_BYTES] = "";
	char function[FINDING_NAME_BYTES], build_id[2 * BUILD_ID_MAX + 1] = "";
	struct finding_path made = {.ident = ident, .err = snap->err, .used = true};

	if ((findings->total.paths + 1) * 2 > findings->room && grow(findings))
		return -ENOMEM;
	name_function(snap->trigger, function, sizeof(function));
	find_origin(kernel, snap, path, origin, origin_function);
	if (kernel->build_id && kernel->build_id->len)
		build_id_text(kernel->build_id, build_id);
	made.kind = snap->trigger ? trigger_kind_name(snap->trigger->kind) : "";
	made.function = strdup(function);
	made.origin = strdup(origin);
	made.origin_function = strdup(origin_function);
	made.build_id = strdup(build_id);
	made.release = strdup(kernel->release ?: "");
	made.model = strdup(snap->lbr ? snap->lbr->model : "");
	if (!made.function || !made.origin || !made.origin_function || !made.build_id ||
	    !made.release || !made.model) {
		free_texts(&made);
		return -ENOMEM;
	}
	*ret = find_slot(findings->paths, findings->room, ident);
	**ret = made;
	findings->total.paths++;
	return 0;
}

int findings_add(struct findings *findings, const struct snapshot *snap, uint64_t ident,
		 const struct path *path, const struct finding_kernel *kernel, uint64_t lost,
		 struct finding *ret_finding)
{
	struct finding_path *known = find_slot(findings->paths, findings->room, ident);
	bool room = known->used || findings->total.paths < FINDING_PATHS_MAX;
	int err = 0;

	if (!known->used && room)
		err = new_path(findings, snap, ident, path, kernel, &known);
	if (err)
		return err;
	findings->total.snapshots++;
	findings->total.lost += lost;
	if (room)
		known->count++;
	else
		findings->total.left_out++;
	*ret_finding = (struct finding){
		.snap = snap, .kernel = kernel, .path = room ? known : NULL, .lost = lost};
	return 0;
}

struct findings_total findings_total(const struct findings *findings)
{
	return findings->total;
}

/* The order is one, whatever order they came in. */
static int compare(const void *a, const void *b)
{
	const struct finding_path *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return (*x)->ident < (*y)->ident ? -1 : (*x)->ident > (*y)->ident;
}

struct finding_path **findings_sorted(const struct findings *findings)
{
	struct finding_path **order =
		calloc(findings->total.paths + 1, sizeof(struct finding_path *));
	size_t count = 0;

	for (size_t i = 0; order && i < findings->room; i++)
		if (findings->paths[i].used)
			order[count++] = &findings->paths[i];
	if (order)
		qsort(order, count, sizeof(struct finding_path *), compare);
	return order;
}

const char *finding_errno(const struct finding_path *path, char *buf)
{
	const char *name = path->err ? errno_name(path->err) : "";

	if (name)
		return name;
	snprintf(buf, 24, "%d", path->err);
	return buf;
}
