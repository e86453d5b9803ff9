// SPDX-License-Identifier: GPL-2.0
/*
 * Format: Linux tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.h,
 * include/uapi/linux/perf_event.h
 */
#include "render/perf/perf_data.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capfile/format.h"
#include "render/perf/perf_kcore.h"
#include "render/perf/perf_user.h"
#include "util/address.h"
#include "util/bitset.h"
#include "util/cleanup.h"

#define NAME_ALIGN 64

/* enum { HEADER_... } of tools/perf/util/header.h */
enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_BITS = 256,
};

struct section {
	uint64_t offset;
	uint64_t size;
};

/* struct perf_file_header */
struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[FEATURE_BITS / 64];
};

/* What follows a record that is no sample, as attr.sample_id_all asks for. */
struct sample_id {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
	uint32_t reserved;
};

/** struct perf_data - @comm_tid, @comm: the last task that was named */
struct perf_data {
	char *dir;
	FILE *out;
	const struct capfile_meta *meta;
	struct perf_event_attr attr;
	uint64_t data_start;
	uint64_t features[FEATURE_BITS / 64];
	bool module_first; /* the first sample is not of the kernel image */
	uint64_t count;
	struct perf_user *user;
};

static void put(struct perf_data *data, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, data->out);
}

static void put_zeros(struct perf_data *data, size_t len)
{
	while (len--)
		fputc(0, data->out);
}

static void put_record(struct perf_data *data, uint32_t type, uint16_t misc, size_t body_len)
{
	struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(sizeof(header) + body_len)};

	put(data, &header, sizeof(header));
}

/*
 * Source: PERF_RECORD_MMAP; perf takes the name's end for a symbol, @pgoff for its address. No
 * further than @end: what it covers perf does not take from kcore, but for the kernel image.
 */
static void put_kernel_map(struct perf_data *data, uint64_t end)
{
	static const char name[32] = "[kernel.kallsyms]_text";
	const struct sample_id id = {0};
	uint64_t start = data->meta->text_addr ?: 0xffffffff80000000;
	struct {
		int32_t pid;
		uint32_t tid;
		uint64_t addr, len, pgoff;
	} body = {
		.pid = -1, .addr = start, .len = end > start ? end - start : 4096, .pgoff = start};

	put_record(data, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
		   sizeof(body) + sizeof(name) + sizeof(id));
	put(data, &body, sizeof(body));
	put(data, name, sizeof(name));
	put(data, &id, sizeof(id));
}

/* No time: perf knows it before the samples, wherever it stands. */
static void put_user_map(const struct perf_user_map *map, void *ctx)
{
	struct perf_data *data = ctx;
	const struct sample_id id = {0};
	size_t len = (strlen(map->path) + 8) & ~(size_t)7;
	struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} body = {map->pid, map->pid, map->addr, map->len, map->offset};

	put_record(data, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(body) + len + sizeof(id));
	put(data, &body, sizeof(body));
	put(data, map->path, strlen(map->path));
	put_zeros(data, len - strlen(map->path));
	put(data, &id, sizeof(id));
}

static void put_comm(struct perf_data *data, const struct snapshot *snap)
{
	const struct sample_id id = {snap->pid, snap->tid, snap->ts_ns, snap->cpu, 0};
	uint32_t ids[] = {snap->pid, snap->tid};

	put_record(data, PERF_RECORD_COMM, 0, sizeof(ids) + COMM_LEN + sizeof(id));
	put(data, ids, sizeof(ids));
	put(data, snap->comm, COMM_LEN);
	put(data, &id, sizeof(id));
}

/* The third word of struct perf_branch_entry, of what the CPU reported and nothing else. */
static uint64_t entry_flags(const struct branch *br)
{
	static const uint8_t types[BRANCH_TYPE_COUNT] = {
		[BRANCH_COND] = PERF_BR_COND,	    [BRANCH_JMP] = PERF_BR_UNCOND,
		[BRANCH_IJMP] = PERF_BR_IND,	    [BRANCH_CALL] = PERF_BR_CALL,
		[BRANCH_ICALL] = PERF_BR_IND_CALL,  [BRANCH_RET] = PERF_BR_RET,
		[BRANCH_SYSCALL] = PERF_BR_SYSCALL, [BRANCH_SYSRET] = PERF_BR_SYSRET,
		[BRANCH_IRET] = PERF_BR_ERET,	    [BRANCH_IRQ] = PERF_BR_IRQ,
	};
	static const uint8_t specs[] = {
		[BRANCH_SPEC_WRONG_PATH] = PERF_BR_SPEC_WRONG_PATH,
		[BRANCH_SPEC_NON_SPEC_CORRECT] = PERF_BR_NON_SPEC_CORRECT_PATH,
		[BRANCH_SPEC_CORRECT] = PERF_BR_SPEC_CORRECT_PATH,
	};
	uint64_t flags = br->mispred == TRI_SET ? 1 : br->mispred == TRI_CLEAR ? 2 : 0;

	flags |= (uint64_t)(br->in_tx == TRI_SET) << 2 | (uint64_t)(br->abort == TRI_SET) << 3;
	if (br->cycles != CYCLES_NOT_REPORTED)
		flags |= (uint64_t)(br->cycles & 0xffff) << 4;
	flags |= (uint64_t)types[br->type] << 20;
	return flags | (uint64_t)specs[br->spec] << 24;
}

int perf_data_add(struct perf_data *data, const struct snapshot *snap)
{
	/* In the order of the bits of attr.sample_type; see PERF_RECORD_SAMPLE. */
	struct {
		uint64_t ip;
		struct sample_id id; /* TID, TIME, CPU */
		uint64_t period;
		uint64_t callchain_len;
		uint64_t callchain[2];
		uint64_t count;
	} body = {
		.ip = snap->ip,
		.id = {snap->pid, snap->tid, snap->ts_ns, snap->cpu, 0},
		.period = 1,
		.callchain_len = 2,
		.callchain = {PERF_CONTEXT_KERNEL, 0},
		.count = snap->count,
	};
	uint16_t misc;

	if (!body.ip && snap->count) /* of a tracepoint: where the path ends */
		body.ip = snap->branches[snap->count - 1 -
					 (snap->wasted < snap->count ? snap->wasted : 0)]
				  .to;
	body.callchain[1] = body.ip;
	if (!address_is_kernel(body.ip))
		body.callchain[0] = PERF_CONTEXT_USER;
	misc = address_is_kernel(body.ip) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	if (!data->count++)
		data->module_first = body.ip - data->meta->text_addr > PERF_KCORE_IMAGE_MAX;
	put_comm(data, snap);
	put_record(data, PERF_RECORD_SAMPLE, misc, sizeof(body) + snap->count * 24);
	put(data, &body, sizeof(body));
	for (uint32_t i = snap->count; i-- > 0;) {
		const struct branch *br = &snap->branches[i];
		uint64_t entry[] = {br->from, br->to, entry_flags(br)};

		put(data, entry, sizeof(entry));
	}
	if (ferror(data->out))
		return -EIO;
	return perf_user_saw(data->user, snap);
}

static uint64_t here(struct perf_data *data)
{
	off_t at = ftello(data->out);

	return at < 0 ? 0 : (uint64_t)at;
}

static void put_string(struct perf_data *data, const char *text)
{
	uint32_t len = (uint32_t)(strlen(text) + NAME_ALIGN) & ~(uint32_t)(NAME_ALIGN - 1);

	put(data, &len, sizeof(len));
	put(data, text, strlen(text));
	put_zeros(data, len - strlen(text));
}

/* struct perf_record_header_build_id */
static void put_build_id(struct perf_data *data)
{
	static const char name[NAME_ALIGN] = "[kernel.kallsyms]";
	const struct build_id *id = &data->meta->build_id;
	uint8_t bytes[24] = {0};
	int32_t pid = -1;

	memcpy(bytes, id->bytes, id->len < 20 ? id->len : 20);
	bytes[20] = id->len < 20 ? (uint8_t)id->len : 20;
	put_record(data, 67, PERF_RECORD_MISC_KERNEL | 1 << 15, /* ..._BUILD_ID_SIZE */
		   sizeof(pid) + sizeof(bytes) + sizeof(name));
	put(data, &pid, sizeof(pid));
	put(data, bytes, sizeof(bytes));
	put(data, name, sizeof(name));
}

static void put_feature(struct perf_data *data, enum feature feature)
{
	const struct capfile_meta *meta = data->meta;
	uint32_t cpus = (uint32_t)strtoul(meta_get(meta, CAPFILE_META_CPUS), NULL, 10);
	uint32_t numbers[] = {1, sizeof(data->attr)}, none = 0;

	switch (feature) {
	case FEATURE_BUILD_ID:
		put_build_id(data);
		break;
	case FEATURE_HOSTNAME:
		put_string(data, meta_get(meta, CAPFILE_META_HOST));
		break;
	case FEATURE_OSRELEASE:
		put_string(data, meta->release);
		break;
	case FEATURE_VERSION:
		put_string(data, meta_get(meta, CAPFILE_META_TOOL));
		break;
	case FEATURE_ARCH:
		put_string(data, meta_get(meta, CAPFILE_META_MACHINE));
		break;
	case FEATURE_NRCPUS:
		numbers[0] = numbers[1] = cpus;
		put(data, numbers, sizeof(numbers));
		break;
	case FEATURE_CPUDESC:
		put_string(data, meta_get(meta, CAPFILE_META_CPU_NAME));
		break;
	case FEATURE_CPUID:
		put_string(data, meta_get(meta, CAPFILE_META_CPU_ID));
		break;
	case FEATURE_CMDLINE:
		put(data, numbers, sizeof(numbers[0]));
		put_string(data, meta_get(meta, CAPFILE_META_COMMAND));
		break;
	case FEATURE_EVENT_DESC:
		put(data, numbers, sizeof(numbers));
		put(data, &data->attr, sizeof(data->attr));
		put(data, &none, sizeof(none));
		put_string(data, "lbrsnoop");
		break;
	default:
		break;
	}
}

static void put_features(struct perf_data *data)
{
	static const enum feature features[] = {
		FEATURE_BUILD_ID, FEATURE_HOSTNAME,   FEATURE_OSRELEASE,    FEATURE_VERSION,
		FEATURE_ARCH,	  FEATURE_NRCPUS,     FEATURE_CPUDESC,	    FEATURE_CPUID,
		FEATURE_CMDLINE,  FEATURE_EVENT_DESC, FEATURE_BRANCH_STACK,
	};
	struct section sections[ARRAY_SIZE(features)] = {0};
	uint64_t table = here(data);
	size_t count = 0;

	put(data, sections, sizeof(sections));
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		uint64_t start = here(data);

		if (features[i] == FEATURE_BUILD_ID && !data->meta->build_id.len)
			continue;
		put_feature(data, features[i]);
		sections[count++] = (struct section){start, here(data) - start};
		bitset_add(data->features, features[i]);
	}
	fseeko(data->out, (off_t)table, SEEK_SET);
	put(data, sections, count * sizeof(sections[0]));
}

static void put_header(struct perf_data *data, uint64_t data_end)
{
	struct file_header header = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = sizeof(header),
		.attr_size = sizeof(data->attr) + sizeof(struct section),
		.attrs = {sizeof(header), sizeof(data->attr) + sizeof(struct section)},
		.data = {data->data_start, data_end - data->data_start},
	};
	const struct section no_ids = {0};

	memcpy(header.features, data->features, sizeof(header.features));
	fseeko(data->out, 0, SEEK_SET);
	put(data, &header, sizeof(header));
	put(data, &data->attr, sizeof(data->attr));
	put(data, &no_ids, sizeof(no_ids));
}

static int path_error(const char *path, struct errmsg *msg)
{
	int err = -errno;

	/* -EACCES is about the file, and not about tracing */
	return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EINVAL : err, "%s: %s", path,
			  strerror(-err));
}

/* Nothing else is there than what is written here, and that is there as a whole. */
static bool holds_ours_alone(const char *dir)
{
	static const char *const ours[] = {"data", "kcore_dir", "vmlinux", "user"};
	size_t entries = 0, has_kcore = 0;
	struct dirent *entry;
	DIR *list = opendir(dir);

	if (!list)
		return true; /* what follows says why */
	while ((entry = readdir(list))) {
		size_t i = 0;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		while (i < ARRAY_SIZE(ours) && strcmp(entry->d_name, ours[i]))
			i++;
		has_kcore += i == 1;
		entries++;
		if (i == ARRAY_SIZE(ours)) {
			has_kcore = 0;
			break;
		}
	}
	closedir(list);
	return !entries || has_kcore;
}

static int make_dir(const char *path, struct errmsg *msg)
{
	struct stat st;

	if (!mkdir(path, 0700) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return path_error(path, msg);
}

int perf_data_create(const char *dir, const struct capfile_meta *meta, struct perf_data **ret,
		     struct errmsg *msg)
{
	struct perf_data *data = calloc(1, sizeof(*data));
	char path[PATH_MAX];
	int err;

	if (!data)
		return -ENOMEM;
	data->meta = meta;
	data->dir = strdup(dir);
	data->user = perf_user_create();
	data->attr = (struct perf_event_attr){
		/* Of nobody. perf script has no names for what it takes for a dummy. */
		.type = PERF_TYPE_RAW,
		.size = sizeof(data->attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_BRANCH_STACK,
		.sample_id_all = 1,
		.use_clockid = 1, /* 0: CLOCK_REALTIME */
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				      PERF_SAMPLE_BRANCH_KERNEL,
	};
	if (!holds_ours_alone(dir))
		err = errmsg_set(
			msg, -EEXIST,
			"%s: other files are there; name a directory that is not there yet", dir);
	else
		err = data->dir && data->user ? make_dir(dir, msg) : -ENOMEM;
	snprintf(path, sizeof(path), "%s/kcore_dir", dir);
	err = err ?: make_dir(path, msg);
	snprintf(path, sizeof(path), "%s/data", dir);
	if (!err) {
		data->out = fopen(path, "we");
		if (!data->out)
			err = path_error(path, msg);
	}
	if (err) {
		perf_data_destroy(data);
		return err;
	}
	put_header(data, 0);
	data->data_start = here(data);
	put_kernel_map(data, 0); /* again at the end */
	*ret = data;
	return 0;
}

int perf_data_finish(struct perf_data *data, struct symbols *symbols, struct textstore *text,
		     struct errmsg *msg)
{
	uint64_t data_end, image_end = 0;
	int err;

	err = perf_kcore_write(data->dir, data->meta, symbols, text, data->module_first,
			       &image_end);
	err = err ?: perf_user_write(data->user, data->dir, symbols, text, put_user_map, data);
	if (err) {
		errno = -err;
		return path_error(data->dir, msg);
	}
	data_end = here(data);
	put_features(data);
	put_header(data, data_end);
	put_kernel_map(data, image_end);
	errno = EIO;
	return fflush(data->out) || ferror(data->out) ? path_error(data->dir, msg) : 0;
}

void perf_data_destroy(struct perf_data *data)
{
	if (!data)
		return;
	if (data->out)
		fclose(data->out);
	perf_user_destroy(data->user);
	free(data->dir);
	free(data);
}
