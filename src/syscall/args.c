// SPDX-License-Identifier: GPL-2.0
/* Numbers, strings, file descriptors: the types that calls of every kind have. */
#include "syscall/args.h"

#include <inttypes.h>
#include <string.h>

#include <linux/fcntl.h>

void print_arg_int(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%d", (int)p->call->args[arg]);
}

void print_arg_address(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_address(p, p->call->args[arg]);
}

void print_arg_choice(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	print_choice(p, (uint32_t)p->call->args[arg], type->names);
}

void print_arg_flags(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	print_flags(p, (uint32_t)p->call->args[arg], type->names);
}

void print_arg_flags64(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	print_flags(p, p->call->args[arg], type->names);
}

static void print_uint(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%u", (uint32_t)p->call->args[arg]);
}

static void print_long(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%ld", (long)p->call->args[arg]);
}

static void print_size(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%" PRIu64, (uint64_t)p->call->args[arg]);
}

static void print_hex(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%#" PRIx64, (uint64_t)p->call->args[arg]);
}

static void print_hex32(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)type;
	print_text(p, "%#x", (uint32_t)p->call->args[arg]);
}

/* One that the kernel takes, for other word sizes, and does not look at. */
static void print_unused(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	(void)p;
	(void)arg;
	(void)type;
}

static void print_dirfd(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	int fd = (int)p->call->args[arg];

	(void)type;
	if (fd == AT_FDCWD)
		print_text(p, "AT_FDCWD");
	else
		print_text(p, "%d", fd);
}

/* A user or group: all ones are "leave it", as -1. */
static void print_id(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint32_t id = (uint32_t)p->call->args[arg];

	(void)type;
	if (id == UINT32_MAX)
		print_text(p, "-1");
	else
		print_text(p, "%u", id);
}

static void print_bytes(struct printer *p, unsigned int arg, size_t len, bool more)
{
	if (len > STRING_SHOWN) {
		len = STRING_SHOWN;
		more = true;
	}
	print_quoted(p, p->call->bytes[arg], len);
	if (more)
		print_text(p, "...");
}

void print_arg_string(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const struct syscall_blob *blob = &p->call->blobs[arg];

	if (p->call->args[arg] && printer_blob(p, arg, 0))
		print_bytes(p, arg, blob->len, blob->status == SYSCALL_BLOB_CUT);
	else
		print_arg_address(p, arg, type);
}

void print_arg_buffer(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const struct syscall_blob *blob = &p->call->blobs[arg];
	uint64_t count = p->call->args[(int)arg + type->count_at];

	if (p->call->args[arg] && !count)
		print_text(p, "\"\"");
	else if (p->call->args[arg] && printer_blob(p, arg, 1))
		print_bytes(p, arg, blob->len, blob->len < count);
	else
		print_arg_address(p, arg, type);
}

/* What the kernel reads and writes again, as the length of an address. */
static void print_int_pointer(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(int32_t));
	int32_t value;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&value, blob, sizeof(value));
	print_text(p, "[%d]", value);
}

static void print_offset_pointer(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	const void *blob = printer_blob(p, arg, sizeof(int64_t));
	int64_t value;

	if (!blob) {
		print_arg_address(p, arg, type);
		return;
	}
	memcpy(&value, blob, sizeof(value));
	print_text(p, "[%" PRId64 "]", value);
}

static void print_id_list(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t count = (uint32_t)p->call->args[(int)arg + type->count_at];
	const uint8_t *blob = printer_blob(p, arg, 0);
	size_t there = p->call->blobs[arg].len / sizeof(uint32_t);
	uint32_t id;

	if (!p->call->args[arg] || !blob || (count && !there)) {
		print_arg_address(p, arg, type);
		return;
	}
	print_text(p, "[");
	for (size_t i = 0; i < there && i < count; i++) {
		memcpy(&id, blob + i * sizeof(id), sizeof(id));
		print_text(p, id == UINT32_MAX ? "%s-1" : "%s%u", i ? ", " : "", id);
	}
	print_text(p, there < count ? ", ...]" : "]");
}

/* What they point to is not read. */
static void print_iovecs(struct printer *p, unsigned int arg, const struct arg_type *type)
{
	uint64_t count = p->call->args[(int)arg + type->count_at], pair[2];
	const uint8_t *blob = printer_blob(p, arg, 0);
	size_t there = p->call->blobs[arg].len / sizeof(pair);

	if (p->call->args[arg] && !count) {
		print_text(p, "[]");
		return;
	}
	if (!blob || !there) {
		print_arg_address(p, arg, type);
		return;
	}
	for (size_t i = 0; i < there && i < count; i++) {
		memcpy(pair, blob + i * sizeof(pair), sizeof(pair));
		print_text(p, i ? ", {iov_base=" : "[{iov_base=");
		print_address(p, pair[0]);
		print_text(p, ", iov_len=%" PRIu64 "}", pair[1]);
	}
	print_text(p, there < count ? ", ...]" : "]");
}

const struct arg_type arg_int = {.print = print_arg_int};
const struct arg_type arg_fd = {.print = print_arg_int};
const struct arg_type arg_uint = {.print = print_uint};
const struct arg_type arg_long = {.print = print_long};
const struct arg_type arg_offset = {.print = print_long};
const struct arg_type arg_size = {.print = print_size};
const struct arg_type arg_hex = {.print = print_hex};
const struct arg_type arg_hex32 = {.print = print_hex32};
const struct arg_type arg_unused = {.print = print_unused};
const struct arg_type arg_address = {.print = print_arg_address};
const struct arg_type arg_output = {.print = print_arg_address};
const struct arg_type arg_dirfd = {.print = print_dirfd};
const struct arg_type arg_id = {.print = print_id};
const struct arg_type arg_path = {
	.print = print_arg_string, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
const struct arg_type arg_string = {
	.print = print_arg_string, .kind = SYSCALL_READ_STRING, .max = SYSCALL_BYTES_MAX};
/* The count is the next argument; in arg_buffer_back the one before. */
const struct arg_type arg_buffer = ARG_COUNTED(print_arg_buffer, 1, 1, STRING_SHOWN);
const struct arg_type arg_buffer_back = ARG_COUNTED(print_arg_buffer, -1, 1, STRING_SHOWN);
const struct arg_type arg_int_pointer = ARG_STRUCT(print_int_pointer, sizeof(int32_t));
const struct arg_type arg_offset_pointer = ARG_STRUCT(print_offset_pointer, sizeof(int64_t));
const struct arg_type arg_iovecs = ARG_COUNTED(print_iovecs, 1, 2 * sizeof(uint64_t), 128);
const struct arg_type arg_id_list = ARG_COUNTED(print_id_list, -1, sizeof(uint32_t), 128);
