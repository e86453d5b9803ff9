/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why_kernel.h - a made-up kernel for the sessions of "lbrsnoop why"
 *
 * It stands for src/why/run/watch.c and for the LBR (the linker wraps them). Functions F(0), F(1),
 * ... load -EINVAL and return it to mkdir(2); a program of calls is made up, and what is told of
 * each depends on what is armed then: functions, sites with kprobes or breakpoints, the LBR.
 */
#ifndef LBRSNOOP_TESTS_WHY_KERNEL_H
#define LBRSNOOP_TESTS_WHY_KERNEL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "../symbol_table.h"
#include "../text_bytes.h"
#include "capture/lbr/lbr_events.h"
#include "symbolize/text/text.h"
#include "target/probeable.h"
#include "util/clock.h"
#include "why/session.h"

#define FUNCTIONS 300 /* more than there may be sites: PROBES_SITES_MAX */
#define STRIDE	  0x40u
#define BASE	  0xffffffff81000000ULL
/* These and those behind them are static functions of one name. */
#define TWINS 250
#define F(i)  (BASE + (i)*STRIDE)
/* Where F(i) loads its errno. */
#define SITE(i) (F(i) + 5)
/* __x64_sys_mkdir: 00 nopl (fentry)  05 call F(0)  0a ret */
#define MKDIR F(FUNCTIONS)
/* Entry code of an interrupt. */
#define INTERRUPT F(FUNCTIONS + 1)
#define CALLS_IN  16 /* functions that run in a call */

/**
 * struct call - a call that fails with EINVAL
 * @path: of the directory
 * @ran: functions that run in it, numbers plus 1, the last one made the error; but with @none no
 *       instruction made it
 * @early: it began before what is armed now was
 * @interrupt: behind the error an interrupt executes that instruction, too
 * @no_stack: the stack cannot be read where a kprobe is hit
 * @cut: more functions were entered than are told
 * @hits_lost: more sites were executed than are told
 * @refused: the kernel did not begin it
 * @signal, @restarts: as in struct why_failed
 */
struct call {
	const char *path;
	unsigned int ran[CALLS_IN];
	bool none;
	bool early;
	bool interrupt;
	bool no_stack;
	bool cut;
	bool hits_lost;
	bool refused;
	uint32_t signal;
	bool restarts;
};

/* The kernel, as it is now. */
static struct {
	uint8_t text[(FUNCTIONS + 1) * STRIDE];
	struct text_bytes listing;
	struct symbols *symbols;
	/* What is armed: by function; by site, the number given to it plus 1. */
	bool functions_armed;
	uint64_t function[FUNCTIONS];
	size_t function_count;
	unsigned int site[FUNCTIONS];
	bool site_hw[FUNCTIONS];
	bool site_lbr[FUNCTIONS];
	/* What the machine can do. */
	bool no_kprobe[FUNCTIONS]; /* refused at F(i) */
	bool has_lbr, lbr_on;
	bool registers_taken; /* somebody else's breakpoints are in all of them */
	bool short_stack;     /* of a hit its own frame is known, no caller */
	uint64_t modules;
	size_t untraced_from; /* functions that nobody knows of yet: of a module */
	/* How often. */
	unsigned int functions_begun, sites_begun;
	uint64_t seq;
	/* What is not told. */
	uint64_t lost, calls_unwatched, calls_compat;
} kernel;

struct watch {
	int unused;
};

static inline void kernel_open(void)
{
	static const uint8_t function[] = "\x0f\x1f\x44\x00\x00\xb8\xea\xff\xff\xff\xc3";
	static const uint8_t mkdir[] = "\x0f\x1f\x44\x00\x00\xe8\x00\x00\x00\x00\xc3";
	char *table = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&table, &len);
	int32_t back = -(int32_t)(FUNCTIONS * STRIDE + 10);

	memset(&kernel, 0, sizeof(kernel));
	memset(kernel.text, 0xcc, sizeof(kernel.text));
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		memcpy(kernel.text + i * STRIDE, function, sizeof(function) - 1);
		if (i < TWINS)
			fprintf(out, "%llx T f%u\n", F(i), i);
		else
			fprintf(out, "%llx t twin\n", F(i));
	}
	memcpy(kernel.text + FUNCTIONS * STRIDE, mkdir, sizeof(mkdir) - 1);
	memcpy(kernel.text + FUNCTIONS * STRIDE + 6, &back, sizeof(back));
	fprintf(out, "%llx T __x64_sys_mkdir\n%llx T asm_sysvec_apic_timer_interrupt\n", MKDIR,
		INTERRUPT);
	fprintf(out, "%llx T end\n%llx T further\n", INTERRUPT + STRIDE, INTERRUPT + 2 * STRIDE);
	fclose(out);
	kernel.symbols = symbol_table(table);
	free(table);
	kernel.listing = (struct text_bytes){BASE, kernel.text, sizeof(kernel.text)};
	kernel.untraced_from = FUNCTIONS;
	kernel.modules = 1;
	kernel.seq = 1;
	setenv("LBRSNOOP_LEARNED", "/dev/null/none", 1);
}

static inline void kernel_close(void)
{
	symbols_close(kernel.symbols);
}

/* Of the last time that it was executed. */
static inline struct why_hit_of *hit_of(unsigned int i, uint64_t seq, const struct call *call)
{
	struct why_hit_of *event = calloc(1, sizeof(*event));

	event->head.kind = WHY_HIT;
	event->of = seq;
	event->hit = (struct why_hit){
		.ip = SITE(i),
		.order = call->interrupt ? 2 : 1,
		.site = kernel.site[i] - 1,
		.err = EINVAL,
		.frames = kernel.short_stack ? 1 : 2,
		.hw = kernel.site_hw[i] && kernel.site_lbr[i] && kernel.lbr_on,
		.stack = {SITE(i), MKDIR + 10},
	};
	if (call->no_stack && !kernel.site_hw[i])
		event->hit.frames = 1;
	if (call->interrupt) {
		event->hit.frames = 3;
		event->hit.stack[1] = INTERRUPT + 5;
		event->hit.stack[2] = MKDIR + 10;
	}
	return event;
}

/* What the programs in the kernel tell of a call. */
static inline int kernel_call(const struct call *call, watch_fn *fn, void *ctx)
{
	struct why_failed *failed = calloc(1, sizeof(*failed));
	uint64_t seq = kernel.seq++;
	unsigned int last = 0, n;
	int err = 0;

	failed->hits_lost = call->hits_lost;
	failed->refused = call->refused;
	failed->signal = call->signal;
	failed->restarts = call->restarts;
	failed->head.kind = WHY_FAILED;
	failed->head.seq = seq;
	failed->head.mono_ns = clock_ns(CLOCK_MONOTONIC);
	failed->head.tgid = failed->head.tid = 100;
	failed->begin_ns = call->early ? 1 : failed->head.mono_ns;
	failed->err = EINVAL;
	failed->call.nr = SYS_mkdir;
	failed->call.args[0] = 0x1000;
	failed->call.blobs[0] =
		(struct syscall_blob){.status = SYSCALL_BLOB_READ, .len = strlen(call->path)};
	memcpy(failed->call.bytes[0], call->path, strlen(call->path));
	for (size_t k = 0; k < CALLS_IN && call->ran[k]; k++) {
		unsigned int i = last = call->ran[k] - 1;

		for (size_t f = 0; kernel.functions_armed && f < kernel.function_count; f++)
			if (kernel.function[f] == F(i))
				failed->funcs[failed->entered++] = (uint32_t)F(i);
	}
	n = failed->entered;
	for (uint32_t i = n; n && call->cut && i <= WHY_FUNCS_MAX; failed->entered = ++i)
		failed->funcs[i % WHY_FUNCS_MAX] = failed->funcs[i - n];
	if (!err && !call->none && kernel.site[last] && !call->early) {
		struct why_hit_of *hit = hit_of(last, seq, call);

		failed->hits = hit->hit.order;
		err = fn(&hit->head, sizeof(*hit), ctx);
		free(hit);
	}
	err = err ?: fn(&failed->head, sizeof(*failed), ctx);
	free(failed);
	return err;
}

/* A process ends; @code as waitpid() gives it. */
static inline int kernel_end(uint32_t tgid, uint32_t code, watch_fn *fn, void *ctx)
{
	struct why_exited event = {.head.kind = WHY_EXITED, .code = code};

	event.head.seq = kernel.seq++;
	event.head.tgid = tgid;
	return fn(&event.head, sizeof(event), ctx);
}

int __wrap_watch_create(const struct watch_options *opts, struct watch **ret_watch,
			struct errmsg *msg);
int __wrap_watch_create(const struct watch_options *opts, struct watch **ret_watch,
			struct errmsg *msg)
{
	static struct watch watch;

	*ret_watch = &watch;
	return 0;
}

void __wrap_watch_destroy(struct watch *watch);
void __wrap_watch_destroy(struct watch *watch)
{
}

int __wrap_watch_add(struct watch *watch, uint32_t pid);
int __wrap_watch_add(struct watch *watch, uint32_t pid)
{
	return 0;
}

int __wrap_watch_functions(struct watch *watch, uint64_t *addrs, size_t count, struct errmsg *msg);
int __wrap_watch_functions(struct watch *watch, uint64_t *addrs, size_t count, struct errmsg *msg)
{
	kernel.function_count = 0;
	for (size_t i = 0; i < count; i++)
		if (addrs[i] < F(kernel.untraced_from) || addrs[i] == MKDIR)
			addrs[kernel.function_count++] = addrs[i];
	memcpy(kernel.function, addrs, kernel.function_count * sizeof(*addrs));
	kernel.functions_armed = true;
	kernel.functions_begun++;
	return (int)kernel.function_count;
}

void __wrap_watch_functions_end(struct watch *watch);
void __wrap_watch_functions_end(struct watch *watch)
{
	kernel.functions_armed = false;
}

int __wrap_watch_sites(struct watch *watch, struct watch_site *sites, size_t first, size_t count,
		       bool lbr, bool kprobes, struct errmsg *msg);
int __wrap_watch_sites(struct watch *watch, struct watch_site *sites, size_t first, size_t count,
		       bool lbr, bool kprobes, struct errmsg *msg)
{
	unsigned int free_registers = kernel.registers_taken ? 0 : 4;
	int armed = 0;

	for (unsigned int i = 0; i < FUNCTIONS; i++)
		free_registers -= kernel.site[i] && kernel.site_hw[i];
	kernel.sites_begun++;
	for (size_t k = 0; k < count; k++) {
		struct watch_site *site = &sites[k];
		unsigned int i = (unsigned int)((site->addr - BASE) / STRIDE);
		bool kprobe = kprobes && !kernel.no_kprobe[i];
		bool hw = free_registers && (site->hw || (!kprobe && site->or_hw));

		assert_int_equal(site->addr, SITE(i));
		site->hw = hw;
		site->failed = !hw && !kprobe;
		if (site->failed)
			continue;
		free_registers -= hw;
		/* An optimized kprobe: a jump stands there. */
		if (!hw)
			kernel.text[i * STRIDE + 5] = 0xe9;
		kernel.site[i] = (unsigned int)(first + k) + 1;
		kernel.site_hw[i] = hw;
		kernel.site_lbr[i] = lbr;
		armed++;
	}
	return armed || !count ? armed : errmsg_set(msg, -EINVAL, "none can be watched");
}

void __wrap_watch_sites_end(struct watch *watch);
void __wrap_watch_sites_end(struct watch *watch)
{
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		kernel.text[i * STRIDE + 5] = 0xb8;
	memset(kernel.site, 0, sizeof(kernel.site));
	memset(kernel.site_hw, 0, sizeof(kernel.site_hw));
}

uint64_t __wrap_watch_lost(const struct watch *watch);
uint64_t __wrap_watch_lost(const struct watch *watch)
{
	return kernel.lost;
}

uint64_t __wrap_watch_calls_unwatched(const struct watch *watch);
uint64_t __wrap_watch_calls_unwatched(const struct watch *watch)
{
	return kernel.calls_unwatched;
}

uint64_t __wrap_watch_processes_unwatched(const struct watch *watch);
uint64_t __wrap_watch_processes_unwatched(const struct watch *watch)
{
	return 0;
}

uint64_t __wrap_watch_calls_compat(const struct watch *watch);
uint64_t __wrap_watch_calls_compat(const struct watch *watch)
{
	return kernel.calls_compat;
}

bool __wrap_watch_netlink(const struct watch *watch);
bool __wrap_watch_netlink(const struct watch *watch)
{
	return true;
}

int __wrap_lbr_events_open(uint64_t branch_types, struct lbr_events **ret_events,
			   struct errmsg *msg);
int __wrap_lbr_events_open(uint64_t branch_types, struct lbr_events **ret_events,
			   struct errmsg *msg)
{
	if (!kernel.has_lbr)
		return errmsg_set(msg, -ENODEV, "no LBR");
	*ret_events = (struct lbr_events *)&kernel;
	return 0;
}

int __wrap_lbr_events_enable(struct lbr_events *events, struct errmsg *msg);
int __wrap_lbr_events_enable(struct lbr_events *events, struct errmsg *msg)
{
	kernel.lbr_on = true;
	return 0;
}

void __wrap_lbr_events_close(struct lbr_events *events);
void __wrap_lbr_events_close(struct lbr_events *events)
{
	kernel.lbr_on = false;
}

struct text_source __wrap_text_source(struct text *text);
struct text_source __wrap_text_source(struct text *text)
{
	return (struct text_source){.read = text_bytes_read, .ctx = &kernel.listing};
}

void __wrap_text_live_invalidate(struct text *text);
void __wrap_text_live_invalidate(struct text *text)
{
}

int __wrap_probeable_open_forbidden(struct probeable **ret_probeable);
int __wrap_probeable_open_forbidden(struct probeable **ret_probeable)
{
	*ret_probeable = NULL;
	return 0;
}

uint64_t __wrap_probes_modules(void);
uint64_t __wrap_probes_modules(void)
{
	return kernel.modules;
}

#endif
