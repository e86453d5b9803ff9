// SPDX-License-Identifier: GPL-2.0
#include "capture/uprobe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "record.h"
#include "lbrsnoop.skel.h"

bool probes_have_user(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (probes->items[i].trigger.kind == TRIGGER_UPROBE ||
		    probes->items[i].trigger.kind == TRIGGER_URETPROBE ||
		    probes->items[i].trigger.kind == TRIGGER_SIGNAL)
			return true;
	return false;
}

bool probes_all_user(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (!trigger_is_user(&probes->items[i].trigger))
			return false;
	return probes->count;
}

/* All of the LBR is the kernel's own by the time that a uprobe's handler runs. */
int check_ring_filter(const struct lbr_model *model, const struct lbr_filter_plan *plan,
		      const struct probe_list *probes, struct errmsg *msg)
{
	if (!plan->software || !probes_all_user(probes))
		return 0;
	return errmsg_set(msg, -EOPNOTSUPP,
			  "'%s': this CPU (%s) cannot leave the kernel's branches out of its LBR, "
			  "and handling the trap or event overwrites all of its entries: it cannot "
			  "trace user functions",
			  probes->items[0].trigger.target, model->title);
}

int arm_stepped(struct lbrsnoop_bpf *skel, struct bpf_link **ret_link, struct errmsg *msg)
{
	static const char function[] = "arch_uprobe_post_xol";
	struct bpf_link *link;

	link = bpf_program__attach_kprobe(skel->progs.uprobe_stepped, false, function);
	if (!link)
		return errmsg_set(msg, -errno,
				  "kprobe:%s: %s; without it the LBR stays off once a uprobe was "
				  "hit",
				  function, strerror(errno));
	*ret_link = link;
	return 0;
}
