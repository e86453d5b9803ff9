# shellcheck shell=bash
# shellcheck disable=SC2154 # cache, vm_dir and progname are from cache.sh
# build-qemu.sh - QEMU from Debian's source package with our patch; sourced
#
# The tree stays in the cache, configured and built. A changed file of ours is copied
# over the old one, and hook.patch is applied to pristine copies of the files that it
# touches, of which only those that come out different are written: ninja then
# compiles what depends on them and nothing else.
#
# Half of a guest's time is QEMU's own code. It is compiled by what a guest was seen to do
# (gcc's -fprofile-use): once for each configuration an emulator that counts is built and boots a
# guest. The counts stay in the tree; what our patch has changed since is compiled without them.

qemu_configure=(
	--target-list=x86_64-softmmu --without-default-features
	--enable-tcg --enable-system --enable-fdt=system
	--enable-virtfs --enable-attr --enable-cap-ng
	--enable-lzo --enable-snappy # for the kdump formats of --core
	--disable-werror --disable-stack-protector
)
# That boots for the counts.
qemu_profile_kernel=6.12
qemu_hook_dir=target/i386/tcg/sysemu

# qemu_source VERSION: the source tree, Debian's own patches applied.
qemu_source() {
	local version=$1 tree=$cache/qemu-tree/${1#*:} tmp
	[ -f "$tree/src/.unpacked" ] && return
	mkdir -p "$cache/qemu-source" "$tree"
	if ! compgen -G "$cache/qemu-source/qemu_${version#*:}.dsc" >/dev/null; then
		say "downloading the source of qemu $version, 24 MB"
	fi
	# apt checks what is there already and fetches only the rest
	(cd "$cache/qemu-source" &&
		apt-get -c "$cache/apt/apt.conf" "$(apt_progress)" source --download-only \
			--only-source "qemu=$version" >&2) || die "cannot download the source of qemu"
	say "unpacking qemu $version"
	rm -rf "$tree"/src.partial.* "$tree/src" "$tree/build" "$tree/pristine"
	tmp=$(mktemp -d "$tree/src.partial.XXXXXX") || die "cannot write to $tree"
	dpkg-source --no-check -x "$cache/qemu-source/qemu_${version#*:}.dsc" "$tmp/src" >/dev/null ||
		die "cannot unpack the source of qemu"
	touch "$tmp/src/.unpacked"
	mv "$tmp/src" "$tree/src" || die "cannot write to $tree"
	rm -rf "$tmp"
}

# install_changed FROM TO: keep the old file, and its time, if it is the same.
install_changed() {
	if ! cmp -s "$1" "$2"; then
		mkdir -p "$(dirname "$2")"
		cp "$1" "$2"
	fi
}

# The files a patch touches, without the a/ and b/.
patch_files() {
	sed -n 's,^+++ b/\([^\t]*\).*,\1,p' "$1"
}

# qemu_patch TREE: our files into it, hook.patch onto pristine copies.
qemu_patch() {
	local tree=$1 src=$1/src ours=$vm_dir/qemu file tmp
	rm -rf "$tree"/patched.*
	tmp=$(mktemp -d "$tree/patched.XXXXXX") || die "cannot write to $tree"
	mkdir -p "$tree/pristine"
	# Files of ours that are no more, and files that the last hook.patch touched.
	if [ -f "$tree/ours" ]; then
		while read -r file; do
			[ -f "$ours/$file" ] || rm -f "$src/$qemu_hook_dir/$file"
		done <"$tree/ours"
	fi
	if [ -f "$ours/hook.patch" ]; then
		while read -r file; do
			if [ ! -e "$tree/pristine/$file" ] && [ -f "$src/$file" ]; then
				mkdir -p "$(dirname "$tree/pristine/$file")"
				cp -p "$src/$file" "$tree/pristine/$file"
			fi
		done < <(patch_files "$ours/hook.patch")
	fi
	cp -R "$tree/pristine/." "$tmp"
	if [ -f "$ours/hook.patch" ]; then
		patch -d "$tmp" -p1 --no-backup-if-mismatch <"$ours/hook.patch" >"$tree/patch.log" 2>&1 ||
			die "hook.patch does not apply to this qemu: $tree/patch.log"
	fi
	(cd "$tmp" && find . -type f -print) | while read -r file; do
		install_changed "$tmp/$file" "$src/$file"
	done
	rm -rf "$tmp"
	: >"$tree/ours"
	for file in "$ours"/*.[ch] "$ours"/*.inc; do
		[ -f "$file" ] || continue
		install_changed "$file" "$src/$qemu_hook_dir/$(basename "$file")"
		basename "$file" >>"$tree/ours"
	done
}

# One line a tenth of the way; on a terminal, one line that counts.
qemu_progress() {
	local tty=0
	[ -t 2 ] && tty=1
	awk -v tty=$tty -v name="$progname" '
		match($0, /^\[[0-9]+\/[0-9]+\]/) {
			split(substr($0, 2, RLENGTH - 2), n, "/")
			tenth = int(10 * n[1] / n[2])
			if (tty)
				printf "\r%s: compiling qemu, %d of %d ", name, n[1], n[2]
			else if (tenth != last && n[2] > 50)
				printf "%s: compiling qemu, %d %%\n", name, 10 * tenth
			last = tenth
			fflush()
		}
		END {
			if (tty)
				print ""
		}' >&2
}

# cc, and c++, which links, with the flags in cc.flags for what a guest's time goes into.
qemu_compilers_write() {
	local name
	for name in cc c++; do
		cat >"$1/$name" <<-'END'
			#!/bin/sh
			case " $* " in
			*" -o libqemu-x86_64-softmmu.fa.p/"* | *" -o libqemuutil.a.p/util_"[bq]*".c.o "* | *" -o qemu-system-x86_64 "*)
				# shellcheck disable=SC2046 # words
				exec "/usr/bin/${0##*/}" "$@" $(cat "${0%/*}/cc.flags")
				;;
			esac
			exec "/usr/bin/${0##*/}" "$@"
		END
		chmod 755 "$1/$name"
	done
}

# qemu_ninja TREE FLAGS: compile; with other FLAGS than before, those objects again.
qemu_ninja() {
	local tree=$1
	if [ "$(cat "$tree/cc.flags" 2>/dev/null)" != "$2" ]; then
		rm -f "$tree"/build/libqemu-x86_64-softmmu.fa.p/*.o "$tree"/build/libqemuutil.a.p/util_[bq]*.o \
			"$tree/build/qemu-system-x86_64"
		echo "$2" >"$tree/cc.flags"
	fi
	if ! setpriv --pdeathsig TERM ninja -C "$tree/build" qemu-system-x86_64 2>&1 | tee "$tree/ninja.log" | qemu_progress; then
		grep -A 20 -E '^FAILED|error:' "$tree/ninja.log" | head -n 60 >&2
		die "qemu does not compile: $tree/ninja.log"
	fi
}

# qemu_profile TREE: boot a guest in an emulator that counts. It writes its counts when it ends.
qemu_profile() {
	local tree=$1
	if [ ! -e "$cache/kernel/$qemu_profile_kernel" ]; then
		say "no kernel $qemu_profile_kernel here to profile qemu with: it is built without, and slower"
		return 1
	fi
	find "$tree/build" -name '*.gcda' -delete
	qemu_ninja "$tree" -fprofile-generate
	say "profiling qemu in a guest"
	LBRSNOOP_QEMU=$tree/build/qemu-system-x86_64 LBR_TRUTH_LAST=32 "$vm_dir/run" --direct --no-debug \
		--kernel "$qemu_profile_kernel" --cpu skylake --truth "$tree/profile.truth" \
		-- "$vm_dir/guest/profile" >"$tree/profile.log" 2>&1 &&
		[ -s "$tree/build/libqemu-x86_64-softmmu.fa.p/accel_tcg_cpu-exec.c.gcda" ] || {
		tail -n 20 "$tree/profile.log" >&2
		say "the guest that qemu is profiled with failed: it is built without, and slower"
		return 1
	}
	rm -f "$tree/profile.truth"
	touch "$tree/build/.profiled"
}

qemu_compile() {
	local tree=$1 flags=
	# meson and its modules are the distribution's python3's, whatever else is first
	local -x PATH=$tree:/usr/bin:/bin:/usr/sbin:/sbin
	mkdir -p "$tree/build"
	qemu_compilers_write "$tree"
	if [ "$(cat "$tree/build/.configured" 2>/dev/null)" != "${qemu_configure[*]}" ]; then
		say "configuring qemu"
		rm -rf "$tree/build"
		mkdir "$tree/build"
		: >"$tree/cc.flags"
		(cd "$tree/build" && ../src/configure --cc="$tree/cc" "${qemu_configure[@]}") >"$tree/configure.log" 2>&1 || {
			tail -n 20 "$tree/configure.log" >&2
			die "qemu's configure failed: $tree/configure.log"
		}
		printf '%s' "${qemu_configure[*]}" >"$tree/build/.configured"
	fi
	if [ -e "$tree/build/.profiled" ] || qemu_profile "$tree"; then
		flags="-fprofile-use -fprofile-correction -fprofile-partial-training"
		flags+=" -Wno-missing-profile -Wno-coverage-mismatch"
	fi
	qemu_ninja "$tree" "$flags"
}

# Keep the emulators of the last few patches, for those who switch between branches.
qemu_prune() {
	local old
	find "$cache/qemu" -maxdepth 1 -mindepth 1 -type d -name '*-*' -printf '%T@ %p\n' | sort -rn |
		tail -n +7 | cut -d' ' -f2- | while read -r old; do
		rm -rf "$old"
	done
	find "$cache/qemu/by-patch" -xtype l -delete
}

qemu_build() {
	local version patch name tree tmp start=$SECONDS
	version=$(apt_qemu_version)
	[ -n "$version" ] || die "no source package qemu in Debian's archive of this release"
	patch=$(patch_key)
	name=qemu/${version#*:}-$patch
	if ! cache_whole "$name"; then
		tree=$cache/qemu-tree/${version#*:}
		qemu_source "$version"
		qemu_patch "$tree"
		qemu_compile "$tree"
		tmp=$(cache_begin "$name") || exit
		strip -o "$tmp/qemu-system-x86_64" "$tree/build/qemu-system-x86_64" || die "strip failed"
		cache_end "$tmp" "$name" qemu-system-x86_64
		say "built qemu $version, patch $patch, in $((SECONDS - start)) s"
	fi
	mkdir -p "$cache/qemu/by-patch"
	cache_link "qemu/by-patch/$patch" "../${version#*:}-$patch"
	qemu_prune
}
