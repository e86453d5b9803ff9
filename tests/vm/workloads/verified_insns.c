// SPDX-License-Identifier: GPL-2.0
/*
 * verified_insns - how many instructions did the verifier look at, for the programs loaded now?
 *
 *     verified_insns PREFIX
 *
 * Prints the sum over all programs whose names begin with PREFIX: what their start costs the user.
 */
#include <bpf/bpf.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	__u32 id = 0;

	if (argc != 2) {
		fputs("usage: verified_insns PREFIX\n", stderr);
		return 2;
	}
	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue; /* unloaded meanwhile */
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
		    !strncmp(info.name, argv[1], strlen(argv[1])))
			sum += info.verified_insns;
		close(fd);
	}
	printf("%" PRIu64 "\n", sum);
	return 0;
}
