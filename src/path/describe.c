// SPDX-License-Identifier: GPL-2.0
/* describe.c - gaps and decisions in words */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "path/path.h"

static const char *const gaps[] = {
	[PATH_GAP_NONE] = "",
	[PATH_GAP_USER] = "user space",
	[PATH_GAP_NO_TEXT] = "the code there cannot be read",
	[PATH_GAP_BACKWARDS] = "the next branch recorded lies before this point: branches are "
			       "missing in between",
	[PATH_GAP_TOO_LONG] = "the next branch recorded is too far away: branches are missing in "
			      "between",
	[PATH_GAP_UNDECODABLE] = "the bytes there are no instruction",
	[PATH_GAP_MISALIGNED] = "the next branch recorded lies inside an instruction: the code "
				"has changed, or branches are missing",
	[PATH_GAP_UNRECORDED] = "the code branches in between, and the record does not",
	[PATH_GAP_CHANGED] = "the code there has changed since: it does not branch as recorded",
	[PATH_GAP_PATCHING] = "the code there was being patched",
	[PATH_GAP_LBR_OFF] = "recording was, or may have been, switched off here",
	[PATH_GAP_ABORTED] = "a transaction was rolled back",
	[PATH_GAP_KERNEL] = "the program entered the kernel, which is not recorded, and went on "
			    "elsewhere",
	[PATH_GAP_OVERFLOW] = "the counter's overflow stopped the recording, some instructions "
			      "before its interrupt",
};

_Static_assert(sizeof(gaps) / sizeof(gaps[0]) == PATH_GAP_COUNT, "a reason for each gap");

const char *path_gap_text(enum path_gap gap)
{
	return (unsigned int)gap < PATH_GAP_COUNT ? gaps[gap] : "?";
}

int path_condition(const struct path *path, const struct path_decision *decision, char *buf,
		   size_t size)
{
	const struct path_insn *branch = &path->insns[decision->insn], *setter = NULL;

	if (decision->setter != PATH_NONE)
		setter = &path->insns[decision->setter];
	return insn_condition(setter ? setter->bytes : NULL, setter ? setter->len : 0,
			      setter ? setter->addr : 0, branch->bytes, branch->len,
			      decision->taken, buf, size);
}

void path_decision_text(const struct path *path, const struct path_decision *decision,
			insn_name_fn *name, void *ctx, char *buf, size_t size)
{
	const struct path_insn *branch = &path->insns[decision->insn], *setter;
	size_t used = 0;

	if (decision->setter != PATH_NONE) {
		setter = &path->insns[decision->setter];
		insn_format(setter->bytes, setter->len, setter->addr, INSN_ATT, name, ctx, buf,
			    size);
		used = strlen(buf);
		used += (size_t)snprintf(buf + used, size - used, "; ");
		if (used >= size)
			return;
	}
	insn_format(branch->bytes, branch->len, branch->addr, INSN_ATT, name, ctx, buf + used,
		    size - used);
}
