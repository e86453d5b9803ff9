// SPDX-License-Identifier: GPL-2.0
/* vmcore_none.c - instead of vmcore.c where libkdumpfile is not to be had: no dump can be opened */
#include "vmcore/vmcore.h"

#include <errno.h>
#include <stddef.h>

int dump_open(const char *path, struct dump **ret_dump, struct errmsg *msg)
{
	return errmsg_set(msg, -EOPNOTSUPP,
			  "%s: this is the static build, without libkdumpfile, which reads dumps: "
			  "use lbrsnoop of the Debian package, or of 'make', on any machine",
			  path);
}

/* Nobody has a dump to ask for any of this. */
int dump_open_again(const struct dump *dump, struct dump **ret_dump, struct errmsg *msg)
{
	return -EOPNOTSUPP;
}

void dump_close(struct dump *dump)
{
}

const char *dump_path(const struct dump *dump)
{
	return "";
}

const char *dump_format(const struct dump *dump)
{
	return "";
}

uint64_t dump_cut_bytes(const struct dump *dump)
{
	return 0;
}

uint64_t dump_cut_pages(const struct dump *dump)
{
	return 0;
}

bool dump_is_split(const struct dump *dump)
{
	return false;
}

uint64_t dump_damaged_pages(const struct dump *dump)
{
	return 0;
}

bool dump_has_info(const struct dump *dump)
{
	return false;
}

const char *dump_info(const struct dump *dump, const char *key, char *buf, size_t len)
{
	return NULL;
}

int dump_info_number(const struct dump *dump, const char *key, int base, uint64_t *ret_value)
{
	return -ENOENT;
}

int dump_symbol(const struct dump *dump, const char *name, uint64_t *ret_addr)
{
	return -ENOENT;
}

int dump_read(struct dump *dump, uint64_t addr, void *buf, size_t len)
{
	return -EFAULT;
}

int dump_read_u64(struct dump *dump, uint64_t addr, uint64_t *ret_value)
{
	return -EFAULT;
}

int dump_read_u32(struct dump *dump, uint64_t addr, uint32_t *ret_value)
{
	return -EFAULT;
}

struct text_source dump_text(struct dump *dump)
{
	return (struct text_source){0};
}

int dump_next_frames(struct dump *dump, uint64_t *at, uint64_t *ret_end)
{
	return 0;
}

uint64_t dump_frames_max(const struct dump *dump)
{
	return 0;
}

int dump_read_frame(struct dump *dump, uint64_t frame, void *buf, size_t len)
{
	return -EFAULT;
}
