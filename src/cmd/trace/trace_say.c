// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_say.h"

#include <errno.h>
#include <string.h>

#include "capture/uprobe.h"
#include "cmd/trace/probe_say.h"
#include "cmd/why/why_advice.h"
#include "symbolize/text/text.h"
#include "util/log.h"

static bool wants_errors(const struct trace *trace)
{
	bool errors = trace->opts->capture.errno_filter;

	for (size_t i = 0; i < trace->probes.count; i++)
		if (trace->probes.items[i].trigger.kind != TRIGGER_NONE)
			errors = errors && probe_filters_errno(&trace->probes.items[i]);
	return errors;
}

/* Groups of hardware breakpoints that take turns; 0: all are armed all the time. */
static uint32_t count_groups(const struct trace *trace)
{
	uint32_t groups = 0;

	for (size_t i = 0; i < trace->probes.count; i++)
		if (trace->probes.items[i].group > groups)
			groups = trace->probes.items[i].group;
	return groups;
}

void trace_say_armed(const struct trace *trace)
{
	size_t armed = capture_armed(trace->capture);
	const struct probe *first = NULL;
	const char *warning = capture_warning(trace->capture);
	uint32_t groups = count_groups(trace);
	bool errors = wants_errors(trace);

	if (trace->image_path)
		log_info(
			"/proc/kcore: %s; so no path, and returns are looked for in %s, where they "
			"were built",
			text_live_why(trace->text_err), trace->image_path);
	else if (trace->text_err && !probes_all_user(&trace->probes))
		log_info("/proc/kcore: %s; so no hardware breakpoints on returns, and no path",
			 text_live_why(trace->text_err));
	for (size_t i = 0; i < trace->probes.count; i++) {
		const struct probe *probe = &trace->probes.items[i];

		if (probe->trigger.kind == TRIGGER_NONE)
			continue;
		first = first ?: probe;
		if (armed > 8 && log_get_level() < LOG_VERBOSE && !probe_gave_way(probe))
			continue;
		if (probe->namesakes)
			log_info("'%s': several functions have this name; tracing the one at %#llx",
				 probe->trigger.function,
				 (unsigned long long)probe->trigger.func_addr);
		probe_say_trigger(trace->capture, probe);
	}
	if (trace->wide)
		log_info("kprobe.multi: %s; the way to it spends the LBR, and 'lbrsnoop FUNCTION' "
			 "shows the path",
			 trace->opts->capture.errno_filter
				 ? "of each error the innermost function that returns it is shown"
				 : "every return is shown");
	if (groups)
		log_info("%u groups of hardware breakpoints take turns: each is armed one second "
			 "in %u",
			 groups, groups);
	if (capture_filters_in_software(trace->capture))
		log_info("-j %s: this CPU's LBR has no filter; of its %u entries Linux keeps those "
			 "of "
			 "this kind",
			 trace->opts->filter_name, capture_lbr(trace->capture)->depth);
	if (warning)
		log_warning("%zu of %zu targets armed; %s", armed, trace->probes.count, warning);
	if (trace->opts->flight)
		log_info("flight recorder in %s: the last %u snapshots are kept, in %u KiB; it "
			 "stays armed if lbrsnoop is killed",
			 trace->opts->flight, trace->opts->capture.flight_slots,
			 trace->opts->capture.flight_slots * 4);
	if (armed == 1 && first)
		log_info("tracing %s%s; Ctrl-C ends", first->trigger.target,
			 errors ? ", error returns" : "");
	else
		log_info("tracing %zu places%s; Ctrl-C ends", armed,
			 errors ? ", error returns" : "");
}

static const char *nothing_why(const struct trace *trace)
{
	if (trace->printed)
		return "";
	if (trace->opts->command && !trace->child.ended)
		return "; nothing matched so far: the command has not ended yet, and goes on "
		       "without us; more time (-t) may show it";
	if (count_groups(trace))
		return "; nothing matched in its turn: what fails but once may fail in another's; "
		       "let it fail again and again, or trace fewer places at a time";
	if (!wants_errors(trace))
		return "; nothing of it happened, or not where -p, -c, -C and a command look";
	if (trace->opts->command && !trace->opts->capture.follow)
		return "; nothing matched: is the function called (and not inlined into its "
		       "callers), by the command itself and no process that it starts (-f follows "
		       "those), and does it fail? '-e none' shows every return";
	return "; nothing matched: is the function called (and not inlined into its callers), and "
	       "does it fail? '-e none' shows every return";
}

void trace_say_summary(struct trace *trace)
{
	char advice[WHY_ADVICE_MAX];
	struct capture_stats stats;
	uint64_t lost;

	capture_stats(trace->capture, &stats);
	lost = stats.ring_full + stats.no_slot + stats.missed + stats.malformed;
	if (lost)
		log_warning(
			"%llu snapshots captured, %llu lost: %llu ring buffer full, %llu too many "
			"at once, %llu while the program already ran, %llu not understood",
			(unsigned long long)stats.written, (unsigned long long)lost,
			(unsigned long long)stats.ring_full, (unsigned long long)stats.no_slot,
			(unsigned long long)stats.missed, (unsigned long long)stats.malformed);
	else
		log_info("%llu snapshots captured, 0 lost%s", (unsigned long long)trace->printed,
			 nothing_why(trace));
	if (!lost && !trace->printed && wants_errors(trace) &&
	    (!trace->opts->command || trace->child.ended))
		log_info("what fails, and where, without the name of a function: %s",
			 why_advice(trace->opts, NULL, advice));
	if (stats.skipped)
		log_warning("besides, %llu hit%s of a hardware breakpoint or perf event, which the "
			    "filter may have wanted or not: the kernel runs no program there while "
			    "that of a "
			    "kprobe or tracepoint, or a bpf() call, is under way on the CPU",
			    (unsigned long long)stats.skipped, stats.skipped == 1 ? "" : "s");
	if (stats.unseen)
		log_warning(
			"not seen: %llu hit%s of a kprobe, or return%s of a kretprobe, which the "
			"filter may have wanted or not: the kernel was handling another one, or "
			"had no room for one more call under way; fexit: sees each",
			(unsigned long long)stats.unseen, stats.unseen == 1 ? "" : "s",
			stats.unseen == 1 ? "" : "s");
	if (stats.throttled)
		log_warning(
			"not seen: the kernel stopped perf events %llu time%s until its next "
			"tick, because more came than kernel.perf_event_max_sample_rate allows; "
			"a larger period (perf:EVENT:PERIOD) or a higher rate (sysctl) loses "
			"none",
			(unsigned long long)stats.throttled, stats.throttled == 1 ? "" : "s");
	if (stats.unfollowed)
		log_warning("%llu children could not be followed: there were too many processes at "
			    "once",
			    (unsigned long long)stats.unfollowed);
	if (stats.passed_on)
		log_info("%llu returns of callers that passed the same error on are not shown",
			 (unsigned long long)stats.passed_on);
	if (trace->left_at_end)
		log_warning("%llu more waited at the end, and are not shown",
			    (unsigned long long)trace->left_at_end);
	if (trace->left_out)
		log_warning("%llu more were left out (--max-rate %llu)",
			    (unsigned long long)trace->left_out,
			    (unsigned long long)trace->opts->max_rate);
	if (trace->opts->flight)
		log_info("%s: disarmed; 'lbrsnoop report --flight' shows what it holds, "
			 "'lbrsnoop record --flight --discard' frees it",
			 trace->opts->flight);
	if (trace->recording && !recording_flush(trace->recording)) {
		uint64_t bytes, count = recording_count(trace->recording, &bytes);

		log_info("%s: %llu snapshots, %llu bytes; 'lbrsnoop report %s' shows them",
			 trace->opts->record, (unsigned long long)count, (unsigned long long)bytes,
			 trace->opts->record);
	}
}

void trace_say_error(const struct trace *trace, int err, const struct errmsg *msg)
{
	const char *said = msg->text[0] ? msg->text : strerror(-err);
	char advice[WHY_ADVICE_MAX];

	if (err == -ENODEV && wants_errors(trace))
		log_error("%s; what needs no LBR: %s", said, why_advice(trace->opts, NULL, advice));
	else
		log_error("%s", said);
}

void trace_say_guard(const struct trace *trace)
{
	const char *said;

	while ((said = capture_guard_said(trace->capture)))
		log_warning("%s", said);
}
