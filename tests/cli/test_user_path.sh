#!/bin/bash
# test_user_path - PATH of uprobe:PATH:SYMBOL is that of the process of -p: its root, its links
#
# No symbol is ever found, so that nothing is armed: the message tells which file was looked at.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

if ! may_trace || ! may_mount; then
	skip "files of a container" "$why_not"
	finish
fi

# A container as its image has it: links are absolute, and mean its own files.
root=$scratch/root
mkdir -p "$root/bin" "$root/lib" "$root/etc/alternatives" "$root/usr/bin"
printf '#include <unistd.h>\nint main(void) { for (;;) pause(); }\n' >"$scratch/box.c"
gcc -static -o "$root/bin/box" "$scratch/box.c" || exit 2
cp "$root/bin/box" "$root/lib/libinside.so.1"
ln -s /bin/box "$root/bin/applet"
ln -s /etc/alternatives/tool "$root/usr/bin/tool"
ln -s /lib/libinside.so.1 "$root/etc/alternatives/tool"
# There, something else stands where ours is.
cp "$root/bin/box" "$root/usr/bin/env"
ln -s /usr/bin/env "$root/bin/same-name"
ln -s /usr/bin/none "$root/bin/dangling"

# inside NAME ROOT: the same questions, of the process $pid
inside() {
	local of="$1: " where="in $2"
	expect "${of}a file" 2 "no function 'x' $where/bin/box" ./lbrsnoop --no-lbr -p "$pid" uprobe:/bin/box:x
	expect "${of}an absolute link" 2 "no function 'x' $where/bin/box" ./lbrsnoop --no-lbr -p "$pid" uprobe:/bin/applet:x
	expect "${of}a link to a link" 2 "no function 'x' $where/lib/libinside" \
		./lbrsnoop --no-lbr -p "$pid" uprobe:/usr/bin/tool:x
	expect "${of}a link to what we have, too" 2 "no function 'x' $where/usr/bin/env" \
		./lbrsnoop --no-lbr -p "$pid" uprobe:/bin/same-name:x
	expect "${of}a command" 2 "no function 'x' $where/bin/box" \
		env PATH=/bin "$PWD/lbrsnoop" --no-lbr -p "$pid" uprobe:applet:x
	expect "${of}a library" 2 "no function 'x' $where/lib/libinside" ./lbrsnoop --no-lbr -p "$pid" uprobe:libinside.so.1:x
	expect "${of}a link that leads nowhere there" 2 "there is no file '/bin/dangling'" \
		./lbrsnoop --no-lbr -p "$pid" uprobe:/bin/dangling:x
	expect "${of}no way out of it" 2 "there is no file '/../../../../../../..$PWD/lbrsnoop'" \
		./lbrsnoop --no-lbr -p "$pid" "uprobe:/../../../../../../..$PWD/lbrsnoop:x"
}

# begun: until the process runs what it is to run
begun() {
	local i
	for ((i = 0; i < 1200; i++)); do
		[ "$(readlink "/proc/$pid/exe")" = "$1" ] && return
		sleep 0.05
	done
	echo "test_user_path: process $pid does not begin" >&2
	exit 2
}

chroot "$root" /bin/box &
pid=$!
begun "$root/bin/box"
inside chroot "$root"
kill "$pid"
wait "$pid" 2>/dev/null

unshare -m sh -c 'mount --bind "$1" "$1" && cd "$1" && mkdir -p old && pivot_root . old && exec /bin/box' sh "$root" &
pid=$!
begun /bin/box
inside "a mount namespace" "/proc/$pid/root"
kill "$pid"
wait "$pid" 2>/dev/null
finish
