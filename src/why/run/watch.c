// SPDX-License-Identifier: GPL-2.0
#include "why/run/watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/attach.h"
#include "capture/lbr/lbr_events.h"
#include "capture/ring/ring_reader.h"
#include "syscall/syscall.h"
#include "target/core_types.h"
#include "target/traced.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/lockdown.h"
#include "util/log.h"

#include "why.skel.h"

/* Functions that one link is made for: the kernel copies and sorts their addresses at once. */
#define LINK_FUNCTIONS_MAX 20000
/* Of the ring buffer, where no points are told; the kernel zeroes all of it. A power of two. */
#define EVENTS_BYTES (8u << 20)

/** union any_event - what the programs report */
union any_event {
	struct why_failed failed;
	struct why_said said;
	struct why_hit_of hit;
	struct why_point point;
	struct why_passed passed;
	struct why_exited exited;
};

struct watch {
	struct why_bpf *skel;
	struct ring_reader *ring;
	struct bpf_link **function_links;
	size_t function_link_count;
	struct bpf_link *netlink;
	struct bpf_link *io_uring;
	struct bpf_link **site_links;
	size_t site_link_count;
	uint64_t malformed;
	watch_fn *fn;
	void *fn_ctx;
	int fn_result;
	uint64_t poll_ns; /* CLOCK_MONOTONIC of the poll's first event; 0: none yet */
	struct traced traced;
	bool traced_asked;
};

/* Each site takes a file on each CPU. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static size_t bytes_of(const struct why_event *event)
{
	switch (event->kind) {
	case WHY_FAILED:
		return why_failed_bytes(0);
	case WHY_SAID:
	case WHY_LOGGED:
		return sizeof(struct why_said);
	case WHY_HIT:
		return sizeof(struct why_hit_of);
	case WHY_POINT:
		return sizeof(struct why_point);
	case WHY_PASSED:
		return sizeof(struct why_passed);
	case WHY_EXEC:
	case WHY_EXITED:
		return sizeof(struct why_exited);
	default:
		return SIZE_MAX;
	}
}

/*
 * What the rest of the tool relies on; the ring buffer is not trusted.
 * @calls: those that did not fail are told, too
 */
static bool is_sane(const struct why_event *event, size_t len, bool calls)
{
	const struct why_failed *failed = (const struct why_failed *)event;

	if (len < sizeof(*event) || len < bytes_of(event))
		return false;
	if (event->kind == WHY_SAID || event->kind == WHY_LOGGED)
		return ((const struct why_said *)event)->len <= WHY_SAID_MAX;
	if (event->kind == WHY_HIT)
		return ((const struct why_hit_of *)event)->hit.frames <= WHY_STACK_MAX;
	if (event->kind == WHY_POINT)
		return ((const struct why_point *)event)->count <= RECORD_BRANCHES_MAX;
	if (event->kind != WHY_FAILED)
		return true;
	return len >= why_failed_bytes(failed->entered) && (failed->err || calls) &&
	       failed->err < 4096 && memchr(failed->text, '\0', sizeof(failed->text));
}

/*
 * What happens while events are handed out is for the next poll: the reader goes on until there is
 * none, and a busy process makes them as fast as they are taken.
 */
static int on_event(void *ctx, void *data, size_t len)
{
	struct watch *watch = ctx;
	const struct why_event *event = data;

	if (!is_sane(data, len, watch->skel->bss->why_ends[0])) {
		watch->malformed++;
		return 0;
	}
	if (!watch->poll_ns)
		watch->poll_ns = clock_ns(CLOCK_MONOTONIC);
	watch->fn_result = watch->fn(event, len, watch->fn_ctx);
	return watch->fn_result || event->mono_ns > watch->poll_ns ? -ECANCELED : 0;
}

int watch_poll(struct watch *watch, int timeout_ms, watch_fn *fn, void *ctx)
{
	int err;

	watch->fn = fn;
	watch->fn_ctx = ctx;
	watch->fn_result = 0;
	watch->poll_ns = 0;
	err = ring_reader_wait(watch->ring, timeout_ms);
	if (err)
		return err;
	/* Also when the time is over: points wake nobody. */
	ring_reader_consume(watch->ring);
	return watch->fn_result;
}

uint64_t watch_lost(const struct watch *watch)
{
	return watch->skel->bss->why_lost + watch->malformed;
}

uint64_t watch_calls_unwatched(const struct watch *watch)
{
	return watch->skel->bss->why_task_lost;
}

uint64_t watch_processes_unwatched(const struct watch *watch)
{
	return watch->skel->bss->why_process_lost;
}

uint64_t watch_calls_compat(const struct watch *watch)
{
	return watch->skel->bss->why_compat;
}

bool watch_netlink(const struct watch *watch)
{
	return watch->netlink;
}

static void configure(struct why_bpf *skel, const struct watch_options *opts, bool locked)
{
	skel->rodata->own_pid = getpid();
	skel->rodata->why_no_user_reads = locked;
	skel->rodata->why_reads_values = opts->values && !locked;
	skel->rodata->why_vmalloc_base = opts->vmalloc_base;
	if (opts->comm) {
		skel->rodata->why_filter = 1;
		strncpy((char *)skel->rodata->filter_comm, opts->comm, RECORD_COMM_LEN - 1);
	}
	if (opts->cgroup) {
		skel->rodata->why_filter = 2;
		skel->rodata->why_cgroup = opts->cgroup;
		skel->rodata->why_cgroup_level = opts->cgroup_level;
	}
	if (opts->percpu_offsets && opts->cpu_hw_events && !locked) {
		skel->rodata->percpu_offsets = opts->percpu_offsets;
		skel->rodata->cpu_hw_events_offset = opts->cpu_hw_events;
	}
	/* Of the other triggers; nothing here uses them. */
	bpf_map__set_autocreate(skel->maps.flight, false);
	bpf_map__set_max_entries(skel->maps.events, 4096);
	bpf_map__set_max_entries(skel->maps.pending, 1);
	if (!opts->points)
		bpf_map__set_max_entries(skel->maps.why_events, EVENTS_BYTES);
}

static int load_plans(struct why_bpf *skel)
{
	for (uint32_t nr = 0; nr < SYSCALL_PLANS; nr++) {
		struct syscall_read_plan plan;

		syscall_read_plan(nr, &plan);
		if (bpf_map_update_elem(bpf_map__fd(skel->maps.why_plans), &nr, &plan, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int load_error(int err, struct errmsg *msg)
{
	if (err == -EPERM)
		return errmsg_set(
			msg, -EPERM,
			"the kernel lets no such BPF program be loaded here, whatever "
			"our capabilities: a container, lockdown "
			"(/sys/kernel/security/lockdown) or another security module forbids it; "
			"run lbrsnoop on the host itself");
	if (err == -EMFILE)
		return errmsg_set(msg, err, "the BPF programs of 'lbrsnoop why': %s; " FILES_REMEDY,
				  strerror(-err));
	return errmsg_set(msg, err == -EACCES ? -EINVAL : err,
			  "the kernel does not load the BPF programs of 'lbrsnoop why': %s; -vv "
			  "shows the verifier's words",
			  strerror(-err));
}

/* With the types that its relocations look at in a file of its own; NULL: that cannot be. */
static struct why_bpf *open_with_types(const struct btf *types, int fd)
{
	char path[64];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);
	struct why_bpf *skel;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	skel = why_bpf__open_opts(&opts);
	if (skel && core_types_write(types, bpf_object__btf(skel->obj), fd)) {
		why_bpf__destroy(skel);
		skel = NULL;
	}
	return skel;
}

/* kprobe.multi came with Linux 5.18, and needs CONFIG_FPROBE; the rest works without. */
static int load(struct watch *watch, const struct watch_options *opts, bool multi,
		struct errmsg *msg)
{
	bool locked = lockdown_read() == LOCKDOWN_CONFIDENTIALITY;
	_cleanup_close_ int fd = opts->types ? memfd_create("types", MFD_CLOEXEC) : -1;
	int err;

	watch->skel = fd >= 0 ? open_with_types(opts->types, fd) : NULL;
	if (!watch->skel)
		watch->skel = why_bpf__open();
	if (!watch->skel)
		return load_error(-errno, msg);
	configure(watch->skel, opts, locked);
	bpf_program__set_autoload(watch->skel->progs.why_function, multi);
	bpf_program__set_autoload(watch->skel->progs.why_netlink, !locked);
	bpf_program__set_autoload(watch->skel->progs.why_io_uring, true);
	bpf_program__set_autoload(watch->skel->progs.why_interrupted, !locked);
	bpf_program__set_autoload(watch->skel->progs.why_logged, !locked);
	bpf_program__set_autoload(watch->skel->progs.why_site_kprobe, true);
	bpf_program__set_autoload(watch->skel->progs.why_site_lbr, true);
	bpf_program__set_autoload(watch->skel->progs.why_site_hw, true);
	bpf_program__set_autoload(watch->skel->progs.why_point, opts->points);
	bpf_program__set_autoload(watch->skel->progs.why_passed, opts->points);
	bpf_program__set_autoload(watch->skel->progs.why_point_kprobe, opts->points);
	bpf_program__set_autoload(watch->skel->progs.why_sys_enter, true);
	bpf_program__set_autoload(watch->skel->progs.why_sys_exit, true);
	bpf_program__set_autoload(watch->skel->progs.why_fork, !locked);
	bpf_program__set_autoload(watch->skel->progs.why_fork_typed, locked);
	bpf_program__set_autoload(watch->skel->progs.why_exec, true);
	bpf_program__set_autoload(watch->skel->progs.why_task_exit, true);
	err = why_bpf__load(watch->skel);
	if (err && multi) {
		why_bpf__destroy(watch->skel);
		watch->skel = NULL;
		return load(watch, opts, false, msg);
	}
	if (err && err != -EPERM && opts->types) {
		struct watch_options whole = *opts;

		/* Should its types not be all that the relocations need */
		whole.types = NULL;
		why_bpf__destroy(watch->skel);
		watch->skel = NULL;
		return load(watch, &whole, true, msg);
	}
	if (err)
		return load_error(err, msg);
	watch->skel->bss->slots[0].busy = 1; /* see bpf/state.bpf.h */
	return load_plans(watch->skel);
}

/* Type of the kprobe PMU; negative errno if the kernel has none. */
static int kprobe_pmu(void)
{
	_cleanup_fclose_ FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	int type;

	if (!file)
		return -errno;
	return fscanf(file, "%d", &type) == 1 ? type : -EINVAL;
}

/*
 * @name: NULL: by address, for a name may stand for several functions. Its program runs on all
 * CPUs, whichever the event is on; libbpf takes CPU 0, which may be offline.
 */
static int attach_kprobe(struct bpf_program *prog, const char *name, uint64_t addr, uint64_t cookie,
			 struct bpf_link **ret_link)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	int type = kprobe_pmu(), fd;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.kprobe_func = (uintptr_t)name,
	};
	struct bpf_link *link;

	if (type < 0)
		return type;
	if (!name)
		attr.kprobe_addr = addr;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpus_first_online(NULL), -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	link = bpf_program__attach_perf_event_opts(prog, fd, &opts);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	*ret_link = link;
	return 0;
}

static int attach_tasks(struct watch *watch, struct errmsg *msg)
{
	struct bpf_link **links[] = {
		&watch->skel->links.why_fork,	     &watch->skel->links.why_fork_typed,
		&watch->skel->links.why_exec,	     &watch->skel->links.why_task_exit,
		&watch->skel->links.why_sys_exit,    &watch->skel->links.why_sys_enter,
		&watch->skel->links.why_interrupted,
	};
	struct bpf_program *progs[] = {
		watch->skel->progs.why_fork,	    watch->skel->progs.why_fork_typed,
		watch->skel->progs.why_exec,	    watch->skel->progs.why_task_exit,
		watch->skel->progs.why_sys_exit,    watch->skel->progs.why_sys_enter,
		watch->skel->progs.why_interrupted,
	};

	_Static_assert(ARRAY_SIZE(links) == ARRAY_SIZE(progs), "one each");
	for (size_t i = 0; i < ARRAY_SIZE(progs); i++) {
		if (!bpf_program__autoload(progs[i]))
			continue;
		*links[i] = bpf_program__attach(progs[i]);
		if (!*links[i])
			return errmsg_set(msg, -errno, "raw tracepoint of %s: %s",
					  bpf_program__name(progs[i]), strerror(errno));
	}
	/* Not everywhere: no kprobes, no io_uring. What is not seen then is said. */
	if (!bpf_program__autoload(watch->skel->progs.why_netlink) ||
	    attach_kprobe(watch->skel->progs.why_netlink, "netlink_ack", 0, 0, &watch->netlink))
		watch->netlink = NULL;
	watch->io_uring = bpf_program__attach(watch->skel->progs.why_io_uring);
	if (bpf_program__autoload(watch->skel->progs.why_logged))
		watch->skel->links.why_logged = bpf_program__attach(watch->skel->progs.why_logged);
	return 0;
}

int watch_create(const struct watch_options *opts, struct watch **ret_watch, struct errmsg *msg)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return -ENOMEM;
	raise_file_limit();
	err = load(watch, opts, true, msg);
	if (!err) {
		err = ring_reader_open(bpf_map__fd(watch->skel->maps.why_events),
				       bpf_map__max_entries(watch->skel->maps.why_events),
				       sizeof(union any_event), on_event, watch, &watch->ring);
		if (err)
			errmsg_set(msg, err, "cannot read the ring buffer: %s", strerror(-err));
	}
	err = err ?: attach_tasks(watch, msg);
	if (err) {
		watch_destroy(watch);
		return err;
	}
	*ret_watch = watch;
	return 0;
}

void watch_destroy(struct watch *watch)
{
	if (!watch)
		return;
	watch_functions_end(watch);
	watch_sites_end(watch);
	bpf_link__destroy(watch->netlink);
	bpf_link__destroy(watch->io_uring);
	ring_reader_close(watch->ring);
	why_bpf__destroy(watch->skel);
	free(watch);
}

int watch_add(struct watch *watch, uint32_t pid)
{
	uint32_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(watch->skel->maps.why_traced), &pid, &one, BPF_ANY)
		       ? -errno
		       : 0;
}

static int keep_link(struct bpf_link ***links, size_t *count, struct bpf_link *link)
{
	struct bpf_link **more = reallocarray(*links, *count + 1, sizeof(struct bpf_link *));

	if (!more) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	*links = more;
	more[(*count)++] = link;
	return 0;
}

static void drop_links(struct bpf_link ***links, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		bpf_link__destroy((*links)[i]);
	free(*links);
	*links = NULL;
	*count = 0;
}

/* Take out those that the kernel's tracer does not know, where it lists addresses; returns how many
 * are left. */
static size_t drop_untraced(struct watch *watch, uint64_t *addrs, size_t count)
{
	size_t left = 0;

	if (!watch->traced_asked && traced_open(&watch->traced))
		log_verbose("the kernel does not list the addresses of traced functions");
	watch->traced_asked = true;
	if (!watch->traced.count)
		return count;
	for (size_t i = 0; i < count; i++)
		if (traced_has(&watch->traced, addrs[i]))
			addrs[left++] = addrs[i];
	if (left < count)
		log_verbose("%zu of %zu functions are not known to the kernel's tracer",
			    count - left, count);
	return left;
}

/*
 * The kernel refuses all of them for one that its tracer does not know. Those that it lists are
 * tried without it first, for each link costs passes over the kernel's text when it is made and
 * when it goes; then each half is tried alone. What is armed is moved to the front.
 */
static int arm_functions(struct watch *watch, uint64_t *addrs, size_t count, int *ret_err)
{
	size_t half = count / 2, left;
	int armed, more;

	if (!count)
		return 0;
	if (count <= LINK_FUNCTIONS_MAX) {
		LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = addrs, .cnt = count);
		struct bpf_link *link = bpf_program__attach_kprobe_multi_opts(
			watch->skel->progs.why_function, NULL, &opts);

		if (link)
			return keep_link(&watch->function_links, &watch->function_link_count, link)
				       ?: (int)count;
		*ret_err = -errno;
		if (*ret_err == -EOPNOTSUPP || *ret_err == -EPERM || *ret_err == -ENOMEM)
			return *ret_err;
		left = drop_untraced(watch, addrs, count);
		if (left < count)
			return arm_functions(watch, addrs, left, ret_err);
		if (count == 1) {
			log_verbose("function at 0x%llx is not traced: %s",
				    (unsigned long long)addrs[0], strerror(-*ret_err));
			return 0;
		}
	}
	armed = arm_functions(watch, addrs, half, ret_err);
	if (armed < 0)
		return armed;
	more = arm_functions(watch, addrs + half, count - half, ret_err);
	if (more < 0)
		return more;
	memmove(addrs + armed, addrs + half, more * sizeof(*addrs));
	return armed + more;
}

int watch_functions(struct watch *watch, uint64_t *addrs, size_t count, struct errmsg *msg)
{
	int err = -EINVAL, armed;

	if (!bpf_program__autoload(watch->skel->progs.why_function))
		return errmsg_set(msg, -EOPNOTSUPP,
				  "this kernel cannot watch many functions at once: it has no "
				  "kprobe.multi (Linux 5.18 with CONFIG_FPROBE)");
	armed = arm_functions(watch, addrs, count, &err);
	if (armed > 0)
		return armed;
	watch_functions_end(watch);
	return errmsg_set(msg, armed ?: err, "kprobe.multi on %zu functions: %s", count,
			  strerror(-(armed ?: err)));
}

void watch_functions_end(struct watch *watch)
{
	drop_links(&watch->function_links, &watch->function_link_count);
	traced_deinit(&watch->traced);
	watch->traced_asked = false;
}

static uint64_t cookie_of(const struct watch_site *site, size_t index)
{
	uint64_t reg = site->reg == SITE_REG_NONE ? 0 : site->reg + 1ull;

	return reg << 48 | (uint64_t)site->err << 32 | (uint32_t)index;
}

/* On each CPU; false if a register is missing on one. */
static bool arm_breakpoint(struct watch *watch, struct bpf_program *prog, uint64_t addr,
			   uint64_t cookie)
{
	size_t before = watch->site_link_count;
	_cleanup_free_ uint8_t *online = NULL;
	int bits = cpus_online(NULL, &online);

	for (int cpu = 0; cpu < bits; cpu++) {
		struct errmsg why = {};
		struct hw_site armed;

		if (!(online[cpu / 8] & (1 << cpu % 8)))
			continue;
		if (!attach_breakpoint(prog, addr, cpu, cookie, &armed, &why) &&
		    !keep_link(&watch->site_links, &watch->site_link_count, armed.link))
			continue;
		log_verbose("breakpoint at 0x%llx: %s", (unsigned long long)addr, why.text);
		while (watch->site_link_count > before)
			bpf_link__destroy(watch->site_links[--watch->site_link_count]);
		return false;
	}
	return bits > 0;
}

static bool arm_site(struct watch *watch, const struct watch_site *site, size_t index, bool lbr)
{
	return arm_breakpoint(
		watch, lbr ? watch->skel->progs.why_site_lbr : watch->skel->progs.why_site_hw,
		site->addr, cookie_of(site, index));
}

static int arm_kprobe(struct watch *watch, const struct watch_site *site, size_t index)
{
	struct bpf_link *link;
	int err = attach_kprobe(watch->skel->progs.why_site_kprobe, NULL, site->addr,
				cookie_of(site, index), &link);

	return err ?: keep_link(&watch->site_links, &watch->site_link_count, link);
}

int watch_sites(struct watch *watch, struct watch_site *sites, size_t first, size_t count, bool lbr,
		bool kprobes, struct errmsg *msg)
{
	int armed = 0, last = 0;

	for (size_t i = 0; i < count; i++) {
		struct watch_site *site = &sites[i];
		int err = -EBUSY;

		if (site->hw && arm_site(watch, site, first + i, lbr)) {
			armed++;
			continue;
		}
		site->hw = false;
		if (kprobes)
			err = arm_kprobe(watch, site, first + i);
		/* Code without the tracer's places has no kprobes: within_notrace_func(). */
		if (err && site->or_hw && arm_site(watch, site, first + i, lbr)) {
			site->hw = true;
			err = 0;
		}
		site->failed = err;
		if (err) {
			last = err;
			log_verbose("kprobe at 0x%llx: %s", (unsigned long long)site->addr,
				    strerror(-err));
		} else {
			armed++;
		}
	}
	if (armed || !count)
		return armed;
	return errmsg_set(msg, last, "none of %zu instructions can be watched: %s", count,
			  strerror(-last));
}

int watch_table(struct watch *watch, size_t index, const struct why_read_table *table)
{
	uint32_t key = (uint32_t)index;

	if (index >= WHY_TABLES_MAX)
		return -E2BIG;
	return bpf_map_update_elem(bpf_map__fd(watch->skel->maps.why_tables), &key, table, BPF_ANY)
		       ? -errno
		       : 0;
}

void watch_sites_end(struct watch *watch)
{
	drop_links(&watch->site_links, &watch->site_link_count);
}

void watch_calls_quietly(struct watch *watch)
{
	struct why_bpf *skel = watch->skel;

	skel->bss->why_no_enter = 1;
	bpf_link__destroy(skel->links.why_sys_enter);
	skel->links.why_sys_enter = NULL;
	bpf_link__destroy(skel->links.why_logged);
	skel->links.why_logged = NULL;
}

bool watch_point(struct watch *watch, uint64_t addr)
{
	return arm_breakpoint(watch, watch->skel->progs.why_point, addr, 0);
}

bool watch_point_without_branches(struct watch *watch, uint64_t addr)
{
	struct bpf_link *link;

	return !attach_kprobe(watch->skel->progs.why_point_kprobe, NULL, addr, addr, &link) &&
	       !keep_link(&watch->site_links, &watch->site_link_count, link);
}

int watch_passes(struct watch *watch, uint64_t addr, uint32_t call_nr)
{
	struct bpf_link *link;
	int err = attach_kprobe(watch->skel->progs.why_passed, NULL, addr, addr, &link);

	watch->skel->bss->why_passed_nr = call_nr;
	return err ?: keep_link(&watch->site_links, &watch->site_link_count, link);
}

void watch_ends(struct watch *watch, const uint64_t *addrs, size_t count)
{
	for (size_t i = 0; i < WHY_ENDS_MAX; i++)
		watch->skel->bss->why_ends[i] = i < count ? addrs[i] : 0;
}

uint64_t watch_point_hits(const struct watch *watch)
{
	return watch->skel->bss->why_point_hits;
}

uint64_t watch_points_outside(const struct watch *watch)
{
	return watch->skel->bss->why_points_outside;
}

uint64_t watch_passed_hits(const struct watch *watch)
{
	return watch->skel->bss->why_passed_hits;
}
