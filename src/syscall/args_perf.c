// SPDX-License-Identifier: GPL-2.0
/* perf_event_open: the start of struct perf_event_attr. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/perf_event.h>

#include "syscall/newer.h"

/* linux/perf_event.h */
static const struct constant types_rows[] = {
	CONSTANT(PERF_TYPE_HARDWARE), CONSTANT(PERF_TYPE_SOFTWARE), CONSTANT(PERF_TYPE_TRACEPOINT),
	CONSTANT(PERF_TYPE_HW_CACHE), CONSTANT(PERF_TYPE_RAW),	    CONSTANT(PERF_TYPE_BREAKPOINT),
};
static const struct constants types = CONSTANTS(types_rows, "PERF_TYPE_???");

/* linux/perf_event.h */
static const struct constant sizes_rows[] = {
	CONSTANT(PERF_ATTR_SIZE_VER0), CONSTANT(PERF_ATTR_SIZE_VER1), CONSTANT(PERF_ATTR_SIZE_VER2),
	CONSTANT(PERF_ATTR_SIZE_VER3), CONSTANT(PERF_ATTR_SIZE_VER4), CONSTANT(PERF_ATTR_SIZE_VER5),
	CONSTANT(PERF_ATTR_SIZE_VER6), CONSTANT(PERF_ATTR_SIZE_VER7), CONSTANT(PERF_ATTR_SIZE_VER8),
};
static const struct constants sizes = CONSTANTS(sizes_rows, "PERF_ATTR_SIZE_???");

/* linux/perf_event.h */
static const struct constant hardware_events_rows[] = {
	CONSTANT(PERF_COUNT_HW_CPU_CYCLES),
	CONSTANT(PERF_COUNT_HW_INSTRUCTIONS),
	CONSTANT(PERF_COUNT_HW_CACHE_REFERENCES),
	CONSTANT(PERF_COUNT_HW_CACHE_MISSES),
	CONSTANT(PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
	CONSTANT(PERF_COUNT_HW_BRANCH_MISSES),
	CONSTANT(PERF_COUNT_HW_BUS_CYCLES),
	CONSTANT(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
	CONSTANT(PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
	CONSTANT(PERF_COUNT_HW_REF_CPU_CYCLES),
};
static const struct constants hardware_events =
	CONSTANTS(hardware_events_rows, "PERF_COUNT_HW_???");

/* linux/perf_event.h */
static const struct constant software_events_rows[] = {
	CONSTANT(PERF_COUNT_SW_CPU_CLOCK),	  CONSTANT(PERF_COUNT_SW_TASK_CLOCK),
	CONSTANT(PERF_COUNT_SW_PAGE_FAULTS),	  CONSTANT(PERF_COUNT_SW_CONTEXT_SWITCHES),
	CONSTANT(PERF_COUNT_SW_CPU_MIGRATIONS),	  CONSTANT(PERF_COUNT_SW_PAGE_FAULTS_MIN),
	CONSTANT(PERF_COUNT_SW_PAGE_FAULTS_MAJ),  CONSTANT(PERF_COUNT_SW_ALIGNMENT_FAULTS),
	CONSTANT(PERF_COUNT_SW_EMULATION_FAULTS), CONSTANT(PERF_COUNT_SW_DUMMY),
	CONSTANT(PERF_COUNT_SW_BPF_OUTPUT),	  CONSTANT(PERF_COUNT_SW_CGROUP_SWITCHES),
};
static const struct constants software_events =
	CONSTANTS(software_events_rows, "PERF_COUNT_SW_???");

/* linux/perf_event.h */
static const struct constant caches_rows[] = {
	CONSTANT(PERF_COUNT_HW_CACHE_L1D),  CONSTANT(PERF_COUNT_HW_CACHE_L1I),
	CONSTANT(PERF_COUNT_HW_CACHE_LL),   CONSTANT(PERF_COUNT_HW_CACHE_DTLB),
	CONSTANT(PERF_COUNT_HW_CACHE_ITLB), CONSTANT(PERF_COUNT_HW_CACHE_BPU),
	CONSTANT(PERF_COUNT_HW_CACHE_NODE),
};
static const struct constants caches = CONSTANTS(caches_rows, "PERF_COUNT_HW_CACHE_???");

/* linux/perf_event.h */
static const struct constant cache_ops_rows[] = {
	CONSTANT(PERF_COUNT_HW_CACHE_OP_READ),
	CONSTANT(PERF_COUNT_HW_CACHE_OP_WRITE),
	CONSTANT(PERF_COUNT_HW_CACHE_OP_PREFETCH),
};
static const struct constants cache_ops = CONSTANTS(cache_ops_rows, "PERF_COUNT_HW_CACHE_OP_???");

/* linux/perf_event.h */
static const struct constant cache_results_rows[] = {
	CONSTANT(PERF_COUNT_HW_CACHE_RESULT_ACCESS),
	CONSTANT(PERF_COUNT_HW_CACHE_RESULT_MISS),
};
static const struct constants cache_results =
	CONSTANTS(cache_results_rows, "PERF_COUNT_HW_CACHE_RESULT_???");

/* linux/perf_event.h */
static const struct constant samples_rows[] = {
	CONSTANT(PERF_SAMPLE_IP),
	CONSTANT(PERF_SAMPLE_TID),
	CONSTANT(PERF_SAMPLE_TIME),
	CONSTANT(PERF_SAMPLE_ADDR),
	CONSTANT(PERF_SAMPLE_READ),
	CONSTANT(PERF_SAMPLE_CALLCHAIN),
	CONSTANT(PERF_SAMPLE_ID),
	CONSTANT(PERF_SAMPLE_CPU),
	CONSTANT(PERF_SAMPLE_PERIOD),
	CONSTANT(PERF_SAMPLE_STREAM_ID),
	CONSTANT(PERF_SAMPLE_RAW),
	CONSTANT(PERF_SAMPLE_BRANCH_STACK),
	CONSTANT(PERF_SAMPLE_REGS_USER),
	CONSTANT(PERF_SAMPLE_STACK_USER),
	CONSTANT(PERF_SAMPLE_WEIGHT),
	CONSTANT(PERF_SAMPLE_DATA_SRC),
	CONSTANT(PERF_SAMPLE_IDENTIFIER),
	CONSTANT(PERF_SAMPLE_TRANSACTION),
	CONSTANT(PERF_SAMPLE_REGS_INTR),
	CONSTANT(PERF_SAMPLE_PHYS_ADDR),
	CONSTANT(PERF_SAMPLE_AUX),
	CONSTANT(PERF_SAMPLE_CGROUP),
	CONSTANT(PERF_SAMPLE_DATA_PAGE_SIZE),
	CONSTANT(PERF_SAMPLE_CODE_PAGE_SIZE),
	CONSTANT(PERF_SAMPLE_WEIGHT_STRUCT),
};
static const struct constants samples = CONSTANTS(samples_rows, "PERF_SAMPLE_???");

/* linux/perf_event.h */
static const struct constant read_formats_rows[] = {
	CONSTANT(PERF_FORMAT_TOTAL_TIME_ENABLED),
	CONSTANT(PERF_FORMAT_TOTAL_TIME_RUNNING),
	CONSTANT(PERF_FORMAT_ID),
	CONSTANT(PERF_FORMAT_GROUP),
	CONSTANT(PERF_FORMAT_LOST),
};
static const struct constants read_formats = CONSTANTS(read_formats_rows, "PERF_FORMAT_???");

/* linux/perf_event.h */
static const struct constant open_bits_rows[] = {
	CONSTANT(PERF_FLAG_FD_NO_GROUP),
	CONSTANT(PERF_FLAG_FD_OUTPUT),
	CONSTANT(PERF_FLAG_PID_CGROUP),
	CONSTANT(PERF_FLAG_FD_CLOEXEC),
};
static const struct constants open_bits = CONSTANTS(open_bits_rows, "PERF_FLAG_???");

/* The start of struct perf_event_attr, up to and with its bits. */
struct attr_head {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t bits;
};

#define BIT_FREQ       10
#define BIT_PRECISE_IP 15 /* and the next */

/* The bits of struct perf_event_attr, in linux/perf_event.h; NULL: written otherwise. */
static const char *const bit_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL,
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

/* What precise_ip asks for. */
static const char *const skids[] = {"arbitrary skid", "constant skid", "requested to have 0 skid",
				    "must have 0 skid"};

static void print_config(struct printer *p, const struct attr_head *attr)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		print_choice(p, attr->config, &hardware_events);
		break;
	case PERF_TYPE_SOFTWARE:
		print_choice(p, attr->config, &software_events);
		break;
	case PERF_TYPE_TRACEPOINT:
		print_text(p, "%" PRIu64, attr->config);
		break;
	case PERF_TYPE_HW_CACHE:
		if (attr->config >> 24)
			print_text(p, "%#" PRIx64 "<<24|", attr->config >> 24);
		print_choice(p, attr->config >> 16 & 0xff, &cache_results);
		print_text(p, "<<16|");
		print_choice(p, attr->config >> 8 & 0xff, &cache_ops);
		print_text(p, "<<8|");
		print_choice(p, attr->config & 0xff, &caches);
		break;
	default:
		print_text(p, "%#" PRIx64, attr->config);
	}
}

static void print_bits(struct printer *p, uint64_t bits)
{
	for (size_t i = 0; i < sizeof(bit_names) / sizeof(bit_names[0]); i++) {
		if (bit_names[i] && bits >> i & 1)
			print_text(p, ", %s=1", bit_names[i]);
		if (i == BIT_PRECISE_IP)
			print_text(p, ", precise_ip=%u /* %s */", (uint32_t)(bits >> i & 3),
				   skids[bits >> i & 3]);
	}
}

static void print_attr(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(struct attr_head));
	struct attr_head attr;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&attr, blob, sizeof(attr));
	print_text(p, "{type=");
	print_choice(p, attr.type, &types);
	print_text(p, ", size=");
	print_choice(p, attr.size, &sizes);
	print_text(p, ", config=");
	print_config(p, &attr);
	print_text(p, ", %s=%" PRIu64, attr.bits >> BIT_FREQ & 1 ? "sample_freq" : "sample_period",
		   attr.period);
	print_text(p, ", sample_type=");
	print_flags(p, attr.sample_type, &samples);
	print_text(p, ", read_format=");
	print_flags(p, attr.read_format, &read_formats);
	print_bits(p, attr.bits);
	print_text(p, ", ...}");
}

const struct arg_type arg_perf_attr = ARG_STRUCT(print_attr, sizeof(struct attr_head));
const struct arg_type arg_perf_flags = ARG_FLAGS64(open_bits);
