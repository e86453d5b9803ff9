# shellcheck shell=bash
# cache.sh - where setup keeps what it gets and builds, and how run knows it whole
#
# Sourced. The cache lies outside the work tree:
#     apt/                 a private apt: its lists never touch the system's
#     qemu-source/         the source package as downloaded
#     qemu-tree/VERSION/   source and build tree, kept so that a rebuild takes seconds
#     qemu/VERSION-PATCH/  the emulator; by-patch/PATCH names the newest VERSION of it
#     kernel/VERSION/      an image package, unpacked; kernel/6.1 names the newest,
#                          kernel/gone an optional one of which the archive had none
#     direct/VERSION/      vmlinux, unpacked from vmlinuz
#     debug/VERSION/       vmlinux with DWARF, and modules' debug data if asked for; debug/gone
#                          names a kernel of which the archive had none
#     tools/SOURCES/       supervise and guest-init
#     initrd/VERSION-SOURCES/
#     lint/CHECK/          empty files, of what has passed a check (tests/lint/once)
# A directory appears by one rename when it is complete, with .sha256 (checked by
# setup) and .sizes (checked by run, which has no time for more).

vm_dir=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cache=${LBRSNOOP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lbrsnoop}
progname=tests/vm/${0##*/}

say() {
	printf '%s: %s\n' "$progname" "$*" >&2
}

die() {
	say "$@"
	exit 1
}

# One setup at a time on a part of the cache: apt, kernel or qemu. The lock goes with
# the process that holds it.
cache_lock() {
	mkdir -p "$cache" || die "cannot create the cache $cache"
	exec {cache_lock_fd}>"$cache/$1.lock"
	if ! flock --nonblock "$cache_lock_fd"; then
		say "waiting for another setup to finish with $cache/$1"
		flock "$cache_lock_fd"
	fi
}

cache_unlock() {
	exec {cache_lock_fd}>&-
}

# cache_begin NAME: a fresh directory to build NAME in, on stdout. What an
# interrupted setup left behind goes first: with the lock held, nobody uses it.
cache_begin() {
	rm -rf "$cache/$1".partial.*
	mkdir -p "$(dirname "$cache/$1")"
	mktemp -d "$cache/$1.partial.XXXXXX" || die "cannot write to the cache $cache"
}

# cache_end DIRECTORY NAME FILE...: publish it; FILEs are those that run checks.
cache_end() {
	local directory=$1 name=$2
	shift 2
	(
		cd "$directory" || exit
		find . -type f ! -name .sha256 -print0 | sort -z | xargs -0 sha256sum >.sha256
		stat -c '%s %n' -- "$@" >.sizes
		chmod 755 .
	) || die "cannot complete $directory"
	rm -rf "${cache:?}/$name"
	mv -T "$directory" "$cache/$name" || die "cannot create $cache/$name"
}

# Is DIRECTORY there and what run needs of it as long as it was?
cache_sizes_ok() {
	(
		cd "$1" 2>/dev/null && [ -s .sizes ] &&
			cut -d' ' -f2- .sizes | tr '\n' '\0' | xargs -0 stat -c '%s %n' 2>/dev/null |
			cmp -s - .sizes
	)
}

# Is NAME there, every byte as it was built?
cache_whole() {
	[ -f "$cache/$1/.sizes" ] || return
	if ! (cd "$cache/$1" && sha256sum --quiet --check .sha256 >/dev/null 2>&1); then
		say "$cache/$1 is damaged, made anew"
		return 1
	fi
}

# cache_link NAME TARGET: NAME points to TARGET, replaced in one step.
cache_link() {
	ln -sfn "$2" "$cache/$1.new" && mv -fT "$cache/$1.new" "$cache/$1"
}

# The key of a set of files: their contents and names, in this order.
files_key() {
	(cd "$1" && shift && sha256sum -- "$@") | sha256sum | cut -c1-16
}

tools_key() {
	files_key "$vm_dir/machine" wire.h guest-init.c supervise.c initrd.sh
}

# Our patch: every file of tests/vm/qemu that gets into the emulator, and how it is built.
patch_key() {
	local files=()
	mapfile -t files < <(cd "$vm_dir/qemu" 2>/dev/null &&
		find . -maxdepth 1 \( -name '*.[ch]' -o -name '*.inc' -o -name hook.patch \) | LC_ALL=C sort)
	if [ "${#files[@]}" -gt 0 ]; then
		files_key "$vm_dir/qemu" "${files[@]}" ../build-qemu.sh ../guest/profile
	else
		echo unpatched
	fi
}
