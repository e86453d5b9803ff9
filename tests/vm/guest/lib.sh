# shellcheck shell=bash
# lib.sh - sourced by what live.py runs in the guest; results go to $out, a share of the host

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(readlink -f "$here/../../..")
# shellcheck disable=SC2034 # for those who source this
failcalls=$top/build/tests/vm/failcalls
: "${out:?}"
# What the judges name addresses by: of the kernel and its modules, not what tracing brings.
[ -s "$out/kallsyms" ] || cat /proc/kallsyms >"$out/kallsyms"

# Source lines cost a guest many seconds, since vmlinux is read through the share: only where a
# test is about them, which empties this.
lines=--no-lines

# snap NAME ARGUMENT...: one lbrsnoop; NAME.jsonl, .lbr, .out, .err and .status say what came of it
snap() {
	local name=$1 status
	shift
	# Written to memory first: a file of the share costs branches while the LBR is on, and of one
	# that somebody reads meanwhile, as armed() does, 9p of Linux 6.12 may leave zeros.
	# shellcheck disable=SC2086 # an option or none
	"$top/lbrsnoop" $lines --json --max-overhead 0 -o "/dev/shm/$name.jsonl" \
		--record "/dev/shm/$name.lbr" "$@" \
		>"$out/$name.out" 2>"/dev/shm/$name.err"
	status=$?
	cat "/dev/shm/$name.err" >"$out/$name.err"
	cat "/dev/shm/$name.jsonl" >"$out/$name.jsonl"
	[ ! -f "/dev/shm/$name.lbr" ] || cat "/dev/shm/$name.lbr" >"$out/$name.lbr"
	rm -f "/dev/shm/$name.jsonl" "/dev/shm/$name.lbr" "/dev/shm/$name.err"
	echo "$status" >"$out/$name.status"
	return "$status"
}

# args_keep NAME ARGUMENT...: up to the load's own, into NAME.args: judges ask what was asked for
args_keep() {
	local name=$1
	shift
	while [ "${1:---}" != -- ]; do
		printf '%s\n' "$1"
		shift
	done >"$out/$name.args"
}

# armed NAME: wait until the lbrsnoop of that name, in the background, is; or has ended
armed() {
	until grep -qs tracing "/dev/shm/$1.err"; do
		[ ! -s "$out/$1.status" ] || return
		sleep 0.1
	done
}

# load_faults: tests/vm/module/faults.c, once; oopses are not the end of the guest any more
load_faults() {
	[ -d /sys/module/faults ] || insmod "$out/faults.ko"
	# The runner's command line says oops=panic, for oopses that nobody asked for.
	echo 0 >/proc/sys/kernel/panic_on_oops
}

# fault NAME [SECONDS]: what it does to the task is its own affair
fault() {
	head -c "${2:-1}" /dev/zero | (exec cat >"/proc/faults-$1") 2>/dev/null
}

# not_oopsed WHY: ends the part if the kernel has
not_oopsed() {
	local TAINT_DIE=7
	[ $(($(cat /proc/sys/kernel/tainted) >> TAINT_DIE & 1)) = 0 ] || {
		echo "$0: the kernel has oopsed: $1" >&2
		exit 1
	}
}

# shellcheck disable=SC2120 # two are always run
# load_verdicts [PROGRAM...]: what each says that loads BPF programs, into load.verdicts
load_verdicts() {
	local program programs=$top/build/tests/vm
	for program in load_programs no_slot "$@"; do
		"$programs/$program" "$top/build/bpf/lbrsnoop.bpf.o" 2>&1 ||
			echo "not ok load/$program: exit status $?"
	done >"$out/load.verdicts"
}
