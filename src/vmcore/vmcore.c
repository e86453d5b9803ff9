// SPDX-License-Identifier: GPL-2.0
#include "vmcore/vmcore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elf.h>
#include <libkdumpfile/kdumpfile.h>

#include "vmcore/kdump_layout.h"
#include "vmcore/page_walk.h"

/* Physical addresses have at most 52 bits. */
#define FRAMES_MAX (1ULL << 40)
/* __START_KERNEL_map of arch/x86/include/asm/page_64_types.h */
#define KERNEL_IMAGE_BASE 0xffffffff80000000ull
#define FRAME_BYTES_MIN	  24   /* in a file: a kdump page descriptor */
#define CACHE_PAGES	  1000 /* libkdumpfile's own choice is 1024 */
#define FAILED_FRAMES	  4096

struct dump {
	char *path;
	kdump_ctx_t *ctx;
	int fd;
	uint64_t frames_max; /* that a file of its size can tell of */
	char *info;	     /* VMCOREINFO, or NULL */
	uint64_t cut_bytes;
	uint64_t cache_pages;
	struct kdump_layout layout;	  /* of our own */
	const struct kdump_layout *asked; /* which frames libkdumpfile can be asked for */
	struct page_tables tables;	  /* no @read: not known */
	/* Frame + 1 of pages that could not be had, by the frame's remainder: see renew_cache() */
	uint64_t failed[FAILED_FRAMES];
	char format[64];
};

static int open_file(const char *path, uint64_t *ret_size, struct errmsg *msg)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	*ret_size = 0;
	/* -EACCES is about the file, and not about tracing */
	if (fd < 0)
		return errmsg_set(msg, -EINVAL, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		*ret_size = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return errmsg_set(msg, -EINVAL, "%s: %s", path,
			  S_ISDIR(st.st_mode)	? "a directory, and no crash dump"
			  : S_ISREG(st.st_mode) ? "empty, and no crash dump"
						: "no regular file, and no crash dump");
}

/* What stands first in a file that dumps are often left as. */
static const char *other_format(int fd)
{
	static const char flat[] = "makedumpfile";
	char head[16] = "";

	if (pread(fd, head, sizeof(head), 0) < (ssize_t)sizeof(head))
		return "; the file is too short";
	if (!memcmp(head, flat, sizeof(flat) - 1))
		return "; it is in makedumpfile's flattened format: 'makedumpfile -R NEW <FILE' "
		       "turns it into a file";
	if (!memcmp(head, "\037\213", 2) ||
	    !memcmp(head,
		    "\375"
		    "7zXZ",
		    5) ||
	    !memcmp(head, "\050\265\057\375", 4))
		return "; it is compressed as a whole: unpack it first";
	return "";
}

/*
 * Of an ELF file that was cut off libkdumpfile reads zeros, and dies where its notes are behind the
 * end: so both are asked for here. *@ret_bytes: that the file has behind its end.
 * Return: 0; -ENODATA if notes, or the table of segments, are among them.
 */
static int elf_cut_bytes(int fd, uint64_t size, uint64_t *ret_bytes)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	uint64_t end = size;

	*ret_bytes = 0;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	if (head.e_phnum && head.e_phentsize != sizeof(segment))
		return -ENODATA;
	for (uint32_t i = 0; i < head.e_phnum; i++) {
		uint64_t at = head.e_phoff + i * sizeof(segment), segment_end;

		if (pread(fd, &segment, sizeof(segment), (off_t)at) != sizeof(segment))
			return -ENODATA;
		if (__builtin_add_overflow(segment.p_offset, segment.p_filesz, &segment_end))
			segment_end = UINT64_MAX;
		if (segment_end > size && segment.p_type == PT_NOTE && segment.p_filesz)
			return -ENODATA;
		if (segment_end > end)
			end = segment_end;
	}
	*ret_bytes = end - size;
	return 0;
}

static int look_at_layout(struct dump *dump, const char *path, uint64_t size, struct errmsg *msg)
{
	int err = elf_cut_bytes(dump->fd, size, &dump->cut_bytes)
			  ?: kdump_layout_read(dump->fd, size, &dump->layout);

	dump->asked = &dump->layout;
	if (err == -EINVAL)
		return errmsg_set(
			msg, err,
			"%s: a dump of another machine than x86_64, which alone has the LBR, "
			"or damaged: its blocks are no pages of %d bytes",
			path, DUMP_PAGE_BYTES);
	if (err == -ENODATA)
		return errmsg_set(
			msg, -EINVAL,
			"%s: cut off before its first page, or damaged: what its header tells "
			"of ends behind the end of the file; nothing can be had from it",
			path);
	if (err == -ENOTUNIQ)
		return errmsg_set(
			msg, -EINVAL,
			"%s: libkdumpfile takes it for the dump of a 32-bit machine, because of "
			"the microseconds in its header (bytes 416 to 419): set them to 0 in a "
			"copy",
			path);
	return err && err != -ENOMEM ? errmsg_set(msg, err, "%s: %s", path, strerror(-err)) : err;
}

const char *dump_info(const struct dump *dump, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key);

	for (const char *line = dump->info; line; line = strchr(line, '\n')) {
		size_t value_len;

		line += *line == '\n';
		if (strncmp(line, key, key_len) || line[key_len] != '=')
			continue;
		line += key_len + 1;
		value_len = strcspn(line, "\n");
		if (value_len >= len)
			return NULL;
		memcpy(buf, line, value_len);
		buf[value_len] = '\0';
		return buf;
	}
	return NULL;
}

int dump_info_number(const struct dump *dump, const char *key, int base, uint64_t *ret_value)
{
	char text[32], *end;

	if (!dump_info(dump, key, text, sizeof(text)) || !*text)
		return -ENOENT;
	errno = 0;
	*ret_value = strtoull(text, &end, base);
	return *end || errno ? -ENOENT : 0;
}

int dump_symbol(const struct dump *dump, const char *name, uint64_t *ret_addr)
{
	char key[128];

	snprintf(key, sizeof(key), "SYMBOL(%s)", name);
	return dump_info_number(dump, key, 16, ret_addr);
}

static int read_table(void *ctx, uint64_t phys, uint64_t entries[PAGE_TABLE_ENTRIES])
{
	return dump_read_frame(ctx, phys / DUMP_PAGE_BYTES, entries, DUMP_PAGE_BYTES);
}

/* The kernel's, by VMCOREINFO (Documentation/admin-guide/kdump/vmcoreinfo.rst) */
static void find_tables(struct dump *dump)
{
	uint64_t root, phys_base, five = 0, encryption = 0;

	if (dump_symbol(dump, "swapper_pg_dir", &root) ||
	    dump_info_number(dump, "NUMBER(phys_base)", 10, &phys_base))
		return;
	dump_info_number(dump, "NUMBER(pgtable_l5_enabled)", 10, &five);
	dump_info_number(dump, "NUMBER(sme_mask)", 10, &encryption);
	dump->tables = (struct page_tables){.root = root - KERNEL_IMAGE_BASE + phys_base,
					    .levels = five ? 5 : 4,
					    .encryption = encryption,
					    .read = read_table,
					    .ctx = dump};
}

/*
 * To be called after each read that failed. The cache of libkdumpfile 0.5.1 takes back the entry of
 * a page that could not be unpacked; after that it may hand out an entry without memory for a page
 * that it had before (reinit_entry() of cache.c), and the library dies. Another size makes a new
 * cache; the same size does not.
 */
static void renew_cache(struct dump *dump)
{
	dump->cache_pages = dump->cache_pages == CACHE_PAGES ? CACHE_PAGES + 1 : CACHE_PAGES;
	kdump_set_number_attr(dump->ctx, "cache.size", dump->cache_pages);
	kdump_clear_err(dump->ctx);
}

/*
 * Of an ELF file libkdumpfile has it only where it is to translate addresses, for which it keeps
 * pages of its cache: in a context of its own, then, whose cache nobody renews.
 */
static char *elf_vmcoreinfo(int fd)
{
	kdump_ctx_t *ctx = kdump_new();
	char *info = NULL;

	if (ctx && kdump_open_fd(ctx, fd) == KDUMP_OK) {
		kdump_set_string_attr(ctx, KDUMP_ATTR_OSTYPE, "linux");
		if (kdump_vmcoreinfo_raw(ctx, &info) != KDUMP_OK)
			info = NULL;
	}
	if (ctx)
		kdump_free(ctx);
	return info;
}

static int open_dump(struct dump *dump, const char *path, struct errmsg *msg)
{
	kdump_num_t page_bytes;
	const char *text;
	int err;

	dump->ctx = kdump_new();
	if (!dump->ctx)
		return -ENOMEM;
	if (kdump_open_fd(dump->ctx, dump->fd) != KDUMP_OK) {
		err = errmsg_set(msg, -EINVAL,
				 "%s: no crash dump that can be read: libkdumpfile: %s%s", path,
				 kdump_get_err(dump->ctx), other_format(dump->fd));
		/* After that, kdump_free() of libkdumpfile 0.5.1 dies: it is left allocated. */
		if (dump->asked->kdump)
			dump->ctx = NULL;
		return err;
	}
	if (kdump_get_string_attr(dump->ctx, KDUMP_ATTR_FILE_FORMAT, &text) == KDUMP_OK)
		snprintf(dump->format, sizeof(dump->format), "%s", text);
	if (kdump_get_string_attr(dump->ctx, KDUMP_ATTR_ARCH_NAME, &text) == KDUMP_OK &&
	    strcmp(text, KDUMP_ARCH_X86_64))
		return errmsg_set(msg, -EINVAL,
				  "%s: a dump of a machine of type %s; x86_64 alone "
				  "has the LBR",
				  path, text);
	/* Its buffers are of that size. */
	if (kdump_get_number_attr(dump->ctx, KDUMP_ATTR_PAGE_SIZE, &page_bytes) == KDUMP_OK &&
	    page_bytes != DUMP_PAGE_BYTES)
		return errmsg_set(msg, -EINVAL,
				  "%s: its notes (VMCOREINFO) tell of pages of %llu bytes, which "
				  "x86_64 has not: they are damaged",
				  path, (unsigned long long)page_bytes);
	if (kdump_vmcoreinfo_raw(dump->ctx, &dump->info) != KDUMP_OK)
		dump->info = NULL;
	renew_cache(dump);
	/* Of a kdump file it is in the notes, and once more by itself. */
	if (!dump->info || !*dump->info) {
		free(dump->info);
		dump->info =
			dump->asked->kdump ? kdump_vmcoreinfo(dump->fd) : elf_vmcoreinfo(dump->fd);
	}
	find_tables(dump);
	return 0;
}

/* @like: another one of the same file, which has looked at it; or NULL */
static int dump_new(const char *path, const struct dump *like, struct dump **ret_dump,
		    struct errmsg *msg)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	uint64_t size;
	int err;

	if (!dump)
		return -ENOMEM;
	dump->path = strdup(path);
	if (like) {
		/* That file, whatever has its name now. It is read by position. */
		dump->fd = fcntl(like->fd, F_DUPFD_CLOEXEC, 0);
		dump->frames_max = like->frames_max;
		dump->asked = like->asked;
		err = dump->fd < 0 ? -errno : 0;
	} else {
		dump->fd = open_file(path, &size, msg);
		dump->frames_max = size / FRAME_BYTES_MIN + 1;
		err = dump->fd < 0 ? dump->fd : look_at_layout(dump, path, size, msg);
	}
	err = err ?: open_dump(dump, path, msg);
	if (!dump->path)
		err = -ENOMEM;
	if (err) {
		dump_close(dump);
		return err;
	}
	*ret_dump = dump;
	return 0;
}

int dump_open(const char *path, struct dump **ret_dump, struct errmsg *msg)
{
	return dump_new(path, NULL, ret_dump, msg);
}

int dump_open_again(const struct dump *dump, struct dump **ret_dump, struct errmsg *msg)
{
	return dump_new(dump->path, dump, ret_dump, msg);
}

void dump_close(struct dump *dump)
{
	if (!dump)
		return;
	if (dump->ctx)
		kdump_free(dump->ctx);
	if (dump->fd >= 0)
		close(dump->fd);
	free(dump->layout.unreadable);
	free(dump->info);
	free(dump->path);
	free(dump);
}

const char *dump_path(const struct dump *dump)
{
	return dump->path;
}

const char *dump_format(const struct dump *dump)
{
	return dump->format;
}

uint64_t dump_cut_bytes(const struct dump *dump)
{
	return dump->cut_bytes;
}

uint64_t dump_cut_pages(const struct dump *dump)
{
	return dump->asked->behind_end;
}

bool dump_is_split(const struct dump *dump)
{
	return dump->asked->split;
}

uint64_t dump_damaged_pages(const struct dump *dump)
{
	return dump->asked->too_large;
}

bool dump_has_info(const struct dump *dump)
{
	return dump->info;
}

/*
 * libkdumpfile would translate addresses, too. But then it asks for pages by numbers out of damaged
 * tables, of which dump_read_frame() knows whether they may be asked for, and keeps pages of a
 * cache that renew_cache() takes away.
 */
int dump_read(struct dump *dump, uint64_t addr, void *buf, size_t len)
{
	char page[DUMP_PAGE_BYTES], *to = buf;

	if (addr > UINT64_MAX - len || !dump->tables.read)
		return -EFAULT;
	while (len) {
		size_t at = addr % DUMP_PAGE_BYTES, part = DUMP_PAGE_BYTES - at;
		uint64_t phys;

		if (part > len)
			part = len;
		if (page_walk(&dump->tables, addr, &phys) ||
		    dump_read_frame(dump, phys / DUMP_PAGE_BYTES, page, sizeof(page)))
			return -EFAULT;
		memcpy(to, page + at, part);
		addr += part;
		to += part;
		len -= part;
	}
	return 0;
}

int dump_read_u64(struct dump *dump, uint64_t addr, uint64_t *ret_value)
{
	return dump_read(dump, addr, ret_value, sizeof(*ret_value));
}

int dump_read_u32(struct dump *dump, uint64_t addr, uint32_t *ret_value)
{
	return dump_read(dump, addr, ret_value, sizeof(*ret_value));
}

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	return dump_read(ctx, addr, buf, len);
}

struct text_source dump_text(struct dump *dump)
{
	return (struct text_source){.read = dump->info ? read_text : NULL, .ctx = dump};
}

/* The dump's pages, by their numbers. */
static kdump_bmp_t *page_map(struct dump *dump)
{
	kdump_attr_t attr = {.type = KDUMP_BITMAP};

	return kdump_get_typed_attr(dump->ctx, KDUMP_ATTR_FILE_PAGEMAP, &attr) == KDUMP_OK
		       ? attr.val.bitmap
		       : NULL;
}

int dump_next_frames(struct dump *dump, uint64_t *at, uint64_t *ret_end)
{
	kdump_bmp_t *map = page_map(dump);
	kdump_addr_t first = *at, end;

	if (!map)
		return -ENODATA;
	if (first >= FRAMES_MAX || kdump_bmp_find_set(map, &first) != KDUMP_OK ||
	    first >= FRAMES_MAX)
		return 0;
	end = first;
	if (kdump_bmp_find_clear(map, &end) != KDUMP_OK || end <= first)
		return 0;
	if (end > FRAMES_MAX)
		end = FRAMES_MAX;
	*at = first;
	/* A damaged map tells of too many. */
	*ret_end = end - first > dump->frames_max ? first + dump->frames_max : end;
	return 1;
}

uint64_t dump_frames_max(const struct dump *dump)
{
	return dump->frames_max;
}

int dump_read_frame(struct dump *dump, uint64_t frame, void *buf, size_t len)
{
	uint64_t *failed = &dump->failed[frame % FAILED_FRAMES];
	/* A kdump file has a descriptor for each page: one says nothing of the others. */
	int unreadable = dump->asked->kdump ? -ENXIO : -EFAULT;

	if (!kdump_layout_has(dump->asked, dump->fd, frame))
		return -ENXIO;
	if (*failed == frame + 1)
		return unreadable;
	if (kdump_read(dump->ctx, KDUMP_MACHPHYSADDR, frame * DUMP_PAGE_BYTES, buf, &len) ==
	    KDUMP_OK)
		return 0;
	*failed = frame + 1;
	renew_cache(dump);
	return unreadable;
}
