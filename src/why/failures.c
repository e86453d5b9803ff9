// SPDX-License-Identifier: GPL-2.0
#include "why/failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "syscall/syscall.h"
#include "util/cleanup.h"
#include "util/errno_name.h"
#include "util/vector.h"

/* A build or a package manager fails thousands of calls on its way: the newest are kept, half of
 * these numbers at least. */
#define FAILURES_MAX 8192
#define SAID_MAX     1024
#define ENDED_MAX    65536
/* Calls of many threads at once, or ones that the ring buffer had no room for. */
#define PENDING_MAX (128 * WHY_HITS_MAX)
/* Lines of the log of calls that are not told yet: an oops in one has some sixty. */
#define LOGGED_MAX 512

/* Half of them: a server fails 10,000 calls a second, and to move all for each is more than it
 * takes to fail. */
static void drop_older_half(void *items, size_t *count, size_t bytes)
{
	size_t gone = *count / 2;

	*count -= gone;
	memmove(items, (uint8_t *)items + gone * bytes, *count * bytes);
}

static void failure_deinit(struct failure *failure)
{
	free(failure->hits);
	free(failure->funcs);
	free(failure->log);
}

/* The newest first, each one once. */
static int take_funcs(const struct why_failed *failed, struct failure *ret)
{
	uint32_t count = failed->entered < WHY_FUNCS_MAX ? failed->entered : WHY_FUNCS_MAX;
	uint32_t distinct[WHY_FUNCS_MAX];
	size_t n = 0;

	ret->cut = failed->entered > WHY_FUNCS_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t low = failed->funcs[(failed->entered - 1 - i) & (WHY_FUNCS_MAX - 1)];
		size_t k = 0;

		while (k < n && distinct[k] != low)
			k++;
		if (k == n)
			distinct[n++] = low;
	}
	if (!n)
		return 0;
	ret->funcs = malloc(n * sizeof(*ret->funcs));
	if (!ret->funcs)
		return -ENOMEM;
	memcpy(ret->funcs, distinct, n * sizeof(*ret->funcs));
	ret->func_count = n;
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	uint32_t x = ((const struct why_hit *)a)->order, y = ((const struct why_hit *)b)->order;

	return x < y ? 1 : x > y ? -1 : 0;
}

static bool is_hit_of(const struct why_hit_of *hit, const struct why_failed *failed)
{
	return hit->of == failed->head.seq;
}

/* The hits that were told before the call. Of most calls there are none. */
static int take_hits(struct failures *failures, const struct why_failed *failed,
		     struct failure *ret)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < failures->pending_count; i++)
		count += is_hit_of(&failures->pending[i], failed);
	if (!count)
		return 0;
	if (count > WHY_HITS_MAX)
		count = WHY_HITS_MAX;
	ret->hits = calloc(count, sizeof(*ret->hits));
	if (!ret->hits)
		return -ENOMEM;
	for (size_t i = 0; i < failures->pending_count; i++) {
		const struct why_hit_of *hit = &failures->pending[i];

		if (!is_hit_of(hit, failed))
			failures->pending[kept++] = *hit;
		else if (ret->hit_count < count)
			ret->hits[ret->hit_count++] = hit->hit;
	}
	failures->pending_count = kept;
	qsort(ret->hits, ret->hit_count, sizeof(*ret->hits), newest_first);
	return 0;
}

static int add_hit(struct failures *failures, const struct why_hit_of *event)
{
	if (!failures->pending) {
		failures->pending = calloc(PENDING_MAX, sizeof(*failures->pending));
		if (!failures->pending)
			return -ENOMEM;
	}
	if (failures->pending_count == PENDING_MAX)
		drop_older_half(failures->pending, &failures->pending_count,
				sizeof(*failures->pending));
	failures->pending[failures->pending_count++] = *event;
	return 0;
}

static int add_logged(struct failures *failures, const struct why_said *event)
{
	if (!failures->logged) {
		failures->logged = calloc(LOGGED_MAX, sizeof(*failures->logged));
		if (!failures->logged)
			return -ENOMEM;
	}
	if (failures->logged_count == LOGGED_MAX)
		drop_older_half(failures->logged, &failures->logged_count,
				sizeof(*failures->logged));
	failures->logged[failures->logged_count] = (struct logged){
		.mono_ns = event->head.mono_ns, .tid = event->head.tid, .len = event->len};
	memcpy(failures->logged[failures->logged_count++].bytes, event->bytes, event->len);
	return 0;
}

static void append_line(char *log, const struct logged *line)
{
	size_t at = strlen(log), len = strnlen(line->bytes, line->len);

	while (len && line->bytes[len - 1] == '\n')
		len--;
	memcpy(log + at, line->bytes, len);
	memcpy(log + at + len, "\n", 2);
}

/* The lines of this thread since the call began; older ones are of calls that did not fail. */
static int take_log(struct failures *failures, const struct why_failed *failed, struct failure *ret)
{
	size_t kept = 0;

	ret->log = calloc(failures->logged_count, WHY_SAID_MAX + 2);
	if (!ret->log)
		return -ENOMEM;
	for (size_t i = 0; i < failures->logged_count; i++) {
		const struct logged *line = &failures->logged[i];

		if (line->tid != failed->head.tid)
			failures->logged[kept++] = *line;
		else if (line->mono_ns >= failed->begin_ns)
			append_line(ret->log, line);
	}
	failures->logged_count = kept;
	if (!*ret->log) {
		free(ret->log);
		ret->log = NULL;
	}
	return 0;
}

static void drop_failures(struct failures *failures)
{
	size_t before = failures->count;

	for (size_t i = 0; i < before / 2; i++)
		failure_deinit(&failures->items[i]);
	drop_older_half(failures->items, &failures->count, sizeof(*failures->items));
	failures->dropped += before - failures->count;
}

static int add_failed(struct failures *failures, const struct why_failed *failed)
{
	struct failure item = {
		.seq = failed->head.seq,
		.begin_ns = failed->begin_ns,
		.mono_ns = failed->head.mono_ns,
		.tgid = failed->head.tgid,
		.tid = failed->head.tid,
		.via = failed->via,
		.err = failed->err,
		.executed = failed->hits,
		.hits_lost = failed->hits_lost,
		.refused = failed->refused,
		.signal = failed->signal,
		.restarts = failed->restarts,
		.result = failed->result,
		.call = failed->call,
	};

	memcpy(item.comm, failed->head.comm, sizeof(item.comm) - 1);
	memcpy(item.text, failed->text, sizeof(item.text));
	if (take_funcs(failed, &item) ||
	    (failures->pending_count && take_hits(failures, failed, &item)) ||
	    (failures->logged_count && take_log(failures, failed, &item))) {
		failure_deinit(&item);
		return -ENOMEM;
	}
	if (failures->count == FAILURES_MAX)
		drop_failures(failures);
	if (failures->count == failures->room) {
		size_t room = failures->room ? failures->room * 2 : 64;
		struct failure *items = reallocarray(failures->items, room, sizeof(*items));

		if (!items) {
			failure_deinit(&item);
			return -ENOMEM;
		}
		failures->items = items;
		failures->room = room;
	}
	failures->items[failures->count++] = item;
	return 0;
}

/* Progress is shown in one line, again and again. */
static bool begins_line(const struct why_said *piece)
{
	return piece->len && piece->bytes[0] == '\r';
}

/* ... or the rest of it was not read. */
static bool ends_line(const struct why_said *piece)
{
	char last = piece->len ? piece->bytes[piece->len - 1] : '\n';

	return last == '\n' || last == '\r' || piece->len == WHY_SAID_MAX;
}

_Static_assert(WHY_SAID_MAX <= SAID_BYTES, "room for a piece");

/* Programs write a message piece by piece. */
static struct said *unfinished(struct failures *failures, const struct why_said *piece)
{
	for (size_t i = failures->said_count; i-- > 0;) {
		struct said *said = &failures->said[i];

		if (said->tgid == piece->head.tgid)
			return said->ended || begins_line(piece) ||
					       piece->len > sizeof(said->bytes) - said->len
				       ? NULL
				       : said;
	}
	return NULL;
}

static int add_said(struct failures *failures, const struct why_said *piece)
{
	struct said *said = unfinished(failures, piece);

	if (!said) {
		if (failures->said_count == SAID_MAX)
			drop_older_half(failures->said, &failures->said_count, sizeof(*said));
		if (vector_grow(&failures->said, failures->said_count, sizeof(*said)))
			return -ENOMEM;
		said = &failures->said[failures->said_count++];
		said->tgid = piece->head.tgid;
		said->len = 0;
	}
	said->seq = piece->head.seq;
	said->ended = ends_line(piece);
	memcpy(said->bytes + said->len, piece->bytes, piece->len);
	said->len += piece->len;
	return 0;
}

static int add_ended(struct failures *failures, const struct why_exited *event)
{
	if (failures->ended_count == ENDED_MAX)
		drop_older_half(failures->ended, &failures->ended_count, sizeof(*failures->ended));
	if (vector_grow(&failures->ended, failures->ended_count, sizeof(*failures->ended)))
		return -ENOMEM;
	failures->ended[failures->ended_count++] = (struct ended){
		.seq = event->head.seq, .tgid = event->head.tgid, .code = event->code};
	return 0;
}

int failures_add(struct failures *failures, const struct why_event *event)
{
	switch (event->kind) {
	case WHY_FAILED:
		return add_failed(failures, (const struct why_failed *)event);
	case WHY_HIT:
		return add_hit(failures, (const struct why_hit_of *)event);
	case WHY_LOGGED:
		return add_logged(failures, (const struct why_said *)event);
	case WHY_SAID:
		return add_said(failures, (const struct why_said *)event);
	case WHY_EXITED:
		return add_ended(failures, (const struct why_exited *)event);
	default:
		return 0;
	}
}

static int by_seq(const void *a, const void *b)
{
	uint64_t x = ((const struct failure *)a)->seq, y = ((const struct failure *)b)->seq;

	return x < y ? -1 : x > y;
}

static int said_by_seq(const void *a, const void *b)
{
	uint64_t x = ((const struct said *)a)->seq, y = ((const struct said *)b)->seq;

	return x < y ? -1 : x > y;
}

/* A process ID may be used again. */
static int ended_by_process(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void failures_sort(struct failures *failures)
{
	if (failures->count)
		qsort(failures->items, failures->count, sizeof(*failures->items), by_seq);
	if (failures->said_count)
		qsort(failures->said, failures->said_count, sizeof(*failures->said), said_by_seq);
	if (failures->ended_count)
		qsort(failures->ended, failures->ended_count, sizeof(*failures->ended),
		      ended_by_process);
}

const struct ended *failures_ended(const struct failures *failures, uint32_t tgid, uint64_t seq)
{
	struct ended key = {.tgid = tgid, .seq = seq};
	size_t low = 0, high = failures->ended_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (ended_by_process(&failures->ended[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < failures->ended_count && failures->ended[low].tgid == tgid
		       ? &failures->ended[low]
		       : NULL;
}

void failures_withhold(struct failures *failures)
{
	for (size_t i = 0; i < failures->count; i++) {
		struct failure *failure = &failures->items[i];

		failure->withheld = true;
		failure->comm[0] = '\0';
		failure->text[0] = '\0';
		free(failure->log);
		failure->log = NULL;
	}
}

void failures_clear(struct failures *failures)
{
	for (size_t i = 0; i < failures->count; i++)
		failure_deinit(&failures->items[i]);
	free(failures->items);
	free(failures->said);
	free(failures->ended);
	free(failures->pending);
	free(failures->logged);
	*failures = (struct failures){};
}

static bool same_string(const struct failure *one, const struct failure *other, size_t i)
{
	const struct syscall_blob *a = &one->call.blobs[i], *b = &other->call.blobs[i];

	if (a->status != b->status)
		return false;
	return !memcmp(one->call.bytes[i], other->call.bytes[i],
		       a->len < SYSCALL_BYTES_MAX ? a->len : SYSCALL_BYTES_MAX) &&
	       a->len == b->len;
}

/* Of the same length, and in the same directory; what is longer than was read is not known. */
static bool alike_string(const struct failure *one, const struct failure *other, size_t i)
{
	const struct syscall_blob *a = &one->call.blobs[i], *b = &other->call.blobs[i];
	const char *name =
		a->len <= SYSCALL_BYTES_MAX ? memrchr(one->call.bytes[i], '/', a->len) : NULL;

	return same_string(one, other, i) ||
	       (name && a->status == b->status && a->len == b->len &&
		!memcmp(one->call.bytes[i], other->call.bytes[i],
			(size_t)(name - (const char *)one->call.bytes[i]) + 1));
}

/* No error, but a result between -4095 and -1: the kernel begins the call again, or gives EINTR. */
static bool is_interrupted(const struct failure *failure)
{
	return !failure->err && errno_of_result(failure->result);
}

typedef bool same_string_fn(const struct failure *one, const struct failure *other, size_t i);

static bool compare(const struct failure *one, const struct failure *other, same_string_fn *same)
{
	if (is_interrupted(one) != is_interrupted(other))
		return false;
	/* An errno of a filter or of a signal's handler is not the same as one of the kernel's
	 * code. */
	if (one->refused != other->refused || !one->signal != !other->signal)
		return false;
	if (one->via != other->via || one->err != other->err || one->call.nr != other->call.nr ||
	    strcmp(one->text, other->text) != 0)
		return false;
	for (unsigned int i = 0; i < SYSCALL_ARGS; i++)
		if ((syscall_argument_is_string(&one->call, i) ||
		     syscall_argument_is_string(&other->call, i)) &&
		    !same(one, other, i))
			return false;
	return true;
}

bool failure_same(const struct failure *one, const struct failure *other)
{
	return compare(one, other, same_string);
}

bool failure_alike(const struct failure *one, const struct failure *other)
{
	return compare(one, other, alike_string);
}
