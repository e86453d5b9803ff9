// SPDX-License-Identifier: GPL-2.0
/*
 * deep_vary - a system call that fails at one place, and gets there another way each time
 *
 * Usage: deep_vary sizes|lock. Ends with status 1, as the call failed.
 *	sizes	openat() through a symbolic link of a random number of components
 *	lock	lseek() to a bad offset; a second thread takes the lock of the file's position, and
 *		holds it for a random time
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPONENTS_MAX 60
#define PAGE	       4096
#define WAIT_US	       3000

static unsigned int random_below(unsigned int limit)
{
	unsigned int number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		err(2, "getrandom");
	return number % limit;
}

/* The path itself stays the same: that tells which call is the one of the run before. */
static void open_random(void)
{
	char target[8 + 2 * COMPONENTS_MAX] = "/etc/";
	size_t len = strlen(target);

	for (unsigned int left = random_below(COMPONENTS_MAX); left; left--) {
		target[len++] = '.';
		target[len++] = '/';
	}
	if ((unlink("link") && errno != ENOENT) || symlink(target, "link"))
		err(2, "link");
	if (open("link/none", O_RDONLY) >= 0 || errno != ENOENT)
		errx(2, "link/none: no ENOENT");
	err(1, "openat");
}

static int fd, faults;
static char *page;

/* Holds the lock of the file's position while somebody gets it the page that it reads into. */
static void *read_slowly(void *arg)
{
	if (read(fd, page, 1) != 1)
		err(2, "read");
	return arg;
}

static void *give_page(void *arg)
{
	struct uffdio_zeropage zero = {.range = {.start = (uintptr_t)page, .len = PAGE}};

	usleep(random_below(WAIT_US));
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		err(2, "UFFDIO_ZEROPAGE");
	return arg;
}

static void open_files(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	fd = open("/etc/services", O_RDONLY | O_CLOEXEC);
	/* The position has a lock only if the file is shared. */
	if (fd < 0 || dup(fd) < 0)
		err(2, "/etc/services");
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		err(2, "mmap");
	area.range = (struct uffdio_range){.start = (uintptr_t)page, .len = PAGE};
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &area))
		err(2, "userfaultfd");
}

static void seek_locked(void)
{
	pthread_t threads[2];

	open_files();
	errno = pthread_create(&threads[0], NULL, read_slowly, NULL)
			?: pthread_create(&threads[1], NULL, give_page, NULL);
	if (errno)
		err(2, "pthread_create");
	usleep(random_below(WAIT_US));
	if (lseek(fd, -1, SEEK_SET) != -1 || errno != EINVAL)
		errx(2, "lseek: no EINVAL");
	err(1, "lseek");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "sizes"))
		open_random();
	else if (argc == 2 && !strcmp(argv[1], "lock"))
		seek_locked();
	errx(2, "usage: deep_vary sizes|lock");
}
