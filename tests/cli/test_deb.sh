#!/bin/bash
# test_deb - the Debian package: what debian/ says agrees with the tree; it installs, upgrades, goes
#
# FULL=1: as root, with what "tests/deps deb" installs: the package is built by an ordinary user in a
# clean copy of the tree, passes lintian, and is installed, upgraded and purged in a fresh chroot of
# this Debian release. DEB_DIR=DIR takes the packages there instead of building them.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/packages.sh
. tests/packages.sh
# shellcheck source=tests/vm/machine/apt.sh
. tests/vm/machine/apt.sh
scratch_make
user=65534

# What build-essential has is not to be named: Debian Policy 4.2.
sed -n '/^Build-Depends:/,/^[^ ]*:/s/^ \([a-z0-9-]*\).*/\1/p' debian/control | grep -v '^debhelper' | sort \
	>"$scratch/depends"
printf '%s\n' "${packages_build[@]}" | grep -v -x -E 'gcc|libc6-dev|make' | sort >"$scratch/build"
if diff "$scratch/build" "$scratch/depends" >"$scratch/diff"; then
	ok "Build-Depends are packages_build of tests/packages.sh"
else
	not_ok "Build-Depends are packages_build of tests/packages.sh" "$scratch/diff"
fi
version=$(sed -n '1s/^lbrsnoop (\([^)]*\)) .*/\1/p' debian/changelog)
expect_out "--version is that of debian/changelog" 0 "^lbrsnoop ${version//./[.]}\$" ./lbrsnoop --version
found=$(git grep -l -F "lbrsnoop $version" -- src man Makefile 2>/dev/null)
if [ -n "$version" ] && [ -z "$found" ]; then
	ok "no other file says the version"
else
	not_ok "no other file says the version"
	comment "version '$version', said by" "$found"
fi

name="the package in a chroot"
if [ -z "${FULL:-}" ]; then
	skip "$name" "FULL=1 builds, installs and purges it"
	finish
elif [ "$(id -u)" != 0 ] || ! may_mount; then
	skip "$name" "it needs root, and a mount namespace"
	finish
elif missing=$(packages_missing "${packages_deb[@]}") && [ -n "$missing" ]; then
	skip "$name" "tests/deps deb installs what is missing: $missing"
	finish
fi

# A copy of what git knows, of another user than the one who builds it: as a clone is. Of the work
# tree, so that what is not committed yet is tried.
build() {
	mkdir "$scratch/clone" "$scratch/home"
	git ls-files -z | tar -c --null --files-from=- | tar -x -C "$scratch/clone"
	chown -R "$user" "$scratch/clone" "$scratch/home"
	# shellcheck disable=SC2016 # expanded there
	setpriv --reuid="$user" --regid="$user" --clear-groups env -u MAKEFLAGS -u MAKELEVEL HOME="$scratch/home" TMPDIR="$scratch/home" \
		DEB_BUILD_OPTIONS="parallel=$(nproc)" bash -c 'cd "$1/clone" && make deb' - "$scratch" \
		>"$scratch/make" 2>&1
}

packages=${DEB_DIR:-$scratch/clone/build/deb}
if [ -z "${DEB_DIR:-}" ] && ! build; then
	tail -n 40 "$scratch/make" >"$scratch/end"
	not_ok "make deb, by an ordinary user" "$scratch/end"
	finish
fi
deb=$packages/lbrsnoop_${version}_amd64.deb
dbgsym=$packages/lbrsnoop-dbgsym_${version}_amd64.deb
if [ -f "$deb" ] && [ -f "$dbgsym" ]; then
	ok "make deb, by an ordinary user"
else
	not_ok "make deb, by an ordinary user"
	comment "no $deb or no $dbgsym"
	finish
fi
expect_out "lintian has no error and no warning" 0 '' \
	setpriv --reuid="$user" --regid="$user" --clear-groups lintian --fail-on error,warning \
	"$packages/lbrsnoop_${version}_amd64.changes"

dpkg-deb -x "$deb" "$scratch/deb" && dpkg-deb -x "$dbgsym" "$scratch/dbgsym"
build_id=$(readelf -n "$scratch/deb/usr/sbin/lbrsnoop" | sed -n 's/.*Build ID: //p')
if [ -f "$scratch/dbgsym/usr/lib/debug/.build-id/${build_id::2}/${build_id:2}.debug" ]; then
	ok "lbrsnoop-dbgsym is of this build"
else
	not_ok "lbrsnoop-dbgsym is of this build"
fi
for file in usr/share/man/man8/lbrsnoop.8.gz usr/share/doc/lbrsnoop/examples/lbrsnoop@.service \
	usr/share/bash-completion/completions/lbrsnoop usr/share/zsh/vendor-completions/_lbrsnoop \
	usr/lib/systemd/catalog/lbrsnoop.catalog usr/lib/systemd/system/lbrsnoop-watch.service \
	usr/lib/systemd/system/lbrsnoop.slice usr/share/doc/lbrsnoop/examples/watch.conf; do
	if [ -f "$scratch/deb/$file" ]; then
		ok "it has $file"
	else
		not_ok "it has $file"
	fi
done
expect_out "its units start the program that it installs" 1 '' \
	grep -r /usr/local "$scratch/deb/usr/share/doc/lbrsnoop/examples" "$scratch/deb/usr/lib/systemd" --include=*.service

# An older version, with a file that the new one no longer has.
mkdir "$scratch/old"
dpkg-deb -R "$deb" "$scratch/old/tree"
sed -i 's/^Version: .*/Version: 0.0/' "$scratch/old/tree/DEBIAN/control"
echo gone >"$scratch/old/tree/usr/share/doc/lbrsnoop/gone"
dpkg-deb --root-owner-group -b "$scratch/old/tree" "$scratch/old/lbrsnoop.deb" >/dev/null

chroot=$scratch/chroot
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mirror=$(apt_mirrors | awk -v codename="$codename" '$2 == codename { print $1; exit }')
if ! debootstrap --variant=minbase --include=man-db "$codename" "$chroot" "$mirror" >"$scratch/debootstrap" 2>&1; then
	tail -n 20 "$scratch/debootstrap" >"$scratch/end"
	not_ok "debootstrap" "$scratch/end"
	finish
fi
apt_mirrors | sed 's/^/deb /; s/$/ main/' >"$chroot/etc/apt/sources.list"
cp "$deb" "$chroot/new.deb"
cp "$scratch/old/lbrsnoop.deb" "$chroot/old.deb"
cp tests/data/decode/skylake-17-16.txt "$chroot/msrs.txt"

# inside COMMAND...: in the chroot, with /proc and /sys, which are gone afterwards
inside() {
	unshare -m bash -c 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' \
		"$chroot" env PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# What apt, dpkg, ldconfig and man-db keep for themselves is theirs.
files() {
	(cd "$chroot" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./var/lib/apt -prune -o \
		-path ./var/cache/apt -prune -o -path ./var/cache/man -prune -o -path ./var/log -prune -o \
		-path ./var/cache/ldconfig -prune -o -path ./var/lib/dpkg -prune -o -path ./var/cache/debconf -prune -o -print | sort)
}

expect "apt-get update" 0 '' inside apt-get -qq update
files >"$scratch/before"
apt=(inside apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0)
expect_out "an older version is installed" 0 'Setting up lbrsnoop \(0\.0\)' "${apt[@]}" install /old.deb
expect_out "it is upgraded" 0 "Setting up lbrsnoop \\(${version//./[.]}\\)" "${apt[@]}" install /new.deb
if [ -e "$chroot/usr/share/doc/lbrsnoop/gone" ]; then
	not_ok "the old version's files are gone"
else
	ok "the old version's files are gone"
fi
expect_out "lbrsnoop --version" 0 "^lbrsnoop ${version//./[.]}\$" inside lbrsnoop --version
expect_out "lbrsnoop list" 0 '^preset:oom' inside lbrsnoop list presets
expect_out "lbrsnoop decode" 0 'ffffffffa0000800' inside lbrsnoop decode --cpu skylake /msrs.txt
expect "lbrsnoop watch --check" 0 '' inside lbrsnoop watch --check /usr/share/doc/lbrsnoop/examples/watch.conf
expect_out "man lbrsnoop" 0 'branches that led to an error return' inside man lbrsnoop
mkdir -p "$chroot/var/cache/lbrsnoop" "$chroot/var/lib/lbrsnoop" "$chroot/etc/lbrsnoop"
cp examples/watch.conf "$chroot/etc/lbrsnoop/"
touch "$chroot/var/cache/lbrsnoop/learned" "$chroot/var/lib/lbrsnoop/do_sys_openat2.lbr"
expect_out "it is purged" 0 'Purging configuration files for lbrsnoop' "${apt[@]}" purge --autoremove lbrsnoop
files >"$scratch/after"
if diff "$scratch/before" "$scratch/after" >"$scratch/diff"; then
	ok "nothing is left"
else
	not_ok "nothing is left" "$scratch/diff"
fi
finish
