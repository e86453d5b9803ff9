// SPDX-License-Identifier: GPL-2.0
/*
 * verify_log - the emulator's log proved from the other side: branches by the instructions that ran
 *
 *	verify_log [-f KINDS] [-n INSNS] KALLSYMS TEXT_BEFORE TEXT_AFTER LOG
 *
 * The LBR's stack and the log's B lines are written by one function of the emulator, so a branch
 *that it misses is in neither. The I lines come from another place: each instruction says its
 *address when it starts. Between two of one CPU that do not follow each other in memory, by the
 *length that objdump reads, there has to be the B line of that branch, and where they do follow
 *there may be none, but of a branch to the next instruction.
 *
 * TEXT_BEFORE, TEXT_AFTER: the kernel's text from _stext to _etext as the guest's memory had it:
 *static keys change it, so an instruction may be as either says. With -f, KINDS
 *(cond,jmp,ijmp,call,icall,ret, far,irq) entered the LBR, and others may not be in the log (SDM
 *vol. 3B, 17.9.2 "Filtering of Last Branch Records": interrupts and exceptions are far branches).
 *
 * With -n, the log up to its instruction INSNS.
 *
 * Not judged, and counted: what follows an instruction of user space, of a module or of a BPF
 *program. Exit status: 0: nothing wrong; 1: something; 2: cannot read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objdump.h"
#include "truth.h"

#define KERNEL_SPACE   (UINT64_C(1) << 63)
#define BRANCHES_MAX   64 /* between two instructions */
#define SLOT_BYTES     32 /* an instruction's bytes, and NOPs until objdump is in step again */
#define INSN_BYTES_MAX 15
#define WRONG_SAID_MAX 20

enum kind { COND, JMP, IJMP, CALL, ICALL, RET, FAR, IRQ, KIND_COUNT, NO_BRANCH = KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {"cond",  "jmp", "ijmp", "call",
						   "icall", "ret", "far",  "irq"};

/* An instruction by objdump. @len: 0 where none ran */
struct fact {
	int64_t target; /* of a direct branch */
	uint8_t len;
	uint8_t kind; /* enum kind of its branch */
	bool always;  /* it never goes on to the next instruction */
};

struct text {
	uint8_t *bytes;
	struct fact *facts; /* one of each byte */
};

struct branch {
	uint64_t from;
	uint64_t to;
	enum kind kind;
};

struct cpu {
	bool running; /* @insn is known */
	uint64_t insn;
	struct branch branches[BRANCHES_MAX];
	size_t count;
};

static struct {
	uint64_t start, end; /* of the kernel's text */
	uint64_t stubs, stubs_end, int3;
	uint64_t *entries; /* of interrupts and exceptions, sorted */
	size_t entry_count;
	struct text texts[2];
	bool passes[KIND_COUNT];
	bool filtered;
	uint64_t most; /* instructions of the log */
	struct cpu cpus[TRUTH_CPUS_MAX];
	uint64_t insns, judged, branches, straight, unknown, wrong, by_kind[KIND_COUNT], patched;
} v;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "verify_log: %s: %s\n", what, why);
	exit(2);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void read_kallsyms(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512], name[256];
	uint64_t addr;

	if (!file)
		die(path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %255s", &addr, name) != 2 || strchr(line, '['))
			continue;
		if (!strcmp(name, "_stext"))
			v.start = addr;
		else if (!strcmp(name, "_etext"))
			v.end = addr;
		else if (!strcmp(name, "irq_entries_start"))
			v.stubs = addr;
		else if (!strcmp(name, "spurious_entries_start"))
			v.stubs_end = addr;
		else if (!strncmp(name, "asm_", 4)) {
			v.entries = realloc(v.entries, (v.entry_count + 1) * sizeof(*v.entries));
			if (!v.entries)
				die(path, strerror(errno));
			v.entries[v.entry_count++] = addr;
			if (!strcmp(name, "asm_exc_int3"))
				v.int3 = addr;
		}
	}
	fclose(file);
	if (!v.start || v.end <= v.start || !v.entry_count)
		die(path, "no _stext, _etext or asm_*");
	qsort(v.entries, v.entry_count, sizeof(*v.entries), by_addr);
}

static void read_text(const char *path, struct text *text)
{
	size_t size = v.end - v.start;
	FILE *file = fopen(path, "r");

	text->bytes = calloc(1, size + INSN_BYTES_MAX);
	text->facts = calloc(size, sizeof(*text->facts));
	if (!file || !text->bytes || !text->facts)
		die(path, strerror(errno));
	if (fread(text->bytes, 1, size, file) != size)
		die(path, "not all of the text from _stext to _etext");
	fclose(file);
}

static bool in_text(uint64_t addr)
{
	return addr >= v.start && addr < v.end;
}

static bool is_entry(uint64_t addr)
{
	return bsearch(&addr, v.entries, v.entry_count, sizeof(addr), by_addr) ||
	       (addr >= v.stubs && addr < v.stubs_end);
}

static struct fact fact_of(const struct objdump_line *line, uint64_t at)
{
	struct fact fact = {.len = (uint8_t)line->len, .kind = NO_BRANCH, .always = true};

	switch (objdump_class(line->text)) {
	case INSN_COND:
		fact.kind = COND;
		fact.always = false;
		break;
	case INSN_JMP:
		fact.kind = JMP;
		break;
	case INSN_IJMP:
		fact.kind = IJMP;
		break;
	case INSN_CALL:
		fact.kind = CALL;
		break;
	case INSN_ICALL:
		fact.kind = ICALL;
		break;
	case INSN_RET:
		fact.kind = RET;
		break;
	case INSN_SYSCALL:
	case INSN_SYSRET:
	case INSN_IRET:
	case INSN_INT:
	case INSN_FAR:
		fact.kind = FAR;
		break;
	case INSN_UD: /* goes nowhere but into its exception */
		break;
	default:
		fact.always = false;
	}
	if (fact.kind == COND || fact.kind == JMP || fact.kind == CALL)
		fact.target = (int64_t)(objdump_target(line->text) - line->addr + at);
	return fact;
}

/*
 * What objdump says of the instructions at @addrs. Each stands in a slot of its own, so that it is
 * read from its first byte, whatever is before it.
 */
static void disassemble(struct text *text, const uint64_t *addrs, size_t count)
{
	char path[] = "/tmp/verify_log.XXXXXX", command[128], *line = NULL;
	int fd = mkstemp(path);
	FILE *slots = fd < 0 ? NULL : fdopen(fd, "w"), *objdump;
	size_t size = 0;

	if (!slots)
		die(path, strerror(errno));
	for (size_t i = 0; i < count; i++) {
		uint8_t slot[SLOT_BYTES];

		memset(slot, 0x90, sizeof(slot));
		memcpy(slot, text->bytes + (addrs[i] - v.start), INSN_BYTES_MAX);
		fwrite(slot, 1, sizeof(slot), slots);
	}
	if (fclose(slots))
		die(path, strerror(errno));
	snprintf(command, sizeof(command), "objdump -D -z -w -b binary -m i386:x86-64 %s", path);
	objdump = popen(command, "r");
	if (!objdump)
		die("objdump", strerror(errno));
	while (getline(&line, &size, objdump) > 0) {
		struct objdump_line parsed;

		if (!objdump_parse(line, &parsed) || parsed.addr % SLOT_BYTES)
			continue;
		if (parsed.addr / SLOT_BYTES < count) {
			uint64_t at = addrs[parsed.addr / SLOT_BYTES];

			text->facts[at - v.start] = fact_of(&parsed, at);
		}
	}
	free(line);
	if (pclose(objdump))
		die("objdump", "it fails");
	unlink(path);
}

/* A number behind one space; *@p: behind it, or NULL if there is none. Half of all time is here. */
static uint64_t number(const char **p, unsigned int base)
{
	const char *at = *p;
	uint64_t value = 0;

	if (!at || *at++ != ' ' || (base == 16 && (*at++ != '0' || *at++ != 'x'))) {
		*p = NULL;
		return 0;
	}
	for (*p = at;; at++) {
		unsigned int digit = (unsigned int)(*at >= 'a' ? *at - 'a' + 10 : *at - '0');

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	*p = at == *p ? NULL : at;
	return value;
}

/* One line of the log. Return: its kind; 0 of one that is none. */
static char parse(const char *line, uint32_t *cpu, uint64_t *addr, struct branch *branch)
{
	const char *p = line + 1;

	*cpu = (uint32_t)number(&p, 10);
	number(&p, 10); /* its place in the log */
	if (line[0] == 'I') {
		*addr = number(&p, 16);
		return p ? 'I' : 0;
	}
	if (line[0] == 'Z' || line[0] == 'C')
		return p ? line[0] : 0;
	branch->from = number(&p, 16);
	branch->to = number(&p, 16);
	if (line[0] != 'B' || !p || *p++ != ' ')
		return 0;
	for (branch->kind = 0; branch->kind < KIND_COUNT; branch->kind++) {
		size_t len = strlen(kind_names[branch->kind]);

		if (!strncmp(p, kind_names[branch->kind], len) && p[len] == ' ')
			return 'B';
	}
	return 0;
}

static bool enters(enum kind kind)
{
	return !v.filtered || v.passes[kind];
}

/*
 * Do interrupts, one after the other and no instruction between them, lead from @pos to @to by
 * these branches? @somewhere: @pos is not known.
 */
static bool interrupts_lead(const struct branch *branches, size_t count, uint64_t pos,
			    bool somewhere, uint64_t to)
{
	if (!enters(IRQ) && !count)
		return somewhere || pos == to || is_entry(to);
	for (size_t i = 0; i < count; i++) {
		if (branches[i].kind != IRQ || !is_entry(branches[i].to) ||
		    (!somewhere && branches[i].from != pos))
			return false;
		pos = branches[i].to;
		somewhere = false;
	}
	return somewhere || pos == to;
}

/* Does the branch of the instruction at @from lead to @to? */
static bool branch_leads(const struct fact *fact, uint64_t from, const struct branch *branches,
			 size_t count, uint64_t to)
{
	bool direct = fact->kind == COND || fact->kind == JMP || fact->kind == CALL;

	if (!enters(fact->kind))
		return interrupts_lead(branches, count, (uint64_t)fact->target, !direct, to);
	return count && branches[0].from == from && branches[0].kind == fact->kind &&
	       (!direct || branches[0].to == (uint64_t)fact->target) &&
	       interrupts_lead(branches + 1, count - 1, branches[0].to, false, to);
}

/*
 * Is it the INT3 that the kernel writes over a static key, a static call or a function's NOP for a
 * moment (arch/x86/kernel/alternative.c, text_poke_bp_batch())? Those are 2 or 5 bytes long.
 */
static bool is_patched(const struct fact *fact, uint64_t from, const struct branch *branches,
		       size_t count)
{
	return count && branches[0].kind == FAR && branches[0].from == from &&
	       branches[0].to == v.int3 && (fact->len == 2 || fact->len == 5) &&
	       (fact->kind == NO_BRANCH || fact->kind == JMP || fact->kind == CALL);
}

static bool explains(const struct fact *fact, uint64_t from, const struct branch *branches,
		     size_t count, uint64_t to)
{
	if (!fact->len)
		return false;
	if (!fact->always && interrupts_lead(branches, count, from + fact->len, false, to))
		return true;
	if (fact->kind != NO_BRANCH && branch_leads(fact, from, branches, count, to))
		return true;
	if (is_patched(fact, from, branches, count)) {
		v.patched++;
		return interrupts_lead(branches + 1, count - 1, v.int3, false, to);
	}
	/* It faulted, or was a string instruction that an interrupt broke off. */
	return (count || !enters(IRQ)) && to != from &&
	       interrupts_lead(branches, count, from, false, to);
}

static void judge(const struct cpu *cpu, uint64_t to)
{
	const struct branch *branches = cpu->branches;
	size_t at = cpu->insn - v.start;

	if (!in_text(cpu->insn)) {
		v.unknown++;
		return;
	}
	v.judged++;
	v.branches += cpu->count;
	v.straight += !cpu->count;
	for (size_t i = 0; i < cpu->count; i++)
		v.by_kind[branches[i].kind]++;
	for (size_t i = 0; i < 2; i++)
		if (explains(&v.texts[i].facts[at], cpu->insn, branches, cpu->count, to))
			return;
	if (v.wrong++ >= WRONG_SAID_MAX)
		return;
	printf("wrong: 0x%" PRIx64 " (%u bytes), then 0x%" PRIx64 ", %zu branches", cpu->insn,
	       v.texts[0].facts[at].len, to, cpu->count);
	for (size_t i = 0; i < cpu->count && i < 4; i++)
		printf(" %s 0x%" PRIx64 "->0x%" PRIx64, kind_names[branches[i].kind],
		       branches[i].from, branches[i].to);
	printf("\n");
}

static void judge_line(const char *line)
{
	struct branch branch;
	uint64_t addr = 0;
	uint32_t no = 0;
	char kind = parse(line, &no, &addr, &branch);
	struct cpu *cpu = &v.cpus[no];

	if (!kind || no >= TRUTH_CPUS_MAX)
		die("not a line of the log", line);
	if (kind == 'C') /* the stack is empty, and recording goes on */
		return;
	if (kind == 'B') {
		if (cpu->count == BRANCHES_MAX)
			die("too many branches between two instructions", line);
		cpu->branches[cpu->count++] = branch;
		return;
	}
	if (kind == 'I' && cpu->running)
		judge(cpu, addr);
	v.insns += kind == 'I';
	cpu->running = kind == 'I';
	cpu->insn = addr;
	cpu->count = 0;
}

/* The instructions of the text that ran, once each. */
static void collect(FILE *log, uint64_t **ret, size_t *ret_count)
{
	uint8_t *seen = calloc(v.end - v.start, 1);
	struct branch branch;
	size_t size = 0;
	char *line = NULL;
	uint64_t addr, insns = 0;
	uint32_t cpu;

	*ret = calloc(v.end - v.start, sizeof(**ret));
	if (!seen || !*ret)
		die("memory", strerror(errno));
	while (insns < v.most && getline(&line, &size, log) > 0) {
		insns += line[0] == 'I';
		if (line[0] != 'I' || !parse(line, &cpu, &addr, &branch) || !in_text(addr) ||
		    seen[addr - v.start]++)
			continue;
		seen[addr - v.start] = 1;
		(*ret)[(*ret_count)++] = addr;
	}
	free(line);
	free(seen);
}

static void read_filter(char *kinds)
{
	for (char *name = strtok(kinds, ","); name; name = strtok(NULL, ",")) {
		int i;

		for (i = 0; i < KIND_COUNT && strcmp(name, kind_names[i]) != 0; i++)
			;
		if (i == KIND_COUNT)
			die(name, "no kind of branch");
		v.passes[i] = v.filtered = true;
	}
}

int main(int argc, char **argv)
{
	size_t size = 0, count = 0;
	uint64_t *addrs = NULL;
	char *line = NULL;
	FILE *log;
	int opt;

	v.most = UINT64_MAX;
	while ((opt = getopt(argc, argv, "f:n:")) != -1) {
		if (opt == 'f')
			read_filter(optarg);
		else if (opt == 'n')
			v.most = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (argc - optind != 4)
		die("usage",
		    "verify_log [-f KINDS] [-n INSNS] KALLSYMS TEXT_BEFORE TEXT_AFTER LOG");
	read_kallsyms(argv[optind]);
	for (size_t i = 0; i < 2; i++)
		read_text(argv[optind + 1 + (int)i], &v.texts[i]);
	log = fopen(argv[optind + 3], "r");
	if (!log)
		die(argv[optind + 3], strerror(errno));
	collect(log, &addrs, &count);
	for (size_t i = 0; i < 2; i++)
		disassemble(&v.texts[i], addrs, count);
	rewind(log);
	while (v.insns < v.most && getline(&line, &size, log) > 0)
		judge_line(line);
	printf("%" PRIu64 " instructions, %" PRIu64
	       " of the kernel's text judged, at %zu places; %" PRIu64 " went straight on, %" PRIu64
	       " branches",
	       v.insns, v.judged, count, v.straight, v.branches);
	for (int i = 0; i < KIND_COUNT; i++)
		printf(", %" PRIu64 " %s", v.by_kind[i], kind_names[i]);
	printf("; %" PRIu64 " INT3 of text that was patched; %" PRIu64
	       " of elsewhere not judged; %" PRIu64 " wrong\n",
	       v.patched, v.unknown, v.wrong);
	fclose(log);
	free(line);
	free(addrs);
	return v.wrong != 0;
}
