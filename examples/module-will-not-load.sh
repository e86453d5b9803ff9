#!/bin/bash
# module-will-not-load - insmod says "Invalid module format": which check refused it?
#
#     sudo examples/module-will-not-load.sh                        on a machine with LBR
#     tests/vm/run --direct -- examples/module-will-not-load.sh    in the virtual one
#
# The file is no ELF file. insmod's message is the same for every kind of wrong file, and for a
# module of another kernel; the kernel says no more in its log.
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
head -c 4096 /dev/zero >"$directory/broken.ko"

"$lbrsnoop" -n 1 -t 60 -e ENOEXEC "$@" load_module -- insmod "$directory/broken.ko"
