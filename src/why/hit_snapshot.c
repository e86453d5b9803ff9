// SPDX-License-Identifier: GPL-2.0
#include "why/hit_snapshot.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/ring/ring_record.h"
#include "util/clock.h"

#define BRANCHES (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)

static void fill_probe(const struct site *site, struct hit_snapshot *to)
{
	snprintf(to->target, sizeof(to->target), "hw:0x%" PRIx64, site->addr);
	to->probe = (struct probe){
		.trigger =
			{
				.target = to->target,
				.kind = TRIGGER_HW,
				.function = (char *)site->sym.name,
				.module = (char *)site->sym.module,
				.addr = site->addr,
				.func_addr = site->sym.addr,
				.func_size = site->sym.size,
			},
		.ret = RETURN_S32,
		.site_kind = SITE_ERRNO,
	};
}

/* Branches as any other trigger's; false if there are none, or they make no sense. */
static bool decode_branches(const struct why_hit *hit, struct hit_snapshot *to)
{
	struct probe_list probes = {.items = &to->probe, .count = 1};
	struct record_context ctx = {
		.model = &to->model,
		.lbr = &to->lbr,
		.probes = &probes,
		.triggers = to->triggers,
		.filter = "any,u,k",
		.plan = {.kernel = BRANCHES},
		.path_ok = true,
		.mono_to_real_ns = (int64_t)clock_mono_to_real_ns(),
	};

	if (!hit->hw || lbr_model_of_host(&to->model))
		return false;
	lbr_model_info(&to->model, lbr_depth(), &to->lbr);
	to->rec = hit->rec;
	to->rec.target = 0;
	return !record_decode(&ctx, &to->rec, sizeof(to->rec), &to->snap);
}

void hit_snapshot_make(const struct why_hit *hit, const struct site *site,
		       const struct failure *failure, struct hit_snapshot *ret)
{
	struct snapshot *snap = &ret->snap;

	memset(ret, 0, sizeof(*ret));
	fill_probe(site, ret);
	if (!decode_branches(hit, ret)) {
		snapshot_clear(snap);
		snap->ts_ns = failure->mono_ns + clock_mono_to_real_ns();
		snap->pid = failure->tgid;
		snap->tid = failure->tid;
		memcpy(snap->comm, failure->comm, COMM_LEN);
		snap->trigger = &ret->probe.trigger;
		snap->ip = hit->ip;
		snap->has_retval = true;
		snap->retval = -(int64_t)failure->err;
		snap->err = (int)failure->err;
		snap->lbr = &ret->lbr;
	}
	snap->regs = (const uint64_t *)hit->regs;
	snap->stack = (const uint64_t *)hit->stack;
	snap->stack_count = hit->frames;
	snap->stack_cut = hit->frames == WHY_STACK_MAX;
}
