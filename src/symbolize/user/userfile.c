// SPDX-License-Identifier: GPL-2.0
#include "symbolize/user/userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "symbolize/debug/debugfile.h"
#include "symbolize/user/demangle.h"
#include "symbolize/elf.h"
#include "symbolize/symbols.h"
#include "util/cleanup.h"
#include "util/hash_table.h"

#define SEGMENTS_MAX 64
#define NAMELESS     256
#define PLAIN_NAMES  1024 /* the others are made again */
/* The vDSO of any kernel is two pages. */
#define VDSO_BYTES_MAX (64u << 10)

/** struct code_segment - of a PT_LOAD that is executable */
struct code_segment {
	uint64_t offset;
	uint64_t addr;
	uint64_t size;
};

/** struct plain_name - a C++ name, by its address, as it reads in the source */
struct plain_name {
	const char *name;
	const char *plain;
};

/** struct nameless - code without symbols: where it begins, in words */
struct nameless {
	uint64_t start;
	const char *name;
};

struct userfile {
	char *name;
	char *dwarf;
	int fd;
	struct symbols *symbols;
	struct code_segment segments[SEGMENTS_MAX];
	size_t segment_count;
	struct arena names;
	struct plain_name plain[PLAIN_NAMES];
	struct nameless nameless[NAMELESS];
};

static int read_segments(struct userfile *file, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return -EINVAL;
	for (size_t i = 0; i < count && file->segment_count < SEGMENTS_MAX; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X))
			continue;
		file->segments[file->segment_count++] = (struct code_segment){
			.offset = phdr.p_offset, .addr = phdr.p_vaddr, .size = phdr.p_filesz};
	}
	return 0;
}

/* In the file itself, or where its build ID or its link says. */
static int find_dwarf(struct userfile *file, Elf *elf, const char *path, const char *debug_dir)
{
	_cleanup_free_ char *dir = strdup(path);
	struct debuglink link = {0};
	struct build_id id;
	char *slash, own[32];
	GElf_Word crc = 0;
	int err;

	if (!dir)
		return -ENOMEM;
	slash = strrchr(dir, '/');
	*(slash ? slash : dir) = '\0';
	/* By number: the path may be a process's, and end with it. */
	snprintf(own, sizeof(own), "/proc/self/fd/%d", file->fd);
	build_id_of_file(own, &id);
	if (!debugfile_check(own, &id)) {
		file->dwarf = strdup(own);
		return file->dwarf ? 0 : -ENOMEM;
	}
	link.name = dwelf_elf_gnu_debuglink(elf, &crc);
	link.crc = crc;
	err = debugfile_find_user(debug_dir, dir, &id, &link, &file->dwarf);
	return err == -ENOENT ? 0 : err;
}

static int open_fd(int fd, const char *path, const char *name, const char *debug_dir,
		   struct userfile **ret_file)
{
	struct userfile *file = calloc(1, sizeof(*file));
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	_cleanup_close_ int debug_fd = -1;
	int err = -EINVAL;

	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	file->fd = fd;
	file->name = strdup(name);
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!file->name)
		err = -ENOMEM;
	else if (elf && elf_kind(elf) == ELF_K_ELF)
		err = read_segments(file, elf);
	if (!err && path)
		err = find_dwarf(file, elf, path, debug_dir);
	if (!err && file->dwarf)
		debug_fd = open(file->dwarf, O_RDONLY | O_CLOEXEC);
	err = err ?: symbols_open_user(fd, debug_fd, name, &file->symbols);
	if (err) {
		userfile_close(file);
		return err;
	}
	*ret_file = file;
	return 0;
}

int userfile_open(const char *path, const char *name, const char *debug_dir,
		  struct userfile **ret_file)
{
	/* A pipe or a device that a process has mapped is nothing to wait for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : open_fd(fd, path, name, debug_dir, ret_file);
}

/* Its headers are at its start; what it ends with are the section headers. */
static size_t vdso_size(const uint8_t *image)
{
	Elf64_Ehdr ehdr;
	size_t end;

	memcpy(&ehdr, image, sizeof(ehdr));
	end = ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize;
	return end > sizeof(ehdr) && end <= VDSO_BYTES_MAX ? end : 0;
}

int userfile_open_vdso(struct userfile **ret_file)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	size_t size = image ? vdso_size(image) : 0;
	int fd;

	if (!size)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, image, size) != (ssize_t)size) {
		close(fd);
		return -EIO;
	}
	return open_fd(fd, NULL, "[vdso]", NULL, ret_file);
}

void userfile_close(struct userfile *file)
{
	if (!file)
		return;
	symbols_close(file->symbols);
	arena_deinit(&file->names);
	close(file->fd);
	free(file->dwarf);
	free(file->name);
	free(file);
}

const char *userfile_name(const struct userfile *file)
{
	return file->name;
}

struct symbols *userfile_symbols(struct userfile *file)
{
	return file->symbols;
}

static const struct code_segment *find_segment(const struct userfile *file, uint64_t addr)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (addr - file->segments[i].addr < file->segments[i].size)
			return &file->segments[i];
	return NULL;
}

/* Where the parameters begin: the last parenthesis opens them, but for what "const" follows. */
static size_t name_length(const char *plain)
{
	const char *end = strrchr(plain, ')');
	int depth = 0;

	for (const char *p = end; p && p >= plain; p--) {
		depth += (*p == ')') - (*p == '(');
		if (!depth)
			return p > plain ? (size_t)(p - plain) : strlen(plain);
	}
	return strlen(plain);
}

static const char *plain_name(struct userfile *file, const char *name)
{
	struct plain_name *slot = &file->plain[hash_number((uintptr_t)name) % PLAIN_NAMES];
	_cleanup_free_ char *plain = NULL;

	if (strncmp(name, "_Z", 2))
		return name;
	if (slot->name == name)
		return slot->plain;
	plain = demangle(name);
	*slot = (struct plain_name){name, name};
	if (plain)
		slot->plain = arena_strndup(&file->names, plain, name_length(plain)) ?: name;
	return slot->plain;
}

static const char *name_of_start(struct userfile *file, uint64_t start)
{
	struct nameless *slot = &file->nameless[hash_number(start) % NAMELESS];
	char text[24];
	int len;

	if (slot->name && slot->start == start)
		return slot->name;
	len = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)start);
	*slot = (struct nameless){start, arena_strndup(&file->names, text, (size_t)len)};
	return slot->name;
}

/* From the end of one symbol, or its segment's start, to the next. */
static int find_nameless(struct userfile *file, uint64_t addr, struct symbol *ret_sym)
{
	const struct symtab *tab = &file->symbols->tab;
	const struct code_segment *segment = find_segment(file, addr);
	uint64_t start, end;

	if (!segment)
		return -ENOENT;
	start = segment->addr;
	end = segment->addr + segment->size;
	for (size_t i = 0; i < tab->count; i++) {
		const struct symtab_entry *entry = &tab->entries[i];

		if (entry->addr > addr) {
			if (entry->addr < end)
				end = entry->addr;
			break;
		}
		if (entry->addr + entry->size > start)
			start = entry->addr + entry->size;
	}
	*ret_sym = (struct symbol){
		.name = name_of_start(file, start),
		.module = file->name,
		.addr = start,
		.size = end - start,
	};
	return ret_sym->name ? 0 : -ENOENT;
}

int userfile_find(struct userfile *file, uint64_t addr, struct symbol *ret_sym)
{
	int err = symbols_find(file->symbols, addr, ret_sym);

	if (err)
		return find_nameless(file, addr, ret_sym);
	ret_sym->name = plain_name(file, ret_sym->name);
	return 0;
}

const char *userfile_dwarf(const struct userfile *file)
{
	return file->dwarf;
}

int userfile_addr(const struct userfile *file, uint64_t offset, uint64_t *ret_addr)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct code_segment *segment = &file->segments[i];
		uint64_t start = segment->offset & ~page;

		/* The whole page is mapped that a segment begins in. */
		if (offset < start || offset >= segment->offset + segment->size)
			continue;
		*ret_addr = segment->addr + (offset - segment->offset);
		return 0;
	}
	return -ENOENT;
}

int userfile_offset(const struct userfile *file, uint64_t addr, uint64_t *ret_offset)
{
	const struct code_segment *segment = find_segment(file, addr);

	if (!segment)
		return -ENOENT;
	*ret_offset = segment->offset + (addr - segment->addr);
	return 0;
}

int userfile_read(const struct userfile *file, uint64_t addr, void *buf, size_t len)
{
	uint64_t offset, last;

	if (!len)
		return 0;
	if (userfile_offset(file, addr, &offset) || userfile_offset(file, addr + len - 1, &last) ||
	    last - offset != len - 1)
		return -EFAULT;
	return pread(file->fd, buf, len, (off_t)offset) == (ssize_t)len ? 0 : -EFAULT;
}

bool userfile_is_function(const char *symbol, const char *wanted)
{
	_cleanup_free_ char *plain = NULL;
	size_t len = strlen(wanted);

	if (!strcmp(symbol, wanted))
		return true;
	if (strncmp(symbol, "_Z", 2))
		return false;
	plain = demangle(symbol);
	return plain && !strncmp(plain, wanted, len) && (!plain[len] || plain[len] == '(');
}
