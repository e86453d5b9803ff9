// SPDX-License-Identifier: GPL-2.0
/* view_check.c - what can be asked of the files that the user named, before anything is done */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/graph_file.h"
#include "cmd/view.h"
#include "symbolize/debug/source_file.h"

#define SOURCES_REMEDY                                                                             \
	"name the root of the kernel's sources, the directory that has fs, kernel and mm"
#define DEBUG_REMEDY "name the directory that debug information is below, as /usr/lib/debug"

static int check_directory(const char *option, const char *path, const char *remedy,
			   struct errmsg *msg)
{
	struct stat st;
	int err = 0;

	if (path && stat(path, &st))
		err = -errno;
	else if (path && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	else if (path && access(path, R_OK | X_OK))
		err = -errno;
	return err ? errmsg_set(msg, err, "%s '%s': %s; %s", option, path, strerror(-err), remedy)
		   : 0;
}

int view_check_files(const struct view_options *opts, struct errmsg *msg)
{
	int err = check_directory("--source-dir", opts->source_dir, SOURCES_REMEDY, msg);

	if (!err)
		err = check_directory("--debug-dir", opts->debug_dir, DEBUG_REMEDY, msg);
	if (!err && opts->svg)
		err = graphviz_check(msg);
	return err ?: graph_check(opts->dot, opts->svg, msg);
}

int view_check_for_kernel(const struct view_options *opts, struct errmsg *msg)
{
	const char *missing;
	int err = view_check_files(opts, msg);

	if (err || !opts->source_dir)
		return err;
	err = sources_check_kernel(opts->source_dir, &missing);
	if (!err)
		return 0;
	return errmsg_set(msg, err, "--source-dir '%s': %s%s%s; " SOURCES_REMEDY, opts->source_dir,
			  missing ?: "", missing ? ": " : "", strerror(-err));
}
