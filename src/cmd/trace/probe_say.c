// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/probe_say.h"

#include <stdint.h>

#include "util/log.h"

/* -e with a place that returns nothing would look as if the filter let all through. */
bool probe_filters_errno(const struct probe *probe)
{
	switch (trigger_traits(probe->trigger.kind)->value) {
	case VALUE_RETURN:
		return true;
	case VALUE_RETURN_AT_SITES:
		return probe->site_kind != SITE_PLAIN;
	case VALUE_SYSCALL_RETURN:
		return probe->ret == RETURN_S64;
	default:
		return false;
	}
}

void probes_warn_unfiltered(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		const char *target = probes->items[i].trigger.target;

		if (probe_filters_errno(&probes->items[i]))
			continue;
		log_warning("'%s' has no return value, so --errno leaves nothing out there: every "
			    "hit is captured",
			    target);
		return;
	}
}

bool probe_gave_way(const struct probe *probe)
{
	return probe->gives_way && probe->hw_reason[0];
}

void probe_say_trigger(const struct capture *capture, const struct probe *probe)
{
	uint64_t hit_ns = capture_hit_ns(capture);
	bool amd = capture_lbr(capture)->supported & LBR_HAS_SPEC;
	/* APM vol. 2, 13.1.1.8: it does not say if the way into the handler is recorded. */
	const char *loss = amd ? "no LBR entry lost, or one: 'lbrsnoop doctor' measures it"
			       : "no LBR entry lost";

	if (probe->trigger.kind == TRIGGER_HW && probe->site_kind == SITE_RETURN)
		log_info("%s: hardware breakpoint on %u return%s, %s, %.1f us a call%s%s",
			 probe->trigger.target, probe->site_count,
			 probe->site_count == 1 ? "" : "s", loss, hit_ns / 1e3,
			 probe->hw_reason[0] ? "; not where the errno is loaded: " : "",
			 probe->hw_reason);
	else if (probe->trigger.kind == TRIGGER_HW && probe->site_kind == SITE_ERRNO)
		log_info("%s: hardware breakpoint on %u instruction%s that load%s the errno, %s, "
			 "%.1f us %s",
			 probe->trigger.target, probe->site_count,
			 probe->site_count == 1 ? "" : "s", probe->site_count == 1 ? "s" : "", loss,
			 hit_ns / 1e3,
			 probe->site_certain[0]
				 ? "an error, nothing for other calls"
				 : "for each call that loads it, whatever it returns then, and a "
				   "check at the exit (fexit) for every call");
	else if (probe->trigger.kind == TRIGGER_HW && probe->optional && probe->place)
		log_info("%s: hardware breakpoint on %s(), %.1f us a hit; kept until it is known "
			 "to be an error",
			 probe->trigger.target, probe->trigger.function, hit_ns / 1e3);
	else if (probe->trigger.kind == TRIGGER_HW)
		log_info("%s: hardware breakpoint, %s, %.1f us a hit", probe->trigger.target, loss,
			 hit_ns / 1e3);
	else if (probe->trigger.kind == TRIGGER_PERF)
		log_info("%s: perf event, period %llu; the branches of the program that is at "
			 "work: those of the kernel would all be of telling of it",
			 probe->trigger.target, (unsigned long long)probe->event.period);
	else if (probe->trigger.kind == TRIGGER_PMI)
		log_info("%s: interrupt of a counter, period %llu; the CPU freezes the LBR for it",
			 probe->trigger.target, (unsigned long long)probe->event.period);
	else if (trigger_is_user(&probe->trigger))
		log_info("%s: %s%s%s", probe->trigger.target,
			 trigger_kind_name(probe->trigger.kind), probe->trigger.path ? " in " : "",
			 probe->trigger.path ?: "");
	else
		log_info("%s: %s%s%s%s%s", probe->trigger.target,
			 trigger_kind_name(probe->trigger.kind), probe->place ? " on " : "",
			 probe->place ? probe->trigger.function : "",
			 probe->hw_reason[0] ? ", which spends LBR entries: " : "",
			 probe->hw_reason);
}
