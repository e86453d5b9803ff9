// SPDX-License-Identifier: GPL-2.0
#include "capfile/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capfile/context.h"
#include "capfile/format.h"
#include "capfile/unpack.h"
#include "decode/event.h"
#include "decode/filter.h"
#include "util/cleanup.h"
#include "util/control.h"
#include "util/cursor.h"

#define MODULES_MAX   4096u
#define TRIGGERS_MAX  65536u
#define TRIGGER_CHARS 4096u
/* Of all triggers: a kernel has 70,000 functions, with names of 30 characters, three times each. */
#define TRIGGER_BYTES_MAX (64u << 20)
#define SYMBOL_CHARS	  (CAPFILE_NAME_MAX + 1)
/* Of a module with all sections, and of all modules: without them, lines of modules are not found.
 */
#define MODULE_BYTES_MAX  (32u << 10)
#define MODULES_BYTES_MAX (16u << 20)

/** struct module - @payload: of its MODULE, @len bytes; 0: not kept */
struct module {
	char name[MODULE_NAME_BYTES];
	size_t len;
	uint8_t payload[];
};

struct capfile {
	struct unpack unpack;
	struct capfile_meta meta;
	struct lbr_model model;
	uint64_t own_filter; /* see lbr_filter_wants() */
	struct symbols *symbols;
	struct textstore *text;
	struct module **modules; /* by number; NULL where there is none */
	size_t module_count;
	size_t module_bytes;
	struct trigger **triggers; /* by number */
	size_t trigger_count;
	size_t trigger_bytes;
	capfile_module_fn *on_module;
	void *on_module_ctx;
	bool changed;
	enum capfile_end end;
	uint64_t count;
	uint64_t lost;
	uint64_t size; /* bytes of the file; 0: not known, as of a pipe */
	struct raw_branch raw[BRANCHES_MAX];
	struct capfile_module module;
	struct capfile_context context; /* of the next snapshot; then of the last */
	uint8_t *payload;
	size_t payload_len;
	size_t payload_room;
};

static int end_as(struct capfile *file, enum capfile_end end)
{
	file->end = end;
	return 0;
}

/* 1 and a record; 0 at the end; negative errno of reading the file. */
static int read_record(struct capfile *file, uint32_t *ret_type)
{
	uint32_t head[3];
	ssize_t got = unpack_read(&file->unpack, head, sizeof(head));
	uLong crc;

	_Static_assert(sizeof(head) == CAPFILE_RECORD_BYTES, "as the writer makes it");
	if (got == -EBADMSG)
		return end_as(file, CAPFILE_END_DAMAGED);
	if (got < 0)
		return (int)got;
	if (!got)
		return end_as(file, CAPFILE_END_OPEN);
	if ((size_t)got < sizeof(head))
		return end_as(file, CAPFILE_END_CUT);
	if (head[1] > CAPFILE_PAYLOAD_MAX)
		return end_as(file, CAPFILE_END_DAMAGED);
	if (head[1] > file->payload_room) {
		uint8_t *bigger = realloc(file->payload, head[1]);

		if (!bigger)
			return -ENOMEM;
		file->payload = bigger;
		file->payload_room = head[1];
	}
	got = unpack_read(&file->unpack, file->payload, head[1]);
	if (got == -EBADMSG)
		return end_as(file, CAPFILE_END_DAMAGED);
	if (got < 0)
		return (int)got;
	if ((size_t)got < head[1])
		return end_as(file, CAPFILE_END_CUT);
	crc = crc32(0, (const Bytef *)head, 8);
	if (crc32(crc, file->payload, head[1]) != head[2])
		return end_as(file, CAPFILE_END_DAMAGED);
	file->payload_len = head[1];
	*ret_type = head[0];
	return 1;
}

/* Room for @index in an array of pointers. */
static int make_room(void *array, size_t *count, size_t index)
{
	void ***p = array, **bigger;

	if (index < *count)
		return 0;
	bigger = reallocarray(*p, index + 1, sizeof(void *));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + *count, 0, (index + 1 - *count) * sizeof(void *));
	*p = bigger;
	*count = index + 1;
	return 0;
}

static void module_free(struct capfile *file, size_t number)
{
	struct module *module = file->modules[number];

	if (module)
		file->module_bytes -= module->len;
	free(module);
	file->modules[number] = NULL;
}

static int take_module(struct capfile *file)
{
	int err = meta_module_parse(file->payload, file->payload_len, &file->module);
	struct module *module;
	size_t kept;

	if (err || file->module.number >= MODULES_MAX)
		return -EBADMSG;
	err = make_room(&file->modules, &file->module_count, file->module.number);
	if (err)
		return err;
	kept = file->payload_len;
	if (kept > MODULE_BYTES_MAX || kept > MODULES_BYTES_MAX - file->module_bytes)
		kept = 0;
	module = malloc(sizeof(*module) + kept);
	if (!module)
		return -ENOMEM;
	memcpy(module->name, file->module.name, sizeof(module->name));
	memcpy(module->payload, file->payload, kept);
	module->len = kept;
	/* Symbols have copied its name. */
	module_free(file, file->module.number);
	file->modules[file->module.number] = module;
	file->module_bytes += kept;
	return file->on_module ? file->on_module(&file->module, file->on_module_ctx) : 0;
}

/*
 * Those of C++ have blanks, and identifiers may be of any script; control characters have no place
 * in a name.
 */
static bool make_plain(char *name)
{
	bool there = *name;

	while (*name) {
		size_t control = control_length(name);

		memset(name, '?', control);
		name += control ?: 1;
	}
	return there;
}

static int take_symbols(struct capfile *file)
{
	struct cursor cursor = {.at = file->payload, .left = file->payload_len};

	while (cursor.left) {
		char name[SYMBOL_CHARS];
		struct symbol sym = {.name = name, .module = ""};
		uint64_t module;
		int err;

		sym.addr = cursor_number(&cursor, 8);
		sym.size = cursor_number(&cursor, 4);
		module = cursor_number(&cursor, 2);
		cursor_string(&cursor, name, sizeof(name));
		if (cursor.bad || !make_plain(name) ||
		    (module && (module >= file->module_count || !file->modules[module])))
			return -EBADMSG;
		if (module)
			sym.module = file->modules[module]->name;
		err = symbols_add(file->symbols, &sym);
		if (err)
			return err == -ENOMEM ? err : -EBADMSG;
	}
	return 0;
}

static int take_text(struct capfile *file)
{
	struct cursor cursor = {.at = file->payload, .left = file->payload_len};
	uint64_t addr = cursor_number(&cursor, 8);
	int err;

	if (cursor.bad)
		return -EBADMSG;
	err = textstore_write(file->text, addr, cursor.at, cursor.left);
	return err && err != -ENOMEM ? -EBADMSG : err;
}

static int take_gone(struct capfile *file)
{
	struct cursor cursor = {.at = file->payload, .left = file->payload_len};
	uint64_t addr = cursor_number(&cursor, 8), len = cursor_number(&cursor, 8);

	if (cursor.bad || (len > CAPFILE_GONE_MAX && (addr || len != CAPFILE_GONE_USER)))
		return -EBADMSG;
	symbols_remove(file->symbols, addr, len);
	textstore_forget(file->text, addr, len);
	return 0;
}

static void trigger_free(struct trigger *trigger)
{
	if (!trigger)
		return;
	free(trigger->target);
	free(trigger->function);
	free(trigger->module);
	free(trigger);
}

/* A string of its own; NULL if it is not there, is too long, or there is no memory. */
static char *take_string(struct cursor *cursor)
{
	char text[TRIGGER_CHARS + 1];

	cursor_string(cursor, text, sizeof(text));
	return cursor->bad ? NULL : strdup(text);
}

static int take_trigger(struct capfile *file)
{
	struct cursor cursor = {.at = file->payload, .left = file->payload_len};
	uint64_t number = cursor_number(&cursor, 4), kind = cursor_number(&cursor, 4);
	struct trigger *trigger;
	int err;

	file->trigger_bytes += file->payload_len;
	/* Snapshots that were handed out may refer to the old one: numbers are not used twice. */
	if (cursor.bad || file->trigger_bytes > TRIGGER_BYTES_MAX || number >= TRIGGERS_MAX ||
	    kind >= TRIGGER_KIND_COUNT || number < file->trigger_count)
		return -EBADMSG;
	err = make_room(&file->triggers, &file->trigger_count, number);
	if (err)
		return err;
	trigger = calloc(1, sizeof(*trigger));
	if (!trigger)
		return -ENOMEM;
	file->triggers[number] = trigger;
	trigger->kind = (enum trigger_kind)kind;
	trigger->addr = cursor_number(&cursor, 8);
	trigger->func_addr = cursor_number(&cursor, 8);
	trigger->func_size = cursor_number(&cursor, 8);
	trigger->target = take_string(&cursor);
	trigger->function = take_string(&cursor);
	trigger->module = take_string(&cursor);
	if (cursor.bad)
		return -EBADMSG;
	return trigger->target && trigger->function && trigger->module ? 0 : -ENOMEM;
}

static void hide_user(struct capfile *file, bool hidden)
{
	symbols_hide_user(file->symbols, hidden);
	textstore_hide_user(file->text, hidden);
}

static int take_snapshot(struct capfile *file, struct snapshot *snap, uint64_t *ret_lost)
{
	struct capfile_snapshot fixed;
	struct captured_event event;
	struct event_lbr lbr;
	uint32_t entries;

	if (file->payload_len < sizeof(fixed))
		return -EBADMSG;
	memcpy(&fixed, file->payload, sizeof(fixed));
	entries = fixed.count;
	if (entries > BRANCHES_MAX ||
	    file->payload_len - sizeof(fixed) < entries * sizeof(file->raw[0]) ||
	    fixed.trigger >= file->trigger_count || !file->triggers[fixed.trigger])
		return -EBADMSG;
	memcpy(file->raw, file->payload + sizeof(fixed), entries * sizeof(file->raw[0]));
	event = (struct captured_event){
		.ts_ns = fixed.ts_ns,
		.cpu = fixed.cpu,
		.pid = fixed.pid,
		.tid = fixed.tid,
		.comm = fixed.comm,
		.trigger = file->triggers[fixed.trigger],
		.ip = fixed.ip,
		.has_retval = fixed.flags & CAPFILE_HAS_RETVAL,
		.ret = RETURN_S64, /* its type was known when it was written */
		.value = fixed.retval,
		.raw = file->raw,
		.raw_count = entries,
		.read = fixed.read,
	};
	lbr = (struct event_lbr){
		.model = &file->model,
		.info = &file->meta.lbr,
		.filter = file->meta.filter,
		.own = file->own_filter,
		.filtered = file->meta.filtered,
		.path_ok = file->meta.path_ok,
	};
	event_decode(&lbr, &event, snap);
	context_fill(&file->context, snap);
	/* What is known of a program is another one's, or of an earlier time. */
	hide_user(file, !trigger_is_user(snap->trigger) || !snap->pid);
	if (fixed.flags & CAPFILE_MIXED_KNOWN)
		snap->mixed = fixed.flags & CAPFILE_MIXED ? TRI_SET : TRI_CLEAR;
	*ret_lost = fixed.lost;
	return 0;
}

static int take_end(struct capfile *file)
{
	struct cursor cursor = {.at = file->payload, .left = file->payload_len};
	uint64_t count = cursor_number(&cursor, 8), lost = cursor_number(&cursor, 8);
	ssize_t more;
	char byte;

	if (cursor.bad || count != file->count)
		return -EBADMSG;
	file->lost = lost;
	more = unpack_read(&file->unpack, &byte, 1);
	if (more < 0 && more != -EBADMSG)
		return (int)more;
	return end_as(file, more ? CAPFILE_END_FOLLOWED : CAPFILE_END_CLEAN);
}

int capfile_next(struct capfile *file, struct snapshot *ret_snap, uint64_t *ret_lost)
{
	context_reset(&file->context);
	hide_user(file, false);
	while (!file->end) {
		uint32_t type;
		int err = read_record(file, &type);

		if (err <= 0)
			return err;
		err = 0;
		file->changed |= type == CAPFILE_MODULE || type == CAPFILE_SYMBOLS ||
				 type == CAPFILE_TEXT || type == CAPFILE_GONE;
		switch (type) {
		case CAPFILE_MODULE:
			err = take_module(file);
			break;
		case CAPFILE_SYMBOLS:
			err = take_symbols(file);
			break;
		case CAPFILE_TEXT:
			err = take_text(file);
			break;
		case CAPFILE_GONE:
			err = take_gone(file);
			break;
		case CAPFILE_TRIGGER:
			err = take_trigger(file);
			break;
		case CAPFILE_SNAPSHOT:
			err = take_snapshot(file, ret_snap, ret_lost);
			file->count += !err;
			break;
		case CAPFILE_END:
			err = take_end(file);
			break;
		case CAPFILE_META: /* there is one only */
			err = -EBADMSG;
			break;
		default:
			err = context_take(&file->context, type, file->payload, file->payload_len);
			break;
		}
		if (err == -EBADMSG)
			return end_as(file, CAPFILE_END_DAMAGED);
		if (err || type == CAPFILE_SNAPSHOT)
			return err ?: 1;
	}
	return 0;
}

enum capfile_end capfile_ended(const struct capfile *file)
{
	return file->end;
}

const char *capfile_end_text(const struct capfile *file, char *buf, size_t len)
{
	uint64_t at = unpack_offset(&file->unpack);

	switch (file->end) {
	case CAPFILE_END_OPEN:
		snprintf(buf, len,
			 "it has no end mark: it is still being written, or its writer was killed "
			 "or "
			 "had no space left; %" PRIu64 " snapshots are whole",
			 file->count);
		break;
	case CAPFILE_END_CUT:
		snprintf(buf, len,
			 "it is cut off in the middle of a record, after %" PRIu64
			 " bytes; %" PRIu64 " snapshots before that are whole",
			 at, file->count);
		break;
	case CAPFILE_END_DAMAGED:
		snprintf(buf, len,
			 "it is damaged near byte %" PRIu64 "; %" PRIu64
			 " snapshots before that are whole, what follows cannot be read",
			 at, file->count);
		break;
	case CAPFILE_END_FOLLOWED:
		snprintf(buf, len,
			 "something follows its end mark, perhaps a second capture file; %" PRIu64
			 " snapshots before that are whole, what follows is not read",
			 file->count);
		break;
	default:
		buf[0] = '\0';
		break;
	}
	return buf;
}

uint64_t capfile_lost(const struct capfile *file)
{
	return file->lost;
}

int capfile_module(const struct capfile *file, const char *name, uint16_t number,
		   uint8_t **ret_bytes, size_t *ret_len)
{
	for (size_t i = file->module_count; i--;) {
		const struct module *module = file->modules[i];
		uint8_t *bytes;

		if (!module || strcmp(module->name, name) != 0 || !module->len)
			continue;
		bytes = malloc(module->len);
		if (!bytes)
			return -ENOMEM;
		memcpy(bytes, module->payload, module->len);
		memcpy(bytes, &number, sizeof(number));
		*ret_bytes = bytes;
		*ret_len = module->len;
		return 0;
	}
	return -ENOENT;
}

struct symbols *capfile_symbols(struct capfile *file)
{
	return file->symbols;
}

struct textstore *capfile_text(struct capfile *file)
{
	return file->text;
}

const struct capfile_meta *capfile_meta(const struct capfile *file)
{
	return &file->meta;
}

void capfile_on_module(struct capfile *file, capfile_module_fn *fn, void *ctx)
{
	file->on_module = fn;
	file->on_module_ctx = ctx;
}

static int next_event(void *ctx, struct snapshot *ret_snap, uint64_t *ret_lost)
{
	return capfile_next(ctx, ret_snap, ret_lost);
}

/* Have text, symbols or modules changed? */
static bool prepare(void *ctx, struct snapshot *snap)
{
	struct capfile *file = ctx;
	bool changed = file->changed;

	(void)snap;
	file->changed = false;
	return changed;
}

static uint64_t position(void *ctx, uint64_t *ret_size)
{
	const struct capfile *file = ctx;

	*ret_size = file->size;
	return file->size ? unpack_offset(&file->unpack) : 0;
}

struct source capfile_source(struct capfile *file)
{
	static const struct source_ops ops = {
		.next = next_event, .position = position, .prepare = prepare};

	return (struct source){
		.ops = &ops,
		.ctx = file,
		.symbols = file->symbols,
		.text = textstore_source(file->text),
	};
}

void capfile_close(struct capfile *file)
{
	if (!file)
		return;
	unpack_deinit(&file->unpack);
	meta_deinit(&file->meta);
	symbols_close(file->symbols);
	textstore_destroy(file->text);
	for (size_t i = 0; i < file->module_count; i++)
		module_free(file, i);
	free(file->modules);
	for (size_t i = 0; i < file->trigger_count; i++)
		trigger_free(file->triggers[i]);
	free(file->triggers);
	context_reset(&file->context);
	free(file->payload);
	free(file);
}

static int read_header(struct capfile *file, const char *name, struct errmsg *msg)
{
	uint32_t words[CAPFILE_HEADER_BYTES / 4];
	ssize_t got = unpack_raw(&file->unpack, words, sizeof(words));

	if (got < 0)
		return errmsg_set(msg, (int)got, "%s: %s", name, strerror((int)-got));
	if ((size_t)got < sizeof(words) || words[0] != CAPFILE_SKIPPABLE || words[1] != 16 ||
	    memcmp(&words[2], CAPFILE_MAGIC, 8))
		return errmsg_set(msg, -EINVAL,
				  "%s: %s; 'lbrsnoop record -o FILE TARGET' makes a capture file",
				  name, got ? "no capture file of lbrsnoop" : "empty");
	if (words[4] != CAPFILE_VERSION)
		return errmsg_set(msg, -EINVAL,
				  "%s: a capture file of version %u, and this lbrsnoop reads "
				  "version %u; use the one that wrote it, or a newer one",
				  name, words[4], CAPFILE_VERSION);
	return 0;
}

static int read_meta(struct capfile *file, const char *name, struct errmsg *msg)
{
	uint32_t type = 0;
	char why[256];
	int err = read_record(file, &type);

	if (err < 0)
		return errmsg_set(msg, err, "%s: %s", name, strerror(-err));
	if (err && type == CAPFILE_META)
		err = meta_parse(file->payload, file->payload_len, &file->meta);
	else
		err = -EBADMSG;
	if (err == -EBADMSG)
		return errmsg_set(msg, err, "%s: %s", name,
				  *capfile_end_text(file, why, sizeof(why))
					  ? why
					  : "it does not begin with what a capture file says of "
					    "its machine");
	if (err)
		return err;
	file->own_filter = lbr_filter_own(file->meta.filter);
	lbr_model_of_info(&file->meta.lbr, &file->model);
	return 0;
}

static int start(struct capfile *file, const char *name, struct capfile **ret_file,
		 struct errmsg *msg)
{
	int err = symbols_open_empty(&file->symbols);

	file->text = textstore_create();
	if (!file->text)
		err = -ENOMEM;
	err = err ?: read_header(file, name, msg);
	err = err ?: read_meta(file, name, msg);
	if (err) {
		capfile_close(file);
		return err;
	}
	*ret_file = file;
	return 0;
}

/* What to do about it */
static const char *remedy_of(int err)
{
	switch (err) {
	case -ENOENT:
		return "; 'lbrsnoop record -o FILE TARGET' makes a capture file";
	case -EISDIR:
		return "; name the capture files in it";
	default:
		return "";
	}
}

int capfile_open(const char *path, struct capfile **ret_file, struct errmsg *msg)
{
	struct capfile *file = calloc(1, sizeof(*file));
	bool in = !strcmp(path, "-");
	struct stat st;
	int fd;

	if (!file)
		return -ENOMEM;
	fd = in ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
		: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) || S_ISDIR(st.st_mode)) {
		int err = fd < 0 ? -errno : -EISDIR;

		if (fd >= 0)
			close(fd);
		free(file);
		/* -EACCES is about the file, and not about tracing */
		return errmsg_set(msg, -EINVAL, "%s: %s%s", path, strerror(-err), remedy_of(err));
	}
	if (unpack_init(&file->unpack, fd)) { /* which has closed it */
		free(file);
		return -ENOMEM;
	}
	file->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return start(file, in ? "standard input" : path, ret_file, msg);
}

int capfile_open_fd(int fd, const char *name, struct capfile **ret_file, struct errmsg *msg)
{
	struct capfile *file = calloc(1, sizeof(*file));
	struct stat st;
	int own;

	if (!file)
		return -ENOMEM;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (own < 0 || fstat(own, &st) || lseek(own, 0, SEEK_SET)) {
		int err = -errno;

		if (own >= 0)
			close(own);
		free(file);
		return errmsg_set(msg, err, "%s: %s", name, strerror(-err));
	}
	if (unpack_init(&file->unpack, own)) { /* which has closed it */
		free(file);
		return -ENOMEM;
	}
	file->size = (uint64_t)st.st_size;
	return start(file, name, ret_file, msg);
}

int capfile_open_bytes(const void *bytes, size_t len, uint64_t most, struct capfile **ret_file,
		       struct errmsg *msg)
{
	struct capfile *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	if (unpack_init_bytes(&file->unpack, bytes, len, most)) {
		free(file);
		return -ENOMEM;
	}
	return start(file, "bytes", ret_file, msg);
}
