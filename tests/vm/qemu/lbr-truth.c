// SPDX-License-Identifier: GPL-2.0-or-later
/* The truth log: what the virtual LBR recorded, written past the guest. Format: README.md. */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "lbr-internal.h"

#define TRUTH_BUFFER_BYTES (1 << 20)
#define TRUTH_LINE_MAX	   160
#define TRUTH_LAST_MAX	   64

/* A branch that is not written yet. */
struct truth_record {
	uint64_t seq;
	uint64_t from;
	uint64_t to;
	uint32_t cycles;
	enum lbr_kind kind;
	char flags[4];
};

/* Lines are appended by the vCPU's thread, and flushed at exit by another one: hence the lock. */
struct truth_buffer {
	QemuMutex lock;
	uint64_t seq;
	size_t used;
	uint64_t held; /* records since the last stop; the newest truth_last of them are in ring */
	struct truth_record ring[TRUTH_LAST_MAX];
	char bytes[TRUTH_BUFFER_BYTES];
};

static struct truth_buffer *buffers[LBR_MAX_CPUS];
static int truth_fd = -1;
static unsigned int truth_last; /* 0: write everything */

static const char *const kind_names[KIND_NR] = {
	[KIND_LINEAR] = "-",  [KIND_COND] = "cond", [KIND_JMP] = "jmp",
	[KIND_IJMP] = "ijmp", [KIND_CALL] = "call", [KIND_ICALL] = "icall",
	[KIND_RET] = "ret",   [KIND_FAR] = "far",   [KIND_IRQ] = "irq",
};

static void flush_locked(struct truth_buffer *buffer)
{
	if (buffer->used && qemu_write_full(truth_fd, buffer->bytes, buffer->used) != buffer->used)
		fprintf(stderr, "lbr: cannot write the truth log: %s\n", strerror(errno));
	buffer->used = 0;
}

static void flush_all(void)
{
	for (int i = 0; i < LBR_MAX_CPUS; i++) {
		if (!buffers[i])
			continue;
		qemu_mutex_lock(&buffers[i]->lock);
		flush_locked(buffers[i]);
		qemu_mutex_unlock(&buffers[i]->lock);
	}
}

static void open_log(void)
{
	const char *path = getenv("LBR_TRUTH"), *last = getenv("LBR_TRUTH_LAST");

	if (!path || !*path)
		return;
	/* O_APPEND: buffers of several vCPUs are written one after the other, each in one piece. */
	truth_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (truth_fd < 0) {
		fprintf(stderr, "lbr: cannot open %s: %s\n", path, strerror(errno));
		exit(1);
	}
	truth_last = last ? MIN(strtoul(last, NULL, 10), TRUTH_LAST_MAX) : 0;
	atexit(flush_all);
}

static struct truth_buffer *buffer_get(int cpu)
{
	static gsize once;

	if (g_once_init_enter(&once)) {
		open_log();
		g_once_init_leave(&once, 1);
	}
	if (truth_fd < 0)
		return NULL;
	if (!buffers[cpu]) {
		struct truth_buffer *buffer = g_new0(struct truth_buffer, 1);

		qemu_mutex_init(&buffer->lock);
		qatomic_set(&buffers[cpu], buffer);
	}
	return buffers[cpu];
}

static char *put_string(char *at, const char *s)
{
	size_t len = strlen(s);

	memcpy(at, s, len);
	return at + len;
}

static char *put_decimal(char *at, uint64_t value)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = '0' + value % 10;
		value /= 10;
	} while (value);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *put_hex(char *at, uint64_t value)
{
	int shift = value ? (63 - clz64(value)) & ~3 : 0;

	*at++ = ' ';
	*at++ = '0';
	*at++ = 'x';
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[(value >> shift) & 15];
	return at;
}

/* Begin a line "KIND CPU SEQ"; the buffer stays locked until line_end(). */
static char *line_begin(struct truth_buffer *buffer, char kind, int cpu, uint64_t seq)
{
	char *at;

	qemu_mutex_lock(&buffer->lock);
	if (buffer->used > TRUTH_BUFFER_BYTES - TRUTH_LINE_MAX)
		flush_locked(buffer);
	at = buffer->bytes + buffer->used;
	*at++ = kind;
	*at++ = ' ';
	at = put_decimal(at, cpu);
	*at++ = ' ';
	return put_decimal(at, seq);
}

static void line_end(struct truth_buffer *buffer, char *at)
{
	*at++ = '\n';
	buffer->used = at - buffer->bytes;
	qemu_mutex_unlock(&buffer->lock);
}

static void write_branch(struct truth_buffer *buffer, int cpu, const struct truth_record *record)
{
	char *at = line_begin(buffer, 'B', cpu, record->seq);

	at = put_hex(at, record->from);
	at = put_hex(at, record->to);
	*at++ = ' ';
	at = put_string(at, kind_names[record->kind]);
	*at++ = ' ';
	at = put_string(at, *record->flags ? record->flags : "-");
	*at++ = ' ';
	at = put_decimal(at, record->cycles);
	line_end(buffer, at);
}

static void write_held(struct truth_buffer *buffer, int cpu)
{
	uint64_t at = buffer->held > truth_last ? buffer->held - truth_last : 0;

	for (; at < buffer->held; at++)
		write_branch(buffer, cpu, &buffer->ring[at % truth_last]);
	buffer->held = 0;
}

void truth_branch(int cpu, uint64_t from, uint64_t to, enum lbr_kind kind, const char *flags,
		  uint32_t cycles)
{
	struct truth_buffer *buffer = buffer_get(cpu);
	struct truth_record record = {.from = from, .to = to, .cycles = cycles, .kind = kind};

	if (!buffer)
		return;
	record.seq = buffer->seq++;
	pstrcpy(record.flags, sizeof(record.flags), flags);
	if (truth_last)
		buffer->ring[buffer->held++ % truth_last] = record;
	else
		write_branch(buffer, cpu, &record);
}

void truth_insn(int cpu, uint64_t addr)
{
	struct truth_buffer *buffer = buffer_get(cpu);

	if (buffer)
		line_end(buffer, put_hex(line_begin(buffer, 'I', cpu, buffer->seq++), addr));
}

void truth_listed(int cpu, uint64_t addr, const uint64_t *values, size_t count)
{
	struct truth_buffer *buffer = buffer_get(cpu);
	char *at;

	if (!buffer)
		return;
	at = put_hex(line_begin(buffer, 'I', cpu, buffer->seq++), addr);
	for (size_t i = 0; i < count; i++)
		at = put_hex(at, values[i]);
	line_end(buffer, at);
}

void truth_pop(int cpu, uint64_t from, uint64_t to)
{
	struct truth_buffer *buffer = buffer_get(cpu);
	char *at;

	if (!buffer)
		return;
	write_held(buffer, cpu);
	at = line_begin(buffer, 'P', cpu, buffer->seq++);
	line_end(buffer, put_hex(put_hex(at, from), to));
}

void truth_stop(int cpu, const char *reason)
{
	struct truth_buffer *buffer = buffer_get(cpu);
	char *at;

	if (!buffer)
		return;
	write_held(buffer, cpu);
	at = line_begin(buffer, 'Z', cpu, buffer->seq++);
	*at++ = ' ';
	line_end(buffer, put_string(at, reason));
}
