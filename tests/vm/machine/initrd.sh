# shellcheck shell=bash
# shellcheck disable=SC2154 # cache, vm_dir and progname are from cache.sh
# initrd.sh - compile guest-init and supervise, pack an initramfs for a kernel; sourced

# What the guest needs before it has its root, and what lets it say that it panicked
# (pvpanic) and where its vmcore's symbols are (qemu_fw_cfg writes VMCOREINFO).
initrd_modules=(virtio_pci virtio_console 9pnet_virtio 9p overlay pvpanic-mmio qemu_fw_cfg)

tools_flags=(-std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wformat=2)

tools_build() {
	local name tmp
	name=tools/$(tools_key)
	cache_whole "$name" && return
	tmp=$(cache_begin "$name") || exit
	"${CC:-cc}" "${tools_flags[@]}" -o "$tmp/supervise" "$vm_dir/machine/supervise.c" &&
		"${CC:-cc}" "${tools_flags[@]}" -static -o "$tmp/guest-init" "$vm_dir/machine/guest-init.c" ||
		die "cannot compile supervise and guest-init"
	cache_end "$tmp" "$name" supervise guest-init
}

# The files of modules.dep for the modules wanted, each after those it needs.
# A module that is not listed there is built in.
initrd_order() {
	awk -v wanted="$*" '
		function base(path) {
			sub(/.*\//, "", path)
			sub(/\.ko.*/, "", path)
			gsub(/-/, "_", path)
			return path
		}
		{
			sub(/:$/, "", $1)
			sub(/:/, "", $1)
			line[base($1)] = $0
		}
		END {
			n = split(wanted, names, " ")
			for (i = 1; i <= n; i++) {
				gsub(/-/, "_", names[i])
				m = split(line[names[i]], files, " ")
				for (j = m; j >= 1; j--)
					if (!seen[files[j]]++)
						print files[j]
			}
		}'
}

# initrd_build VERSION
initrd_build() {
	local version=$1 name root tools file plain
	local from=$cache/kernel/$version/lib/modules/$version
	tools_build
	tools=$(tools_key)
	name=initrd/$version-$tools
	cache_whole "$name" && return
	root=$(cache_begin "$name") || exit
	mkdir -p "$root/root/modules" "$root/root/dev"
	cp "$cache/tools/$tools/guest-init" "$root/root/init"
	while read -r file; do
		plain=$(basename "$file" .xz)
		case $file in
		*.xz) xz -dc "$from/$file" >"$root/root/modules/$plain" ;;
		*) cp "$from/$file" "$root/root/modules/$plain" ;;
		esac || die "cannot unpack $file"
		echo "/modules/$plain" >>"$root/root/modules/order"
	done < <(initrd_order "${initrd_modules[@]}" <"$from/modules.dep")
	[ -s "$root/root/modules/order" ] || die "no modules for the initramfs in $from"
	(cd "$root/root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc --owner 0:0) \
		>"$root/initrd" || die "cannot pack the initramfs"
	rm -rf "$root/root"
	cache_end "$root" "$name" initrd
}
