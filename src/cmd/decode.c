// SPDX-License-Identifier: GPL-2.0
/* decode.c - raw LBR MSR values to branches */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/decode_tables.h"
#include "cmd/output.h"
#include "decode/dump.h"
#include "decode/live.h"
#include "decode/stack.h"
#include "path/fused.h"
#include "render/json.h"
#include "render/branch_list.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"
#include "util/cleanup.h"
#include "util/log.h"

/* The least CONFIG_PHYSICAL_ALIGN of x86-64: Linux arch/x86/Kconfig */
#define KASLR_STEP (2u << 20)

enum {
	OPT_CPU = 0x100,
	OPT_FORMAT,
	OPT_INPUT,
	OPT_TOS,
	OPT_JSON,
	OPT_KALLSYMS,
	OPT_SYSTEM_MAP,
	OPT_VMLINUX,
	OPT_KASLR_OFFSET,
	OPT_KASLR_BASE,
	OPT_LIVE,
	OPT_CPU_ID,
	OPT_EXPLAIN,
	OPT_LIST_MODELS,
	OPT_ADDRESSES,
};

static const struct argp_option options[] = {
	{0, 0, 0, 0, "Whose LBR it is (else the dump must say so):", 1},
	{"cpu", OPT_CPU, "SIG", 0,
	 "CPU as in the manual: 06_5EH, amd:19_11H, a CPUID signature (0x506E3), or a name of "
	 "--list-models",
	 0},
	{"format", OPT_FORMAT, "N", 0, "LBR format of IA32_PERF_CAPABILITIES[5:0]: 0 to 7, 3f", 0},
	{"tos", OPT_TOS, "N", 0, "Top of stack, for a dump that lacks it", 0},
	{0, 0, 0, 0, "Where it comes from:", 2},
	{"input", OPT_INPUT, "FORM", 0,
	 "Form of FILE: auto (default), text, csv, json, records, block", 0},
	{"live", OPT_LIVE, 0, 0, "Read the registers of this machine", 0},
	{"cpu-id", OPT_CPU_ID, "N", 0, "Of this CPU alone (with --live, or of the dump)", 0},
	{0, 0, 0, 0, "Names for the addresses:", 3},
	{"kallsyms", OPT_KALLSYMS, "FILE", 0, "/proc/kallsyms of the machine", 0},
	{"system-map", OPT_SYSTEM_MAP, "FILE", 0, "System.map of its kernel", 0},
	{"vmlinux", OPT_VMLINUX, "FILE", 0, "Kernel image with symbols", 0},
	{"kaslr-offset", OPT_KASLR_OFFSET, "N", 0,
	 "Run-time minus link-time address, for System.map and vmlinux", 0},
	{"kaslr-base", OPT_KASLR_BASE, "ADDR", 0, "Or: run-time address of _text", 0},
	{0, 0, 0, 0, "What to print:", 4},
	{"json", OPT_JSON, 0, 0, "One JSON object a CPU, schema lbrsnoop.snapshot/1", 0},
	{"addresses", OPT_ADDRESSES, 0, 0, "Addresses beside the names", 0},
	{"explain", OPT_EXPLAIN, "MSR=VALUE", 0, "Print one register field by field, and end", 0},
	{"list-models", OPT_LIST_MODELS, 0, 0,
	 "Print all LBRs known (with --verbose: sources and errata), and end", 0},
	{"verbose", 'v', 0, 0, "Say more", 0},
	{0},
};

static const char doc[] =
	"Decode the values of last-branch-record MSRs into branches, oldest first.\v"
	"FILE (default: standard input) holds MSR numbers and values of one CPU or many, as people "
	"have them: \"MSR 0x680: 0x...\", \"680 = ...\", \"CPU 3: MSR 0x680 0x...\", a pasted "
	"shell "
	"session with rdmsr, CSV (msr,value or cpu,msr,value), JSON ({\"0x680\": \"0x...\"}), or "
	"binary records (u32 msr, u32 cpu, u64 value). Lines of /proc/cpuinfo in it name the "
	"CPU.\n\n"
	"  lbrsnoop decode --cpu 06_5EH dump.txt\n"
	"  lbrsnoop decode --cpu 06_1AH --explain 0x683=0xffffffff81000010\n\n"
	"Exit status: 0 branches were found, 1 none, 2 error, 3 this machine has no LBR to read, 4 "
	"not permitted, 64 usage.";

/** struct decode_options - what the command line says */
struct decode_options {
	const struct lbr_model *model;
	enum dump_form form;
	struct stack_options stack;
	bool json;
	bool addresses;
	bool live;
	bool list_models;
	int64_t cpu_id;
	const char *explain;
	const char *kallsyms;
	const char *system_map;
	const char *vmlinux;
	bool has_offset;
	bool has_base;
	uint64_t kaslr;
	const char *file;
};

static const struct lbr_model *parse_cpu(struct argp_state *state, const char *arg)
{
	const struct lbr_model *model = NULL;
	int err = lbr_model_by_text(arg, &model);

	if (err == -ENOENT)
		argp_error(state,
			   "--cpu '%s': no LBR is known of this CPU; name its --format, or see "
			   "--list-models",
			   arg);
	else if (err)
		argp_error(state,
			   "--cpu '%s': write it as 06_5EH, amd:19_11H, 0x506E3, or a name of "
			   "--list-models",
			   arg);
	return model;
}

/* Hexadecimal, with or without 0x and H, as the manual writes it */
static uint64_t parse_hex(struct argp_state *state, const char *name, const char *arg, uint64_t max)
{
	struct span text = span_of(arg);
	uint64_t value = 0;

	if (span_hex(&text, max, &value) || !span_empty(text))
		argp_error(state, "%s '%s': expected a hexadecimal number up to 0x%" PRIx64, name,
			   arg, max);
	return value;
}

static const struct lbr_model *parse_format(struct argp_state *state, const char *arg)
{
	const struct lbr_model *model =
		lbr_model_by_format((unsigned int)parse_hex(state, "--format", arg, UINT32_MAX));

	if (!model)
		argp_error(state, "--format '%s': formats are 0 to 7, and 3f (architectural LBR)",
			   arg);
	return model;
}

static enum dump_form parse_form(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[DUMP_FORM_AUTO] = "auto",	 [DUMP_FORM_TEXT] = "text",
		[DUMP_FORM_CSV] = "csv",	 [DUMP_FORM_JSON] = "json",
		[DUMP_FORM_RECORDS] = "records", [DUMP_FORM_BLOCK] = "block",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i]))
			return i;
	}
	argp_error(state, "--input '%s': expected one of auto, text, csv, json, records, block",
		   arg);
	return DUMP_FORM_AUTO;
}

static int64_t parse_decimal(struct argp_state *state, const char *name, const char *arg,
			     uint64_t max)
{
	struct span text = span_of(arg);
	uint64_t value = 0;

	if (span_decimal(&text, max, &value) || !span_empty(text))
		argp_error(state, "%s '%s': expected a number from 0 to %" PRIu64, name, arg, max);
	return (int64_t)value;
}

static void check_options(struct argp_state *state, const struct decode_options *opts)
{
	if (opts->live && opts->file)
		argp_error(state, "--live reads this machine, not '%s'", opts->file);
	if (opts->live && opts->model)
		argp_error(state, "--live knows its CPU: --cpu and --format are for dumps");
	if (!!opts->kallsyms + !!opts->system_map + !!opts->vmlinux > 1)
		argp_error(state, "one of --kallsyms, --system-map, --vmlinux is enough");
	if ((opts->has_offset || opts->has_base) && !opts->system_map && !opts->vmlinux)
		argp_error(state,
			   "--kaslr-offset and --kaslr-base move the addresses of --system-map "
			   "or --vmlinux");
	if (opts->has_offset && opts->has_base)
		argp_error(state, "--kaslr-offset or --kaslr-base: one of them is enough");
	if (opts->explain && (opts->json || opts->live || opts->file || opts->list_models))
		argp_error(state, "--explain prints one register as text: --json, --live, "
				  "--list-models and a FILE do not go with it");
	if (opts->list_models && (opts->json || opts->live || opts->file))
		argp_error(state, "--list-models prints the table as text: --json, --live and a "
				  "FILE do not go with it");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct decode_options *opts = state->input;

	switch (key) {
	case OPT_CPU:
		opts->model = parse_cpu(state, arg);
		return 0;
	case OPT_FORMAT:
		opts->model = parse_format(state, arg);
		return 0;
	case OPT_INPUT:
		opts->form = parse_form(state, arg);
		return 0;
	case OPT_TOS:
		opts->stack.tos = parse_decimal(state, "--tos", arg, BRANCHES_MAX - 1);
		return 0;
	case OPT_JSON:
		opts->json = true;
		return 0;
	case OPT_ADDRESSES:
		opts->addresses = true;
		return 0;
	case OPT_KALLSYMS:
		opts->kallsyms = arg;
		return 0;
	case OPT_SYSTEM_MAP:
		opts->system_map = arg;
		return 0;
	case OPT_VMLINUX:
		opts->vmlinux = arg;
		return 0;
	case OPT_KASLR_OFFSET:
		opts->has_offset = true;
		opts->kaslr = parse_hex(state, "--kaslr-offset", arg, UINT64_MAX);
		return 0;
	case OPT_KASLR_BASE:
		opts->has_base = true;
		opts->kaslr = parse_hex(state, "--kaslr-base", arg, UINT64_MAX);
		return 0;
	case OPT_LIVE:
		opts->live = true;
		return 0;
	case OPT_CPU_ID:
		opts->cpu_id = parse_decimal(state, "--cpu-id", arg, DUMP_CPU_MAX);
		return 0;
	case OPT_EXPLAIN:
		opts->explain = arg;
		return 0;
	case OPT_LIST_MODELS:
		opts->list_models = true;
		return 0;
	case 'v':
		log_set_level(LOG_VERBOSE);
		return 0;
	case ARGP_KEY_ARG:
		if (opts->file)
			argp_error(state, "one file at a time");
		opts->file = arg;
		return 0;
	case ARGP_KEY_END:
		check_options(state, opts);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *input_name(const struct decode_options *opts)
{
	if (opts->live)
		return "/dev/cpu";
	return opts->file && strcmp(opts->file, "-") ? opts->file : "standard input";
}

/* Notes from @first on, and how many were not kept */
static void report_notes(const struct notes *notes, size_t first, const char *name)
{
	size_t total = notes->errors + notes->warnings;

	for (size_t i = first; i < notes->count; i++) {
		const struct note *note = &notes->items[i];
		char place[32] = "";

		if (note->line)
			snprintf(place, sizeof(place), ":%zu", note->line);
		if (note->error)
			log_error("%s%s: %s", name, place, note->text);
		else
			log_warning("%s%s: %s", name, place, note->text);
	}
	if (total > notes->count && notes->count > first)
		log_warning("%s: %zu more of these are not shown", name, total - notes->count);
}

static int read_all(const char *name, int fd, char **ret_data, size_t *ret_len)
{
	_cleanup_free_ char *data = NULL;
	size_t room = 0, len = 0;

	for (;;) {
		ssize_t n;

		if (len == room) {
			char *more;

			room = room ? room * 2 : 1 << 16;
			more = realloc(data, room);
			if (!more)
				return -ENOMEM;
			data = more;
		}
		n = read(fd, data + len, room - len);
		if (n < 0 && errno == EINTR && !stop_requested)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > DUMP_BYTES_MAX) {
			log_error("%s: more than %u MiB: no dump of LBR registers is so long", name,
				  DUMP_BYTES_MAX >> 20);
			return -E2BIG;
		}
	}
	*ret_data = data;
	*ret_len = len;
	data = NULL;
	return 0;
}

/* --cpu-id N of a dump without that CPU */
static int no_such_cpu(const struct decode_options *opts, const struct dump *dump)
{
	size_t cpus = 0;

	for (size_t start = 0; start < dump->count; start = dump_cpu_end(dump, start)) {
		if (dump->records[start].cpu == opts->cpu_id)
			return 0;
		cpus++;
	}
	log_error("--cpu-id %" PRId64 ": %s has %zu CPU%s, from %u to %u, and not this one",
		  opts->cpu_id, input_name(opts), cpus, cpus == 1 ? "" : "s", dump->records[0].cpu,
		  dump->records[dump->count - 1].cpu);
	return -ENOENT;
}

static int read_dump(const struct decode_options *opts, struct dump *ret_dump, struct notes *notes)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *data = NULL;
	bool from_file = opts->file && strcmp(opts->file, "-");
	size_t len = 0;
	int err;

	if (from_file) {
		fd = open(opts->file, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			err = -errno;
			log_error("%s: %s", opts->file, strerror(errno));
			return err;
		}
	}
	if (!from_file && isatty(STDIN_FILENO))
		log_info("reading MSR values from the terminal; Ctrl-D ends them");
	err = read_all(input_name(opts), from_file ? fd : STDIN_FILENO, &data, &len);
	if (err) {
		if (err != -E2BIG)
			log_error("%s: %s", input_name(opts), strerror(-err));
		return err;
	}
	return dump_parse(data, len, opts->form, opts->model, ret_dump, notes);
}

/* All CPUs, or the one asked for; offline ones are passed over if all are read */
static int read_live(const struct decode_options *opts, struct lbr_model *model,
		     struct dump *ret_dump, struct notes *notes)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int first = opts->cpu_id >= 0 ? (unsigned int)opts->cpu_id : 0;
	unsigned int end = opts->cpu_id >= 0 ? first + 1 : (unsigned int)cpus;
	struct errmsg msg = {};
	int err = lbr_model_of_host(model);

	if (err) {
		log_error("no LBR is known of this machine's CPU; 'lbrsnoop decode --list-models' "
			  "lists those that are");
		return -ENODEV;
	}
	for (unsigned int cpu = first; cpu < end; cpu++) {
		err = live_read(model, "/dev/cpu", cpu, ret_dump, notes, &msg);
		if (err == -ENOENT && ret_dump->count && opts->cpu_id < 0)
			continue;
		if (err) {
			log_error("%s", msg.text);
			return err;
		}
	}
	dump_sort(ret_dump);
	return 0;
}

/** struct kernel - what is known of the kernel that the addresses are of; members may be NULL */
struct kernel {
	struct symbols *syms;
	struct text *text;
};

static void kernel_close(struct kernel *kernel)
{
	symbols_close(kernel->syms);
	text_close(kernel->text);
}

static int move_kernel(struct symbols *syms, const struct decode_options *opts,
		       uint64_t *ret_offset)
{
	uint64_t offset = opts->kaslr;
	struct symbol text;

	if (opts->has_base) {
		if (symbols_by_name(syms, "", "_text", 0, &text)) {
			log_error("%s: no symbol _text in it, so --kaslr-base says nothing: use "
				  "--kaslr-offset",
				  opts->system_map ?: opts->vmlinux);
			return -EINVAL;
		}
		offset -= text.addr;
	}
	if (offset & (KASLR_STEP - 1))
		log_warning("the kernel would be moved by 0x%" PRIx64 ", and x86-64 moves it by "
			    "multiples of 2 MiB alone: is --kaslr-%s right?",
			    offset, opts->has_base ? "base" : "offset");
	if (opts->has_base || opts->has_offset)
		symbols_set_kaslr_offset(syms, offset);
	*ret_offset = offset;
	return 0;
}

static int open_symbols(const struct decode_options *opts, struct symbols **ret_symbols,
			uint64_t *ret_offset)
{
	const char *path = opts->kallsyms ?: opts->system_map ?: opts->vmlinux;
	int err;

	if (!path && !opts->live)
		return 0;
	if (opts->vmlinux)
		err = symbols_open_elf(path, 0, ret_symbols);
	else
		err = symbols_open(path, ret_symbols);
	if (err && !path)
		return 0; /* live, and the kernel hides its symbols: addresses alone */
	if (err) {
		log_error("%s: %s", path,
			  err == -EINVAL  ? "this is no symbol table"
			  : err == -EPERM ? "its addresses are all 0: read "
					    "/proc/kallsyms as root"
					  : strerror(-err));
		return err;
	}
	return move_kernel(*ret_symbols, opts, ret_offset);
}

/* Without text nothing is repaired, which is said then: no error. */
static int kernel_open(const struct decode_options *opts, struct kernel *kernel)
{
	uint64_t offset = 0;
	int err = open_symbols(opts, &kernel->syms, &offset);

	if (!err && opts->live)
		text_live_open(NULL, &kernel->text);
	else if (!err && opts->vmlinux)
		text_image_open(opts->vmlinux, offset, &kernel->text);
	return err;
}

static int print_stack(const struct decode_options *opts, const struct stack_result *result,
		       struct symbols *syms)
{
	const struct snapshot *snap = &result->snap;
	char from[192], to[192];
	const struct text_options text = {
		.color = output_is_colored(stdout),
		.raw = true,
		.addresses = opts->addresses,
	};

	const struct path_json_options json = {.symbols = syms};
	int err;

	if (opts->json) {
		err = render_json_snapshot(stdout, snap, NULL, &json, 0);
		return err && err != -EIO ? err : output_flush(stdout);
	}
	printf("CPU %u%s%s\n", snap->cpu, snap->filter ? ", recorded: " : "", snap->filter ?: "");
	if (result->has_ler)
		printf("  before the last exception: %s -> %s\n",
		       render_location(syms, result->ler_from, from, sizeof(from)),
		       render_location(syms, result->ler_to, to, sizeof(to)));
	render_text_snapshot(stdout, snap, syms, &text);
	return output_flush(stdout);
}

/* FROM of AMD's entries; the text is that of the kernel alone. */
static void repair_fused(struct snapshot *snap, struct text *text, struct notes *notes)
{
	struct text_source source = text ? text_source(text) : (struct text_source){};
	uint32_t unknown = snapshot_repair_fused(snap, &source);

	if (unknown)
		notes_warning(
			notes, 0,
			"CPU %u: %u of %u FROM addresses may be of the instruction before the "
			"branch, if the CPU fused them (AMD APM vol. 2, 13.1.1.9): their text "
			"is not at hand%s",
			snap->cpu, unknown, snap->count,
			text ? "" : "; --vmlinux gives the kernel's");
}

/* Decodes and prints each CPU. Returns how many had branches (errors are in @notes), or -errno. */
static int print_all(const struct decode_options *opts, const struct lbr_model *model,
		     const struct dump *dump, const struct kernel *kernel, struct notes *notes)
{
	_cleanup_free_ struct stack_result *result = malloc(sizeof(*result));
	int seen = 0, err;

	if (!result)
		return -ENOMEM;
	for (size_t start = 0, end; start < dump->count && !stop_requested; start = end) {
		end = dump_cpu_end(dump, start);
		if (opts->cpu_id >= 0 && dump->records[start].cpu != opts->cpu_id)
			continue;
		if (stack_decode(model, dump->records + start, end - start, &opts->stack, result,
				 notes))
			continue;
		repair_fused(&result->snap, kernel->text, notes);
		err = print_stack(opts, result, kernel->syms);
		if (err)
			return err;
		if (opts->json && result->has_ler)
			notes_warning(
				notes, 0,
				"CPU %u: its last exception's record (MSR %XH and the next) is "
				"not in the JSON: without --json it is printed",
				result->snap.cpu, model->msr_ler);
		seen += result->snap.count > 0;
	}
	return seen;
}

static enum exit_status decode(const struct decode_options *opts)
{
	_cleanup_(dump_deinit) struct dump dump = {};
	_cleanup_(notes_deinit) struct notes notes = {};
	_cleanup_(kernel_close) struct kernel kernel = {};
	struct lbr_model model;
	size_t reported;
	int err, seen = 0;

	err = opts->live ? read_live(opts, &model, &dump, &notes) : read_dump(opts, &dump, &notes);
	if (!err && !opts->live)
		err = dump_choose_model(&dump, opts->model, &model, &notes);
	report_notes(&notes, 0, input_name(opts));
	reported = notes.count;
	if (!err && opts->cpu_id >= 0)
		err = no_such_cpu(opts, &dump);
	if (!err)
		err = kernel_open(opts, &kernel);
	if (!err)
		seen = print_all(opts, &model, &dump, &kernel, &notes);
	if (err)
		return exit_status_of(err);
	if (seen < 0) {
		output_close(stdout); /* what is left of it: said here, and not once more */
		if (seen == -EPIPE)   /* the reader has seen enough */
			return EXIT_SEEN;
		log_error("standard output: %s", strerror(-seen));
		return EXIT_ERROR;
	}
	report_notes(&notes, reported, input_name(opts));
	if (notes.errors)
		return EXIT_ERROR;
	return seen ? EXIT_SEEN : EXIT_NONE;
}

int cmd_decode(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = doc,
	};
	struct decode_options opts = {.stack.tos = -1, .cpu_id = -1};

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &opts);
	install_stop_handlers();
	if (opts.list_models)
		return print_models(stdout, log_get_level() >= LOG_VERBOSE);
	if (opts.explain)
		return print_explanation(stdout, opts.model, opts.explain);
	return decode(&opts);
}
