// SPDX-License-Identifier: GPL-2.0
#include "target/traced.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "symbolize/text/patched.h"
#include "target/target.h"
#include "util/address.h"
#include "util/cleanup.h"
#include "util/vector.h"

int traced_read(FILE *file, struct traced *ret)
{
	_cleanup_free_ char *line = NULL;
	size_t line_room = 0;

	*ret = (struct traced){};
	while (getline(&line, &line_room, file) > 0) {
		uint64_t addr;

		if (sscanf(line, "%" SCNx64 " %*s", &addr) != 1)
			continue;
		if (vector_grow(&ret->addrs, ret->count, sizeof(addr))) {
			traced_deinit(ret);
			return -ENOMEM;
		}
		ret->addrs[ret->count++] = addr;
	}
	if (ret->count)
		qsort(ret->addrs, ret->count, sizeof(*ret->addrs), address_compare);
	return 0;
}

int traced_open(struct traced *ret)
{
	_cleanup_fclose_ FILE *file = NULL;
	const char *tracefs = tracefs_dir();
	char path[128];

	*ret = (struct traced){};
	if (!tracefs)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/available_filter_functions_addrs", tracefs);
	file = fopen(path, "re");
	return file ? traced_read(file, ret) : -errno;
}

bool traced_has(const struct traced *traced, uint64_t addr)
{
	for (uint64_t at = addr; at <= addr + ENDBR_BYTES; at += ENDBR_BYTES)
		if (traced->count && bsearch(&at, traced->addrs, traced->count,
					     sizeof(*traced->addrs), address_compare))
			return true;
	return false;
}

void traced_deinit(struct traced *traced)
{
	free(traced->addrs);
	*traced = (struct traced){};
}
