// SPDX-License-Identifier: GPL-2.0
#include "target/probeable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "symbolize/text/patched.h"
#include "target/target.h"
#include "target/wide.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

#define BLACKLIST  "/sys/kernel/debug/kprobes/blacklist"
#define NAME_BYTES 512 /* KSYM_NAME_LEN of include/linux/kallsyms.h */

struct range {
	uint64_t start, end;
};

struct names {
	char **items;
	size_t count;
};

struct probeable {
	struct names traced; /* sorted; a module's with " [MODULE]" */
	struct range *blacklist;
	size_t blacklist_count;
	uint64_t *patched; /* sorted */
	size_t patched_count;
	bool traced_known;
	uint32_t words_max;
};

/*
 * Words of arguments that the kernel's trampoline passes on: those in registers, and since Linux
 * 6.6 as many of the stack as BPF programs may see (arch_prepare_bpf_trampoline() of
 * arch/x86/net/bpf_jit_comp.c; MAX_BPF_FUNC_ARGS of include/linux/bpf.h).
 */
#define WORDS_IN_REGISTERS 6
#define WORDS_OF_BPF	   12

/* btf_id_deny of kernel/bpf/verifier.c: what every BPF program calls itself. */
static const char *const denied[] = {
	"__rcu_read_lock",   "__rcu_read_unlock", "migrate_disable",	    "migrate_enable",
	"preempt_count_add", "preempt_count_sub", "rcu_read_unlock_strict",
};

/*
 * tests/vm/test_deep counts kprobes that are hit within the handling of another one. In the order
 * of strcmp().
 */
static const char *const by_handler[] = {
	"__bpf_ringbuf_reserve",
	"__htab_map_lookup_elem",
	"__rcu_read_lock",
	"__rcu_read_unlock",
	"_raw_spin_lock",
	"_raw_spin_lock_irqsave",
	"_raw_spin_trylock", /* in int3's handler, as in an NMI: __bpf_ringbuf_reserve() */
	"_raw_spin_unlock",
	"_raw_spin_unlock_irqrestore",
	"bpf_get_attach_cookie_trace",
	"bpf_get_current_pid_tgid",
	"bpf_get_current_task_btf",
	"bpf_probe_read_kernel",
	"bpf_ringbuf_commit",
	"bpf_ringbuf_reserve",
	"bpf_ringbuf_submit",
	"copy_from_kernel_nofault",
	"copy_from_kernel_nofault_allowed",
	"htab_map_hash",
	"kprobe_dispatcher",
	"kprobe_perf_func",
	"lookup_nulls_elem_raw",
	"migrate_disable",
	"migrate_enable",
	"trace_call_bpf",
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_name(struct names *names, const char *name)
{
	if (vector_grow(&names->items, names->count, sizeof(*names->items)))
		return -ENOMEM;
	names->items[names->count] = strdup(name);
	return names->items[names->count++] ? 0 : -ENOMEM;
}

static int read_traced(struct probeable *probeable, FILE *file)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (add_name(&probeable->traced, line))
			return -ENOMEM;
	}
	probeable->traced_known = probeable->traced.count > 0;
	if (probeable->traced_known)
		qsort(probeable->traced.items, probeable->traced.count, sizeof(char *),
		      compare_names);
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* In order, and those that overlap as one: 15,000 functions are looked up in a thousand. */
static void order_blacklist(struct probeable *probeable)
{
	struct range *ranges = probeable->blacklist;
	size_t kept = 0;

	if (!probeable->blacklist_count)
		return;
	qsort(ranges, probeable->blacklist_count, sizeof(*ranges), compare_ranges);
	for (size_t i = 1; i < probeable->blacklist_count; i++) {
		if (ranges[i].start > ranges[kept].end)
			ranges[++kept] = ranges[i];
		else if (ranges[i].end > ranges[kept].end)
			ranges[kept].end = ranges[i].end;
	}
	probeable->blacklist_count = kept + 1;
}

static int read_blacklist(struct probeable *probeable, FILE *file)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		struct range range;

		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &range.start, &range.end) != 2)
			continue;
		if (vector_grow(&probeable->blacklist, probeable->blacklist_count, sizeof(range)))
			return -ENOMEM;
		probeable->blacklist[probeable->blacklist_count++] = range;
	}
	order_blacklist(probeable);
	return 0;
}

int probeable_create(FILE *traced, FILE *blacklist, const char *release,
		     struct probeable **ret_probeable)
{
	struct probeable *probeable = calloc(1, sizeof(*probeable));
	unsigned int major = 0, minor = 0;

	if (!probeable)
		return -ENOMEM;
	sscanf(release, "%u.%u", &major, &minor);
	probeable->words_max =
		major > 6 || (major == 6 && minor >= 6) ? WORDS_OF_BPF : WORDS_IN_REGISTERS;
	if (read_traced(probeable, traced) || read_blacklist(probeable, blacklist)) {
		probeable_destroy(probeable);
		return -ENOMEM;
	}
	*ret_probeable = probeable;
	return 0;
}

int probeable_open(struct probeable **ret_probeable)
{
	_cleanup_fclose_ FILE *blacklist = fopen(BLACKLIST, "re");
	_cleanup_fclose_ FILE *traced = NULL;
	const char *tracefs = tracefs_dir();
	struct utsname name;
	char path[128];

	if (tracefs) {
		snprintf(path, sizeof(path), "%s/available_filter_functions", tracefs);
		traced = fopen(path, "re");
	}
	if (uname(&name))
		name.release[0] = '\0';
	return probeable_create(traced, blacklist, name.release, ret_probeable);
}

int probeable_open_forbidden(struct probeable **ret_probeable)
{
	_cleanup_fclose_ FILE *blacklist = fopen(BLACKLIST, "re");

	return probeable_create(NULL, blacklist, "", ret_probeable);
}

int probeable_add_jump_table(struct probeable *probeable, const void *table, size_t bytes,
			     uint64_t addr)
{
	size_t count = bytes / 16;
	uint64_t *patched = malloc(count * sizeof(*patched) + 1);

	if (!patched)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		int32_t code;

		memcpy(&code, (const uint8_t *)table + 16 * i, sizeof(code));
		patched[i] = addr + 16 * i + (uint64_t)(int64_t)code;
	}
	qsort(patched, count, sizeof(*patched), address_compare);
	free(probeable->patched);
	probeable->patched = patched;
	probeable->patched_count = count;
	return 0;
}

void probeable_destroy(struct probeable *probeable)
{
	if (!probeable)
		return;
	for (size_t i = 0; i < probeable->traced.count; i++)
		free(probeable->traced.items[i]);
	free(probeable->traced.items);
	free(probeable->blacklist);
	free(probeable->patched);
	free(probeable);
}

bool probeable_traced(const struct probeable *probeable, const char *function, const char *module)
{
	char name[2 * NAME_BYTES];
	const char *key = name;

	if (!probeable->traced_known)
		return true;
	snprintf(name, sizeof(name), *module ? "%s [%s]" : "%s", function, module);
	return bsearch(&key, probeable->traced.items, probeable->traced.count, sizeof(char *),
		       compare_names);
}

bool begins_with_fentry(const uint8_t *bytes, uint64_t size)
{
	static const uint8_t nop[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

	if (size >= ENDBR_BYTES && patched_is_endbr(bytes)) {
		bytes += ENDBR_BYTES;
		size -= ENDBR_BYTES;
	}
	/* INT3: for a moment, while the kernel makes one of the other. */
	return size >= 5 && (!memcmp(bytes, nop, 5) || bytes[0] == 0xe8 || bytes[0] == 0xcc);
}

bool probeable_by_handler(const char *function)
{
	return bsearch(&function, by_handler, ARRAY_SIZE(by_handler), sizeof(*by_handler),
		       compare_names);
}

bool probeable_forbidden(const struct probeable *probeable, uint64_t addr)
{
	const struct range *blacklist = probeable->blacklist;
	size_t count = address_upper_bound(blacklist, probeable->blacklist_count,
					   sizeof(*blacklist), addr);

	return count && addr < blacklist[count - 1].end;
}

static bool is_patched(const struct probeable *probeable, uint64_t addr)
{
	return probeable->patched_count &&
	       bsearch(&addr, probeable->patched, probeable->patched_count, sizeof(addr),
		       address_compare);
}

static bool is_denied(const struct function *func)
{
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++)
		if (!*func->module && !strcmp(func->name, denied[i]))
			return true;
	return false;
}

unsigned int probeable_kinds(const struct probeable *probeable, const struct function *func,
			     uint64_t addr)
{
	unsigned int kinds = 0;

	bool traced = probeable_traced(probeable, func->name, func->module);

	if (traced && !is_denied(func) && func->words <= probeable->words_max)
		kinds |= 1u << TRIGGER_FENTRY | 1u << TRIGGER_FEXIT;
	/* Breakpoints: arch_build_bp_info() of arch/x86/kernel/hw_breakpoint.c asks the same list.
	 */
	if (!probeable_forbidden(probeable, addr)) {
		kinds |= 1u << TRIGGER_HW;
		if (traced && !wide_leaves_out(func->name))
			kinds |= 1u << TRIGGER_MULTI;
		if (!is_patched(probeable, addr))
			kinds |= 1u << TRIGGER_KPROBE | 1u << TRIGGER_KRETPROBE;
	}
	return kinds;
}
