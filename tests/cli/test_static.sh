#!/bin/bash
# test_static - "make static" makes a program that needs no file of the host, and says what it lacks
#
# FULL=1: it compiles all once more, and downloads Zydis's source the first time.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/packages.sh
. tests/packages.sh
scratch_make

name="the static build"
if [ -z "${FULL:-}" ]; then
	skip "$name" "FULL=1 makes it"
	finish
elif missing=$(packages_missing "${packages_static[@]}") && [ -n "$missing" ]; then
	skip "$name" "tests/deps static installs what is missing: $missing"
	finish
fi
run_it make --no-print-directory -j"$(nproc)" static
if [ "$status" = 0 ] && ! grep -q 'warning: ' "$scratch/err"; then
	ok "make static, without a warning"
else
	not_ok "make static, without a warning" "$scratch/err"
fi
expect "ldd" 1 'not a dynamic executable' ldd build/static/lbrsnoop

# inside ARGUMENT...: in a directory with nothing but the program and its input, as root there
mkdir "$scratch/root"
cp build/static/lbrsnoop "$scratch/root/lbrsnoop"
cp tests/data/decode/skylake-17-16.txt "$scratch/root/msrs.txt"
cp tests/data/capture/skylake-hw.lbr "$scratch/root/hw.lbr"
if ! unshare --map-root-user chroot "$scratch/root" /lbrsnoop --version >/dev/null 2>&1; then
	skip "$name in an empty chroot" "unshare --map-root-user is not permitted"
	finish
fi
inside() {
	env DEBUGINFOD_URLS=http://127.0.0.1:1 unshare --map-root-user chroot "$scratch/root" /lbrsnoop "$@"
}

# same NAME ARGUMENT...: what the usual build prints
same() {
	local name=$1
	shift
	run_it inside "$@"
	(cd "$scratch/root" && env -u DEBUGINFOD_URLS "$OLDPWD/lbrsnoop" "$@") >"$scratch/usual" 2>/dev/null
	if [ "$status" = 0 ] && [ -s "$scratch/usual" ] && diff "$scratch/usual" "$scratch/out" >"$scratch/diff"; then
		ok "$name"
	else
		not_ok "$name" "$scratch/diff" "$scratch/err"
	fi
}

same "--version in an empty chroot" --version
same "list in an empty chroot" list presets
same "decode in an empty chroot" decode --cpu skylake msrs.txt
same "report in an empty chroot: with the path, which takes the disassembler" report --no-lines hw.lbr
expect "postmortem names what it lacks" 2 'vmcore: this is the static build, without libkdumpfile.*use lbrsnoop of' \
	inside postmortem vmcore
expect "--journal names what it lacks" 2 'the static build cannot load libsystemd: use lbrsnoop of' inside report --journal
finish
