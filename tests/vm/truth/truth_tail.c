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
 * From before a clear of the LBR (a C line) there is nothing: OUTPUT has all branches that the LBR
 * held. TYPE: cond, irq, or - for all else. Z: recording was stopped there before. Instructions
 * of user space are left out.
 *
 * Where the log leaves lines out (LBR_TRUTH_LAST), those before the gap are forgotten. A log that
 * leaves out what a stop has to show, or whose sequence numbers go back, is refused: exit status 1.
 */
#include <stdbool.h>
#include <stdio.h>

#include "../../log_lines.h"

#define CPUS_MAX 64
/* Lines kept of a CPU: straight runs between 32 branches do not come near it. */
#define RING (1u << 16)

struct line {
	uint64_t from;
	uint64_t to;
	uint32_t cycles;
	char kind;
	bool mispred;
	const char *type;
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
static FILE *out;

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

static void put_hex(uint64_t value)
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
static void print_stop(unsigned int cpu, const char *reason)
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
		put_hex(line->from);
		if (line->kind == 'I')
			continue;
		putc_unlocked(',', out);
		put_hex(line->to);
		fprintf(out, ",%s,%s,%u", line->type, line->mispred ? "M" : "-", line->cycles);
	}
	putc_unlocked('\n', out);
}

/* Behind the addresses of a branch: "TYPE FLAGS CYCLES" */
static void take_rest(struct line *line, const char *at)
{
	size_t flags;

	line->type = !strncmp(at, "irq", 3) ? "irq" : !strncmp(at, "cond", 4) ? "cond" : "-";
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

/* What the log left out before is not missed. */
static void clear(struct ring *ring)
{
	ring->cut = false;
	ring->first = ring->count;
	ring->branches = 0;
}

static void take(const char *text, const char *newline)
{
	const char *at = text + 2;
	unsigned int cpu = (unsigned int)log_number(&at);
	struct line *line;
	struct ring *ring;

	lines++;
	if (text[1] != ' ' || !strchr("BCIPZ", text[0]) || cpu >= CPUS_MAX)
		errx(1, "not a line of the log: %.*s", (int)(newline - text), text);
	if (!rings[cpu] && !(rings[cpu] = calloc(1, sizeof(*ring))))
		err(1, "memory");
	ring = rings[cpu];
	take_seq(ring, cpu, log_number(&at));
	if (text[0] == 'C') {
		clear(ring);
		return;
	}
	line = &ring->lines[ring->count % RING];
	*line = (struct line){.kind = text[0]};
	if (line->kind == 'Z') {
		print_stop(cpu, at);
	} else {
		line->from = log_number(&at);
		line->to = line->kind == 'B' ? log_number(&at) : 0;
		if (line->kind == 'B')
			take_rest(line, at);
		ring->branches += line->kind == 'B';
	}
	ring->count++;
}

int main(int argc, char **argv)
{
	if (argc != 4 || (depth = strtoul(argv[1], NULL, 10)) < 1)
		errx(2, "usage: truth_tail DEPTH LOG OUTPUT");
	out = fopen(argv[3], "we");
	if (!out)
		err(2, "%s", argv[3]);
	log_lines(argv[2], take);
	if (fclose(out))
		err(2, "%s", argv[3]);
	printf("%llu lines, %llu stops\n", (unsigned long long)lines, (unsigned long long)stops);
	return 0;
}
