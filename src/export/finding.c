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

/** struct findings - @closed: no paths are added */
struct findings {
	struct path_counts counts;
	struct finding_memory memory;
	bool closed;
};

struct findings *findings_create(void)
{
	struct findings *findings = calloc(1, sizeof(*findings));

	if (findings)
		findings->counts.size = sizeof(struct finding_path);
	return findings;
}

void findings_remember(struct findings *findings, const struct finding_memory *memory)
{
	findings->memory = *memory;
}

static void free_texts(void *element)
{
	struct finding_path *path = element;

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
	path_counts_deinit(&findings->counts, free_texts);
	free(findings);
}

bool findings_wants_path(const struct findings *findings, uint64_t ident)
{
	return !findings->closed && !path_counts_find(&findings->counts, ident);
}

void findings_close(struct findings *findings, bool closed)
{
	findings->closed = closed;
}

void findings_add_left_out(struct findings *findings, uint64_t count)
{
	path_counts_add(&findings->counts, NULL, count, 0);
}

void findings_add_lost(struct findings *findings, uint64_t lost)
{
	findings->counts.lost += lost;
}

uint64_t finding_untold(const struct finding_path *path, enum finding_sender sender)
{
	return path->taken.count - path->sent[sender].count;
}

bool finding_due(const struct finding_path *path, enum finding_sender sender, uint64_t now_ns)
{
	const struct finding_sent *sent = &path->sent[sender];

	/* Snapshots of several CPUs come out of order. */
	return !sent->ns || (now_ns > sent->ns && now_ns - sent->ns >= TOLD_NS);
}

void finding_told(struct finding_path *path, enum finding_sender sender, uint64_t now_ns, bool full)
{
	struct finding_sent *sent = &path->sent[sender];

	sent->count = path->taken.count;
	if (!full)
		return;
	sent->ns = now_ns ?: 1;
	if (path->memory->told)
		told_note(path->memory->told, path->taken.ident, path->memory->senders[sender],
			  sent->ns);
}

uint64_t findings_untold(const struct findings *findings, enum finding_sender sender)
{
	const struct finding_path *paths = findings->counts.paths.items;
	uint64_t untold = 0;

	for (size_t i = 0; i < findings->counts.paths.count; i++)
		untold += finding_untold(&paths[i], sender);
	return untold;
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
	struct finding_path made = {.taken = {.ident = ident, .err = snap->err}};

	name_function(snap->trigger, function, sizeof(function));
	find_origin(kernel, snap, path, origin, origin_function);
	if (kernel->build_id && kernel->build_id->len)
		build_id_text(kernel->build_id, build_id);
	made.memory = &findings->memory;
	for (int i = 0; i < FINDING_SENDERS && made.memory->told; i++)
		if (!made.memory->fresh[i])
			made.sent[i].ns =
				told_when(made.memory->told, ident, made.memory->senders[i]);
	made.taken.kind = snap->trigger ? trigger_kind_name(snap->trigger->kind) : "";
	made.function = strdup(function);
	made.origin = strdup(origin);
	made.origin_function = strdup(origin_function);
	made.build_id = strdup(build_id);
	made.release = strdup(kernel->release ?: "");
	made.model = strdup(snap->lbr ? snap->lbr->model : "");
	if (!made.function || !made.origin || !made.origin_function || !made.build_id ||
	    !made.release || !made.model)
		*ret = NULL;
	else
		*ret = path_counts_new(&findings->counts, &made.taken);
	if (!*ret)
		free_texts(&made);
	return *ret ? 0 : -ENOMEM;
}

int findings_add(struct findings *findings, const struct snapshot *snap, uint64_t ident,
		 const struct path *path, const struct finding_kernel *kernel, uint64_t lost,
		 struct finding *ret_finding)
{
	struct path_counts *counts = &findings->counts;
	struct finding_path *known = path_counts_find(counts, ident);
	int err = 0;

	if (!known && !findings->closed && !path_counts_full(counts))
		err = new_path(findings, snap, ident, path, kernel, &known);
	if (err)
		return err;
	path_counts_add(counts, known ? &known->taken : NULL, 1, snap->ts_ns);
	counts->lost += lost;
	*ret_finding =
		(struct finding){.snap = snap, .kernel = kernel, .path = known, .lost = lost};
	return 0;
}

const struct path_counts *findings_counts(const struct findings *findings)
{
	return &findings->counts;
}

const char *finding_errno(const struct finding_path *path, char *buf)
{
	const char *name = path->taken.err ? errno_name(path->taken.err) : "";

	if (name)
		return name;
	snprintf(buf, 24, "%d", path->taken.err);
	return buf;
}
