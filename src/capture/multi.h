/* SPDX-License-Identifier: GPL-2.0 */
/*
 * multi.h - kprobe.multi: one link watches the returns of thousands of functions
 *
 * To arm and to disarm them takes the kernel seconds, in one system call that no signal ends. So
 * another process makes these calls, and Ctrl-C ends this one at any time.
 */
#ifndef LBRSNOOP_CAPTURE_MULTI_H
#define LBRSNOOP_CAPTURE_MULTI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "util/errmsg.h"

/* Functions that the kernel refuses are told from the others by halves: so many links at most. */
#define MULTI_LINKS_MAX 256

struct bpf_link;
struct lbrsnoop_bpf;

struct worker;

/**
 * struct multi - what is armed; zeroed: nothing is
 * @worker: has armed the functions, and will disarm them; NULL: nobody has
 * @sys_exit, @task_exit: programs that end what is known of a task's failures
 * @functions: that are armed
 * @refused: by the kernel, though it seemed to allow them
 */
struct multi {
	struct worker *worker;
	struct bpf_link *sys_exit;
	struct bpf_link *task_exit;
	size_t functions;
	size_t refused;
};

/**
 * multi_check() - has this kernel kprobe.multi?
 * Return: 0; -EOPNOTSUPP, @msg says what lacks; -EPERM or another negative errno.
 */
int multi_check(struct errmsg *msg);

/** multi_select() - ask for the programs to be loaded, if a probe needs them */
void multi_select(struct lbrsnoop_bpf *skel, const struct probe_list *probes);

/**
 * multi_arm() - arm all probes of the kind TRIGGER_MULTI
 * @probes: those that the kernel refuses become TRIGGER_NONE
 * @multi: zeroed before; multi_disarm() also after a failure
 * Return: 0; negative errno, @msg says why.
 */
int multi_arm(struct lbrsnoop_bpf *skel, struct probe_list *probes, struct multi *multi,
	      struct errmsg *msg);

/**
 * multi_disarm() - take them back, and wait until they are
 * @stop: counts the signals that ask us to end; NULL: nobody counts them
 * Return: true; false if @stop asks us to end and it takes longer than a moment: the kernel
 * goes on without us.
 */
bool multi_disarm(struct multi *multi, const volatile sig_atomic_t *stop);

#endif
