/* SPDX-License-Identifier: GPL-2.0 */
/* uprobe.h - what functions of programs need beside their uprobes */
#ifndef LBRSNOOP_CAPTURE_UPROBE_H
#define LBRSNOOP_CAPTURE_UPROBE_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "decode/filter.h"
#include "decode/model.h"
#include "snapshot/probe.h"
#include "util/errmsg.h"

struct lbrsnoop_bpf;

/** probes_have_user() - is a user function among them? */
bool probes_have_user(const struct probe_list *probes);

/** probes_all_user() - are there no others? Then a path needs no branches of the kernel */
bool probes_all_user(const struct probe_list *probes);

/**
 * check_ring_filter() - can this CPU trace them?
 * Return: 0; -EOPNOTSUPP if they are programs' and it cannot leave the kernel's branches out.
 */
int check_ring_filter(const struct lbr_model *model, const struct lbr_filter_plan *plan,
		      const struct probe_list *probes, struct errmsg *msg);

/**
 * arm_stepped() - have the LBR switched on again after each hit, see bpf/uprobe.bpf.c
 * Before a uprobe is hit for the first time.
 * @ret_link: set on success; bpf_link__destroy()
 * Return: 0; negative errno.
 */
int arm_stepped(struct lbrsnoop_bpf *skel, struct bpf_link **ret_link, struct errmsg *msg);

#endif
