/* SPDX-License-Identifier: GPL-2.0 */
/* cmd.h - the commands: wiring only */
#ifndef LBRSNOOP_CMD_CMD_H
#define LBRSNOOP_CMD_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit status, see docs/INTERFACE.md; grep's convention, for scripts. */
enum exit_status {
	EXIT_SEEN = 0, /* at least one snapshot */
	EXIT_NONE = 1, /* none was seen */
	EXIT_ERROR = 2,
	EXIT_NO_LBR = 3,     /* this host has no usable LBR */
	EXIT_PERMISSION = 4, /* not permitted */
	EXIT_USAGE = 64,
};

/*
 * Counts SIGINT, SIGTERM and SIGHUP: the second one means now. What signals set, and the log level,
 * are the mutable globals of the program.
 */
extern volatile sig_atomic_t stop_requested;

/*
 * The first of these signals, and whether the terminal has sent it: to all processes in its
 * foreground, a command of ours among them.
 */
extern volatile sig_atomic_t stop_signal;
extern volatile sig_atomic_t stop_by_terminal;

/* SIGHUP came, for a trace that writes files. */
extern volatile sig_atomic_t reopen_requested;

/** cmd_trace() - "lbrsnoop [OPTIONS] TARGET..." */
int cmd_trace(int argc, char **argv);

/** cmd_record() - "lbrsnoop record -o FILE TARGET..." */
int cmd_record(int argc, char **argv);

/** cmd_watch() - "lbrsnoop watch [--check] [FILE]" */
int cmd_watch(int argc, char **argv);

/** cmd_report() - "lbrsnoop report FILE..." */
int cmd_report(int argc, char **argv);

/** cmd_compare() - "lbrsnoop compare FILE..."; and where TARGET stands instead, the next one */
int cmd_compare(int argc, char **argv);

/** cmd_compare_live() - "lbrsnoop compare TARGET [-- COMMAND]" */
int cmd_compare_live(int argc, char **argv);

/** cmd_postmortem() - "lbrsnoop postmortem VMCORE" */
int cmd_postmortem(int argc, char **argv);

/** cmd_why() - "lbrsnoop why -- COMMAND" */
int cmd_why(int argc, char **argv);

/** cmd_list() - "lbrsnoop list GLOB" */
int cmd_list(int argc, char **argv);

/** cmd_doctor() - "lbrsnoop doctor" */
int cmd_doctor(int argc, char **argv);

/** cmd_decode() - "lbrsnoop decode [FILE]" */
int cmd_decode(int argc, char **argv);

/** exit_status_of() - exit status of a library's negative errno */
enum exit_status exit_status_of(int err);

/** allow_files() - raise the limit on open files for @count, and some of our own, if it may be */
void allow_files(size_t count);

/**
 * install_reopen_handler() - let SIGHUP set reopen_requested, whatever install_stop_handlers() says
 * Not where there is a terminal: there it means that the terminal is gone.
 */
void install_reopen_handler(void);

/**
 * install_stop_handlers() - let SIGINT, SIGTERM and SIGHUP set stop_requested
 *
 * SIGHUP only where it is not ignored already, as nohup does.
 */
void install_stop_handlers(void);

/** install_reader_stop_handlers() - the same where nothing is to be cleaned up: a second one kills
 */
void install_reader_stop_handlers(void);

/**
 * install_early_stop_handlers() - let the same signals end the program at once
 *
 * For the time when there is nothing yet to be lost: with EXIT_NONE.
 */
void install_early_stop_handlers(void);

#endif
