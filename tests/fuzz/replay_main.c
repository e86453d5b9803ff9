// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a fuzz target once over each file named, or each file of a folder named: so that any
 * compiler can replay a corpus without libFuzzer.
 *
 *	gcc ... tests/fuzz/fuzz_decode.c tests/fuzz/replay_main.c ... && ./a.out
 *tests/fuzz/corpus/decode
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../whole_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	size_t size;
	uint8_t *data = whole_file(path, &size);

	if (!data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int replay(const char *path, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		++*count;
		return replay_file(path);
	}
	while ((entry = readdir(dir))) {
		char name[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name))
			err = 1;
		else
			err |= replay_file(name);
		++*count;
	}
	closedir(dir);
	return err;
}

int main(int argc, char **argv)
{
	size_t count = 0;
	int err = 0;

	for (int i = 1; i < argc; i++)
		err |= replay(argv[i], &count);
	if (!count) {
		fprintf(stderr, "%s: nothing to replay\n", argv[0]);
		return 1;
	}
	printf("%zu inputs replayed\n", count);
	return err;
}
