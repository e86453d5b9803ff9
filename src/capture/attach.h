/* SPDX-License-Identifier: GPL-2.0 */
/* attach.h - arm one probe */
#ifndef LBRSNOOP_CAPTURE_ATTACH_H
#define LBRSNOOP_CAPTURE_ATTACH_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "util/errmsg.h"

struct lbrsnoop_bpf;

/**
 * struct hw_site - one breakpoint or perf event on one CPU
 * @link: owns @fd; NULL: not armed
 * @ring: of a perf event, where the kernel tells of it besides its samples, see event_throttled();
 *        NULL: nowhere
 */
struct hw_site {
	struct bpf_link *link;
	int fd;
	void *ring;
};

/**
 * struct armed - what one probe holds; freed by disarm()
 * @prog_fd, @link_fd: of a copied program; -1 if none
 * @link: of a program of the skeleton
 * @hw_sites: hardware breakpoints, HW_SITES_MAX per CPU; or a perf event, the first of them
 * @hw_cpus: CPUs that @hw_sites has room for
 * @since_ns: what it captured before was captured by the breakpoints that it stands for, too, and
 * what they capture afterwards by it; 0: it stands for none
 * @counted: an event has counted something on a CPU that went meanwhile
 */
struct armed {
	int prog_fd;
	int link_fd;
	struct bpf_link *link;
	struct hw_site *hw_sites;
	int hw_cpus;
	uint64_t since_ns;
	bool counted;
};

/**
 * attach_select() - ask for the programs that @probe (and its fallback) needs to be loaded
 * @tracing: those of type TRACING, too
 */
void attach_select(struct lbrsnoop_bpf *skel, const struct probe *probe, bool tracing);

/** enum tracing_need - of BPF programs of type TRACING, which a policy may refuse */
enum tracing_need { TRACING_NOT_USED, TRACING_PREFERRED, TRACING_NEEDED };

/** attach_needs_tracing() - to arm @probe as its trigger says, or in one of the ways behind that */
enum tracing_need attach_needs_tracing(struct lbrsnoop_bpf *skel, const struct probe *probe);

/** attach_select_shared() - ... and those that serve several probes at once, where they can be had
 */
void attach_select_shared(struct lbrsnoop_bpf *skel, const struct probe_list *probes);

/**
 * attach_probe() - arm
 * @target: index of the probe, to be found in its records
 * @probe: trigger.kind is changed if the fallback was used
 * @ret_armed: set on success
 * Return: 0; negative errno, @msg says why.
 */
int attach_probe(struct lbrsnoop_bpf *skel, struct probe *probe, uint32_t target,
		 struct armed *ret_armed, struct errmsg *msg);

/** attach_hw_cpu() - arm a hardware breakpoint, or perf event, on a CPU that came online */
int attach_hw_cpu(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		  struct armed *armed, int cpu, struct errmsg *msg);

/** disarm_hw_cpu() - take back the breakpoints of a CPU that went offline */
void disarm_hw_cpu(struct armed *armed, int cpu);

/** disarm() - take back; @since_ns stays, for what is still to be read */
void disarm(struct armed *armed);

/**
 * forget_pending() - forget the hits of errno sites that wait for a return nobody will see
 *
 * After disarm() of what is to be armed again: else the return of a later call would be taken for
 * theirs.
 */
void forget_pending(struct lbrsnoop_bpf *skel, uint32_t target);

/**
 * attach_next_worse() - arm the next cheaper kind of trigger beside the one that is armed
 * @probe: trigger.kind is changed on success
 * @ret_armed: set on success
 * Return: 0; -ENOENT if there is no cheaper kind; negative errno of the last one tried.
 */
int attach_next_worse(struct lbrsnoop_bpf *skel, struct probe *probe, uint32_t target,
		      struct armed *ret_armed, struct errmsg *msg);

/**
 * keep_exit() - disarm the breakpoints where the errno is loaded, and go on with the exit
 *
 * What watches the function's exit for them sees every error, as fexit does.
 * Return: true; false if nothing watches it, or no other trigger is wanted: nothing is done.
 */
bool keep_exit(struct probe *probe, struct armed *armed);

/** armed_hw_hits() - how often the hardware breakpoints were hit, as the kernel counted */
uint64_t armed_hw_hits(const struct armed *armed);

/** armed_hw_hits_cpu() - the same of those of one CPU */
uint64_t armed_hw_hits_cpu(const struct armed *armed, int cpu);

/**
 * attach_breakpoint() - one breakpoint on one CPU
 * @prog: BPF_PROG_TYPE_PERF_EVENT, loaded
 * @cookie: what bpf_get_attach_cookie() gives it
 * @ret_site: set on success; bpf_link__destroy(@ret_site->link) disarms it
 */
int attach_breakpoint(struct bpf_program *prog, uint64_t addr, int cpu, uint64_t cookie,
		      struct hw_site *ret_site, struct errmsg *msg);

/** armed_throttled() - event_throttled() of all that a probe holds */
uint64_t armed_throttled(const struct armed *armed);

/** armed_throttled_cpu() - the same of one CPU's */
uint64_t armed_throttled_cpu(const struct armed *armed, int cpu);

/** armed_missed() - events for which the kernel did not run the program (recursion) */
uint64_t armed_missed(const struct armed *armed);

#endif
