// SPDX-License-Identifier: GPL-2.0
#include "capture/flight.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "flight/pages.h"
#include "util/cleanup.h"

#define RECORDS_NAME "records"
#define ARMED_PREFIX "armed-"

/* A page that is being written is whole again some microseconds later. */
#define READ_TRIES 100

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

static int check_bpffs(const char *path, struct errmsg *msg)
{
	char parent[PATH_MAX];
	struct statfs fs;
	char *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (slash && slash != parent)
		*slash = '\0';
	if (statfs(path, &fs) && statfs(slash ? parent : ".", &fs))
		return errmsg_set(msg, -EINVAL, "flight recorder '%s': %s: %s", path, parent,
				  strerror(errno));
	if (fs.f_type != BPF_FS_MAGIC)
		return errmsg_set(msg, -EINVAL,
				  "flight recorder '%s': it is no place in a BPF file system, "
				  "which alone keeps a recorder armed; 'mount -t bpf bpf "
				  "/sys/fs/bpf' mounts one",
				  path);
	return 0;
}

int flight_files_begin(struct flight_files *files, const char *dir, struct errmsg *msg)
{
	int err = check_bpffs(dir, msg);
	size_t links;

	if (err)
		return err;
	if (mkdir(dir, 0700) && errno != EEXIST)
		return errmsg_set(msg, errno == EPERM || errno == EACCES ? -EPERM : -EINVAL,
				  "flight recorder '%s': %s", dir, strerror(errno));
	links = count_links(dir);
	if (links)
		return errmsg_set(msg, -EEXIST,
				  "flight recorder '%s': one is armed already (%zu links keep it); "
				  "'lbrsnoop record --flight --stop' disarms it, "
				  "'--flight=%s.2' makes another",
				  dir, links, dir);
	files->dir = strdup(dir);
	files->generation = 1;
	return files->dir ? 0 : -ENOMEM;
}

int flight_files_map(struct flight_files *files, int map_fd, uint32_t header_pages, uint32_t slots,
		     const struct flight_header *header, struct errmsg *msg)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	char path[PATH_MAX];
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
	snprintf(path, sizeof(path), "%s/" RECORDS_NAME, files->dir);
	unlink(path);
	if (bpf_obj_pin(map_fd, path))
		return errmsg_set(msg, -errno, "flight recorder: %s: %s", path, strerror(errno));
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
	files->generation++;
	files->pinned = 0;
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
	if (files->dir)
		rmdir(files->dir); /* if there is nothing in it */
	free(files->dir);
	*files = (struct flight_files){};
}

int flight_disarm(const char *dir, bool discard, size_t *ret_links, struct errmsg *msg)
{
	char path[PATH_MAX];
	struct stat st;

	if (stat(dir, &st))
		return errmsg_set(msg, errno == ENOENT ? -ENOENT : -EPERM,
				  "flight recorder '%s': %s", dir,
				  errno == ENOENT ? "there is none" : strerror(errno));
	*ret_links = remove_links(dir, 0);
	if (count_links(dir))
		return errmsg_set(msg, -EPERM, "flight recorder '%s': its links stay: %s", dir,
				  strerror(errno));
	if (!discard)
		return 0;
	snprintf(path, sizeof(path), "%s/" RECORDS_NAME, dir);
	if ((unlink(path) && errno != ENOENT) || rmdir(dir))
		return errmsg_set(msg, -EPERM, "flight recorder '%s': %s", dir, strerror(errno));
	return 0;
}

static int read_pages(const uint8_t *pages, size_t count, struct flight_book *book)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t *page = pages + i * FLIGHT_PAGE_BYTES;
		int got = FLIGHT_DAMAGED;

		for (int tries = 0; got == FLIGHT_DAMAGED && tries < READ_TRIES; tries++)
			got = flight_book_add(book, page);
		if (got < 0)
			return got;
	}
	return 0;
}

int flight_read(const char *dir, struct flight_book *book, size_t *ret_armed, struct errmsg *msg)
{
	_cleanup_close_ int fd = -1;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char path[PATH_MAX];
	struct stat st;
	size_t bytes;
	void *pages;
	int err;

	snprintf(path, sizeof(path), "%s%s", dir,
		 !stat(dir, &st) && S_ISDIR(st.st_mode) ? "/" RECORDS_NAME : "");
	*ret_armed = count_links(dir);
	fd = bpf_obj_get(path);
	if (fd < 0 && errno == ENOENT)
		return errmsg_set(msg, -ENOENT,
				  "flight recorder '%s': there is none; 'lbrsnoop record --flight "
				  "TARGET' makes one",
				  dir);
	if (fd < 0)
		return errmsg_set(msg, errno == EPERM || errno == EACCES ? -EPERM : -EINVAL,
				  "flight recorder '%s': %s", dir, strerror(errno));
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != FLIGHT_PAGE_BYTES)
		return errmsg_set(msg, -EINVAL, "'%s' is no flight recorder of lbrsnoop", path);
	bytes = (size_t)info.max_entries * FLIGHT_PAGE_BYTES;
	pages = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		return errmsg_set(msg, -EINVAL, "flight recorder '%s': %s", path, strerror(errno));
	err = read_pages(pages, info.max_entries, book);
	munmap(pages, bytes);
	return err;
}
