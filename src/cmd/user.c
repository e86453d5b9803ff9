// SPDX-License-Identifier: GPL-2.0
#include "cmd/user.h"

#include <errno.h>
#include <stdlib.h>

#include "util/cleanup.h"

#define KERNEL_HALF (1ull << 63)
/* Places of functions in processes; further ones have no entry of the function. */
#define PLACED_MAX 16384u

/** struct placed - a trigger in one process, or in those that have its file at the same address */
struct placed {
	const struct trigger *original;
	struct trigger trigger;
};

struct user {
	struct userspace *space;
	struct symbols *symbols;
	struct text_source kernel;
	/* Each is on its own: snapshots and capture files know them by their address. */
	struct placed **placed;
	size_t placed_count;
	size_t placed_room;
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
	for (size_t i = 0; i < user->placed_count; i++)
		free(user->placed[i]);
	free(user->placed);
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
	struct text_source text = addr & KERNEL_HALF ? user->kernel : userspace_text(user->space);

	return text.read ? text.read(text.ctx, addr, buf, len) : -EFAULT;
}

struct text_source user_text(struct user *user, const struct text_source *kernel)
{
	user->kernel = *kernel;
	return (struct text_source){.read = read_text, .ctx = user};
}

/* The trigger with its function at @addr; NULL if there is no room for another one. */
static struct trigger *place_at(struct user *user, const struct trigger *original, uint64_t addr)
{
	struct placed *placed;

	for (size_t i = user->placed_count; i-- > 0;)
		if (user->placed[i]->original == original &&
		    user->placed[i]->trigger.func_addr == addr)
			return &user->placed[i]->trigger;
	if (user->placed_count >= PLACED_MAX)
		return NULL;
	if (user->placed_count == user->placed_room) {
		size_t room = user->placed_room ? user->placed_room * 2 : 16;
		struct placed **more = reallocarray(user->placed, room, sizeof(struct placed *));

		if (!more)
			return NULL;
		user->placed = more;
		user->placed_room = room;
	}
	placed = calloc(1, sizeof(*placed));
	if (!placed)
		return NULL;
	*placed = (struct placed){.original = original, .trigger = *original};
	placed->trigger.func_addr = addr;
	user->placed[user->placed_count++] = placed;
	return &placed->trigger;
}

/* The function at fault; the trigger is everywhere. */
static void place_signal(struct user *user, struct snapshot *snap)
{
	struct trigger *placed;
	struct symbol sym;

	if (symbols_find(user->symbols, snap->ip, &sym))
		return;
	placed = place_at(user, snap->trigger, sym.addr);
	if (!placed)
		return;
	/* Names outlive the trigger, and are not its own. */
	placed->function = (char *)sym.name;
	placed->module = (char *)sym.module;
	placed->func_size = sym.size;
	snap->trigger = placed;
}

/* Branches of the kernel's return to the program have one end in each. */
static enum tri is_mixed(const struct userspace *space, const struct snapshot *snap)
{
	for (uint32_t i = 0; i < snap->count; i++) {
		const struct branch *br = &snap->branches[i];

		if (!(br->from & KERNEL_HALF) && !userspace_is_mapped(space, br->from))
			return TRI_SET;
		/* Where a program jumped to nowhere, that is its fault. */
		if (snap->signal && i + 1 == snap->count && br->to == snap->ip)
			continue;
		if (!(br->to & KERNEL_HALF) && !userspace_is_mapped(space, br->to))
			return TRI_SET;
	}
	return TRI_CLEAR;
}

void user_place(struct user *user, struct snapshot *snap)
{
	const struct trigger *placed;
	struct symbol sym;
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
	/* Files are opened as they are asked for, and now the process is there yet. */
	for (uint32_t i = 0; i < snap->count; i++) {
		symbols_find(user->symbols, snap->branches[i].from, &sym);
		symbols_find(user->symbols, snap->branches[i].to, &sym);
	}
	if (snap->trigger->kind == TRIGGER_SIGNAL) {
		place_signal(user, snap);
		return;
	}
	if (userspace_bias(user->space, snap->trigger->path, &bias))
		return;
	placed = place_at(user, snap->trigger, snap->trigger->file_addr + bias);
	if (placed)
		snap->trigger = placed;
	if (!snap->ip)
		snap->ip = snap->trigger->func_addr;
}
