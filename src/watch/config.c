// SPDX-License-Identifier: GPL-2.0
#include "watch/config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/filter_text.h"
#include "export/capture_field.h"
#include "target/suggest.h"
#include "target/target.h"
#include "util/cleanup.h"
#include "util/number.h"
#include "util/file/trusted_file.h"
#include "util/vector.h"
#include "watch/ini.h"

/** struct parser - @section: that the line is in, "": before the first */
struct parser {
	const char *path;
	struct watch_config *config;
	struct errmsg_queue *errors;
	char section[32];
	bool section_known;
	bool failed;
	unsigned int line;
};

/**
 * struct key - one key
 * @set: take a value; 0; -ENOMEM; -EINVAL with @msg
 * @offset: of what @set writes, in struct watch_config
 * @least, @most: of numbers
 */
struct key {
	const char *section;
	const char *name;
	int (*set)(struct watch_config *config, const struct key *key, const char *value,
		   struct errmsg *msg);
	size_t offset;
	uint64_t least;
	uint64_t most;
};

static void *field_of(struct watch_config *config, const struct key *key)
{
	return (char *)config + key->offset;
}

static void drop_targets(struct watch_config *config)
{
	while (config->target_count)
		free(config->targets[--config->target_count]);
}

/* An empty value forgets those before it, as in systemd's lists. */
static int set_target(struct watch_config *config, const struct key *key, const char *value,
		      struct errmsg *msg)
{
	struct target_spec spec;
	int err;

	if (!*value) {
		drop_targets(config);
		return 0;
	}
	if (config->target_count == WATCH_TARGETS_MAX)
		return errmsg_set(msg, -EINVAL, "more than %d targets; a glob names many functions",
				  WATCH_TARGETS_MAX);
	err = target_parse(value, &spec, msg);
	if (err)
		return err;
	target_spec_deinit(&spec);
	if (vector_grow(&config->targets, config->target_count, sizeof(*config->targets)))
		return -ENOMEM;
	config->targets[config->target_count] = strdup(value);
	return config->targets[config->target_count] ? (config->target_count++, 0) : -ENOMEM;
}

static int set_string(struct watch_config *config, const struct key *key, const char *value,
		      struct errmsg *msg)
{
	char **field = field_of(config, key);

	free(*field);
	*field = *value ? strdup(value) : NULL;
	return *value && !*field ? -ENOMEM : 0;
}

static int set_file(struct watch_config *config, const struct key *key, const char *value,
		    struct errmsg *msg)
{
	if (*value && *value != '/')
		return errmsg_set(msg, -EINVAL,
				  "'%s' is not an absolute path; begin it with '/': a service has "
				  "no directory of its own",
				  value);
	return set_string(config, key, value, msg);
}

/* Source: systemd.syntax(7), "Boolean arguments" */
static int set_bool(struct watch_config *config, const struct key *key, const char *value,
		    struct errmsg *msg)
{
	static const char *const words[][2] = {
		{"no", "yes"}, {"0", "1"}, {"false", "true"}, {"off", "on"}};
	bool *field = field_of(config, key);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (int k = 0; k < 2; k++)
			if (!strcasecmp(value, words[i][k])) {
				*field = k;
				return 0;
			}
	return errmsg_set(msg, -EINVAL, "'%s': expected yes or no", value);
}

/* @units: as number_parse() has them */
static int parse_number(const struct key *key, const char *value, const char *units, uint64_t *ret,
			struct errmsg *msg)
{
	uint64_t number;

	if (number_parse(value, units, &number) || number > key->most || number < key->least)
		return errmsg_set(msg, -EINVAL, "'%s': expected a number from %llu to %llu%s%s",
				  value, (unsigned long long)key->least,
				  (unsigned long long)key->most,
				  *units ? ", with K, M or G behind it if you like" : "",
				  key->least ? "" : "; 0: no limit");
	*ret = number;
	return 0;
}

static int set_number(struct watch_config *config, const struct key *key, const char *value,
		      struct errmsg *msg)
{
	return parse_number(key, value, "", field_of(config, key), msg);
}

static int set_bytes(struct watch_config *config, const struct key *key, const char *value,
		     struct errmsg *msg)
{
	uint64_t bytes = 0;
	int err = parse_number(key, value, "KMG", &bytes, msg);

	/* Less than our own libraries and the kernel's names take is no limit, but the end. */
	if (!err && bytes && bytes < (16 << 20) &&
	    key->offset == offsetof(struct watch_config, memory))
		return errmsg_set(msg, -EINVAL, "'%s': 16M at least are needed", value);
	if (!err)
		*(uint64_t *)field_of(config, key) = bytes;
	return err;
}

/* 0 is no capture, and not one of any size. */
static int set_capture_bytes(struct watch_config *config, const struct key *key, const char *value,
			     struct errmsg *msg)
{
	uint64_t bytes = 0;

	if (number_parse(value, "KMG", &bytes) || bytes > key->most)
		return errmsg_set(msg, -EINVAL,
				  "'%s': expected a number of bytes up to %llu, with K or M behind "
				  "it if you like; 0: no captures",
				  value, (unsigned long long)key->most);
	config->export.capture_bytes = bytes;
	return 0;
}

static int set_series(struct watch_config *config, const struct key *key, const char *value,
		      struct errmsg *msg)
{
	uint64_t number = 0;
	int err = parse_number(key, value, "", &number, msg);

	if (!err)
		config->export.series = (uint32_t)number;
	return err;
}

static int set_share(struct watch_config *config, const struct key *key, const char *value,
		     struct errmsg *msg)
{
	/* strtod() knows more: hexadecimal numbers, exponents, signs. */
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double percent = strtod(value, &end);

	if (!digits || end != value + digits || strcmp(end, "%") != 0 || percent > 100)
		return errmsg_set(
			msg, -EINVAL,
			"'%s': expected a percentage of one CPU, as in 1%%; 0%%: no limit", value);
	*(double *)field_of(config, key) = percent / 100;
	return 0;
}

static int set_errnos(struct watch_config *config, const struct key *key, const char *value,
		      struct errmsg *msg)
{
	return filter_errnos(&config->filter, *value ? value : "any", msg);
}

static int set_cpus(struct watch_config *config, const struct key *key, const char *value,
		    struct errmsg *msg)
{
	if (*value)
		return filter_cpus(&config->filter, value, msg);
	config->filter.cpu_filter = false;
	return 0;
}

static int set_comm(struct watch_config *config, const struct key *key, const char *value,
		    struct errmsg *msg)
{
	if (strlen(value) >= COMM_LEN)
		return errmsg_set(msg, -EINVAL,
				  "'%s': the kernel keeps 15 bytes of a task's name: write '%.15s'",
				  value, value);
	return set_string(config, key, value, msg);
}

#define FIELD(name) offsetof(struct watch_config, name)

static const struct key keys[] = {
	{"Watch", "Target", set_target, 0, 0, 0},
	{"Watch", "Learned", set_bool, FIELD(learned), 0, 0},
	{"Watch", "Errno", set_errnos, 0, 0, 0},
	{"Watch", "Comm", set_comm, FIELD(comm), 0, 0},
	{"Watch", "ControlGroup", set_string, FIELD(cgroup), 0, 0},
	{"Watch", "Unit", set_string, FIELD(unit), 0, 0},
	{"Watch", "CPUs", set_cpus, 0, 0, 0},
	{"Watch", "SourceLines", set_bool, FIELD(source_lines), 0, 0},
	{"Budget", "CPUShare", set_share, FIELD(cpu_share), 0, 0},
	{"Budget", "BreakpointShare", set_share, FIELD(filter.max_overhead), 0, 0},
	{"Budget", "Memory", set_bytes, FIELD(memory), 0, 1ull << 40},
	{"Budget", "SnapshotsPerSec", set_number, FIELD(per_s), 0, 1000000},
	{"Budget", "RecordsPerSec", set_number, FIELD(export.records_per_s), 0, 1000000},
	{"Budget", "BytesPerSec", set_bytes, FIELD(export.bytes_per_s), 0, 1 << 30},
	{"Budget", "CaptureBytes", set_capture_bytes, 0, 0, CAPTURE_BYTES_MAX},
	{"Export", "Journal", set_bool, FIELD(export.journal), 0, 0},
	{"Export", "OTLP", set_file, FIELD(otlp), 0, 0},
	{"Export", "Metrics", set_file, FIELD(metrics), 0, 0},
	{"Export", "MaxSeries", set_series, 0, 1, PATH_COUNTS_MAX},
	{"Export", "CountIntervalSec", set_number, FIELD(interval_s), 1, 86400},
	{"Export", "ExportComm", set_bool, FIELD(export.comm), 0, 0},
};

static void refuse(struct parser *parser, const char *what, const char *name, const char *cause)
{
	parser->failed = true;
	errmsg_queue_add(parser->errors, "%s:%u: %s%s%s%s", parser->path, parser->line, what, name,
			 *name ? ": " : "", cause);
}

/* @what: "section ", "key " */
static void refuse_unknown(struct parser *parser, const char *what, const char *name,
			   struct suggestions *near, const char *remedy)
{
	char text[600], cause[1000];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (*what == 's' ? !i || strcmp(keys[i].section, keys[i - 1].section) != 0
				 : !strcmp(keys[i].section, parser->section))
			suggestions_offer(near, *what == 's' ? keys[i].section : keys[i].name);
	suggestions_text(near, text, sizeof(text));
	snprintf(cause, sizeof(cause), "there is none of this name%s", *text ? text : remedy);
	refuse(parser, what, name, cause);
}

static void take_section(struct parser *parser, const char *name)
{
	struct suggestions near = {.wanted = name};

	snprintf(parser->section, sizeof(parser->section), "%s", name);
	parser->section_known = false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		parser->section_known = parser->section_known || !strcmp(keys[i].section, name);
	if (!parser->section_known)
		refuse_unknown(parser, "section ", name, &near,
			       "; those there are: [Watch], [Budget], [Export]");
}

/* A key of another section is near, too, whatever the distance. */
static const char *section_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].section;
	return NULL;
}

static int take_value(struct parser *parser, const char *name, const char *value)
{
	struct suggestions near = {.wanted = name};
	char remedy[100] = "; lbrsnoop(8) lists them";
	const char *other = section_of(name);
	struct errmsg msg = {};
	int err;

	if (!*parser->section) {
		refuse(parser, "key ", name,
		       "it stands before the first section; begin with [Watch]");
		return 0;
	}
	if (!parser->section_known)
		return 0; /* one error is enough */
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].section, parser->section) != 0 ||
		    strcmp(keys[i].name, name) != 0)
			continue;
		err = keys[i].set(parser->config, &keys[i], value, &msg);
		if (err && err != -ENOMEM)
			refuse(parser, "", name, msg.text);
		return err == -ENOMEM ? err : 0;
	}
	if (other) {
		snprintf(remedy, sizeof(remedy), "this key is of section [%s]", other);
		refuse(parser, "key ", name, remedy);
	} else {
		refuse_unknown(parser, "key ", name, &near, remedy);
	}
	return 0;
}

static int take_line(const struct ini_line *line, void *ctx)
{
	struct parser *parser = ctx;

	parser->line = line->number;
	switch (line->what) {
	case INI_SECTION:
		take_section(parser, line->name);
		return 0;
	case INI_VALUE:
		return take_value(parser, line->name, line->value);
	case INI_ERROR:
	default:
		refuse(parser, "", "", line->value);
		return 0;
	}
}

/* What no line alone is wrong about. */
static void check_whole(struct parser *parser)
{
	const struct watch_config *config = parser->config;
	const char *wrong = NULL;

	if (!config->target_count && !config->learned)
		wrong = "nothing is to be watched; name a function in [Watch]: "
			"Target=do_sys_openat2";
	else if (!export_wanted(&config->export))
		wrong = "nobody is told; name somebody in [Export]: Journal=yes";
	else if (config->cgroup && config->unit)
		wrong = "ControlGroup and Unit: leave one of them out";
	if (!wrong)
		return;
	parser->failed = true;
	errmsg_queue_add(parser->errors, "%s: %s", parser->path, wrong);
}

int watch_config_parse(const char *path, char *text, size_t len, struct watch_config *ret,
		       struct errmsg_queue *errors)
{
	struct watch_config config = {
		.filter = {.errno_filter = true, .errno_any = true, .max_overhead = 0.01},
		.cpu_share = 0.01,
		.memory = 128u << 20,
		.per_s = 1000,
		.export = {.live = true,
			   .service = true,
			   .records_per_s = 20,
			   .bytes_per_s = 16 << 10,
			   .capture_bytes = CAPTURE_BYTES_DEFAULT},
		.interval_s = 60,
	};
	struct parser parser = {.path = path, .config = &config, .errors = errors};
	int err = 0;

	if (strlen(text) != len) {
		errmsg_queue_add(errors, "%s: a NUL byte is in it; it is to be a text file", path);
		err = -EINVAL;
	}
	err = err ?: ini_read(text, len, take_line, &parser);
	config.export.otlp = config.otlp;
	config.export.metrics = config.metrics;
	config.filter.comm = config.comm;
	if (!err && !parser.failed)
		check_whole(&parser);
	if (!err && parser.failed)
		err = -EINVAL;
	if (err)
		watch_config_deinit(&config);
	else
		*ret = config;
	return err;
}

static int read_text(int fd, char **ret_text, size_t *ret_len)
{
	char *text = malloc(WATCH_CONFIG_BYTES + 1);
	size_t len = 0;
	ssize_t got = 1;

	if (!text)
		return -ENOMEM;
	while (got > 0 && len < WATCH_CONFIG_BYTES) {
		got = read(fd, text + len, WATCH_CONFIG_BYTES - len);
		if (got > 0)
			len += (size_t)got;
	}
	if (got) {
		int err = got < 0 ? -errno : -EFBIG;

		free(text);
		return err;
	}
	text[len] = '\0';
	*ret_text = text;
	*ret_len = len;
	return 0;
}

int watch_config_read(const char *path, struct watch_config *ret, struct errmsg_queue *errors)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int err;

	if (fd >= 0 && !file_is_trusted(fd)) {
		errmsg_queue_add(
			errors,
			"%s: refused: it decides what is done to the kernel, and has to be "
			"a regular file of root or yourself that nobody else may write to: "
			"chown root, chmod go-w",
			path);
		return -EPERM;
	}
	err = fd < 0 ? -errno : read_text(fd, &text, &len);
	if (err == -EFBIG) {
		errmsg_queue_add(errors,
				 "%s: it has %u bytes or more; a glob names many targets in one "
				 "line",
				 path, WATCH_CONFIG_BYTES);
		return -EINVAL;
	}
	if (err) {
		errmsg_queue_add(errors, "%s: %s%s", path, strerror(-err),
				 err == -ENOENT ? "; an example is in lbrsnoop's examples, "
						  "watch.conf"
						: "");
		return err;
	}
	return watch_config_parse(path, text, len, ret, errors);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool watch_config_same_export(const struct watch_config *a, const struct watch_config *b)
{
	const struct export_options *x = &a->export, *y = &b->export;

	return same_text(a->otlp, b->otlp) && same_text(a->metrics, b->metrics) &&
	       x->series == y->series && x->journal == y->journal && x->comm == y->comm &&
	       x->records_per_s == y->records_per_s && x->bytes_per_s == y->bytes_per_s &&
	       x->capture_bytes == y->capture_bytes;
}

static void swap(char **a, char **b)
{
	char *text = *a;

	*a = *b;
	*b = text;
}

void watch_config_keep_export(struct watch_config *config, struct watch_config *from)
{
	swap(&config->otlp, &from->otlp);
	swap(&config->metrics, &from->metrics);
	config->export.otlp = config->otlp;
	config->export.metrics = config->metrics;
	from->export.otlp = from->otlp;
	from->export.metrics = from->metrics;
}

void watch_config_deinit(struct watch_config *config)
{
	drop_targets(config);
	free(config->targets);
	free(config->comm);
	free(config->cgroup);
	free(config->unit);
	free(config->otlp);
	free(config->metrics);
	*config = (struct watch_config){0};
}
