// SPDX-License-Identifier: GPL-2.0
/* main.c - command table */
#include <argp.h>
#include <bpf/libbpf.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/output.h"
#include "util/cleanup.h"
#include "util/log.h"

const char *argp_program_version = "lbrsnoop " LBRSNOOP_VERSION;

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *synopsis;
	const char *summary;
};

static const struct command commands[] = {
	{"trace", cmd_trace, "[OPTIONS] TARGET...",
	 "print the branches that led to an error (default)"},
	{"why", cmd_why, "[OPTIONS] -- COMMAND [ARG]...",
	 "which line of the kernel's source made a command fail"},
	{"record", cmd_record, "-o FILE [OPTIONS] TARGET...", "trace into a capture file"},
	{"watch", cmd_watch, "[--check] [FILE]",
	 "as a service: what a configuration file names, within budgets, to journald and others"},
	{"report", cmd_report, "[OPTIONS] FILE...", "print capture files, on any machine"},
	{"compare", cmd_compare, "[OPTIONS] TARGET [-- COMMAND] | FILE...",
	 "which decisions tell failing calls from passing ones"},
	{"postmortem", cmd_postmortem, "[OPTIONS] VMCORE",
	 "what a flight recorder holds in a crash dump"},
	{"doctor", cmd_doctor, "[--json]",
	 "does LBR work here; entries that each kind of trigger leaves"},
	{"list", cmd_list, "GLOB", "what can be traced here, and by which trigger"},
	{"decode", cmd_decode, "[OPTIONS] [FILE]", "raw LBR MSR values to branches"},
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int help(int argc, char **argv)
{
	const struct command *command;
	char program[64];
	char *args[] = {program, "--help", NULL};

	if (argc < 2) {
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			printf("lbrsnoop %s %s\n\t%s\n", i ? commands[i].name : "[trace]",
			       commands[i].synopsis, commands[i].summary);
		printf("lbrsnoop help [COMMAND]\n\tall options of a command\n");
		return EXIT_SEEN;
	}
	command = find_command(argv[1]);
	if (!command) {
		log_error("help: there is no command '%s'; 'lbrsnoop help' lists them", argv[1]);
		return EXIT_USAGE;
	}
	snprintf(program, sizeof(program), "lbrsnoop %s", command->name);
	return command->run(2, args);
}

/* libbpf's own words, for -v -v only: ours name the object and the remedy. */
static int __attribute__((format(printf, 2, 0)))
print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return log_get_level() < LOG_DEBUG ? 0 : vfprintf(stderr, fmt, args);
}

int main(int argc, char **argv)
{
	const struct command *command;
	char program[64];

	/*
	 * Tables are freed at once. glibc raises the limit by itself, to the size of what is freed,
	 * and then holes of megabytes stay between what is still in use.
	 */
	mallopt(M_MMAP_THRESHOLD, 512 << 10);
	/* Where our parent ignores it we inherit that, and could wait for no child of ours. */
	signal(SIGCHLD, SIG_DFL);
	libbpf_set_print(print_libbpf);
	output_init();
	if (argc > 1 && !strcmp(argv[1], "help"))
		return help(argc - 1, argv + 1);
	command = argc > 1 ? find_command(argv[1]) : NULL;
	if (command) {
		/* what argp's messages begin with, and tell the user to run with --help */
		snprintf(program, sizeof(program), "lbrsnoop %s", command->name);
		argv[1] = program;
		return command->run(argc - 1, argv + 1);
	}
	return cmd_trace(argc, argv);
}
