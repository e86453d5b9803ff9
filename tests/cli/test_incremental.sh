#!/bin/bash
# not quick: a minute of compiling
# test_incremental - what make compiles again after a change, and that nothing is compiled twice
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

# A copy of the tree with the objects as they are: their times go with them.
copy=$scratch/tree
mkdir "$copy"
cp -a Makefile bpf debian src vmlinux tests lbrsnoop "$copy"
mkdir "$copy/build"
cp -a build/src build/bpf build/lbrsnoop.skel.h build/why.skel.h build/html_parts.h build/.flags build/.bpf-flags build/.tools "$copy/build"
cp -a build/lbrsnoop.bpf.o "$copy/build" 2>/dev/null
cd "$copy" || exit 2
# What is compiled is the question, not how well.
mkdir "$scratch/bin"
printf '#!/bin/sh\nexec %q "$@" -O0 -g0\n' "$(command -v gcc)" >"$scratch/bin/gcc"
chmod +x "$scratch/bin/gcc"
PATH=$scratch/bin:$PATH
# Each time that is a new gcc in a new directory, with the same objects as last time.
export CCACHE_COMPILERCHECK=content CCACHE_NOHASHDIR=1
unset MAKEFLAGS MFLAGS MAKELEVEL

# made NAME PATTERN...: run make; each pattern is among the lines of what it did
made() {
	local name=$1 pattern missing=
	shift
	run_it make --no-print-directory
	for pattern in "$@"; do
		grep -qE -e "$pattern" "$scratch/out" || missing=$pattern
	done
	if [ "$status" != 0 ] || [ -n "$missing" ]; then
		judge "$name" 0 "${missing:-.}" "$scratch/out"
	else
		ok "$name"
	fi
}

nothing() {
	run_it make --no-print-directory
	if [ "$status" = 0 ] && ! grep -q '^  [A-Z]' "$scratch/out"; then
		ok "$1"
	else
		not_ok "$1" "$scratch/out" "$scratch/err"
	fi
}

not_made() {
	if grep -qE -e "$2" "$scratch/out"; then
		not_ok "$1" "$scratch/out"
	else
		ok "$1"
	fi
}

nothing "a tree that is built is left alone"
sleep 1
touch bpf/record.h
made "record.h: the BPF object, the skeleton and its readers" \
	'BPF .*bpf\.c' 'SKEL' 'CC .*src/capture/capture\.c' 'CC .*src/capture/ring/ring_record\.c' 'LINK'
# why's events hold a record: cmd/w*.c and render/w*.c
not_made "record.h: nothing else" 'CC .*src/((decode|symbolize|util|path)/|(render|cmd)/[^w])'
nothing "and then nothing"
# One that few read: each of them is compiled.
touch src/cmd/option_args.h
made "a header: its readers" 'CC .*src/cmd/option_args\.c' 'CC .*src/cmd/trace/trace\.c' 'LINK'
not_made "a header: no BPF object, and no room that does not read it" 'BPF|SKEL|CC .*src/[^c]'
printf '#include "util/log.h"\n' >src/util/added.c
made "a new source is compiled and linked" 'CC .*src/util/added\.c' 'LINK'
rm src/util/added.c
made "without a source it is linked anew" 'LINK'
nothing "and then nothing again"
run_it make --no-print-directory -n EXTRA_CFLAGS=-DX=1
if [ "$status" = 0 ]; then
	run_it make --no-print-directory EXTRA_CFLAGS=-DLBRSNOOP_TEST=1 build/src/util/log.o
	judge "other flags: compiled anew" 0 'CC .*src/util/log\.c' "$scratch/out"
else
	not_ok "make -n" "$scratch/err"
fi
# .ci/run has a locale of its own, and each checkout a folder: what one compiled the others find.
if [ -n "$(command -v ccache)" ]; then
	for locale in C C.UTF-8 moved; do
		rm -f build/src/util/log.o
		[ $locale != moved ] || { mv "$copy" "$scratch/moved" && cd "$scratch/moved" || exit 2; }
		CCACHE_DIR=$scratch/cache CCACHE_LOGFILE=$scratch/$locale.ccache LC_ALL=${locale/moved/C} run_it \
			env -u CCACHE_NOHASHDIR make --no-print-directory build/src/util/log.o
	done
	judge "in another locale: from ccache" 0 'Result: .*cache_hit' "$scratch/C.UTF-8.ccache"
	judge "in another folder: from ccache" 0 'Result: .*cache_hit' "$scratch/moved.ccache"
else
	skip "in another locale, in another folder: from ccache" "ccache is not installed"
fi
run_it make --no-print-directory
# Names that a shell takes apart; one that clang does; one that none does.
for name in "it's (a) tree" 'a$b\c & d' 'a=b' 'a,b@c%d'; do
	mv "$PWD" "$scratch/$name" && cd "$scratch/$name" || exit 2
	nothing "moved to '$name': nothing is compiled"
	touch src/util/log.c bpf/why.bpf.c
	made "in '$name': what has changed is compiled" 'CC .*src/util/log\.c' 'BPF .*why\.bpf\.c' 'LINK'
done
# It is a folder's name that clang writes into what it compiles.
is "in '$name': objects do not have it in them" "$(grep -c 'a,b@c' build/bpf/why.bpf.o)" 0
run_it make --no-print-directory PKG_CONFIG=/nonexistent/pkg-config O=other all
judge "a missing tool: the remedy is named" 2 "make deps" "$scratch/err"
run_it make --no-print-directory -n clean PKG_CONFIG=/nonexistent CC=/nonexistent BPFTOOL=/nonexistent
judge "make clean works without any of the tools" 0 'rm -rf' "$scratch/out"
finish
