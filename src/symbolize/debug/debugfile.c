// SPDX-License-Identifier: GPL-2.0
#include "symbolize/debug/debugfile.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "symbolize/debug/dwarf.h"
#include "symbolize/elf.h"
#include "util/cleanup.h"
#include "util/file/library.h"

#define DEBUG_ROOT     "/usr/lib/debug"
#define PATH_BYTES     4096
#define TREE_FILES_MAX 200000

static void cleanup_fts(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

static bool has_dwarf(Elf *elf)
{
	struct elf_section section = {0};

	while (elf_section_next(elf, &section))
		if (section.header.sh_type != SHT_NOBITS && section.header.sh_size &&
		    (!strcmp(section.name, ".debug_info") || !strcmp(section.name, ".zdebug_info")))
			return true;
	return false;
}

int debugfile_check(const char *path, const struct build_id *want)
{
	/* Nobody may write to a FIFO: what is no file is not waited for. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_(cleanup_elf) Elf *elf = NULL;
	struct build_id have;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || elf_version(EV_CURRENT) == EV_NONE)
		return -ENOENT;
	/* This one reads compressed modules, too. */
	elf = dwelf_elf_begin(fd);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return -ENOENT;
	build_id_of_elf(elf, &have);
	if (build_id_differ(&have, want))
		return -ESTALE;
	return has_dwarf(elf) ? 0 : -ENOENT;
}

/* Is the file of that name the one? Then *@ret_path is its name. */
__attribute__((format(printf, 3, 4))) static bool try_path(const struct build_id *id,
							   char **ret_path, const char *format, ...)
{
	char path[PATH_BYTES];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path) || debugfile_check(path, id))
		return false;
	*ret_path = strdup(path);
	return true;
}

static bool try_build_id(const char *root, const struct build_id *id, char **ret_path)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";

	if (id->len < 2)
		return false;
	for (size_t i = 0; i < id->len; i++)
		sprintf(hex + 2 * i, "%02x", id->bytes[i]);
	return try_path(id, ret_path, "%s/.build-id/%.2s/%s.debug", root, hex, hex + 2);
}

/* Loaded when needed: many systems do not have it. NULL if not. */
static void *debuginfod_library(void)
{
	return library_open("libdebuginfod.so.1");
}

/* $DEBUGINFOD_URLS, or NULL */
static const char *debuginfod_urls(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls ? urls : NULL;
}

/* Ask the servers of $DEBUGINFOD_URLS, or the cache of what they sent before. */
static bool try_debuginfod(const struct build_id *id, char **ret_path)
{
	typedef struct debuginfod_client *begin_fn(void);
	typedef int find_fn(struct debuginfod_client *, const unsigned char *, int, char **);
	typedef void end_fn(struct debuginfod_client *);
	struct debuginfod_client *client;
	char *path = NULL;
	begin_fn *begin;
	find_fn *find;
	end_fn *end;
	void *lib;
	int fd = -1;

	if (!debuginfod_urls() || !id->len)
		return false;
	lib = debuginfod_library();
	if (!lib)
		return false;
	begin = (begin_fn *)dlsym(lib, "debuginfod_begin");
	find = (find_fn *)dlsym(lib, "debuginfod_find_debuginfo");
	end = (end_fn *)dlsym(lib, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (client) {
		fd = find(client, id->bytes, (int)id->len, &path);
		end(client);
	}
	/* libcurl's state is process-wide: the library is never unloaded. */
	if (fd < 0)
		return false;
	close(fd);
	if (debugfile_check(path, id)) {
		free(path);
		return false;
	}
	*ret_path = path;
	return true;
}

static int found(bool yes, const char *path)
{
	if (!yes)
		return -ENOENT;
	return path ? 0 : -ENOMEM;
}

int debugfile_find_kernel(const char *debug_dir, const char *release, const struct build_id *id,
			  char **ret_path)
{
	const char *roots[] = {debug_dir, DEBUG_ROOT};
	char *path = NULL;
	bool yes = false;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(roots) && !yes; i++) {
		const char *root = roots[i];

		if (!root)
			continue;
		yes = try_path(id, &path, "%s/boot/vmlinux-%s", root, release) ||
		      try_path(id, &path, "%s/boot/vmlinux-%s.debug", root, release) ||
		      try_path(id, &path, "%s/lib/modules/%s/vmlinux", root, release) ||
		      try_path(id, &path, "%s/usr/lib/modules/%s/vmlinux.debug", root, release) ||
		      try_build_id(root, id, &path) ||
		      (root == debug_dir && (try_path(id, &path, "%s/vmlinux-%s", root, release) ||
					     try_path(id, &path, "%s/vmlinux", root)));
	}
	yes = yes || try_path(id, &path, "/lib/modules/%s/build/vmlinux", release) ||
	      try_path(id, &path, "/lib/modules/%s/vmlinux", release) ||
	      try_path(id, &path, "/boot/vmlinux-%s", release) || try_debuginfod(id, &path);
	err = found(yes, path);
	if (err == 0)
		*ret_path = path;
	return err;
}

/* Does a file's name, up to ".ko", say that it is this module? '-' and '_' are the same. */
static bool is_module_file(const char *path, const char *module)
{
	const char *name = basename(path);

	for (; *module; module++, name++) {
		char a = *name == '-' ? '_' : *name, b = *module == '-' ? '_' : *module;

		if (a != b)
			return false;
	}
	return strncmp(name, ".ko", 3) == 0;
}

/* "kernel/fs/ext4/ext4.ko" of a module, from the list that depmod writes. */
static char *path_in_modules_dep(const char *release, const char *module)
{
	char path[PATH_BYTES];
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, ":\n")] = '\0';
		if (is_module_file(line, module))
			return strdup(line);
	}
	return NULL;
}

static bool try_module_path(const char *root, const char *release, const char *file,
			    const struct build_id *id, char **ret_path)
{
	const char *ko = strstr(file, ".ko");
	int plain = (int)(ko ? ko + 3 - file : 0);

	return try_path(id, ret_path, "%s/lib/modules/%s/%.*s", root, release, plain, file) ||
	       try_path(id, ret_path, "%s/lib/modules/%s/%.*s.debug", root, release, plain, file) ||
	       try_path(id, ret_path, "%s/usr/lib/modules/%s/%.*s.debug", root, release, plain,
			file);
}

/* Look at every file of a tree: for trees without modules.dep, which are other machines'. */
static bool try_module_tree(const char *root, const char *release, const char *module,
			    const struct build_id *id, char **ret_path)
{
	char path[PATH_BYTES];
	char *roots[] = {path, NULL};
	_cleanup_(cleanup_fts) FTS *tree = NULL;
	const FTSENT *entry;
	int len;

	if (release)
		len = snprintf(path, sizeof(path), "%s/lib/modules/%s", root, release);
	else
		len = snprintf(path, sizeof(path), "%s", root);
	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	for (int n = 0; tree && n < TREE_FILES_MAX && (entry = fts_read(tree)); n++) {
		if (entry->fts_info != FTS_F && entry->fts_info != FTS_NSOK)
			continue;
		if (is_module_file(entry->fts_name, module) &&
		    try_path(id, ret_path, "%s", entry->fts_path))
			return true;
	}
	return false;
}

/* Names come from captures of other machines: no way out of the directories searched. */
static bool is_plain_name(const char *name)
{
	if (!name[0] || name[0] == '.')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.+~", *name))
			return false;
	return true;
}

int debugfile_find_module(const char *debug_dir, const char *release, const char *module,
			  const struct build_id *id, char **ret_path)
{
	_cleanup_free_ char *file = NULL;
	char *path = NULL;
	bool yes = false;
	int err;

	if (!is_plain_name(module) || !is_plain_name(release))
		return -ENOENT;
	file = path_in_modules_dep(release, module);
	if (debug_dir)
		yes = (file && try_module_path(debug_dir, release, file, id, &path)) ||
		      try_build_id(debug_dir, id, &path) ||
		      try_module_tree(debug_dir, NULL, module, id, &path);
	if (!yes && file)
		yes = try_module_path(DEBUG_ROOT, release, file, id, &path) ||
		      try_build_id(DEBUG_ROOT, id, &path) ||
		      try_path(id, &path, "/lib/modules/%s/%s", release, file);
	if (!yes && !file)
		yes = try_build_id(DEBUG_ROOT, id, &path) ||
		      try_module_tree(DEBUG_ROOT, release, module, id, &path) ||
		      try_module_tree("", release, module, id, &path);
	yes = yes || try_debuginfod(id, &path);
	err = found(yes, path);
	if (err == 0)
		*ret_path = path;
	return err;
}

int debugfile_find_loaded(const char *release, const char *module, char **ret_path)
{
	_cleanup_free_ char *file = path_in_modules_dep(release, module);
	char path[PATH_BYTES];

	/* depmod writes absolute paths where modules are elsewhere */
	if (!file ||
	    (size_t)snprintf(path, sizeof(path), *file == '/' ? "%.0s%s" : "/lib/modules/%s/%s",
			     release, file) >= sizeof(path))
		return -ENOENT;
	*ret_path = strdup(path);
	return *ret_path ? 0 : -ENOMEM;
}

/* By the checksum, which is all that files without a build ID have. */
static bool crc_fits(const char *path, uint32_t want)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uLong crc = crc32(0, NULL, 0);
	uint8_t buf[65536];
	ssize_t len;

	if (fd < 0)
		return false;
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		crc = crc32(crc, buf, (uInt)len);
	return !len && crc == want;
}

static bool try_link(const struct build_id *id, const struct debuglink *link, char **ret_path,
		     const char *root, const char *dir, const char *below)
{
	if (!try_path(id, ret_path, "%s%s%s%s", root, dir, below, link->name))
		return false;
	if (id->len || !*ret_path || crc_fits(*ret_path, link->crc))
		return true;
	free(*ret_path);
	*ret_path = NULL;
	return false;
}

int debugfile_find_user(const char *debug_dir, const char *dir, const struct build_id *id,
			const struct debuglink *link, char **ret_path)
{
	const char *roots[] = {debug_dir, DEBUG_ROOT};
	char *path = NULL;
	bool yes = false;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(roots) && !yes; i++)
		yes = roots[i] && try_build_id(roots[i], id, &path);
	if (!yes && link->name && is_plain_name(link->name)) {
		yes = try_link(id, link, &path, "", dir, "/") ||
		      try_link(id, link, &path, "", dir, "/.debug/");
		for (size_t i = 0; i < ARRAY_SIZE(roots) && !yes; i++)
			yes = roots[i] && (try_link(id, link, &path, roots[i], dir, "/") ||
					   try_link(id, link, &path, roots[i], "", "/"));
	}
	yes = yes || try_debuginfod(id, &path);
	err = found(yes, path);
	if (err == 0)
		*ret_path = path;
	return err;
}

/* Does the ID or ID_LIKE line of an os-release file hold this word? */
static bool is_distribution(const char *os_release, const char *word)
{
	size_t word_len = strlen(word);

	for (const char *line = os_release; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "ID=", 3) == 0 || strncmp(line, "ID_LIKE=", 8) == 0) {
			const char *end = line + len, *p = strchr(line, '=') + 1;

			while (p < end) {
				size_t part = strcspn(p, " \"'\n");

				if (part == word_len && strncmp(p, word, part) == 0)
					return true;
				p += part + 1;
			}
		}
		line += len;
	}
	return false;
}

/* A kernel of one's own is in no archive. What Debian and Ubuntu build says so in uname -v. */
static bool is_built_by(const char *os_release, const char *id, const struct utsname *kernel,
			const char *name)
{
	return is_distribution(os_release, id) && strstr(kernel->version, name);
}

const char *lines_hint_for(const char *os_release, const struct utsname *kernel, char *buf,
			   size_t len)
{
	const char *release = kernel->release;

	/* Ubuntu is like Debian, and SUSE's IDs are many: the order matters. */
	if (is_built_by(os_release, "ubuntu", kernel, "Ubuntu"))
		snprintf(buf, len,
			 "enable the ddebs.ubuntu.com archive, then apt install "
			 "linux-image-%s-dbgsym",
			 release);
	else if (is_built_by(os_release, "debian", kernel, "Debian"))
		snprintf(buf, len, "apt install linux-image-%s-dbg", release);
	else if (is_distribution(os_release, "fedora") || is_distribution(os_release, "rhel"))
		snprintf(buf, len, "dnf debuginfo-install kernel-%s", release);
	else if (is_distribution(os_release, "suse") || is_distribution(os_release, "opensuse"))
		snprintf(buf, len,
			 "enable the debug repository, then zypper install "
			 "kernel-default-debuginfo, for kernel %s",
			 release);
	else if (is_distribution(os_release, "arch"))
		snprintf(buf, len, "set DEBUGINFOD_URLS=https://debuginfod.archlinux.org");
	else
		snprintf(buf, len, "give the vmlinux with DWARF of kernel %s as --vmlinux",
			 release);
	return buf;
}

/* What became of asking debuginfod. That sudo drops the variable is the usual reason. */
static const char *debuginfod_hint(const char *said)
{
	if (!debuginfod_urls())
		return strstr(said, "DEBUGINFOD_URLS=") ? "; sudo -E keeps it"
							: "; or set DEBUGINFOD_URLS, and "
							  "debuginfod is asked (sudo -E keeps it)";
	if (!library_possible())
		return "; DEBUGINFOD_URLS is set, but the static build cannot ask: "
		       "debuginfod-find debuginfo fetches it, --vmlinux names it";
	if (!debuginfod_library())
		return "; DEBUGINFOD_URLS is set, but there is no libdebuginfod.so.1 to ask with";
	return "; no server of DEBUGINFOD_URLS has it";
}

const char *lines_hint(char *buf, size_t len)
{
	char os_release[8192] = "";
	_cleanup_close_ int fd = open("/etc/os-release", O_RDONLY | O_CLOEXEC);
	struct utsname uts;
	size_t said;

	if (fd >= 0) {
		ssize_t got = read(fd, os_release, sizeof(os_release) - 1);

		os_release[got > 0 ? got : 0] = '\0';
	}
	if (uname(&uts))
		uts = (struct utsname){.release = "unknown"};
	lines_hint_for(os_release, &uts, buf, len);
	said = strlen(buf);
	snprintf(buf + said, len - said, "%s", debuginfod_hint(buf));
	return buf;
}
