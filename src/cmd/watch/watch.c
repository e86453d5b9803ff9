// SPDX-License-Identifier: GPL-2.0
/* watch.c - a trace as a service: by a configuration file, within budgets, told to other systems */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/option_args.h"
#include "cmd/trace/trace_run.h"
#include "cmd/watch/watch_options.h"
#include "host/capabilities.h"
#include "host/cgroup.h"
#include "host/notify.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/log.h"
#include "watch/budget.h"
#include "watch/config.h"
#include "watch/memory.h"

#define SECOND_NS 1000000000ull
#define STATUS_NS (10 * SECOND_NS)

/**
 * struct watch - the service
 * @previous: what was watched before a reload, until the new configuration is armed
 * @next: read by a reload, to be armed next
 * @state: directory for what is kept over runs; "": nothing is
 * @sinks: of @export; its strings are those of @config
 * @captured: snapshots of all traces that have ended
 * @told: of the present trace, what @export knows of
 * @delivered, @left_out, @lost, @captures, @captures_left_out: of exports that have ended
 * @cgroup: that is watched, and was armed; @cgroup.id is 0: all are
 * @next_cgroup: to be armed next
 * @moved: there is another one of its name: a unit was started again
 * @arming: for such ones
 * @arming_cpu_ns: CPU time of the process when this trace began for such a one; 0: it did not
 * @begun: @budget counts
 * @closed: memory is used up
 * @failed: what could not be written last, "": nothing
 */
struct watch {
	const char *path;
	bool without_lbr;
	struct watch_config config;
	struct watch_config previous;
	struct watch_config next;
	bool has_previous;
	bool has_next;
	char state[PATH_MAX];
	struct export_options sinks;
	struct export *export;
	struct watch_budget budget;
	uint64_t captured;
	struct trace_counts told;
	uint64_t delivered;
	uint64_t left_out;
	uint64_t lost;
	uint64_t captures;
	uint64_t captures_left_out;
	size_t places;
	struct cgroup cgroup;
	struct cgroup next_cgroup;
	bool moved;
	struct watch_arming arming;
	uint64_t arming_cpu_ns;
	bool begun;
	bool closed;
	struct errmsg failed;
	uint64_t tell_at_ns;
	uint64_t status_at_ns;
	uint64_t second_at_ns;
	uint64_t watchdog_at_ns;
	uint64_t watchdog_ns;
};

/* Those waiting at the end are left out. */
static void add_totals(const struct watch *watch, uint64_t *ret_delivered, uint64_t *ret_left_out,
		       uint64_t *ret_lost)
{
	struct export_totals totals = {};

	if (watch->export)
		totals = export_totals(watch->export);
	*ret_left_out = watch->left_out + totals.left_out + totals.waiting;
	*ret_delivered = watch->delivered + totals.taken - totals.left_out - totals.waiting;
	*ret_lost = watch->lost + totals.lost;
}

static void say_status(const struct watch *watch)
{
	uint64_t delivered, left_out, lost;
	struct export_totals totals = export_totals(watch->export);
	char text[1400];

	add_totals(watch, &delivered, &left_out, &lost);
	snprintf(text, sizeof(text),
		 "STATUS=%zu places, %" PRIu64 " paths; %" PRIu64 " snapshots delivered, %" PRIu64
		 " waiting, %" PRIu64 " left out, %" PRIu64 " lost%s%s%s",
		 watch->places, totals.paths, delivered, totals.waiting, left_out - totals.waiting,
		 lost, watch->closed ? "; memory is used up: no new paths" : "",
		 *watch->failed.text ? "; " : "", watch->failed.text);
	notify_send(text);
}

/* The same thing is said once, until it has changed. */
static void tell(struct watch *watch, bool last)
{
	struct errmsg failed = {};

	export_tell(watch->export, last, &failed);
	if (strcmp(failed.text, watch->failed.text) != 0) {
		if (*failed.text)
			log_warning("%s%s", failed.text, last ? "" : "; it is tried again");
		else
			log_info("%s: that has passed", watch->failed.text);
	}
	watch->failed = failed;
}

static void end_export(struct watch *watch)
{
	struct export_totals totals;

	if (!watch->export)
		return;
	tell(watch, true);
	add_totals(watch, &watch->delivered, &watch->left_out, &watch->lost);
	totals = export_totals(watch->export);
	watch->captures += totals.captures;
	watch->captures_left_out += totals.captures_left_out;
	export_destroy(watch->export);
	watch->export = NULL;
}

static int begin_export(struct watch *watch)
{
	struct errmsg msg = {};
	int err;

	if (watch->export)
		return 0;
	watch->sinks = watch->config.export;
	watch->sinks.state = *watch->state ? watch->state : NULL;
	err = export_create(&watch->sinks, NULL, &watch->export, &msg);
	if (err)
		log_error("%s", *msg.text ? msg.text : strerror(-err));
	else if (*msg.text)
		log_warning("%s", msg.text);
	return err;
}

static bool is_one_file(const char *one, const char *other)
{
	return one && other && args_same_file(one, other);
}

/* NULL: nothing is */
static const char *wrong_with_outputs(const char *path, const struct watch_config *config)
{
	const char *otlp = config->otlp, *metrics = config->metrics;
	struct stat st;

	if (is_one_file(otlp, path) || is_one_file(metrics, path))
		return "OTLP or Metrics is this file itself; name another one";
	if (is_one_file(otlp, metrics))
		return "OTLP and Metrics: two outputs cannot be one file";
	if (metrics && !lstat(metrics, &st) && !S_ISREG(st.st_mode))
		return "Metrics is replaced as a whole, so it has to be a regular file, and no "
		       "link";
	return NULL;
}

static int read_config(const char *path, struct watch_config *ret)
{
	struct errmsg_queue errors = {};
	struct watch_config config;
	int err = watch_config_read(path, &config, &errors);
	const char *text;

	while ((text = errmsg_queue_next(&errors)))
		log_error("%s", text);
	errmsg_queue_deinit(&errors);
	if (err)
		return err;
	text = wrong_with_outputs(path, &config);
	if (text) {
		log_error("%s: %s", path, text);
		watch_config_deinit(&config);
		return -EINVAL;
	}
	*ret = config;
	return 0;
}

/* True if there is a new configuration. */
static bool reload(struct watch *watch)
{
	char text[64];

	reopen_requested = 0;
	/* sd_notify(3): of Type=notify-reload the time is needed, too. */
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 clock_ns(CLOCK_MONOTONIC) / 1000);
	notify_send(text);
	if (!read_config(watch->path, &watch->next)) {
		watch->has_next = true;
		return true;
	}
	log_error("%s: not reloaded; what was configured before goes on", watch->path);
	notify_send("READY=1");
	return false;
}

/* True if the one that is watched is gone, and there is another one of its name. */
static bool cgroup_moved(const struct watch *watch)
{
	struct cgroup cgroup = {};

	return watch->cgroup.id && !watch_cgroup(&watch->config, &cgroup) &&
	       cgroup.id != watch->cgroup.id;
}

static void each_second(struct watch *watch, uint64_t now_ns)
{
	bool closed = watch->config.memory && memory_used() > watch->config.memory;

	watch->second_at_ns = now_ns + SECOND_NS;
	if (closed && !watch->closed)
		log_warning("memory: more than Memory= allows is in use; snapshots of paths that "
			    "are not known yet are left out");
	watch->closed = closed;
	export_close(watch->export, closed);
	watch->moved = watch_arming_allowed(&watch->arming, watch->config.cpu_share, now_ns) &&
		       cgroup_moved(watch);
}

static void on_armed(void *ctx, struct capture *capture, size_t places)
{
	struct watch *watch = ctx;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	watch->places = places;
	watch->cgroup = watch->next_cgroup;
	watch->told = (struct trace_counts){};
	watch->begun = false;
	capture_gate(capture, watch->config.per_s ? (int64_t)watch->config.per_s : INT64_MAX);
	watch->tell_at_ns = now_ns + watch->config.interval_s * SECOND_NS;
	watch->status_at_ns = 0;
	watch->second_at_ns = 0;
	if (watch->has_previous)
		watch_config_deinit(&watch->previous);
	watch->has_previous = false;
	notify_send("READY=1");
}

/* What it took to arm, and to read the kernel's names afterwards, is once. */
static void keep_budget(struct watch *watch, struct capture *capture, uint64_t now_ns,
			uint64_t shown)
{
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (!watch->begun)
		watch_budget_begin(&watch->budget, now_ns, cpu_ns, shown);
	if (!watch->begun && watch->arming_cpu_ns)
		watch_arming_add(&watch->arming, watch->config.cpu_share, now_ns,
				 cpu_ns - watch->arming_cpu_ns);
	watch->begun = true;
	capture_gate(capture, watch_budget_grant(&watch->budget, now_ns, cpu_ns, shown));
}

static bool on_tick(void *ctx, struct capture *capture, const struct trace_counts *counts,
		    bool last)
{
	struct watch *watch = ctx;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	export_add_left_out(watch->export, counts->left_out - watch->told.left_out);
	watch->told = *counts;
	if (last) {
		export_add_lost(watch->export, counts->lost - counts->lost_told);
		watch->captured += counts->captured;
		return false;
	}
	keep_budget(watch, capture, now_ns, counts->shown);
	export_pace(watch->export);
	if (now_ns >= watch->second_at_ns)
		each_second(watch, now_ns);
	if (now_ns >= watch->tell_at_ns) {
		tell(watch, false);
		watch->tell_at_ns = now_ns + watch->config.interval_s * SECOND_NS;
	}
	if (now_ns >= watch->status_at_ns) {
		say_status(watch);
		watch->status_at_ns = now_ns + STATUS_NS;
	}
	if (watch->watchdog_ns && now_ns >= watch->watchdog_at_ns) {
		notify_send("WATCHDOG=1");
		watch->watchdog_at_ns = now_ns + watch->watchdog_ns / 4;
	}
	if (watch->moved) {
		log_info("the control group was made anew: armed again");
		return false;
	}
	return !reopen_requested || !reload(watch);
}

static int run_trace(struct watch *watch)
{
	const struct trace_watcher watcher = {.armed = on_armed, .tick = on_tick, .ctx = watch};
	struct watch_learned learned;
	struct trace_options opts;
	struct trace_end end;
	int err = watch_learned(&watch->config, &learned);

	err = err ?: watch_find_cgroup(&watch->config, &watch->cgroup, &watch->next_cgroup);
	err = err ?: watch_options(&watch->config, &learned, &watch->next_cgroup, &opts);
	if (err) {
		watch_learned_deinit(&learned);
		return err;
	}
	watch->arming_cpu_ns = watch->moved ? clock_ns(CLOCK_PROCESS_CPUTIME_ID) : 0;
	watch->moved = false;
	opts.capture.without_lbr = watch->without_lbr;
	opts.watcher = &watcher;
	opts.view.exporter = watch->export;
	watch->budget = (struct watch_budget){.share = watch->config.cpu_share,
					      .per_s = watch->config.per_s,
					      .cost_ns = watch->budget.cost_ns};
	err = trace_run(&opts, &end);
	trace_options_deinit(&opts);
	watch_learned_deinit(&learned);
	/* Of modules that are gone, or breakpoints that others have taken. */
	return !err && end.disarmed ? -ENODATA : err;
}

/* The sinks stay as they are, with all they know, if nothing about them is new. */
static void take_next(struct watch *watch)
{
	if (watch->export && watch_config_same_export(&watch->config, &watch->next))
		watch_config_keep_export(&watch->next, &watch->config);
	else
		end_export(watch);
	watch->previous = watch->config;
	watch->has_previous = true;
	watch->config = watch->next;
	watch->next = (struct watch_config){};
	watch->has_next = false;
}

/* To what could be armed before. */
static void go_back(struct watch *watch)
{
	log_error("%s: this cannot be armed; back to what was configured before", watch->path);
	watch->next = watch->previous;
	watch->has_previous = false;
	watch->previous = (struct watch_config){};
	take_next(watch);
	watch_config_deinit(&watch->previous);
	watch->has_previous = false;
}

static int run(struct watch *watch)
{
	int err;

	for (;;) {
		err = begin_export(watch);
		err = err ?: run_trace(watch);
		if (stop_requested)
			break;
		if (!err && watch->moved)
			continue;
		if (watch->has_next)
			take_next(watch);
		else if (err && watch->has_previous)
			go_back(watch);
		else
			break;
	}
	return stop_requested ? 0 : err;
}

static void say_end(const struct watch *watch)
{
	uint64_t delivered, left_out, lost;

	add_totals(watch, &delivered, &left_out, &lost);
	if (watch->captures || watch->captures_left_out)
		log_info("%" PRIu64 " paths told with their capture, %" PRIu64
			 " without: of a program, larger than CaptureBytes, or beyond a budget",
			 watch->captures, watch->captures_left_out);
	log_info("%" PRIu64 " snapshots captured: %" PRIu64 " delivered, %" PRIu64
		 " left out; %" PRIu64 " events lost",
		 watch->captured, delivered, left_out, lost);
}

static void keep_privileges(const struct watch *watch)
{
	const char *files[] = {watch->config.otlp, watch->config.metrics};
	int err = keep_arming_privileges(files, ARRAY_SIZE(files));

	if (err)
		log_warning("capabilities that are not needed stay: %s", strerror(-err));
}

/* sd_watchdog_enabled(3) */
static uint64_t watchdog_ns(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return strtoull(usec, NULL, 10) * 1000;
}

/* systemd.exec(5), StateDirectory=: the first of them, if there are several */
static void find_state(struct watch *watch)
{
	const char *dir = getenv("STATE_DIRECTORY") ?: "";
	size_t len = strcspn(dir, ":");

	if (len < sizeof(watch->state))
		snprintf(watch->state, sizeof(watch->state), "%.*s", (int)len, dir);
}

enum { OPT_CHECK = 0x100, OPT_NO_LBR };

struct watch_args {
	const char *path;
	bool check;
	bool without_lbr;
};

static const struct argp_option options[] = {
	{"check", OPT_CHECK, 0, 0, "Only say what is wrong with the configuration", 0},
	{"verbose", 'v', 0, 0, "Say more", 0},
	{"quiet", 'q', 0, 0, "No status on stderr, only warnings and errors", 0},
	{"no-lbr", OPT_NO_LBR, 0, OPTION_HIDDEN, "Arm without LBR (for tests)", 0},
	{0},
};

static const char doc[] =
	"Watch what a configuration file names, within its budgets, and tell journald, a file for "
	"OpenTelemetry, or Prometheus.\v"
	"FILE is " WATCH_CONFIG_FILE " if it is left out; lbrsnoop(8), \"CONFIGURATION\", has its "
	"keys. SIGHUP reads it again; SIGTERM ends the service.\n\n"
	"Exit status: 0 it was ended by a signal, 2 error, 3 no usable LBR, 4 not permitted, "
	"64 usage, or a configuration that is wrong.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct watch_args *args = state->input;

	switch (key) {
	case OPT_CHECK:
		args->check = true;
		return 0;
	case OPT_NO_LBR:
		args->without_lbr = true;
		return 0;
	case 'v':
	case 'q':
		return args_status(key);
	case ARGP_KEY_ARG:
		if (state->arg_num)
			return args_usage("watch takes one configuration file; '%s' is another",
					  arg);
		args->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc = doc,
};

static int watch_main(int argc, char **argv, char **original)
{
	struct watch_args args = {.path = WATCH_CONFIG_FILE};
	struct watch watch = {.watchdog_ns = watchdog_ns()};
	struct trace_options opts;
	int err;

	/* A reload may be asked for at any time, and is answered when everything is armed. */
	install_reopen_handler();
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &args))
		return EXIT_USAGE;
	watch.path = args.path;
	watch.without_lbr = args.without_lbr;
	err = read_config(args.path, &watch.config);
	if (err)
		return err == -EINVAL ? EXIT_USAGE : exit_status_of(err);
	/* Do its targets go together? */
	err = watch_options(&watch.config, NULL, NULL, &opts);
	if (!err)
		trace_options_deinit(&opts);
	if (err || args.check) {
		watch_config_deinit(&watch.config);
		return err ? EXIT_USAGE : EXIT_SEEN;
	}
	/* journald stores the command line of who logs. */
	args_hide(argc, original);
	install_stop_handlers();
	find_state(&watch);
	keep_privileges(&watch);
	err = run(&watch);
	notify_send("STOPPING=1");
	end_export(&watch);
	say_end(&watch);
	if (watch.has_previous)
		watch_config_deinit(&watch.previous);
	if (watch.has_next)
		watch_config_deinit(&watch.next);
	watch_config_deinit(&watch.config);
	return err ? exit_status_of(err) : EXIT_SEEN;
}

int cmd_watch(int argc, char **argv)
{
	_cleanup_free_ char **copy = args_copy(argc, argv);

	if (!copy) {
		log_error("%s", strerror(ENOMEM));
		return EXIT_ERROR;
	}
	return watch_main(argc, copy, argv);
}
