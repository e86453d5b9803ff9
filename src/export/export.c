// SPDX-License-Identifier: GPL-2.0
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "export/journal.h"
#include "export/metrics.h"
#include "export/otlp.h"
#include "export/otlp_file.h"
#include "util/clock.h"
#include "util/fnv.h"

/**
 * struct export
 * @otlp: closed by us, if @otlp_own
 * @journal_told: the counts at the end are sent
 * @otlp_err: what writing it failed of; told at the end, with its name
 * @quota: of @journal and @otlp_file
 * @host: of the last snapshot, for @otlp_file
 */
struct export
{
	const struct export_options *opts;
	struct findings *findings;
	struct journal *journal;
	FILE *otlp;
	bool otlp_own;
	bool journal_told;
	int otlp_err;
	struct otlp_file *otlp_file;
	struct told *told;
	struct quota quota;
	char host[FINDING_NAME_BYTES];
};

bool export_takes_output(const struct export_options *opts)
{
	return opts->otlp && !strcmp(opts->otlp, "-");
}

bool export_wanted(const struct export_options *opts)
{
	return opts->otlp || opts->metrics || opts->journal;
}

/* What was sent to another file, or to one that is not there any more, is not in this one. */
static int remember(struct export *export, struct errmsg *msg)
{
	const struct export_options *opts = export->opts;
	struct finding_memory memory = {.senders = {[FINDING_JOURNAL] = "journal"}};
	struct stat st;
	int err = told_open(opts->state, clock_ns(CLOCK_REALTIME), &export->told, msg);

	if (err || !export->told)
		return err;
	memory.told = export->told;
	if (opts->otlp) {
		snprintf(memory.senders[FINDING_OTLP], TOLD_SENDER_BYTES, "otlp-%016" PRIx64,
			 fnv(FNV_START, opts->otlp, strlen(opts->otlp)));
		memory.fresh[FINDING_OTLP] = stat(opts->otlp, &st) || !st.st_size;
	}
	findings_remember(export->findings, &memory);
	return 0;
}

/* What a service meets: a directory that its unit lets nobody write to, a pipe without a reader. */
static const char *remedy(int err)
{
	switch (-err) {
	case EROFS:
		return "; in a unit with ProtectSystem=, ReadWritePaths= has to name its directory";
	case EACCES:
		return "; its directory has to belong to the service's user";
	case ENOENT:
		return "; make its directory";
	case EISDIR:
		return "; name a file in it";
	case ENXIO:
		return "; nobody reads this pipe: start who does before";
	default:
		return "";
	}
}

static int output_error(const char *key, const char *path, int err, struct errmsg *msg)
{
	return errmsg_set(msg, err, "%s=: %s: %s%s", key, path, strerror(-err), remedy(err));
}

static int open_otlp(struct export *export, struct errmsg *msg)
{
	const struct export_options *opts = export->opts;
	int err = otlp_file_open(opts->otlp, opts->comm, &export->quota, &export->otlp_file);

	return err ? output_error("OTLP", opts->otlp, err, msg) : 0;
}

static int open_journal(struct export *export, struct errmsg *msg)
{
	const struct export_options *opts = export->opts;
	const struct journal_options how = {
		.asked = opts->service ? "Journal=" : "--journal",
		.with_comm = opts->comm,
		.live = opts->live,
		.capture_bytes = opts->capture_bytes,
	};

	return journal_create(&how, &export->journal, msg);
}

int export_create(const struct export_options *opts, FILE *out, struct export **ret_export,
		  struct errmsg *msg)
{
	struct export *export = calloc(1, sizeof(*export));
	int err = 0;

	if (!export)
		return -ENOMEM;
	export->opts = opts;
	export->findings = findings_create();
	if (!export->findings)
		err = -ENOMEM;
	else if (opts->journal)
		err = open_journal(export, msg);
	if (!err && opts->service && opts->state)
		err = remember(export, msg);
	if (!err && opts->service && opts->otlp)
		err = open_otlp(export, msg);
	if (err) {
		export_destroy(export);
		return err;
	}
	export->quota.records_per_s = opts->records_per_s;
	export->quota.bytes_per_s = opts->bytes_per_s;
	if (opts->service) {
		if (export->journal)
			journal_limit(export->journal, &export->quota);
	} else if (export_takes_output(opts)) {
		export->otlp = out;
	} else if (opts->otlp) {
		export->otlp = fopen(opts->otlp, "we");
		export->otlp_own = true;
		if (!export->otlp) {
			err = -errno;
			export_destroy(export);
			return errmsg_set(msg, err, "%s: %s", opts->otlp, strerror(-err));
		}
	}
	*ret_export = export;
	return 0;
}

bool export_wants_path(const struct export *export, uint64_t ident)
{
	return findings_wants_path(export->findings, ident);
}

int export_add(struct export *export, const struct snapshot *snap, uint64_t ident,
	       const struct path *path, const struct finding_kernel *kernel, uint64_t lost)
{
	struct finding finding;
	int err = findings_add(export->findings, snap, ident, path, kernel, lost, &finding);

	if (!err && export->otlp && !export->otlp_err) {
		errno = 0;
		err = otlp_write(export->otlp, &finding, export->opts->comm);
		if (err == -EIO && export->otlp_own) {
			export->otlp_err = errno ? -errno : -EIO;
			err = 0;
		}
	}
	if (!err && export->journal)
		journal_add(export->journal, &finding);
	if (!err && export->otlp_file) {
		snprintf(export->host, sizeof(export->host), "%s", kernel->host ?: "");
		otlp_file_add(export->otlp_file, &finding);
	}
	return err;
}

void export_add_left_out(struct export *export, uint64_t count)
{
	findings_add_left_out(export->findings, count);
}

void export_add_lost(struct export *export, uint64_t lost)
{
	findings_add_lost(export->findings, lost);
}

void export_close(struct export *export, bool closed)
{
	findings_close(export->findings, closed);
}

struct export_totals export_totals(const struct export *export)
{
	const struct path_counts *counts = findings_counts(export->findings);
	uint64_t journal = export->journal ? findings_untold(export->findings, FINDING_JOURNAL) : 0;
	struct journal_captures_sent captures = {};
	uint64_t otlp = export->otlp_file ? findings_untold(export->findings, FINDING_OTLP) : 0;

	if (export->journal)
		captures = journal_captures(export->journal);
	return (struct export_totals){
		.paths = counts->paths.count,
		.taken = counts->snapshots,
		.left_out = counts->left_out,
		.lost = counts->lost,
		.waiting = journal > otlp ? journal : otlp,
		.captures = captures.sent,
		.captures_left_out = captures.left_out,
	};
}

void export_pace(struct export *export)
{
	if (export->journal)
		journal_pace(export->journal, export->findings, clock_ns(CLOCK_REALTIME));
}

static int tell_otlp(struct export *export, uint64_t now_ns, struct errmsg *msg)
{
	int err = otlp_file_tell(export->otlp_file, export->findings, export->host, now_ns);

	err = err ?: otlp_file_error(export->otlp_file);
	return err ? output_error("OTLP", export->opts->otlp, err, msg) : 0;
}

int export_tell(struct export *export, bool last, struct errmsg *msg)
{
	const struct export_options *opts = export->opts;
	uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	struct errmsg later = {};
	int err = 0, other;

	if (last)
		quota_end(&export->quota, clock_ns(CLOCK_MONOTONIC));
	if (export->otlp_file)
		err = tell_otlp(export, now_ns, msg);
	if (export->journal) {
		struct errmsg *say = err ? &later : msg;

		other = last ? journal_finish(export->journal, export->findings, say)
			     : journal_tell(export->journal, export->findings, now_ns, say);
		export->journal_told = last;
		err = err ?: other;
	}
	if (opts->metrics) {
		other = metrics_write(opts->metrics, true, export->findings,
				      opts->series ?: EXPORT_SERIES, &later);
		if (other)
			err = err ?: output_error("Metrics", opts->metrics, other, msg);
	}
	if (export->told) {
		other = told_error(export->told, now_ns, err ? &later : msg);
		err = err ?: other;
	}
	return err;
}

int export_finish(struct export *export, struct errmsg *msg)
{
	const struct export_options *opts = export->opts;
	int err = 0;

	if (export->otlp_own) {
		err = export->otlp_err;
		if (fclose(export->otlp) && !err)
			err = -errno;
		export->otlp = NULL;
		export->otlp_own = false;
		if (err)
			return errmsg_set(msg, err, "%s: %s", opts->otlp, strerror(-err));
	}
	export->journal_told = true;
	if (export->journal)
		err = journal_finish(export->journal, export->findings, msg);
	if (!err && opts->metrics)
		err = metrics_write(opts->metrics, false, export->findings,
				    opts->series ?: EXPORT_SERIES, msg);
	return err;
}

void export_destroy(struct export *export)
{
	if (!export)
		return;
	if (export->otlp_own && export->otlp)
		fclose(export->otlp);
	/* The run ended early: what was captured until then is told all the same. */
	if (export->journal && !export->journal_told)
		journal_finish(export->journal, export->findings, &(struct errmsg){0});
	journal_destroy(export->journal);
	otlp_file_close(export->otlp_file);
	findings_destroy(export->findings);
	told_close(export->told);
	free(export);
}
