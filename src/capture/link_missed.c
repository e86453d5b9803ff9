// SPDX-License-Identifier: GPL-2.0
#include "capture/link_missed.h"

#include <bpf/bpf.h>
#include <stddef.h>

/* enum bpf_link_type and enum bpf_perf_event_type of Linux 6.7's include/uapi/linux/bpf.h */
#define LINK_PERF_EVENT 7
#define EVENT_KPROBE	3
#define EVENT_KRETPROBE 4

/* struct link_info - struct bpf_link_info of a perf event, which older headers have less of */
struct link_info {
	uint32_t type;
	uint32_t id;
	uint32_t prog_id;
	uint32_t padding;
	uint32_t event;
	uint32_t event_padding;
	uint64_t func_name;
	uint32_t name_len;
	uint32_t offset;
	uint64_t addr;
	uint64_t missed;
};

_Static_assert(offsetof(struct link_info, missed) == 48, "as the kernel has it");

uint64_t link_missed(int fd)
{
	struct link_info info = {0};
	uint32_t len = sizeof(info);

	/* A kernel whose own struct is shorter leaves the rest as it is. */
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	if (info.type == LINK_PERF_EVENT &&
	    (info.event == EVENT_KPROBE || info.event == EVENT_KRETPROBE))
		return info.missed;
	return 0;
}
