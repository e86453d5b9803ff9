// SPDX-License-Identifier: GPL-2.0
/*
 * no_slot - is an event that finds every slot in use counted, by each program, once?
 *
 * Each program is loaded with all slots taken and attached to a place that this process reaches
 * once. Prints "ok load/no_slot_NAME", "not ok load/no_slot_NAME: why" or
 * "skip load/no_slot_NAME: reason" for each.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record.h"

#include "lbrsnoop.skel.h"

/* What a breakpoint and a uprobe stand on: behind an instruction that sets RAX to the argument. */
long hit(long ret);
extern const char hit_place[];
__asm__(".text\n"
	".globl hit, hit_place\n"
	".type hit, @function\n"
	"hit:\n"
	"	movq %rdi, %rax\n"
	"hit_place:\n"
	"	nop\n"
	"	ret\n"
	".size hit, .-hit\n");

/*
 * @program: its name
 * @ret: what hit() returns; with @errors only errors are wanted
 * @counted: events to be counted as lost
 */
static const struct row {
	const char *program;
	bool errors;
	long ret;
	uint64_t counted;
} rows[] = {
	{"raw_tracepoint", false, 0, 1},
	{"tracepoint", false, 0, 1},
	{"tracepoint_sys_exit", false, 0, 1},
	{"sys_exit_typed", false, 0, 1},
	{"uprobe", false, 0, 1},
	{"uretprobe", false, 0, 1},
	{"hw", false, 0, 1},
	{"hw_return_s32", true, -2, 1},
	{"hw_return_s64", true, -2, 1},
	{"hw_return_s64", true, 0, 0}, /* not wanted: not lost */
	{"hw_errno_site", false, 0, 1},
	{"hw_calibrate", false, 0, 0}, /* no event of anybody's */
	{"fault_early", false, 0, 0},  /* not known to be an error */
	{"fault_late", false, 0, 1},
	{"kprobe", false, 0, 1},
	{"kretprobe_s32", false, 0, 1},
	{"kretprobe_s64", false, 0, 1},
	{"uprobe_stepped", false, 0, 0}, /* switches the LBR on, no more */
	{"fentry", false, 0, 1},
	{"fexit_s32", false, 0, 1},
	{"fexit_s64", false, 0, 1},
	{"errno_exit_s32", false, 0, 1},
	{"errno_exit_s64", false, 0, 1},
};

#define FUNCTION "__do_sys_getppid"

/* The offset in our own file of an address of our text. */
static size_t file_offset(uintptr_t addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	size_t found = 0;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && addr >= start &&
		    addr < end)
			found = addr - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

static int open_breakpoint(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)hit_place,
		.bp_len = sizeof(long),
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Some hypervisors let a breakpoint be set, and it never fires. */
static bool breakpoint_fires(void)
{
	int fd = open_breakpoint();
	uint64_t count = 0;

	if (fd < 0)
		return true; /* what is refused is told where it is attached */
	for (int i = 0; i < 100; i++)
		hit(0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 1;
	close(fd);
	return count;
}

static struct bpf_link *attach_breakpoint(struct bpf_program *prog)
{
	int fd = open_breakpoint();

	return fd < 0 ? NULL : bpf_program__attach_perf_event(prog, fd);
}

static bool is(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool is_on_breakpoint(const char *name)
{
	return is(name, "hw") || is(name, "fault_early");
}

static struct bpf_link *attach(struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);

	if (is(name, "raw_tracepoint"))
		return bpf_program__attach_raw_tracepoint(prog, "sys_enter");
	if (is(name, "tracepoint"))
		return bpf_program__attach_tracepoint(
			prog, "syscalls",
			is(name, "tracepoint_sys") ? "sys_exit_getppid" : "sys_enter_getppid");
	if (!strcmp(name, "uprobe") || is(name, "uretprobe"))
		return bpf_program__attach_uprobe(prog, is(name, "uretprobe"), getpid(),
						  "/proc/self/exe", file_offset((uintptr_t)hit));
	if (is(name, "kprobe") || is(name, "kretprobe") || is(name, "uprobe_stepped") ||
	    is(name, "fault_late"))
		return bpf_program__attach_kprobe(prog, is(name, "kretprobe"), FUNCTION);
	if (is_on_breakpoint(name))
		return attach_breakpoint(prog);
	if (is(name, "sys_exit"))
		return bpf_program__attach(prog);
	return bpf_program__attach_trace(prog);
}

/* Reaches the place once. Then it is detached: to close the link may be a system call as well. */
static struct losses run(struct lbrsnoop_bpf *skel, const struct row *row, uint64_t *ret_drawn)
{
	struct losses losses;

	skel->bss->sys_exit_targets[SYS_getppid] = 1;
	syscall(SYS_getppid);
	hit(row->ret);
	losses = skel->bss->losses;
	*ret_drawn = skel->bss->next_slot;
	return losses;
}

static bool try(const struct row *row)
{
	struct lbrsnoop_bpf *skel = lbrsnoop_bpf__open();
	struct bpf_program *prog =
		skel ? bpf_object__find_program_by_name(skel->obj, row->program) : NULL;
	/* Before it is armed: it would count these hits. */
	bool swallowed = is_on_breakpoint(row->program) && !breakpoint_fires();
	struct bpf_link *link = NULL;
	struct losses losses;
	uint64_t drawn;
	bool good;
	int err;

	if (!prog) {
		printf("not ok load/no_slot_%s: there is none of that name\n", row->program);
		lbrsnoop_bpf__destroy(skel);
		return false;
	}
	skel->rodata->filter_pid = (uint32_t)getpid();
	skel->rodata->filter_errno = skel->rodata->filter_errno_any = row->errors;
	bpf_program__set_autoload(prog, true);
	/* A tracepoint's program has its place already. */
	err = bpf_program__type(prog) == BPF_PROG_TYPE_TRACING &&
			      bpf_program__expected_attach_type(prog) != BPF_TRACE_RAW_TP
		      ? bpf_program__set_attach_target(prog, 0, FUNCTION)
		      : 0;
	err = err ?: lbrsnoop_bpf__load(skel);
	if (!err) {
		for (size_t i = 0; i < sizeof(skel->bss->slots) / sizeof(*skel->bss->slots); i++)
			skel->bss->slots[i].busy = 1;
		link = attach(prog);
		err = link ? 0 : -errno;
	}
	if (!err && swallowed) {
		printf("skip load/no_slot_%s: this machine's breakpoints can be set and never "
		       "fire\n",
		       row->program);
		bpf_link__destroy(link);
		lbrsnoop_bpf__destroy(skel);
		return true;
	}
	if (err) {
		printf("skip load/no_slot_%s: it cannot be armed here: %s\n", row->program,
		       strerror(-err));
		lbrsnoop_bpf__destroy(skel);
		return true;
	}
	losses = run(skel, row, &drawn);
	bpf_link__destroy(link);
	/* A raw tracepoint of all system calls: as many as we made meanwhile. */
	if (is(row->program, "raw_tracepoint"))
		good = losses.no_slot >= row->counted;
	else
		good = losses.no_slot == row->counted;
	if (!drawn)
		printf("not ok load/no_slot_%s: it has not run\n", row->program);
	else if (!good || losses.ring_full)
		printf("not ok load/no_slot_%s: %llu counted, %llu lost\n", row->program,
		       (unsigned long long)losses.no_slot, (unsigned long long)row->counted);
	else
		printf("ok load/no_slot_%s\n", row->program);
	lbrsnoop_bpf__destroy(skel);
	return drawn && good;
}

int main(void)
{
	bool good = true;

	libbpf_set_print(NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		good &= try(&rows[i]);
	return good ? 0 : 1;
}
