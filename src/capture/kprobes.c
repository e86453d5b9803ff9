// SPDX-License-Identifier: GPL-2.0
#include "capture/kprobes.h"

#include <unistd.h>

bool kernel_has_kprobes(void)
{
	return !access("/sys/bus/event_source/devices/kprobe/type", R_OK);
}
