// SPDX-License-Identifier: GPL-2.0
/*
 * tell - a captured snapshot told again, away from the machine it was taken on
 *
 *   tell [OPTION]... JSON TEXT KALLSYMS
 *
 * JSON: lines of lbrsnoop --json; TEXT: records of an address (u64) and the 4096 bytes there.
 *   -d VMLINUX   debug information       -S DIR   sources      -i   with instructions
 *   -r           raw                     -c       colours      -j   as JSON again    -g   as a
 * graph -b N         N times, and print how long that took
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "render/graph.h"
#include "render/json.h"
#include "render/story.h"
#include "symbolize/debugfile.h"
#include "symbolize/place.h"
#include "symbolize/trim.h"
#include "util/errno_name.h"

#define PAGE 4096

struct page {
	uint64_t addr;
	uint8_t bytes[PAGE];
};

static struct page *pages;
static size_t page_count;
static struct trigger trigger;
static struct lbr_info lbr;

static int load_text(const char *path)
{
	FILE *f = fopen(path, "r");
	struct page page;

	while (f && fread(&page, sizeof(page), 1, f) == 1) {
		pages = realloc(pages, (page_count + 1) * sizeof(page));
		if (!pages)
			return -ENOMEM;
		pages[page_count++] = page;
	}
	if (f)
		fclose(f);
	return page_count ? 0 : -ENOENT;
}

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	while (len) {
		size_t off = addr % PAGE, part = PAGE - off < len ? PAGE - off : len, i = 0;

		while (i < page_count && pages[i].addr != addr - off)
			i++;
		if (i == page_count)
			return -EFAULT;
		memcpy(buf, pages[i].bytes + off, part);
		buf = (char *)buf + part;
		addr += part;
		len -= part;
	}
	return 0;
}

static uint64_t number(const json_t *obj, const char *key)
{
	const json_t *value = json_object_get(obj, key);

	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 0)
				     : (uint64_t)json_integer_value(value);
}

static enum tri tri(const json_t *value)
{
	return json_is_boolean(value) ? json_is_true(value) ? TRI_SET : TRI_CLEAR
				      : TRI_NOT_REPORTED;
}

static void read_trigger(const json_t *obj, struct snapshot *snap, struct symbols *symbols)
{
	const char *kind = json_string_value(json_object_get(obj, "kind"));
	const char *name = json_string_value(json_object_get(obj, "errno"));
	const char *function = json_string_value(json_object_get(obj, "function"));
	struct symbol sym;

	trigger.target = strdup(json_string_value(json_object_get(obj, "target")));
	trigger.function = strdup(function ?: "");
	trigger.module = "";
	for (int i = 1; i < TRIGGER_KIND_COUNT && kind; i++)
		if (!strcmp(trigger_kind_name((enum trigger_kind)i), kind))
			trigger.kind = (enum trigger_kind)i;
	if (function && !symbols_by_name(symbols, NULL, function, 0, &sym)) {
		trigger.func_addr = sym.addr;
		trigger.func_size = sym.size;
	}
	snap->trigger = &trigger;
	snap->ip = number(obj, "ip");
	snap->has_retval = json_is_integer(json_object_get(obj, "retval"));
	snap->retval = (int64_t)number(obj, "retval");
	snap->err = name ? errno_parse(name) : 0;
}

static void read_snapshot(const json_t *obj, struct snapshot *snap, struct symbols *symbols)
{
	const json_t *l = json_object_get(obj, "lbr"), *branches = json_object_get(obj, "branches");
	const json_t *br;
	size_t i;

	*snap = (struct snapshot){.path_ok = true, .lbr = &lbr, .filter = "any,u,k"};
	snap->ts_ns = number(obj, "ts_ns");
	snap->cpu = (uint32_t)number(obj, "cpu");
	snap->pid = (uint32_t)number(obj, "pid");
	snap->tid = (uint32_t)number(obj, "tid");
	snprintf(snap->comm, sizeof(snap->comm), "%s",
		 json_string_value(json_object_get(obj, "comm")));
	read_trigger(json_object_get(obj, "trigger"), snap, symbols);
	snprintf(lbr.model, sizeof(lbr.model), "%s",
		 json_string_value(json_object_get(l, "model")));
	lbr.depth = (uint32_t)number(l, "depth");
	lbr.supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES;
	json_array_foreach(branches, i, br)
	{
		const json_t *cycles = json_object_get(br, "cycles");

		if (snap->count == BRANCHES_MAX)
			break;
		snap->branches[snap->count++] = (struct branch){
			.from = number(json_object_get(br, "from"), "addr"),
			.to = number(json_object_get(br, "to"), "addr"),
			.mispred = tri(json_object_get(br, "mispred")),
			.cycles = json_is_integer(cycles) ? (int32_t)json_integer_value(cycles)
							  : CYCLES_NOT_REPORTED,
		};
	}
	snapshot_trim(snap, symbols);
}

static uint64_t stext_of(struct symbols *symbols)
{
	struct symbol sym;

	return symbols_by_name(symbols, "", "_stext", 0, &sym) ? 0 : sym.addr;
}

static int tell(FILE *out, struct snapshot *snap, const struct story_view *view, int form)
{
	struct path_json_options json = {
		.symbols = view->symbols, .lines = view->lines, .insns = view->insns};
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = view->symbols};
	struct text_source text = {.read = read_text};
	struct path *path;
	int err = path_build(snap, &text, &opts, &path);

	if (err)
		return err;
	err = form == 'j'   ? render_json_snapshot(out, snap, path, &json, 0)
	      : form == 'g' ? render_graph(out, snap, path, &text, view)
			    : render_story(out, snap, path, view);
	path_free(path);
	return err;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct story_view view = {0};
	struct lines_options debug = {.release = "none"};
	const char *sources = NULL;
	int opt, err, rounds = 0, form = 0;
	struct snapshot snap;
	double start;
	FILE *in;

	while ((opt = getopt(argc, argv, "d:S:ircjgb:")) != -1) {
		switch (opt) {
		case 'd':
			debug.vmlinux = optarg;
			break;
		case 'S':
			sources = optarg;
			break;
		case 'i':
			view.insns = true;
			break;
		case 'r':
			view.text.raw = true;
			break;
		case 'c':
			view.text.color = true;
			break;
		case 'j':
		case 'g':
			form = opt;
			break;
		case 'b':
			rounds = atoi(optarg);
			break;
		default:
			return 64;
		}
	}
	if (argc - optind != 3)
		return 64;
	start = now();
	err = symbols_open(argv[optind + 2], &view.symbols);
	if (!err)
		err = load_text(argv[optind + 1]);
	if (!err && debug.vmlinux) {
		debug.kallsyms_text = stext_of(view.symbols);
		err = lines_open(&debug, &view.lines);
	}
	in = fopen(argv[optind], "r");
	if (err || !in) {
		fprintf(stderr, "tell: %s\n", strerror(err ? -err : errno));
		return 2;
	}
	view.sources = sources_create(sources);
	for (json_t *obj; (obj = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL)); json_decref(obj)) {
		read_snapshot(obj, &snap, view.symbols);
		err = tell(stdout, &snap, &view, form);
		if (err)
			fprintf(stderr, "tell: %s\n", strerror(-err));
	}
	if (rounds) {
		FILE *null = fopen("/dev/null", "w");
		struct rusage usage;

		getrusage(RUSAGE_SELF, &usage);
		printf("first: %.3f s, %ld MB\n", now() - start, usage.ru_maxrss / 1024);
		start = now();
		for (int i = 0; i < rounds && null; i++)
			tell(null, &snap, &view, form);
		printf("then: %.0f a second\n", rounds / (now() - start));
	}
	return err ? 1 : 0;
}
