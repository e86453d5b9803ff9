// SPDX-License-Identifier: GPL-2.0
#include "target/kinds/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbolize/user/userfile.h"
#include "cfg/returns.h"
#include "target/suggest.h"
#include "util/cleanup.h"

/* Functions of one name that are listed when there are several. */
#define NAMESAKES_SHOWN 6

static void cleanup_userfile(struct userfile **file)
{
	userfile_close(*file);
}

/* A number behind the last '+' is an offset; operator+ has none. */
static int cut_offset(const struct target_spec *spec, char *name, uint64_t *ret_offset,
		      struct errmsg *msg)
{
	char *plus = strrchr(name, '+'), *end;

	if (!plus || plus[1] < '0' || plus[1] > '9')
		return 0;
	errno = 0;
	*ret_offset = strtoull(plus + 1, &end, 0);
	if (*end || errno || *ret_offset > 1 << 24)
		return errmsg_set(
			msg, -EINVAL,
			"target '%s': '%s' is not an offset; write it in bytes, as +16 or +0x10",
			spec->text, plus);
	*plus = '\0';
	return 0;
}

int user_parse(const char *rest, struct target_spec *spec, struct errmsg *msg)
{
	const char *colon = strchr(rest, ':');
	int err;

	if (!colon || colon == rest || !colon[1])
		return errmsg_set(msg, -EINVAL,
				  "target '%s': a user function is written %s:PATH:SYMBOL, for "
				  "example %s:/bin/bash:readline",
				  spec->text, trigger_kind_name(spec->kind),
				  trigger_kind_name(spec->kind));
	if ((size_t)(colon - rest) >= PATH_MAX || strlen(colon) > 4096)
		return errmsg_set(msg, -EINVAL, "target '%.40s...': no path or name is so long",
				  spec->text);
	spec->path = strndup(rest, (size_t)(colon - rest));
	spec->name = strdup(colon + 1);
	if (!spec->path || !spec->name)
		return -ENOMEM;
	err = cut_offset(spec, spec->name, &spec->offset, msg);
	if (!err && spec->offset && spec->kind == TRIGGER_URETPROBE)
		err = errmsg_set(msg, -EINVAL,
				 "target '%s': a function returns as a whole; leave the offset out",
				 spec->text);
	if (!err && !spec->name[0])
		err = errmsg_set(msg, -EINVAL, "target '%s': no name in it", spec->text);
	return err;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Opened as the process would; those of its root's links that are absolute lead out of it else. */
static int open_in_root(uint32_t pid, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_cleanup_close_ int root = -1;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static bool is_same_file(const char *path, const struct stat *wanted)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
}

/* A path by which we reach what the process has at @path; false if it has no file there. */
static bool find_in_root(uint32_t pid, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open_in_root(pid, path);
	char link[64], inside[PATH_MAX];
	struct stat wanted;
	ssize_t len;

	if (fd < 0 || fstat(fd, &wanted) || !S_ISREG(wanted.st_mode))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, inside, sizeof(inside) - 1);
	inside[len < 0 ? 0 : len] = '\0';
	/* The kernel tells it from the root of the mount namespace, or from ours: a chroot. */
	if ((size_t)snprintf(buf, size, "/proc/%u/root%s", pid, inside) < size &&
	    is_same_file(buf, &wanted))
		return true;
	if ((size_t)snprintf(buf, size, "%s", inside) < size && is_same_file(buf, &wanted))
		return true;
	return (size_t)snprintf(buf, size, "/proc/%u/root%s", pid, path) < size &&
	       is_same_file(buf, &wanted);
}

/* Is there such a file, for the process that is named, or for us? Then @buf leads to it. */
static bool find_file(const struct resolve_options *opts, const char *path, char *buf, size_t size)
{
	if (opts->pid && path[0] == '/')
		return find_in_root(opts->pid, path, buf, size);
	return (size_t)snprintf(buf, size, "%s", path) < size && is_file(buf);
}

/* A name without a slash: a command, or a library. Return: found, and in @buf. */
static bool search(const struct resolve_options *opts, const char *name, const char *dirs,
		   char *buf, size_t size)
{
	char path[PATH_MAX];

	for (const char *dir = dirs;; dir++) {
		int len = (int)strcspn(dir, ":");

		if ((size_t)snprintf(path, sizeof(path), "%.*s/%s", len ? len : 1, len ? dir : ".",
				     name) < sizeof(path) &&
		    find_file(opts, path, buf, size))
			return true;
		dir += len;
		if (!*dir)
			return false;
	}
}

/* As the target's process sees it, if one is named; else as we do. */
static int find_path(const struct resolve_options *opts, const struct target_spec *spec,
		     char **ret_path, struct errmsg *msg)
{
	static const char libraries[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:"
					"/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	const char *commands = getenv("PATH") ?: "/usr/bin:/bin";
	char path[2 * PATH_MAX];
	bool found;

	if (!strchr(spec->path, '/'))
		found = search(opts, spec->path, commands, path, sizeof(path)) ||
			search(opts, spec->path, libraries, path, sizeof(path));
	else
		found = find_file(opts, spec->path, path, sizeof(path));
	if (!found)
		return errmsg_set(msg, -ENOENT, "'%s': there is no file '%s'%s", spec->text,
				  spec->path,
				  opts->pid ? " where that process looks for it (its mount "
					      "namespace)"
				  : strchr(spec->path, '/') ? ""
							    : " in $PATH, nor a library");
	/* /proc/PID/root as a link leads out of the namespace. */
	*ret_path = opts->pid ? strdup(path) : realpath(path, NULL);
	return *ret_path ? 0 : -ENOMEM;
}

/**
 * struct search - among the symbols of a file
 * @count: places found; @found: the first of them
 */
struct search {
	const char *wanted;
	size_t count;
	uint64_t last;
	struct symbol found;
	char names[600];
	size_t used;
};

static int look_at(const struct symbol *sym, void *ctx)
{
	struct search *search = ctx;

	if (!userfile_is_function(sym->name, search->wanted))
		return 0;
	/* They come in order of their addresses; .dynsym names some again. */
	if (search->count && sym->addr == search->last)
		return 0;
	search->last = sym->addr;
	if (!search->count)
		search->found = *sym;
	if (search->count++ < NAMESAKES_SHOWN && search->used < sizeof(search->names))
		search->used += (size_t)snprintf(search->names + search->used,
						 sizeof(search->names) - search->used,
						 "%s %s at %#llx", search->count > 1 ? "," : "",
						 sym->name, (unsigned long long)sym->addr);
	return 0;
}

static int offer(const struct symbol *sym, void *ctx)
{
	suggestions_offer(ctx, sym->name);
	return 0;
}

static int no_such_symbol(struct userfile *file, const struct target_spec *spec, const char *path,
			  struct errmsg *msg)
{
	struct suggestions sug = {.wanted = spec->name};
	char near[SUGGESTIONS_MAX * 130 + 32];

	symbols_for_each(userfile_symbols(file), offer, &sug);
	suggestions_text(&sug, near, sizeof(near));
	return errmsg_set(msg, -ENOENT, "no function '%s' in %s%s%s", spec->name, path, near,
			  sug.count
				  ? ""
				  : "; if it is stripped, its debug package has the names, and an "
				    "address as objdump -d shows it can stand for one: 0x1234");
}

/* The function, or for an address the one that holds it. */
static int find_symbol(struct userfile *file, const struct target_spec *spec, const char *path,
		       struct symbol *ret_sym, uint64_t *ret_addr, struct errmsg *msg)
{
	struct search search = {.wanted = spec->name};
	char *end;

	if (!strncasecmp(spec->name, "0x", 2)) {
		*ret_addr = strtoull(spec->name, &end, 16);
		if (*end || userfile_offset(file, *ret_addr, &(uint64_t){0}))
			return errmsg_set(msg, -EINVAL,
					  "'%s': there is no code at this address of %s",
					  spec->text, path);
		if (symbols_find(userfile_symbols(file), *ret_addr, ret_sym))
			*ret_sym = (struct symbol){.name = spec->name, .addr = *ret_addr};
		*ret_addr += spec->offset;
		return 0;
	}
	symbols_for_each(userfile_symbols(file), look_at, &search);
	if (!search.count)
		return no_such_symbol(file, spec, path, msg);
	if (search.count > 1)
		return errmsg_set(msg, -EINVAL,
				  "'%s': %zu functions of %s have this name:%s%s; write the "
				  "address for the name, or a whole name",
				  spec->text, search.count, path, search.names,
				  search.count > NAMESAKES_SHOWN ? ", ..." : "");
	*ret_sym = search.found;
	if (spec->offset && spec->offset >= ret_sym->size)
		return errmsg_set(msg, -EINVAL,
				  "'%s': the function is %#llx bytes long; give an offset inside "
				  "it (objdump -d shows its instructions)",
				  spec->text, (unsigned long long)ret_sym->size);
	*ret_addr = ret_sym->addr + spec->offset;
	return 0;
}

static int read_file(void *ctx, uint64_t addr, void *buf, size_t len)
{
	return userfile_read(ctx, addr, buf, len);
}

static int add_probe(struct userfile *file, const struct target_spec *spec, const char *path,
		     const struct symbol *sym, uint64_t addr, struct probe_list *list)
{
	struct probe *probe = probe_list_add(list);
	struct symbol plain;

	if (!probe)
		return -ENOMEM;
	probe->trigger.kind = spec->kind;
	probe->trigger.target = strdup(spec->text);
	probe->trigger.function = strdup(
		userfile_find(file, sym->addr, &plain) || plain.addr != sym->addr ? sym->name
										  : plain.name);
	probe->trigger.module = strdup(basename(path));
	probe->trigger.path = strdup(path);
	probe->trigger.func_size = sym->size;
	probe->trigger.file_addr = sym->addr;
	probe->offset = addr - sym->addr;
	/* The register, whatever the function returns: there is no BTF of it. */
	probe->ret = spec->kind == TRIGGER_URETPROBE ? RETURN_S64 : RETURN_NONE;
	return probe->trigger.target && probe->trigger.function && probe->trigger.module &&
			       probe->trigger.path
		       ? userfile_offset(file, addr, &probe->file_offset)
		       : -ENOMEM;
}

int user_add(const struct resolve_options *opts, const struct target_spec *spec,
	     struct probe_list *list, struct errmsg *msg)
{
	_cleanup_(cleanup_userfile) struct userfile *file = NULL;
	_cleanup_free_ char *path = NULL;
	struct text_source text = {.read = read_file};
	struct symbol sym;
	uint64_t addr;
	int err = find_path(opts, spec, &path, msg);

	if (err)
		return err;
	err = userfile_open(path, basename(path), opts->debug_dir, &file);
	if (err == -EINVAL)
		return errmsg_set(msg, err, "'%s': %s is no ELF file of x86-64", spec->text, path);
	if (err)
		/* Of the file: not we lack a capability. */
		return errmsg_set(msg, err == -EACCES || err == -EPERM ? -EINVAL : err,
				  "'%s': %s: %s", spec->text, path, strerror(-err));
	err = find_symbol(file, spec, path, &sym, &addr, msg);
	if (err)
		return err;
	text.ctx = file;
	if (addr != sym.addr && sym.size && !function_has_insn(&text, sym.addr, sym.size, addr))
		return errmsg_set(
			msg, -EINVAL,
			"'%s': no instruction starts there, and the breakpoint would "
			"damage the one that does; 'objdump -d %s' shows where they start",
			spec->text, path);
	return add_probe(file, spec, path, &sym, addr, list);
}
