#!/bin/bash
# test_apt - what setup asks of apt: an answer is an answer, however slowly the rest of it comes
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
export LBRSNOOP_CACHE=$scratch/cache

# Fields first, then more than a pipe holds: who stops to read is noticed, with SIGPIPE.
mkdir "$scratch/bin"
cat >"$scratch/bin/apt-cache" <<'END'
#!/bin/bash
case ${*: -1} in
there=1 | linux-image-7.1.2-amd64)
	printf 'Package: there\nVersion: 1\nSize: 70000000\n'
	;;
linux-image-amd64)
	printf 'Package: meta\nDepends: linux-image-6.1.0-9-amd64 (= 6.1.9-1), other (= 2)\n'
	printf 'Depends: linux-image-6.1.0-8-amd64 (= 6.1.8-1)\n'
	;;
linux-image-7.1.)
	printf 'linux-image-7.1.1-amd64\nlinux-image-7.1.2-amd64\nlinux-image-7.1.2-amd64-dbg\n'
	exit
	;;
*) exit 100 ;;
esac
sleep 0.1
for ((i = 0; i < 5000; i++)); do
	echo "Description-md5: 0123456789abcdef0123456789abcdef"
done
END
cat >"$scratch/bin/apt-get" <<'END'
#!/bin/bash
END
chmod +x "$scratch/bin"/*

# asked NAME WANT COMMAND: what it prints, its status behind that
asked() {
	local name=$1 want=$2
	(
		PATH=$scratch/bin:$PATH
		# shellcheck source=tests/vm/machine/cache.sh
		. tests/vm/machine/cache.sh
		# shellcheck source=tests/vm/machine/apt.sh
		. tests/vm/machine/apt.sh
		"${@:3}" 2>&1
		echo "status $?"
	) >"$scratch/out"
	if [ "$(<"$scratch/out")" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "$scratch/out"
	fi
}

asked "a package that is there" "status 0" apt_has there=1
asked "one that is not" "status 1" apt_has there=2
asked "a kernel by its metapackage, the first dependency, and no other" \
	$'linux-image-6.1.0-9-amd64 6.1.9-1 6.1.0-9-amd64\nstatus 0' apt_kernel 6.1
asked "a kernel by its name" \
	$'linux-image-7.1.2-amd64 1 7.1.2-amd64\nstatus 0' apt_kernel 7.1
asked "the size of what is downloaded" \
	$'tests/vm/test_apt.sh: downloading there=1, 70 MB\nstatus 0' apt_download "$scratch" there=1
finish
