// SPDX-License-Identifier: GPL-2.0
#include "capture/capture.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "capture/attach.h"
#include "capture/attach_perf.h"
#include "capture/breakpoint.h"
#include "capture/capture_state.h"
#include "capture/flight_arm.h"
#include "capture/follow.h"
#include "capture/lbr/lbr_cause.h"
#include "capture/budget/rearm.h"
#include "capture/uprobe.h"
#include "symbolize/text/module_sections.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/lockdown.h"
#include "util/log.h"

/* How often the ring buffer is looked at; the programs wake us earlier when it fills up. */
#define POLL_MS	   20
#define IDLE_MS	   500 /* ... where nothing comes through it */
#define RING_BYTES (4u << 20)
/* How often the kernel is asked what it missed: for each copied program, which is a system call. */
#define ASK_NS 20000000ull

/** union any_record - what the programs write */
union any_record {
	struct record rec;
	struct argued_record argued;
	struct detailed_record detailed;
};

static void configure_flight(struct lbrsnoop_bpf *skel, const struct capture *capture)
{
	uint32_t slots = capture->opts.flight_slots;

	if (!capture->opts.flight_dir)
		return;
	skel->rodata->flight_slots = slots;
	skel->rodata->flight_header_pages = capture->flight_header_pages;
	skel->rodata->flight_only = capture->opts.flight_only;
	skel->rodata->flight_limit = capture->opts.flight_limit;
	bpf_map__set_max_entries(skel->maps.flight, capture->flight_header_pages + slots);
	bpf_program__set_autoload(skel->progs.hold, true);
}

static void configure(struct lbrsnoop_bpf *skel, const struct capture_options *opts)
{
	uint32_t ring_bytes = opts->ring_bytes ?: RING_BYTES;

	skel->rodata->filter_errno = opts->errno_filter;
	skel->rodata->filter_errno_any = opts->errno_any;
	memcpy((void *)skel->rodata->errno_wanted, opts->errnos, sizeof(opts->errnos));
	skel->rodata->filter_pid = opts->pid;
	follow_select(skel, opts);
	skel->rodata->filter_cgroup = opts->cgroup;
	skel->rodata->filter_cgroup_level = opts->cgroup_level;
	skel->rodata->own_pid = getpid();
	if (opts->comm) {
		skel->rodata->filter_comm_on = true;
		strncpy((char *)skel->rodata->filter_comm, opts->comm, COMM_LEN - 1);
	}
	skel->rodata->filter_cpus = opts->cpu_filter;
	memcpy((void *)skel->rodata->cpus_wanted, opts->cpus, sizeof(opts->cpus));
	skel->rodata->ring_wakeup_bytes = ring_bytes / 4;
	if (opts->percpu_offsets && opts->cpu_hw_events) {
		skel->rodata->percpu_offsets = opts->percpu_offsets;
		skel->rodata->cpu_hw_events_offset = opts->cpu_hw_events;
	}
	skel->rodata->kfence_pool = opts->kfence_pool;
	skel->rodata->gate = opts->gate;
	skel->rodata->arguments = opts->arguments;
	bpf_map__set_max_entries(skel->maps.events, ring_bytes);
}

static int load_error(int err, struct errmsg *msg)
{
	if ((err == -EPERM || err == -EINVAL || err == -EACCES) &&
	    lockdown_read() == LOCKDOWN_CONFIDENTIALITY)
		return errmsg_set(msg, -EPERM,
				  "kernel lockdown (confidentiality) lets no BPF program read "
				  "kernel memory, as a preset or a user function needs it: trace a "
				  "kernel function; " LOCKDOWN_REMEDY);
	/* That the capabilities are there has been seen: see missing_capabilities(). */
	if (err == -EPERM)
		return errmsg_set(
			msg, -EPERM,
			"the kernel lets no such BPF program be loaded here, whatever our "
			"capabilities: a container's user namespace or seccomp filter, or a "
			"security module forbids it; run lbrsnoop on the host itself");
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_get_branch_snapshot,
				    NULL) == 0)
		return errmsg_set(
			msg, -ENODEV,
			"no usable LBR: this kernel has no bpf_get_branch_snapshot(); Linux "
			"5.16 brought it");
	return errmsg_set(msg, err == -EACCES ? -EINVAL : err,
			  "the kernel does not load lbrsnoop's BPF programs: %s; -vv shows the "
			  "verifier's words",
			  strerror(-err));
}

static bool has_breakpoints(const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (probes->items[i].trigger.kind == TRIGGER_HW)
			return true;
	return false;
}

/* The most that any probe needs */
static enum tracing_need tracing_need(const struct capture *capture)
{
	enum tracing_need most = TRACING_NOT_USED;

	for (size_t i = 0; i < capture->probes->count; i++) {
		enum tracing_need need =
			attach_needs_tracing(capture->skel, &capture->probes->items[i]);

		if (need > most)
			most = need;
	}
	return most;
}

/* The kernel does not load the programs, for @err: what can be left out? false: nothing more. */
static bool load_less(struct capture *capture, int err)
{
	bool typed = bpf_program__autoload(capture->skel->progs.sys_exit_typed);
	bool locked = lockdown_read() == LOCKDOWN_CONFIDENTIALITY;

	/* A policy may refuse programs of type TRACING; kprobes need none. */
	if (err == -EPERM && !locked && !capture->no_tracing &&
	    tracing_need(capture) == TRACING_PREFERRED) {
		capture->no_tracing = capture->no_typed = true;
		return true;
	}
	/* A kernel that is locked down lets no program read its memory. */
	if (capture->opts.percpu_offsets && (!typed || locked)) {
		capture->opts.percpu_offsets = 0;
		return true;
	}
	/* That one is of type TRACING, too; perf's events need none. */
	capture->no_typed |= typed;
	return typed;
}

static int load(struct capture *capture, struct errmsg *msg)
{
	struct lbrsnoop_bpf *skel;
	int err;

	skel = capture->skel = lbrsnoop_bpf__open();
	if (!skel)
		return load_error(-errno, msg);
	configure(skel, &capture->opts);
	configure_flight(skel, capture);
	for (size_t i = 0; i < capture->probes->count; i++) {
		struct probe *probe = &capture->probes->items[i];

		/* The same for all: a CPU has one filter. Without LBR there is none. */
		if (probe->trigger.kind == TRIGGER_PMI && capture->events)
			probe->event.branch_types = capture->plan.kernel;
		attach_select(skel, probe, !capture->no_tracing);
	}
	if (!capture->no_typed)
		attach_select_shared(skel, capture->probes);
	bpf_program__set_autoload(skel->progs.hw_calibrate, has_breakpoints(capture->probes));
	bpf_program__set_autoload(skel->progs.uprobe_stepped, probes_have_user(capture->probes));
	bpf_program__set_autoload(skel->progs.lbr_check, true);
	multi_select(skel, capture->probes);
	err = lbrsnoop_bpf__load(skel);
	if (err && load_less(capture, err)) {
		lbrsnoop_bpf__destroy(skel);
		capture->skel = NULL;
		return load(capture, msg);
	}
	if (err)
		return load_error(err, msg);
	if (capture->no_tracing)
		log_warning("the kernel refuses BPF programs of type TRACING: functions are traced "
			    "without fexit");
	skel->bss->slots[0].busy = 1; /* see bpf/state.bpf.h */
	return 0;
}

/* Where no breakpoint can be had: the next kind of trigger, if the user left the choice to us. */
static int arm_instead(struct capture *capture, size_t i, struct errmsg *msg)
{
	struct probe *probe = &capture->probes->items[i];
	int err = attach_next_worse(capture->skel, probe, i, &capture->armed[i], msg);

	snprintf(probe->hw_reason, sizeof(probe->hw_reason), "%s", capture->opts.no_breakpoints);
	return err ? errmsg_set(msg, -EOPNOTSUPP, "%s", capture->opts.no_breakpoints) : 0;
}

static int arm_one(struct capture *capture, size_t i, struct errmsg *msg)
{
	struct probe *probe = &capture->probes->items[i];
	struct errmsg why = {};
	int err = 0;

	if (probe->group > capture->group_count)
		capture->group_count = probe->group;
	if (probe->trigger.kind == TRIGGER_HW && probe->trigger.module[0])
		probe->module_text = module_section_addr(probe->trigger.module, ".text");
	if (probe->trigger.kind == TRIGGER_HW && capture->opts.no_breakpoints)
		err = arm_instead(capture, i, &why);
	else if (probe->group <= 1) /* the others have their turn later */
		err = attach_probe(capture->skel, probe, i, &capture->armed[i], &why);
	if (!err) {
		capture->armed_count++;
		return 0;
	}
	if (!probe->optional || err == -EPERM)
		return errmsg_set(msg, err, "'%s': %s", probe->trigger.target, why.text);
	if (!capture->warning.text[0])
		errmsg_set(&capture->warning, 0, "'%s': %s", probe->trigger.target, why.text);
	probe->trigger.kind = TRIGGER_NONE;
	return 0;
}

/* First those that have no other choice: the debug registers may not suffice for all. */
static int arm_all(struct capture *capture, struct errmsg *msg)
{
	struct probe_list *probes = capture->probes;
	int err;

	capture->armed = calloc(probes->count + 1, sizeof(*capture->armed));
	if (!capture->armed)
		return -ENOMEM;
	for (size_t i = 0; i < probes->count; i++)
		capture->armed[i] = (struct armed){.prog_fd = -1, .link_fd = -1};
	err = multi_arm(capture->skel, probes, &capture->multi, msg);
	if (err)
		return err;
	capture->armed_count = capture->multi.functions;
	if (capture->multi.refused)
		errmsg_set(&capture->warning, 0, "the kernel refuses kprobe.multi on %zu functions",
			   capture->multi.refused);
	for (int choice = 0; choice < 2; choice++) {
		for (size_t i = 0; i < probes->count; i++) {
			enum trigger_kind kind = probes->items[i].trigger.kind;
			if (kind == TRIGGER_MULTI || kind == TRIGGER_NONE)
				continue;
			if (probes->items[i].fallback == choice)
				err = arm_one(capture, i, msg);
			if (err)
				return err;
		}
	}
	if (probes->count && !capture->armed_count)
		return errmsg_set(msg, -EINVAL, "none of %zu functions could be armed; %s",
				  probes->count, capture->warning.text);
	return 0;
}

/* While a cheaper trigger takes over both are armed: until then the breakpoints tell, then it. */
static bool told_by_the_other(const struct capture *capture, const struct record *rec)
{
	uint64_t since_ns = capture->armed[rec->target].since_ns;

	return since_ns && (rec->kind == TRIGGER_HW) == (rec->mono_ns >= since_ns);
}

static int on_record(void *ctx, void *data, size_t len)
{
	struct capture *capture = ctx;
	struct snapshot snap;

	if (capture->starting)
		return 0;
	if (record_decode(&capture->record, data, len, &snap)) {
		capture->malformed++;
		return 0;
	}
	if (told_by_the_other(capture, data)) {
		capture->twice++;
		return 0;
	}
	capture->handed_out = true;
	map_events_tell(capture->maps, ((const struct record *)data)->mono_ns);
	capture->fn_result = capture->fn(&snap, capture->fn_ctx);
	/*
	 * The rest comes at the next poll. By itself the reader does not stop while records come
	 * faster than they are handled, and then nobody would look at the clock, at the budget of
	 * the breakpoints, or at a signal.
	 */
	return capture->fn_result || clock_ns(CLOCK_MONOTONIC) >= capture->pause_ns ? -ECANCELED
										    : 0;
}

static int prepare_records(struct capture *capture)
{
	const struct capture_options *opts = &capture->opts;
	uint64_t any = PERF_SAMPLE_BRANCH_ANY, kernel = capture->plan.kernel;
	uint64_t all = any | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
	const struct bpf_map *events = capture->skel->maps.events;

	lbr_model_info(&capture->model, lbr_depth(), &capture->lbr);
	/* Most are never touched, and take no memory then. */
	capture->triggers =
		calloc(capture->probes->count + 1, TRIGGER_KIND_COUNT * sizeof(struct trigger));
	if (!capture->triggers)
		return -ENOMEM;
	capture->record = (struct record_context){
		.model = &capture->model,
		.lbr = &capture->lbr,
		.probes = capture->probes,
		.triggers = capture->triggers,
		.filter = opts->filter_name,
		.plan = capture->plan,
		.filtered = (kernel & all) != all,
		.path_ok =
			(kernel & any) && !capture->plan.own &&
			((kernel & PERF_SAMPLE_BRANCH_KERNEL) || probes_all_user(capture->probes)),
	};
	return ring_reader_open(bpf_map__fd(events), bpf_map__max_entries(events),
				sizeof(union any_record), on_record, capture, &capture->ring);
}

/* Each armed place takes two files, a hardware breakpoint one for each CPU. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int begin_flight(struct capture *capture, struct errmsg *msg)
{
	if (!capture->opts.flight_dir)
		return 0;
	capture->flight_header_pages = flight_header_size(capture->probes);
	if (!capture->flight_header_pages)
		return errmsg_set(msg, -E2BIG,
				  "flight recorder: too many targets for its header (%zu); arm "
				  "fewer",
				  capture->probes->count);
	return flight_files_begin(&capture->flight, capture->opts.flight_dir, msg);
}

static int prepare_flight(struct capture *capture, struct errmsg *msg)
{
	struct flight_header header;
	int err;

	if (!capture->opts.flight_dir)
		return 0;
	err = flight_describe(&capture->record, NULL, &header);
	if (err)
		return err;
	err = flight_files_map(&capture->flight, bpf_map__fd(capture->skel->maps.flight),
			       capture->flight_header_pages, capture->opts.flight_slots, &header,
			       msg);
	flight_describe_free(&header);
	if (!err && capture->events)
		err = lbr_events_hold(capture->events, bpf_program__fd(capture->skel->progs.hold),
				      msg);
	return err;
}

int capture_flight_describe(struct capture *capture, struct symbols *symbols)
{
	struct flight_header header;
	int err;

	if (!capture->opts.flight_dir)
		return 0;
	capture->flight_symbols = symbols;
	err = flight_describe(&capture->record, symbols, &header);
	if (err)
		return err;
	err = flight_files_set_header(&capture->flight, &header);
	flight_describe_free(&header);
	return err;
}

/* Which CPU this is, and whether it can do what -j asks for. */
static int plan_filter(struct capture *capture, struct errmsg *msg)
{
	uint64_t types = capture->opts.branch_types, refused = 0;
	char cannot[128], can[160];

	if (lbr_model_of_host(&capture->model)) {
		capture->model = (struct lbr_model){.name = "unknown", .format = LBR_FORMAT_NONE};
		capture->plan.kernel = types; /* perf_event_open() will say */
		return 0;
	}
	if (!lbr_filter_plan(&capture->model, types, &capture->plan, &refused))
		return check_ring_filter(&capture->model, &capture->plan, capture->probes, msg);
	return errmsg_set(
		msg, -EOPNOTSUPP, "-j: '%s' is not available here: this CPU (%s) offers %s%s",
		lbr_filter_format(refused, cannot, sizeof(cannot)), capture->model.title,
		lbr_filter_format(lbr_filters_offered(&capture->model), can, sizeof(can)),
		refused & lbr_filters_offered(&capture->model) ? "; abort_tx stands alone" : "");
}

/*
 * The price of a breakpoint in the kernel; and whether one fires there. With the LBR on, as it will
 * be: reading it is most of the price.
 */
static void calibrate(struct capture *capture)
{
	struct lbr_events *on = NULL;
	int err;

	if (capture->events && !lbr_events_open(capture->plan.kernel, &on, NULL))
		lbr_events_enable(on, NULL);
	err = guard_calibrate(&capture->guard, capture->skel->progs.hw_calibrate,
			      capture->opts.getppid_addr);
	lbr_events_close(on);
	if (!err)
		return;
	breakpoint_swallowed(&capture->swallowed);
	capture->opts.no_breakpoints = capture->swallowed.text;
}

int capture_create(const struct capture_options *opts, struct probe_list *probes,
		   struct capture **ret_capture, struct errmsg *msg)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int err;

	if (!capture)
		return -ENOMEM;
	capture->opts = *opts;
	capture->probes = probes;
	raise_file_limit();
	/* Asked first: without an LBR there is nothing to load programs for. */
	err = plan_filter(capture, msg);
	if (err)
		goto fail;
	if (!opts->without_lbr) {
		err = lbr_events_open(capture->plan.kernel, &capture->events, msg);
		if (err)
			goto fail;
	}
	if (opts->user)
		err = map_events_open(opts->user, &capture->maps, msg);
	err = err ?: begin_flight(capture, msg);
	if (err)
		goto fail;
	err = load(capture, msg);
	if (err)
		goto fail;
	err = prepare_records(capture);
	if (err) {
		errmsg_set(msg, err, "cannot read the ring buffer: %s", strerror(-err));
		goto fail;
	}
	err = prepare_flight(capture, msg);
	if (err)
		goto fail;
	capture->guard.budget = capture->event_guard.budget = opts->max_overhead;
	capture->event_guard.hit_ns = GUARD_HIT_NS;
	if (has_breakpoints(probes) && !opts->no_breakpoints)
		calibrate(capture);
	if (probes_have_user(probes))
		err = arm_stepped(capture->skel, &capture->stepped, msg);
	err = err ?: follow_arm(capture->skel, opts, msg);
	err = err ?: arm_all(capture, msg);
	if (err)
		goto fail;
	*ret_capture = capture;
	return 0;

fail:
	capture_destroy(capture);
	return err;
}

/* Takes a snapshot on a CPU, which also switches its LBR on. 0; negative errno if it cannot. */
static int snapshot_on(struct capture *capture, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

	return bpf_prog_test_run_opts(bpf_program__fd(capture->skel->progs.lbr_check), &opts);
}

void capture_revive(struct capture *capture, int cpu)
{
	if (capture->events)
		snapshot_on(capture, cpu);
}

/* Ask the helper on each CPU whether there is something to read, before anybody relies on it. */
static int check_cpus(struct capture *capture, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *online = NULL;
	int bits = cpus_online(NULL, &online);

	for (int cpu = 0; cpu < bits; cpu++) {
		if (!lbr_events_has(capture->events, cpu))
			continue;
		if (snapshot_on(capture, cpu))
			continue; /* went offline, or the kernel cannot: no reason to give up */
		if (capture->skel->bss->check_read <= 0)
			return lbr_cause_empty(capture->skel->bss->check_read, cpu, msg);
	}
	return 0;
}

/* 0, or what the callback said. */
static int take_slot(struct capture *capture, __u64 *deferred, __u64 *busy, void *rec, size_t len)
{
	if (!__atomic_load_n(deferred, __ATOMIC_ACQUIRE))
		return 0;
	on_record(capture, rec, len);
	__atomic_fetch_sub((uint64_t *)&capture->skel->bss->deferred_count, 1, __ATOMIC_RELAXED);
	__atomic_store_n(deferred, 0, __ATOMIC_RELEASE);
	__atomic_store_n(busy, 0, __ATOMIC_RELEASE);
	return capture->fn_result;
}

/* Records that found the ring buffer locked wait in their slots. 0, or what the callback said. */
static int take_deferred(struct capture *capture)
{
	uint64_t *waiting = (uint64_t *)&capture->skel->bss->deferred_count;
	int stop = 0;

	for (size_t i = 0; i < ARRAY_SIZE(capture->skel->bss->preset_slots) && !stop; i++) {
		struct preset_slot *slot = &capture->skel->bss->preset_slots[i];

		if (!__atomic_load_n(waiting, __ATOMIC_ACQUIRE))
			return 0;
		stop = take_slot(capture, &slot->deferred, &slot->busy, &slot->rec,
				 sizeof(slot->rec));
	}
	for (size_t i = 0; i < ARRAY_SIZE(capture->skel->bss->slots) && !stop; i++) {
		struct capture_slot *slot = &capture->skel->bss->slots[i];

		if (!__atomic_load_n(waiting, __ATOMIC_ACQUIRE))
			return 0;
		stop = take_slot(capture, &slot->deferred, &slot->busy, &slot->rec,
				 capture->opts.arguments && slot->rec.kind == TRIGGER_FEXIT
					 ? sizeof(struct argued_record)
					 : sizeof(slot->rec));
	}
	return stop;
}

static int tell_empty(struct capture *capture)
{
	if (capture->handed_out)
		capture->fn_result = capture->fn(NULL, capture->fn_ctx);
	capture->handed_out = false;
	return capture->fn_result;
}

/*
 * The probes are armed before the LBR is switched on. What they captured until then is what the
 * kernel had read of the LBR last, for whomever. And what the command's process did before it was
 * the command is nobody's business.
 */
void capture_begin(struct capture *capture)
{
	capture->starting = true;
	ring_reader_consume(capture->ring);
	take_deferred(capture);
	capture->starting = false;
	capture->before = (struct capture_stats){
		.written = capture->skel->bss->records_written,
		.ring_full = capture->skel->bss->losses.ring_full,
		.no_slot = capture->skel->bss->losses.no_slot,
		.gated = capture->skel->bss->losses.gated,
	};
	capture->skel->bss->flight_on = 1;
	capture->skel->bss->multi_on = 1;
}

void capture_gate(struct capture *capture, int64_t tokens)
{
	__atomic_store_n((int64_t *)&capture->skel->bss->gate_tokens, tokens, __ATOMIC_RELAXED);
}

int capture_start(struct capture *capture, struct errmsg *msg)
{
	int err;

	if (!capture->opts.without_lbr) {
		err = lbr_events_enable(capture->events, msg);
		if (!err)
			err = check_cpus(capture, msg);
		if (err)
			return err;
	}
	return capture_keep_armed(capture, msg);
}

int capture_poll(struct capture *capture, int timeout_ms, capture_fn *fn, void *ctx)
{
	uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + timeout_ms * 1000000ULL;
	int poll_ms = capture->opts.flight_only ? IDLE_MS : POLL_MS;

	capture->fn = fn;
	capture->fn_ctx = ctx;
	capture->fn_result = 0;
	/* What is left when all is disarmed comes to an end. */
	capture->pause_ns = timeout_ms ? deadline : UINT64_MAX;
	clock_offset_update(&capture->clock);
	capture->record.mono_to_real_ns = capture->clock.ns;
	do {
		int left = (int64_t)(deadline - clock_ns(CLOCK_MONOTONIC)) / 1000000;
		int err;

		capture_look_around(capture);
		err = ring_reader_wait(capture->ring, left < 0	       ? 0
						      : left < poll_ms ? left
								       : poll_ms);
		if (err)
			return err;
		ring_reader_consume(capture->ring);
		if (capture->fn_result)
			return capture->fn_result;
		if (take_deferred(capture) || tell_empty(capture))
			return capture->fn_result;
	} while (clock_ns(CLOCK_MONOTONIC) < deadline);
	return 0;
}

void capture_stop(struct capture *capture)
{
	size_t functions = capture->multi.functions;
	uint64_t ran = 0;

	flight_files_disarm(&capture->flight);
	/* To disarm them is work for the kernel, too, which may fail here and there. */
	if (capture->skel)
		capture->skel->bss->multi_on = 0;
	if (!multi_disarm(&capture->multi, capture->opts.stop))
		errmsg_queue_add(
			&capture->said,
			"the kernel goes on disarming %zu functions by itself, which takes it "
			"some seconds",
			functions);
	for (size_t i = 0; capture->armed && i < capture->probes->count; i++)
		capture_retire(capture, &capture->armed[i]);
	/*
	 * The kernel runs no perf_event program while one of a kprobe or tracepoint, or a bpf()
	 * call that changes a map, is under way on the CPU (bpf_prog_active, in Linux 6.1 as
	 * in 6.18). Known only now that nothing fires any more.
	 */
	for (size_t cpu = 0; capture->skel && cpu < CPUS; cpu++)
		ran += capture->skel->bss->hw_hits[cpu];
	if (capture->hw_fired > ran)
		capture->skipped = capture->hw_fired - ran;
	capture->hw_fired = 0;
	if (capture->events_fired && each_event_fires(capture->probes) &&
	    capture->events_fired > capture->skel->bss->events_ran)
		capture->skipped += capture->events_fired - capture->skel->bss->events_ran;
	capture->events_fired = 0;
	bpf_link__destroy(capture->stepped);
	capture->stepped = NULL;
	lbr_events_close(capture->events);
	capture->events = NULL;
}

/* Who shows snapshots asks at each, and there may be hundreds of programs. */
static uint64_t missed_by_armed(struct capture *capture)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), sum = 0;

	if (capture->asked_ns && now - capture->asked_ns < ASK_NS)
		return capture->missed_armed;
	for (size_t i = 0; i < capture->probes->count; i++)
		sum += armed_missed(&capture->armed[i]);
	capture->missed_armed = sum;
	capture->asked_ns = now;
	return sum;
}

void capture_stats(struct capture *capture, struct capture_stats *ret_stats)
{
	uint64_t written, lost;

	*ret_stats = (struct capture_stats){
		.written = capture->skel->bss->records_written - capture->before.written -
			   capture->twice,
		.ring_full = capture->skel->bss->losses.ring_full - capture->before.ring_full,
		.no_slot = capture->skel->bss->losses.no_slot - capture->before.no_slot,
		.missed = capture->missed,
		.skipped = capture->skipped,
		.unseen = capture->unseen,
		.throttled = capture->throttled,
		.malformed = capture->malformed,
		.gated = capture->skel->bss->losses.gated - capture->before.gated,
		.unfollowed = capture->skel->bss->losses.unfollowed,
	};
	ret_stats->passed_on = capture->skel->bss->multi_passed_on;
	flight_files_state(&capture->flight, &written, &lost);
	ret_stats->no_slot += lost;
	ret_stats->missed += missed_by_armed(capture);
}

bool capture_flight_stopped(const struct capture *capture)
{
	return flight_files_stopped(&capture->flight);
}

const struct lbr_info *capture_lbr(const struct capture *capture)
{
	return &capture->lbr;
}

void capture_filter(const struct capture *capture, bool *ret_filtered, bool *ret_path_ok)
{
	*ret_filtered = capture->record.filtered;
	*ret_path_ok = capture->record.path_ok;
}

bool capture_filters_in_software(const struct capture *capture)
{
	return capture->plan.software;
}

size_t capture_armed(const struct capture *capture)
{
	return capture->armed_count;
}

const char *capture_guard_said(struct capture *capture)
{
	return errmsg_queue_next(&capture->said);
}

uint64_t capture_hit_ns(const struct capture *capture)
{
	return capture->guard.hit_ns;
}

const char *capture_warning(const struct capture *capture)
{
	if (capture->warning.text[0])
		return capture->warning.text;
	return capture->events ? lbr_events_failed(capture->events) : NULL;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	capture_stop(capture);
	free(capture->armed);
	free(capture->triggers);
	flight_files_deinit(&capture->flight);
	guard_deinit(&capture->guard);
	guard_deinit(&capture->event_guard);
	errmsg_queue_deinit(&capture->said);
	map_events_close(capture->maps);
	ring_reader_close(capture->ring);
	lbrsnoop_bpf__destroy(capture->skel);
	free(capture);
}
