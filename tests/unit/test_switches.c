// SPDX-License-Identifier: GPL-2.0
/* src/target/switches: what counts as switched off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/switches.h"

static char on[] = "/tmp/lbrsnoop-on.XXXXXX", off[] = "/tmp/lbrsnoop-off.XXXXXX";

static int make_files(void **state)
{
	int fd = mkstemp(on), fd_off = mkstemp(off);
	int wrote = dprintf(fd, "1\n") + dprintf(fd_off, "0\n");

	(void)state;
	close(fd);
	close(fd_off);
	return wrote != 4;
}

static int remove_files(void **state)
{
	(void)state;
	return unlink(on) | unlink(off);
}

static void each_has_its_own_file(void **state)
{
	struct switches said = switches_read_at(off, on);

	(void)state;
	assert_true(said.kprobes_off);
	assert_false(said.ftrace_off);
	said = switches_read_at(on, off);
	assert_false(said.kprobes_off);
	assert_true(said.ftrace_off);
}

static void what_is_not_there_is_on(void **state)
{
	struct switches said = switches_read_at("/none/enabled", "/none/ftrace_enabled");

	(void)state;
	assert_false(said.kprobes_off);
	assert_false(said.ftrace_off);
}

static const char *stop(const struct switches *switches, enum trigger_kind kind, uint64_t offset)
{
	struct probe probe = {
		.trigger = {.kind = kind, .addr = 0x1000 + offset, .func_addr = 0x1000},
	};

	return switches_stop(switches, &probe);
}

static void the_tracer_stops_what_begins_at_entries(void **state)
{
	const struct switches off_only = {.ftrace_off = true}, all_on = {};

	(void)state;
	assert_non_null(strstr(stop(&off_only, TRIGGER_FEXIT, 0), "kernel.ftrace_enabled"));
	assert_non_null(stop(&off_only, TRIGGER_FENTRY, 0));
	assert_non_null(stop(&off_only, TRIGGER_MULTI, 0));
	assert_non_null(stop(&off_only, TRIGGER_KRETPROBE, 0));
	assert_non_null(stop(&off_only, TRIGGER_KPROBE, 4));
	assert_null(stop(&off_only, TRIGGER_KPROBE, 9));
	assert_null(stop(&off_only, TRIGGER_HW, 0));
	assert_null(stop(&off_only, TRIGGER_TRACEPOINT, 0));
	assert_null(stop(&all_on, TRIGGER_FEXIT, 0));
}

/* Its text is patched by text_poke: register_fentry() of kernel/bpf/trampoline.c. */
static void the_tracer_stops_no_bpf_program(void **state)
{
	const struct switches off_only = {.ftrace_off = true};
	struct probe probe = {
		.trigger = {.kind = TRIGGER_FEXIT, .function = "deny", .module = "bpf"},
	};

	(void)state;
	assert_null(switches_stop(&off_only, &probe));
	probe.trigger.module = "xfs";
	assert_non_null(switches_stop(&off_only, &probe));
}

/* Where an errno is loaded, fexit tells whether it was returned. */
static void the_tracer_stops_checks_at_the_exit(void **state)
{
	const struct switches off_only = {.ftrace_off = true};
	struct probe probe = {
		.trigger = {.kind = TRIGGER_HW},
		.sites = {0x1010, 0x1020},
		.site_count = 2,
		.site_kind = SITE_ERRNO,
		.site_certain = {true, false},
	};

	(void)state;
	assert_non_null(strstr(switches_stop(&off_only, &probe), "exit"));
	assert_false(probe_stand_on_returns(&probe));
	assert_int_equal(probe.site_kind, SITE_ERRNO);
	probe.returns[0] = 0x1030;
	probe.return_count = 1;
	assert_true(probe_stand_on_returns(&probe));
	assert_int_equal(probe.site_count, 1);
	assert_int_equal(probe.sites[0], 0x1030);
	assert_null(switches_stop(&off_only, &probe));
	probe.site_kind = SITE_ERRNO;
	probe.site_certain[0] = true;
	assert_null(switches_stop(&off_only, &probe));
}

static void kprobes_alone_are_stopped_by_theirs(void **state)
{
	const struct switches off_only = {.kprobes_off = true};

	(void)state;
	assert_non_null(strstr(stop(&off_only, TRIGGER_KPROBE, 9), "kprobes/enabled"));
	assert_non_null(stop(&off_only, TRIGGER_KRETPROBE, 0));
	assert_null(stop(&off_only, TRIGGER_FEXIT, 0));
	assert_null(stop(&off_only, TRIGGER_MULTI, 0));
	assert_null(stop(&off_only, TRIGGER_UPROBE, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_own_file),
		cmocka_unit_test(what_is_not_there_is_on),
		cmocka_unit_test(the_tracer_stops_what_begins_at_entries),
		cmocka_unit_test(the_tracer_stops_no_bpf_program),
		cmocka_unit_test(the_tracer_stops_checks_at_the_exit),
		cmocka_unit_test(kprobes_alone_are_stopped_by_theirs),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
