#!/bin/bash
# test_exit_status - no LBR: 3; no privilege: 4; no such function: 2; each says why
#
# shellcheck disable=SC2016 # inner shells expand $0
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
# where nobody may read it
cp ./lbrsnoop "$scratch/lbrsnoop" || exit 2
tool=$scratch/lbrsnoop

# as_nobody [CAPABILITY...] -- COMMAND...
as_nobody() {
	local caps=-all
	while [ "$1" != -- ]; do
		caps+=,+$1
		shift
	done
	shift
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set="$caps" --inh-caps="$caps" \
			--ambient-caps="$caps" "$@"
	else
		"$@"
	fi
}

test_privilege() {
	expect "without privilege: 4, and the capabilities are named" 4 \
		'not permitted without CAP_BPF and CAP_PERFMON; run as root' as_nobody -- "$tool" do_sys_openat2
	expect "without privilege, list: 4" 4 'run as root|CAP_' as_nobody -- "$tool" list '*openat*'
	if unshare --user --map-root-user true 2>/dev/null; then
		expect "root of a user namespace: 4, and that this is one" 4 'outside of this container \(user namespace\); run lbrsnoop on the host' \
			unshare --user --map-root-user "$tool" do_sys_openat2
		expect "nobody of a user namespace without user IDs: 4, the same" 4 'outside of this container \(user namespace\); run lbrsnoop on the host' \
			unshare --user "$tool" do_sys_openat2
	else
		skip "root of a user namespace" "unshare is not permitted"
	fi
	if [ "$(id -u)" != 0 ]; then
		skip "single capabilities" "only root can give them"
		return
	elif ! as_nobody bpf perfmon -- true 2>/dev/null; then
		skip "single capabilities" "this container has not got them to give"
		return
	fi
	expect "CAP_BPF alone: 4, CAP_PERFMON is named" 4 'CAP_PERFMON' as_nobody bpf -- "$tool" do_sys_openat2
	expect "CAP_PERFMON alone: 4, CAP_BPF is named" 4 'CAP_BPF' as_nobody perfmon -- "$tool" do_sys_openat2
	if [ "$(as_nobody bpf perfmon -- awk '{ print $1; exit }' /proc/kallsyms)" = 0000000000000000 ]; then
		expect "without CAP_SYSLOG: 4, it is named" 4 'CAP_SYSLOG' \
			as_nobody bpf perfmon -- "$tool" do_sys_openat2
	else
		skip "without CAP_SYSLOG" "this kernel shows its addresses to all (kptr_restrict, perf_event_paranoid)"
	fi
}

test_tracepoints() {
	if ! [ -r /sys/kernel/tracing/events ] || ! [ -d /sys/kernel/tracing/events/syscalls ]; then
		skip "unknown tracepoints" "tracefs is not mounted on /sys/kernel/tracing"
		return
	fi
	expect "an unknown tracepoint: 2" 2 "sys_enter_openat[^t]" "$tool" tracepoint:syscalls:sys_enter_openatt
	expect "an unknown tracepoint category: 2" 2 "nosuch" "$tool" tracepoint:nosuch:sys_enter_openat
	expect_out "list finds tracepoints" 0 'tracepoint:syscalls:sys_enter_openat' "$tool" list sys_enter_openat
}

# What needs root and BTF, but no LBR.
test_targets() {
	expect "an unknown function: 2, with the nearest names" 2 \
		"'do_sys_openatt'.*do_sys_openat2" "$tool" do_sys_openatt
	expect "an unknown function among others: 2" 2 "'do_sys_openatt'" "$tool" do_sys_openat2 do_sys_openatt
	expect "a transposition: the nearest name" 2 "'vfs_raed'.*vfs_read" "$tool" vfs_raed
	expect "a function of a module that is not loaded: 2" 2 'module no_such_module is not loaded.*modprobe' \
		"$tool" no_such_module:do_sys_openat2
	expect "... by its address" 2 'module no_such_module is not loaded' "$tool" hw:no_such_module:do_sys_openat2
	expect "... a glob of them" 2 'module no_such_module is not loaded' "$tool" 'no_such_module:do_*'
	expect "a glob that matches nothing: 2" 2 "no_such_function_\*" "$tool" 'no_such_function_*'
	expect "an unknown fentry function: 2" 2 "do_sys_openat2" "$tool" fentry:do_sys_openatt
	expect "an unknown kprobe function: 2" 2 "do_sys_openat2" "$tool" kprobe:do_sys_openatt
	test_tracepoints
	expect "an offset beyond the function: 2" 2 "do_sys_openat2" "$tool" kprobe:do_sys_openat2+0xffff
	expect_out "an unknown function: nothing on stdout" 2 '' "$tool" do_sys_openatt
	expect_out "list is 0" 0 'do_sys_openat2.*fexit' "$tool" list 'do_sys_openat*'
	expect "list that matches nothing is 1" 1 '' "$tool" list 'no_such_function_*'
}

# What is not there now can let nothing through: said before anything is armed.
test_filters() {
	local thread
	expect "-p of no process: 2, it is named" 2 '--pid 4194304: there is no such process' \
		"$tool" -p 4194304 do_sys_openat2
	python3 -c 'import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()' &
	for _ in $(seq 100); do
		thread=$(find /proc/$!/task -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | grep -vx $!) && break
		sleep 0.1
	done
	expect "-p of a thread: 2, its process is named" 2 "--pid $thread is a thread of process $!;" \
		"$tool" -p "$thread" do_sys_openat2
	kill $!
	wait $! 2>/dev/null
	expect "-C of no CPU that is online: 2" 2 '--cpu: none of these CPUs is online' "$tool" -C 8191 do_sys_openat2
	if unshare -p -f true 2>/dev/null; then
		expect "-p in a PID namespace: 2" 2 'PID namespace' unshare -p -f "$tool" -p 1 do_sys_openat2
		expect "a command in a PID namespace: 2" 2 'PID namespace' \
			unshare -p -f "$tool" do_sys_openat2 -- touch "$scratch/ran-there"
	else
		skip "a PID namespace" "unshare is not permitted"
	fi
}

# libbpf looks for an image with them in these, too. What it says itself is for -v -v.
test_no_types() {
	# shellcheck disable=SC2016 # the inner shell expands it
	local without='for dir in /sys/kernel/btf /boot /usr/lib/debug; do
			[ ! -d $dir ] || mount -t tmpfs none $dir || exit
		done
		exec "$@"'
	if ! unshare -m sh -c "$without" sh true 2>/dev/null; then
		skip "a kernel that describes no types" "unshare is not permitted"
		return
	fi
	expect "a kernel that describes no types: 2" 2 'CONFIG_DEBUG_INFO_BTF=y' \
		unshare -m sh -c "$without" sh "$tool" list do_sys_openat2
	if [ "$(wc -l <"$scratch/err")" = 1 ]; then
		ok "a kernel that describes no types: that is told once, by us"
	else
		not_ok "a kernel that describes no types: that is told once, by us" "$scratch/err"
	fi
	expect "... with libbpf's words, too: 2" 2 '^libbpf: ' unshare -m sh -c "$without" sh "$tool" -v -v do_sys_openat2
}

# A signal before tracing began has nothing to print, and must not wait until all is armed.
test_early_signals() {
	local signal
	mkfifo "$scratch/fifo"
	for signal in INT TERM HUP; do
		# nobody reads the pipe: there it waits
		"$tool" -o "$scratch/fifo" do_sys_openat2 >"$scratch/out" 2>"$scratch/err" &
		# this shell's child, before it is the tool, catches signals, too, and ends by them
		for _ in $(seq 600); do
			[ "/proc/$!/exe" -ef "$tool" ] && grep -q '^SigCgt:.*[1-9a-f]' "/proc/$!/status" && break
			sleep 0.1
		done
		kill -s "$signal" $!
		wait $!
		status=$?
		judge "SIG$signal before tracing began: 1" 1 'stopped before tracing began' "$scratch/err"
	done
}

test_no_lbr() {
	if compgen -G '/sys/bus/event_source/devices/cpu*/caps/branches' >/dev/null; then
		skip "no LBR: 3" "this machine has one"
		return
	fi
	expect "no LBR: 3, and why" 3 \
		'no usable LBR: .*(virtual machine|performance counters|LbrExtV2|driver knows no).*make demo' \
		"$tool" do_sys_openat2
	expect "no LBR: what needs none is named" 3 'no usable LBR: .*: lbrsnoop why -- COMMAND$' \
		"$tool" do_sys_openat2
	expect "... with the command of the trace" 3 \
		"no usable LBR: .*: lbrsnoop why -e EIO -- touch '/x y'\$" \
		"$tool" -e EIO do_sys_openat2 -- touch '/x y'
	expect "... with its process" 3 'no usable LBR: .*: lbrsnoop why -p 1$' "$tool" -p 1 do_sys_openat2
	expect "... not for what is no error" 3 'no usable LBR: .*make demo$' "$tool" -e none do_sys_openat2
	expect_out "no LBR: nothing on stdout" 3 '' "$tool" do_sys_openat2
	expect "no LBR: the command behind -- does not run" 3 'no usable LBR' \
		"$tool" do_sys_openat2 -- touch "$scratch/ran"
	if [ -e "$scratch/ran" ]; then
		not_ok "the command did not run"
	else
		ok "the command did not run"
	fi
	expect "a command that does not exist: 2, before all else that may be wrong with the machine" 2 \
		'no-such-command: No such file' "$tool" do_sys_openat2 -- no-such-command
	expect "a command that may not be executed: 2" 2 'kept: Permission denied' \
		env PATH="$scratch" "$tool" do_sys_openat2 -- kept
	if [ "$(wc -l <"$scratch/err")" = 1 ]; then
		ok "no LBR: that, and nothing else"
	else
		not_ok "no LBR: that, and nothing else" "$scratch/err"
	fi
	expect "no LBR: --deep, too" 3 "no usable LBR: .*: lbrsnoop why -- touch $scratch/ran\$" \
		"$tool" --deep do_sys_openat2 -- touch "$scratch/ran"
	if [ -e "$scratch/ran" ]; then
		not_ok "--deep: the command did not run"
	else
		ok "--deep: the command did not run"
	fi
	expect "--deep: a command that does not exist: 2" 2 'no-such-command: No such file' \
		"$tool" --deep do_sys_openat2 -- no-such-command
	expect "no LBR: -q keeps the error" 3 'no usable LBR' "$tool" -q do_sys_openat2
	expect "no LBR: --json, too" 3 'no usable LBR' "$tool" --json do_sys_openat2
}

test_output() {
	expect "-o into no directory: 2, the file is named" 2 "$scratch/none/file" \
		"$tool" -o "$scratch/none/file" do_sys_openat2
	expect "-o onto a directory: 2" 2 "$scratch: " "$tool" -o "$scratch" do_sys_openat2
	echo precious >"$scratch/kept"
	run_it "$tool" -o "$scratch/kept" do_sys_openatt
	if [ "$(cat "$scratch/kept")" = precious ]; then
		ok "a mistyped target leaves the file of -o as it was"
	else
		not_ok "a mistyped target leaves the file of -o as it was"
	fi
	expect "help to a full device: 2" 2 'No space left' sh -c '"$0" help >/dev/full' "$tool"
	expect "--help to a full device: 2" 2 'No space left' sh -c '"$0" --help >/dev/full' "$tool"
	expect "a file at its limit: 2" 2 'standard output: File too large' \
		sh -c 'ulimit -f 1; exec "$0" report --json tests/data/capture/skylake-hw.lbr >"$1"' "$tool" "$scratch/limited"
	expect "help to a closed stdout: 2" 2 'Bad file descriptor' sh -c '"$0" help >&-' "$tool"
	if may_trace && [ -r /sys/kernel/btf/vmlinux ]; then
		expect "list to a full device: 2" 2 'No space left' sh -c '"$0" list "*open*" >/dev/full' "$tool"
		expect "list to a closed stdout: 2" 2 'Bad file descriptor' sh -c '"$0" list "*open*" >&-' "$tool"
		expect "list into a pipe that closes ends quietly" 0 '' \
			bash -c '"$0" list "*" | head -n 1 >/dev/null; [ "${PIPESTATUS[0]}" -le 2 ]' "$tool"
	fi
	expect "all three streams closed: an exit status, no crash" 64 '' \
		bash -c '"$0" --frobnicate x <&- >&- 2>&-; exit $?' "$tool"
}

test_privilege
test_output
test_early_signals
if ! may_trace; then
	skip "targets, LBR" "$why_not"
elif ! [ -r /sys/kernel/btf/vmlinux ]; then
	skip "targets, LBR" "this kernel has no BTF (/sys/kernel/btf/vmlinux)"
else
	test_targets
	test_filters
	test_no_lbr
	test_no_types
fi
finish
