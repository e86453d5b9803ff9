// SPDX-License-Identifier: GPL-2.0
#include "symbolize/user/userspace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "symbolize/debug/dwarf.h"
#include "symbolize/symtab.h"
#include "symbolize/user/userfile.h"
#include "util/cleanup.h"
#include "util/vector.h"

#define BUCKETS	      4096u
#define PROCESSES_MAX 16384u /* then those that have ended are forgotten */
#define MAPPINGS_MAX  65536u /* of one process */
#define FILES_MAX     65536u

/**
 * struct file_slot - a file that was mapped somewhere
 * @path: as the kernel told it, in @names
 * @failed_pid: the process that it could not be opened through
 */
struct file_slot {
	const char *path;
	uint64_t inode;
	struct userfile *file;
	uint32_t failed_pid;
};

/** struct mapping - @slot: index + 1 of its file, 0: none */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t slot;
};

/** struct process - @known: by events or /proc; @ended: told so; @version: userspace_version() */
struct process {
	uint32_t pid;
	bool known;
	bool ended;
	struct mapping *maps;
	size_t map_count;
	size_t map_room;
	uint64_t version;
	struct process *next;
};

/** struct kept - a file of userspace_keep(); @path: in names; @file: until a slot has taken it */
struct kept {
	const char *path;
	uint64_t inode;
	struct userfile *file;
};

struct userspace {
	const char *proc;
	const char *debug_dir;
	struct process *buckets[BUCKETS];
	size_t process_count;
	uint64_t changes;
	struct process *now;
	struct file_slot *files;
	size_t file_count;
	struct kept *kept;
	size_t kept_count;
	struct arena names;
};

int userspace_create(const char *proc, const char *debug_dir, struct userspace **ret_user)
{
	struct userspace *user = calloc(1, sizeof(*user));

	if (!user)
		return -ENOMEM;
	user->proc = proc;
	user->debug_dir = debug_dir;
	*ret_user = user;
	return 0;
}

static void process_free(struct process *process)
{
	free(process->maps);
	free(process);
}

/* Forgets processes: all, or those that have ended. */
static void forget(struct userspace *user, bool all)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		struct process **at = &user->buckets[i];

		while (*at) {
			struct process *process = *at;

			if (!all && (!process->ended || process == user->now)) {
				at = &process->next;
				continue;
			}
			*at = process->next;
			if (process == user->now)
				user->now = NULL;
			process_free(process);
			user->process_count--;
		}
	}
}

void userspace_forget(struct userspace *user)
{
	forget(user, true);
}

void userspace_destroy(struct userspace *user)
{
	if (!user)
		return;
	forget(user, true);
	for (size_t i = 0; i < user->file_count; i++)
		userfile_close(user->files[i].file);
	for (size_t i = 0; i < user->kept_count; i++)
		userfile_close(user->kept[i].file);
	free(user->kept);
	free(user->files);
	arena_deinit(&user->names);
	free(user);
}

static struct process *find_process(const struct userspace *user, uint32_t pid)
{
	struct process *process = user->buckets[pid % BUCKETS];

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

/* Found, or a new one; NULL if there is no memory. */
static struct process *get_process(struct userspace *user, uint32_t pid)
{
	struct process *process = find_process(user, pid);

	if (process)
		return process;
	if (user->process_count >= PROCESSES_MAX)
		forget(user, false);
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->next = user->buckets[pid % BUCKETS];
	user->buckets[pid % BUCKETS] = process;
	user->process_count++;
	return process;
}

/* Index + 1 of the slot of a file; 0 if it is none, or there is no room. */
static uint32_t get_slot(struct userspace *user, const struct user_mapping *map)
{
	const char *path = map->path;

	if (!path || !path[0])
		return 0;
	/* The newest are asked for most. */
	for (size_t i = user->file_count; i-- > 0;)
		if (user->files[i].inode == map->inode && !strcmp(user->files[i].path, path))
			return (uint32_t)i + 1;
	if (user->file_count >= FILES_MAX)
		return 0;
	if (vector_grow(&user->files, user->file_count, sizeof(*user->files)))
		return 0;
	path = arena_strndup(&user->names, path, strnlen(path, PATH_MAX));
	if (!path)
		return 0;
	user->files[user->file_count++] = (struct file_slot){.path = path, .inode = map->inode};
	return (uint32_t)user->file_count;
}

static int add_mapping(struct userspace *user, struct process *process,
		       const struct user_mapping *map)
{
	struct mapping *maps;
	size_t kept = 0;

	if (map->start >= map->end)
		return 0;
	process->version = ++user->changes;
	/* What it covers is there no more. */
	for (size_t i = 0; i < process->map_count; i++)
		if (process->maps[i].start < map->start || process->maps[i].end > map->end)
			process->maps[kept++] = process->maps[i];
	process->map_count = kept;
	if (process->map_count >= MAPPINGS_MAX)
		return 0;
	if (process->map_count == process->map_room) {
		size_t room = process->map_room ? process->map_room * 2 : 8;

		maps = reallocarray(process->maps, room, sizeof(*maps));
		if (!maps)
			return -ENOMEM;
		process->maps = maps;
		process->map_room = room;
	}
	process->maps[process->map_count++] =
		(struct mapping){map->start, map->end, map->offset, get_slot(user, map)};
	return 0;
}

/* A line of /proc/PID/maps: START-END PERMISSIONS OFFSET DEVICE INODE PATH. */
static int parse_line(char *line, struct user_mapping *ret_map)
{
	char perms[8];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	*ret_map = (struct user_mapping){0};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n",
		   &ret_map->start, &ret_map->end, perms, &ret_map->offset, &ret_map->inode,
		   &path) < 5 ||
	    !path)
		return -EINVAL;
	ret_map->path = line + path;
	return strchr(perms, 'x') ? 0 : -ENOENT;
}

/* False if it is not there any more, or not to be read. */
static bool read_maps(struct userspace *user, struct process *process)
{
	char path[PATH_MAX];
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	bool any = false;

	snprintf(path, sizeof(path), "%s/%u/maps", user->proc, process->pid);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0) {
		struct user_mapping map;

		if (parse_line(line, &map) || add_mapping(user, process, &map))
			continue;
		any = true;
	}
	return any;
}

int userspace_mapped(struct userspace *user, uint32_t pid, const struct user_mapping *map)
{
	struct process *process = get_process(user, pid);

	if (!process)
		return -ENOMEM;
	/* Of one that was there before, the rest is still in /proc. */
	if (!process->known)
		read_maps(user, process);
	process->known = true;
	return add_mapping(user, process, map);
}

int userspace_forked(struct userspace *user, uint32_t pid, uint32_t parent)
{
	const struct process *from;
	struct process *process;

	userspace_executed(user, pid);
	process = get_process(user, pid);
	if (!process)
		return -ENOMEM;
	process->ended = false;
	process->known = false;
	from = find_process(user, parent);
	if (!from || !from->known || !from->map_count)
		return 0;
	free(process->maps);
	process->map_count = process->map_room = 0;
	process->maps = calloc(from->map_count, sizeof(*process->maps));
	if (!process->maps)
		return -ENOMEM;
	memcpy(process->maps, from->maps, from->map_count * sizeof(*process->maps));
	process->map_count = process->map_room = from->map_count;
	process->known = true;
	return 0;
}

void userspace_executed(struct userspace *user, uint32_t pid)
{
	struct process *process = get_process(user, pid);

	if (!process)
		return;
	process->version = ++user->changes;
	process->map_count = 0;
	process->known = true;
	process->ended = false;
}

void userspace_exited(struct userspace *user, uint32_t pid)
{
	struct process *process = find_process(user, pid);

	if (process)
		process->ended = true;
}

bool userspace_select(struct userspace *user, uint32_t pid)
{
	struct process *process = pid ? get_process(user, pid) : NULL;

	user->now = process;
	if (!process)
		return false;
	if (!process->known)
		process->known = read_maps(user, process);
	return process->map_count;
}

static const struct mapping *find_mapping(const struct userspace *user, uint64_t addr)
{
	const struct process *process = user->now;

	/* The newest covers the others. */
	for (size_t i = process ? process->map_count : 0; i-- > 0;)
		if (addr >= process->maps[i].start && addr < process->maps[i].end)
			return &process->maps[i];
	return NULL;
}

uint64_t userspace_version(const struct userspace *user)
{
	return user->now ? user->now->version : 0;
}

bool userspace_is_mapped(const struct userspace *user, uint64_t addr)
{
	return find_mapping(user, addr);
}

/*
 * Is the file of that path the one that is mapped? Overlays show one number in /proc/PID/maps, and
 * another one here.
 */
static bool is_file(const char *path, uint64_t inode)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!inode || st.st_ino == inode)
		return true;
	return !statfs(path, &fs) &&
	       (fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC);
}

/* Two files of a name are told apart by a number. */
static void name_file(const struct userspace *user, const struct file_slot *slot, char *buf,
		      size_t len)
{
	const char *base = basename(slot->path);
	unsigned int same = 0;

	for (size_t i = 0; i < user->file_count; i++) {
		if (&user->files[i] != slot && user->files[i].file &&
		    !strcmp(basename(user->files[i].path), base))
			same++;
	}
	if (same)
		snprintf(buf, len, "%.*s#%u", MODULE_NAME_MAX - 12, base, same + 1);
	else
		snprintf(buf, len, "%.*s", MODULE_NAME_MAX - 12, base);
}

int userspace_keep(struct userspace *user, const char *path)
{
	struct kept kept = {0};
	struct stat st;
	int err;

	for (size_t i = 0; i < user->kept_count; i++)
		if (!strcmp(user->kept[i].path, path))
			return 0;
	if (stat(path, &st))
		return -errno;
	kept.inode = st.st_ino;
	if (vector_grow(&user->kept, user->kept_count, sizeof(kept)))
		return -ENOMEM;
	kept.path = arena_strndup(&user->names, path, strnlen(path, PATH_MAX));
	if (!kept.path)
		return -ENOMEM;
	err = userfile_open(path, basename(path), user->debug_dir, &kept.file);
	if (!err)
		user->kept[user->kept_count++] = kept;
	return err;
}

/* Kept, and not another slot's yet. */
static struct userfile *take_kept(struct userspace *user, const struct file_slot *slot)
{
	for (size_t i = 0; i < user->kept_count; i++) {
		struct kept *kept = &user->kept[i];
		struct userfile *file = kept->file;

		if (!file || !slot->inode || kept->inode != slot->inode ||
		    strcmp(basename(kept->path), basename(slot->path)))
			continue;
		kept->file = NULL;
		return file;
	}
	return NULL;
}

static void open_slot(struct userspace *user, const struct mapping *map, struct file_slot *slot)
{
	char root[PATH_MAX * 2], exact[PATH_MAX], name[MODULE_NAME_MAX];
	uint32_t pid = user->now->pid;
	const char *paths[] = {root, exact, slot->path};

	if (!strcmp(slot->path, "[vdso]") && userfile_open_vdso(&slot->file))
		slot->failed_pid = pid;
	if (!slot->file)
		slot->file = take_kept(user, slot);
	if (slot->file || slot->path[0] != '/')
		return;
	snprintf(root, sizeof(root), "%s/%u/root%s", user->proc, pid, slot->path);
	/* What was deleted or replaced since is still to be had here, for those who may. */
	snprintf(exact, sizeof(exact), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, user->proc, pid,
		 map->start, map->end);
	name_file(user, slot, name, sizeof(name));
	for (size_t i = 0; i < ARRAY_SIZE(paths) && !slot->file; i++)
		if (is_file(paths[i], slot->inode))
			userfile_open(paths[i], name, user->debug_dir, &slot->file);
	slot->failed_pid = pid;
}

/* The file of a mapping, opened if that was not done; NULL if there is none to be had. */
static struct userfile *file_of(struct userspace *user, const struct mapping *map)
{
	struct file_slot *slot = map->slot ? &user->files[map->slot - 1] : NULL;

	if (!slot)
		return NULL;
	if (!slot->file && slot->failed_pid != user->now->pid)
		open_slot(user, map, slot);
	return slot->file;
}

void userspace_open_file(struct userspace *user, uint64_t addr)
{
	const struct mapping *map = find_mapping(user, addr);

	if (map)
		file_of(user, map);
}

/* The file, and run-time minus link-time address there. */
static struct userfile *file_at(struct userspace *user, uint64_t addr, uint64_t *ret_bias)
{
	const struct mapping *map = find_mapping(user, addr);
	struct userfile *file = map ? file_of(user, map) : NULL;
	uint64_t linked;

	if (!file)
		return NULL;
	/* It is mapped from its first byte, and does not tell where in itself that is. */
	if (!strcmp(userfile_name(file), "[vdso]")) {
		*ret_bias = map->start;
		return file;
	}
	if (userfile_addr(file, map->offset + (addr - map->start), &linked))
		return NULL;
	*ret_bias = addr - linked;
	return file;
}

int userspace_find(struct userspace *user, uint64_t addr, struct symbol *ret_sym)
{
	const struct mapping *map = find_mapping(user, addr);
	struct userfile *file;
	uint64_t bias = 0;

	if (!map)
		return -ENOENT;
	file = file_at(user, addr, &bias);
	if (file && !userfile_find(file, addr - bias, ret_sym)) {
		ret_sym->addr += bias;
		return 0;
	}
	if (!map->slot || strcmp(user->files[map->slot - 1].path, USERSPACE_UPROBES))
		return -ENOENT;
	*ret_sym = (struct symbol){
		.name = USERSPACE_UPROBES,
		.module = USERSPACE_UPROBES,
		.addr = map->start,
		.size = map->end - map->start,
	};
	return 0;
}

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct userspace *user = ctx;
	uint64_t bias;
	struct userfile *file = file_at(user, addr, &bias);

	return file ? userfile_read(file, addr - bias, buf, len) : -EFAULT;
}

struct text_source userspace_text(struct userspace *user)
{
	return (struct text_source){.read = read_text, .ctx = user};
}

int userspace_bias(struct userspace *user, const char *path, uint64_t *ret_bias)
{
	const struct process *process = user->now;
	uint64_t inode = 0;
	struct stat st;

	/* Of a process that has ended the path is gone. */
	for (size_t i = 0; i < user->kept_count; i++)
		if (!strcmp(user->kept[i].path, path))
			inode = user->kept[i].inode;
	if (!inode && !stat(path, &st))
		inode = st.st_ino;
	for (size_t i = process ? process->map_count : 0; i-- > 0;) {
		const struct mapping *map = &process->maps[i];
		const struct file_slot *slot = map->slot ? &user->files[map->slot - 1] : NULL;

		if (!slot || ((!inode || slot->inode != inode) && strcmp(slot->path, path)))
			continue;
		if (file_at(user, map->start, ret_bias))
			return 0;
	}
	return -ENOENT;
}

int userspace_set_lines(struct userspace *user, struct lines *lines)
{
	const struct process *process = user->now;
	int err = 0;

	for (size_t i = 0; process && i < process->map_count && !err; i++) {
		const struct mapping *map = &process->maps[i];
		const struct file_slot *slot = map->slot ? &user->files[map->slot - 1] : NULL;
		uint64_t bias;

		/* Those that an address was looked up in. */
		if (!slot || !slot->file || !userfile_dwarf(slot->file) ||
		    !file_at(user, map->start, &bias))
			continue;
		err = lines_set_file(lines, userfile_name(slot->file), userfile_dwarf(slot->file),
				     bias);
		/* Without source lines, then: no reason to show nothing. */
		if (err == -E2BIG)
			err = 0;
	}
	return err;
}
