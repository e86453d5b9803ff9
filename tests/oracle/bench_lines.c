// SPDX-License-Identifier: GPL-2.0
/*
 * bench_lines - how fast snapshots become lines
 *
 *	bench_lines VMLINUX IMAGE [-a ADDRESSES]
 *
 * VMLINUX has the DWARF, IMAGE the text of the same build. Snapshots of 32 branches are made by
 * walking through the code of IMAGE from system calls on, each condition by the throw of a die
 * (always the same throws). Prints the time to the first one with all lines and inlined frames,
 * and how many a second then. -a: write the addresses, for other tools to do the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "disasm/insn.h"
#include "render/json.h"
#include "render/story/story.h"
#include "symbolize/place.h"
#include "symbolize/symbolize.h"
#include "symbolize/text/text.h"

#define SNAPSHOTS  2000
#define BRANCHES   32
#define STACK_MAX  64
#define WALK_INSNS 20000

static const char *const starts[] = {
	"ksys_read",	   "ksys_write",     "do_sys_openat2",
	"path_openat",	   "vfs_statx",	     "do_mmap",
	"__sys_bpf",	   "__sys_connect",  "__sys_sendto",
	"do_epoll_ctl",	   "path_mount",     "do_unlinkat",
	"do_mkdirat",	   "kernel_clone",   "do_exit",
	"tcp_sendmsg",	   "tcp_v4_rcv",     "ip_queue_xmit",
	"handle_mm_fault", "ksys_lseek",     "do_futex",
	"do_wait",	   "ptrace_attach",  "do_renameat2",
	"vfs_getxattr",	   "__do_sys_prctl", "sched_setattr",
	"do_madvise",	   "do_fcntl",	     "unix_stream_connect",
};

struct walker {
	struct symbols *symbols;
	struct text_source text;
	uint64_t stack[STACK_MAX];
	int depth;
	uint64_t at;
	uint32_t die;
};

static uint32_t roll(struct walker *w)
{
	w->die = w->die * 1664525 + 1013904223;
	return w->die >> 8;
}

static uint64_t somewhere(struct walker *w)
{
	struct symbol sym;

	for (int i = 0; i < 100; i++)
		if (!symbols_by_name(w->symbols, NULL,
				     starts[roll(w) % (sizeof(starts) / sizeof(starts[0]))], 0,
				     &sym))
			return sym.addr;
	return 0;
}

/* One instruction. Return: it branched; then @ret_to. */
static bool step(struct walker *w, const struct insn *in, uint64_t *ret_to)
{
	uint8_t bytes[2];

	switch (in->class) {
	case INSN_COND:
		if (roll(w) & 1)
			return false;
		*ret_to = in->target;
		return true;
	case INSN_JMP:
		*ret_to = in->target;
		return true;
	case INSN_CALL:
	case INSN_ICALL:
		if (w->depth == STACK_MAX)
			w->depth = 0;
		w->stack[w->depth++] = in->addr + in->len;
		*ret_to = in->class == INSN_CALL ? in->target : somewhere(w);
		return true;
	case INSN_OTHER:
		return false;
	case INSN_RET:
		/* A retpoline's own call is followed by PAUSE; it returns where a register says. */
		if (w->depth && !w->text.read(w->text.ctx, w->stack[w->depth - 1], bytes, 2) &&
		    bytes[0] == 0xf3 && bytes[1] == 0x90) {
			w->depth--;
			*ret_to = somewhere(w);
			return true;
		}
		/* fall through */
	default: /* returns, and whatever else leaves */
		*ret_to = w->depth ? w->stack[--w->depth] : somewhere(w);
		return true;
	}
}

static bool walk(struct walker *w, struct snapshot *snap)
{
	snap->count = 0;
	if (!(roll(w) & 3))
		w->at = somewhere(w);
	for (int i = 0; i < WALK_INSNS && snap->count < BRANCHES; i++) {
		uint8_t bytes[INSN_LEN_MAX];
		size_t len = sizeof(bytes);
		struct insn in;
		uint64_t to;

		while (len && w->text.read(w->text.ctx, w->at, bytes, len))
			len--; /* the end of the text */
		if (insn_decode(bytes, len, w->at, &in)) {
			w->at = somewhere(w);
			snap->count = 0;
			continue;
		}
		if (!step(w, &in, &to)) {
			w->at += in.len;
			continue;
		}
		snap->branches[snap->count++] =
			(struct branch){.from = w->at, .to = to, .cycles = 3, .mispred = TRI_CLEAR};
		w->at = to;
	}
	return snap->count == BRANCHES;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Symbol, line and inlined chain of both ends of each branch. */
static uint64_t symbolize(const struct snapshot *snap, struct symbols *symbols, struct lines *lines)
{
	struct srcline chain[INLINE_DEPTH_MAX];
	uint64_t frames = 0;

	for (uint32_t i = 0; i < snap->count; i++)
		for (int side = 0; side < 2; side++) {
			uint64_t addr = side ? snap->branches[i].to : snap->branches[i].from;
			struct symbol sym;
			int n;

			if (symbols_find(symbols, addr, &sym))
				continue;
			n = lines_find(lines, sym.module, addr, false, chain, INLINE_DEPTH_MAX);
			frames += n > 0 ? (uint64_t)n : 0;
		}
	return frames;
}

static void story(FILE *out, const struct snapshot *snap, const struct text_source *text,
		  const struct story_view *view)
{
	struct path_options opts = {.place = place_by_symbols,
				    .same_function = same_function_by_symbols,
				    .place_ctx = view->symbols};
	struct path *path;

	if (path_build(snap, text, &opts, &path))
		return;
	render_story(out, snap, path, view);
	path_free(path);
}

static void rate(const char *what, double wall)
{
	printf("%-48s %8.0f snapshots a second\n", what, SNAPSHOTS / wall);
}

static int write_addresses(const char *path, const struct snapshot *snaps)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return -errno;
	for (int i = 0; i < SNAPSHOTS; i++)
		for (uint32_t b = 0; b < snaps[i].count; b++)
			fprintf(out, "%#" PRIx64 " %#" PRIx64 "\n", snaps[i].branches[b].from,
				snaps[i].branches[b].to);
	return fclose(out) ? -errno : 0;
}

int main(int argc, char **argv)
{
	const char *addresses = argc == 5 && !strcmp(argv[3], "-a") ? argv[4] : NULL;
	struct lines_options debug = {.release = "none"};
	struct lbr_info lbr = {
		.model = "walk", .depth = BRANCHES, .supported = LBR_HAS_MISPRED | LBR_HAS_CYCLES};
	struct trigger trigger = {
		.target = "walk", .function = "walk", .module = "", .kind = TRIGGER_FEXIT};
	struct walker w = {.die = 1};
	struct story_view view = {0};
	struct snapshot *snaps = calloc(SNAPSHOTS, sizeof(*snaps));
	FILE *null = fopen("/dev/null", "we");
	struct rusage usage;
	long before;
	double wall;
	struct text *image;
	uint64_t frames = 0;

	if (argc < 3 || !snaps || !null)
		return 64;
	if (symbols_open_elf(argv[1], 0, &w.symbols) || text_image_open(argv[2], 0, &image)) {
		fprintf(stderr, "bench_lines: cannot read %s or %s\n", argv[1], argv[2]);
		return 2;
	}
	w.text = text_source(image);
	w.at = somewhere(&w);
	for (int i = 0; i < SNAPSHOTS; i++) {
		snaps[i] = (struct snapshot){.path_ok = true, .lbr = &lbr, .trigger = &trigger};
		if (!walk(&w, &snaps[i]))
			i--;
	}
	if (addresses && write_addresses(addresses, snaps))
		return 2;
	debug.vmlinux = argv[1];
	getrusage(RUSAGE_SELF, &usage);
	before = usage.ru_maxrss;
	wall = seconds();
	if (lines_open(&debug, &view.lines))
		return 2;
	symbolize(&snaps[0], w.symbols, view.lines);
	wall = seconds() - wall;
	getrusage(RUSAGE_SELF, &usage);
	printf("%-48s %8.3f s, %ld MB more\n", "open, and symbolize the first snapshot", wall,
	       (usage.ru_maxrss - before) / 1024);

	for (int round = 0; round < 2; round++) {
		wall = seconds();
		for (int i = 0; i < SNAPSHOTS; i++)
			frames += symbolize(&snaps[i], w.symbols, view.lines);
		rate(round ? "symbolize, all addresses seen before" : "symbolize, addresses new",
		     seconds() - wall);
	}
	view.symbols = w.symbols;
	view.names = path_names_create();
	for (int round = 0; round < 2; round++) {
		wall = seconds();
		for (int i = 0; i < SNAPSHOTS; i++)
			story(null, &snaps[i], &w.text, &view);
		rate(round ? "the whole story, told again" : "the whole story, each instruction",
		     seconds() - wall);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%-48s %8ld MB\n", "memory at the end", usage.ru_maxrss / 1024);
	printf("(%" PRIu64 " frames)\n", frames);
	path_names_destroy(view.names);
	return 0;
}
