// SPDX-License-Identifier: GPL-2.0
/*
 * truth_tail - what ran before each time the LBR was stopped, from the emulator's log
 *
 *	truth_tail LOG OUTPUT
 *
 * LOG: as run --truth --insns writes it, or a FIFO. OUTPUT, a line a stop:
 *
 *	CPU REASON I,ADDRESS B,FROM,TO ...     oldest first, the last RING lines
 *
 * Only stops for the reasons "db" (a debug exception) and "off" (the kernel switched it off): a
 * snapshot shows nothing else.
 */
#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 64
#define RING	 2048

struct ring {
	uint64_t count;
	struct {
		char kind;
		uint64_t from;
		uint64_t to;
	} lines[RING];
};

static struct ring *rings[CPUS_MAX];

static void print_stop(FILE *out, unsigned int cpu, const char *reason)
{
	const struct ring *ring = rings[cpu];
	uint64_t first = ring->count > RING ? ring->count - RING : 0;

	fprintf(out, "%u %s", cpu, reason);
	for (uint64_t i = first; i < ring->count; i++) {
		uint32_t slot = i % RING;

		if (ring->lines[slot].kind == 'I')
			fprintf(out, " I,%" PRIx64, ring->lines[slot].from);
		else
			fprintf(out, " B,%" PRIx64 ",%" PRIx64, ring->lines[slot].from,
				ring->lines[slot].to);
	}
	fputc('\n', out);
}

/* Numbers by hand: there are hundreds of millions of lines. */
static uint64_t number(char **at, int base)
{
	uint64_t value = strtoull(*at, at, base);

	if (**at == ' ')
		(*at)++;
	return value;
}

static void take(FILE *out, char *line)
{
	char kind = line[0], *at = line + 2;
	unsigned int cpu = (unsigned int)number(&at, 10);
	struct ring *ring;
	uint32_t slot;

	if (cpu >= CPUS_MAX)
		errx(1, "not a line of the log: %s", line);
	if (!rings[cpu] && !(rings[cpu] = calloc(1, sizeof(*ring))))
		err(1, "memory");
	ring = rings[cpu];
	while (*at && *at != ' ') /* the sequence number */
		at++;
	at += *at == ' ';
	if (kind == 'Z') {
		at[strcspn(at, " \n")] = '\0';
		if (!strcmp(at, "db") || !strcmp(at, "off"))
			print_stop(out, cpu, at);
		return;
	}
	slot = ring->count++ % RING;
	ring->lines[slot].kind = kind;
	ring->lines[slot].from = number(&at, 16);
	ring->lines[slot].to = kind == 'B' ? number(&at, 16) : 0;
}

int main(int argc, char **argv)
{
	char line[256];
	FILE *in, *out;

	if (argc != 3)
		errx(2, "usage: truth_tail LOG OUTPUT");
	in = fopen(argv[1], "re");
	out = fopen(argv[2], "we");
	if (!in || !out)
		err(2, "%s", in ? argv[2] : argv[1]);
	setvbuf(in, NULL, _IOFBF, 1 << 20);
	while (fgets(line, sizeof(line), in))
		take(out, line);
	if (fclose(out))
		err(2, "%s", argv[2]);
	return 0;
}
