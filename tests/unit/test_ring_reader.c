// SPDX-License-Identifier: GPL-2.0
/* test_ring_reader - records of a ring buffer that is made up here, as kernel/bpf/ringbuf.c lays it
 * out */
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/ring/ring_reader.h"

#define PAGE	   4096
#define BYTES	   (2 * PAGE)
#define RECORD_MAX 2000

/**
 * struct fixture - the kernel's side
 * @map: consumer's page, producer's page, the data, and the data once more: the kernel maps the
 *       same pages there, here put() writes both
 * @stop_at: this record makes the callback return -ECANCELED; 0: none
 */
struct fixture {
	int fd;
	uint8_t *map;
	unsigned long *consumer, *producer;
	struct ring_reader *reader;
	unsigned int seen, stop_at;
	size_t lens[64];
	uint8_t first[64], last[64];
};

static int keep(void *ctx, void *data, size_t len)
{
	struct fixture *f = ctx;

	assert_true(f->seen < 64);
	f->lens[f->seen] = len;
	f->first[f->seen] = len ? *(uint8_t *)data : 0;
	f->last[f->seen] = len ? ((uint8_t *)data)[len - 1] : 0;
	return ++f->seen == f->stop_at ? -ECANCELED : 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, 2 * PAGE + 2 * BYTES), 0);
	f->map = mmap(NULL, 2 * PAGE + 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_true(f->map != MAP_FAILED);
	f->consumer = (unsigned long *)f->map;
	f->producer = (unsigned long *)(f->map + PAGE);
	assert_int_equal(ring_reader_open(f->fd, BYTES, RECORD_MAX, keep, f, &f->reader), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ring_reader_close(f->reader);
	munmap(f->map, 2 * PAGE + 2 * BYTES);
	close(f->fd);
	free(f);
	return 0;
}

static void write_byte(struct fixture *f, unsigned long at, uint8_t byte)
{
	f->map[2 * PAGE + at % BYTES] = f->map[2 * PAGE + BYTES + at % BYTES] = byte;
}

/* A record of @len bytes: @mark, then zeros, then @mark + 1. @flags: of its header. */
static void put(struct fixture *f, uint32_t len, uint8_t mark, uint32_t flags)
{
	unsigned long at = *f->producer;
	uint32_t head[2] = {len | flags, 2};

	for (size_t i = 0; i < sizeof(head); i++)
		write_byte(f, at + i, ((uint8_t *)head)[i]);
	for (size_t i = 0; i < len; i++)
		write_byte(f, at + sizeof(head) + i,
			   i == 0	  ? mark
			   : i == len - 1 ? (uint8_t)(mark + 1)
					  : 0);
	*f->producer = at + (sizeof(head) + len + 7) / 8 * 8;
}

static void ring_reader_record_at_the_end_is_handed_out_in_one_piece(void **state)
{
	struct fixture *f = *state;

	/* Each begins elsewhere; the fifth one's last byte stands at the beginning. */
	for (unsigned int i = 0; i < 40; i++) {
		put(f, RECORD_MAX - i, (uint8_t)(2 * i), 0);
		assert_int_equal(ring_reader_consume(f->reader), 0);
		assert_int_equal(f->seen, i + 1);
		assert_int_equal(f->lens[i], RECORD_MAX - i);
		assert_int_equal(f->first[i], 2 * i);
		assert_int_equal(f->last[i], 2 * i + 1);
		assert_int_equal(*f->consumer, *f->producer);
	}
}

/* The header stands in the last eight bytes, all of the record behind the end. */
static void ring_reader_header_at_the_end_record_is_behind_it(void **state)
{
	struct fixture *f = *state;

	*f->producer = *f->consumer = 3 * BYTES - BPF_RINGBUF_HDR_SZ;
	put(f, RECORD_MAX, 7, 0);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->lens[0], RECORD_MAX);
	assert_int_equal(f->first[0], 7);
	assert_int_equal(f->last[0], 8);
}

static void ring_reader_record_being_written_ends_the_reading(void **state)
{
	struct fixture *f = *state;
	unsigned long second;

	put(f, 16, 1, 0);
	second = *f->producer;
	put(f, 24, 3, BPF_RINGBUF_BUSY_BIT);
	put(f, 32, 5, 0);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->seen, 1);
	assert_int_equal(*f->consumer, second);
	/* It is committed: the top byte of its length loses the bit. */
	write_byte(f, second + 3, 0);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->seen, 3);
	assert_int_equal(f->first[1], 3);
	assert_int_equal(f->first[2], 5);
}

static void ring_reader_discarded_record_is_passed_over(void **state)
{
	struct fixture *f = *state;

	put(f, 100, 1, BPF_RINGBUF_DISCARD_BIT);
	put(f, 8, 3, 0);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->seen, 1);
	assert_int_equal(f->first[0], 3);
	assert_int_equal(*f->consumer, *f->producer);
}

static void ring_reader_callback_stops_and_the_rest_comes_next(void **state)
{
	struct fixture *f = *state;

	f->stop_at = 2;
	for (uint8_t i = 0; i < 3; i++)
		put(f, 40, i, 0);
	assert_int_equal(ring_reader_consume(f->reader), -ECANCELED);
	assert_int_equal(f->seen, 2);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->seen, 3);
	assert_int_equal(f->first[2], 2);
}

/* What is longer than was announced may reach behind what is mapped. */
static void ring_reader_longer_record_is_told_without_its_bytes(void **state)
{
	struct fixture *f = *state;

	put(f, RECORD_MAX + 1, 9, 0);
	put(f, 8, 3, 0);
	assert_int_equal(ring_reader_consume(f->reader), 0);
	assert_int_equal(f->seen, 2);
	assert_int_equal(f->lens[0], 0);
	assert_int_equal(f->lens[1], 8);
}

/* Bytes of the process's mappings of a memfd_create(@name). */
static size_t mapped_of(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[256];
	size_t sum = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, name) && sscanf(line, "%lx-%lx", &from, &to) == 2)
			sum += to - from;
	fclose(maps);
	return sum;
}

/* Of the beginning only as many pages as a record needs stand behind the end. */
static void ring_reader_data_is_mapped_once(void **state)
{
	const size_t bytes = 1024 * PAGE;
	struct ring_reader *reader;
	int fd = memfd_create("mapped_once", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(2 * PAGE + 2 * bytes)), 0);
	assert_int_equal(ring_reader_open(fd, bytes, PAGE + 1, keep, NULL, &reader), 0);
	assert_int_equal(mapped_of("mapped_once"), 2 * PAGE + bytes + 2 * PAGE);
	ring_reader_close(reader);
	assert_int_equal(mapped_of("mapped_once"), 0);
	/* More than twice the data the kernel does not have. */
	assert_int_equal(ring_reader_open(fd, PAGE, 3 * PAGE, keep, NULL, &reader), 0);
	assert_int_equal(mapped_of("mapped_once"), 2 * PAGE + 2 * PAGE);
	ring_reader_close(reader);
	close(fd);
}

static void ring_reader_open_no_map_says_why(void **state)
{
	struct ring_reader *reader = NULL;

	(void)state;
	assert_int_equal(ring_reader_open(-1, BYTES, RECORD_MAX, keep, NULL, &reader), -EBADF);
	assert_null(reader);
	ring_reader_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			ring_reader_record_at_the_end_is_handed_out_in_one_piece, setup, teardown),
		cmocka_unit_test_setup_teardown(ring_reader_header_at_the_end_record_is_behind_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(ring_reader_record_being_written_ends_the_reading,
						setup, teardown),
		cmocka_unit_test_setup_teardown(ring_reader_discarded_record_is_passed_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(ring_reader_callback_stops_and_the_rest_comes_next,
						setup, teardown),
		cmocka_unit_test_setup_teardown(ring_reader_longer_record_is_told_without_its_bytes,
						setup, teardown),
		cmocka_unit_test(ring_reader_data_is_mapped_once),
		cmocka_unit_test(ring_reader_open_no_map_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
