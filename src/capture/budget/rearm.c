// SPDX-License-Identifier: GPL-2.0
#include "capture/budget/rearm.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <time.h>

#include "capture/attach_perf.h"
#include "capture/capture_state.h"
#include "capture/flight_arm.h"
#include "capture/link_missed.h"
#include "symbolize/text/module_sections.h"
#include "util/clock.h"

#define LOOK_NS 1000000000ULL

/* Where hits go that the kernel counted; NULL: those of a counter are no hits. */
static uint64_t *fired_of(struct capture *capture, const struct probe *probe)
{
	if (!probe_is_event(probe))
		return &capture->hw_fired;
	return probe->trigger.kind == TRIGGER_PERF ? &capture->events_fired : NULL;
}

/* Keeps what the kernel counted of what is about to be disarmed. */
static void note_counts(struct capture *capture, const struct armed *armed)
{
	const struct probe *probe = &capture->probes->items[armed - capture->armed];
	uint64_t *fired = fired_of(capture, probe);

	capture->missed += armed_missed(armed);
	capture->throttled += armed_throttled(armed);
	capture->asked_ns = 0;
	if (armed->link)
		capture->unseen += link_missed(bpf_link__fd(armed->link));
	if (fired)
		*fired += armed_hw_hits(armed);
	else if (armed->hw_cpus && !armed->counted && !armed_hw_hits(armed))
		errmsg_queue_add(&capture->said,
				 "%s: no counter has counted anything: this machine's PMU does not "
				 "count that, as an emulated one may not",
				 probe->trigger.target);
}

void capture_retire(struct capture *capture, struct armed *armed)
{
	size_t target = armed - capture->armed;

	note_counts(capture, armed);
	capture->changed = true;
	disarm(armed);
	if (capture->probes->items[target].site_kind == SITE_ERRNO)
		forget_pending(capture->skel, target);
}

int capture_keep_armed(struct capture *capture, struct errmsg *msg)
{
	if (!capture->opts.flight_dir)
		return 0;
	return flight_pin_all(&capture->flight, capture->armed, capture->probes->count,
			      capture->events, CPUS, msg);
}

static void follow_hotplug(struct capture *capture)
{
	struct errmsg why = {};
	int failed, changes = lbr_events_update(capture->events, &failed, &why);

	if (failed >= 0)
		errmsg_queue_add(&capture->said, "not watched: %s", why.text);
	map_events_update(capture->maps);
	if (changes <= 0)
		return;
	capture->changed = true;
	for (size_t i = 0; i < capture->probes->count; i++) {
		const struct probe *probe = &capture->probes->items[i];
		struct armed *armed = &capture->armed[i];

		for (int cpu = 0; cpu < armed->hw_cpus; cpu++) {
			bool online = lbr_events_has(capture->events, cpu);

			/* Its breakpoints went with it, also where it is back already. */
			if (!online || lbr_events_renewed(capture->events, cpu)) {
				uint64_t *fired = fired_of(capture, probe);
				uint64_t hits = armed_hw_hits_cpu(armed, cpu);

				if (fired)
					*fired += hits;
				armed->counted = armed->counted || hits;
				capture->throttled += armed_throttled_cpu(armed, cpu);
				disarm_hw_cpu(armed, cpu);
			}
			if (!online)
				continue;
			if (attach_hw_cpu(capture->skel, probe, i, armed, cpu, &why))
				errmsg_queue_add(&capture->said,
						 "%s: cpu %d came online and is not watched: %s",
						 probe->trigger.target, cpu, why.text);
		}
	}
}

/*
 * A breakpoint does not hold its module, and stays on the address when that is gone: other code
 * that comes to be there would be taken for the function. So it is also where it has no turn now.
 */
static void follow_modules(struct capture *capture)
{
	for (size_t i = 0; i < capture->probes->count; i++) {
		struct probe *probe = &capture->probes->items[i];
		struct armed *armed = &capture->armed[i];

		if (probe->trigger.kind != TRIGGER_HW || !probe->module_text ||
		    module_section_addr(probe->trigger.module, ".text") == probe->module_text)
			continue;
		capture_retire(capture, armed);
		probe->trigger.kind = TRIGGER_NONE;
		capture->armed_count--;
		errmsg_queue_add(
			&capture->said,
			"%s: module %s was unloaded; its breakpoints are disarmed, start again "
			"when it is back",
			probe->trigger.target, probe->trigger.module);
	}
}

/*
 * The cheaper trigger is armed first, so that nothing is lost; what both see until the breakpoints
 * are gone is told once, see told_by_the_other().
 */
static void replace(struct capture *capture, size_t i)
{
	struct probe *probe = &capture->probes->items[i];
	struct armed *armed = &capture->armed[i], next;
	uint64_t hits;

	capture->changed = true;
	hits = armed_hw_hits(armed);
	if (keep_exit(probe, armed)) {
		capture->hw_fired += hits;
		return;
	}
	if (attach_next_worse(capture->skel, probe, i, &next, NULL)) {
		capture_retire(capture, armed);
		probe->trigger.kind = TRIGGER_NONE;
		capture->armed_count--;
		return;
	}
	next.since_ns = clock_ns(CLOCK_MONOTONIC);
	capture_retire(capture, armed);
	*armed = next;
}

/* The breakpoints cost too much: all of them give way to a trigger that filters first. */
static void make_cheaper(struct capture *capture, int cpu, double rate, double share)
{
	for (size_t i = 0; i < capture->probes->count; i++) {
		const struct probe *probe = &capture->probes->items[i];
		const char *now;

		if (!capture->armed[i].hw_cpus || probe_is_event(probe))
			continue;
		replace(capture, i);
		now = probe->trigger.kind == TRIGGER_NONE ? "disarmed"
							  : trigger_kind_name(probe->trigger.kind);
		errmsg_queue_add(
			&capture->said,
			"%s: %.0f hits a second on cpu %d cost %.3g %% of it (%.1f us each%s), "
			"more than the %g %% allowed; now %s (--max-overhead)",
			probe->trigger.target, rate, cpu, share * 100, capture->guard.hit_ns / 1e3,
			capture->guard.measured ? "" : ", assumed", capture->guard.budget * 100,
			now);
	}
}

/* Events that come too often: from now on only each so many are looked at. */
static void thin_out(struct capture *capture, int cpu, double rate, double share)
{
	uint64_t factor = 2;

	while ((double)factor * capture->event_guard.budget < share)
		factor *= 2;
	for (size_t i = 0; i < capture->probes->count; i++) {
		struct probe *probe = &capture->probes->items[i];

		if (!probe_is_event(probe) || !capture->armed[i].hw_cpus ||
		    probe->event.period >> 62)
			continue;
		events_set_period(&capture->armed[i], probe, probe->event.period * factor);
		errmsg_queue_add(
			&capture->said,
			"%s: %.0f snapshots a second on cpu %d cost %.3g %% of it (%.1f us each, "
			"assumed), more than the %g %% allowed; now one in %llu events "
			"(--max-overhead)",
			probe->trigger.target, rate, cpu, share * 100,
			capture->event_guard.hit_ns / 1e3, capture->event_guard.budget * 100,
			(unsigned long long)probe->event.period);
	}
}

/* What cannot be armed now may be next time; that it was not is said once. */
static void take_turn(struct capture *capture, size_t i)
{
	struct probe *probe = &capture->probes->items[i];
	bool told = probe->hw_reason[0];
	struct errmsg why = {};

	if (!attach_probe(capture->skel, probe, i, &capture->armed[i], &why) || told)
		return;
	snprintf(probe->hw_reason, sizeof(probe->hw_reason), "%.*s",
		 (int)sizeof(probe->hw_reason) - 1, why.text);
	errmsg_queue_add(&capture->said, "%s: not armed in its turn: %s", probe->trigger.target,
			 why.text);
}

/* The next group's turn. */
static void rotate(struct capture *capture)
{
	if (capture->group_count < 2)
		return;
	capture->group_now = capture->group_now % capture->group_count + 1;
	for (size_t i = 0; i < capture->probes->count; i++)
		/* What has given way to another trigger needs no register, and no turn. */
		if (capture->probes->items[i].group &&
		    capture->probes->items[i].group != capture->group_now &&
		    capture->probes->items[i].trigger.kind == TRIGGER_HW)
			capture_retire(capture, &capture->armed[i]);
	for (size_t i = 0; i < capture->probes->count; i++)
		if (capture->probes->items[i].group == capture->group_now &&
		    capture->probes->items[i].trigger.kind == TRIGGER_HW &&
		    !capture->armed[i].hw_cpus)
			take_turn(capture, i);
}

void capture_watch(struct capture *capture)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	double rate, share;
	int cpu = 0;

	if (!capture->events || now - capture->last_look_ns < LOOK_NS)
		return;
	capture->last_look_ns = now;
	follow_hotplug(capture);
	follow_modules(capture);
	rotate(capture);
	if (guard_over_budget(&capture->guard, (uint64_t *)capture->skel->bss->hw_hits, CPUS, now,
			      &cpu, &rate, &share))
		make_cheaper(capture, cpu, rate, share);
	if (guard_over_budget(&capture->event_guard, (uint64_t *)capture->skel->bss->event_hits,
			      CPUS, now, &cpu, &rate, &share))
		thin_out(capture, cpu, rate, share);
}

void capture_look_around(struct capture *capture)
{
	struct errmsg why = {};

	capture_watch(capture);
	if (!capture->events || !capture->changed)
		return;
	capture->changed = false;
	if (capture_keep_armed(capture, &why))
		errmsg_queue_add(&capture->said, "%s", why.text);
	capture_flight_describe(capture, capture->flight_symbols);
}
