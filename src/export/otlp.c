// SPDX-License-Identifier: GPL-2.0
#include "export/otlp.h"

#include <inttypes.h>

#include "render/json_writer.h"

/* logs.proto, enum SeverityNumber: SEVERITY_NUMBER_ERROR, SEVERITY_NUMBER_INFO */
#define SEVERITY_ERROR 17
#define SEVERITY_INFO  9

static void put_u64(struct json_writer *w, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	jw_put_string(w, name, text);
}

static void open_value(struct json_writer *w, const char *key)
{
	jw_open(w, '{');
	jw_put_string(w, "key", key);
	jw_key(w, "value");
	jw_open(w, '{');
}

static void close_value(struct json_writer *w)
{
	jw_close(w, '}');
	jw_close(w, '}');
}

/* What is not known is not there: an empty string would say something. */
static void attribute(struct json_writer *w, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	open_value(w, key);
	jw_put_string(w, "stringValue", text);
	close_value(w);
}

static void attribute_u64(struct json_writer *w, const char *key, uint64_t value)
{
	open_value(w, key);
	put_u64(w, "intValue", value);
	close_value(w);
}

/* Names: OpenTelemetry semantic conventions, "host", "os", "service" */
static void put_resource(struct json_writer *w, const struct finding *finding)
{
	jw_key(w, "resource");
	jw_open(w, '{');
	jw_key(w, "attributes");
	jw_open(w, '[');
	attribute(w, "service.name", "lbrsnoop");
	attribute(w, "host.name", finding->kernel->host);
	attribute(w, "os.type", "linux");
	attribute(w, "os.version", finding->kernel->release);
	jw_close(w, ']');
	jw_close(w, '}');
}

static void put_body(struct json_writer *w, const struct finding *finding, const char *errname)
{
	const struct finding_path *path = finding->path;
	char text[2 * FINDING_PLACE_BYTES + 64];

	if (path && *errname)
		snprintf(text, sizeof(text), "%s() = -%s%s%s", path->function, errname,
			 *path->origin ? " at " : "", path->origin);
	else
		snprintf(text, sizeof(text), "%s",
			 path ? path->function : "a path beyond the limit on paths");
	jw_key(w, "body");
	jw_open(w, '{');
	jw_put_string(w, "stringValue", text);
	jw_close(w, '}');
}

static void put_path(struct json_writer *w, const struct finding_path *path, const char *errname)
{
	char ident[20];

	snprintf(ident, sizeof(ident), "%016" PRIx64, path->taken.ident);
	attribute(w, "lbrsnoop.path_id", ident);
	attribute(w, "lbrsnoop.function", path->function);
	attribute(w, "lbrsnoop.trigger", path->taken.kind);
	/* "error.type": semantic conventions, too */
	attribute(w, "error.type", errname);
	if (path->taken.err)
		attribute_u64(w, "lbrsnoop.errno", (uint64_t)path->taken.err);
	attribute(w, "lbrsnoop.origin", path->origin);
	attribute(w, "lbrsnoop.origin_function", path->origin_function);
	attribute(w, "lbrsnoop.kernel_build_id", path->build_id);
	attribute(w, "lbrsnoop.cpu_model", path->model);
}

static void put_record(struct json_writer *w, const struct finding *finding, bool with_comm)
{
	const struct snapshot *snap = finding->snap;
	const struct finding_path *path = finding->path;
	uint64_t ts_ns = snap ? snap->ts_ns : path ? path->taken.last_ns : 0;
	char number[24];
	const char *errname = path ? finding_errno(path, number) : "";
	bool failed = snap ? snap->err : path && path->taken.err;

	jw_open(w, '{');
	put_u64(w, "timeUnixNano", ts_ns);
	put_u64(w, "observedTimeUnixNano", ts_ns);
	jw_put_integer(w, "severityNumber", failed ? SEVERITY_ERROR : SEVERITY_INFO);
	jw_put_string(w, "severityText", failed ? "ERROR" : "INFO");
	put_body(w, finding, errname);
	jw_key(w, "attributes");
	jw_open(w, '[');
	if (path)
		put_path(w, path, errname);
	if (finding->count)
		attribute_u64(w, "lbrsnoop.count", finding->count);
	if (snap)
		attribute_u64(w, "process.pid", snap->pid);
	if (snap && with_comm)
		attribute(w, "lbrsnoop.comm", snap->comm);
	if (finding->lost)
		attribute_u64(w, "lbrsnoop.lost", finding->lost);
	jw_close(w, ']');
	jw_close(w, '}');
}

int otlp_write(FILE *out, const struct finding *finding, bool with_comm)
{
	struct json_writer w = {0};

	jw_open(&w, '{');
	jw_key(&w, "resourceLogs");
	jw_open(&w, '[');
	jw_open(&w, '{');
	put_resource(&w, finding);
	jw_key(&w, "scopeLogs");
	jw_open(&w, '[');
	jw_open(&w, '{');
	jw_key(&w, "scope");
	jw_open(&w, '{');
	jw_put_string(&w, "name", "lbrsnoop");
	jw_close(&w, '}');
	jw_key(&w, "logRecords");
	jw_open(&w, '[');
	put_record(&w, finding, with_comm);
	jw_close(&w, ']');
	jw_close(&w, '}');
	jw_close(&w, ']');
	jw_close(&w, '}');
	jw_close(&w, ']');
	jw_close(&w, '}');
	return json_writer_flush(&w, out);
}
