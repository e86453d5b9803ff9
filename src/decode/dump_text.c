// SPDX-License-Identifier: GPL-2.0
/* Text forms of a dump, see decode/dump.h. One line at a time; what is not understood is said. */
#include "decode/dump.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define RDMSR_QUEUE_MAX 8

/* How rdmsr of msr-tools prints: its options -d, -u, -o; everything else is hexadecimal */
enum radix {
	RADIX_HEX,
	RADIX_DECIMAL,
	RADIX_OCTAL,
	RADIX_LOST, /* the output is no whole register: -r, -f, or the register is not known */
};

/** struct rdmsr - a command whose output is awaited */
struct rdmsr {
	uint32_t msr;
	uint32_t cpu;
	bool all; /* -a: one line a CPU, until the next command */
	enum radix radix;
	size_t line;
};

/**
 * struct text - where the reader is
 * @cpu: of registers on lines that name none
 * @queue: commands of the last command line, in order
 * @in_cpuinfo: among "key : value" lines of /proc/cpuinfo; unknown ones are no news
 */
struct text {
	struct dump *dump;
	struct notes *notes;
	size_t line;
	uint64_t cpu;
	struct rdmsr queue[RDMSR_QUEUE_MAX];
	size_t queue_first;
	size_t queue_end;
	bool in_cpuinfo;
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Letters, digits and underscores at the front; empty if there are none */
static struct span cut_word(struct span *s)
{
	struct span word = {s->p, s->p};

	while (word.end < s->end && is_word_char(*word.end))
		word.end++;
	s->p = word.end;
	return word;
}

/* The first "rdmsr" that is a word of its own; @ret_rest is what follows it */
static bool find_rdmsr(struct span line, struct span *ret_rest)
{
	static const char name[] = "rdmsr";
	size_t len = sizeof(name) - 1;

	for (const char *p = line.p; (size_t)(line.end - p) >= len; p++) {
		if (memcmp(p, name, len) || (p > line.p && is_word_char(p[-1])) ||
		    (p + len < line.end && is_word_char(p[len])))
			continue;
		*ret_rest = (struct span){p + len, line.end};
		return true;
	}
	return false;
}

/* A number as strtoul(..., 0) of rdmsr reads it */
static int rdmsr_number(struct span word, uint64_t max, uint64_t *ret_value)
{
	char text[24], *end;
	unsigned long value;

	if (span_empty(word) || word.end - word.p >= (ptrdiff_t)sizeof(text) ||
	    !isdigit((unsigned char)*word.p))
		return -EINVAL;
	span_copy(word, text, sizeof(text));
	errno = 0;
	value = strtoul(text, &end, 0);
	if (*end || errno || value > max)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

static const struct {
	const char *name;
	char letter;
} long_options[] = {
	{"--all", 'a'},		{"--processor", 'p'},  {"--decimal", 'd'},  {"--unsigned", 'u'},
	{"--octal", 'o'},	{"--raw", 'r'},	       {"--bitfield", 'f'}, {"--hexadecimal", 'x'},
	{"--capital-hex", 'X'}, {"--c-language", 'c'}, {"--zero-pad", '0'},
};

/* One option; @arg is its argument, or empty */
static void rdmsr_option(struct rdmsr *cmd, char letter, struct span arg)
{
	uint64_t cpu;

	if (letter == 'a')
		cmd->all = true;
	else if (letter == 'p' && !rdmsr_number(arg, DUMP_CPU_MAX, &cpu))
		cmd->cpu = (uint32_t)cpu;
	else if (strchr("rfp", letter)) /* no whole register, or -p $cpu */
		cmd->radix = RADIX_LOST;
	else if (strchr("duo", letter) && cmd->radix != RADIX_LOST)
		cmd->radix = letter == 'o' ? RADIX_OCTAL : RADIX_DECIMAL;
}

static bool takes_argument(char letter)
{
	return letter == 'p' || letter == 'f';
}

static void rdmsr_long_option(struct rdmsr *cmd, struct span word, struct span *args)
{
	struct span arg = word, name = span_until(&arg, "=");

	for (size_t i = 0; i < ARRAY_SIZE(long_options); i++) {
		if (!span_is(name, long_options[i].name))
			continue;
		if (takes_argument(long_options[i].letter) && span_empty(arg)) {
			span_skip(args, "");
			arg = span_until(args, " \t");
		}
		rdmsr_option(cmd, long_options[i].letter, arg);
	}
}

/* -a, -p3, -p 3, -c0p 3 */
static void rdmsr_short_options(struct rdmsr *cmd, struct span word, struct span *args)
{
	for (word.p++; !span_empty(word); word.p++) {
		struct span arg = {word.p + 1, word.end};

		if (!takes_argument(*word.p)) {
			rdmsr_option(cmd, *word.p, (struct span){word.p, word.p});
			continue;
		}
		if (span_empty(arg)) {
			span_skip(args, "");
			arg = span_until(args, " \t");
		}
		rdmsr_option(cmd, *word.p, arg);
		return;
	}
}

/* Arguments of one rdmsr, up to the end of its command */
static void take_rdmsr(struct text *t, struct span args)
{
	struct rdmsr cmd = {.radix = RADIX_HEX, .line = t->line};
	bool has_msr = false;
	uint64_t msr;

	while (span_skip(&args, ""), !span_empty(args)) {
		struct span word = span_until(&args, " \t");

		if (word.end - word.p > 2 && word.p[0] == '-' && word.p[1] == '-') {
			rdmsr_long_option(&cmd, word, &args);
		} else if (word.end - word.p > 1 && word.p[0] == '-') {
			rdmsr_short_options(&cmd, word, &args);
		} else if (!has_msr) {
			has_msr = true;
			if (rdmsr_number(word, UINT32_MAX, &msr))
				cmd.radix = RADIX_LOST;
			else
				cmd.msr = (uint32_t)msr;
		}
	}
	if (!has_msr || cmd.radix == RADIX_LOST) {
		cmd.radix = RADIX_LOST;
		notes_warning(
			t->notes, t->line,
			"which register or CPU this rdmsr reads is not to be seen (-r, -f or a "
			"shell variable): its output is left out");
	}
	if (t->queue_end < RDMSR_QUEUE_MAX)
		t->queue[t->queue_end++] = cmd;
}

/* rdmsr says "rdmsr: CPU 3 cannot read MSR 0x00000680" */
static void take_rdmsr_failure(struct text *t)
{
	notes_warning(t->notes, t->line, "rdmsr could not read this register");
	if (t->queue_first < t->queue_end)
		t->queue_first++;
}

/* A line with rdmsr in it: commands, or a complaint. False: neither, "rdmsr(0x680) = ...". */
static bool parse_rdmsr_line(struct text *t, struct span line)
{
	struct span rest;
	bool first = true;

	while (find_rdmsr(line, &rest)) {
		if (span_empty(rest) || strchr("([", *rest.p))
			return !first;
		if (*rest.p == ':') {
			take_rdmsr_failure(t);
			return true;
		}
		if (first)
			t->queue_first = t->queue_end = 0;
		first = false;
		line = rest;
		take_rdmsr(t, span_until(&line, ";|&>)`\"'"));
	}
	if (first)
		return false;
	for (size_t i = 0; t->queue_end > 1 && i < t->queue_end; i++) {
		if (!t->queue[i].all)
			continue;
		notes_warning(t->notes, t->line,
			      "several rdmsr in one line, and one with -a: which line is whose is "
			      "not to be seen, the output is left out");
		t->queue[0].radix = RADIX_LOST;
		t->queue[0].all = true;
		t->queue_end = 1;
	}
	return true;
}

static int add(struct text *t, uint64_t cpu, uint64_t msr, uint64_t value)
{
	t->in_cpuinfo = false;
	return dump_add(t->dump, cpu, (uint32_t)msr, value, t->line);
}

/* -d prints a signed number, -c -u puts a U behind */
static int rdmsr_value(struct span word, enum radix radix, uint64_t *ret_value)
{
	bool negative = word.end - word.p > 1 && *word.p == '-';

	if (radix == RADIX_HEX)
		return span_hex(&word, UINT64_MAX, ret_value) || !span_empty(word) ? -EINVAL : 0;
	if (radix == RADIX_OCTAL) {
		uint64_t value = 0;

		for (; !span_empty(word); word.p++) {
			if (*word.p < '0' || *word.p > '7' || value >> 61)
				return -EINVAL;
			value = value << 3 | (uint64_t)(*word.p - '0');
		}
		*ret_value = value;
		return 0;
	}
	if (negative)
		word.p++;
	if (span_decimal(&word, UINT64_MAX, ret_value) ||
	    !(span_empty(word) || (word.end - word.p == 1 && *word.p == 'U')))
		return -EINVAL;
	if (negative)
		*ret_value = -*ret_value;
	return 0;
}

/* Does the line look like the output of rdmsr: one number and nothing else? */
static bool is_bare_value(struct span line)
{
	struct span word = line;

	if (span_empty(line))
		return false;
	if (*word.p == '-')
		word.p++;
	cut_word(&word);
	return span_empty(word);
}

static void note_unknown(struct text *t, struct span line)
{
	char text[60];

	if (t->in_cpuinfo && memchr(line.p, ':', (size_t)(line.end - line.p)))
		return;
	notes_warning(t->notes, t->line, "not understood, left out: %s",
		      span_copy(line, text, sizeof(text)));
}

static int parse_bare_value(struct text *t, struct span line)
{
	struct rdmsr *cmd = &t->queue[t->queue_first];
	uint64_t value;
	int err;

	if (t->queue_first == t->queue_end) {
		if (span_hex(&(struct span){line.p, line.end}, UINT64_MAX, &value))
			return note_unknown(t, line), 0;
		notes_warning(t->notes, t->line,
			      "a value without a register is left out: put \"MSR 0x680:\" or the "
			      "command \"rdmsr 0x680\" before it");
		return 0;
	}
	if (!cmd->all)
		t->queue_first++;
	if (cmd->radix == RADIX_LOST)
		return 0;
	if (rdmsr_value(line, cmd->radix, &value)) {
		notes_warning(t->notes, t->line,
			      "no value as the rdmsr of line %zu prints it: "
			      "left out",
			      cmd->line);
		if (cmd->all)
			cmd->cpu++;
		return 0;
	}
	err = add(t, cmd->cpu, cmd->msr, value);
	if (cmd->all)
		cmd->cpu++;
	return err;
}

bool dump_cut_cpu(struct span *line, uint64_t *ret_cpu)
{
	static const char *const names[] = {"cpu", "core", "vcpu", "pcpu", "processor", "thread"};
	struct span rest = *line, word;
	size_t i = 0;

	span_skip(&rest, "[<(");
	word = (struct span){rest.p, rest.p};
	while (word.end < rest.end && isalpha((unsigned char)*word.end))
		word.end++;
	while (i < ARRAY_SIZE(names) && !span_is(word, names[i]))
		i++;
	if (i == ARRAY_SIZE(names))
		return false;
	rest.p = word.end;
	span_skip(&rest, "#:=");
	if (span_decimal(&rest, UINT32_MAX, ret_cpu) ||
	    (!span_empty(rest) && is_word_char(*rest.p)))
		return false;
	span_skip(&rest, "]>):,");
	*line = rest;
	return true;
}

/* Words that say nothing: "MSR", "rdmsr", and names like MSR_LASTBRANCH_0_FROM_IP */
static bool is_filler(struct span word)
{
	uint64_t number;
	static const char *const fillers[] = {"msr", "rdmsr", "register", "reg", "value", "val",
					      "of",  "at",    "address",  "is",	 "read"};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++) {
		if (span_is(word, fillers[i]))
			return true;
	}
	return !span_empty(word) && memchr(word.p, '_', (size_t)(word.end - word.p)) &&
	       span_hex(&word, UINT64_MAX, &number);
}

static void skip_fillers(struct span *s, const char *chars)
{
	for (;;) {
		struct span rest = *s;

		span_skip(&rest, chars);
		*s = rest;
		if (!is_filler(cut_word(&rest)))
			return;
		*s = rest;
	}
}

/* "edx=0xffffffff eax=0x81000010", "lo: 81000010, hi: ffffffff": each half once */
static bool cut_halves(struct span *s, uint64_t *ret_value)
{
	static const char *const names[][2] = {
		{"eax", "edx"}, {"lo", "hi"}, {"low", "high"}, {"lo32", "hi32"}};
	struct span rest = *s;
	uint64_t half[2];
	unsigned int seen = 0;

	for (int i = 0; i < 2; i++) {
		struct span word;
		size_t which = 0;

		span_skip(&rest, ",;");
		word = cut_word(&rest);
		while (which < 2 * ARRAY_SIZE(names) && !span_is(word, names[which / 2][which % 2]))
			which++;
		if (which == 2 * ARRAY_SIZE(names) || !span_skip(&rest, "=:") ||
		    span_hex(&rest, UINT32_MAX, &half[which % 2]))
			return false;
		seen |= 1u << which % 2;
	}
	if (seen != 3)
		return false;
	*s = rest;
	*ret_value = half[1] << 32 | half[0];
	return true;
}

/* "MSR 0x680: 0x...", "680 = ...", "msr[0x680]=..."; @line moves behind it */
static bool cut_pair(struct span *line, uint64_t *ret_msr, uint64_t *ret_value)
{
	struct span rest = *line;
	const char *after_msr;

	skip_fillers(&rest, "([#:=");
	if (span_hex(&rest, UINT32_MAX, ret_msr))
		return false;
	after_msr = rest.p;
	skip_fillers(&rest, ")]:=,|>-");
	/* "0x680 - 0x10" is a dash, "0x680: -10" a sign, which a register has not */
	if (rest.p == after_msr || rest.p[-1] == '-' ||
	    (!cut_halves(&rest, ret_value) && span_hex(&rest, UINT64_MAX, ret_value)))
		return false;
	*line = rest;
	return true;
}

/* "6c0=2", "MSR 6c0 2": a sign, or the word, tells a pair from numbers that mean something else */
static bool starts_pair(struct span line)
{
	struct span word = line, rest = line;
	uint64_t msr, value;

	if (!cut_pair(&rest, &msr, &value))
		return false;
	if (span_is(cut_word(&word), "msr"))
		return true;
	skip_fillers(&line, "");
	if (span_hex(&line, UINT32_MAX, &msr))
		return false;
	span_skip(&line, "");
	return !span_empty(line) && strchr("=:", *line.p);
}

enum after_pair {
	AFTER_END,  /* nothing, or a comment */
	AFTER_PAIR, /* one more */
	AFTER_ELSE, /* what makes the whole line doubtful: "680, 81000010, ffffffff" */
};

static enum after_pair cut_after_pair(struct span *s)
{
	uint64_t number;
	struct span word;
	bool separated;

	span_skip(s, "");
	if (span_empty(*s) || strchr("#(/", *s->p))
		return AFTER_END;
	separated = span_skip(s, ",;|");
	if (starts_pair(*s))
		return AFTER_PAIR;
	word = *s;
	if (!separated || (!span_hex(&word, UINT64_MAX, &number) &&
			   (isdigit((unsigned char)*s->p) || word.p - s->p >= 6)))
		return AFTER_ELSE;
	return AFTER_END;
}

/* "[    T99] " or "[     C3] ": who printed it, which is not whose registers they are */
static void skip_log_caller(struct span *line)
{
	struct span rest = *line;
	uint64_t number;

	if (span_empty(rest) || *rest.p++ != '[')
		return;
	span_skip(&rest, "");
	if (span_empty(rest) || (*rest.p != 'T' && *rest.p != 'C'))
		return;
	rest.p++;
	if (!span_decimal(&rest, UINT32_MAX, &number) && !span_empty(rest) && *rest.p == ']') {
		rest.p++;
		*line = span_trim(rest);
	}
}

/*
 * "[   12.345678] " of the kernel log, with "<6>" before it or "[    T99] " behind it,
 * "[2026-11-21 15:13:04] " of Xen's, "[Sat Nov 21 15:13:04 2026] " of dmesg -T
 */
static void skip_log_time(struct span *line)
{
	struct span rest = *line, time;
	uint64_t level;

	if (!span_empty(rest) && *rest.p == '<') {
		rest.p++;
		if (!span_decimal(&rest, UINT32_MAX, &level) && !span_empty(rest) && *rest.p == '>')
			line->p = rest.p + 1;
		rest = *line;
	}

	if (span_empty(rest) || *rest.p != '[')
		return;
	rest.p++;
	time = span_until(&rest, "]");
	if (!memchr(time.p, '.', (size_t)(time.end - time.p)) &&
	    !memchr(time.p, ':', (size_t)(time.end - time.p)))
		return;
	if (time.end - time.p == sizeof("Sat Nov 21 15:13:04 2026") - 1 && time.p[3] == ' ' &&
	    time.p[7] == ' ')
		time.p += 8;
	while (!span_empty(time) && (isdigit((unsigned char)*time.p) || strchr(" .:-", *time.p)))
		time.p++;
	if (!span_empty(time))
		return;
	*line = span_trim(rest);
	skip_log_caller(line);
}

/*
 * "  cat-99  [003] d..1.  5.123456: read_msr: 680, value 1" of ftrace, "cat 99 [003] 5.123456:
 * msr:read_msr: 680, value 1" of perf script: the CPU is in brackets
 */
static bool cut_read_msr(struct span *line, uint64_t *ret_cpu)
{
	static const char event[] = "read_msr: ";
	size_t len = sizeof(event) - 1;
	struct span rest = *line, cpu;

	for (; rest.end - rest.p >= (ptrdiff_t)len; rest.p++) {
		if (rest.p > line->p && strchr(" :", rest.p[-1]) && !memcmp(rest.p, event, len))
			break;
	}
	if (rest.end - rest.p < (ptrdiff_t)len)
		return false;
	for (cpu = *line; cpu.p < rest.p; cpu.p++) {
		struct span number = {cpu.p + 1, rest.p};

		if (*cpu.p == '[' && !span_decimal(&number, UINT32_MAX, ret_cpu) &&
		    !span_empty(number) && *number.p == ']') {
			line->p = rest.p + len;
			return true;
		}
	}
	return false;
}

/* "(XEN) ", and "Nov 21 15:13:04 host kernel: " of syslog */
static void skip_log_source(struct span *line)
{
	static const char xen[] = "(XEN) ", kernel[] = " kernel: ";
	size_t len = sizeof(kernel) - 1;

	if (line->end - line->p >= (ptrdiff_t)sizeof(xen) - 1 &&
	    !memcmp(line->p, xen, sizeof(xen) - 1))
		line->p += sizeof(xen) - 1;
	for (const char *p = line->p; line->end - p >= (ptrdiff_t)len; p++) {
		if (!memcmp(p, kernel, len)) {
			line->p = p + len;
			break;
		}
	}
	*line = span_trim(*line);
}

/*
 * "3: kd> rdmsr 680" of the Windows debuggers: the CPU of what follows; what it was told is no news
 */
static bool parse_kd_prompt(struct text *t, struct span line)
{
	static const char prompt[] = "kd>";
	size_t len = sizeof(prompt) - 1;
	uint64_t cpu;
	bool has_cpu = !span_decimal(&line, UINT32_MAX, &cpu) && !span_empty(line);

	if (has_cpu && *line.p++ != ':')
		return false;
	span_skip(&line, "");
	if (!has_cpu && !span_empty(line) && *line.p == 'l')
		line.p++; /* lkd>: of the machine itself */
	if (line.end - line.p < (ptrdiff_t)len || memcmp(line.p, prompt, len))
		return false;
	t->queue_first = t->queue_end = 0;
	if (has_cpu)
		t->cpu = cpu;
	return true;
}

/* "key : value" or "key = value" about the CPU */
static bool parse_property(struct text *t, struct span line)
{
	struct span value = line, key = span_until(&value, ":=");

	if (!dump_property(t->dump, key, value, t->line, t->notes))
		return false;
	t->in_cpuinfo = true;
	return true;
}

/* "# rdmsr 0x680" is a command, "# read with rdmsr" a comment. */
static bool is_root_prompt(struct span line)
{
	struct span word;

	span_skip(&line, "#");
	word = cut_word(&line);
	return span_is(word, "rdmsr") || span_is(word, "sudo");
}

/* One pair or several, then perhaps a comment; -EINVAL if the line is not made up like that */
static int take_pairs(struct text *t, struct span line, uint64_t cpu, bool check_only)
{
	enum after_pair after;
	uint64_t msr, value;

	do {
		int err = cut_pair(&line, &msr, &value) ? 0 : -EINVAL;

		after = err ? AFTER_ELSE : cut_after_pair(&line);
		if (after == AFTER_ELSE)
			return -EINVAL;
		if (!check_only)
			err = add(t, cpu, msr, value);
		if (err)
			return err;
	} while (after == AFTER_PAIR);
	return 0;
}

/* A line that is neither of rdmsr nor about the CPU */
static int parse_registers(struct text *t, struct span line)
{
	static const char fault[] = "#GP";
	uint64_t cpu = t->cpu;
	bool traced = cut_read_msr(&line, &cpu), has_cpu;

	if (traced && line.end - line.p > 3 && !memcmp(line.end - 3, fault, 3)) {
		notes_warning(t->notes, t->line, "the kernel could not read this register");
		return 0;
	}
	has_cpu = dump_cut_cpu(&line, &cpu);
	if (has_cpu && span_empty(line)) {
		t->cpu = cpu;
		return 0;
	}
	if (!has_cpu && is_bare_value(line))
		return parse_bare_value(t, line);
	if (!take_pairs(t, line, cpu, true))
		return take_pairs(t, line, cpu, false);
	note_unknown(t, line);
	return 0;
}

static int parse_line(struct text *t, struct span line)
{
	line = span_trim(line);
	skip_log_source(&line);
	skip_log_time(&line);
	if (span_empty(line)) {
		t->in_cpuinfo = false;
		return 0;
	}
	if (*line.p == '#' && !is_root_prompt(line)) {
		span_skip(&line, "#");
		parse_property(t, line);
		return 0;
	}
	if (parse_kd_prompt(t, line) || parse_rdmsr_line(t, line) || parse_property(t, line))
		return 0;
	return parse_registers(t, line);
}

int dump_parse_text(const char *data, size_t len, struct dump *dump, struct notes *notes)
{
	struct text t = {.dump = dump, .notes = notes};
	struct span rest = {data, data + len}, line;

	while (span_line(&rest, &line)) {
		int err;

		t.line++;
		err = parse_line(&t, line);
		if (err)
			return err;
	}
	return 0;
}
