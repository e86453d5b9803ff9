// SPDX-License-Identifier: GPL-2.0
#include "render/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/path_counts.h"
#include "path/story.h"
#include "render/color.h"
#include "render/escape.h"
#include "render/json_writer.h"
#include "util/errno_name.h"

#define PIDS_MAX 16u
/* Known by name, of all paths; and of one path. */
#define HOSTS_MAX      1024u
#define PATH_HOSTS_MAX 16u
#define PLACE_LEN      96

/**
 * struct entry - one path
 * @what: "do_sys_openat2() = -ENOENT", foreign characters escaped
 * @decision: the decision that led to the error, or where the path ends; "" if neither is known
 * @pids: the first processes that took it
 * @more_pids: there were others
 * @hosts: the first machines that it was seen on, by number
 */
struct entry {
	struct path_count taken;
	char *target;
	char *function;
	char decision[PLACE_LEN];
	char error[PLACE_LEN];
	uint32_t pids[PIDS_MAX];
	uint32_t pid_count;
	bool more_pids;
	uint32_t hosts[PATH_HOSTS_MAX];
	uint32_t host_count;
	bool more_hosts;
};

struct summary {
	struct summary_options opts;
	struct path_counts counts; /* of struct entry */
	char *hosts[HOSTS_MAX];
	uint32_t host_count;
	uint32_t last_host;
};

struct summary *summary_create(const struct summary_options *opts)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return NULL;
	summary->opts = *opts;
	summary->counts.size = sizeof(struct entry);
	return summary;
}

static void free_names(void *element)
{
	struct entry *entry = element;

	free(entry->target);
	free(entry->function);
}

void summary_forget(struct summary *summary)
{
	path_counts_clear(&summary->counts, free_names);
}

void summary_destroy(struct summary *summary)
{
	if (!summary)
		return;
	path_counts_deinit(&summary->counts, free_names);
	for (uint32_t i = 0; i < summary->host_count; i++)
		free(summary->hosts[i]);
	free(summary);
}

bool summary_find(struct summary *summary, uint64_t ident)
{
	return path_counts_find(&summary->counts, ident);
}

static void name_place(struct symbols *symbols, uint64_t addr, char *buf, size_t len)
{
	char raw[PLACE_LEN];

	render_location(symbols, addr, raw, sizeof(raw));
	escape_text(raw, buf, len);
}

/* Where the path decided; known of those that show where the errno was made. */
static void describe(struct entry *entry, const struct snapshot *snap, const struct path *path,
		     struct symbols *symbols)
{
	uint32_t insn = PATH_NONE, key = PATH_NONE;

	if (path && snap->err)
		path_find_error(path, snap->err, &insn, &key);
	if (insn != PATH_NONE)
		name_place(symbols, path_insn_addr(path, insn), entry->error, sizeof(entry->error));
	if (key != PATH_NONE)
		name_place(symbols, path->decisions[key].addr, entry->decision,
			   sizeof(entry->decision));
}

/* Where the texts that @entry has are copied to. */
static int new_entry(struct summary *summary, const struct entry *entry, const char *target,
		     const char *function, struct entry **ret)
{
	struct entry made = *entry;

	made.target = strdup(target);
	made.function = strdup(function);
	*ret = made.target && made.function ? path_counts_new(&summary->counts, &made.taken) : NULL;
	if (!*ret)
		free_names(&made);
	return *ret ? 0 : -ENOMEM;
}

static void note_pid(struct entry *entry, uint32_t pid)
{
	for (uint32_t i = 0; i < entry->pid_count; i++)
		if (entry->pids[i] == pid)
			return;
	if (entry->pid_count == PIDS_MAX)
		entry->more_pids = true;
	else
		entry->pids[entry->pid_count++] = pid;
}

/* Number of a machine; HOSTS_MAX: none that is known by name. */
static int find_host(struct summary *summary, const char *host, uint32_t *ret)
{
	uint32_t i = summary->last_host;

	if (i >= summary->host_count || strcmp(summary->hosts[i], host))
		for (i = 0; i < summary->host_count; i++)
			if (!strcmp(summary->hosts[i], host))
				break;
	if (i == summary->host_count && i < HOSTS_MAX) {
		summary->hosts[i] = strdup(host);
		if (!summary->hosts[i])
			return -ENOMEM;
		summary->host_count++;
	}
	*ret = summary->last_host = i;
	return 0;
}

static int note_host(struct summary *summary, struct entry *entry, const char *host)
{
	uint32_t number;
	int err = host ? find_host(summary, host, &number) : 0;

	if (!host || err)
		return err;
	for (uint32_t i = 0; i < entry->host_count; i++)
		if (entry->hosts[i] == number)
			return 0;
	if (entry->host_count == PATH_HOSTS_MAX || number == HOSTS_MAX)
		entry->more_hosts = true;
	else
		entry->hosts[entry->host_count++] = number;
	return 0;
}

int summary_add(struct summary *summary, const struct snapshot *snap, uint64_t ident,
		const struct path *path, struct symbols *symbols, const char *host, uint64_t lost)
{
	const struct trigger *trigger = snap->trigger;
	struct entry *entry = path_counts_find(&summary->counts, ident);
	int err;

	if (!entry && !path_counts_full(&summary->counts)) {
		struct entry made = {.taken = {.ident = ident, .err = snap->err}};

		made.taken.kind = trigger ? trigger_kind_name(trigger->kind) : "";
		describe(&made, snap, path, symbols);
		err = new_entry(summary, &made, trigger ? trigger->target : "",
				trigger && trigger->function ? trigger->function : "", &entry);
		if (err)
			return err;
	}
	path_counts_add(&summary->counts, entry ? &entry->taken : NULL, 1, snap->ts_ns);
	summary->counts.lost += lost;
	if (!entry)
		return 0;
	note_pid(entry, snap->pid);
	return note_host(summary, entry, host);
}

static const char *known_kind(const char *name)
{
	for (int kind = TRIGGER_NONE + 1; kind < TRIGGER_KIND_COUNT; kind++)
		if (!strcmp(name, trigger_kind_name((enum trigger_kind)kind)))
			return trigger_kind_name((enum trigger_kind)kind);
	return "";
}

int summary_add_count(struct summary *summary, const struct summary_count *counted)
{
	struct entry *entry = path_counts_find(&summary->counts, counted->ident);
	int err;

	if (!entry && !path_counts_full(&summary->counts)) {
		struct entry made = {.taken = {.ident = counted->ident, .err = counted->err}};

		made.taken.kind = "";
		err = new_entry(summary, &made, "", counted->function, &entry);
		if (err)
			return err;
	}
	path_counts_add(&summary->counts, entry ? &entry->taken : NULL, counted->count,
			counted->ts_ns);
	if (!entry)
		return 0;
	/* A message that only counts does not say them. */
	if (!*entry->taken.kind)
		entry->taken.kind = known_kind(counted->kind);
	if (!*entry->error)
		escape_text(counted->error, entry->error, sizeof(entry->error));
	return note_host(summary, entry, counted->host);
}

int summary_add_host(struct summary *summary, const char *host)
{
	uint32_t number;

	return find_host(summary, host, &number);
}

void summary_add_lost(struct summary *summary, uint64_t lost, uint64_t left_out)
{
	summary->counts.lost = count_sum(summary->counts.lost, lost);
	path_counts_add(&summary->counts, NULL, left_out, 0);
}

static void print_time(FILE *out, uint64_t ts_ns)
{
	time_t sec = (time_t)(ts_ns / 1000000000);
	char text[32];
	struct tm tm;

	localtime_r(&sec, &tm);
	strftime(text, sizeof(text), "%F %T", &tm);
	fputs(text, out);
}

static void print_what(FILE *out, const struct entry *entry, const struct text_options *how)
{
	char name[256], escaped[4 * sizeof(name)];
	const char *errname = entry->taken.err ? errno_name(entry->taken.err) : NULL;

	snprintf(name, sizeof(name), "%s", *entry->function ? entry->function : entry->target);
	fprintf(out, "%s%s%s", paint(how, BOLD), escape_text(name, escaped, sizeof(escaped)),
		paint(how, OFF));
	if (errname)
		fprintf(out, "() = -%s", errname);
	else if (entry->taken.err)
		fprintf(out, "() = -%d", entry->taken.err);
	fprintf(out, "  %s", entry->taken.kind);
	if (*entry->decision)
		fprintf(out, "  decided at %s", entry->decision);
	else if (*entry->error)
		fprintf(out, "  made at %s", entry->error);
}

static void print_hosts(FILE *out, const struct summary *summary, const struct entry *entry)
{
	char host[256];

	fprintf(out, "  on");
	for (uint32_t i = 0; i < entry->host_count; i++)
		fprintf(out, " %s",
			escape_text(summary->hosts[entry->hosts[i]], host, sizeof(host)));
	if (entry->more_hosts)
		fputs(" and more", out);
	else if (entry->host_count == 1 && summary->host_count > 1)
		fputs(" alone", out);
	fputc('\n', out);
}

static void print_row(FILE *out, const struct summary *summary, const struct entry *entry)
{
	const struct text_options how = {.color = summary->opts.color};

	fprintf(out, "%10" PRIu64 " %5.1f %%  %s%016" PRIx64 "%s  ", entry->taken.count,
		100.0 * (double)entry->taken.count / (double)summary->counts.snapshots,
		paint(&how, YELLOW), entry->taken.ident, paint(&how, OFF));
	print_what(out, entry, &how);
	fprintf(out, "\n%20s", "");
	print_time(out, entry->taken.first_ns);
	fputs(" to ", out);
	print_time(out, entry->taken.last_ns);
	/* Of several machines a process's number says nothing; a count from elsewhere has none. */
	if (summary->host_count > 1 || !entry->pid_count) {
		print_hosts(out, summary, entry);
		return;
	}
	fprintf(out, "  pid");
	for (uint32_t i = 0; i < entry->pid_count; i++)
		fprintf(out, " %u", entry->pids[i]);
	fprintf(out, "%s\n", entry->more_pids ? " and more" : "");
}

static void print_text(struct summary *summary, void **order, FILE *out)
{
	size_t paths = summary->counts.paths.count;
	size_t shown = paths < summary->opts.top ? paths : summary->opts.top;
	uint64_t rest = summary->counts.snapshots;

	fprintf(out, "%zu paths of %" PRIu64 " snapshots, %" PRIu64 " events lost\n", paths,
		summary->counts.snapshots, summary->counts.lost);
	for (size_t i = 0; i < shown; i++) {
		const struct entry *entry = order[i];

		print_row(out, summary, entry);
		rest -= rest < entry->taken.count ? rest : entry->taken.count;
	}
	if (rest)
		fprintf(out, "%10" PRIu64 " %5.1f %%  other paths: %zu%s\n", rest,
			100.0 * (double)rest / (double)summary->counts.snapshots, paths - shown,
			summary->counts.left_out ? " and some that were only counted" : "");
	fputc('\n', out);
}

static void put_entry(struct json_writer *w, const struct summary *summary,
		      const struct entry *entry)
{
	jw_open(w, '{');
	jw_put_string(w, "schema", "lbrsnoop.summary/1");
	jw_put_ident(w, "path_id", entry->taken.ident);
	jw_put_integer(w, "count", (int64_t)entry->taken.count);
	jw_put_integer(w, "first_ns", (int64_t)entry->taken.first_ns);
	jw_put_integer(w, "last_ns", (int64_t)entry->taken.last_ns);
	jw_put_text(w, "target", entry->target);
	jw_put_text(w, "function", entry->function);
	jw_put_text(w, "kind", entry->taken.kind);
	jw_put_string(w, "errno", entry->taken.err ? errno_name(entry->taken.err) : NULL);
	jw_put_text(w, "decision", entry->decision);
	jw_put_text(w, "error", entry->error);
	jw_key(w, "pids");
	jw_open(w, '[');
	for (uint32_t i = 0; i < entry->pid_count; i++)
		jw_integer(w, entry->pids[i]);
	jw_close(w, ']');
	jw_put_bool(w, "more_pids", entry->more_pids);
	jw_key(w, "hosts");
	jw_open(w, '[');
	for (uint32_t i = 0; i < entry->host_count; i++)
		jw_string(w, summary->hosts[entry->hosts[i]]);
	jw_close(w, ']');
	jw_put_bool(w, "more_hosts", entry->more_hosts);
	jw_put_integer(w, "snapshots", (int64_t)summary->counts.snapshots);
	jw_put_integer(w, "lost", (int64_t)summary->counts.lost);
	jw_close(w, '}');
}

static int print_json(struct summary *summary, void **order, FILE *out)
{
	int err = 0;

	for (size_t i = 0; i < summary->counts.paths.count && i < summary->opts.top && !err; i++) {
		struct json_writer w = {0};

		put_entry(&w, summary, order[i]);
		err = json_writer_flush(&w, out);
	}
	return err;
}

static void sort_hosts(const struct summary *summary, struct entry *entry)
{
	for (uint32_t i = 1; i < entry->host_count; i++) {
		uint32_t host = entry->hosts[i], k = i;

		for (; k && strcmp(summary->hosts[entry->hosts[k - 1]], summary->hosts[host]) > 0;
		     k--)
			entry->hosts[k] = entry->hosts[k - 1];
		entry->hosts[k] = host;
	}
}

int summary_print(struct summary *summary, FILE *out)
{
	void **order = path_counts_sorted(&summary->counts);
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < summary->counts.paths.count; i++)
		sort_hosts(summary, order[i]);
	if (summary->opts.json)
		err = print_json(summary, order, out);
	else
		print_text(summary, order, out);
	free(order);
	return err ?: ferror(out) ? -EIO : 0;
}
