// SPDX-License-Identifier: GPL-2.0
/*
 * eventwork - give rise to events that perf counts, and say how many there were
 *
 *     eventwork PAGES SLEEPS [MILLISECONDS]
 *
 * Touches PAGES pages that are not there yet, then sleeps SLEEPS times for a millisecond, or so
 * many. Its last line is "until NS faults N switches N faults-before N switches-before N": all that
 * it has had, as the kernel tells it (getrusage()), and the time (CLOCK_REALTIME) before it asked;
 * and what it had had when main() began. The function that touches a page is touch_page().
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PAGE_BYTES 4096

__attribute__((noinline)) void touch_page(volatile char *page)
{
	*page = 1;
}

int main(int argc, char **argv)
{
	long pages = argc > 2 ? atol(argv[1]) : -1, sleeps = argc > 2 ? atol(argv[2]) : -1;
	const struct timespec pause = {.tv_nsec = (argc > 3 ? atol(argv[3]) : 1) * 1000000};
	struct timespec now;
	struct rusage use, before;
	char *memory;

	getrusage(RUSAGE_SELF, &before);
	if (pages < 0 || sleeps < 0)
		return 64;
	memory = mmap(NULL, (size_t)(pages + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	/* A huge page would come at one fault. */
	madvise(memory, (size_t)(pages + 1) * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		touch_page(memory + i * PAGE_BYTES);
	for (long i = 0; i < sleeps; i++)
		nanosleep(&pause, NULL);
	clock_gettime(CLOCK_REALTIME, &now);
	getrusage(RUSAGE_SELF, &use);
	printf("until %lld%09ld faults %ld switches %ld faults-before %ld switches-before %ld\n",
	       (long long)now.tv_sec, now.tv_nsec, use.ru_minflt + use.ru_majflt,
	       use.ru_nvcsw + use.ru_nivcsw, before.ru_minflt + before.ru_majflt,
	       before.ru_nvcsw + before.ru_nivcsw);
	return 0;
}
