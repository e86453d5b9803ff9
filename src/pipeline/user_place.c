// SPDX-License-Identifier: GPL-2.0
#include "pipeline/user_place.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/trigger_instances.h"
#include "util/address.h"

struct user {
	struct userspace *space;
	struct symbols *symbols;
	struct text_source kernel;
	struct trigger_instances placed;
};

int user_create(const struct probe_list *probes, struct symbols *symbols, const char *debug_dir,
		struct user **ret_user)
{
	struct user *user = calloc(1, sizeof(*user));

	if (!user)
		return -ENOMEM;
	if (userspace_create("/proc", debug_dir, &user->space)) {
		free(user);
		return -ENOMEM;
	}
	for (size_t i = 0; i < probes->count; i++)
		if (probes->items[i].trigger.path)
			userspace_keep(user->space, probes->items[i].trigger.path);
	user->symbols = symbols;
	symbols_set_user(symbols, user->space);
	*ret_user = user;
	return 0;
}

void user_destroy(struct user *user)
{
	if (!user)
		return;
	trigger_instances_deinit(&user->placed);
	userspace_destroy(user->space);
	free(user);
}

struct userspace *user_space(struct user *user)
{
	return user->space;
}

static int read_text(void *ctx, uint64_t addr, void *buf, size_t len)
{
	struct user *user = ctx;
	struct text_source text =
		address_is_kernel(addr) ? user->kernel : userspace_text(user->space);

	return text.read ? text.read(text.ctx, addr, buf, len) : -EFAULT;
}

struct text_source user_text(struct user *user, const struct text_source *kernel)
{
	user->kernel = *kernel;
	return (struct text_source){.read = read_text, .ctx = user};
}

/* Branches of the kernel's return to the program have one end in each. */
static enum tri is_mixed(const struct userspace *space, const struct snapshot *snap)
{
	for (uint32_t i = 0; i < snap->count; i++) {
		const struct branch *br = &snap->branches[i];

		if (!address_is_kernel(br->from) && !userspace_is_mapped(space, br->from))
			return TRI_SET;
		/* Where a program jumped to nowhere, that is its fault. */
		if (snap->signal && i + 1 == snap->count && br->to == snap->ip)
			continue;
		if (!address_is_kernel(br->to) && !userspace_is_mapped(space, br->to))
			return TRI_SET;
	}
	return TRI_CLEAR;
}

/* Now the process is still there. */
static void open_files(struct user *user, const struct snapshot *snap)
{
	userspace_open_file(user->space, snap->ip);
	for (uint32_t i = 0; i < snap->count; i++) {
		userspace_open_file(user->space, snap->branches[i].from);
		userspace_open_file(user->space, snap->branches[i].to);
	}
}

void user_place(struct user *user, struct snapshot *snap)
{
	const struct trigger *placed;
	uint64_t bias;

	if (!user)
		return;
	if (!trigger_is_user(snap->trigger)) {
		userspace_select(user->space, 0);
		return;
	}
	if (!userspace_select(user->space, snap->pid))
		return;
	snap->mixed = is_mixed(user->space, snap);
	open_files(user, snap);
	if (snap->trigger->kind == TRIGGER_SIGNAL) {
		trigger_instance_at_symbol(&user->placed, user->symbols, snap);
		return;
	}
	if (snap->trigger->kind == TRIGGER_PERF) {
		if (!address_is_kernel(snap->ip))
			trigger_instance_at_symbol(&user->placed, user->symbols, snap);
		return;
	}
	if (userspace_bias(user->space, snap->trigger->path, &bias))
		return;
	placed = trigger_instance_at(&user->placed, snap->trigger, snap->trigger->file_addr + bias);
	if (placed)
		snap->trigger = placed;
	if (!snap->ip)
		snap->ip = snap->trigger->func_addr;
}
