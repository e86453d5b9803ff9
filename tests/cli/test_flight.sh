#!/bin/bash
# test_flight - flight recorders in this machine's BPF file system: one process each, nothing else's
# files; armed without an LBR (--no-lbr), which takes root
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

target=rawtracepoint:sys_enter
if [ -z "${TEST_FLIGHT_INSIDE:-}" ]; then
	# Whatever is called like a recorder's files, elsewhere
	mkdir "$scratch/own"
	touch "$scratch/own/armed-1-0" "$scratch/own/records"
	for option in --stop --discard; do
		expect "$option of a directory elsewhere: 2" 2 'there is none: it is not in a BPF file system' \
			./lbrsnoop record --flight="$scratch/own" $option
		if [ -e "$scratch/own/armed-1-0" ] && [ -e "$scratch/own/records" ]; then
			ok "$option of a directory elsewhere removes nothing"
		else
			not_ok "$option of a directory elsewhere removes nothing"
		fi
	done
	expect "report of a file elsewhere: 2, not 4" 2 'there is none: it is not in a BPF file system' \
		./lbrsnoop report --flight="$scratch/own/records"
	for option in --summary --interval=1 --trace-json="$scratch/trace"; do
		expect "record --flight $option: nothing would be in it" 64 'for .lbrsnoop report' \
			./lbrsnoop record --flight "$option" f
	done

	if ! may_trace || ! may_mount; then
		skip "recorders" "$why_not"
		finish
	fi
	# A BPF file system of its own: what is pinned in it goes with it.
	# shellcheck disable=SC2016
	TEST_FLIGHT_INSIDE=1 unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; mkdir "$1/bpf" &&
		mount -t bpf bpf "$1/bpf" && exec "$2" "$1/bpf"' sh "$scratch" "$0" || verdicts_failed=1
	finish
fi

bpf=$1
run_it ./lbrsnoop record -q --no-lbr --flight="$bpf/try" -c none-such -t 0.1 $target
if [ "$status" != 1 ]; then
	skip "recorders" "cannot be armed here: $(head -n 1 "$scratch/err")"
	finish
fi

# What a function would have to do says nothing of a tracepoint.
expect "nothing came: no word of functions that do not fail" 1 'nothing of it happened' \
	./lbrsnoop --no-lbr -c none-such -t 0.1 $target

# record DIRECTORY NAME: in the background; its number in $pid, its stderr in $scratch/NAME
record() {
	./lbrsnoop record --no-lbr --flight="$1" -c none-such -t 120 $target 2>"$scratch/$2" &
	pid=$!
}

# Both are through with looking whether one is armed before the other has armed its.
failed=0
for round in 1 2 3; do
	record "$bpf/race$round" one
	one=$pid
	record "$bpf/race$round" other
	other=$pid
	for ((i = 0; i < 1200; i++)); do
		cat "$scratch/one" "$scratch/other" 2>/dev/null | grep -q 'another lbrsnoop is recording\|one is armed already' &&
			cat "$scratch/one" "$scratch/other" | grep -q 'Ctrl-C ends' && break
		sleep 0.05
	done
	links=$(find "$bpf/race$round" -name 'armed-*' | wc -l)
	kill -KILL "$one" "$other" 2>/dev/null
	wait "$one" "$other" 2>/dev/null
	run_it ./lbrsnoop report --flight="$bpf/race$round"
	if [ "$i" = 1200 ] || [ "$links" != 1 ] || ! grep -q ': armed;' "$scratch/err"; then
		comment "round $round: $links links"
		failed=1
	fi
done
if [ $failed = 0 ]; then
	ok "two recorders of one directory: one is refused, the other survives SIGKILL"
else
	not_ok "two recorders of one directory: one is refused, the other survives SIGKILL" \
		"$scratch/one" "$scratch/other" "$scratch/err"
fi
expect "one that was left armed is not taken" 2 "one is armed already.*'--flight=$bpf/race1-2' makes another" \
	./lbrsnoop record --no-lbr --flight="$bpf/race1" -t 5 $target
expect "... but disarmed" 0 ': disarmed;' ./lbrsnoop record --flight="$bpf/race1" --stop
expect "a name that the file system does not have" 2 'has no dot' \
	./lbrsnoop record --no-lbr --flight="$bpf/race1.2" -t 5 $target

# Every system call of the machine, far more than lbrsnoop could stop after. On one that is idle nobody makes
# any but us, whose own do not count.
while :; do sleep 0.01; done &
busy=$!
expect "-n 3: 3 are told" 0 '3 snapshots captured' ./lbrsnoop record --no-lbr --flight="$bpf/few" -n 3 -t 60 $target
kill "$busy"
wait "$busy" 2>/dev/null
run_it ./lbrsnoop report --json --flight="$bpf/few"
if [ "$(wc -l <"$scratch/out")" = 3 ]; then
	ok "... and 3 are kept"
else
	not_ok "... and 3 are kept" "$scratch/err"
	comment "$(wc -l <"$scratch/out") are"
fi

record "$bpf/stop/" live
await "$scratch/live" 'Ctrl-C ends'
expect "--stop of one that lives" 0 ': disarmed;' ./lbrsnoop record --flight="$bpf/stop" --stop
# It has let go of the recorder then; what it frees before it is gone takes its time.
for ((i = 0; i < 1200; i++)); do
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.05
done
if kill -KILL "$pid" 2>/dev/null; then
	not_ok "it ends when --stop has" "$scratch/live"
else
	ok "it ends when --stop has"
fi
wait "$pid"
status=$?
judge "... as by Ctrl-C" 1 'somebody disarms the recorder' "$scratch/live"

# What only looks like one
mkdir "$bpf/foreign"
if command -v bpftool >/dev/null &&
	bpftool map create "$bpf/foreign/records" type array key 4 value 4096 entries 2 name x flags 0x400; then
	expect "a map of somebody else" 2 'is not a flight recorder of lbrsnoop' ./lbrsnoop report --flight="$bpf/foreign"
	python3 - "$bpf/foreign/records" <<'END'
import struct, subprocess, sys
page = struct.pack("<QQQIIIIII", 0x9d3f61c5a27be84d, 0x5be07a9c13d82f76, 1, 3, 1, 0, 1, 1, 0).ljust(4096, b"\0")
subprocess.run(["bpftool", "map", "update", "pinned", sys.argv[1], "key", "0", "0", "0", "0", "value"] +
               [str(byte) for byte in page], check=True)
END
	expect "a recorder of a version to come: said" 2 'a newer lbrsnoop' ./lbrsnoop report --flight="$bpf/foreign"
else
	skip "maps of others" "no bpftool"
fi
finish
