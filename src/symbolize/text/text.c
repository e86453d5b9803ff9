// SPDX-License-Identifier: GPL-2.0
#include "symbolize/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gelf.h>

#include "symbolize/elf.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/kprobed.h"
#include "symbolize/text/patched.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/hash_table.h"
#include "util/lockdown.h"
#include "util/vector.h"

#define PAGE_BYTES  4096u
#define CACHE_SLOTS 512u
#define PROBES_MAX  64u /* slots that a page may be in */
#define BULK_BYTES  (64u << 10)
#define RANGES_MAX  4096u
#define NO_RANGE    UINT32_MAX
#define NOTES_MAX   (1u << 20)

/** struct text_range - addresses that a part of the file holds the bytes of */
struct text_range {
	uint64_t addr;
	uint64_t size;
	uint64_t offset;
};

/** struct text_slot - what is known of one page of one range */
struct text_slot {
	uint64_t page;
	uint32_t range;
	uint32_t generation;
	bool present;
};

/**
 * struct text - a file with ranges, and a cache of pages
 * @zero_is_absent: a page of zeros is not mapped
 * @notes: where those of a core file are; @notes_size 0: nowhere
 * @is_told, @told, @teller: of text_told_open(): bytes in the file, which is memory
 * @kprobed: NULL; or what stands under kprobes, in live text
 * @symbols: NULL; or where functions begin, in live text that is read as if nobody traced them
 * @generation: of cache entries that are valid
 */
struct text {
	int fd;
	bool zero_is_absent;
	uint64_t notes, notes_size;
	bool is_told;
	uint64_t told;
	struct text_teller teller;
	struct kprobed *kprobed;
	const struct symbols *symbols;
	uint32_t generation;
	size_t range_count;
	struct text_range *ranges;
	struct text_slot slots[CACHE_SLOTS];
	uint8_t pages[CACHE_SLOTS][PAGE_BYTES];
};

void text_close(struct text *text)
{
	if (!text)
		return;
	if (text->teller.end)
		text->teller.end(text->teller.ctx);
	if (text->fd >= 0)
		close(text->fd);
	kprobed_close(text->kprobed);
	free(text->ranges);
	free(text);
}

static void cleanup_text(struct text **text)
{
	text_close(*text);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct text_range *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int add_range(struct text *text, uint64_t addr, uint64_t size, uint64_t offset)
{
	if (!size || addr > UINT64_MAX - size || offset > (uint64_t)INT64_MAX - PAGE_BYTES ||
	    size > (uint64_t)INT64_MAX - PAGE_BYTES - offset)
		return 0;
	if (text->range_count >= RANGES_MAX)
		return -EINVAL;
	if (vector_grow(&text->ranges, text->range_count, sizeof(*text->ranges)))
		return -ENOMEM;
	text->ranges[text->range_count++] = (struct text_range){addr, size, offset};
	return 0;
}

static struct text *text_create(const char *path)
{
	struct text *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->generation = 1;
	text->fd = path ? open(path, O_RDONLY | O_CLOEXEC) : memfd_create("text", MFD_CLOEXEC);
	return text;
}

/* Lockdown says EPERM, as a missing capability does. */
static int denied_cause(void)
{
	return lockdown_read() == LOCKDOWN_CONFIDENTIALITY ? -EPERM : -EACCES;
}

static int pread_all(int fd, void *buf, size_t len, uint64_t offset)
{
	uint8_t *p = buf;

	while (len) {
		ssize_t got = pread(fd, p, len, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EFAULT;
		p += got;
		len -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

/* Program headers by hand: libelf would map or read the file as a whole, 128 TiB of it. */
static int read_core_ranges(struct text *text)
{
	Elf64_Ehdr ehdr;

	if (pread_all(text->fd, &ehdr, sizeof(ehdr), 0) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB || ehdr.e_type != ET_CORE ||
	    ehdr.e_machine != EM_X86_64 || ehdr.e_phentsize != sizeof(Elf64_Phdr) ||
	    ehdr.e_phoff > INT64_MAX / 2)
		return -EINVAL;
	for (unsigned int i = 0; i < ehdr.e_phnum; i++) {
		Elf64_Phdr phdr;
		int err;

		if (pread_all(text->fd, &phdr, sizeof(phdr), ehdr.e_phoff + i * sizeof(phdr)))
			return -EINVAL;
		if (phdr.p_type == PT_NOTE && phdr.p_offset < INT64_MAX / 2 &&
		    phdr.p_filesz <= NOTES_MAX) {
			text->notes = phdr.p_offset;
			text->notes_size = phdr.p_filesz;
		}
		if (phdr.p_type != PT_LOAD)
			continue;
		err = add_range(text, phdr.p_vaddr, phdr.p_filesz, phdr.p_offset);
		if (err)
			return err;
	}
	return text->range_count ? 0 : -EINVAL;
}

int text_live_open(const char *path, struct text **ret_text)
{
	_cleanup_(cleanup_text) struct text *text = NULL;
	int err;

	text = text_create(path ? path : "/proc/kcore");
	if (!text)
		return -ENOMEM;
	if (text->fd < 0)
		return errno == EPERM || errno == EACCES ? denied_cause() : -errno;
	err = read_core_ranges(text);
	if (err)
		return err;
	qsort(text->ranges, text->range_count, sizeof(*text->ranges), compare_ranges);
	text->zero_is_absent = true;
	*ret_text = text;
	text = NULL;
	return 0;
}

const char *text_live_why(int err)
{
	return err == -EPERM	? "forbidden by kernel lockdown (confidentiality)"
	       : err == -EINVAL ? "no memory image"
				: strerror(-err);
}

int text_live_info(const struct text *text, char **ret_info)
{
	static const char name[] = "VMCOREINFO";
	_cleanup_free_ uint8_t *notes = malloc(text->notes_size + 1);
	Elf64_Nhdr note;

	if (!notes)
		return -ENOMEM;
	if (pread_all(text->fd, notes, text->notes_size, text->notes))
		return -ENOENT;
	for (uint64_t at = 0; text->notes_size - at >= sizeof(note);) {
		uint64_t name_at = at + sizeof(note), desc_at, left;

		memcpy(&note, notes + at, sizeof(note));
		desc_at = name_at + (((uint64_t)note.n_namesz + 3) & ~(uint64_t)3);
		if (desc_at > text->notes_size || note.n_descsz > text->notes_size - desc_at)
			break;
		if (note.n_namesz == sizeof(name) && !memcmp(notes + name_at, name, sizeof(name))) {
			*ret_info = strndup((const char *)notes + desc_at, note.n_descsz);
			return *ret_info ? 0 : -ENOMEM;
		}
		left = text->notes_size - desc_at;
		at = desc_at + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
		if (at - desc_at > left)
			break;
	}
	return -ENOENT;
}

static int read_image_ranges(struct text *text, uint64_t kaslr_offset)
{
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	struct elf_section section = {0};
	GElf_Ehdr ehdr;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EINVAL;
	elf = elf_begin(text->fd, ELF_C_READ_MMAP, NULL);
	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    ehdr.e_type == ET_REL)
		return -EINVAL;
	while (elf_section_next(elf, &section)) {
		const GElf_Shdr *header = &section.header;
		int err;

		if (header->sh_type != SHT_PROGBITS || !(header->sh_flags & SHF_ALLOC) ||
		    !(header->sh_flags & SHF_EXECINSTR))
			continue;
		err = add_range(text, header->sh_addr + kaslr_offset, header->sh_size,
				header->sh_offset);
		if (err)
			return err;
	}
	return text->range_count ? 0 : -EINVAL;
}

int text_image_open(const char *path, uint64_t kaslr_offset, struct text **ret_text)
{
	_cleanup_(cleanup_text) struct text *text = NULL;
	int err;

	text = text_create(path);
	if (!text)
		return -ENOMEM;
	if (text->fd < 0)
		return -errno;
	err = read_image_ranges(text, kaslr_offset);
	if (err)
		return err;
	qsort(text->ranges, text->range_count, sizeof(*text->ranges), compare_ranges);
	*ret_text = text;
	text = NULL;
	return 0;
}

static void forget_pages(struct text *text)
{
	if (++text->generation == 0) {
		memset(text->slots, 0, sizeof(text->slots));
		text->generation = 1;
	}
}

int text_told_open(const struct text_teller *teller, struct text **ret_text)
{
	struct text *text = text_create(NULL);
	int err;

	if (!text)
		return -ENOMEM;
	if (text->fd < 0) {
		err = -errno;
		text_close(text);
		return err;
	}
	text->is_told = true;
	text->teller = *teller;
	*ret_text = text;
	return 0;
}

int text_tell(struct text *text, uint64_t addr, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;
	int err;

	if (!text->is_told)
		return -EINVAL;
	for (size_t done = 0; done < len;) {
		ssize_t put = pwrite(text->fd, from + done, len - done, (off_t)(text->told + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		done += (size_t)put;
	}
	err = add_range(text, addr, len, text->told);
	if (err)
		return err;
	qsort(text->ranges, text->range_count, sizeof(*text->ranges), compare_ranges);
	text->told += len;
	/* A range may have another number now. */
	forget_pages(text);
	return 0;
}

uint64_t text_told(const struct text *text)
{
	return text->told;
}

void text_untell(struct text *text, uint64_t told)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->range_count; i++)
		if (text->ranges[i].offset < told)
			text->ranges[kept++] = text->ranges[i];
	text->range_count = kept;
	text->told = told;
	forget_pages(text);
}

void text_live_invalidate(struct text *text)
{
	if (!text)
		return;
	if (text->teller.renew)
		text->teller.renew(text, text->teller.ctx);
	forget_pages(text);
}

void text_drop_pages(struct text *text)
{
	uintptr_t from = (uintptr_t)text->pages, to = from + sizeof(text->pages);

	forget_pages(text);
	/* Whole pages; that the kernel may refuse it changes nothing. */
	from = (from + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
	to &= ~(uintptr_t)(PAGE_BYTES - 1);
	madvise((void *)from, to - from, MADV_DONTNEED);
}

/* Index of the range that holds @addr, or NO_RANGE. */
static uint32_t find_range(const struct text *text, uint64_t addr)
{
	const struct text_range *ranges = text->ranges;
	size_t count = address_upper_bound(ranges, text->range_count, sizeof(*ranges), addr);

	if (!count || addr - ranges[count - 1].addr >= ranges[count - 1].size)
		return NO_RANGE;
	return (uint32_t)(count - 1);
}

static bool all_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/*
 * Slot of a page that was read since the last text_live_invalidate(), or the one to read it into.
 * Others of that time are spared: who reads a page twice is to find the same bytes.
 */
static uint64_t find_slot(const struct text *text, uint32_t range_no, uint64_t page_addr)
{
	uint64_t home = hash_number(page_addr / PAGE_BYTES + range_no) % CACHE_SLOTS;

	for (uint64_t i = 0; i < PROBES_MAX; i++) {
		uint64_t slot_no = (home + i) % CACHE_SLOTS;
		const struct text_slot *slot = &text->slots[slot_no];

		if (slot->generation != text->generation ||
		    (slot->page == page_addr && slot->range == range_no))
			return slot_no;
	}
	return home;
}

/* In bytes of live text that were just read at @addr, restore what probes have overwritten. */
static void put_back(const struct text *text, uint64_t addr, uint8_t *bytes, size_t len)
{
	if (text->kprobed)
		kprobed_put_back(text->kprobed, addr, bytes, len);
	if (text->symbols)
		patched_put_back(text->symbols, addr, bytes, len);
}

/* The page at @page_addr as far as @range_no covers it, or NULL if it is not there. */
static const uint8_t *get_page(struct text *text, uint32_t range_no, uint64_t page_addr)
{
	const struct text_range *range = &text->ranges[range_no];
	uint64_t start = range->addr > page_addr ? range->addr : page_addr;
	uint64_t slot_no = find_slot(text, range_no, page_addr);
	struct text_slot *slot = &text->slots[slot_no];
	uint8_t *bytes = text->pages[slot_no] + (start - page_addr);
	uint64_t len;

	if (slot->generation == text->generation && slot->page == page_addr &&
	    slot->range == range_no)
		return slot->present ? text->pages[slot_no] : NULL;
	len = range->addr + range->size - start;
	if (len > page_addr + PAGE_BYTES - start)
		len = page_addr + PAGE_BYTES - start;
	*slot = (struct text_slot){
		.page = page_addr,
		.range = range_no,
		.generation = text->generation,
	};
	if (text->kprobed)
		kprobed_renew(text->kprobed);
	if (pread_all(text->fd, bytes, len, range->offset + (start - range->addr)) == 0)
		slot->present = !text->zero_is_absent || !all_zero(bytes, len);
	if (slot->present)
		put_back(text, start, bytes, len);
	return slot->present ? text->pages[slot_no] : NULL;
}

/*
 * Whole pages, past the cache: who asks for that many looks all of the text through. A read of
 * each page would cost the kernel as much again as copying it.
 */
static int read_pages(const struct text *text, uint32_t range_no, uint64_t addr, uint8_t *to,
		      size_t len)
{
	const struct text_range *range = &text->ranges[range_no];

	if (text->kprobed)
		kprobed_renew(text->kprobed);
	if (pread_all(text->fd, to, len, range->offset + (addr - range->addr)))
		return -EFAULT;
	for (size_t at = 0; text->zero_is_absent && at < len; at += PAGE_BYTES)
		if (all_zero(to + at, PAGE_BYTES))
			return -EFAULT;
	put_back(text, addr, to, len);
	return 0;
}

static int text_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct text *text = ctx;
	uint8_t *to = buf;

	while (len) {
		uint32_t range_no = find_range(text, addr);
		uint64_t page_addr = addr & ~(uint64_t)(PAGE_BYTES - 1);
		size_t in_page = addr - page_addr, part = PAGE_BYTES - in_page;
		const uint8_t *page;
		uint64_t left;

		if (range_no == NO_RANGE)
			return -EFAULT;
		left = text->ranges[range_no].addr + text->ranges[range_no].size - addr;
		if (!in_page && len >= BULK_BYTES && left >= BULK_BYTES) {
			part = (len < left ? len : left) & ~(size_t)(PAGE_BYTES - 1);
			if (read_pages(text, range_no, addr, to, part))
				return -EFAULT;
		} else {
			page = get_page(text, range_no, page_addr);
			if (!page)
				return -EFAULT;
			if (part > left)
				part = left;
			if (part > len)
				part = len;
			memcpy(to, page + in_page, part);
		}
		to += part;
		addr += part;
		len -= part;
	}
	return 0;
}

/* Past the cache, and as it is. */
static int read_as_it_is(void *ctx, uint64_t addr, void *buf, size_t len)
{
	const struct text *text = ctx;
	uint32_t range_no = find_range(text, addr);
	const struct text_range *range;

	if (range_no == NO_RANGE)
		return -EFAULT;
	range = &text->ranges[range_no];
	if (len > range->size - (addr - range->addr))
		return -EFAULT;
	return pread_all(text->fd, buf, len, range->offset + (addr - range->addr));
}

int text_live_hide_probes(struct text *text, const struct symbols *symbols, const struct btf *btf)
{
	const struct text_source memory = {.read = read_as_it_is, .ctx = text};

	kprobed_close(text->kprobed);
	text->kprobed = NULL;
	text->symbols = symbols;
	forget_pages(text);
	return kprobed_open(&memory, symbols_single(symbols, SYMBOLS_KPROBE_TABLE), btf,
			    &text->kprobed);
}

struct text_source text_source(struct text *text)
{
	return (struct text_source){.read = text_read, .ctx = text};
}
