/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal_files.h - the journal files of a directory, few of which are open at a time
 *
 * libsystemd maps windows of all files of a directory and asks each of them for each entry: of a
 * thousand hosts that is most of the memory and most of the time. What it needs several files for
 * is an entry that is in two of them. It knows such entries by the number they have within one
 * sequence, and the header of each file says which sequence and which numbers it holds.
 *
 * Source: https://systemd.io/JOURNAL_FILE_FORMAT/, "Header"; sd_journal_open_directory(3) for what
 * is looked at in a directory.
 */
#ifndef LBRSNOOP_EXPORT_JOURNAL_FILES_H
#define LBRSNOOP_EXPORT_JOURNAL_FILES_H

#include <stddef.h>
#include <stdint.h>

#define JOURNAL_ID_BYTES 16
/* Up to n_entries, tail_entry_seqnum and head_entry_seqnum: all versions of the format have them.
 */
#define JOURNAL_HEADER_BYTES 176

/**
 * struct journal_file - what the header says
 * @id: of this file: it stays when the file is renamed
 * @sequence: of which the numbers of its entries are
 * @first, @last: of those numbers; both 0: no entries
 */
struct journal_file {
	char *path;
	uint8_t id[JOURNAL_ID_BYTES];
	uint8_t sequence[JOURNAL_ID_BYTES];
	uint64_t first;
	uint64_t last;
};

/**
 * struct journal_files - ordered by sequence and first number; {0} is none
 * @unreadable: files that are no journal, or that cannot be opened
 * @example: one of them, or NULL; @example_err: negative errno of it
 */
struct journal_files {
	struct journal_file *items;
	size_t count;
	size_t unreadable;
	char *example;
	int example_err;
};

/**
 * journal_header_parse() - take a header
 * @data: JOURNAL_HEADER_BYTES bytes
 * @ret: all but @path is set on success
 * Return: 0; -EBADMSG: it is none.
 */
int journal_header_parse(const void *data, struct journal_file *ret);

/**
 * journal_files_list() - those in a directory, and in its folders that have a machine's ID as name
 * @dir: NULL: the two directories of this machine's journald, as far as they are there
 * @ret: set on success; free with journal_files_deinit()
 * Return: 0; negative errno: there is no such directory, or no memory.
 */
int journal_files_list(const char *dir, struct journal_files *ret);

/** journal_files_unreadable() - count one; @path is copied if it is the first */
void journal_files_unreadable(struct journal_files *files, const char *path, int err);

/**
 * journal_files_group() - how many files from @first on may hold the same entries?
 * Return: 1 at least; 0 behind the last.
 */
size_t journal_files_group(const struct journal_files *files, size_t first);

/**
 * journal_files_open() - open one
 * journald and systemd-journal-remote rename a file that is full, and another one takes its name:
 * it is looked for by its ID.
 * @dir: as it was listed; @file: its @path is replaced if it has another one
 * Return: a descriptor; -ENOENT: it was removed; other negative errno.
 */
int journal_files_open(const char *dir, struct journal_file *file);

/** journal_files_deinit() - free */
void journal_files_deinit(struct journal_files *files);

#endif
