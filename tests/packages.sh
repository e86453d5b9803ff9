# shellcheck shell=bash
# packages.sh - the Debian packages that building and testing need; sourced
#
# Uses say() and die() of the script that sources it.
# shellcheck disable=SC2034 # read by those that source it

packages_build=(
	gcc libc6-dev make pkg-config clang bpftool
	libbpf-dev libelf-dev libdw-dev libjansson-dev libzydis-dev libzstd-dev zlib1g-dev
	libkdumpfile-dev
)
packages_check=(
	# what another checkout compiled is not compiled again
	ccache
	# unit tests, fuzzers, tests that trace, limit or strip a process
	libcmocka-dev libclang-rt-14-dev linux-perf procps util-linux g++
	# how it writes system calls is what ours is held against
	strace
	# the JSON schema; the graph as a picture
	python3-jsonschema graphviz
	# OTLP's messages, read by protobuf itself
	protobuf-compiler python3-protobuf
	python3-yaml
	# verifies the units of examples/; collects journals
	systemd systemd-journal-remote
	# crash dumps as kdump makes them
	makedumpfile
	# reads DWARF beside us
	gdb
	# its completion, and what types into both shells
	zsh
	# what report --html writes, as people see it: headless
	chromium
)
# make deb, and the test that installs what it makes in a chroot
packages_deb=(
	debhelper debootstrap lintian man-db
)
# make static: what the static libraries need, and what unpacks the source of another
packages_static=(
	libbz2-dev liblzma-dev dpkg-dev
)
# what make bench measures beside us; it does without
packages_bench=(
	bpftrace linux-perf time
)
# the programs whose failing calls tests/vm/why/list has, in the guest, too
packages_why=(
	acl attr bpftool btrfs-progs cpio dmsetup dosfstools e2fsprogs ethtool hdparm iproute2 iptables
	iputils-ping ipvsadm iw kbd keyutils kexec-tools kmod libcap2-bin linux-perf make nbd-client
	net-tools nftables numactl perl procps python3 quota socat strace util-linux util-linux-extra
	wget wireguard-tools xfsprogs xxd
)
packages_lint=(
	clang-format-14 clang-tidy-14 cppcheck shellcheck
)
packages_vm=(
	# to build QEMU
	gcc libc6-dev make ninja-build meson python3 python3-venv pkg-config flex bison
	libglib2.0-dev libpixman-1-dev libfdt-dev libcap-ng-dev libattr1-dev zlib1g-dev
	liblzo2-dev libsnappy-dev dpkg-dev patch bzip2 xz-utils binutils
	# to run it
	seabios qemu-system-data util-linux
	# to unpack kernels and make the initramfs; modprobe in the guest is the host's
	cpio kmod zstd
	debian-archive-keyring
)

# packages_missing PACKAGE...: those that are not installed
packages_missing() {
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
		awk -v wanted="$*" '
			$2 == "installed" { have[$1] = 1 }
			END {
				n = split(wanted, names, " ")
				for (i = 1; i <= n; i++)
					if (!have[names[i]]++)
						printf "%s ", names[i]
			}'
}

# packages_install PACKAGE...: install the missing ones, as root or by sudo without a password;
# where neither is to be had, print the command and fail.
packages_install() {
	local missing apt=(apt-get -q -o "DPkg::Lock::Timeout=600") sudo=()
	read -ra missing <<<"$(packages_missing "$@")"
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		sudo=(sudo -n)
		if ! sudo -n true 2>/dev/null; then
			say "packages are missing; install them with:"
			echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
			exit 1
		fi
	fi
	sudo+=(env DEBIAN_FRONTEND=noninteractive)
	say "installing ${#missing[@]} packages: ${missing[*]}"
	if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null &&
		"${sudo[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 </dev/null; then
		return
	fi
	"${sudo[@]}" "${apt[@]}" update >&2 </dev/null || die "apt-get update failed"
	"${sudo[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 </dev/null ||
		die "cannot install the packages"
}
