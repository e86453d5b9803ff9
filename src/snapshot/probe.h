/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe.h - a place to be armed: what target/ found, what capture/ arms
 */
#ifndef LBRSNOOP_SNAPSHOT_PROBE_H
#define LBRSNOOP_SNAPSHOT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/fault_place.h"
#include "snapshot/snapshot.h"

/** enum return_class - what the return register means, from the function's BTF */
enum return_class {
	RETURN_UNKNOWN = 0, /* no BTF: read as 32 bit, which is right for every errno */
	RETURN_NONE,	    /* void, bool, struct: holds no errno */
	RETURN_S32,	    /* int, unsigned int, enum: the upper half of RAX is undefined */
	RETURN_S64,	    /* long, unsigned long, pointer */
};

/* Debug registers of an x86 CPU. */
#define HW_SITES_MAX 4

/** enum site_kind - what a hardware breakpoint stands on */
enum site_kind {
	SITE_PLAIN = 0, /* an address of the user's choice: every hit counts */
	SITE_RETURN,	/* a return of the function: the return value is in RAX */
	SITE_ERRNO,	/* an instruction that loads a negative errno */
};

/**
 * struct probe_event - the perf event of perf:EVENT
 * @type, @config: as in struct perf_event_attr
 * @period: it fires each so many events; may grow while it is armed
 * @branch_types: what the PMU's driver is to read of the LBR, for an event of the PMU
 */
struct probe_event {
	uint32_t type;
	uint64_t config;
	uint64_t period;
	uint64_t branch_types;
};

/**
 * struct parameter - of a function, that snapshots can have an argument for
 * @word: of the words that its arguments take, below ARGUMENTS_MAX
 * @bytes: 1, 2, 4 or 8
 */
struct parameter {
	char name[ARGUMENT_NAME_MAX];
	enum argument_kind kind;
	uint8_t word;
	uint8_t bytes;
};

/**
 * struct probe - one place to arm
 * @trigger: what snapshots of it refer to; trigger.kind says how it is armed
 * @ret: meaning of the return register
 * @btf_id: of the function, in the BTF of @btf_fd; 0 if it has none: no fentry or fexit
 * @btf_fd: BTF object of the function's module, or a BPF program; 0 for vmlinux; borrowed from the
 *          resolver
 * @parameters: of the function, @parameter_count of them; NULL: none, or not known
 * @offset: bytes into the function (kprobe:FN+OFF, uprobe:PATH:SYM+OFF)
 * @file_offset: of a user function: the probed instruction in its file
 * @sites: addresses of the hardware breakpoints, if the kind is TRIGGER_HW
 * @site_count: of @sites
 * @site_kind: what they stand on
 * @site_err: SITE_ERRNO: the errno that each loads, positive
 * @site_certain: SITE_ERRNO: behind it the function returns that error whatever happens; if all
 *                sites are, no program is needed on the function's exit
 * @returns: SITE_ERRNO: the function's returns, where the breakpoints go if its exit cannot be
 * watched
 * @return_count: of @returns; 0: there is no such way out
 * @module_text: where its module was when it was found, if it gets hardware breakpoints; else 0
 * @group: 0: armed all the time; else breakpoints of one group take turns with those of others
 * @hw_reason: why no hardware breakpoint was chosen where one would lose no entry, or why it stands
 *             on returns and not where the errno is loaded; "" otherwise
 * @category: of a tracepoint, else NULL
 * @event: of perf:EVENT, else all zero
 * @place: of a fault of the kernel; its snapshots are those of the late places
 * @gives_way: a hardware breakpoint which, without a debug register, is a fentry or kprobe
 * @fallback: if arming as trigger.kind fails, try the next worse kind: the user asked for none
 * @namesakes: other functions have this name, too; the first in address order is armed
 * @optional: one of many that a glob matched: failing to arm it is a warning
 */
struct probe {
	struct trigger trigger;
	enum return_class ret;
	uint32_t btf_id;
	int btf_fd;
	struct parameter *parameters;
	uint32_t parameter_count;
	uint64_t offset;
	uint64_t file_offset;
	uint64_t sites[HW_SITES_MAX];
	uint32_t site_count;
	enum site_kind site_kind;
	uint16_t site_err[HW_SITES_MAX];
	bool site_certain[HW_SITES_MAX];
	uint64_t returns[HW_SITES_MAX];
	uint32_t return_count;
	uint64_t module_text;
	uint32_t group;
	char hw_reason[256];
	char *category;
	struct probe_event event;
	enum fault_place place;
	bool gives_way;
	bool fallback;
	bool namesakes;
	bool optional;
};

/** struct probe_list - growing array; pointers into it are stable only when it is complete */
struct probe_list {
	struct probe *items;
	size_t count;
	size_t room;
};

/**
 * probe_arguments() - name the words that a function was called with
 * @words: ARGUMENTS_MAX of them, @count are valid
 * @ret_snap: its arguments are set; they borrow the probe's names
 */
void probe_arguments(const struct probe *probe, const uint64_t *words, uint64_t count,
		     struct snapshot *ret_snap);

/** probe_has_retval() - is the value in records of that kind a return value? */
bool probe_has_retval(const struct probe *probe, enum trigger_kind kind);

/**
 * probe_needs_exit() - does a breakpoint of it stand where an errno is loaded that the function may
 * not return? Then a program on the function's exit (fexit) tells.
 */
bool probe_needs_exit(const struct probe *probe);

/**
 * probe_stand_on_returns() - breakpoints where the errno is loaded move to the returns, which need
 * no program on the function's exit
 * Return: false if that is no way out; then nothing is changed.
 */
bool probe_stand_on_returns(struct probe *probe);

/**
 * probe_list_add() - append an empty probe
 * Return: the new element, zeroed, owned by the list; NULL if memory ran out.
 */
struct probe *probe_list_add(struct probe_list *list);

/**
 * probe_list_copy() - append a copy of an element
 * Return: the copy; NULL if memory ran out.
 */
struct probe *probe_list_copy(struct probe_list *list, size_t index);

/** probe_list_drop() - free the elements that @drop, one for each, says */
void probe_list_drop(struct probe_list *list, const bool *drop);

/**
 * probe_list_drop_twins() - keep one of those that mean the same place, by the same trigger
 *
 * Targets overlap, and BTF may describe several functions of a name. Each twin would take a
 * snapshot of every event, and the second one of the first one's work.
 * Return: 0; -ENOMEM, and the list is as it was.
 */
int probe_list_drop_twins(struct probe_list *list);

/** probe_list_deinit() - free the elements and what they own */
void probe_list_deinit(struct probe_list *list);

#endif
