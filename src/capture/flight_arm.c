// SPDX-License-Identifier: GPL-2.0
#include "capture/flight_arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "flight/pages.h"
#include "symbolize/debug/debugfile.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/vector.h"

/* About 1,000 symbols of BPF programs: what is beyond them is shown as an address. */
#define SYMBOL_PAGES 16
#define SYMBOLS_MAX  4096

static int add_symbol(const struct symbol *sym, void *ctx)
{
	struct flight_header *header = ctx;

	if (!symbol_is_bpf(sym) || !sym->size || sym->size > UINT32_MAX)
		return 0;
	if (vector_grow(&header->symbols, header->symbol_count, sizeof(*header->symbols)))
		return -ENOMEM;
	header->symbols[header->symbol_count++] = (struct flight_symbol){
		.addr = sym->addr, .size = (uint32_t)sym->size, .name = (char *)sym->name};
	return header->symbol_count == SYMBOLS_MAX;
}

static void describe_kernel(struct flight_header *header)
{
	struct build_id id = {};
	struct utsname uts;

	if (!uname(&uts))
		snprintf(header->release, sizeof(header->release), "%s", uts.release);
	build_id_of_kernel(&id);
	if (id.len <= sizeof(header->build_id)) {
		memcpy(header->build_id, id.bytes, id.len);
		header->build_id_len = (uint32_t)id.len;
	}
}

static uint32_t retval_kinds(const struct probe *probe)
{
	uint32_t kinds = 0;

	for (int kind = 0; kind < TRIGGER_KIND_COUNT; kind++)
		kinds |= (uint32_t)probe_has_retval(probe, (enum trigger_kind)kind) << kind;
	return kinds;
}

int flight_describe(const struct record_context *record, struct symbols *symbols,
		    struct flight_header *ret_header)
{
	const struct probe_list *probes = record->probes;
	struct flight_header header = {
		.start_ns = clock_ns(CLOCK_REALTIME),
		.mono_to_real_ns = (int64_t)clock_mono_to_real_ns(),
		.filtered = record->filtered,
		.path_ok = record->path_ok,
		.target_count = probes->count,
	};
	struct symbol stext;
	int err = 0;

	if (record->lbr)
		header.lbr = *record->lbr;
	snprintf(header.filter, sizeof(header.filter), "%s", record->filter ?: "");
	describe_kernel(&header);
	header.targets = calloc(probes->count + 1, sizeof(*header.targets));
	if (!header.targets)
		return -ENOMEM;
	for (size_t i = 0; i < probes->count; i++)
		header.targets[i] = (struct flight_target){
			.trigger = probes->items[i].trigger,
			.ret = probes->items[i].ret,
			.retval_kinds = retval_kinds(&probes->items[i]),
		};
	if (symbols) {
		if (!symbols_by_name(symbols, "", "_stext", 0, &stext))
			header.stext = stext.addr;
		err = symbols_for_each(symbols, add_symbol, &header);
	}
	if (err < 0) {
		flight_describe_free(&header);
		return err;
	}
	*ret_header = header;
	return 0;
}

void flight_describe_free(struct flight_header *header)
{
	free(header->targets);
	free(header->symbols);
	*header = (struct flight_header){};
}

uint32_t flight_header_size(const struct probe_list *probes)
{
	struct record_context record = {.probes = probes};
	_cleanup_free_ uint8_t *bytes = NULL;
	struct flight_header header;
	uint32_t pages = 0;
	size_t len;

	if (flight_describe(&record, NULL, &header))
		return 0;
	if (!flight_header_encode(&header, &bytes, &len))
		pages = flight_header_pages(len) + SYMBOL_PAGES;
	flight_describe_free(&header);
	return pages <= FLIGHT_HEADER_PAGES_MAX ? pages : 0;
}

static int pin_armed(struct flight_files *files, const struct armed *armed, struct errmsg *msg)
{
	int err = 0;

	if (armed->link_fd >= 0)
		err = flight_files_pin(files, armed->link_fd, msg);
	if (!err && armed->link)
		err = flight_files_pin(files, bpf_link__fd(armed->link), msg);
	for (int i = 0; !err && i < armed->hw_cpus * HW_SITES_MAX; i++)
		if (armed->hw_sites[i].link)
			err = flight_files_pin(files, bpf_link__fd(armed->hw_sites[i].link), msg);
	return err;
}

int flight_pin_all(struct flight_files *files, const struct armed *armed, size_t count,
		   const struct lbr_events *events, int cpus, struct errmsg *msg)
{
	int err = flight_files_publish(files, msg);

	for (size_t i = 0; i < count && !err; i++)
		err = pin_armed(files, &armed[i], msg);
	for (int cpu = 0; events && cpu < cpus && !err; cpu++)
		if (lbr_events_link(events, cpu) >= 0)
			err = flight_files_pin(files, lbr_events_link(events, cpu), msg);
	if (!err)
		flight_files_pinned(files);
	return err;
}
