// SPDX-License-Identifier: GPL-2.0
/* fexit, fentry: templates that the loader copies for each function (src/capture/clone.c) */
#include "snapshot.bpf.h"

/* Of the call, as it began: the trampoline has kept them. Behind the snapshot: they cost no entry.
 */
static __always_inline void take_arguments(void *ctx, struct record_arguments *to)
{
	to->count = bpf_get_func_arg_cnt(ctx);
#pragma clang loop unroll(full)
	for (__u32 i = 0; i < RECORD_ARGUMENTS; i++) {
		__u64 word = 0;

		/* An error where there are fewer. Both are inlined by the verifier. */
		if (bpf_get_func_arg(ctx, i, &word))
			word = 0;
		to->words[i] = word;
	}
}

static __always_inline int on_return(void *ctx, __s64 ret)
{
	struct capture_slot *slot;

	if (!wanted_error(ret) || other_process())
		return 0;
	slot = snapshot_take_gated();
	if (unlikely(!slot))
		return 0;
	if (arguments)
		take_arguments(ctx, &slot->arguments);
	finish(slot, TRIGGER_FEXIT, cloned_target(), bpf_get_func_ip(ctx), ret);
	return 0;
}

/* The upper half of RAX is undefined where a function returns int. */
SEC("?fexit/bpf_fentry_test1")
int fexit_s32(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret); /* inlined by the verifier: no call (kernel/bpf/verifier.c) */
	return on_return(ctx, (__s32)ret);
}

SEC("?fexit/bpf_fentry_test1")
int fexit_s64(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return on_return(ctx, ret);
}

SEC("?fentry/bpf_fentry_test1")
int fentry(void *ctx)
{
	struct capture_slot *slot = snapshot_take_gated();

	if (unlikely(!slot))
		return 0;
	finish(slot, TRIGGER_FENTRY, cloned_target(), bpf_get_func_ip(ctx), 0);
	return 0;
}
