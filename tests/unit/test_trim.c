// SPDX-License-Identifier: GPL-2.0
/*
 * Branches as Debian's kernels took them in the virtual LBR, printed by lbrsnoop --raw --json.
 * "FUNCTION+OFFSET -> FUNCTION+OFFSET", oldest first; "user" is an address of user space.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../symbol_table.h"
#include "symbolize/trim.h"

#define NAMES_MAX  64
#define NAME_BYTES 80
#define FUNC_BYTES 0x4000u
#define KERNEL	   0xffffffff81000000u

/** struct scene - a snapshot, and a symbol table of just the functions in it */
struct scene {
	char names[NAMES_MAX][NAME_BYTES];
	size_t name_count;
	struct trigger trigger;
	struct snapshot snap;
	struct symbols *syms;
};

static uint64_t address_of(struct scene *scene, const char *name)
{
	size_t i;

	if (strcmp(name, "user") == 0)
		return 0x7f0a8752c000;
	for (i = 0; i < scene->name_count; i++)
		if (strcmp(scene->names[i], name) == 0)
			break;
	if (i == scene->name_count) {
		assert_true(i < NAMES_MAX);
		strcpy(scene->names[i], name);
		scene->name_count++;
	}
	return KERNEL + i * FUNC_BYTES;
}

static void add_branches(struct scene *scene, const char *text)
{
	char from[NAME_BYTES], to[NAME_BYTES];
	unsigned int from_off, to_off;
	int used;

	while (sscanf(text, " %79[^+]+%x -> %79[^+]+%x%n", from, &from_off, to, &to_off, &used) ==
	       4) {
		assert_true(scene->snap.count < BRANCHES_MAX);
		scene->snap.branches[scene->snap.count++] = (struct branch){
			.from = address_of(scene, from) + from_off,
			.to = address_of(scene, to) + to_off,
		};
		text += used;
	}
	assert_int_equal(text[strspn(text, " \n")], 0);
}

static void open_scene_symbols(struct scene *scene)
{
	char *table = NULL;
	size_t len;
	FILE *file = open_memstream(&table, &len);

	assert_non_null(file);
	for (size_t i = 0; i < scene->name_count; i++)
		fprintf(file, "%llx t %s\n", (unsigned long long)KERNEL + i * FUNC_BYTES,
			scene->names[i]);
	fprintf(file, "%llx t _etext\n",
		(unsigned long long)KERNEL + scene->name_count * FUNC_BYTES);
	fclose(file);
	scene->syms = symbol_table(table);
	assert_non_null(scene->syms);
	free(table);
}

/* The LBR is AMD's. */
static bool amd;

/* The LBR is architectural. */
static bool arch;

/* Of a fault: its instruction, as FUNCTION and offset. */
static const char *fault_function;
static unsigned int fault_offset;

/* These branches, trimmed. */
static struct snapshot trimmed(enum trigger_kind kind, const char *function, const char *filter,
			       const char *text)
{
	static const struct lbr_info skylake = {.supported = LBR_HAS_MISPRED};
	static const struct lbr_info zen4 = {.supported = LBR_HAS_MISPRED | LBR_HAS_SPEC};
	static const struct lbr_info sapphirerapids = {.supported = LBR_HAS_MISPRED | LBR_HAS_TYPE};
	struct scene *scene = calloc(1, sizeof(*scene));
	struct snapshot snap;

	assert_non_null(scene);
	scene->trigger.kind = kind;
	scene->trigger.function = (char *)function;
	scene->trigger.module = "";
	scene->snap.trigger = &scene->trigger;
	scene->snap.lbr = amd ? &zen4 : arch ? &sapphirerapids : &skylake;
	scene->snap.path_ok = strcmp(filter, "any") == 0;
	add_branches(scene, text);
	if (fault_function)
		scene->snap.ip = address_of(scene, fault_function) + fault_offset;
	open_scene_symbols(scene);
	if (function[0]) {
		scene->trigger.func_addr = address_of(scene, function);
		scene->trigger.func_size = 0x200;
	}
	snapshot_trim(&scene->snap, scene->syms);
	snap = scene->snap;
	symbols_close(scene->syms);
	free(scene);
	return snap;
}

/* How many entries were wasted. */
static uint32_t trim(enum trigger_kind kind, const char *function, const char *filter,
		     const char *text, uint32_t *ret_shown_from)
{
	struct snapshot snap = trimmed(kind, function, filter, text);

	if (ret_shown_from)
		*ret_shown_from = snap.shown_from;
	return snap.wasted;
}

/* Entries that lead to a tracer's code: '#', else '.'. */
static void check_tracing(enum trigger_kind kind, const char *function, const char *text,
			  uint32_t tracing, const char *marks)
{
	struct snapshot snap = trimmed(kind, function, "any", text);

	assert_int_equal(snap.tracing, tracing);
	assert_true(strlen(marks) <= snap.count);
	for (uint32_t i = 0; marks[i]; i++)
		if (snap.branches[i].tracing != (marks[i] == '#'))
			fail_msg("entry %u must be '%c'", i, marks[i]);
}

/* Linux 6.1.0-56: what a program does from its start to the end of the stack; 9 entries. */
#define SNAPSHOT_6_1                                                                               \
	"bpf_prog_1_x+0x107 -> bpf_get_branch_snapshot+0x0\n"                                      \
	"bpf_get_branch_snapshot+0x13 -> intel_pmu_snapshot_branch_stack+0x0\n"                    \
	"intel_pmu_snapshot_branch_stack+0x29 -> native_write_msr+0x0\n"                           \
	"native_write_msr+0x8 -> its_return_thunk+0x0\n"                                           \
	"its_return_thunk+0x0 -> intel_pmu_snapshot_branch_stack+0x2e\n"                           \
	"intel_pmu_snapshot_branch_stack+0x37 -> native_read_msr+0x0\n"                            \
	"native_read_msr+0x15 -> its_return_thunk+0x0\n"                                           \
	"its_return_thunk+0x0 -> intel_pmu_snapshot_branch_stack+0x3c\n"                           \
	"intel_pmu_snapshot_branch_stack+0x50 -> native_write_msr+0x0\n"

/* ... with a filter by process before it; 3 more. */
#define FILTER_6_1                                                                                 \
	"bpf_prog_1_x+0x6e -> bpf_get_current_pid_tgid+0x0\n"                                      \
	"bpf_get_current_pid_tgid+0x28 -> its_return_thunk+0x0\n"                                  \
	"its_return_thunk+0x0 -> bpf_prog_1_x+0x73\n"

/* ... and the trampoline's way to the program after the function has returned; 9. */
#define EXIT_6_1                                                                                   \
	"bpf_trampoline_1+0x69 -> __bpf_prog_enter_recur+0x0\n"                                    \
	"__bpf_prog_enter_recur+0x8 -> __rcu_read_lock+0x0\n"                                      \
	"__rcu_read_lock+0x1d -> its_return_thunk+0x0\n"                                           \
	"its_return_thunk+0x0 -> __bpf_prog_enter_recur+0xd\n"                                     \
	"__bpf_prog_enter_recur+0xd -> migrate_disable+0x0\n"                                      \
	"migrate_disable+0x4c -> its_return_thunk+0x0\n"                                           \
	"its_return_thunk+0x0 -> __bpf_prog_enter_recur+0x12\n"                                    \
	"__bpf_prog_enter_recur+0x47 -> bpf_trampoline_1+0x6e\n"                                   \
	"bpf_trampoline_1+0x7a -> bpf_prog_1_x+0x0\n"

static void fexit_function_return_is_newest_shown(void **state)
{
	uint32_t shown_from = 9;

	(void)state;
	assert_int_equal(trim(TRIGGER_FEXIT, "do_sys_openat2", "any",
			      "cache_from_obj+0x61 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> kmem_cache_free+0x15\n"
			      "kmem_cache_free+0x1c0 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> do_sys_openat2+0x9b\n"
			      "do_sys_openat2+0x9e -> do_sys_openat2+0x52\n"
			      "do_sys_openat2+0x6e -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> bpf_trampoline_1+0x4c\n" EXIT_6_1 FILTER_6_1
				      SNAPSHOT_6_1,
			      &shown_from),
			 21);
	assert_int_equal(shown_from, 0);
}

static void fexit_return_without_thunk_is_newest_shown(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_FEXIT, "do_sys_openat2", "any",
		     "do_sys_openat2+0x9e -> do_sys_openat2+0x52\n"
		     "do_sys_openat2+0x6e -> bpf_trampoline_1+0x4c\n" EXIT_6_1 SNAPSHOT_6_1,
		     NULL),
		18);
}

static void fexit_cold_part_counts_as_function(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_FEXIT, "vfs_fsopen", "any",
		     "vfs_fsopen+0x9e -> vfs_fsopen.cold+0x2\n"
		     "vfs_fsopen.cold+0x6e -> its_return_thunk+0x0\n"
		     "its_return_thunk+0x0 -> bpf_trampoline_1+0x4c\n" EXIT_6_1 SNAPSHOT_6_1,
		     NULL),
		18);
}

static void fexit_tail_call_shows_other_function(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_FEXIT, "vfs_open", "any",
		     "vfs_open+0x30 -> do_dentry_open+0x0\n"
		     "do_dentry_open+0x20 -> do_dentry_open+0x90\n"
		     "do_dentry_open+0x99 -> its_return_thunk+0x0\n"
		     "its_return_thunk+0x0 -> bpf_trampoline_1+0x4c\n" EXIT_6_1 SNAPSHOT_6_1,
		     NULL),
		18);
}

static void fexit_interrupt_in_trampoline_is_wasted(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_FEXIT, "do_sys_openat2", "any",
		     "do_sys_openat2+0x6e -> its_return_thunk+0x0\n"
		     "its_return_thunk+0x0 -> bpf_trampoline_1+0x4c\n"
		     "bpf_trampoline_1+0x50 -> asm_sysvec_apic_timer_interrupt+0x0\n"
		     "asm_sysvec_apic_timer_interrupt+0x10 -> irq_enter_rcu+0x0\n"
		     "irq_enter_rcu+0x10 -> asm_sysvec_apic_timer_interrupt+0x15\n"
		     "asm_sysvec_apic_timer_interrupt+0x20 -> common_interrupt_return+0x0\n"
		     "native_irq_return_iret+0x0 -> bpf_trampoline_1+0x50\n" EXIT_6_1 SNAPSHOT_6_1,
		     NULL),
		23);
}

static void fexit_function_overwritten_wastes_machinery(void **state)
{
	(void)state;
	/* A 16-deep stack holds nothing else. */
	assert_int_equal(trim(TRIGGER_FEXIT, "do_sys_openat2", "any",
			      "its_return_thunk+0x0 -> __bpf_prog_enter_recur+0x12\n"
			      "__bpf_prog_enter_recur+0x47 -> bpf_trampoline_1+0x6e\n"
			      "bpf_trampoline_1+0x7a -> bpf_prog_1_x+0x0\n" FILTER_6_1 SNAPSHOT_6_1,
			      NULL),
			 15);
}

static void fexit_traced_callee_is_shown(void **state)
{
	/* The callee's trampoline, in the function, is a part of the story. */
	(void)state;
	assert_int_equal(trim(TRIGGER_FEXIT, "outer", "any",
			      "outer+0x10 -> inner+0x0\n"
			      "inner+0x0 -> bpf_trampoline_2+0x0\n"
			      "bpf_trampoline_2+0x40 -> inner+0x5\n"
			      "inner+0x20 -> bpf_trampoline_2+0x45\n"
			      "bpf_trampoline_2+0x69 -> __bpf_prog_enter_recur+0x0\n"
			      "__bpf_prog_enter_recur+0x47 -> bpf_trampoline_2+0x6e\n"
			      "bpf_trampoline_2+0x99 -> outer+0x15\n"
			      "outer+0x6e -> bpf_trampoline_1+0x4c\n" EXIT_6_1 SNAPSHOT_6_1,
			      NULL),
			 18);
}

static void fexit_returns_only_filter_finds_return(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_FEXIT, "do_sys_openat2", "any_ret",
			      "its_return_thunk+0x0 -> do_sys_openat2+0x9b\n"
			      "do_sys_openat2+0x6e -> bpf_trampoline_1+0x4c\n"
			      "__rcu_read_lock+0x1d -> __bpf_prog_enter_recur+0xd\n"
			      "migrate_disable+0x4c -> __bpf_prog_enter_recur+0x12\n"
			      "__bpf_prog_enter_recur+0x47 -> bpf_trampoline_1+0x6e\n",
			      NULL),
			 3);
}

static void fexit_calls_only_filter_keeps_callees(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_FEXIT, "do_sys_openat2", "any_call",
			      "do_sys_openat2+0x30 -> do_filp_open+0x0\n"
			      "do_filp_open+0x30 -> path_openat+0x0\n"
			      "bpf_trampoline_1+0x69 -> __bpf_prog_enter_recur+0x0\n"
			      "__bpf_prog_enter_recur+0x8 -> __rcu_read_lock+0x0\n"
			      "__bpf_prog_enter_recur+0xd -> migrate_disable+0x0\n"
			      "bpf_trampoline_1+0x7a -> bpf_prog_1_x+0x0\n"
			      "bpf_prog_1_x+0x6e -> bpf_get_current_pid_tgid+0x0\n"
			      "bpf_prog_1_x+0x107 -> bpf_get_branch_snapshot+0x0\n",
			      NULL),
			 6);
}

static void fentry_call_of_function_is_newest_shown(void **state)
{
	uint32_t shown_from = 9;

	(void)state;
	assert_int_equal(trim(TRIGGER_FENTRY, "do_sys_openat2", "any",
			      "user+0x1b -> user+0x30\n"
			      "user+0x1b -> entry_SYSCALL_64+0x0\n"
			      "entry_SYSCALL_64_after_hwframe+0x69 -> do_syscall_64+0x0\n"
			      "x64_sys_call+0xa1c -> __x64_sys_openat+0x0\n"
			      "__x64_sys_openat+0x65 -> do_sys_openat2+0x0\n"
			      "do_sys_openat2+0x0 -> bpf_trampoline_1+0x0\n"
			      "bpf_trampoline_1+0x40 -> __bpf_prog_enter_recur+0x0\n"
			      "__bpf_prog_enter_recur+0x8 -> __rcu_read_lock+0x0\n"
			      "__rcu_read_lock+0x1d -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> __bpf_prog_enter_recur+0xd\n"
			      "__bpf_prog_enter_recur+0xd -> migrate_disable+0x0\n"
			      "migrate_disable+0x4c -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> __bpf_prog_enter_recur+0x12\n"
			      "__bpf_prog_enter_recur+0x47 -> bpf_trampoline_1+0x45\n"
			      "bpf_trampoline_1+0x51 -> bpf_prog_1_x+0x0\n" SNAPSHOT_6_1,
			      &shown_from),
			 19);
	assert_int_equal(shown_from, 1);
}

/* Linux 6.1.0-56, 32 deep: the function is out of the stack. */
static const char kprobe_6_1[] =
	"get_kprobe+0x22 -> get_kprobe+0x2e\n"
	"get_kprobe+0x34 -> its_return_thunk+0x0\n"
	"its_return_thunk+0x0 -> kprobe_ftrace_handler+0xa0\n"
	"kprobe_ftrace_handler+0x106 -> __x86_indirect_thunk_rax+0x0\n"
	"__x86_indirect_thunk_rax+0x0 -> __x86_indirect_thunk_rax+0xc\n"
	"__x86_indirect_thunk_rax+0x10 -> its_return_thunk+0x0\n"
	"its_return_thunk+0x0 -> kprobe_dispatcher+0x0\n"
	"kprobe_dispatcher+0x27 -> kprobe_dispatcher+0x41\n"
	"kprobe_dispatcher+0x4b -> kprobe_perf_func+0x0\n"
	"kprobe_perf_func+0x52 -> trace_call_bpf+0x0\n"
	"trace_call_bpf+0x37 -> __rcu_read_lock+0x0\n"
	"__rcu_read_lock+0x1d -> its_return_thunk+0x0\n"
	"its_return_thunk+0x0 -> trace_call_bpf+0x3c\n"
	"trace_call_bpf+0x55 -> migrate_disable+0x0\n"
	"migrate_disable+0x4c -> its_return_thunk+0x0\n"
	"its_return_thunk+0x0 -> trace_call_bpf+0x5a\n"
	"trace_call_bpf+0xa3 -> __x86_indirect_thunk_rax+0x0\n"
	"__x86_indirect_thunk_rax+0x0 -> __x86_indirect_thunk_rax+0xc\n"
	"__x86_indirect_thunk_rax+0x10 -> its_return_thunk+0x0\n"
	"its_return_thunk+0x0 -> bpf_prog_1_x+0x0\n" FILTER_6_1 SNAPSHOT_6_1;

static void kprobe_function_overwritten_wastes_all(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_KPROBE, "do_sys_openat2", "any", kprobe_6_1, NULL), 32);
	assert_int_equal(trim(TRIGGER_KRETPROBE, "do_sys_openat2", "any", kprobe_6_1, NULL), 32);
}

/* What went into the oldest thunk is not known: it need not have been the function. */
static void kretprobe_oldest_thunk_is_wasted(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_KRETPROBE, "do_sys_openat2", "any",
			      "__x86_indirect_thunk_rax+0x0 -> __x86_indirect_thunk_rax+0xc\n"
			      "__x86_indirect_thunk_rax+0x10 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> kretprobe_rethook_handler+0x0\n"
			      "kretprobe_rethook_handler+0x3f -> kretprobe_dispatcher+0x0\n"
			      "kretprobe_dispatcher+0x67 -> kretprobe_perf_func+0x0\n"
			      "kretprobe_perf_func+0x4d -> trace_call_bpf+0x0\n"
			      "trace_call_bpf+0x37 -> bpf_prog_1_x+0x0\n" SNAPSHOT_6_1,
			      NULL),
			 16);
}

/* Linux 6.12.117+deb12 */
static void kretprobe_interrupt_is_wasted(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_KRETPROBE, "do_sys_openat2", "any",
			      "__irq_exit_rcu+0x67 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> sysvec_apic_timer_interrupt+0x71\n"
			      "sysvec_apic_timer_interrupt+0x81 -> irqentry_exit+0x0\n"
			      "irqentry_exit+0x1b -> asm_sysvec_apic_timer_interrupt+0x1a\n"
			      "asm_sysvec_apic_timer_interrupt+0x1a -> error_return+0x0\n"
			      "error_return+0x8 -> restore_regs_and_return_to_kernel+0x0\n"
			      "early_xen_iret_patch+0x0 -> early_xen_iret_patch+0x5\n"
			      "native_irq_return_iret+0x0 -> migrate_disable+0x0\n"
			      "migrate_disable+0x1b -> migrate_disable+0x2c\n"
			      "migrate_disable+0x57 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> trace_call_bpf+0x72\n"
			      "trace_call_bpf+0xb8 -> __x86_indirect_thunk_rax+0x0\n"
			      "__x86_indirect_thunk_rax+0x0 -> __x86_indirect_thunk_rax+0x6\n"
			      "__x86_indirect_thunk_rax+0xa -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> bpf_prog_1_x+0x0\n"
			      "bpf_prog_1_x+0x52 -> bpf_get_current_pid_tgid+0x0\n"
			      "bpf_get_current_pid_tgid+0x2b -> bpf_prog_1_x+0x57\n"
			      "bpf_prog_1_x+0xfc -> intel_pmu_snapshot_branch_stack+0x0\n"
			      "intel_pmu_snapshot_branch_stack+0x2d -> native_write_msr+0x0\n"
			      "native_write_msr+0xc -> intel_pmu_snapshot_branch_stack+0x32\n",
			      NULL),
			 20);
}

static void interrupt_at_arch_snapshot_takes_all(void **state)
{
	(void)state;
	/* Sapphire Rapids, Linux 6.12: it came before the snapshot's function had shut interrupts
	 * out. */
	assert_int_equal(
		trim(TRIGGER_KRETPROBE, "do_linkat", "any",
		     "asm_sysvec_apic_timer_interrupt+0x1a -> error_return+0x0\n"
		     "error_return+0x8 -> restore_regs_and_return_to_kernel+0x0\n"
		     "early_xen_iret_patch+0x0 -> early_xen_iret_patch+0x5\n"
		     "native_irq_return_iret+0x0 -> intel_pmu_snapshot_arch_branch_stack+0x0\n"
		     "intel_pmu_snapshot_arch_branch_stack+0x31 -> native_write_msr+0x0\n"
		     "native_write_msr+0xc -> intel_pmu_snapshot_arch_branch_stack+0x36\n"
		     "intel_pmu_snapshot_arch_branch_stack+0x42 -> native_write_msr+0x0\n",
		     NULL),
		7);
}

static void kprobe_offset_last_branch_in_function_is_shown(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_KPROBE, "path_openat", "any",
			      "alloc_empty_file+0x30 -> path_openat+0x31\n"
			      "path_openat+0x35 -> path_openat+0x60\n"
			      "path_openat+0x68 -> asm_exc_int3+0x0\n"
			      "asm_exc_int3+0x20 -> error_entry+0x0\n"
			      "error_entry+0x30 -> asm_exc_int3+0x25\n"
			      "asm_exc_int3+0x30 -> exc_int3+0x0\n"
			      "exc_int3+0x30 -> kprobe_int3_handler+0x0\n",
			      NULL),
			 5);
}

static void kretprobe_return_to_rethook_is_newest_shown(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_KRETPROBE, "do_sys_openat2", "any",
		     "do_sys_openat2+0x9e -> do_sys_openat2+0x52\n"
		     "do_sys_openat2+0x6e -> its_return_thunk+0x0\n"
		     "its_return_thunk+0x0 -> arch_rethook_trampoline+0x0\n"
		     "arch_rethook_trampoline+0x27 -> arch_rethook_trampoline_callback+0x0\n"
		     "arch_rethook_trampoline_callback+0x30 -> "
		     "rethook_trampoline_handler+0x0\n"
		     "rethook_trampoline_handler+0x39 -> kretprobe_rethook_handler+0x0\n",
		     NULL),
		3);
}

/* As Linux 6.12 goes from a return to a kprobe.multi: kernel/trace/{rethook,fprobe,bpf_trace}.c. */
static void multi_return_to_rethook_is_newest_shown(void **state)
{
	(void)state;
	assert_int_equal(
		trim(TRIGGER_MULTI, "do_sys_openat2", "any",
		     "do_sys_openat2+0x9e -> do_sys_openat2+0x52\n"
		     "do_sys_openat2+0x6e -> its_return_thunk+0x0\n"
		     "its_return_thunk+0x0 -> arch_rethook_trampoline+0x0\n"
		     "arch_rethook_trampoline+0x27 -> arch_rethook_trampoline_callback+0x0\n"
		     "arch_rethook_trampoline_callback+0x30 -> "
		     "rethook_trampoline_handler+0x0\n"
		     "rethook_trampoline_handler+0x39 -> fprobe_exit_handler+0x0\n"
		     "fprobe_exit_handler+0x4c -> kprobe_multi_link_exit_handler+0x0\n",
		     NULL),
		4);
}

static void tracepoint_call_of_it_is_newest_shown(void **state)
{
	/* Linux 6.1.0-56, tracepoint:sched:sched_process_exit and rawtracepoint:sys_enter */
	(void)state;
	assert_int_equal(
		trim(TRIGGER_TRACEPOINT, "", "any",
		     "its_return_thunk+0x0 -> do_exit+0x825\n"
		     "do_exit+0x346 -> do_exit+0x4cb\n"
		     "do_exit+0x4fc -> perf_trace_sched_process_template+0x0\n"
		     "perf_trace_sched_process_template+0x5a -> perf_trace_buf_alloc+0x0\n"
		     "perf_trace_buf_alloc+0x15 -> perf_swevent_get_recursion_context+0x0\n"
		     "perf_swevent_get_recursion_context+0x54 -> perf_trace_buf_alloc+0x1a\n"
		     "perf_trace_buf_alloc+0x62 -> perf_trace_sched_process_template+0x5f\n"
		     "perf_trace_sched_process_template+0x70 -> some_name_of_a_device+0x0\n"
		     "some_name_of_a_device+0x7 -> perf_trace_sched_process_template+0x75\n"
		     "perf_trace_sched_process_template+0xd2 -> perf_trace_run_bpf_submit+0x0\n"
		     "perf_trace_run_bpf_submit+0x4d -> trace_call_bpf+0x0\n"
		     "trace_call_bpf+0xa3 -> bpf_prog_1_x+0x0\n" FILTER_6_1 SNAPSHOT_6_1,
		     NULL),
		21);
	assert_int_equal(trim(TRIGGER_RAWTRACEPOINT, "", "any",
			      "syscall_trace_enter.constprop.0+0xe9 -> "
			      "syscall_trace_enter.constprop.0+0x14e\n"
			      "syscall_trace_enter.constprop.0+0x17e -> __bpf_trace_sys_enter+0x0\n"
			      "__bpf_trace_sys_enter+0x0 -> bpf_trace_run2+0x0\n"
			      "bpf_trace_run2+0x33 -> __rcu_read_lock+0x0\n"
			      "__rcu_read_lock+0x1d -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> bpf_trace_run2+0x38\n"
			      "bpf_trace_run2+0x45 -> __x86_indirect_thunk_rax+0x0\n"
			      "__x86_indirect_thunk_rax+0x0 -> __x86_indirect_thunk_rax+0xc\n"
			      "__x86_indirect_thunk_rax+0x10 -> its_return_thunk+0x0\n"
			      "its_return_thunk+0x0 -> bpf_prog_1_x+0x0\n" SNAPSHOT_6_1,
			      NULL),
			 17);
}

static void hw_nothing_is_wasted(void **state)
{
	uint32_t shown_from = 9;

	(void)state;
	assert_int_equal(trim(TRIGGER_HW, "do_sys_openat2", "any",
			      "do_sys_openat2+0x9e -> do_sys_openat2+0x52\n", &shown_from),
			 0);
	assert_int_equal(shown_from, 0);
	assert_int_equal(
		trim(TRIGGER_NONE, "", "any", "user+0x0 -> entry_SYSCALL_64+0x0\n", &shown_from),
		0);
	assert_int_equal(trim(TRIGGER_FEXIT, "f", "any", "", &shown_from), 0);
	assert_int_equal(shown_from, 0);
}

/* kallsyms may have been read before the trampoline was there: the call at the entry tells. */
static void fentry_trampoline_without_name_is_wasted(void **state)
{
	(void)state;
	assert_int_equal(trim(TRIGGER_FENTRY, "ksys_read", "any",
			      "__x64_sys_read+0x14 -> ksys_read+0x0\n"
			      "ksys_read+0x4 -> nameless+0x0\n"
			      "nameless+0x69 -> __bpf_prog_enter_recur+0x0\n",
			      NULL),
			 2);
}

/*
 * An LBR that goes on in the exception: what asm_exc_debug and its callees took, the snapshot
 * included, is the capture's. arch/x86/entry/entry_64.S: asm_exc_debug, paranoid_entry.
 */
static void hw_amd_all_from_the_exception_on_is_wasted(void **state)
{
	(void)state;
	amd = true;
	assert_int_equal(trim(TRIGGER_HW, "ksys_read", "any",
			      "ksys_read+0x35 -> ksys_read+0xd6\n"
			      "ksys_read+0xd6 -> asm_exc_debug+0x0\n"
			      "asm_exc_debug+0x8 -> paranoid_entry+0x0\n"
			      "paranoid_entry+0x40 -> asm_exc_debug+0xd\n"
			      "asm_exc_debug+0x20 -> exc_debug+0x0\n",
			      NULL),
			 4);
	amd = false;
}

/* The handler took more branches than the LBR holds: nothing of the function is left. */
static void hw_amd_exception_overwritten_leaves_nothing(void **state)
{
	(void)state;
	amd = true;
	assert_int_equal(trim(TRIGGER_HW, "ksys_read", "any",
			      "perf_bp_event+0x8 -> perf_swevent_event+0x0\n"
			      "bpf_overflow_handler+0x30 -> bpf_prog_6deef7357e7b4530_hw+0x0\n"
			      "bpf_prog_6deef7357e7b4530_hw+0x50 -> bpf_get_branch_snapshot+0x0\n",
			      NULL),
			 3);
	amd = false;
}

/* APM vol. 2, 13.1.1.8: #DB clears the enable bit. */
static void hw_amd_stopped_loses_nothing(void **state)
{
	static const char calls[] = "__x64_sys_read+0x14 -> ksys_read+0x0\n"
				    "ksys_read+0x20 -> fdget+0x0\n";

	(void)state;
	amd = true;
	assert_int_equal(
		trim(TRIGGER_HW, "ksys_read", "any", "ksys_read+0x35 -> ksys_read+0xd6\n", NULL),
		0);
	/* The transfer to the handler, if it is recorded. */
	assert_int_equal(trim(TRIGGER_HW, "ksys_read", "any",
			      "ksys_read+0x35 -> ksys_read+0xd6\n"
			      "ksys_read+0xd6 -> asm_exc_debug+0x0\n",
			      NULL),
			 1);
	/* Without returns among the branches, or without a function, the last need not lead to it.
	 */
	assert_int_equal(trim(TRIGGER_HW, "ksys_read", "any_call", calls, NULL), 0);
	assert_int_equal(trim(TRIGGER_HW, "", "any", calls, NULL), 0);
	amd = false;
}

/* From the exception on, or from the call that prints a WARN's text, entries are the capture's. */
static void fault_all_from_the_exception_on_is_wasted(void **state)
{
	static const char warn[] = "f+0x20 -> odd_ones+0x0\n"
				   "odd_ones+0x1c -> f+0x25\n"
				   "f+0x2a -> asm_exc_invalid_op+0x0\n"
				   "asm_exc_invalid_op+0x6 -> error_entry+0x0\n"
				   "error_entry+0x98 -> asm_exc_invalid_op+0xb\n"
				   "exc_invalid_op+0xe -> handle_bug+0x0\n"
				   "handle_bug+0x3c -> report_bug+0x0\n";
	static const char printk[] = "odd_ones+0x1c -> f+0x25\n"
				     "f+0x2a -> __warn_printk+0x0\n";
	static const char lost[] = "asm_exc_invalid_op+0x6 -> error_entry+0x0\n"
				   "error_entry+0x98 -> asm_exc_invalid_op+0xb\n";

	(void)state;
	fault_function = "f";
	fault_offset = 0x2a;
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", warn, NULL), 5);
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", printk, NULL), 1);
	/* The exception itself is overwritten: nothing is left of what was before. */
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", lost, NULL), 2);
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", "", NULL), 0);
	fault_function = NULL;
}

/* Linux leaves the exception itself out. */
static void fault_arch_all_behind_the_way_into_the_function_is_wasted(void **state)
{
	static const char warn[] = "f+0x20 -> odd_ones+0x0\n"
				   "odd_ones+0x1c -> f+0x25\n"
				   "asm_exc_invalid_op+0x6 -> error_entry+0x0\n"
				   "error_entry+0x98 -> asm_exc_invalid_op+0xb\n";
	static const char behind[] = "odd_ones+0x1c -> f+0x30\n"
				     "asm_exc_invalid_op+0x6 -> error_entry+0x0\n";

	(void)state;
	fault_function = "f";
	fault_offset = 0x2a;
	arch = true;
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", warn, NULL), 2);
	/* From there it did not come to the fault. */
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", behind, NULL), 2);
	arch = false;
	assert_int_equal(trim(TRIGGER_FAULT, "f", "any", warn, NULL), 4);
	fault_function = NULL;
}

/* Up to the call that tells of the event; what that calls comes back to the middle of it. */
static void perf_event_way_to_the_program_is_wasted(void **state)
{
	static const char fault[] =
		"asm_exc_page_fault+0x2 -> error_entry+0x0\n"
		"exc_page_fault+0x60 -> do_user_addr_fault+0x0\n"
		"do_user_addr_fault+0x80 -> ___perf_sw_event+0x0\n"
		"___perf_sw_event+0x30 -> perf_swevent_get_recursion_context+0x0\n"
		"perf_swevent_get_recursion_context+0x40 -> its_return_thunk+0x0\n"
		"its_return_thunk+0x0 -> ___perf_sw_event+0x35\n"
		"___perf_sw_event+0x90 -> perf_swevent_event+0x0\n"
		"perf_swevent_event+0x70 -> __perf_event_overflow+0x0\n"
		"__perf_event_overflow+0x80 -> bpf_overflow_handler+0x0\n"
		"bpf_overflow_handler+0x80 -> bpf_prog_1_perf_software+0x0\n";
	static const char lost[] = "___perf_sw_event+0x90 -> perf_swevent_event+0x0\n"
				   "perf_swevent_event+0x70 -> __perf_event_overflow+0x0\n";
	static const char user[] = "user+0x10 -> user+0x40\n"
				   "user+0x48 -> user+0x10\n";

	(void)state;
	assert_int_equal(trim(TRIGGER_PERF, "", "any", fault, NULL), 7);
	assert_int_equal(trim(TRIGGER_PERF, "", "any", lost, NULL), 2);
	assert_int_equal(trim(TRIGGER_PERF, "", "any,u", user, NULL), 0);
	/* A counter's interrupt finds the LBR frozen, also in the midst of such code. */
	assert_int_equal(trim(TRIGGER_PMI, "", "any", fault, NULL), 0);
}

/* The interrupt of a clock's timer is there for the capture alone. */
static void perf_clock_whole_interrupt_is_wasted(void **state)
{
	static const char clock[] = "odd_ones+0x1c -> f+0x25\n"
				    "f+0x2a -> asm_sysvec_apic_timer_interrupt+0x0\n"
				    "asm_sysvec_apic_timer_interrupt+0x6 -> error_entry+0x0\n"
				    "__hrtimer_run_queues+0x90 -> perf_swevent_hrtimer+0x0\n"
				    "perf_swevent_hrtimer+0x80 -> __perf_event_overflow+0x0\n";
	static const char lost[] = "asm_sysvec_apic_timer_interrupt+0x6 -> error_entry+0x0\n"
				   "__hrtimer_run_queues+0x90 -> perf_swevent_hrtimer+0x0\n";

	(void)state;
	fault_function = "f";
	fault_offset = 0x2a;
	assert_int_equal(trim(TRIGGER_PERF, "", "any", clock, NULL), 4);
	assert_int_equal(trim(TRIGGER_PERF, "", "any", lost, NULL), 2);
	fault_function = NULL;
}

static void shown_from_is_last_kernel_entry(void **state)
{
	uint32_t shown_from = 9;

	(void)state;
	assert_int_equal(trim(TRIGGER_HW, "do_sys_openat2", "any",
			      "user+0x1b -> entry_SYSCALL_64+0x0\n"
			      "entry_SYSRETQ_unsafe_stack+0xc -> user+0x1d\n"
			      "user+0x30 -> entry_SYSCALL_64+0x0\n"
			      "do_syscall_64+0x39 -> do_sys_openat2+0x0\n",
			      &shown_from),
			 0);
	assert_int_equal(shown_from, 2);
}

/* Linux 6.1.0-56, do_sys_ftruncate with EINVAL: before its own code runs, its trampoline does. */
static void tracing_own_trampoline_is_marked(void **state)
{
	(void)state;
	check_tracing(
		TRIGGER_FEXIT, "do_sys_ftruncate",
		"x64_sys_call+0x11b3 -> __x64_sys_ftruncate+0x0\n"
		"__x64_sys_ftruncate+0x11 -> do_sys_ftruncate+0x0\n"
		"do_sys_ftruncate+0x0 -> bpf_trampoline_6442495227+0x0\n"
		"bpf_trampoline_6442495227+0x36 -> __bpf_tramp_enter+0x0\n"
		"__bpf_tramp_enter+0x4 -> __rcu_read_lock+0x0\n"
		"__rcu_read_lock+0x1d -> its_return_thunk+0x0\n"
		"its_return_thunk+0x0 -> __bpf_tramp_enter+0x9\n"
		"__bpf_tramp_enter+0x19 -> __rcu_read_unlock+0x0\n"
		"__rcu_read_unlock+0x21 -> its_return_thunk+0x0\n"
		"its_return_thunk+0x0 -> bpf_trampoline_6442495227+0x3b\n"
		"bpf_trampoline_6442495227+0x47 -> do_sys_ftruncate+0x5\n"
		"do_sys_ftruncate+0x1d -> do_sys_ftruncate+0x73\n"
		"do_sys_ftruncate+0x84 -> bpf_trampoline_6442495227+0x4c\n" EXIT_6_1 SNAPSHOT_6_1,
		9, "..########...");
}

/* A function below is traced, too, and has returned: its program runs, then comes its caller. */
static void tracing_callee_s_trampoline_is_marked_until_it_returns(void **state)
{
	(void)state;
	check_tracing(TRIGGER_HW, "do_sys_openat2",
		      "path_openat+0x20 -> do_filp_open+0x40\n"
		      "do_filp_open+0x11b -> bpf_trampoline_1+0x4c\n" EXIT_6_1
		      "bpf_prog_1_x+0x90 -> htab_map_lookup_elem+0x0\n"
		      "htab_map_lookup_elem+0x30 -> its_return_thunk+0x0\n"
		      "its_return_thunk+0x0 -> bpf_prog_1_x+0x95\n"
		      "bpf_prog_1_x+0xa0 -> bpf_trampoline_1+0x7f\n"
		      "bpf_trampoline_1+0x90 -> its_return_thunk+0x0\n"
		      "its_return_thunk+0x0 -> do_sys_openat2+0xaf\n"
		      "do_sys_openat2+0xb8 -> do_sys_openat2+0x153\n",
		      16, ".###############..");
}

/*
 * Linux 6.1.0-56, do_sys_openat2 with ENOENT: the record begins in the debug exception of another
 * breakpoint, on the return of do_filp_open. It is no exception of this event's.
 */
static void tracing_other_breakpoint_is_marked_and_not_wasted(void **state)
{
	static const char text[] = "irqentry_nmi_exit+0x1e -> its_return_thunk+0x0\n"
				   "its_return_thunk+0x0 -> exc_debug+0x127\n"
				   "exc_debug+0x134 -> pv_native_set_debugreg+0x0\n"
				   "pv_native_set_debugreg+0x26 -> exc_debug+0x139\n"
				   "exc_debug+0x154 -> its_return_thunk+0x0\n"
				   "its_return_thunk+0x0 -> asm_exc_debug+0x1a\n"
				   "asm_exc_debug+0x1a -> paranoid_exit+0x0\n"
				   "paranoid_exit+0x4e -> restore_regs_and_return_to_kernel+0x0\n"
				   "early_xen_iret_patch+0x0 -> early_xen_iret_patch+0x5\n"
				   "native_irq_return_iret+0x0 -> do_filp_open+0x11b\n"
				   "do_filp_open+0x11b -> do_sys_openat2+0xaf\n"
				   "do_sys_openat2+0xb8 -> do_sys_openat2+0x153\n";

	(void)state;
	check_tracing(TRIGGER_HW, "do_sys_openat2", text, 10, "#########...");
	assert_int_equal(trim(TRIGGER_HW, "do_sys_openat2", "any", text, NULL), 0);
}

static void tracing_tracepoint_on_the_way_is_marked(void **state)
{
	(void)state;
	check_tracing(TRIGGER_HW, "do_exit",
		      "do_exit+0x346 -> do_exit+0x4cb\n"
		      "do_exit+0x4fc -> perf_trace_sched_process_template+0x0\n"
		      "perf_trace_sched_process_template+0x5a -> perf_trace_buf_alloc+0x0\n"
		      "perf_trace_buf_alloc+0x62 -> perf_trace_sched_process_template+0x5f\n"
		      "perf_trace_sched_process_template+0x90 -> its_return_thunk+0x0\n"
		      "its_return_thunk+0x0 -> do_exit+0x501\n"
		      "do_exit+0x510 -> do_exit+0x600\n",
		      5, ".####..");
}

/* Names that begin as a tracer's do, and are code like any other: somebody loads a program. */
static void tracing_bpf_system_call_is_none(void **state)
{
	(void)state;
	check_tracing(TRIGGER_HW, "__sys_bpf",
		      "__sys_bpf+0x20 -> bpf_prog_load+0x0\n"
		      "bpf_prog_load+0x80 -> bpf_trampoline_link_prog+0x0\n"
		      "bpf_trampoline_link_prog+0x20 -> bpf_prog_load+0x85\n"
		      "bpf_prog_load+0x90 -> perf_trace_init+0x0\n"
		      "perf_trace_init+0x20 -> bpf_prog_load+0x95\n"
		      "bpf_prog_load+0xa0 -> __sys_bpf+0x25\n",
		      0, "......");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fexit_function_return_is_newest_shown),
		cmocka_unit_test(fexit_return_without_thunk_is_newest_shown),
		cmocka_unit_test(fexit_cold_part_counts_as_function),
		cmocka_unit_test(fexit_tail_call_shows_other_function),
		cmocka_unit_test(fexit_interrupt_in_trampoline_is_wasted),
		cmocka_unit_test(fexit_function_overwritten_wastes_machinery),
		cmocka_unit_test(fexit_traced_callee_is_shown),
		cmocka_unit_test(fexit_returns_only_filter_finds_return),
		cmocka_unit_test(fexit_calls_only_filter_keeps_callees),
		cmocka_unit_test(fentry_call_of_function_is_newest_shown),
		cmocka_unit_test(kprobe_function_overwritten_wastes_all),
		cmocka_unit_test(kretprobe_oldest_thunk_is_wasted),
		cmocka_unit_test(kretprobe_interrupt_is_wasted),
		cmocka_unit_test(interrupt_at_arch_snapshot_takes_all),
		cmocka_unit_test(kprobe_offset_last_branch_in_function_is_shown),
		cmocka_unit_test(kretprobe_return_to_rethook_is_newest_shown),
		cmocka_unit_test(multi_return_to_rethook_is_newest_shown),
		cmocka_unit_test(tracepoint_call_of_it_is_newest_shown),
		cmocka_unit_test(hw_nothing_is_wasted),
		cmocka_unit_test(fentry_trampoline_without_name_is_wasted),
		cmocka_unit_test(hw_amd_all_from_the_exception_on_is_wasted),
		cmocka_unit_test(hw_amd_exception_overwritten_leaves_nothing),
		cmocka_unit_test(hw_amd_stopped_loses_nothing),
		cmocka_unit_test(fault_all_from_the_exception_on_is_wasted),
		cmocka_unit_test(fault_arch_all_behind_the_way_into_the_function_is_wasted),
		cmocka_unit_test(perf_event_way_to_the_program_is_wasted),
		cmocka_unit_test(perf_clock_whole_interrupt_is_wasted),
		cmocka_unit_test(shown_from_is_last_kernel_entry),
		cmocka_unit_test(tracing_own_trampoline_is_marked),
		cmocka_unit_test(tracing_callee_s_trampoline_is_marked_until_it_returns),
		cmocka_unit_test(tracing_other_breakpoint_is_marked_and_not_wasted),
		cmocka_unit_test(tracing_tracepoint_on_the_way_is_marked),
		cmocka_unit_test(tracing_bpf_system_call_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
