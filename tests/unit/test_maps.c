// SPDX-License-Identifier: GPL-2.0
/* This process maps code, and the kernel tells of it; the Makefile wraps reallocarray(). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/maps.h"
#include "util/clock.h"

static bool out_of_memory; /* for the next one */

void *__real_reallocarray(void *ptr, size_t count, size_t size);
void *__wrap_reallocarray(void *ptr, size_t count, size_t size);

void *__wrap_reallocarray(void *ptr, size_t count, size_t size)
{
	if (!out_of_memory)
		return __real_reallocarray(ptr, count, size);
	out_of_memory = false;
	return NULL;
}

/* Code that this process maps while the kernel tells of it; @fail: memory runs out then. */
static void mapped_code_is_known(bool fail)
{
	FILE *self = fopen("/proc/self/exe", "re");
	struct map_events *events = NULL;
	struct userspace *user = NULL;
	struct errmsg msg = {};
	void *code;
	int err;

	assert_non_null(self);
	assert_int_equal(userspace_create("/proc", NULL, &user), 0);
	err = map_events_open(user, &events, &msg);
	if (err) {
		print_message("skipped: %s\n", msg.text);
		userspace_destroy(user);
		fclose(self);
		skip();
	}
	/* Known from now on: what is mapped later has to be told. */
	assert_true(userspace_select(user, (uint32_t)getpid()));
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(self), 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	assert_false(userspace_is_mapped(user, (uint64_t)(uintptr_t)code));
	out_of_memory = fail;
	map_events_tell(events, clock_ns(CLOCK_MONOTONIC));
	assert_false(out_of_memory);
	assert_true(userspace_select(user, (uint32_t)getpid()));
	assert_true(userspace_is_mapped(user, (uint64_t)(uintptr_t)code));
	munmap(code, 4096);
	map_events_close(events);
	userspace_destroy(user);
	fclose(self);
}

static void map_events_tell_mapping_is_known(void **state)
{
	(void)state;
	mapped_code_is_known(false);
}

static void map_events_tell_no_memory_looks_again(void **state)
{
	(void)state;
	mapped_code_is_known(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_events_tell_mapping_is_known),
		cmocka_unit_test(map_events_tell_no_memory_looks_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
