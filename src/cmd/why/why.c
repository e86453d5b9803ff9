// SPDX-License-Identifier: GPL-2.0
/* why.c - from "Invalid argument" to the line that said so */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/breakpoint.h"
#include "capture/kprobes.h"
#include "cmd/child.h"
#include "cmd/cmd.h"
#include "host/capabilities.h"
#include "host/cgroup.h"
#include "pipeline/classify.h"
#include "cmd/option_args.h"
#include "cmd/output.h"
#include "cmd/view.h"
#include "capfile/recorder.h"
#include "cmd/why/unloads.h"
#include "cmd/why/why.h"
#include "cmd/why/why_place.h"
#include "cmd/why/why_record.h"
#include "render/why/why_json.h"
#include "render/why/why_account.h"
#include "symbolize/text/kernelimage.h"
#include "symbolize/debug/source_file.h"
#include "symbolize/text/text.h"
#include "target/functions.h"
#include "target/switches.h"
#include "util/cleanup.h"
#include "util/log.h"
#include "why/deep/deep_place.h"
#include "why/hit_snapshot.h"
#include "why/run/standby.h"
#include "why/session.h"

struct why {
	const struct why_options *opts;
	struct symbols *symbols;
	struct functions *types; /* or NULL */
	struct text *text;
	struct text_source kernel_text;
	struct view *view;
	struct child child;
	struct child_command command;
	struct answer answer;
	struct deep_place place; /* of opts->target */
	struct branch_ends *way; /* of the answer, or NULL */
	struct recorder *recorder;
	FILE *file; /* that the answer goes to */
	FILE *out;  /* of the view: the same, or memory for JSON */
	char *line;
	size_t line_len;
	bool data_on_stdout; /* a data line, or a capture */
	bool quiet;
	struct progress *progress;
};

/* The later runs write where nobody reads; data of ours is not mixed with the command's. */
static int exec_command(void *ctx)
{
	const struct why *why = ctx;
	int null;

	if (!why->quiet && why->data_on_stdout)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (why->quiet) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (null >= 0) {
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
		}
	}
	return child_exec((void *)&why->command);
}

static int start(void *ctx, bool quiet, uint32_t *ret_pid, struct errmsg *msg)
{
	struct why *why = ctx;
	int err;

	why->quiet = quiet;
	why->child = (struct child){};
	fflush(NULL);
	err = child_vfork(&why->child, exec_command, why);
	if (err)
		return errmsg_set(msg, err, "%s cannot be started: %s%s", why->command.path,
				  strerror(-err), err == -EMFILE ? "; " FILES_REMEDY : "");
	*ret_pid = why->child.pid;
	return 0;
}

static void go(void *ctx)
{
	child_go(&((struct why *)ctx)->child);
}

static bool ended(void *ctx, int *ret_status)
{
	struct why *why = ctx;

	if (!child_ended(&why->child))
		return false;
	*ret_status = why->child.status;
	return true;
}

static bool stop(void *ctx)
{
	return stop_requested > 0;
}

/* Also where an error of ours ends a run: the command may have to clean up. */
static void end(void *ctx)
{
	struct why *why = ctx;

	if (!child_stop(&why->child, stop_signal ?: SIGTERM, stop_by_terminal))
		log_warning("the command did not end in two seconds: it was killed");
}

/* Not before the first run of --deep: what the command writes in the runs before that is shown. */
static void show_progress(void *ctx, const struct deep_path *path)
{
	struct why *why = ctx;
	struct symbol sym;
	char what[256];

	if (path->count && !symbols_find(why->symbols, path->branches[0].to, &sym))
		snprintf(what, sizeof(what), "run %u, in %s()", path->runs, sym.name);
	else
		snprintf(what, sizeof(what), "run %u", path->runs);
	if (why->progress)
		progress_say(why->progress, what);
	else
		why->progress = output_progress(why->file, true, what, "branches back");
	progress_count(why->progress, path->count);
}

/* As it runs; or as it was built, which differs from that only where the kernel patches itself. */
static int open_text(struct why *why, struct errmsg *msg)
{
	const struct kernel_image_options image = {
		.vmlinux = why->opts->view.vmlinux,
		.debug_dir = why->opts->view.debug_dir,
		.symbols = why->symbols,
		.modules = true,
	};
	struct kernel_image found;
	int live_err = text_live_open(NULL, &why->text), err = live_err;

	if (live_err)
		err = kernel_image_open(&image, &found, &why->text);
	if (err)
		return errmsg_set(
			msg, live_err,
			"/proc/kcore: %s, and no image of this kernel was found; its code "
			"tells where errors are made: --vmlinux FILE names one",
			text_live_why(live_err));
	why->kernel_text = text_source(why->text);
	if (!live_err) {
		/* Those of another lbrsnoop stand where errors are made. */
		err = text_live_hide_probes(why->text, why->symbols,
					    why->types ? functions_btf(why->types) : NULL);
		return err == -ENOMEM ? err : 0;
	}
	log_info("/proc/kcore: %s; so the kernel's code is read as it was built, in %s",
		 text_live_why(live_err), found.path);
	if (found.modules_missing)
		log_info("of %zu modules %zu have no file of the same build: errors made in them "
			 "are not found",
			 found.modules, found.modules_missing);
	free(found.path);
	return 0;
}

static int open_kernel(struct why *why, struct errmsg *msg)
{
	int err = symbols_open_begin(true, &why->symbols);

	if (err)
		return err;
	/* Not needed: with the kernel's types its symbols are read in less time. */
	if (functions_open(&why->types, NULL))
		why->types = NULL;
	err = symbols_open_end(why->symbols, why->types ? functions_btf(why->types) : NULL);
	if (err)
		return errmsg_set(msg, err, "/proc/kallsyms: %s", kallsyms_error(err));
	return open_text(why, msg);
}

static void say_status(int status)
{
	if (WIFSIGNALED(status))
		log_info("the command was killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		log_info("the command ended with status %d", WEXITSTATUS(status));
}

/* The branches before the place, as any trace shows them; the stack stood before them. */
static int show_story(struct why *why, struct hit_snapshot *hit)
{
	struct snapshot *snap = &hit->snap;

	snap->regs = NULL;
	snap->stack = NULL;
	snap->stack_count = 0;
	if (why->way)
		snap->way = (struct deep_way){why->way, why->answer.deep->count};
	snapshot_classify(snap, why->symbols, &why->kernel_text);
	return view_snapshot(why->view, snap, &why->kernel_text, 0);
}

/* What would bring source lines, once: the view may have said it already. */
static void say_hint(struct why *why)
{
	char hint[600];

	if (*view_hint(why->view, hint, sizeof(hint)) && why->answer.state != ORIGIN_NONE)
		log_info("no source lines; %s", hint);
}

/* What an LBR adds, or would add. */
static void say_branches(const struct answer *answer)
{
	if (answer->state != ORIGIN_FOUND || !answer->lbr_reason.text[0] ||
	    (answer->hit && answer->hit->hw))
		return;
	if (answer->has_lbr)
		log_info("the branches that led there are not shown: %s", answer->lbr_reason.text);
	else
		log_info("an LBR would add the branches that led there; %s",
			 answer->lbr_reason.text);
}

/* The view writes its line into memory. */
static int show_json(struct why *why, struct why_view *view)
{
	const struct why_hit *seen = why->answer.hit;
	_cleanup_free_ struct hit_snapshot *hit = seen ? calloc(1, sizeof(*hit)) : NULL;
	_cleanup_free_ struct hit_snapshot *story = seen ? calloc(1, sizeof(*story)) : NULL;
	int err = 0;

	if (seen && (!hit || !story))
		return -ENOMEM;
	if (seen) {
		hit_snapshot_make(seen, &why->answer.site, why->answer.call, hit);
		view->snap = &hit->snap;
	}
	if (seen && seen->hw) {
		hit_snapshot_make(seen, &why->answer.site, why->answer.call, story);
		err = show_story(why, story);
	}
	if (!err && fflush(why->out))
		err = -ENOMEM;
	say_branches(&why->answer);
	say_hint(why);
	return err
		       ?: why_json(why->file, &why->answer, view, why->line,
				   why->opts->private ? NULL
						      : (const char *const *)why->opts->command);
}

/* These say how the branches are to be shown. */
static bool wants_story(const struct why_options *opts)
{
	const struct view_options *view = &opts->view;

	return view->story || view->insns || view->raw || view->dot || view->svg;
}

/* First the answer, then, if it is asked for, the story. */
static int show_text(struct why *why, FILE *out, struct why_view *view)
{
	const struct answer *answer = &why->answer;
	_cleanup_free_ struct hit_snapshot *hit = answer->hit ? calloc(1, sizeof(*hit)) : NULL;

	if (answer->hit && !hit)
		return -ENOMEM;
	if (hit) {
		hit_snapshot_make(answer->hit, &answer->site, answer->call, hit);
		view->snap = &hit->snap;
	}
	render_why_account(out, answer, view);
	if (!hit || !answer->hit->hw || !view->story)
		return 0;
	fputc('\n', out);
	return show_story(why, hit);
}

/*
 * An archive of the sources is read once, which takes seconds: what is shown is shown to nobody
 * first, to learn of which files it needs the text.
 */
static void fetch_sources(struct why *why, struct why_view *view)
{
	struct errmsg msg = {};
	FILE *nobody = fopen("/dev/null", "we"), *out;

	if (!nobody)
		return;
	out = view_set_out(why->view, nobody);
	if (!show_text(why, nobody, view) && sources_waiting(view->sources)) {
		log_info("reading the text of the lines in %s", sources_archive(view->sources));
		if (sources_fetch(view->sources, &msg))
			log_info("%s", msg.text);
	}
	view_set_out(why->view, out);
	fclose(nobody);
}

static int record(struct why *why, struct errmsg *msg)
{
	const char *const *command = (const char *const *)why->opts->command;
	int err, close_err;

	if (!why->recorder)
		return 0;
	err = why_record_answer(why->recorder, command, &why->answer, why->way);
	close_err = recorder_close(why->recorder, why->answer.lost);
	why->recorder = NULL;
	if (err == -ENODATA) {
		log_warning("%s: no place was found: nothing is in it", why->opts->record);
		err = 0;
	}
	err = err ?: close_err;
	/* -EACCES is about the file: no exit status 4 */
	return err ? errmsg_set(msg, -EIO, "%s: %s", why->opts->record, strerror(-err)) : 0;
}

static int show(struct why *why, FILE *out, struct errmsg *msg)
{
	struct why_view view = {
		.symbols = why->symbols,
		.lines = view_lines(why->view),
		.sources = view_sources(why->view),
		.kernel_text = &why->kernel_text,
		.text.color = view_color(why->view),
		.all = why->opts->all,
		.story = wants_story(why->opts),
		.no_values = why->opts->no_values,
		.columns = output_columns(why->file),
	};
	int err;

	if (why->opts->private)
		failures_withhold(&why->answer.failures);
	if (why->answer.deep) {
		err = why_way(why->answer.deep, &why->way);
		if (err)
			return err;
	}
	if (why->opts->view.json) {
		err = show_json(why, &view);
	} else {
		if (sources_archive(view.sources))
			fetch_sources(why, &view);
		err = show_text(why, out, &view);
		say_branches(&why->answer);
		say_hint(why);
	}
	err = err ?: record(why, msg);
	if (!err && (why->opts->view.dot || why->opts->view.svg))
		err = view_finish(why->view, msg);
	return err;
}

static void say_lost(const struct answer *answer)
{
	struct errmsg events, unwatched;

	answer_explain_lost(answer, &events, &unwatched);
	if (events.text[0])
		log_warning("%s", events.text);
	if (unwatched.text[0])
		log_warning("%s", unwatched.text);
}

/* Is a certain call meant, or errno? */
static bool asks(const struct why_options *opts)
{
	return opts->syscall >= 0 || !opts->filter.errno_any;
}

/* What runs already fails by itself, and is not run again. */
static int attach(struct why *why, struct session_options *session, struct errmsg *msg)
{
	const struct why_options *opts = why->opts;
	struct standby_target target = {
		.pid = opts->filter.pid,
		.cgroup = opts->cgroup.id ? opts->cgroup.path : NULL,
		.timeout_ms = opts->timeout_ms,
	};
	int err;

	session->probes.watch.comm = opts->filter.comm;
	session->probes.watch.cgroup = opts->cgroup.id;
	session->probes.watch.cgroup_level = opts->cgroup.level;
	err = standby_attach(session, &target, &why->answer, msg);
	if (err)
		return err;
	say_lost(&why->answer);
	if (!why->answer.call) {
		log_info("no call failed%s: %s", asks(opts) ? " as asked for" : "",
			 why->answer.reason.text);
		if (!opts->view.json)
			return record(why, msg);
	}
	return show(why, why->file, msg);
}

/* Which instructions can be watched here, and by what; -EOPNOTSUPP if none or no functions can. */
static int ask_machine(const struct why_options *opts, struct probes_options *probes,
		       struct errmsg *no_breakpoints, struct errmsg *msg)
{
	struct switches switches = switches_read();
	bool has_kprobes = kernel_has_kprobes();

	/* Before all else that a machine without one may lack. */
	if (opts->target) {
		int err = probes_check_lbr(msg);

		if (err)
			return err;
	}
	if (switches.ftrace_off && !opts->target)
		return errmsg_set(
			msg, -EOPNOTSUPP,
			"no function of this kernel can be watched: kernel.ftrace_enabled "
			"is 0; " SWITCH_FTRACE_ON);
	probes->kprobes = has_kprobes && !switches.kprobes_off;
	if (breakpoint_check(no_breakpoints) == -EOPNOTSUPP)
		probes->no_breakpoints = no_breakpoints->text;
	if (probes->no_breakpoints && !probes->kprobes)
		return errmsg_set(msg, -EOPNOTSUPP,
				  "no instruction of this kernel can be watched: %s, and %s",
				  has_kprobes ? "kprobes are switched off (" SWITCH_KPROBES_ON ")"
					      : "it has no kprobes (CONFIG_KPROBES)",
				  probes->no_breakpoints);
	if (has_kprobes && !probes->kprobes && !opts->target)
		log_info("kprobes are switched off (" SWITCH_KPROBES_ON
			 "): breakpoints alone watch instructions, four on each CPU, and errors "
			 "in netlink's acknowledgements are not seen");
	return 0;
}

/* No error is explained, but the way to this place. */
static int find_place(struct why *why, struct session_options *session, struct errmsg *msg)
{
	const struct why_options *opts = why->opts;
	int err = why_place_resolve(opts->target, &opts->filter, why->symbols,
				    view_lines(why->view), &why->kernel_text,
				    session->probes.no_breakpoints, &why->place, msg);

	session->place = opts->target->text;
	session->deep.place = &why->place;
	return err;
}

static void say_runs(const struct why_options *opts)
{
	if (opts->target)
		log_info("the command is run up to %llu time%s",
			 (unsigned long long)opts->deep_runs, opts->deep_runs == 1 ? "" : "s");
	else if (opts->deep_runs)
		log_info("the command is run up to three times, and then up to %llu time%s more",
			 (unsigned long long)opts->deep_runs, opts->deep_runs == 1 ? "" : "s");
	else if (!opts->once)
		log_info("the command is run up to three times (--once: only once)");
}

/* Which call it is, or why none. */
static void say_call(const struct why *why)
{
	const struct answer *answer = &why->answer;

	if (answer->call && !answer->place)
		log_verbose("the call to blame is %s", blame_reason_text(answer->why_call));
	else if (!answer->call && answer->place)
		log_info("'%s': %s", answer->place, answer->reason.text);
	else if (!answer->call)
		log_info("%s", asks(why->opts)	 ? "no system call failed as asked for"
			       : !answer->status ? "the command did not fail"
			       : answer->calls_compat
				       ? "no system call that is looked at is to blame"
				       : "no system call is to blame: programs try what failed "
					 "in any case; it may have refused by itself");
}

static void use_kernel(const struct why *why, struct probes_options *probes)
{
	probes->symbols = why->symbols;
	probes->text = why->text;
	probes->watch.types = why->types ? functions_btf(why->types) : NULL;
	probes->watch.percpu_offsets = symbols_single(why->symbols, SYMBOLS_PER_CPU_OFFSET);
	probes->watch.cpu_hw_events = symbols_single(why->symbols, SYMBOLS_CPU_HW_EVENTS);
	probes->watch.vmalloc_base = symbols_single(why->symbols, SYMBOLS_VMALLOC_BASE);
}

/* "--deep 5" takes 5 for the command. */
static const char *runs_remedy(const struct why_options *opts)
{
	const char *name = opts->command[0];

	return opts->deep_runs && *name && strspn(name, "0123456789") == strlen(name)
		       ? "; a number of runs is given as --deep=RUNS"
		       : "";
}

static int run(struct why *why, struct errmsg *msg)
{
	_cleanup_free_ char *path = NULL;
	const struct why_options *opts = why->opts;
	struct session_options session = {
		.command = {.start = start,
			    .go = go,
			    .ended = ended,
			    .stop = stop,
			    .end = end,
			    .ctx = why},
		.blame = {.syscall = opts->syscall,
			  .errnos = opts->filter.errnos,
			  .any_errno = opts->filter.errno_any},
		.probes.lbr = !opts->no_lbr,
		.probes.watch.points = opts->deep_runs > 0,
		.probes.watch.values = !opts->no_values,
		.deep = {.runs = (unsigned int)opts->deep_runs,
			 .progress = show_progress,
			 .ctx = why},
		.reason_first = !opts->view.json && !opts->deep_runs && !wants_story(opts),
	};
	struct errmsg no_breakpoints = {};
	int err = 0;

	if (!why_attaches(opts))
		err = child_find(opts->command[0], &path);
	/* -EACCES is not about us: no exit status 4 */
	if (err)
		return errmsg_set(msg, err == -EACCES ? -EINVAL : err, "%s: %s%s", opts->command[0],
				  strerror(-err), runs_remedy(opts));
	err = ask_machine(opts, &session.probes, &no_breakpoints, msg);
	if (err)
		return err;
	why->command = (struct child_command){.path = path, .argv = opts->command};
	if (!why_attaches(opts) && !opts->target && unloads_modules(opts->command)) {
		session.probes.no_modules = true;
		log_info("functions of modules are not watched: the command may unload a module, "
			 "and one that is watched is in use");
	}
	err = open_kernel(why, msg);
	if (err)
		return err;
	use_kernel(why, &session.probes);
	why->out = opts->view.json ? open_memstream(&why->line, &why->line_len) : why->file;
	if (!why->out)
		return -ENOMEM;
	err = view_create(&opts->view, why->out, why->symbols, NULL, NULL, &why->view, msg);
	if (!err && opts->record)
		err = why_record_open(opts->record, (const char *const *)opts->command,
				      why->symbols, &why->kernel_text, &why->recorder, msg);
	if (err)
		return err;
	session.probes.lines = view_lines(why->view);
	if (why_attaches(opts))
		return attach(why, &session, msg);
	if (opts->target) {
		err = find_place(why, &session, msg);
		if (err)
			return err;
	}
	say_runs(opts);
	err = opts->once ? standby_run(&session, &why->answer, msg)
			 : session_run(&session, &why->answer, msg);
	progress_end(why->progress);
	end(why);
	if (err)
		return err;
	say_status(why->answer.status);
	say_lost(&why->answer);
	say_call(why);
	err = show(why, why->file, msg);
	if (!err && why->answer.deep && why->answer.deep->interrupted)
		return errmsg_set(msg, -EINTR, "interrupted: the way is as far as it was found");
	return err;
}

/* Was there what was asked for? */
static bool has_answer(const struct answer *answer)
{
	return answer->state == ORIGIN_PLACE ? answer->deep->count > 0
					     : answer->state != ORIGIN_NONE;
}

int cmd_why(int argc, char **argv)
{
	struct why_options opts;

	return why_options_parse(argc, argv, &opts) ?: why_run(&opts);
}

/* What could not be written is said with the file's name, whoever saw it first. */
static int check_output(FILE *file, const char *name, int err, struct errmsg *msg)
{
	int failed = fflush(file) ? -errno : ferror(file) ? -EIO : 0;

	/* At exit it would be said once more. */
	clearerr(file);
	if (!failed || (err && msg->text[0]))
		return err;
	return errmsg_set(msg, failed, "%s: %s", name, strerror(-failed));
}

int why_run(const struct why_options *opts)
{
	const char *missing = missing_capabilities();
	struct why why = {.opts = opts};
	struct errmsg msg = {};
	int err;

	/* Before the command is run: it may be one that nobody wants to run again. */
	if (view_check_for_kernel(&opts->view, &msg)) {
		log_error("%s", msg.text);
		return EXIT_ERROR;
	}
	/* What the command says is in the user's language. */
	setlocale(LC_MESSAGES, "");
	if (missing) {
		log_error("not permitted without %s; %s", missing, missing_capabilities_remedy());
		return EXIT_PERMISSION;
	}
	why.data_on_stdout = (opts->view.json && !opts->output) ||
			     (opts->record && args_is_stdout(opts->record));
	why.file = opts->output ? fopen(opts->output, "we") : stdout;
	if (!why.file) {
		log_error("%s: %s", opts->output, strerror(errno));
		return EXIT_ERROR;
	}
	install_stop_handlers();
	err = run(&why, &msg);
	err = check_output(why.file, opts->output ?: "standard output", err, &msg);
	if (err == -ENODEV && opts->advice)
		log_error("%s; what needs no LBR: %s", msg.text, opts->advice);
	else if (err)
		log_error("%s", msg.text[0] ? msg.text : strerror(-err));
	end(&why);
	view_destroy(why.view);
	if (why.file != stdout)
		fclose(why.file);
	if (why.out && why.out != why.file)
		fclose(why.out);
	free(why.line);
	free(why.way);
	recorder_close(why.recorder, 0);
	text_close(why.text);
	functions_close(why.types);
	symbols_close(why.symbols);
	err = err ? (int)exit_status_of(err) : has_answer(&why.answer) ? EXIT_SEEN : EXIT_NONE;
	answer_deinit(&why.answer);
	return err;
}
