// SPDX-License-Identifier: GPL-2.0
#include "capture/flight.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "flight/pages.h"
#include "util/cleanup.h"
#include "util/clock.h"

#define RECORDS_NAME "records"
#define ARMED_PREFIX "armed-"

/* A page that is being written is whole again some microseconds later. */
#define READ_TRIES 100

/* How long a recorder may take to notice that its links are gone, and to end. */
#define END_MS 60000

#define NO_BPFFS                                                                                   \
	"it is not in a BPF file system, which alone keeps a recorder armed; 'mount -t bpf "       \
	"bpf /sys/fs/bpf' mounts one"

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Removes armed-*, those of generation @keep excepted (0: none is kept). The number of all. */
static size_t remove_links(const char *path, uint32_t keep)
{
	_cleanup_(close_directory) DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir))) {
		unsigned int generation = 0;

		if (sscanf(entry->d_name, ARMED_PREFIX "%u-", &generation) != 1)
			continue;
		count++;
		if (!keep || generation != keep)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	return count;
}

static size_t count_links(const char *path)
{
	_cleanup_(close_directory) DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += !strncmp(entry->d_name, ARMED_PREFIX, strlen(ARMED_PREFIX));
	return count;
}

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == BPF_FS_MAGIC;
}

/* Where it is to be made, or is. */
static int check_place(const char *dir, struct errmsg *msg)
{
	char parent[PATH_MAX];
	struct stat st;
	char *slash;

	if (!stat(dir, &st))
		return is_bpffs(dir)
			       ? 0
			       : errmsg_set(msg, -EINVAL, "flight recorder '%s': " NO_BPFFS, dir);
	snprintf(parent, sizeof(parent), "%s", dir);
	slash = strrchr(parent, '/');
	if (slash && slash != parent)
		*slash = '\0';
	if (slash && stat(parent, &st))
		return errmsg_set(msg, -EINVAL, "flight recorder '%s': %s: %s", dir, parent,
				  strerror(errno));
	if (!is_bpffs(slash ? parent : "."))
		return errmsg_set(msg, -EINVAL, "flight recorder '%s': " NO_BPFFS, dir);
	if (strchr(slash ? dir + (slash - parent) : dir, '.'))
		return errmsg_set(msg, -EINVAL,
				  "flight recorder '%s': a name in a BPF file system has no dot",
				  dir);
	return 0;
}

/*
 * Who records into a directory has it locked, for as long as he lives, however he ends.
 * Return: file; -EWOULDBLOCK if somebody else has it; another negative errno.
 */
static int lock_directory(const char *dir)
{
	for (;;) {
		int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct stat locked, now;
		int err;

		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &locked)) {
			err = -errno;
			close(fd);
			return err;
		}
		/* Who had it before us may have removed it, or made another. */
		err = stat(dir, &now) ? -errno : 0;
		if (!err && now.st_ino == locked.st_ino && now.st_dev == locked.st_dev)
			return fd;
		close(fd);
		if (err)
			return err;
	}
}

int flight_files_begin(struct flight_files *files, const char *dir, struct errmsg *msg)
{
	_cleanup_free_ char *copy = strdup(dir);
	int fd, err;
	size_t links;

	if (!copy)
		return -ENOMEM;
	for (size_t len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
		copy[len - 1] = '\0';
	err = check_place(copy, msg);
	if (err)
		return err;
	if (mkdir(copy, 0700) && errno != EEXIST)
		return errmsg_set(msg, errno == EPERM || errno == EACCES ? -EPERM : -EINVAL,
				  "flight recorder '%s': %s", copy, strerror(errno));
	fd = lock_directory(copy);
	if (fd == -EWOULDBLOCK)
		return errmsg_set(msg, -EEXIST,
				  "flight recorder '%s': another lbrsnoop is recording into it; "
				  "'lbrsnoop record --flight --stop' ends it, '--flight=%s-2' "
				  "makes another",
				  copy, copy);
	if (fd < 0)
		return errmsg_set(msg, fd == -EACCES ? -EPERM : -EINVAL, "flight recorder '%s': %s",
				  copy, strerror(-fd));
	links = count_links(copy);
	if (links) {
		close(fd);
		return errmsg_set(msg, -EEXIST,
				  "flight recorder '%s': one is armed already (%zu links keep it); "
				  "'lbrsnoop record --flight --stop' disarms it, "
				  "'--flight=%s-2' makes another",
				  copy, links, copy);
	}
	files->dir = copy;
	files->lock_fd = fd;
	files->generation = 1;
	copy = NULL;
	return 0;
}

int flight_files_map(struct flight_files *files, int map_fd, uint32_t header_pages, uint32_t slots,
		     const struct flight_header *header, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	uint64_t session;
	void *pages;
	size_t len;

	files->bytes = ((size_t)header_pages + slots) * FLIGHT_PAGE_BYTES;
	pages = mmap(NULL, files->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (pages == MAP_FAILED)
		return errmsg_set(msg, -errno, "flight recorder: its pages cannot be mapped: %s",
				  strerror(errno));
	files->pages = pages;
	if (flight_header_encode(header, &bytes, &len))
		return -ENOMEM;
	if (getrandom(&session, sizeof(session), 0) != sizeof(session))
		return errmsg_set(msg, -EIO, "getrandom: %s", strerror(errno));
	flight_pages_init(pages, session, header_pages, slots, bytes, len);
	files->map_fd = map_fd;
	return 0;
}

int flight_files_publish(struct flight_files *files, struct errmsg *msg)
{
	char path[PATH_MAX];

	if (files->published)
		return 0;
	snprintf(path, sizeof(path), "%s/" RECORDS_NAME, files->dir);
	unlink(path);
	if (bpf_obj_pin(files->map_fd, path))
		return errmsg_set(msg, -errno, "flight recorder: %s: %s", path, strerror(errno));
	files->published = true;
	return 0;
}

int flight_files_set_header(struct flight_files *files, struct flight_header *header)
{
	const struct flight_page *first = files->pages;
	size_t room = first->header_pages * FLIGHT_PAYLOAD_BYTES;
	size_t symbols = header->symbol_count;
	int err;

	for (;;) {
		_cleanup_free_ uint8_t *bytes = NULL;
		size_t len;

		err = flight_header_encode(header, &bytes, &len);
		if (!err && len <= room)
			flight_pages_set_header(files->pages, bytes, len);
		if (err || len <= room || !header->symbol_count)
			break;
		header->symbol_count -= header->symbol_count / 8 + 1;
	}
	header->symbol_count = symbols;
	return err;
}

int flight_files_pin(struct flight_files *files, int link_fd, struct errmsg *msg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" ARMED_PREFIX "%u-%u", files->dir, files->generation,
		 files->pinned);
	if (bpf_obj_pin(link_fd, path))
		return errmsg_set(msg, -errno,
				  "flight recorder: %s: %s; this kernel cannot keep such a trigger "
				  "armed without a process",
				  path, strerror(errno));
	files->pinned++;
	return 0;
}

void flight_files_pinned(struct flight_files *files)
{
	remove_links(files->dir, files->generation);
	files->kept = files->pinned;
	files->generation++;
	files->pinned = 0;
}

bool flight_files_stopped(const struct flight_files *files)
{
	char path[PATH_MAX];

	if (!files->dir || !files->kept)
		return false;
	snprintf(path, sizeof(path), "%s/" ARMED_PREFIX "%u-0", files->dir, files->generation - 1);
	return access(path, F_OK) && errno == ENOENT;
}

void flight_files_state(const struct flight_files *files, uint64_t *ret_written, uint64_t *ret_lost)
{
	const struct flight_page *first = files->pages;

	*ret_written = first ? __atomic_load_n(&first->written, __ATOMIC_RELAXED) : 0;
	*ret_lost = first ? __atomic_load_n(&first->lost, __ATOMIC_RELAXED) : 0;
}

void flight_files_disarm(struct flight_files *files)
{
	if (files->dir)
		remove_links(files->dir, 0);
}

void flight_files_deinit(struct flight_files *files)
{
	flight_files_disarm(files);
	if (files->pages)
		munmap(files->pages, files->bytes);
	if (files->dir) {
		rmdir(files->dir); /* if there is nothing in it */
		close(files->lock_fd);
	}
	free(files->dir);
	*files = (struct flight_files){};
}

/* Nothing elsewhere is a recorder, whatever its files are called: they are not ours to remove. */
static int check_recorder(const char *dir, struct errmsg *msg)
{
	struct stat st;

	if (stat(dir, &st))
		return errmsg_set(msg, errno == EACCES ? -EPERM : -ENOENT,
				  "flight recorder '%s': %s", dir,
				  errno == ENOENT ? "there is none; 'lbrsnoop record --flight "
						    "TARGET' makes one"
						  : strerror(errno));
	if (!is_bpffs(dir))
		return errmsg_set(msg, -EINVAL,
				  "flight recorder '%s': there is none: it is not in a BPF "
				  "file system",
				  dir);
	return 0;
}

/* Whoever still records there ends by himself, without his links. */
static int await_end(const char *dir)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + END_MS * 1000000ULL;
	int fd;

	while ((fd = lock_directory(dir)) == -EWOULDBLOCK && clock_ns(CLOCK_MONOTONIC) < end)
		nanosleep(&pause, NULL);
	return fd;
}

int flight_disarm(const char *dir, bool discard, size_t *ret_links, struct errmsg *msg)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	int err = check_recorder(dir, msg);

	if (err)
		return err;
	*ret_links = remove_links(dir, 0);
	if (count_links(dir))
		return errmsg_set(msg, -EPERM, "flight recorder '%s': its links stay: %s", dir,
				  strerror(errno));
	fd = await_end(dir);
	/* It had nothing to keep but its links, and went with them. */
	if (fd == -ENOENT && *ret_links)
		return 0;
	if (fd == -EWOULDBLOCK)
		return errmsg_set(msg, -EBUSY,
				  "flight recorder '%s': its links are gone, but an lbrsnoop still "
				  "records into it: end that ('fuser %s' tells which it is)",
				  dir, dir);
	if (fd < 0)
		return errmsg_set(msg, fd == -EACCES ? -EPERM : -EINVAL, "flight recorder '%s': %s",
				  dir, strerror(-fd));
	if (!discard)
		return 0;
	snprintf(path, sizeof(path), "%s/" RECORDS_NAME, dir);
	if ((unlink(path) && errno != ENOENT) || rmdir(dir))
		return errmsg_set(msg, errno == EPERM || errno == EACCES ? -EPERM : -EINVAL,
				  "flight recorder '%s': %s", dir, strerror(errno));
	return 0;
}

static int read_pages(const uint8_t *pages, size_t count, struct flight_collector *collector,
		      size_t *ret_newer, size_t *ret_damaged)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t *page = pages + i * FLIGHT_PAGE_BYTES;
		int got = FLIGHT_DAMAGED;

		for (int tries = 0; got == FLIGHT_DAMAGED && tries < READ_TRIES; tries++)
			got = flight_collector_add(collector, page);
		if (got < 0)
			return got;
		*ret_newer += got == FLIGHT_NEWER;
		*ret_damaged += got == FLIGHT_DAMAGED;
	}
	return 0;
}

/* The map of a recorder, by its looks: what is in its pages is asked later. */
static int open_records(const char *dir, const char *path, uint32_t *ret_pages, struct errmsg *msg)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_obj_get(path);

	if (fd < 0 && errno == ENOENT)
		return errmsg_set(msg, -ENOENT,
				  "flight recorder '%s': there is none; 'lbrsnoop record --flight "
				  "TARGET' makes one",
				  dir);
	if (fd < 0)
		return errmsg_set(msg, errno == EPERM || errno == EACCES ? -EPERM : -EINVAL,
				  "flight recorder '%s': %s", dir, strerror(errno));
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != FLIGHT_PAGE_BYTES || !(info.map_flags & BPF_F_MMAPABLE)) {
		close(fd);
		return errmsg_set(msg, -EINVAL, "'%s' is not a flight recorder of lbrsnoop", path);
	}
	*ret_pages = info.max_entries;
	return fd;
}

int flight_read(const char *dir, struct flight_collector *collector, size_t *ret_armed,
		struct errmsg *msg)
{
	_cleanup_close_ int fd = -1;
	size_t newer = 0, damaged = 0;
	char path[PATH_MAX];
	uint32_t count = 0;
	struct stat st;
	void *pages;
	int err = check_recorder(dir, msg);

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s%s", dir,
		 !stat(dir, &st) && S_ISDIR(st.st_mode) ? "/" RECORDS_NAME : "");
	*ret_armed = count_links(dir);
	fd = open_records(dir, path, &count, msg);
	if (fd < 0)
		return fd;
	pages = mmap(NULL, (size_t)count * FLIGHT_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		return errmsg_set(msg, -EINVAL, "flight recorder '%s': %s", path, strerror(errno));
	err = read_pages(pages, count, collector, &newer, &damaged);
	munmap(pages, (size_t)count * FLIGHT_PAGE_BYTES);
	if (err || flight_collector_sessions(collector))
		return err;
	return errmsg_set(msg, -EINVAL,
			  newer	    ? "flight recorder '%s': it is a newer lbrsnoop's: use that one"
			  : damaged ? "flight recorder '%s': its pages are damaged"
				    : "'%s' is not a flight recorder of lbrsnoop",
			  newer || damaged ? dir : path);
}
