// SPDX-License-Identifier: GPL-2.0
#include "cmd/postmortem/postmortem_pages.h"

#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "util/log.h"
#include "vmcore/bpf_arrays.h"
#include "vmcore/scan.h"

/* Of the recorder's map in bpf/state.bpf.h */
#define MAP_NAME "flight"

struct collect {
	struct dump *dump;
	struct flight_collector *collector;
	volatile uint64_t *beat;
	struct progress *progress;
	uint64_t taken;
	uint64_t newer; /* pages of a version that we do not know */
	uint64_t left_out;
};

static int on_page(const void *page, void *ctx)
{
	struct collect *collect = ctx;
	int verdict = flight_collector_add(collect->collector, page);

	collect->taken++;
	collect->newer += verdict == FLIGHT_NEWER;
	collect->left_out += verdict == FLIGHT_TOO_MANY;
	return verdict < 0 ? verdict : 0;
}

static int on_progress(uint64_t done, uint64_t of, void *ctx)
{
	struct collect *collect = ctx;

	++*collect->beat;
	progress_set(collect->progress, done, of);
	return stop_requested ? -EINTR : 0;
}

/* All that the dump has. */
static int search(struct collect *collect, struct errmsg *msg)
{
	const char *path = dump_path(collect->dump);
	struct dump_scan scan = {
		.wanted = flight_is_page, .page = on_page, .progress = on_progress, .ctx = collect};
	int err = dump_scan(collect->dump, &scan);

	if (err == -ENODATA)
		return errmsg_set(msg, err, "%s: it does not tell which pages it has", path);
	if (err)
		return err;
	log_verbose("%s: format %s, %llu pages searched", path, dump_format(collect->dump),
		    (unsigned long long)scan.pages);
	scan.missing += scan.skipped;
	scan.pages += scan.skipped;
	if (scan.missing)
		log_warning("%s: %llu of its %llu pages cannot be read: it is cut off or damaged",
			    path, (unsigned long long)scan.missing, (unsigned long long)scan.pages);
	return 0;
}

/*
 * One map. A trace has it, too, of one page that nobody writes. Where a page of a recorder cannot
 * be had as the map says, it may still be found by itself.
 */
static int on_array(uint64_t values, uint32_t entries, void *ctx)
{
	struct collect *collect = ctx;
	uint64_t page[FLIGHT_PAGE_BYTES / 8];

	if (entries > FLIGHT_SLOTS_MAX + FLIGHT_HEADER_PAGES_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < entries; i++) {
		int err;

		++*collect->beat;
		if (stop_requested)
			return -EINTR;
		if (dump_read(collect->dump, values + (uint64_t)i * sizeof(page), page,
			      sizeof(page)))
			return -EFAULT;
		if (!flight_is_page(page) && entries == 1)
			return 0;
		err = flight_is_page(page) ? on_page(page, collect) : -EFAULT;
		if (err)
			return err;
	}
	return 0;
}

/* A filter that does not know this kernel's slab pages (makedumpfile before 1.7.6, Linux 6.10). */
static void say_why_search(const struct collect *collect, int err)
{
	log_verbose("%s: the kernel's list of BPF maps %s: each page is searched",
		    dump_path(collect->dump),
		    err == -EFAULT    ? "is not all in the dump"
		    : err == -ENODATA ? "is not known: the dump does not tell where it is"
				      : "makes no sense");
}

/* Where the kernel has them; 0, or why the dump has to be searched. */
static int take_maps(struct collect *collect)
{
	int err = bpf_arrays_visit(collect->dump, MAP_NAME, FLIGHT_PAGE_BYTES, on_array, collect);

	if (!err)
		log_verbose("%s: format %s, %llu pages of flight recorders, where the kernel's "
			    "list of BPF maps has them",
			    dump_path(collect->dump), dump_format(collect->dump),
			    (unsigned long long)collect->taken);
	else if (err != -ENOMEM && err != -EINTR)
		say_why_search(collect, err);
	return err;
}

static int begin_again(struct collect *collect)
{
	flight_collector_destroy(collect->collector);
	collect->collector = flight_collector_create();
	collect->taken = collect->newer = collect->left_out = 0;
	return collect->collector ? 0 : -ENOMEM;
}

static void say_state(const struct collect *collect, bool searched)
{
	const char *path = dump_path(collect->dump);

	if (dump_cut_bytes(collect->dump))
		log_warning("%s: it is cut off, or damaged: what it says it has ends %llu bytes "
			    "behind its end",
			    path, (unsigned long long)dump_cut_bytes(collect->dump));
	if (dump_is_split(collect->dump))
		log_warning(
			"%s: one of several files of a dump that was split: the others' pages are "
			"missing; 'makedumpfile --reassemble FILE... WHOLE' makes one of them",
			path);
	if (dump_cut_pages(collect->dump))
		log_warning("%s: it is cut off, or damaged: %llu of its pages lie behind its end",
			    path, (unsigned long long)dump_cut_pages(collect->dump));
	if (dump_damaged_pages(collect->dump))
		log_warning("%s: damaged page descriptors: %llu; those pages are not read", path,
			    (unsigned long long)dump_damaged_pages(collect->dump));
	if (flight_collector_damaged(collect->collector))
		log_warning("%zu pages of a flight recorder are damaged, or were being written at "
			    "the end",
			    flight_collector_damaged(collect->collector));
	if (collect->newer)
		log_warning("%llu pages are of a newer lbrsnoop's flight recorder: use that one",
			    (unsigned long long)collect->newer);
	if (collect->left_out)
		log_warning("%llu pages of flight recorders were left out: there are too many",
			    (unsigned long long)collect->left_out);
	if (flight_collector_sessions(collect->collector))
		return;
	if (searched)
		log_warning("%s: no flight recorder in it: none was armed ('lbrsnoop record "
			    "--flight'), or its pages were left out of the dump",
			    path);
	else
		log_warning("%s: no flight recorder in it: by the kernel's list of BPF maps none "
			    "was there ('lbrsnoop record --flight'); --all searches each page for "
			    "what is left of discarded ones",
			    path);
}

int postmortem_pages(struct dump *dump, bool all, volatile uint64_t *beat,
		     struct progress *progress, struct flight_collector **collector,
		     struct errmsg *msg)
{
	struct collect collect = {
		.dump = dump, .collector = *collector, .beat = beat, .progress = progress};
	int err = all ? -ENODATA : take_maps(&collect);
	bool searched = err && err != -ENOMEM && err != -EINTR;

	if (searched) {
		err = begin_again(&collect);
		err = err ?: search(&collect, msg);
	}
	*collector = collect.collector;
	if (err)
		return msg->text[0]
			       ? err
			       : errmsg_set(msg, err, "%s: %s", dump_path(dump),
					    err == -EINTR ? "stopped before all of it was searched"
							  : strerror(-err));
	say_state(&collect, searched);
	return 0;
}
