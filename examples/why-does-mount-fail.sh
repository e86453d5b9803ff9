#!/bin/bash
# why-does-mount-fail - mount says "bad option": which one, and which line of the kernel says so?
#
#     sudo examples/why-does-mount-fail.sh                        on nearly any machine: no LBR needed
#     tests/vm/run --direct -- examples/why-does-mount-fail.sh    in the virtual one
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
"$lbrsnoop" why "$@" -- mount -t proc -o hidepid=9 none /mnt
