// SPDX-License-Identifier: GPL-2.0
#include "cmd/trace/trace_prepare.h"

#include <errno.h>
#include <string.h>

#include "capture/attach_perf.h"
#include "capture/breakpoint.h"
#include "capture/lbr/lbr_cause.h"
#include "capture/multi.h"
#include "cmd/cmd.h"
#include "cmd/trace/filters.h"
#include "cmd/trace/probe_say.h"
#include "cmd/trace/trace_say.h"
#include "host/capabilities.h"
#include "symbolize/text/kernelimage.h"
#include "symbolize/place.h"
#include "symbolize/trim.h"
#include "target/choose.h"
#include "target/switches.h"
#include "target/wide.h"
#include "util/cleanup.h"
#include "util/log.h"

/* 0 also where there is none: the target that needs it says so. */
static int open_lines(const struct trace *trace, struct lines **ret_lines, struct errmsg *msg)
{
	const struct trace_options *opts = trace->opts;
	struct lines_options lines = {.vmlinux = opts->view.vmlinux,
				      .debug_dir = opts->view.debug_dir,
				      .symbols = trace->symbols};
	bool needed = false;
	char text[700];
	int err;

	for (size_t i = 0; i < opts->target_count; i++)
		needed = needed || target_needs_lines(&opts->targets[i]);
	*ret_lines = NULL;
	if (!needed)
		return 0;
	err = lines_open(&lines, ret_lines);
	if (err == -ESTALE)
		return errmsg_set(msg, err, "%s: %s", lines.vmlinux,
				  lines_mismatch(&lines, text, sizeof(text)));
	return err == -ENOMEM ? err : 0;
}

static bool tracepoints_only(const struct trace_options *opts)
{
	for (size_t i = 0; i < opts->target_count; i++)
		if (!trigger_traits(opts->targets[i].kind)->needs_no_symbols)
			return false;
	return true;
}

/*
 * The kernel takes tens of milliseconds to make /proc/kallsyms. Tracepoints are armed meanwhile:
 * only what is captured there has to be told by name. With an LBR, the programs are given an
 * address.
 */
static bool symbols_can_wait(const struct trace_options *opts)
{
	return tracepoints_only(opts) && opts->capture.without_lbr && !opts->flight;
}

int trace_end_symbols(struct trace *trace, struct errmsg *msg)
{
	const struct btf *btf = resolver_btf(trace->resolver);
	int err = trace->symbols_read ? 0 : symbols_open_end(trace->symbols, btf);

	trace->symbols_read = true;
	return err ? errmsg_set(msg, err, "/proc/kallsyms: %s", kallsyms_error(err)) : 0;
}

/* Of several presets, what is not to be had here is said, and the others are armed. */
static int add_target(struct trace *trace, const struct target_spec *spec, struct errmsg *msg)
{
	int err = resolver_add(trace->resolver, spec, &trace->probes, msg);

	/* A service has one configuration for hosts with several kernels. */
	if (err == -ENOMEM || (err && !trace->opts->skip_unknown))
		return err;
	if (err)
		log_warning("%s; this target is left out", *msg->text ? msg->text : strerror(-err));
	else if (*msg->text)
		log_warning("%s", msg->text);
	msg->text[0] = '\0';
	return 0;
}

static int resolve_targets(struct trace *trace, struct errmsg *msg)
{
	const struct trace_options *opts = trace->opts;
	struct resolve_options resolve = {
		.symbols = trace->symbols,
		.force = opts->trigger,
		.pid = opts->capture.pid,
		.debug_dir = opts->view.debug_dir,
		.errors_only = opts->capture.errno_filter || opts->compare.wanted,
		.tracepoints_only = tracepoints_only(opts),
	};
	int err = open_lines(trace, &resolve.lines, msg);

	if (!err)
		err = resolver_create(&resolve, &trace->resolver, msg);
	if (!err && !symbols_can_wait(opts))
		err = trace_end_symbols(trace, msg);
	for (size_t i = 0; !err && i < opts->target_count; i++)
		err = add_target(trace, &opts->targets[i], msg);
	/* All line tables of the kernel may be in memory: nothing looks at them again. */
	lines_close(resolve.lines);
	if (!err && opts->skip_unknown && !trace->probes.count)
		err = errmsg_set(msg, -ENOENT, "none of the targets is here");
	return err ?: probe_list_drop_twins(&trace->probes);
}

/*
 * Without the live text there is no path: what is on disk differs in every patched place. But
 * returns stand where they were built, whatever they were patched to.
 */
static int choose_by_image(struct trace *trace, struct choose_options choose, struct errmsg *msg)
{
	const struct kernel_image_options opts = {
		.vmlinux = trace->opts->view.vmlinux,
		.debug_dir = trace->opts->view.debug_dir,
		.symbols = trace->symbols,
	};
	struct kernel_image found = {};
	struct text_source source;
	struct text *image;
	int err = trace_end_symbols(trace, msg);

	if (!err)
		err = kernel_image_open(&opts, &found, &image);
	if (err) {
		if (trace->opts->trigger != TRIGGER_HW && !trace->opts->at_errno)
			return err == -ENOMEM ? err : 0;
		return errmsg_set(
			msg, trace->text_err,
			"hardware breakpoint: /proc/kcore: %s, and no image of this kernel "
			"was found; its code tells where to stop: --vmlinux FILE names "
			"one",
			text_live_why(trace->text_err));
	}
	trace->image_path = found.path;
	source = text_source(image);
	choose.text = &source;
	choose.as_built = true;
	err = choose_triggers(&choose, &trace->probes, msg);
	text_close(image);
	return err;
}

/* Does anything stand on breakpoints, or could? */
static bool asks_for_breakpoints(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (probes->items[i].trigger.kind == TRIGGER_HW || probes->items[i].fallback)
			return true;
	return false;
}

/* Why no breakpoint can be had here; NULL if one has fired, or nothing is known. */
static const char *try_breakpoint(struct trace *trace)
{
	int err;

	if (!asks_for_breakpoints(&trace->probes))
		return NULL;
	err = breakpoint_check(&trace->no_breakpoints);
	if (err == -EOPNOTSUPP)
		return trace->no_breakpoints.text;
	if (err)
		log_verbose("%s", trace->no_breakpoints.text);
	return NULL;
}

static void say_left_out(const struct wide_left_out *left)
{
	if (left->untraced + left->forbidden + left->own)
		log_info("left out: %zu functions that have no place for the kernel's tracer "
			 "(notrace), %zu closed to kprobes, %zu that run on the way to a snapshot",
			 left->untraced, left->forbidden, left->own);
}

/* Many functions share a kprobe.multi, where the kernel has it. */
static int go_wide(struct trace *trace, struct errmsg *msg)
{
	const struct trace_options *opts = trace->opts;
	struct probeable *probeable = NULL;
	struct wide_left_out left = {};
	struct traced traced = {};
	size_t functions;
	int err;

	/* Breakpoints are asked for; or what stays armed without us, one pin each. */
	if (!opts->at_errno && !opts->rotate && !opts->flight)
		wide_choose(&trace->probes);
	if (!wide_any(&trace->probes))
		return 0;
	if (opts->flight)
		return errmsg_set(msg, -EINVAL,
				  "--flight keeps no kprobe.multi armed without us: name fewer "
				  "functions, or leave -T out");
	err = multi_check(msg);
	functions = err == -EOPNOTSUPP ? wide_undo(&trace->probes) : 0;
	if (functions) {
		log_warning("%s: each of %zu functions gets a BPF program of its own, which takes "
			    "long to arm and to disarm",
			    msg->text, functions);
		msg->text[0] = '\0';
		return 0;
	}
	if (!err)
		err = trace->text_err ? probeable_open(&probeable)
				      : probeable_open_forbidden(&probeable);
	/* Before Linux 6.5 there is no such list. */
	if (!err && traced_open(&traced))
		log_verbose("the kernel does not list the addresses of traced functions");
	if (!err)
		err = wide_sift(&trace->probes, trace->text_err ? NULL : &trace->kernel_text,
				probeable, &traced, &left);
	probeable_destroy(probeable);
	traced_deinit(&traced);
	if (err)
		return err;
	say_left_out(&left);
	if (!trace->probes.count)
		return errmsg_set(msg, -EINVAL,
				  "kprobe.multi: none of these functions can be watched by it");
	trace->wide = wide_any(&trace->probes);
	return 0;
}

int trace_refuse_switched_off(struct trace *trace, struct errmsg *msg)
{
	struct switches switches = switches_read();

	for (size_t i = 0; i < trace->probes.count; i++) {
		struct probe *probe = &trace->probes.items[i];
		const char *why = switches_stop(&switches, probe);

		/* On the returns nothing else is needed. */
		if (why && !trace->opts->at_errno && probe_stand_on_returns(probe))
			snprintf(probe->hw_reason, sizeof(probe->hw_reason), "%s", why);
		else if (why)
			return errmsg_set(msg, -EOPNOTSUPP, "'%s': %s: %s", probe->trigger.target,
					  trigger_kind_name(probe->trigger.kind), why);
	}
	return 0;
}

static int choose(struct trace *trace, const char *no_breakpoints, struct errmsg *msg)
{
	const struct capture_options *filter = &trace->opts->capture;
	bool few = filter->errno_filter && !filter->errno_any;
	struct choose_options choose = {
		.symbols = trace->symbols,
		.text = &trace->kernel_text,
		.at_errno = trace->opts->at_errno,
		.rotate = trace->opts->rotate,
		.errnos = few ? filter->errnos : NULL,
		.no_breakpoints = no_breakpoints,
	};
	int err;

	trace->text_err = text_live_open(NULL, &trace->text_live);
	if (trace->text_err && tracepoints_only(trace->opts))
		return 0;
	if (!trace->text_err)
		trace->kernel_text = text_source(trace->text_live);
	err = go_wide(trace, msg);
	if (err)
		return err;
	if (trace->text_err && !no_breakpoints)
		return choose_by_image(trace, choose, msg);
	return choose_triggers(&choose, &trace->probes, msg);
}

static bool has_breakpoints(const struct trace *trace)
{
	for (size_t i = 0; i < trace->probes.count; i++)
		if (trace->probes.items[i].trigger.kind == TRIGGER_HW)
			return true;
	return false;
}

bool trace_needs_admin(const struct trace *trace)
{
	if (has_breakpoints(trace))
		return true;
	for (size_t i = 0; i < trace->probes.count; i++)
		if (probe_is_event(&trace->probes.items[i]))
			return events_need_admin();
	return false;
}

/* Of an instruction, or a tracepoint, that turns out not to be one of a return. */
static int check_returns(const struct probe_list *probes, struct errmsg *msg)
{
	for (size_t i = 0; i < probes->count; i++) {
		const struct probe *probe = &probes->items[i];

		if (!probe_has_retval(probe, probe->trigger.kind))
			return errmsg_set(msg, -EINVAL,
					  "compare: '%s' (%s) tells of no return, and so not "
					  "whether a call failed; give the function's name alone, "
					  "or --good FILE... and --bad FILE... of captures",
					  probe->trigger.target,
					  trigger_kind_name(probe->trigger.kind));
	}
	return 0;
}

/* It waits for child_go(), which comes when everything is armed. */
static int prepare_command(struct trace *trace, struct errmsg *msg)
{
	_cleanup_free_ char *path = NULL;
	struct child_command command = {.argv = trace->opts->command};
	int err = child_find(command.argv[0], &path);

	command.path = path;
	if (!err)
		err = child_fork(&trace->child, child_exec, &command);
	if (!err)
		child_watch(&trace->child);
	/* -EACCES is not about us: no exit status 4 */
	return err ? errmsg_set(msg, err == -EACCES ? -EINVAL : err, "%s: %s", command.argv[0],
				strerror(-err))
		   : 0;
}

static void begin_log(struct trace *trace)
{
	bool preset = false;

	for (size_t i = 0; i < trace->opts->target_count; i++)
		preset = preset || trace->opts->targets[i].preset;
	if (preset && klog_open("/dev/kmsg", &trace->klog))
		log_info("/dev/kmsg: %s; the kernel's log is not shown", strerror(errno));
}

static int begin_user(struct trace *trace)
{
	int err = user_create(&trace->probes, trace->symbols, trace->opts->view.debug_dir,
			      &trace->user);

	if (err)
		return err;
	trace->kernel_text = user_text(trace->user, &trace->kernel_text);
	if (trace->view)
		view_set_user(trace->view, user_space(trace->user));
	return 0;
}

int trace_prepare(struct trace *trace, struct errmsg *msg)
{
	struct capture_options capture_opts = trace->opts->capture;
	const char *missing = missing_capabilities();
	struct symbol getppid;
	int err;

	if (missing)
		return errmsg_set(msg, -EPERM, "not permitted without %s; %s", missing,
				  missing_capabilities_remedy());
	err = filters_check(&capture_opts, trace->opts->command != NULL, msg);
	if (err)
		return err;
	err = symbols_open_begin(!symbols_can_wait(trace->opts), &trace->symbols);
	if (err)
		return err;
	err = resolve_targets(trace, msg);
	if (err)
		return err;
	if (trace->opts->errno_given && trace->opts->capture.errno_filter)
		probes_warn_unfiltered(&trace->probes);
	if (aggregate_wanted(&trace->opts->view))
		err = aggregate_create(&trace->opts->view, trace->out, &trace->aggregate, msg);
	if (!err && trace->opts->compare.wanted)
		err = compare_live_create(trace->opts, trace->out, trace->symbols, &trace->compare,
					  msg);
	else if (!err && (!trace->opts->record_only || trace->opts->view.export.journal))
		err = view_create(&trace->opts->view, trace->out, trace->symbols, NULL,
				  trace->aggregate, &trace->view, msg);
	if (err)
		return err;
	capture_opts.no_breakpoints = try_breakpoint(trace);
	err = choose(trace, capture_opts.no_breakpoints, msg);
	if (!err && trace->opts->compare.wanted)
		err = check_returns(&trace->probes, msg);
	err = err ?: trace_refuse_switched_off(trace, msg);
	if (err)
		return err;
	capture_opts.stop = &stop_requested;
	begin_log(trace);
	/* Only for breakpoints: the first search for a name takes milliseconds. */
	if (has_breakpoints(trace) &&
	    (!symbols_by_name(trace->symbols, "", "__x64_sys_getppid", 0, &getppid) ||
	     !symbols_by_name(trace->symbols, "", "__do_sys_getppid", 0, &getppid)))
		capture_opts.getppid_addr = getppid.addr;
	capture_opts.percpu_offsets = symbols_single(trace->symbols, SYMBOLS_PER_CPU_OFFSET);
	capture_opts.cpu_hw_events = symbols_single(trace->symbols, SYMBOLS_CPU_HW_EVENTS);
	capture_opts.kfence_pool = symbols_single(trace->symbols, SYMBOLS_KFENCE_POOL);
	if (trace->opts->user) {
		err = begin_user(trace);
		if (err)
			return err;
		capture_opts.user = user_space(trace->user);
	}
	if (trace->opts->command) {
		err = prepare_command(trace, msg);
		if (err)
			return err;
		capture_opts.pid = trace->child.pid;
	}
	/* libbpf reads the kernel's types, too: ours are gone by then. */
	resolver_finish(trace->resolver);
	return capture_create(&capture_opts, &trace->probes, &trace->capture, msg);
}
