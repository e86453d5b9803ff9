// SPDX-License-Identifier: GPL-2.0
/* Which capabilities are left when others are dropped: in every set, as the kernel tells. */
#include <inttypes.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/cmd.h"
#include "host/capabilities.h"
#include "util/cleanup.h"

#define BIT(cap) (1ULL << (cap))
#define KEPT	 (BIT(CAP_BPF) | BIT(CAP_PERFMON) | BIT(CAP_SYSLOG))

static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};
enum { INH, PRM, EFF, BND, AMB, SETS };

static bool read_sets(uint64_t *ret)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int found = 0;

	while (file && fgets(line, sizeof(line), file))
		for (int i = 0; i < SETS; i++)
			if (!strncmp(line, sets[i], strlen(sets[i])))
				found += sscanf(line + strlen(sets[i]), "%" SCNx64, &ret[i]);
	return found == SETS;
}

static int drop_most(void)
{
	return drop_privileges(false, false, NULL, 0);
}

static int drop_for_admin(void)
{
	return drop_privileges(true, false, NULL, 0);
}

static int drop_for_programs(void)
{
	return drop_privileges(false, true, NULL, 0);
}

static int drop_for_arming(void)
{
	return keep_arming_privileges(NULL, 0);
}

/* In a process of its own; true if the sets are then those of before cut to @kept. */
static bool drops_to(int (*drop)(void), uint64_t kept)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		uint64_t before[SETS], after[SETS];

		_exit(!(read_sets(before) && !drop() && read_sets(after) && !after[INH] &&
			!after[AMB] && after[PRM] == (before[PRM] & kept) &&
			after[EFF] == after[PRM] && after[BND] == (before[BND] & kept)));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void skip_unless_more_are_held(void)
{
	uint64_t now[SETS];

	assert_true(read_sets(now));
	if ((now[EFF] & (KEPT | BIT(CAP_SETPCAP))) != (KEPT | BIT(CAP_SETPCAP))) {
		print_message("skipped: without CAP_SETPCAP there is nothing to drop\n");
		skip();
	}
}

static void drop_privileges_keeps_what_a_trace_needs(void **state)
{
	(void)state;
	skip_unless_more_are_held();
	assert_true(drops_to(drop_most, KEPT));
}

static void drop_privileges_keeps_more_where_asked(void **state)
{
	(void)state;
	skip_unless_more_are_held();
	assert_true(drops_to(drop_for_admin, KEPT | BIT(CAP_SYS_ADMIN)));
	assert_true(
		drops_to(drop_for_programs, KEPT | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH)));
}

static void keep_arming_privileges_keeps_what_arming_needs(void **state)
{
	(void)state;
	skip_unless_more_are_held();
	assert_true(drops_to(drop_for_arming, KEPT | BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_RAWIO) |
						      BIT(CAP_SYS_PTRACE) |
						      BIT(CAP_DAC_READ_SEARCH)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drop_privileges_keeps_what_a_trace_needs),
		cmocka_unit_test(drop_privileges_keeps_more_where_asked),
		cmocka_unit_test(keep_arming_privileges_keeps_what_arming_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
