// SPDX-License-Identifier: GPL-2.0
/*
 * missed - are returns that a kretprobe had no room for counted?
 *
 * Many processes sleep at once in a function that has one: those that its program was run for and
 * those that link_missed() tells of are all. Prints "ok load/missed", "not ok load/missed: why" or
 * "skip load/missed: reason".
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/link_missed.h"
#include "record.h"

#include "lbrsnoop.skel.h"

/* More than a kretprobe has room for: max(10, 2 * CPUs). */
#define SLEEPERS 40
#define FUNCTION "hrtimer_nanosleep"

static int say(const char *verdict, const char *why)
{
	printf("%s load/missed%s%s\n", verdict, *why ? ": " : "", why);
	return strcmp(verdict, "not ok") ? 0 : 1;
}

/* All of them sleep before the first wakes. */
static bool sleep_together(void)
{
	const struct timespec long_enough = {.tv_sec = 3};
	int status, slept = 0;

	for (int i = 0; i < SLEEPERS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return false;
		if (!pid)
			_exit(nanosleep(&long_enough, NULL) ? 1 : 0);
	}
	while (wait(&status) > 0)
		slept += WIFEXITED(status) && !WEXITSTATUS(status);
	return slept == SLEEPERS;
}

/* Linux 6.7 was the first. */
static bool kernel_tells(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 7));
}

/* Others of the guest may sleep meanwhile, too. */
static int judge(uint64_t seen, uint64_t missed)
{
	char why[128];

	snprintf(why, sizeof(why), "of %d returns %llu were seen, and %llu are told to be missed",
		 SLEEPERS, (unsigned long long)seen, (unsigned long long)missed);
	if (seen >= SLEEPERS)
		return say("not ok", why);
	if (!kernel_tells())
		return say(missed ? "not ok" : "ok", why);
	return say(seen + missed >= SLEEPERS && missed < 2 * SLEEPERS ? "ok" : "not ok", why);
}

int main(void)
{
	struct lbrsnoop_bpf *skel = lbrsnoop_bpf__open();
	uint64_t seen, missed;
	struct bpf_link *link;
	bool slept;
	int status;

	libbpf_set_print(NULL);
	if (!skel)
		return say("not ok", "no memory");
	bpf_program__set_autoload(skel->progs.kretprobe_s32, true);
	if (lbrsnoop_bpf__load(skel))
		return say("not ok", "the program is not loaded");
	skel->bss->slots[0].busy = 1;
	link = bpf_program__attach_kprobe(skel->progs.kretprobe_s32, true, FUNCTION);
	if (!link)
		return say("not ok", "no kretprobe:" FUNCTION);
	slept = sleep_together();
	seen = skel->bss->records_written;
	missed = link_missed(bpf_link__fd(link));
	bpf_link__destroy(link);
	status = slept ? judge(seen, missed) : say("not ok", "not all have slept");
	lbrsnoop_bpf__destroy(skel);
	return status;
}
