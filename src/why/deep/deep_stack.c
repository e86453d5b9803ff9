// SPDX-License-Identifier: GPL-2.0
#include "why/deep/deep_stack.h"

#include "util/cleanup.h"
#include "util/vector.h"

/* Bytes of "call rel32"; of "call *%reg", which may replace a retpoline; of "call *disp(%reg)". */
static const uint8_t call_bytes[] = {5, 2, 3, 6, 7, 4};

uint64_t deep_call_of(const struct text_source *text, uint64_t returns_to)
{
	for (size_t i = 0; i < ARRAY_SIZE(call_bytes); i++) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;

		if (!insn_fetch(text, returns_to - call_bytes[i], bytes, &insn) &&
		    insn.len == call_bytes[i] &&
		    (insn.class == INSN_CALL || insn.class == INSN_ICALL))
			return insn.addr;
	}
	return 0;
}

/* struct calls - return addresses of calls on the path that have not returned */
struct calls {
	uint64_t *items;
	size_t count;
};

/* Thunks call and return for other purposes: drop what they pushed. */
static bool ends_call(struct calls *calls, uint64_t to)
{
	for (size_t i = calls->count; i-- > 0;)
		if (calls->items[i] == to) {
			calls->count = i;
			return true;
		}
	return false;
}

int deep_find_returns(const struct text_source *text, const struct deep_path *path, uint64_t **ret,
		      size_t *ret_count)
{
	_cleanup_free_ uint64_t *items = NULL;
	struct calls calls = {};
	int err = 0;

	*ret = NULL;
	*ret_count = 0;
	for (size_t i = 0; !err && i < path->count; i++) {
		uint8_t bytes[INSN_LEN_MAX];
		struct insn insn;

		if (insn_fetch(text, path->branches[i].from, bytes, &insn))
			continue;
		if (insn.class == INSN_CALL || insn.class == INSN_ICALL) {
			err = vector_grow(&items, calls.count, sizeof(*items));
			calls.items = items;
			if (!err)
				items[calls.count++] = insn.addr + insn.len;
		} else if (insn.class == INSN_RET && !ends_call(&calls, path->branches[i].to)) {
			err = vector_grow(ret, *ret_count, sizeof(**ret));
			if (!err)
				(*ret)[(*ret_count)++] = path->branches[i].to;
		}
	}
	return err;
}
