// SPDX-License-Identifier: GPL-2.0
/*
 * operand_facts.c - what is said of conditions in a file with DWARF, and each answer it rests on
 *
 *	operand_facts [-e] [-n COUNT] [-s SEED] [-f FUNCTION] FILE
 *	operand_facts ... -m MODULE -d DIRECTORY -t TEXT VMLINUX SECTION=ADDRESS...
 *
 * Takes conditional branches of FILE (a vmlinux, or a program) at random and prints each condition
 * with its names, "C" lines, after the facts that it was made of, "F" lines: tests/vm/operands asks
 * gdb for the same. Of a fact: kind, address, register, offset, bytes, part, mask, pointer, text,
 * tab-separated. -e: branches that decide for an errno that is loaded at most 12 instructions on,
 * or was. -f: of this function alone. -m: of a module, as tests/operands/link_module has laid it
 *out; DIRECTORY has its debug information.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/code.h"
#include "symbolize/build_id.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "util/cleanup.h"
#include "why/decision/decision.h"

#define NEAR	      12
#define FUNCTIONS_MAX 400000
/* Of one function at most: else the largest ones are all there is. */
#define PER_FUNCTION 3

static struct symbol functions[FUNCTIONS_MAX];
static size_t function_count;
static const char *only;
static const char *module = "";
static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int add_function(const struct symbol *sym, void *ctx)
{
	(void)ctx;
	if (strcmp(sym->module, module) != 0 || (only && strcmp(sym->name, only) != 0))
		return 0;
	if (function_count < FUNCTIONS_MAX && sym->size > 16)
		functions[function_count++] = *sym;
	return 0;
}

static void print_fact(void *ctx, const struct operand_fact *fact)
{
	static const char *const kinds[] = {
		[OPERAND_FACT_REGISTER] = "register", [OPERAND_FACT_STACK] = "stack",
		[OPERAND_FACT_GLOBAL] = "global",     [OPERAND_FACT_PERCPU] = "percpu",
		[OPERAND_FACT_MEMBER] = "member",     [OPERAND_FACT_BITS] = "bits",
	};

	(void)ctx;
	printf("F\t%s\t0x%" PRIx64 "\t%u\t%" PRId64 "\t%u\t%u\t0x%" PRIx64 "\t%s\t%s\n",
	       kinds[fact->kind], fact->at, fact->reg, fact->offset, fact->bytes, fact->part,
	       fact->mask, fact->pointer ?: "-", fact->text);
}

/* The branch is among the NEAR instructions before the errno, or behind it where that is early. */
static bool is_near(const struct code *code, const struct insn *site, uint64_t branch)
{
	const struct insn *end = code->insns + code->count;

	for (int i = 0; i <= NEAR; i++)
		if ((site - i >= code->insns && site[-i].addr == branch) ||
		    (site + i < end && site[i].addr == branch))
			return true;
	return false;
}

struct tally {
	size_t decisions;
	size_t named;
};

static void one_decision(const struct decision_code *where, const struct symbol *func,
			 const struct code *code, const struct insn *at, bool errnos,
			 struct tally *tally)
{
	struct decision decision;

	if (decisions_find(where, func, at->addr, NULL, NULL, &decision, 1) < 1 ||
	    (errnos && !only && !is_near(code, at, decision.addr)))
		return;
	tally->decisions++;
	tally->named += decision.source[0] != '\0';
	printf("C\t0x%" PRIx64 "\t%s\t%s\n", decision.addr, decision.condition, decision.source);
}

static bool is_place(const struct code *code, size_t i, bool errnos)
{
	const struct insn *in = &code->insns[i];

	if (errnos)
		return in->err && insn_makes_errno(in, i ? in - 1 : NULL, i > 1 ? in - 2 : NULL);
	return i && in[-1].class == INSN_COND;
}

static void one_function(const struct decision_code *where, const struct symbol *func, bool errnos,
			 struct tally *tally)
{
	size_t places[PER_FUNCTION], count = 0, seen = 0;
	struct code *code;

	if (code_load_symbol(where->text, where->symbols, func, &code))
		return;
	for (size_t i = 0; i < code->count; i++) {
		if (!is_place(code, i, errnos))
			continue;
		seen++;
		if (count < PER_FUNCTION)
			places[count++] = i;
		else if (next_random() % seen < PER_FUNCTION)
			places[next_random() % PER_FUNCTION] = i;
	}
	for (size_t i = 0; i < count; i++)
		one_decision(where, func, code, &code->insns[places[i]], errnos, tally);
	code_free(code);
}

/** struct subject - where the decisions are drawn from; @text, @debug_dir: of a module, or NULL */
struct subject {
	const char *file;
	const char *text;
	const char *debug_dir;
	char **sections;
};

static int place_sections(struct lines *lines, char **sections)
{
	int err = lines_set_module(lines, module, NULL, 0);

	for (; !err && *sections; sections++) {
		char *addr = strchr(*sections, '=');

		if (!addr)
			return -EINVAL;
		*addr = '\0';
		err = lines_place_section(lines, module, *sections, strtoull(addr + 1, NULL, 0));
	}
	return err;
}

static int open_symbols(const struct subject *subject, struct symbols **ret_symbols)
{
	_cleanup_free_ char *kallsyms = NULL;

	if (!*module)
		return symbols_open_elf(subject->file, 0, ret_symbols);
	if (asprintf(&kallsyms, "%s.kallsyms", subject->text) < 0)
		return -ENOMEM;
	return symbols_open(kallsyms, ret_symbols);
}

static int open_subject(const struct subject *subject, struct decision_code *where,
			struct text **ret_text)
{
	struct build_id id = {};
	struct lines_options options = {
		.release = "none",
		.vmlinux = subject->file,
		.debug_dir = subject->debug_dir,
		.build_id = id.bytes,
	};

	build_id_of_file(subject->file, &id);
	options.build_id_len = id.len;
	return open_symbols(subject, &where->symbols)
		       ?: text_image_open(*module ? subject->text : subject->file, 0, ret_text)
		       ?: lines_open(&options, &where->lines)
		       ?: (*module ? place_sections(where->lines, subject->sections) : 0);
}

int main(int argc, char **argv)
{
	struct subject subject = {};
	struct decision_code where = {.fact = print_fact};
	struct tally tally = {};
	struct text_source source;
	struct text *text;
	size_t count = 1000;
	bool errnos = false;
	int opt, err;

	state = 1;
	while ((opt = getopt(argc, argv, "d:ef:m:n:s:t:")) != -1) {
		if (opt == 'e')
			errnos = true;
		else if (opt == 'n')
			count = strtoull(optarg, NULL, 0);
		else if (opt == 'f')
			only = optarg;
		else if (opt == 's')
			state = strtoull(optarg, NULL, 0);
		else if (opt == 'm')
			module = optarg;
		else if (opt == 'd')
			subject.debug_dir = optarg;
		else if (opt == 't')
			subject.text = optarg;
		else
			return 2;
	}
	if (*module ? optind >= argc || !subject.text : optind + 1 != argc) {
		fprintf(stderr, "Usage: %s [-e] [-n COUNT] [-s SEED] [-f FUNCTION] FILE\n",
			argv[0]);
		return 2;
	}
	state = (state + 1) * 0x9e3779b97f4a7c15u;
	subject.file = argv[optind];
	subject.sections = argv + optind + 1;
	err = open_subject(&subject, &where, &text);
	if (err) {
		fprintf(stderr, "%s: %s: %s\n", argv[0], subject.file, strerror(-err));
		return 1;
	}
	source = text_source(text);
	where.text = &source;
	symbols_for_each(where.symbols, add_function, NULL);
	for (size_t tries = 0; function_count && tally.decisions < count && tries < 50 * count;
	     tries++)
		one_function(&where, &functions[next_random() % function_count], errnos, &tally);
	printf("N\t%zu\t%zu\n", tally.decisions, tally.named);
	lines_close(where.lines);
	text_close(text);
	symbols_close(where.symbols);
	return 0;
}
