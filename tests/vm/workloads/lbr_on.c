// SPDX-License-Identifier: GPL-2.0
/*
 * lbr_on - run a command with the LBR on, on all CPUs
 *
 *	lbr_on [-j FILTER] COMMAND [ARGUMENT]...
 *
 * FILTER as perf record's -j: any, any_call, any_ret, ind_call, cond, ind_jmp or call. No samples
 *are taken, and nothing is read: perf(1) would execute some ten million instructions of its own.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	uint64_t type;
} filters[] = {
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
};

static uint64_t filter_type(const char *name)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (!strcmp(name, filters[i].name))
			return filters[i].type;
	return 0;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = UINT64_C(1) << 40,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int opt, status;
	pid_t child;

	while ((opt = getopt(argc, argv, "+j:")) != -1) {
		attr.branch_sample_type = opt == 'j' ? filter_type(optarg) : 0;
		if (!attr.branch_sample_type) {
			fprintf(stderr, "lbr_on: no such option or filter\n");
			return 2;
		}
	}
	if (optind == argc)
		return 2;
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
			fprintf(stderr, "lbr_on: perf_event_open: %s\n", strerror(errno));
			return 2;
		}
	}
	child = fork();
	if (child == 0) {
		execvp(argv[optind], argv + optind);
		perror(argv[optind]);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
