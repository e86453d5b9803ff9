// SPDX-License-Identifier: GPL-2.0
/*
 * eventwork - give rise to events that perf counts, and say how many there were
 *
 *     eventwork PAGES SLEEPS
 *
 * Touches PAGES pages that are not there yet, then sleeps SLEEPS times for a millisecond. Its last
 * line is "faults N switches N": all that it has had, as the kernel tells it (getrusage()). The
 * function that touches a page is touch_page().
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
	const struct timespec millisecond = {.tv_nsec = 1000000};
	long pages = argc == 3 ? atol(argv[1]) : -1, sleeps = argc == 3 ? atol(argv[2]) : -1;
	struct rusage use;
	char *memory;

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
		nanosleep(&millisecond, NULL);
	getrusage(RUSAGE_SELF, &use);
	printf("faults %ld switches %ld\n", use.ru_minflt + use.ru_majflt,
	       use.ru_nvcsw + use.ru_nivcsw);
	return 0;
}
