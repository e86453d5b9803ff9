# shellcheck shell=bash
# lib.sh - verdict lines of test scripts, as tests/run-all reads them; sourced
#
#     ok NAME
#     not ok NAME        followed by lines that start with "# "
#     skip NAME: reason
#     machine NAME: why  a virtual machine failed, and not what ran in it

verdicts_failed=0

ok() {
	printf 'ok %s\n' "$1"
}

# not_ok NAME [FILE...]: what the files hold follows as comment
not_ok() {
	local name=$1
	shift
	printf 'not ok %s\n' "$name"
	[ $# = 0 ] || sed 's/^/# /' "$@"
	verdicts_failed=$((verdicts_failed + 1))
}

skip() {
	printf 'skip %s: %s\n' "$1" "$2"
}

# machine_failed STATUS FILE: did a virtual machine fail, and not what ran in it? FILE is what
# tests/vm/run said. A kernel that panics or goes down is no failure of the machine, nor is an emulator
# that aborts.
machine_failed() {
	local words='timeout after |the guest could not be set up|QEMU |cannot start QEMU'
	[[ $1 == 12[456] ]] && grep -q -E "^tests/vm/run: ($words)" "$2"
}

# guest_failed NAME STATUS FILE: tests/vm/run ended with a status that was not wanted, and said FILE
guest_failed() {
	if machine_failed "$2" "$3"; then
		printf 'machine %s: status %s\n' "$1" "$2"
		sed 's/^/# /' "$3"
		verdicts_failed=$((verdicts_failed + 1))
	else
		not_ok "$1: status $2" "$3"
	fi
}

# comment TEXT...
comment() {
	printf '# %s\n' "$*"
}

# scratch: a directory of its own for the script, gone at its end
scratch_make() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/lbrsnoop-test.XXXXXX") || exit 2
	chmod 755 "$scratch"
	trap 'rm -rf "$scratch"' EXIT
}

# run_it COMMAND...: sets status; output is in $scratch/out and $scratch/err
run_it() {
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
}

# expect NAME STATUS PATTERN COMMAND...: exit status as wanted, and stderr matches the extended
# regular expression; an empty one: stderr is empty
expect() {
	local name=$1 wanted=$2 pattern=$3
	shift 3
	run_it "$@"
	judge "$name" "$wanted" "$pattern" "$scratch/err"
}

# expect_installed NAME PACKAGES COMMAND...: exit status 0, stderr empty; 77 says that PACKAGES are not installed
expect_installed() {
	local name=$1 packages=$2
	shift 2
	run_it "$@"
	if [ "$status" = 77 ]; then
		skip "$name" "$packages is not installed"
	else
		judge "$name" 0 '' "$scratch/err"
	fi
}

# expect_out NAME STATUS PATTERN COMMAND...: the same of stdout
expect_out() {
	local name=$1 wanted=$2 pattern=$3
	shift 3
	run_it "$@"
	judge "$name" "$wanted" "$pattern" "$scratch/out"
}

# judge NAME STATUS PATTERN FILE: the last run's status and one of its streams
judge() {
	if [ "$status" != "$2" ]; then
		not_ok "$1"
		comment "exit status $status, wanted $2"
	elif [ -z "$3" ] && [ -s "$4" ]; then
		not_ok "$1"
		comment "no output is wanted, there is:"
	elif [ -n "$3" ] && ! grep -qE -e "$3" "$4"; then
		not_ok "$1"
		comment "this is not in it: $3"
	else
		ok "$1"
		return
	fi
	sed 's/^/# stdout: /' "$scratch/out" | head -n 30
	sed 's/^/# stderr: /' "$scratch/err" | head -n 30
}

# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		comment "got '$2', wanted '$3'"
	fi
}

# small NAME FILE BYTES: it is there, and no larger
small() {
	if [ "$(stat -c %s "$2" || echo "$3"0)" -le "$3" ]; then ok "$1"; else not_ok "$1: $(stat -c %s "$2") bytes"; fi
}

# Without SEED each script draws its own, and says so where it uses it.
own_seed=$RANDOM

seed_said() {
	[ -n "${SEED:-}" ] || echo "# SEED=$own_seed draws this again" >&2
}

# random_bytes COUNT: drawn by SEED
random_bytes() {
	seed_said
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(sys.argv[1]).randbytes(int(sys.argv[2])))' \
		"${SEED:-$own_seed}" "$1"
}

# sample COUNT ITEM...: so many of them, in their order, drawn by SEED; with FULL=1 all. Where each takes long:
# each change of the sources draws anew. Other items are drawn by other numbers: one choice is not tied to another.
sample() {
	local wanted=$1 random
	seed_said
	read -r random _ < <(cksum <<<"${SEED:-$own_seed} $*")
	shift
	[ -z "${FULL:-}" ] || wanted=$#
	while [ $# -gt 0 ]; do
		random=$(((random * 1103515245 + 12345) & 0x7fffffff))
		if [ $(((random >> 8) % $#)) -lt "$wanted" ]; then
			echo "$1"
			wanted=$((wanted - 1))
		fi
		shift
	done
}

# build_id FILE
build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

# build_id_of CAPTURE: of the kernel it was taken on
build_id_of() {
	zstd -dcq "$1" 2>/dev/null | tr '\0' '\n' | sed -n '/^build-id$/{n;p;q}'
}

# vmlinux_of CAPTURE: a file with the debug information of its kernel, or nothing
vmlinux_of() {
	local wanted file
	wanted=$(build_id_of "$1")
	for file in "${LBRSNOOP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lbrsnoop}"/debug/*/boot/vmlinux-*; do
		[ -f "$file" ] && [ "$(build_id "$file")" = "$wanted" ] && echo "$file" && return
	done
}

# fits NAME FILE...: all lines of JSON are as their schemas promise
fits() {
	local name=$1
	shift
	tests/json_check "$@" >"$scratch/verdict" 2>&1
	case $? in
	0) ok "$name" ;;
	77) skip "$name" "python3-jsonschema is not installed" ;;
	*) not_ok "$name" "$scratch/verdict" ;;
	esac
}

# await FILE PATTERN [TIMES]: until so many of its lines match the extended regular
# expression; false after a minute
await() {
	local i
	for ((i = 0; i < 1200; i++)); do
		[ "$(grep -c -E -e "$2" "$1")" -ge "${3:-1}" ] && return
		sleep 0.05
	done 2>/dev/null
	comment "after 60 s: no $2"
	return 1
}

# may_trace: does the kernel let this shell load BPF programs and open perf events? why_not says
# what is missing. Root in a container may be without.
may_trace() {
	local caps admin=21 perfmon=38 bpf=39 range
	why_not=
	caps=$((16#$(sed -n 's/^CapEff:[[:blank:]]*//p' "/proc/$BASHPID/status")))
	read -r -a range </proc/self/uid_map
	if [ "$(id -u)" != 0 ]; then
		why_not="not root"
	elif [ "${range[*]}" != "0 0 4294967295" ]; then
		why_not="root of a user namespace only"
	elif ! ((caps >> admin & 1 || (caps >> perfmon & 1 && caps >> bpf & 1))); then
		why_not="root without CAP_BPF or CAP_PERFMON"
	fi
	[ -z "$why_not" ]
}

# may_mount: may it have a mount namespace of its own?
may_mount() {
	why_not=
	unshare -m true 2>/dev/null || why_not="unshare -m is not permitted"
	[ -z "$why_not" ]
}

# finish: the script's exit status
finish() {
	[ "$verdicts_failed" = 0 ]
	exit
}
