// SPDX-License-Identifier: GPL-2.0
/*
 * truth_tail - what ran before each time the LBR was stopped, from the emulator's log
 *
 *	truth_tail DEPTH LOG OUTPUT
 *
 * LOG: as run --truth --insns writes it, or a FIFO: it is never kept, which would be gigabytes.
 * OUTPUT, a line a stop, oldest first, from the branch on that is the oldest of DEPTH:
 *
 *	CPU REASON B,FROM,TO,TYPE,FLAGS,CYCLES I,ADDRESS Z ...
 *
 * TYPE: irq, or - for all else. Z: recording was stopped there before. Instructions of user space
 * are left out.
 *
 * Where the log leaves lines out (LBR_TRUTH_LAST), those before the gap are forgotten. A log that
 * leaves out what a stop has to show, or whose sequence numbers go back, is refused: exit status 1.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS_MAX 64
/* Lines kept of a CPU: straight runs between 32 branches do not come near it. */
#define RING	   (1u << 16)
#define READ_BYTES (1u << 20)
#define LINE_MAX   256u

struct line {
	uint64_t from;
	uint64_t to;
	uint32_t cycles;
	char kind;
	bool irq;
	bool mispred;
};

/* @first: of the lines behind the last gap, if there is one (@cut); @branches: among these */
struct ring {
	bool cut;
	uint64_t count;
	uint64_t first;
	uint64_t branches;
	uint64_t next_seq;
	struct line lines[RING];
};

static struct ring *rings[CPUS_MAX];
static uint64_t depth, lines, stops;

/* Where the oldest of the newest @depth branches is. */
static uint64_t window_start(const struct ring *ring)
{
	uint64_t wanted = ring->branches < depth ? ring->branches : depth;
	uint64_t i = ring->count, end = ring->count > RING ? ring->count - RING : 0;

	if (ring->cut && wanted < depth)
		errx(1, "the log leaves out all but %u branches before a stop",
		     (unsigned int)wanted);
	if (end < ring->first)
		end = ring->first;
	while (wanted && i > end)
		wanted -= ring->lines[--i % RING].kind == 'B';
	if (wanted)
		errx(1, "%u lines of the log hold fewer than %u branches", RING,
		     (unsigned int)depth);
	return i;
}

static void put_hex(FILE *out, uint64_t value)
{
	char digits[16];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	while (n)
		putc_unlocked(digits[--n], out);
}

/* @reason: up to the end of its line */
static void print_stop(FILE *out, unsigned int cpu, const char *reason)
{
	const struct ring *ring = rings[cpu];

	stops++;
	fprintf(out, "%u %.*s", cpu, (int)strcspn(reason, " \n"), reason);
	for (uint64_t i = window_start(ring); i < ring->count; i++) {
		const struct line *line = &ring->lines[i % RING];

		if (line->kind == 'I' && !(line->from >> 63))
			continue;
		putc_unlocked(' ', out);
		putc_unlocked(line->kind, out);
		if (line->kind == 'Z')
			continue;
		putc_unlocked(',', out);
		put_hex(out, line->from);
		if (line->kind == 'I')
			continue;
		putc_unlocked(',', out);
		put_hex(out, line->to);
		fprintf(out, ",%s,%s,%u", line->irq ? "irq" : "-", line->mispred ? "M" : "-",
			line->cycles);
	}
	putc_unlocked('\n', out);
}

/* Numbers by hand: there are hundreds of millions of lines. */
static uint64_t number(const char **at)
{
	uint64_t value = 0;
	const char *p = *at;

	if (p[0] == '0' && p[1] == 'x')
		for (p += 2; *p > ' '; p++)
			value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	else
		for (; *p > ' '; p++)
			value = value * 10 + (uint64_t)(*p - '0');
	*at = *p == ' ' ? p + 1 : p;
	return value;
}

/* Behind the addresses of a branch: "TYPE FLAGS CYCLES" */
static void take_rest(struct line *line, const char *at)
{
	size_t flags;

	line->irq = !strncmp(at, "irq", 3);
	at += strcspn(at, " \n");
	at += *at == ' ';
	flags = strcspn(at, " \n");
	line->mispred = memchr(at, 'M', flags);
	at += flags;
	line->cycles = *at == ' ' ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

static void take_seq(struct ring *ring, unsigned int cpu, uint64_t seq)
{
	if (seq < ring->next_seq)
		errx(1, "cpu %u goes from record %lld to %llu: the log is not whole", cpu,
		     (long long)ring->next_seq - 1, (unsigned long long)seq);
	if (seq > ring->next_seq) {
		ring->cut = true;
		ring->first = ring->count;
		ring->branches = 0;
	}
	ring->next_seq = seq + 1;
}

/* @text: ends with a newline */
static void take(FILE *out, const char *text)
{
	const char *at = text + 2;
	unsigned int cpu = (unsigned int)number(&at);
	struct line *line;
	struct ring *ring;

	lines++;
	if (text[1] != ' ' || !strchr("BIPZ", text[0]) || cpu >= CPUS_MAX)
		errx(1, "not a line of the log: %.*s", (int)strcspn(text, "\n"), text);
	if (!rings[cpu] && !(rings[cpu] = calloc(1, sizeof(*ring))))
		err(1, "memory");
	ring = rings[cpu];
	take_seq(ring, cpu, number(&at));
	line = &ring->lines[ring->count % RING];
	*line = (struct line){.kind = text[0]};
	if (line->kind == 'Z') {
		print_stop(out, cpu, at);
	} else {
		line->from = number(&at);
		line->to = line->kind == 'B' ? number(&at) : 0;
		if (line->kind == 'B')
			take_rest(line, at);
		ring->branches += line->kind == 'B';
	}
	ring->count++;
}

static void take_all(int in, FILE *out)
{
	char *text = malloc(READ_BYTES + LINE_MAX);
	size_t len = 0;
	ssize_t got;

	if (!text)
		err(1, "memory");
	while ((got = read(in, text + len, READ_BYTES)) > 0 || (got < 0 && errno == EINTR)) {
		char *at = text, *end = text + len + (got > 0 ? got : 0), *newline;

		while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
			take(out, at);
			at = newline + 1;
		}
		len = (size_t)(end - at);
		if (len >= LINE_MAX)
			errx(1, "not a line of the log: %.40s", at);
		memmove(text, at, len);
	}
	if (got < 0)
		err(1, "the log");
	free(text);
}

int main(int argc, char **argv)
{
	FILE *out;
	int in;

	if (argc != 4 || (depth = strtoul(argv[1], NULL, 10)) < 1)
		errx(2, "usage: truth_tail DEPTH LOG OUTPUT");
	in = open(argv[2], O_RDONLY | O_CLOEXEC);
	fcntl(in, F_SETPIPE_SZ, READ_BYTES); /* no pipe: no harm */
	out = fopen(argv[3], "we");
	if (in < 0 || !out)
		err(2, "%s", in < 0 ? argv[2] : argv[3]);
	take_all(in, out);
	if (fclose(out))
		err(2, "%s", argv[3]);
	printf("%llu lines, %llu stops\n", (unsigned long long)lines, (unsigned long long)stops);
	return 0;
}
