#!/bin/bash
# why-does-open-fail - a program opens a file that is there, and gets ELOOP: which branch said so?
#
#     sudo examples/why-does-open-fail.sh                        on a machine with LBR
#     tests/vm/run --direct -- examples/why-does-open-fail.sh    in the virtual one
#
# The file is a symbolic link, and the program opens it with O_NOFOLLOW. lbrsnoop do_sys_openat2
# tells that it fails, and by way of path_openat; may_open, which that calls, decides it.
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
echo hello >"$directory/file"
ln -s file "$directory/link"

# dd's iflag=nofollow is O_NOFOLLOW
"$lbrsnoop" -n 1 -t 60 "$@" may_open -- \
	dd if="$directory/link" iflag=nofollow of=/dev/null status=none
