// SPDX-License-Identifier: GPL-2.0-or-later
/* The truth log: what the virtual LBR recorded, written past the guest. Format: README.md. */
#include "qemu/osdep.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "lbr-internal.h"

#define TRUTH_BUFFER_BYTES (1 << 20)
#define TRUTH_LINE_MAX	   160
#define TRUTH_LAST_MAX	   64
/* With instructions: straight runs between TRUTH_LAST_MAX branches do not come near it. */
#define TRUTH_LAST_LINES (1u << 16)

/* A branch that is not written yet; KIND_LINEAR: an instruction, at @from. */
struct truth_record {
	uint64_t seq;
	uint64_t from;
	uint64_t to;
	uint32_t cycles;
	uint8_t kind;
	uint8_t flags;
};

/* Lines are appended by the vCPU's thread, and flushed at exit by another one: hence the lock. */
struct truth_buffer {
	QemuMutex lock;
	int cpu;
	uint64_t seq;
	size_t used;
	uint64_t held; /* records since the last stop; the newest truth_lines of them are in ring */
	struct truth_record *ring;
	char bytes[TRUTH_BUFFER_BYTES];
};

static struct truth_buffer *buffers[LBR_MAX_CPUS];
static int truth_fd = -1;
static unsigned int truth_last;	 /* branches before a stop; 0: write everything */
static unsigned int truth_lines; /* size of a ring, a power of two */

static char hex_pairs[256][2];	   /* "00" to "ff", without a NUL */
static char decimal_pairs[100][2]; /* "00" to "99" */

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
	truth_lines = lbr_log_insns ? TRUTH_LAST_LINES : TRUTH_LAST_MAX;
	truth_last = last ? MIN(strtoul(last, NULL, 10), TRUTH_LAST_MAX) : 0;
	for (int i = 0; i < 256; i++) {
		hex_pairs[i][0] = "0123456789abcdef"[i >> 4];
		hex_pairs[i][1] = "0123456789abcdef"[i & 15];
	}
	for (int i = 0; i < 100; i++) {
		decimal_pairs[i][0] = '0' + i / 10;
		decimal_pairs[i][1] = '0' + i % 10;
	}
	atexit(flush_all);
}

struct truth_buffer *truth_buffer_get(int cpu)
{
	static gsize once;

	if (g_once_init_enter(&once)) {
		open_log();
		g_once_init_leave(&once, 1);
	}
	if (truth_fd < 0)
		return NULL;
	assert(cpu < LBR_MAX_CPUS);
	if (!buffers[cpu]) {
		struct truth_buffer *buffer = g_new0(struct truth_buffer, 1);

		qemu_mutex_init(&buffer->lock);
		buffer->cpu = cpu;
		buffer->ring = g_new(struct truth_record, truth_lines);
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

/*
 * Two digits at a time: where everything is logged, most of what recording takes is this. Such a
 * guest is the least part of QEMU's profile, and gcc divides by DIV where it compiles for size.
 */
static __attribute__((optimize("O2"), hot)) char *put_decimal(char *at, uint64_t value)
{
	char digits[20];
	size_t n = sizeof(digits);

	while (value >= 100) {
		n -= 2;
		memcpy(digits + n, decimal_pairs[value % 100], 2);
		value /= 100;
	}
	if (value >= 10) {
		n -= 2;
		memcpy(digits + n, decimal_pairs[value], 2);
	} else {
		digits[--n] = '0' + value;
	}
	memcpy(at, digits + n, sizeof(digits) - n);
	return at + sizeof(digits) - n;
}

static char *put_hex(char *at, uint64_t value)
{
	unsigned int digits = value ? 16 - clz64(value) / 4 : 1;

	memcpy(at, " 0x", 3);
	at += 3;
	if (digits % 2)
		*at++ = hex_pairs[value >> 4 * --digits & 15][1];
	for (; digits; digits -= 2, at += 2)
		memcpy(at, hex_pairs[value >> 4 * (digits - 2) & 255], 2);
	return at;
}

/* Begin a line "KIND CPU SEQ"; the buffer stays locked until line_end(). */
static char *line_begin(struct truth_buffer *buffer, char kind, uint64_t seq)
{
	char *at;

	qemu_mutex_lock(&buffer->lock);
	if (buffer->used > TRUTH_BUFFER_BYTES - TRUTH_LINE_MAX)
		flush_locked(buffer);
	at = buffer->bytes + buffer->used;
	*at++ = kind;
	*at++ = ' ';
	at = put_decimal(at, buffer->cpu);
	*at++ = ' ';
	return put_decimal(at, seq);
}

static void line_end(struct truth_buffer *buffer, char *at)
{
	*at++ = '\n';
	buffer->used = at - buffer->bytes;
	qemu_mutex_unlock(&buffer->lock);
}

static char *put_flags(char *at, uint32_t flags)
{
	if (!flags)
		*at++ = '-';
	if (flags & TRUTH_MISPREDICTED)
		*at++ = 'M';
	if (flags & TRUTH_IN_TSX)
		*at++ = 'X';
	if (flags & TRUTH_ABORT)
		*at++ = 'A';
	return at;
}

static void write_branch(struct truth_buffer *buffer, const struct truth_record *record)
{
	char *at = line_begin(buffer, 'B', record->seq);

	at = put_hex(at, record->from);
	at = put_hex(at, record->to);
	*at++ = ' ';
	at = put_string(at, kind_names[record->kind]);
	*at++ = ' ';
	at = put_flags(at, record->flags);
	*at++ = ' ';
	at = put_decimal(at, record->cycles);
	line_end(buffer, at);
}

static void write_insn(struct truth_buffer *buffer, uint64_t seq, uint64_t addr)
{
	line_end(buffer, put_hex(line_begin(buffer, 'I', seq), addr));
}

static struct truth_record *held_record(struct truth_buffer *buffer, uint64_t number)
{
	return &buffer->ring[number & (truth_lines - 1)];
}

/* The last branches before a stop, and the instructions behind the oldest of them. */
static void write_held(struct truth_buffer *buffer)
{
	uint64_t oldest = buffer->held > truth_lines ? buffer->held - truth_lines : 0;
	uint64_t at = buffer->held;

	for (unsigned int branches = 0; at > oldest && branches < truth_last; at--)
		branches += held_record(buffer, at - 1)->kind != KIND_LINEAR;
	for (; at < buffer->held; at++) {
		const struct truth_record *record = held_record(buffer, at);

		if (record->kind == KIND_LINEAR)
			write_insn(buffer, record->seq, record->from);
		else
			write_branch(buffer, record);
	}
	buffer->held = 0;
}

void truth_branch(struct truth_buffer *buffer, uint64_t from, uint64_t to, enum lbr_kind kind,
		  uint32_t flags, uint32_t cycles)
{
	struct truth_record written, *record;

	/* In place: what is copied as a whole just after its bytes were set waits for them. */
	record = truth_last ? held_record(buffer, buffer->held++) : &written;
	record->seq = buffer->seq++;
	record->from = from;
	record->to = to;
	record->cycles = cycles;
	record->kind = kind;
	record->flags = flags;
	if (!truth_last)
		write_branch(buffer, record);
}

void truth_insn(struct truth_buffer *buffer, uint64_t addr)
{
	struct truth_record *record;
	uint64_t seq;

	if (!buffer)
		return;
	seq = buffer->seq++;
	if (truth_last) {
		record = held_record(buffer, buffer->held++);
		record->seq = seq;
		record->from = addr;
		record->kind = KIND_LINEAR;
	} else {
		write_insn(buffer, seq, addr);
	}
}

void truth_listed(struct truth_buffer *buffer, uint64_t addr, const uint64_t *values, size_t count)
{
	char *at;

	if (!buffer)
		return;
	at = put_hex(line_begin(buffer, 'I', buffer->seq++), addr);
	for (size_t i = 0; i < count; i++)
		at = put_hex(at, values[i]);
	line_end(buffer, at);
}

void truth_pop(struct truth_buffer *buffer, uint64_t from, uint64_t to)
{
	char *at;

	if (!buffer)
		return;
	write_held(buffer);
	at = line_begin(buffer, 'P', buffer->seq++);
	line_end(buffer, put_hex(put_hex(at, from), to));
}

void truth_clear(struct truth_buffer *buffer)
{
	if (!buffer)
		return;
	write_held(buffer);
	line_end(buffer, line_begin(buffer, 'C', buffer->seq++));
}

void truth_stop(struct truth_buffer *buffer, const char *reason)
{
	char *at;

	if (!buffer)
		return;
	write_held(buffer);
	at = line_begin(buffer, 'Z', buffer->seq++);
	*at++ = ' ';
	line_end(buffer, put_string(at, reason));
}

void truth_stop_by(struct truth_buffer *buffer, uint64_t writer, uint64_t caller)
{
	char *at;

	if (!buffer)
		return;
	write_held(buffer);
	at = line_begin(buffer, 'Z', buffer->seq++);
	*at++ = ' ';
	at = put_hex(put_string(at, "off"), writer);
	line_end(buffer, put_hex(at, caller));
}
