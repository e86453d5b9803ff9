#!/bin/bash
# mount-refused - mount says "wrong fs type, bad option, bad superblock ...": which of them?
#
#     sudo examples/mount-refused.sh                        on a machine with LBR
#     tests/vm/run --direct -- examples/mount-refused.sh    in the virtual one
#
# The size of the tmpfs is no number.
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
directory=$(mktemp -d)
trap 'rmdir "$directory"' EXIT

"$lbrsnoop" -n 1 -t 60 -e EINVAL "$@" shmem_parse_one -- \
	mount -t tmpfs -o size=many none "$directory"
