// SPDX-License-Identifier: GPL-2.0
#include "util/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int number_parse(const char *text, const char *units, uint64_t *ret)
{
	const char *unit;
	uint64_t number;
	int shift = 0;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || *end || errno || number > UINT64_MAX >> shift)
		return -EINVAL;
	*ret = number << shift;
	return 0;
}
