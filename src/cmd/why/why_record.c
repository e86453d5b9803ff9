// SPDX-License-Identifier: GPL-2.0
#include "cmd/why/why_record.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "capfile/recorder.h"
#include "capture/capture.h"
#include "decode/model.h"
#include "util/cleanup.h"
#include "util/shell_words.h"
#include "why/answer_record.h"
#include "why/deep/deep.h"
#include "why/hit_snapshot.h"

#define COMMAND_BYTES 4096

int why_record_open(const char *path, const char *const *command, struct symbols *symbols,
		    const struct text_source *text, struct recorder **ret, struct errmsg *msg)
{
	struct lbr_info lbr = {.model = "unknown", .format = -1};
	char line[COMMAND_BYTES] = "lbrsnoop why -- ";
	size_t len = sizeof("lbrsnoop why -- ") - 1;
	struct lbr_model model;
	const struct recorder_options opts = {
		.path = path,
		.command = line,
		.tool = argp_program_version,
		.symbols = symbols,
		.text = *text,
		.lbr = &lbr,
		.filter = "any,u,k",
		.path_ok = true,
	};

	if (command)
		shell_words(command, line + len, sizeof(line) - len);
	if (!lbr_model_of_host(&model))
		lbr_model_info(&model, lbr_depth(), &lbr);
	return recorder_open(&opts, ret, msg);
}

int why_way(const struct deep_path *deep, struct branch_ends **ret)
{
	struct branch_ends *branches = calloc(deep->count + 1, sizeof(*branches));

	if (!branches)
		return -ENOMEM;
	for (size_t i = 0; i < deep->count; i++)
		branches[i] = (struct branch_ends){deep->branches[i].from, deep->branches[i].to};
	*ret = branches;
	return 0;
}

int why_record_answer(struct recorder *recorder, const char *const *command,
		      const struct answer *answer, const struct branch_ends *way)
{
	_cleanup_free_ struct hit_snapshot *hit = calloc(1, sizeof(*hit));
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t len = 0;
	int err;

	if (!answer->hit || !answer->call)
		return -ENODATA;
	if (!hit)
		return -ENOMEM;
	hit_snapshot_make(answer->hit, &answer->site, answer->call, hit);
	err = answer_record_make(answer, command, &bytes, &len);
	if (err)
		return err;
	hit->snap.answer = (struct answer_bytes){bytes, len};
	if (way)
		hit->snap.way = (struct deep_way){way, answer->deep->count};
	/* Of several places one is as likely as the others. */
	for (size_t i = 0; i < answer->candidates.count && !err; i++)
		err = recorder_need(recorder, answer->candidates.items[i].addr);
	if (!err && answer->decider_hit)
		err = recorder_need(recorder, answer->decider.addr);
	return err ?: recorder_add(recorder, &hit->snap, 0);
}
