// SPDX-License-Identifier: GPL-2.0
#include "util/vector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MIN 8u

int vector_grow(void *array, size_t count, size_t size)
{
	size_t room = count ? count * 2 : COUNT_MIN;
	void *items, *bigger;

	/* There is room up to the next power of two. */
	if (count && (count < COUNT_MIN || count & (count - 1)))
		return 0;
	if (room <= count || room > (size_t)-1 / size)
		return -ENOMEM;
	memcpy(&items, array, sizeof(items));
	bigger = realloc(items, room * size);
	if (!bigger)
		return -ENOMEM;
	memcpy(array, &bigger, sizeof(bigger));
	return 0;
}
