// SPDX-License-Identifier: GPL-2.0
#include "target/kinds/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "target/suggest.h"
#include "util/cleanup.h"

/* What a CPU counts by the thousand a microsecond; bpftrace's period, too. */
#define PERIOD_PMU 1000000
/* Nanoseconds: a thousand a second. */
#define PERIOD_CLOCK 1000000

#define SOFTWARE(event, n, every, text)                                                            \
	.name = (n), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event,                  \
	.period = (every), .what = (text)
#define PMU(event, n, text)                                                                        \
	.name = (n), .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event,                  \
	.period = PERIOD_PMU, .what = (text)

/*
 * include/uapi/linux/perf_event.h: enum perf_sw_ids and enum perf_hw_id, but for those that never
 * fire (dummy, bpf-output); names: tools/perf/util/parse-events.l. cgroup-switches came with
 * Linux 5.13.
 */
static const struct perf_event_name events[] = {
	{SOFTWARE(PAGE_FAULTS, "page-faults", 1, "a page that is used was not mapped"),
	 .alias = "faults"},
	{SOFTWARE(PAGE_FAULTS_MIN, "minor-faults", 1, "... and was in memory; fires behind it")},
	{SOFTWARE(PAGE_FAULTS_MAJ, "major-faults", 1,
		  "... and had to be read from a device; fires behind it")},
	{SOFTWARE(CONTEXT_SWITCHES, "context-switches", 1, "a CPU leaves a task for another one"),
	 .alias = "cs"},
	{SOFTWARE(CPU_MIGRATIONS, "cpu-migrations", 1, "a task is moved to another CPU"),
	 .alias = "migrations"},
	{SOFTWARE(CGROUP_SWITCHES, "cgroup-switches", 1,
		  "a CPU leaves a task for one of another cgroup")},
	{SOFTWARE(ALIGNMENT_FAULTS, "alignment-faults", 1,
		  "an access that the kernel has to split (not on x86)")},
	{SOFTWARE(EMULATION_FAULTS, "emulation-faults", 1,
		  "an instruction that the kernel emulates (not on x86)")},
	{SOFTWARE(CPU_CLOCK, "cpu-clock", PERIOD_CLOCK, "nanoseconds of each CPU, by a timer")},
	{SOFTWARE(TASK_CLOCK, "task-clock", PERIOD_CLOCK, "the same, by another clock")},
	{PMU(CPU_CYCLES, "cycles", "cycles of the core"), .alias = "cpu-cycles"},
	{PMU(INSTRUCTIONS, "instructions", "instructions that retired")},
	{PMU(CACHE_REFERENCES, "cache-references", "accesses to the last level of cache")},
	{PMU(CACHE_MISSES, "cache-misses", "... that missed it")},
	{PMU(BRANCH_INSTRUCTIONS, "branches", "branch instructions that retired"),
	 .alias = "branch-instructions"},
	{PMU(BRANCH_MISSES, "branch-misses", "... that were mispredicted")},
	{PMU(BUS_CYCLES, "bus-cycles", "cycles of the bus")},
	{PMU(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "cycles without an instruction")},
	{PMU(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "cycles without a resource")},
	{PMU(REF_CPU_CYCLES, "ref-cycles", "cycles at the nominal frequency")},
};

const struct perf_event_name *perf_event_at(size_t i)
{
	return i < ARRAY_SIZE(events) ? &events[i] : NULL;
}

bool perf_event_of_software(uint32_t type)
{
	return type == PERF_TYPE_SOFTWARE;
}

static const struct perf_event_name *find_event(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(name, events[i].name) ||
		    (events[i].alias && !strcmp(name, events[i].alias)))
			return &events[i];
	return NULL;
}

/* rNNN: the PMU's own number of the event, in hexadecimal. */
static bool parse_raw(const char *name, uint64_t *ret_config)
{
	size_t digits;

	if (name[0] != 'r')
		return false;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || name[1 + digits])
		return false;
	*ret_config = strtoull(name + 1, NULL, 16);
	return true;
}

static int no_such_event(const struct target_spec *spec, struct errmsg *msg)
{
	struct suggestions sug = {.wanted = spec->name};
	char near[SUGGESTIONS_MAX * 130 + 32];

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		suggestions_offer(&sug, events[i].name);
	errmsg_set(msg, -EINVAL, "target '%s': there is no perf event '%.64s'; there are",
		   spec->text, spec->name);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		errmsg_add(msg, "%s %s", i ? "," : "", events[i].name);
	errmsg_add(msg, ", and rNNN, a number of the PMU's own%s",
		   suggestions_text(&sug, near, sizeof(near)));
	return -EINVAL;
}

int perf_event_parse(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	const char *colon = strchr(rest, ':');
	const struct perf_event_name *event;
	char *end;

	spec->name = colon ? strndup(rest, (size_t)(colon - rest)) : strdup(rest);
	if (!spec->name)
		return -ENOMEM;
	event = find_event(spec->name);
	if (event) {
		spec->event.type = event->type;
		spec->event.config = event->config;
		spec->event.period = event->period;
	} else if (parse_raw(spec->name, &spec->event.config)) {
		spec->event.type = PERF_TYPE_RAW;
		spec->event.period = PERIOD_PMU;
	} else {
		return no_such_event(spec, msg);
	}
	spec->kind = perf_event_of_software(spec->event.type) ? TRIGGER_PERF : TRIGGER_PMI;
	if (!colon)
		return 0;
	errno = 0;
	spec->event.period = strtoull(colon + 1, &end, 10);
	/* perf_event_open() refuses what does not fit 63 bits. */
	if (colon[1] < '1' || colon[1] > '9' || *end || errno || spec->event.period >> 63)
		return errmsg_set(msg, -EINVAL,
				  "target '%s': '%.64s' is not a period; perf:%s:100 fires at each "
				  "100th event",
				  spec->text, colon + 1, spec->name);
	return 0;
}

int perf_event_add(struct resolver *resolver, const struct target_spec *spec,
		   struct probe_list *list, struct errmsg *msg)
{
	struct probe *probe = probe_list_add(list);

	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = spec->kind;
	probe->trigger.target = strdup(spec->text);
	probe->trigger.function = strdup("");
	probe->trigger.module = strdup("");
	probe->event = spec->event;
	probe->ret = RETURN_NONE;
	return probe->trigger.target && probe->trigger.function && probe->trigger.module ? 0
											 : -ENOMEM;
}
