# shellcheck shell=bash
# shellcheck disable=SC2154 # cache, vm_dir and progname are from cache.sh
# fetch-kernel.sh - Debian's own kernel image packages, unpacked, not installed; sourced

# kernel_fetch SERIES: sets kernel_release
kernel_fetch() {
	local package version tmp root
	read -r package version kernel_release <<<"$(apt_kernel "$1")"
	[ -n "${kernel_release:-}" ] || die "no kernel $1 in Debian's archive of this release"
	if ! cache_whole "kernel/$kernel_release"; then
		tmp=$(cache_begin "kernel/$kernel_release") || exit
		root=$tmp/root
		apt_download "$tmp" "$package=$version"
		mkdir "$root"
		dpkg-deb -x "$tmp"/*.deb "$root" || die "cannot unpack $package"
		rm "$tmp"/*.deb
		rm -rf "${root:?}/usr/share"
		# Debian 13 and later have everything below /usr.
		[ -d "$root/lib" ] || ln -s usr/lib "$root/lib"
		/sbin/depmod -b "$root" "$kernel_release" || die "depmod failed for $kernel_release"
		echo "$version" >"$root/package-version"
		mv "$root"/* "$tmp" && rmdir "$root"
		cache_end "$tmp" "kernel/$kernel_release" "boot/vmlinuz-$kernel_release" \
			"lib/modules/$kernel_release/modules.dep"
	fi
	cache_link "kernel/$1" "$kernel_release"
}

# kernel_debug RELEASE [MODULE...]: vmlinux with DWARF, and the debug data of modules.
# Gigabytes pass by; only what is asked for, now or before, is written.
kernel_debug() {
	local release=$1 name=debug/$1 version tmp module patterns=() modules=() once=()
	shift
	rm -f "$cache/debug/gone"
	mapfile -t modules < <({
		cat "$cache/$name/modules" 2>/dev/null
		printf '%s\n' "$@" | tr - _
	} | sed '/^$/d' | sort -u)
	if cmp -s <(printf '%s\n' "${modules[@]}") "$cache/$name/modules" && cache_whole "$name"; then
		return
	fi
	version=$(<"$cache/kernel/$release/package-version")
	patterns=("./usr/lib/debug/boot/vmlinux-$release")
	for module in "${modules[@]}"; do
		patterns+=("./usr/lib/debug/lib/modules/$release/*/${module//_/[-_]}.ko*")
	done
	# vmlinux comes first: alone, the rest need not be decompressed
	[ ${#modules[@]} -gt 0 ] || once=(--occurrence=1)
	tmp=$(cache_begin "$name") || exit
	apt_download "$tmp" "linux-image-$release-dbg=$version"
	say "unpacking the debug data of $release"
	tar -x -C "$tmp" --wildcards "${once[@]}" "${patterns[@]}" \
		< <(dpkg-deb --fsys-tarfile "$tmp"/*.deb 2>"$tmp/dpkg-deb.log") || {
		cat "$tmp/dpkg-deb.log" >&2
		die "cannot unpack the debug data of $release"
	}
	rm "$tmp"/*.deb "$tmp/dpkg-deb.log"
	mv "$tmp"/usr/lib/debug/* "$tmp" && rm -rf "${tmp:?}/usr"
	printf '%s\n' "${modules[@]}" >"$tmp/modules"
	cache_end "$tmp" "$name" "boot/vmlinux-$release"
}

# kernel_debug_if_there RELEASE: its vmlinux with DWARF, unless the archive no longer has it: that is
# kept in debug/gone, for tests/run-all.
kernel_debug_if_there() {
	local version
	version=$(<"$cache/kernel/$1/package-version")
	if cache_sizes_ok "$cache/debug/$1" || apt_has "linux-image-$1-dbg=$version"; then
		kernel_debug "$1"
	else
		mkdir -p "$cache/debug"
		echo "$1 $version" >"$cache/debug/gone"
		say "no debug data of $1 $version in Debian's archive: tests that need it are skipped"
	fi
}

# A little-endian number of $3 bytes at $2 in the file $1.
image_number() {
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# kernel_direct RELEASE: vmlinux out of vmlinuz, for run --direct. Where it is
# packed is in the image's header (Linux, Documentation/arch/x86/boot.rst).
kernel_direct() {
	local name=direct/$1 image=$cache/kernel/$1/boot/vmlinuz-$1 start length magic unpack tmp
	cache_whole "$name" && return
	start=$((($(image_number "$image" 0x1f1 1) + 1) * 512 + $(image_number "$image" 0x248 4)))
	length=$(image_number "$image" 0x24c 4)
	magic=$(od -A n -t x1 -j "$start" -N 4 "$image" | tr -d ' ')
	case $magic in
	fd377a58) unpack=(xz -dc --single-stream) ;;
	28b52ffd) unpack=(zstd -dcq) ;;
	*) die "$image: packed in a way I do not know: $magic" ;;
	esac
	tmp=$(cache_begin "$name") || exit
	# the last 4 bytes are the length of the unpacked file, no part of the stream
	dd if="$image" bs=64K iflag=skip_bytes,count_bytes skip="$start" count=$((length - 4)) status=none |
		"${unpack[@]}" >"$tmp/vmlinux" || die "$image: cannot unpack it"
	cache_end "$tmp" "$name" vmlinux
}
