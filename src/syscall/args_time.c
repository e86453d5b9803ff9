// SPDX-License-Identifier: GPL-2.0
/* Time and signals. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <linux/signalfd.h>
#include <linux/timerfd.h>

#include "syscall/newer.h"

/* linux/time.h */
static const struct constant clocks_rows[] = {
	CONSTANT(CLOCK_REALTIME),
	CONSTANT(CLOCK_MONOTONIC),
	CONSTANT(CLOCK_PROCESS_CPUTIME_ID),
	CONSTANT(CLOCK_THREAD_CPUTIME_ID),
	CONSTANT(CLOCK_MONOTONIC_RAW),
	CONSTANT(CLOCK_REALTIME_COARSE),
	CONSTANT(CLOCK_MONOTONIC_COARSE),
	CONSTANT(CLOCK_BOOTTIME),
	CONSTANT(CLOCK_REALTIME_ALARM),
	CONSTANT(CLOCK_BOOTTIME_ALARM),
	{10, "CLOCK_SGI_CYCLE"},
	CONSTANT(CLOCK_TAI),
};
static const struct constants clocks = CONSTANTS(clocks_rows, "CLOCK_???");

/* linux/time.h */
static const struct constant timers_rows[] = {
	CONSTANT(ITIMER_REAL),
	CONSTANT(ITIMER_VIRTUAL),
	CONSTANT(ITIMER_PROF),
};
static const struct constants timers = CONSTANTS(timers_rows, "ITIMER_???");

/* linux/time.h */
static const struct constant timer_bits_rows[] = {
	CONSTANT(TIMER_ABSTIME),
};
static const struct constants timer_bits = CONSTANTS(timer_bits_rows, "TIMER_???");

/* linux/timerfd.h */
static const struct constant timerfd_bits_rows[] = {
	CONSTANT(TFD_TIMER_ABSTIME),
	CONSTANT(TFD_TIMER_CANCEL_ON_SET),
	CONSTANT(TFD_CLOEXEC),
	CONSTANT(TFD_NONBLOCK),
};
static const struct constants timerfd_bits = CONSTANTS(timerfd_bits_rows, "TFD_???");

/* asm/signal.h */
static const struct constant signals_rows[] = {
	CONSTANT(SIGHUP),  CONSTANT(SIGINT),	CONSTANT(SIGQUIT), CONSTANT(SIGILL),
	CONSTANT(SIGTRAP), CONSTANT(SIGABRT),	CONSTANT(SIGBUS),  CONSTANT(SIGFPE),
	CONSTANT(SIGKILL), CONSTANT(SIGUSR1),	CONSTANT(SIGSEGV), CONSTANT(SIGUSR2),
	CONSTANT(SIGPIPE), CONSTANT(SIGALRM),	CONSTANT(SIGTERM), CONSTANT(SIGSTKFLT),
	CONSTANT(SIGCHLD), CONSTANT(SIGCONT),	CONSTANT(SIGSTOP), CONSTANT(SIGTSTP),
	CONSTANT(SIGTTIN), CONSTANT(SIGTTOU),	CONSTANT(SIGURG),  CONSTANT(SIGXCPU),
	CONSTANT(SIGXFSZ), CONSTANT(SIGVTALRM), CONSTANT(SIGPROF), CONSTANT(SIGWINCH),
	CONSTANT(SIGIO),   CONSTANT(SIGPWR),	CONSTANT(SIGSYS),  {32, "SIGRTMIN"},
};
static const struct constants signals = CONSTANTS(signals_rows, NULL);

/* asm-generic/signal-defs.h */
static const struct constant mask_hows_rows[] = {
	CONSTANT(SIG_BLOCK),
	CONSTANT(SIG_UNBLOCK),
	CONSTANT(SIG_SETMASK),
};
static const struct constants mask_hows = CONSTANTS(mask_hows_rows, "SIG_???");

/* linux/signalfd.h */
static const struct constant signalfd_bits_rows[] = {
	CONSTANT(SFD_CLOEXEC),
	CONSTANT(SFD_NONBLOCK),
};
static const struct constants signalfd_bits = CONSTANTS(signalfd_bits_rows, "SFD_???");

/* asm/signal.h */
static const struct constant action_bits_rows[] = {
	CONSTANT(SA_RESTORER),	     CONSTANT(SA_ONSTACK),   CONSTANT(SA_RESTART),
	CONSTANT(SA_NODEFER),	     CONSTANT(SA_RESETHAND), CONSTANT(SA_NOCLDSTOP),
	CONSTANT(SA_NOCLDWAIT),	     CONSTANT(SA_SIGINFO),   CONSTANT(SA_UNSUPPORTED),
	CONSTANT(SA_EXPOSE_TAGBITS),
};
static const struct constants action_bits = CONSTANTS(action_bits_rows, "SA_???");

/* linux/signal.h */
static const struct constant stack_bits_rows[] = {
	{1, "SS_ONSTACK"},
	{2, "SS_DISABLE"},
	{0x80000000U, "SS_AUTODISARM"},
};
static const struct constants stack_bits = CONSTANTS(stack_bits_rows, "SS_???");

/* asm-generic/siginfo.h */
static const struct constant notifies_rows[] = {
	CONSTANT(SIGEV_SIGNAL),
	CONSTANT(SIGEV_NONE),
	CONSTANT(SIGEV_THREAD),
	CONSTANT(SIGEV_THREAD_ID),
};
static const struct constants notifies = CONSTANTS(notifies_rows, "SIGEV_???");

#define SIGNALS 64

struct pair {
	int64_t sec;
	int64_t rest; /* microseconds or nanoseconds */
};

static void print_pair(struct printer *p, const struct pair *pair, const char *rest)
{
	print_text(p, "{tv_sec=%" PRId64 ", %s=%" PRIu64 "}", pair->sec, rest,
		   (uint64_t)pair->rest);
}

static void print_interval(struct printer *p, unsigned int arg, const char *rest)
{
	const void *blob = printer_blob(p, arg, 2 * sizeof(struct pair));
	struct pair pairs[2];

	if (!blob) {
		print_address(p, p->call->args[arg]);
		return;
	}
	memcpy(pairs, blob, sizeof(pairs));
	print_text(p, "{it_interval=");
	print_pair(p, &pairs[0], rest);
	print_text(p, ", it_value=");
	print_pair(p, &pairs[1], rest);
	print_text(p, "}");
}

static void print_one(struct printer *p, unsigned int arg, const char *rest)
{
	const void *blob = printer_blob(p, arg, sizeof(struct pair));
	struct pair pair;

	if (!blob) {
		print_address(p, p->call->args[arg]);
		return;
	}
	memcpy(&pair, blob, sizeof(pair));
	print_pair(p, &pair, rest);
}

static void print_timespec(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_one(p, arg, "tv_nsec");
}

static void print_timeval(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_one(p, arg, "tv_usec");
}

static void print_itimerspec(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_interval(p, arg, "tv_nsec");
}

static void print_itimerval(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_interval(p, arg, "tv_usec");
}

/* The date, in the time zone of who reads it. */
static void print_date(struct printer *p, const struct pair *pair, int64_t per_second, int digits)
{
	time_t sec = pair->sec;
	char date[64], zone[16];
	struct tm tm;

	if ((!pair->sec && !pair->rest) || pair->rest < 0 || pair->rest >= per_second)
		return;
	if (!localtime_r(&sec, &tm) || !strftime(date, sizeof(date), "%FT%T", &tm))
		return;
	if (!strftime(zone, sizeof(zone), "%z", &tm))
		return;
	print_text(p, " /* %s", date);
	if (pair->rest)
		print_text(p, ".%0*" PRId64, digits, pair->rest);
	print_text(p, "%s */", zone);
}

/* include/linux/stat.h: instead of a number of nanoseconds */
#define UTIME_NOW_NSEC	0x3fffffff
#define UTIME_OMIT_NSEC 0x3ffffffe

static void print_utime_spec(struct printer *p, const struct pair *pair)
{
	if (pair->rest == UTIME_NOW_NSEC) {
		print_text(p, "UTIME_NOW");
	} else if (pair->rest == UTIME_OMIT_NSEC) {
		print_text(p, "UTIME_OMIT");
	} else {
		print_pair(p, pair, "tv_nsec");
		print_date(p, pair, 1000000000, 9);
	}
}

static void print_timespecs(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, 2 * sizeof(struct pair));
	struct pair pairs[2];

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(pairs, blob, sizeof(pairs));
	print_text(p, "[");
	print_utime_spec(p, &pairs[0]);
	print_text(p, ", ");
	print_utime_spec(p, &pairs[1]);
	print_text(p, "]");
}

static void print_timevals(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, 2 * sizeof(struct pair));
	struct pair pairs[2];

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(pairs, blob, sizeof(pairs));
	print_text(p, "[");
	for (unsigned int i = 0; i < 2; i++) {
		if (i)
			print_text(p, ", ");
		print_pair(p, &pairs[i], "tv_usec");
		print_date(p, &pairs[i], 1000000, 6);
	}
	print_text(p, "]");
}

static void print_utimbuf(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, 2 * sizeof(int64_t));
	int64_t times[2];

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(times, blob, sizeof(times));
	print_text(p, "{actime=%" PRId64, times[0]);
	print_date(p, &(struct pair){.sec = times[0]}, 1, 0);
	print_text(p, ", modtime=%" PRId64, times[1]);
	print_date(p, &(struct pair){.sec = times[1]}, 1, 0);
	print_text(p, "}");
}

static void print_signal_name(struct printer *p, int signal, bool prefix)
{
	const char *name = constant_name(&signals, (uint32_t)signal);

	if (name)
		print_text(p, "%s", prefix ? name : name + strlen("SIG"));
	else if (signal > 32 && signal <= SIGNALS)
		print_text(p, "%sRT_%d", prefix ? "SIG" : "", signal - 32);
	else
		print_text(p, "%d", signal);
}

void print_signal(struct printer *p, int signal)
{
	print_signal_name(p, signal, true);
}

static void print_arg_signal(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_signal(p, (int)p->call->args[arg]);
}

/* Of a set that most signals are in, those are written that are not. */
static void print_set(struct printer *p, uint64_t set)
{
	const char *before = "";

	if (__builtin_popcountll(set) >= SIGNALS * 2 / 3) {
		print_text(p, "~");
		set = ~set;
	}
	print_text(p, "[");
	for (int signal = 1; signal <= SIGNALS; signal++) {
		if (!(set >> (signal - 1) & 1))
			continue;
		print_text(p, "%s", before);
		print_signal_name(p, signal, false);
		before = " ";
	}
	print_text(p, "]");
}

static void print_sigset(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(uint64_t));
	uint64_t set;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&set, blob, sizeof(set));
	print_set(p, set);
}

/* struct sigaction of arch/x86/include/asm/signal.h */
struct action {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

static void print_handler(struct printer *p, const struct action *action)
{
	static const char *const names[] = {"SIG_DFL", "SIG_IGN"};

	print_text(p, "sa_handler=");
	if (action->handler < sizeof(names) / sizeof(names[0]))
		print_text(p, "%s", names[action->handler]);
	else if (action->handler == UINT64_MAX)
		print_text(p, "SIG_ERR");
	else
		print_address(p, action->handler);
}

static void print_sigaction(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct action));
	struct action action;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&action, blob, sizeof(action));
	print_text(p, "{");
	print_handler(p, &action);
	print_text(p, ", sa_mask=");
	print_set(p, action.mask);
	print_text(p, ", sa_flags=");
	print_flags(p, action.flags, &action_bits);
	if (action.flags & SA_RESTORER) {
		print_text(p, ", sa_restorer=");
		print_address(p, action.restorer);
	}
	print_text(p, "}");
}

/* stack_t of asm-generic/signal.h */
struct alternate_stack {
	uint64_t sp;
	int32_t flags;
	int32_t padding;
	uint64_t size;
};

static void print_sigstack(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct alternate_stack));
	struct alternate_stack stack;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&stack, blob, sizeof(stack));
	print_text(p, "{ss_sp=");
	print_address(p, stack.sp);
	print_text(p, ", ss_flags=");
	print_flags(p, (uint32_t)stack.flags, &stack_bits);
	print_text(p, ", ss_size=%" PRIu64 "}", stack.size);
}

/* struct sigevent of asm-generic/siginfo.h */
struct event {
	uint64_t value;
	int32_t signal;
	int32_t notify;
	int32_t thread;
};

static void print_sigevent(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, offsetof(struct event, thread) + sizeof(int32_t));
	struct event event = {0};

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&event, blob, offsetof(struct event, thread) + sizeof(int32_t));
	print_text(p, "{");
	if (event.value) {
		print_text(p, "sigev_value={sival_int=%d, sival_ptr=", (int)event.value);
		print_address(p, event.value);
		print_text(p, "}, ");
	}
	print_text(p, "sigev_signo=");
	if (event.notify == SIGEV_SIGNAL || event.notify == SIGEV_THREAD ||
	    event.notify == SIGEV_THREAD_ID)
		print_signal(p, event.signal);
	else
		print_text(p, "%u", (uint32_t)event.signal);
	print_text(p, ", sigev_notify=");
	print_choice(p, (uint32_t)event.notify, &notifies);
	if (event.notify == SIGEV_THREAD_ID)
		print_text(p, ", sigev_notify_thread_id=%d", event.thread);
	print_text(p, "}");
}

const struct arg_type arg_timespec = ARG_STRUCT(print_timespec, sizeof(struct pair));
const struct arg_type arg_timeval = ARG_STRUCT(print_timeval, sizeof(struct pair));
const struct arg_type arg_timespecs = ARG_STRUCT(print_timespecs, 2 * sizeof(struct pair));
const struct arg_type arg_timevals = ARG_STRUCT(print_timevals, 2 * sizeof(struct pair));
const struct arg_type arg_utimbuf = ARG_STRUCT(print_utimbuf, 2 * sizeof(int64_t));
const struct arg_type arg_itimerspec = ARG_STRUCT(print_itimerspec, 2 * sizeof(struct pair));
const struct arg_type arg_itimerval = ARG_STRUCT(print_itimerval, 2 * sizeof(struct pair));
const struct arg_type arg_clock = ARG_CHOICE(clocks);
const struct arg_type arg_itimer = ARG_CHOICE(timers);
const struct arg_type arg_timer_flags = ARG_FLAGS(timer_bits);
const struct arg_type arg_timerfd_flags = ARG_FLAGS(timerfd_bits);
const struct arg_type arg_signal = {.print = print_arg_signal};
const struct arg_type arg_sigmask_how = ARG_CHOICE(mask_hows);
const struct arg_type arg_sigset = ARG_STRUCT(print_sigset, sizeof(uint64_t));
const struct arg_type arg_sigaction = ARG_STRUCT(print_sigaction, sizeof(struct action));
const struct arg_type arg_sigstack = ARG_STRUCT(print_sigstack, sizeof(struct alternate_stack));
const struct arg_type arg_sigevent = ARG_STRUCT(print_sigevent, 20);
const struct arg_type arg_signalfd_flags = ARG_FLAGS(signalfd_bits);
