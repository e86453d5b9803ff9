/* SPDX-License-Identifier: GPL-2.0 */
/* capabilities.h - what this process may do, and what it gives up */
#ifndef LBRSNOOP_HOST_CAPABILITIES_H
#define LBRSNOOP_HOST_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * missing_capabilities() - what this process lacks to trace
 * Return: NULL if nothing; else the names, "CAP_BPF and CAP_PERFMON"; in a user namespace, whose
 * capabilities the kernel does not count, that it is one.
 */
const char *missing_capabilities(void);

/** missing_capabilities_remedy() - what the user can do to have them */
const char *missing_capabilities_remedy(void);

/** kallsyms_error() - what a negative errno of symbols_open() of the running kernel means, and its
 * remedy */
const char *kallsyms_error(int err);

/** process_has_capability() - is it in effect? */
bool process_has_capability(int cap);

/**
 * drop_privileges() - keep only the capabilities that a trace needs once it is armed
 *
 * CAP_BPF: look after the LBR (BPF_PROG_TEST_RUN), fall back to another trigger. CAP_PERFMON:
 * follow CPUs that come. CAP_SYSLOG: addresses of modules that come. All others go, from the
 * bounding set, too, and no program that is started from now on gets any back.
 * @admin: CAP_SYS_ADMIN stays, for when a CPU comes: see trace_needs_admin()
 * @programs: user functions are traced: CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH stay, to read what
 *            other users' processes map
 * @files: that may be made later, @file_count of them, each may be NULL. If one is in a directory
 *         of another user, CAP_DAC_OVERRIDE stays, too
 * Return: 0; negative errno, and all are still there.
 */
int drop_privileges(bool admin, bool programs, const char *const *files, size_t file_count);

/**
 * keep_arming_privileges() - keep only the capabilities that arming a trace needs, again and again
 * As drop_privileges(), but CAP_SYS_ADMIN, CAP_SYS_RAWIO, CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH
 * stay in any case.
 */
int keep_arming_privileges(const char *const *files, size_t file_count);

#endif
