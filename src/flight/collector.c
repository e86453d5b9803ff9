// SPDX-License-Identifier: GPL-2.0
#include "flight/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/event.h"
#include "decode/filter.h"
#include "flight/pages.h"

/* What somebody can make us keep: 64 recorders, 112 MiB of records and 16 MiB of headers. */
#define SESSIONS_MAX 64
#define RECORDS_MAX  65536
#define HEADERS_MAX  4096

/** struct kept - one record; @detail: NULL, or as it was found */
struct kept {
	uint64_t seq;
	struct flight_record rec;
	struct flight_detail *detail;
};

/** struct header_page - payload of one header page, NULL if it was not found */
struct header_page {
	uint8_t *bytes;
	uint32_t len;
};

struct flight_session {
	uint64_t id;
	uint32_t header_pages;
	uint32_t slots;
	uint64_t written;
	uint64_t lost;
	struct header_page *headers;
	struct kept **by_slot; /* NULL where no record was found */
	struct kept **sorted;  /* by seq; NULL until they are wanted */
	size_t kept_count;
	uint8_t *seen_empty; /* bit n: record page n is there, never written */
	size_t next;	     /* of flight_session_source() */
	bool decoded;
	int decode_err;
	struct flight_header header;
	struct lbr_model model;
	struct trigger unknown; /* of records whose target is not known */
	struct trigger **shown; /* by target: TRIGGER_KIND_COUNT each, NULL until one is shown */
	struct raw_branch raw[FLIGHT_BRANCHES_MAX];
};

struct flight_collector {
	struct flight_session *sessions[SESSIONS_MAX];
	size_t count;
	size_t records;
	size_t headers;
	size_t damaged;
	bool sorted;
};

struct flight_collector *flight_collector_create(void)
{
	return calloc(1, sizeof(struct flight_collector));
}

static void kept_free(struct kept *kept)
{
	if (kept)
		free(kept->detail);
	free(kept);
}

static void session_free(struct flight_session *session)
{
	if (!session)
		return;
	for (uint32_t i = 0; session->headers && i < session->header_pages; i++)
		free(session->headers[i].bytes);
	for (size_t i = 0; session->shown && i < session->header.target_count; i++)
		free(session->shown[i]);
	free(session->shown);
	flight_header_deinit(&session->header);
	for (uint32_t i = 0; session->by_slot && i < session->slots; i++)
		kept_free(session->by_slot[i]);
	free(session->headers);
	free(session->by_slot);
	free(session->sorted);
	free(session->seen_empty);
	free(session);
}

void flight_collector_destroy(struct flight_collector *collector)
{
	for (size_t i = 0; collector && i < collector->count; i++)
		session_free(collector->sessions[i]);
	free(collector);
}

bool flight_is_page(const void *page)
{
	return flight_page_begins(page);
}

static struct flight_session *session_create(const struct flight_page *page)
{
	struct flight_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->id = page->session;
	session->header_pages = page->header_pages;
	session->slots = page->slots;
	session->headers = calloc(page->header_pages, sizeof(*session->headers));
	session->seen_empty = calloc(1, page->slots / 8 + 1);
	session->by_slot = calloc(page->slots, sizeof(struct kept *));
	if (!session->headers || !session->seen_empty || !session->by_slot) {
		session_free(session);
		return NULL;
	}
	return session;
}

static int session_of(struct flight_collector *collector, const struct flight_page *page,
		      struct flight_session **ret_session)
{
	struct flight_session *session;

	for (size_t i = 0; i < collector->count; i++) {
		session = collector->sessions[i];
		/* The same random number, and another size: one of them is forged. */
		if (session->id == page->session && session->slots == page->slots &&
		    session->header_pages == page->header_pages) {
			*ret_session = session;
			return FLIGHT_TAKEN;
		}
	}
	if (collector->count == SESSIONS_MAX)
		return FLIGHT_TOO_MANY;
	session = session_create(page);
	if (!session)
		return -ENOMEM;
	collector->sessions[collector->count++] = session;
	*ret_session = session;
	return FLIGHT_TAKEN;
}

static int add_header(struct flight_collector *collector, struct flight_session *session,
		      const struct flight_page *page)
{
	struct header_page *header = &session->headers[page->index];

	if (!page->index) {
		session->written = page->written;
		session->lost = page->lost;
	}
	if (header->bytes)
		return FLIGHT_TAKEN;
	if (collector->headers == HEADERS_MAX)
		return FLIGHT_TOO_MANY;
	header->bytes = malloc(page->bytes + 1);
	if (!header->bytes)
		return -ENOMEM;
	memcpy(header->bytes, page + 1, page->bytes);
	header->len = page->bytes;
	collector->headers++;
	return FLIGHT_TAKEN;
}

/* Of two records of one page the newer counts: memory that was freed may hold older copies. */
static int add_record(struct flight_collector *collector, struct flight_session *session,
		      const struct flight_page *page)
{
	const struct flight_detailed *detailed = (const struct flight_detailed *)(page + 1);
	struct flight_detail *detail = NULL;
	uint32_t slot = page->index - session->header_pages;
	struct kept *kept = session->by_slot[slot];

	if (!page->seq) {
		session->seen_empty[slot / 8] |= 1 << slot % 8;
		return FLIGHT_TAKEN;
	}
	/* The programs go round: another page cannot have this number. */
	if ((page->seq - 1) % session->slots != slot)
		return FLIGHT_DAMAGED;
	if (!kept) {
		if (collector->records >= RECORDS_MAX)
			return FLIGHT_TOO_MANY;
		kept = session->by_slot[slot] = calloc(1, sizeof(*kept));
		if (!kept)
			return -ENOMEM;
		collector->records++;
		session->kept_count++;
	}
	if (kept->seq >= page->seq)
		return FLIGHT_TAKEN;
	if (page->bytes == sizeof(*detailed)) {
		detail = malloc(sizeof(*detail));
		if (!detail)
			return -ENOMEM;
		*detail = detailed->detail;
	}
	free(kept->detail);
	kept->detail = detail;
	kept->seq = page->seq;
	kept->rec = detailed->rec;
	free(session->sorted);
	session->sorted = NULL;
	return FLIGHT_TAKEN;
}

static bool is_record_size(const struct flight_page *page)
{
	return page->bytes == sizeof(struct flight_record) ||
	       (page->bytes == sizeof(struct flight_detailed) && page->version > 1);
}

static int check_page(const struct flight_page *page)
{
	if (!flight_is_page(page))
		return FLIGHT_NO_PAGE;
	if (page->version > FLIGHT_VERSION && page->version <= FLIGHT_VERSION_MAX)
		return FLIGHT_NEWER;
	if (page->version < FLIGHT_VERSION_MIN || page->version > FLIGHT_VERSION ||
	    page->bytes > FLIGHT_PAYLOAD_BYTES ||
	    page->check != flight_page_check(page, page->bytes))
		return FLIGHT_DAMAGED;
	if (!page->slots || page->slots > FLIGHT_SLOTS_MAX || !page->header_pages ||
	    page->header_pages > FLIGHT_HEADER_PAGES_MAX)
		return FLIGHT_DAMAGED;
	if (page->kind == FLIGHT_HEADER)
		return page->index < page->header_pages ? FLIGHT_TAKEN : FLIGHT_DAMAGED;
	if (page->kind == FLIGHT_RECORD)
		return page->index >= page->header_pages &&
				       page->index - page->header_pages < page->slots &&
				       is_record_size(page)
			       ? FLIGHT_TAKEN
			       : FLIGHT_DAMAGED;
	return FLIGHT_DAMAGED;
}

int flight_collector_add(struct flight_collector *collector, const void *bytes)
{
	union {
		struct flight_page page;
		uint8_t bytes[FLIGHT_PAGE_BYTES];
	} copy; /* aligned, and nobody writes to it any more */
	struct flight_session *session;
	int verdict;

	if (!flight_is_page(bytes))
		return FLIGHT_NO_PAGE;
	memcpy(copy.bytes, bytes, sizeof(copy.bytes));
	verdict = check_page(&copy.page);
	if (verdict == FLIGHT_TAKEN)
		verdict = session_of(collector, &copy.page, &session);
	if (verdict == FLIGHT_TAKEN)
		verdict = copy.page.kind == FLIGHT_HEADER
				  ? add_header(collector, session, &copy.page)
				  : add_record(collector, session, &copy.page);
	collector->damaged += verdict == FLIGHT_DAMAGED;
	collector->sorted = false;
	return verdict;
}

size_t flight_collector_sessions(const struct flight_collector *collector)
{
	return collector->count;
}

size_t flight_collector_damaged(const struct flight_collector *collector)
{
	return collector->damaged;
}

static int decode_header(struct flight_session *session)
{
	uint32_t pages = 0;
	size_t len = 0, at = 0;
	uint8_t *bytes;
	int err;

	/* The last pages are there for symbols, and may hold nothing. */
	for (; pages < session->header_pages && session->headers[pages].bytes; pages++)
		len += session->headers[pages].len;
	bytes = malloc(len + 1);
	if (!bytes)
		return -ENOMEM;
	for (uint32_t i = 0; i < pages; i++) {
		memcpy(bytes + at, session->headers[i].bytes, session->headers[i].len);
		at += session->headers[i].len;
	}
	err = flight_header_decode(bytes, len, &session->header);
	free(bytes);
	return err == -EBADMSG && pages < session->header_pages ? -ENODATA : err;
}

int flight_session_header(struct flight_session *session, const struct flight_header **ret_header)
{
	if (!session->decoded) {
		session->decode_err = decode_header(session);
		session->decoded = true;
	}
	if (!session->decode_err)
		*ret_header = &session->header;
	return session->decode_err;
}

static uint64_t start_of(struct flight_session *session)
{
	const struct flight_header *header;

	return flight_session_header(session, &header) ? 0 : header->start_ns;
}

static int newest_first(const void *a, const void *b)
{
	struct flight_session *const *one = a, *const *other = b;
	uint64_t x = start_of(*one), y = start_of(*other);

	return x > y ? -1 : x < y;
}

struct flight_session *flight_collector_session(struct flight_collector *collector, size_t index)
{
	if (!collector->sorted)
		qsort(collector->sessions, collector->count, sizeof(struct flight_session *),
		      newest_first);
	collector->sorted = true;
	return index < collector->count ? collector->sessions[index] : NULL;
}

void flight_session_state(const struct flight_session *session,
			  struct flight_session_state *ret_state)
{
	struct flight_session_state state = {
		.records = session->kept_count,
		.slots = session->slots,
		.header_pages = session->header_pages,
		.written = session->written,
		.lost = session->lost,
	};

	for (uint32_t i = 0; i < session->header_pages; i++)
		state.headers += session->headers[i].bytes != NULL;
	for (uint32_t i = 0; i < session->slots; i++)
		state.empty += session->seen_empty[i / 8] >> i % 8 & 1;
	for (uint32_t i = 0; i < session->slots; i++) {
		uint64_t seq = session->by_slot[i] ? session->by_slot[i]->seq : 0;

		if (!seq)
			continue;
		if (!state.oldest_seq || seq < state.oldest_seq)
			state.oldest_seq = seq;
		if (seq > state.newest_seq)
			state.newest_seq = seq;
	}
	*ret_state = state;
}

static int by_seq(const void *a, const void *b)
{
	const struct kept *one = *(struct kept *const *)a, *other = *(struct kept *const *)b;

	return one->seq < other->seq ? -1 : one->seq > other->seq;
}

static int settle(struct flight_session *session)
{
	const struct flight_header *header;
	size_t count = 0;

	if (session->sorted && session->shown)
		return 0;
	free(session->sorted);
	session->sorted = calloc(session->kept_count + 1, sizeof(struct kept *));
	if (!session->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < session->slots; i++)
		if (session->by_slot[i])
			session->sorted[count++] = session->by_slot[i];
	qsort(session->sorted, count, sizeof(struct kept *), by_seq);
	/* Without header: the entries as they are, no flag is known to be reported. */
	session->unknown = (struct trigger){.target = "?", .function = "", .module = ""};
	if (flight_session_header(session, &header))
		session->header = (struct flight_header){
			.lbr = {.model = "unknown", .format = LBR_FORMAT_NONE}};
	lbr_model_of_info(&session->header.lbr, &session->model);
	if (!session->shown)
		session->shown = calloc(session->header.target_count + 1, sizeof(struct trigger *));
	return session->shown ? 0 : -ENOMEM;
}

/*
 * A target's trigger as it was armed for one record: that may have changed since. Each has a place
 * of its own: who keeps what is known of a trigger knows it by its address.
 */
static const struct trigger *shown_trigger(struct flight_session *session,
					   const struct flight_record *rec)
{
	const struct trigger *trigger = &session->header.targets[rec->target].trigger;
	unsigned int kind = rec->kind < TRIGGER_KIND_COUNT ? rec->kind : trigger->kind;
	struct trigger **shown = &session->shown[rec->target];

	if (!*shown)
		*shown = calloc(TRIGGER_KIND_COUNT, sizeof(**shown));
	if (!*shown)
		return NULL;
	(*shown)[kind] = *trigger;
	(*shown)[kind].kind = (enum trigger_kind)kind;
	return &(*shown)[kind];
}

/* Of the target where it is known. */
static int take_trigger(struct flight_session *session, const struct flight_record *rec,
			struct captured_event *event)
{
	const struct flight_target *target;

	event->trigger = &session->unknown;
	event->ip = rec->ip;
	if (rec->target >= session->header.target_count)
		return 0;
	target = &session->header.targets[rec->target];
	event->trigger = shown_trigger(session, rec);
	if (!event->trigger)
		return -ENOMEM;
	event->ip = rec->ip ?: target->trigger.addr;
	event->has_retval = target->retval_kinds >> event->trigger->kind & 1;
	event->ret = target->ret;
	return 0;
}

static void take_detail(const struct flight_detail *detail, struct captured_event *event)
{
	_Static_assert((int)FLIGHT_REGS == (int)PTREG_COUNT && FLIGHT_FRAMES_MAX <= BACKTRACE_MAX,
		       "a snapshot has room");
	if (!detail)
		return;
	if (detail->flags & FLIGHT_DETAIL_REGS)
		event->regs = (const uint64_t *)detail->regs;
	if (detail->frames > FLIGHT_FRAMES_MAX)
		return;
	event->stack = (const uint64_t *)detail->stack;
	event->frames = detail->frames;
	event->frames_max = FLIGHT_FRAMES_MAX;
}

int flight_session_next(struct flight_session *session, size_t *at, struct snapshot *ret_snap)
{
	const struct flight_header *header = &session->header;
	struct captured_event event = {0};
	const struct flight_record *rec;
	struct event_lbr lbr;
	uint32_t read;

	if (settle(session))
		return -ENOMEM;
	if (*at >= session->kept_count)
		return 0;
	rec = &session->sorted[(*at)++]->rec;
	event.raw_count = rec->count < FLIGHT_BRANCHES_MAX ? rec->count : FLIGHT_BRANCHES_MAX;
	read = rec->read > 0 ? (uint32_t)rec->read : 0;
	event.read = read > FLIGHT_BRANCHES_MAX ? event.raw_count : read;
	_Static_assert(sizeof(rec->branches) == sizeof(session->raw), "from, to, flags");
	memcpy(session->raw, rec->branches, sizeof(session->raw));
	event.raw = session->raw;
	event.ts_ns = rec->mono_ns + header->mono_to_real_ns;
	event.cpu = rec->cpu;
	event.pid = rec->pid;
	event.tid = rec->tid;
	event.comm = rec->comm;
	event.value = rec->retval;
	if (take_trigger(session, rec, &event))
		return -ENOMEM;
	take_detail(session->sorted[*at - 1]->detail, &event);
	lbr = (struct event_lbr){
		.model = &session->model,
		.info = &header->lbr,
		.filter = header->filter,
		.own = lbr_filter_own(header->filter),
		.filtered = header->filtered,
		.path_ok = header->path_ok,
	};
	event_decode(&lbr, &event, ret_snap);
	return 1;
}

static int next_event(void *ctx, struct snapshot *ret_snap, uint64_t *ret_lost)
{
	struct flight_session *session = ctx;

	(void)ret_lost; /* the session tells how many there are in all */
	return flight_session_next(session, &session->next, ret_snap);
}

struct source flight_session_source(struct flight_session *session, struct symbols *symbols,
				    const struct text_source *text)
{
	static const struct source_ops ops = {.next = next_event};

	session->next = 0;
	return (struct source){
		.ops = &ops,
		.ctx = session,
		.symbols = symbols,
		.text = *text,
		.raw_faults = true,
	};
}
