/* SPDX-License-Identifier: GPL-2.0 */
/* attach.h - arm one probe */
#ifndef LBRSNOOP_CAPTURE_ATTACH_H
#define LBRSNOOP_CAPTURE_ATTACH_H

#include <bpf/libbpf.h>
#include <stdint.h>

#include "snapshot/probe.h"
#include "util/errmsg.h"

struct lbrsnoop_bpf;

/**
 * struct armed - what one probe holds; freed by disarm()
 * @prog_fd, @link_fd: of a copied program; -1 if none
 * @link: of a program of the skeleton
 * @hw_fds, @hw_links: per CPU, of a hardware breakpoint
 */
struct armed {
	int prog_fd;
	int link_fd;
	struct bpf_link *link;
	struct bpf_link **hw_links;
	int hw_count;
};

/** attach_select() - ask for the programs that @probe (and its fallback) needs to be loaded */
void attach_select(struct lbrsnoop_bpf *skel, const struct probe *probe);

/**
 * attach_probe() - arm
 * @target: index of the probe, to be found in its records
 * @probe: trigger.kind is changed if the fallback was used
 * @ret_armed: set on success
 * Return: 0; negative errno, @msg says why.
 */
int attach_probe(struct lbrsnoop_bpf *skel, struct probe *probe, uint32_t target,
		 struct armed *ret_armed, struct errmsg *msg);

/** attach_hw_cpu() - arm a hardware breakpoint on a CPU that came online */
int attach_hw_cpu(struct lbrsnoop_bpf *skel, const struct probe *probe, uint32_t target,
		  struct armed *armed, int cpu, struct errmsg *msg);

/** disarm() - take back */
void disarm(struct armed *armed);

/** armed_missed() - events for which the kernel did not run the program (recursion) */
uint64_t armed_missed(const struct armed *armed);

#endif
