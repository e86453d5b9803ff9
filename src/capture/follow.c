// SPDX-License-Identifier: GPL-2.0
#include "capture/follow.h"

#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "record.h"
#include "lbrsnoop.skel.h"
#include "util/cleanup.h"
#include "util/lockdown.h"

/* Processes at once; an entry takes some 64 bytes. */
#define FOLLOWED_MAX 65536

void follow_select(struct lbrsnoop_bpf *skel, const struct capture_options *opts)
{
	bool follow = opts->follow && opts->pid;
	/* Then no program may read the kernel's memory, but through pointers with types. */
	bool locked = lockdown_read() == LOCKDOWN_CONFIDENTIALITY;

	skel->rodata->filter_children = follow;
	bpf_program__set_autoload(skel->progs.follow_fork, follow && !locked);
	bpf_program__set_autoload(skel->progs.follow_fork_typed, follow && locked);
	bpf_program__set_autoload(skel->progs.follow_exit, follow);
	if (follow)
		bpf_map__set_max_entries(skel->maps.followed, FOLLOWED_MAX);
}

int follow_arm(struct lbrsnoop_bpf *skel, const struct capture_options *opts, struct errmsg *msg)
{
	const struct {
		struct bpf_program *program;
		struct bpf_link **link;
	} all[] = {
		{skel->progs.follow_exit, &skel->links.follow_exit},
		{skel->progs.follow_fork, &skel->links.follow_fork},
		{skel->progs.follow_fork_typed, &skel->links.follow_fork_typed},
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!bpf_program__autoload(all[i].program))
			continue;
		*all[i].link = bpf_program__attach(all[i].program);
		if (!*all[i].link)
			return errmsg_set(msg, -errno,
					  "cannot follow children: no program may be attached to "
					  "tracepoint sched:%s: %s",
					  i ? "sched_process_fork" : "sched_process_exit",
					  strerror(errno));
	}
	return 0;
}
