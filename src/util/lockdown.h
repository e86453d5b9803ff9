/* SPDX-License-Identifier: GPL-2.0 */
/* lockdown.h - what the kernel lets nobody do, root neither: security/lockdown, security.h */
#ifndef LBRSNOOP_UTIL_LOCKDOWN_H
#define LBRSNOOP_UTIL_LOCKDOWN_H

/** enum lockdown - each forbids what the one before does, and more */
enum lockdown {
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,	  /* to write to the kernel: MSRs, kexec, unsigned modules */
	LOCKDOWN_CONFIDENTIALITY, /* to read of it: /proc/kcore, kprobes, tracefs, BPF's
				   * probe_read_kernel */
};

/* How it is lifted, for messages: it cannot be while the kernel runs. */
#define LOCKDOWN_REMEDY                                                                            \
	"it is lifted by booting with lockdown=integrity or lockdown=none on the kernel's "        \
	"command line, which the firmware's Secure Boot may have to be switched off for"

/**
 * lockdown_read() - of the running kernel
 * Return: LOCKDOWN_NONE also where nothing is known of it, as without securityfs.
 */
enum lockdown lockdown_read(void);

/** lockdown_parse() - from the text of /sys/kernel/security/lockdown */
enum lockdown lockdown_parse(const char *text);

#endif
