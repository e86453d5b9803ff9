// SPDX-License-Identifier: GPL-2.0
/*
 * said.c - conditions, and what is to be said of each: tests/cli/test_operands.sh compiles it
 *
 * Behind each condition stand the words for the way to the errno; "|" separates those that a
 * compiler may make of it. Nothing here is ever run.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inner {
	int kind;
	unsigned int flags;
};

struct object {
	struct inner in;
	struct object *next;
	long size;
	uint8_t small;
	bool ready;
	int (*get)(struct object *object);
	void *(*find)(int key);
};

/* Nothing is known of what these do. */
__attribute__((noipa)) int check(int value)
{
	return value;
}

__attribute__((noipa)) void *look_up(int key)
{
	return key ? &errno : NULL;
}

__attribute__((noipa)) bool allowed(void)
{
	return errno;
}

__attribute__((noipa)) void note(void)
{
	errno = 0;
}

struct object *current_object;

/* A compiler would load the errno before it decides, if there were nothing else to do. */
#define FAIL(number)                                                                               \
	do {                                                                                       \
		note();                                                                            \
		return -(number);                                                                  \
	} while (0)

int argument(struct object *object, int n)
{
	if (n > 7) /* n > 7 */
		FAIL(EINVAL);
	note();
	return object->in.kind;
}

int pointer(struct object *object)
{
	if (!object->next) /* !object->next */
		FAIL(ENOENT);
	note();
	return 0;
}

int result(int n)
{
	if (check(n)) /* check() != 0 */
		FAIL(EPERM);
	note();
	return 0;
}

int result_of_pointer(int n)
{
	if (!look_up(n)) /* !look_up() */
		FAIL(ENOENT);
	note();
	return 0;
}

int result_of_bool(void)
{
	if (!allowed()) /* !allowed() */
		FAIL(EACCES);
	note();
	return 0;
}

int through_pointer(struct object *object)
{
	if (object->get(object) < 0) /* object->get() < 0 */
		FAIL(EIO);
	note();
	return 0;
}

int found_through_pointer(struct object *object, int key)
{
	if (!object->find(key)) /* !object->find() */
		FAIL(ENODEV);
	note();
	return 0;
}

/* Two ways meet before the test: on both of them it is the same member. */
int ways_meet(struct object *object, int n)
{
	struct object *next = object->next;

	if (n & 1)
		note();
	else
		check(n);
	if (!next) /* !next | !object->next */
		FAIL(ENOMEM);
	note();
	return 0;
}

/* On one way it is 0, with which the error was not made. */
int constant_or_result(int n)
{
	int err = 0;

	if (n > 3)
		err = check(n);
	note();
	if (err) /* err != 0 | check() != 0 */
		FAIL(EBUSY);
	note();
	return 0;
}

int sum(struct object *object)
{
	if (object->in.kind < 3 || object->in.kind > 8) /* object->in.kind - 3 > 5 (unsigned) */
		FAIL(ERANGE);
	note();
	return 0;
}

int shifted(uint64_t big)
{
	if (big >> 32) /* (big >> 32) != 0 */
		FAIL(EOVERFLOW);
	note();
	return 0;
}

int masked(struct object *object)
{
	if (object->in.flags & 0x40) /* (object->in.flags & 0x40) != 0 */
		FAIL(EROFS);
	note();
	return 0;
}

/* A byte of the word is tested. */
int masked_argument(unsigned int flags)
{
	if (flags & 2) /* (flags & 2) != 0 | (flags & 0x2) != 0 */
		FAIL(EMLINK);
	note();
	return 0;
}

struct inode {
	uint16_t i_mode;
	long long i_size;
};

/* Macros, which are not in the debug information. */
int kind_of_file(struct inode *inode)
{
	if ((inode->i_mode & 0170000) == 0120000) /* (inode->i_mode & S_IFMT) == S_IFLNK */
		FAIL(ELOOP);
	note();
	return 0;
}

int both(struct object *object, long limit)
{
	if (object->size > limit) /* object->size > limit */
		FAIL(EFBIG);
	note();
	return 0;
}

int of_global(void)
{
	if (!current_object) /* !current_object */
		FAIL(ENXIO);
	note();
	return 0;
}

int errno_by_name(int n)
{
	int err = check(n);

	if (err == -EAGAIN) /* err == -EAGAIN | check() == -EAGAIN */
		FAIL(ETIMEDOUT);
	note();
	return err;
}

int boolean(struct object *object)
{
	if (!object->ready) /* !object->ready */
		FAIL(ESHUTDOWN);
	note();
	return 0;
}

/* Of what was decided three ways by one compare. */
int three_ways(struct object *object, int n)
{
	if (n == 9)
		return 3;
	if (n > 9) /* n > 9 */
		FAIL(EDOM);
	note();
	return object->in.kind;
}

/* The errno is loaded first: what decides comes behind it. */
int early(struct object *object, int n)
{
	if (n > 11) /* n > 11 */
		return -E2BIG;
	object->size = n;
	return 0;
}

int early_then_kept(struct object *object)
{
	int err = -EINVAL;

	if (object->in.kind == 5) /* object->in.kind == 5 */
		goto out;
	err = check(1);
out:
	note();
	return err;
}

/* It is loaded once for both, so nobody can tell which of them it was. */
int early_for_two(struct object *object, int n)
{
	int err = -ENOSPC;

	if (n > 17) /* nothing */
		goto out;
	if (!object->next) /* nothing */
		goto out;
	object->size = n;
	err = 0;
out:
	return err;
}

enum tag {
	TAG_NUMBER = 1,
	TAG_STRING,
	TAG_FILE,
};

struct tagged {
	long size;
	enum tag tag : 8;
	unsigned int used : 8;
};

/* A bit-field that is a byte. */
int tag_as_a_byte(struct tagged *tagged)
{
	if (tagged->tag != TAG_STRING) /* tagged->tag != TAG_STRING */
		FAIL(EINVAL);
	return 0;
}

/* The next element is loaded while the pointer is at the one before. */
int stepped_to(struct object *list)
{
	for (;;) {
		list++;
		if (!list->next) /* !list->next */
			FAIL(ENOENT);
		if (check(list->next->in.kind))
			return 0;
	}
}

/* CMOV chooses between the two. */
int one_of_two(struct object *object, long a, long b)
{
	if (object->size < (object->ready ? a : b)) /* object->size < (b or a) */
		FAIL(ERANGE);
	return 0;
}

struct header {
	char magic[8];
	unsigned short kind;
	long table[4];
	char text[];
};

/* memcmp() of so few bytes is a comparison of a number. */
int magic(struct header *h)
{
	if (__builtin_memcmp(h->magic, "\177ELF", 4)) /* memcmp(h->magic, "\177ELF", 4) != 0 */
		FAIL(ENOEXEC);
	note();
	return 0;
}

int behind_bytes(char *buf)
{
	if (*(unsigned short *)(buf + 24) != 0x4d5a) /* *(u16 *)(buf + 24) != 0x4d5a */
		FAIL(EINVAL);
	note();
	return 0;
}

/* A byte of a wider member. */
int part_of_member(struct header *header)
{
	if ((header->kind & 0xff) == 31) /* (u8)header->kind == 31 */
		FAIL(ENOENT);
	note();
	return 0;
}

int element(struct header *header, long i)
{
	if (header->table[i] == 11) /* header->table[i] == 11 */
		FAIL(EEXIST);
	note();
	return 0;
}

int element_of_bytes(const char *buf, long i)
{
	if (buf[i] == '=') /* buf[i] == 61 */
		FAIL(EINVAL);
	note();
	return 0;
}

long limits[8];

int element_of_global(long i)
{
	if (limits[i] == 13) /* limits[i] == 13 */
		FAIL(ENOSPC);
	note();
	return 0;
}

int shifted_constant(struct object *object, uint64_t index)
{
	if (index >= 1ul << object->small) /* index >= (1ul << object->small) (unsigned) */
		FAIL(ESRCH);
	note();
	return 0;
}

struct marked {
	int first;
	char begin[0]; /* marks a place, and holds nothing */
	int second;
	long third;
};

int behind_mark(struct marked *marked)
{
	if (marked->third == 17) /* marked->third == 17 */
		FAIL(EBADF);
	note();
	return 0;
}

union command {
	struct {
		int a, b;
	};
	struct {
		int c, d;
	};
	struct {
		int e, f;
	};
	struct {
		int g, h;
	};
};

/* Which of many members is meant, nobody can tell. */
int of_union(union command *command)
{
	if (command->f == 19) /* command->(b|d|f|...) == 19 */
		FAIL(ENODEV);
	note();
	return 0;
}

struct quota {
	unsigned int active;
	const struct object *formats[3];
};

struct quota_id {
	int value, type;
};

static inline bool quota_active(struct quota *quota, int type)
{
	return quota->active & (1u << type) && !(quota->active & (64u << type));
}

/* What indexes is known as "type" until quota_active() ends, and the array only then. */
int behind_inlined(struct quota *quota, struct quota_id *id)
{
	if (!quota_active(quota, id->type))
		return 0;
	if (!quota->formats[id->type]->next) /* nothing */
		FAIL(ENOSYS);
	note();
	return 0;
}

struct object shared;

/* "shared" is the argument here, and has no location: "shared.size" would be no C. */
static inline int is_shared(struct object *shared)
{
	if (shared->size == 23) /* nothing */
		FAIL(ENOLCK);
	return 0;
}

int of_hidden_global(void)
{
	int err = is_shared(&shared);

	note();
	return err;
}

int main(void)
{
	return 0;
}
