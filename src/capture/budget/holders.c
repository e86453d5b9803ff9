// SPDX-License-Identifier: GPL-2.0
#include "capture/budget/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"

static bool has_perf_event(int pid)
{
	char path[64], link[64];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, link, sizeof(link) - 1);

		if (len < 0)
			continue;
		link[len] = 0;
		found = !strcmp(link, "anon_inode:[perf_event]");
	}
	closedir(fds);
	return found;
}

/* The process that traces @pid, 0 if none does. @comm: name of @pid, COMM_LEN bytes */
static int read_status(int pid, char *comm)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[128];
	int tracer = 0;

	comm[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		sscanf(line, "Name: %15[^\n]", comm);
	return tracer;
}

struct holders {
	char *buf;
	size_t len;
	size_t used;
	size_t count;
	int pids[64];
};

static void add(struct holders *holders, int pid)
{
	char comm[16];

	if (pid == getpid() || holders->count == ARRAY_SIZE(holders->pids))
		return;
	for (size_t i = 0; i < holders->count; i++)
		if (holders->pids[i] == pid)
			return;
	holders->pids[holders->count++] = pid;
	read_status(pid, comm);
	for (char *c = comm; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	if (holders->count <= HOLDERS_NAMED && holders->used < holders->len)
		holders->used +=
			snprintf(holders->buf + holders->used, holders->len - holders->used,
				 "%s%s (pid %d)", holders->used ? ", " : "", comm, pid);
}

size_t debug_register_holders(char *buf, size_t len)
{
	struct holders holders = {.buf = buf, .len = len};
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (len)
		buf[0] = 0;
	while (proc && (entry = readdir(proc))) {
		int pid = atoi(entry->d_name), tracer;
		char comm[16];

		if (pid <= 0)
			continue;
		if (has_perf_event(pid))
			add(&holders, pid);
		tracer = read_status(pid, comm);
		if (tracer)
			add(&holders, tracer);
	}
	if (proc)
		closedir(proc);
	return holders.count;
}
