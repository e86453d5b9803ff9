// SPDX-License-Identifier: GPL-2.0
/* Capture files: unpacking, records, and what is judged of each snapshot; capture_input.h */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_input.h"
#include "capfile/reader.h"
#include "path/staleness.h"
#include "path/path.h"
#include "render/backtrace.h"
#include "render/branch_list.h"
#include "symbolize/place.h"
#include "render/why/why_account.h"
#include "render/why/why_json.h"
#include "symbolize/trim.h"
#include "why/answer_record.h"

/* Snapshots of a file that are shown: the others come from the same code. */
#define SHOWN 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What why found out, and the way there, as report shows them: without a hit there is no place. */
static void judge_answer(struct capfile *capfile, const struct snapshot *snap,
			 const struct text_source *text, FILE *out)
{
	struct why_view view = {
		.symbols = capfile_symbols(capfile),
		.kernel_text = text,
		.story = snap->pid & 1,
		.all = snap->pid & 2,
		.no_values = snap->pid & 4,
	};
	struct answer answer;
	char **command = NULL;

	if (!snap->answer.len ||
	    answer_record_read(snap, capfile_symbols(capfile), &answer, &command))
		return;
	view.snap = answer.hit ? snap : NULL;
	render_why_account(out, &answer, &view);
	if (why_json(out, &answer, &view, NULL, (const char *const *)command) == -EIO)
		abort();
	answer_deinit(&answer);
	answer_record_free_command(command);
}

static void judge(struct capfile *capfile, struct snapshot *snap, FILE *out)
{
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = capfile_symbols(capfile)};
	struct text_source text = textstore_source(capfile_text(capfile));
	struct text_options how = {.raw = true, .addresses = true};
	struct backtrace_view context = {.symbols = capfile_symbols(capfile)};
	struct path *path = NULL;

	if (snap->count > BRANCHES_MAX || snap->raw_count > BRANCHES_MAX || !snap->trigger ||
	    !snap->lbr || !snap->filter || memchr(snap->comm, 0, COMM_LEN) == NULL)
		abort();
	snapshot_trim(snap, capfile_symbols(capfile));
	if (snap->wasted > snap->count || snap->shown_from > snap->count)
		abort();
	snapshot_classify_stale(snap, &text, &opts);
	judge_answer(capfile, snap, &text, out);
	if (!path_build(snap, &text, &opts, &path))
		path_free(path);
	path = NULL;
	if (!path_build_way(snap, &text, &opts, &path))
		path_free(path);
	render_text_snapshot(out, snap, capfile_symbols(capfile), &how);
	if (snap->stack_count > BACKTRACE_MAX || (snap->log && snap->log->count > LOG_LINES_MAX))
		abort();
	render_backtrace(out, snap, &context);
	render_registers(out, snap, &context);
	for (size_t i = 0; snap->log && i < snap->log->count; i++)
		fputs(snap->log->text[i], out);
	if (snap->bug_file)
		fputs(snap->bug_file, out);
}

static void read_file(const uint8_t *bytes, size_t len)
{
	static FILE *out;
	struct capfile *capfile;
	struct snapshot snap;
	uint64_t lost;
	char why[256];
	int count = 0;

	if (!out)
		out = fopen("/dev/null", "we");
	if (!out || capfile_open_bytes(bytes, len, UINT64_MAX, &capfile, NULL))
		return;
	while (capfile_next(capfile, &snap, &lost) > 0)
		if (count++ < SHOWN)
			judge(capfile, &snap, out);
	if (!capfile_ended(capfile))
		abort();
	capfile_end_text(capfile, why, sizeof(why));
	capfile_close(capfile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	uint8_t *bytes = input_bytes(data, size, &len);

	if (bytes)
		read_file(bytes, len);
	free(bytes);
	return 0;
}
