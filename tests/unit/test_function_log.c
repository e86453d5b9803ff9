// SPDX-License-Identifier: GPL-2.0
/*
 * src/why/run/function_log: which functions ran in a call, and whether that is all of them, from
 * records that stand in made-up buffers of two CPUs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "capture/lbr/lbr_events.h"
#include "why/run/function_log.h"

#define TID  7
#define CPUS 2
#define F(i) (0xffffffff81000000ULL + (i)*0x100)

/* What the kernel wrote: a page of struct perf_event_mmap_page, then data. */
static struct {
	uint8_t *map[CPUS];
	size_t len;
	unsigned int count;
} buffers;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
	static char id[] = "1\n";

	if (strstr(path, "/events/ftrace/function/id"))
		return fmemopen(id, strlen(id), "r");
	return __real_fopen(path, mode);
}

int __wrap_cpus_online(const char *path, uint8_t **ret_mask);
int __wrap_cpus_online(const char *path, uint8_t **ret_mask)
{
	*ret_mask = calloc(1, 1);
	**ret_mask = (1 << CPUS) - 1;
	return CPUS;
}

/* perf_event_open() */
long __wrap_syscall(long nr, ...);
long __wrap_syscall(long nr, ...)
{
	return dup(STDIN_FILENO);
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	assert_true(buffers.count < CPUS);
	buffers.len = len;
	return buffers.map[buffers.count++] = calloc(1, len);
}

int __wrap_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len)
{
	free(addr);
	return 0;
}

static void put(unsigned int cpu, const void *record, size_t len)
{
	struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)buffers.map[cpu];

	memcpy(buffers.map[cpu] + sysconf(_SC_PAGESIZE) + page->data_head, record, len);
	page->data_head += len;
}

/* perf_event.h: PERF_RECORD_SAMPLE of TID, TIME and RAW; its raw part is a struct ftrace_entry. */
static void entered(unsigned int cpu, uint32_t tid, uint64_t ns, uint64_t func)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t raw_bytes;
		uint8_t raw[28];
	} sample = {.header = {.type = PERF_RECORD_SAMPLE, .size = 56},
		    .tid = tid,
		    .time = ns,
		    .raw_bytes = 28};

	assert_int_equal(sizeof(sample), 56);
	memcpy(sample.raw + 8, &func, sizeof(func));
	put(cpu, &sample, sizeof(sample));
}

static void lost(unsigned int cpu)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record = {.header = {.type = PERF_RECORD_LOST, .size = sizeof(record)}, .lost = 100};

	put(cpu, &record, sizeof(record));
}

static struct candidate items[] = {{.sym.addr = F(0)}, {.sym.addr = F(1)}, {.sym.addr = F(2)}};
static const struct candidates candidates = {items, 3};

static struct function_log *log_open(void)
{
	struct function_log *log = NULL;
	struct errmsg msg = {};

	memset(&buffers, 0, sizeof(buffers));
	assert_int_equal(function_log_open(&candidates, &log, &msg), 0);
	assert_int_equal(function_log_add(log, TID, &msg), 0);
	assert_int_equal(buffers.count, CPUS);
	return log;
}

/* What is known of a call between these times. */
static struct failure call_between(struct function_log *log, uint64_t begin_ns, uint64_t end_ns)
{
	struct failure failure = {.tid = TID, .begin_ns = begin_ns, .mono_ns = end_ns};

	assert_int_equal(function_log_poll(log), 0);
	assert_int_equal(function_log_fill(log, &failure), 0);
	return failure;
}

static bool is_cut(struct function_log *log, uint64_t begin_ns, uint64_t end_ns)
{
	struct failure failure = call_between(log, begin_ns, end_ns);

	free(failure.funcs);
	return failure.cut;
}

/* Of the thread, in the call, on both CPUs; behind an ENDBR, too; the newest first, each one once.
 */
static void fill_functions_of_the_call(void **state)
{
	struct function_log *log = log_open();
	struct failure failure;

	entered(0, TID, 10, F(2));
	entered(0, TID, 20, F(0));
	entered(0, TID + 1, 21, F(2));
	entered(1, TID, 22, F(1) + 4);
	entered(1, TID, 23, F(0) + 8);
	entered(0, TID, 24, F(0));
	entered(0, TID, 40, F(2));
	failure = call_between(log, 15, 30);
	assert_int_equal(failure.func_count, 2);
	assert_int_equal(failure.funcs[0], (uint32_t)F(0));
	assert_int_equal(failure.funcs[1], (uint32_t)F(1));
	assert_false(failure.cut);
	free(failure.funcs);
	function_log_close(log);
}

/* Records are missing between the sample before and the one behind what the kernel says of it. */
static void fill_lost_only_calls_meanwhile_are_cut(void **state)
{
	struct function_log *log = log_open();

	entered(0, TID, 100, F(0));
	lost(0);
	entered(0, TID, 200, F(1));
	entered(1, TID, 300, F(1));
	assert_false(is_cut(log, 50, 99));
	assert_true(is_cut(log, 50, 150));
	assert_true(is_cut(log, 120, 150));
	assert_true(is_cut(log, 150, 250));
	assert_true(is_cut(log, 50, 250));
	assert_false(is_cut(log, 201, 400));
	/* Until when is not known yet. */
	lost(1);
	assert_false(is_cut(log, 201, 299));
	assert_true(is_cut(log, 201, 400));
	entered(1, TID, 500, F(0));
	assert_true(is_cut(log, 400, 600));
	assert_false(is_cut(log, 501, 600));
	function_log_close(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_functions_of_the_call),
		cmocka_unit_test(fill_lost_only_calls_meanwhile_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
