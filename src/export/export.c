// SPDX-License-Identifier: GPL-2.0
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/journal.h"
#include "export/metrics.h"
#include "export/otlp.h"

/**
 * struct export
 * @otlp: closed by us, if @otlp_own
 * @journal_told: the counts at the end are sent
 * @otlp_err: what writing it failed of; told at the end, with its name
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
};

bool export_takes_output(const struct export_options *opts)
{
	return opts->otlp && !strcmp(opts->otlp, "-");
}

bool export_wanted(const struct export_options *opts)
{
	return opts->otlp || opts->metrics || opts->journal;
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
		err = journal_create(opts->comm, opts->live, &export->journal, msg);
	if (err) {
		export_destroy(export);
		return err;
	}
	if (export_takes_output(opts)) {
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
	return !findings_know(export->findings, ident);
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
		err = metrics_write(opts->metrics, export->findings, opts->series ?: EXPORT_SERIES,
				    msg);
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
	findings_destroy(export->findings);
	free(export);
}
