// SPDX-License-Identifier: GPL-2.0
/*
 * All programs as one object. Linking them with bpftool instead fails as soon as there are two
 * maps: libbpf 1.1 leaves the offset of extern maps in section .maps at 0.
 */
#include "state.bpf.c"

#include "check.bpf.c"
#include "errno_site.bpf.c"
#include "fault.bpf.c"
#include "fexit.bpf.c"
#include "follow.bpf.c"
#include "hw.bpf.c"
#include "kprobe.bpf.c"
#include "multi.bpf.c"
#include "perf.bpf.c"
#include "preset.bpf.c"
#include "tracepoint.bpf.c"
#include "uprobe.bpf.c"
