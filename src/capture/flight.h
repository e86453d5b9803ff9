/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight.h - the flight recorder's files: a directory in bpffs
 *
 *	records		the map, see flight/page_format.h
 *	armed-*		BPF links: what keeps the programs attached and the LBR on without a process
 *
 * Removing the armed-* disarms; removing the directory frees the records, too. The directory is
 * locked (flock) by the process that records into it; what it left armed is not.
 */
#ifndef LBRSNOOP_CAPTURE_FLIGHT_H
#define LBRSNOOP_CAPTURE_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/collector.h"
#include "flight/header.h"
#include "util/errmsg.h"

#define FLIGHT_DIR_DEFAULT "/sys/fs/bpf/lbrsnoop"

/** struct flight_files - a recorder that is being armed; zeroed is fine */
struct flight_files {
	char *dir;
	void *pages;
	size_t bytes;
	uint32_t generation;
	uint32_t pinned; /* links of this generation */
	uint32_t kept;	 /* of the one before, which is complete */
	int lock_fd;	 /* if there is a @dir */
	int map_fd;	 /* if there are @pages; borrowed */
	bool published;	 /* the map has its name */
};

/**
 * flight_files_begin() - make the directory, lock it
 * Return: 0; -EEXIST if a recorder is armed there, or somebody is about to; another negative errno;
 * @msg says it.
 */
int flight_files_begin(struct flight_files *files, const char *dir, struct errmsg *msg);

/** flight_files_map() - map the pages, fill in the header */
int flight_files_map(struct flight_files *files, int map_fd, uint32_t header_pages, uint32_t slots,
		     const struct flight_header *header, struct errmsg *msg);

/**
 * flight_files_publish() - give the map its name, once
 *
 * The records of a recorder before, which is disarmed, go: so not before all is armed, which may
 * fail.
 */
int flight_files_publish(struct flight_files *files, struct errmsg *msg);

/** flight_files_set_header() - replace it; what does not fit is left out from the end: symbols */
int flight_files_set_header(struct flight_files *files, struct flight_header *header);

/** flight_files_pin() - keep a link; flight_files_pinned() drops those that were not pinned again
 */
int flight_files_pin(struct flight_files *files, int link_fd, struct errmsg *msg);
void flight_files_pinned(struct flight_files *files);

/** flight_files_stopped() - has somebody removed the links? */
bool flight_files_stopped(const struct flight_files *files);

/** flight_files_state() - counters of the first page */
void flight_files_state(const struct flight_files *files, uint64_t *ret_written,
			uint64_t *ret_lost);

/** flight_files_disarm() - remove the links; the records stay */
void flight_files_disarm(struct flight_files *files);

/** flight_files_deinit() - disarm, free */
void flight_files_deinit(struct flight_files *files);

/**
 * flight_disarm() - remove the links of a recorder, whoever has armed it, and wait for him to end
 * @discard: the records, too
 * @ret_links: how many there were
 * Return: 0; -ENOENT if there is no recorder; -EBUSY if who armed it does not end; another negative
 * errno; @msg says it.
 */
int flight_disarm(const char *dir, bool discard, size_t *ret_links, struct errmsg *msg);

/**
 * flight_read() - the pages of a recorder, armed or not
 * @dir: its directory, or the file of the map
 * @ret_armed: links that keep it armed
 * Return: 0; negative errno; @msg says it.
 */
int flight_read(const char *dir, struct flight_collector *collector, size_t *ret_armed,
		struct errmsg *msg);

#endif
