#!/bin/bash
# not quick: a minute, for 50 recorders
# test_flood - a recorder under a flood: killed at random moments, and on a disk that fills up
#
# Records come through the real ring buffer (tests/bench/inject.c), 32 entries each, numbered in
# their thread id. Whatever the recorder had taken and written must be in the file, in order and
# without a hole; what it had taken last, a batch at most, may be lost with it.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/capture/skylake-mixed.lbr
kills=50
# tests/vm/test_host: a guest is slow
[ -z "${LBRSNOOP_IN_PART:-}" ] || kills=3
batch=32 # BATCH of src/cmd/trace/recording.c

SEED=${SEED:-$RANDOM}
comment "SEED=$SEED takes these moments again"
RANDOM=$SEED
if ! may_trace; then
	skip flood "$why_not"
	finish
fi
if ! unshare --mount mount -t tmpfs none /mnt 2>/dev/null; then
	skip flood "no mount namespace of our own here"
	finish
fi
tests/bench/records.py "$capture" "$scratch/some" 512 || exit 2
# those whose LBR was full: their size in the ring buffer is one
python3 - "$scratch/some" "$scratch/records" <<'END' || exit 2
import struct, sys
COUNT_AT = 40 # see struct record
data = open(sys.argv[1], "rb").read()
size = len(data) // 512
full = [data[i:i + size] for i in range(0, len(data), size)
        if struct.unpack_from("<I", data, i + COUNT_AT)[0] > 16]
assert full
open(sys.argv[2], "wb").write(b"".join(full))
END

record_bytes=$(($(stat -c %s "$scratch/some") / 512))

# start FILE: a recorder in the background, armed; sets pid
start() {
	rm -f "$scratch/err"
	tests/bench/captured_host "$capture" ./lbrsnoop record --no-lbr -o "$1" rawtracepoint:neigh_create \
		2>"$scratch/err" </dev/null &
	pid=$!
	for _ in $(seq 600); do
		grep -q -s tracing "$scratch/err" && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	return 1
}

if ! start "$scratch/try.lbr"; then
	skip flood "no recorder can be armed here: $(tail -n 1 "$scratch/err")"
	finish
fi
kill -INT "$pid"
wait "$pid"

# numbers FILE LOST: those of its snapshots are 0, 1, 2, ..., where at most LOST found no room in the
# ring buffer, as the kernel counted; prints how many there are. Of a line its begin and its end are
# looked at: that all of it is JSON, cli/schema says.
numbers() {
	./lbrsnoop report --json --branches --no-lines "$1" 2>"$scratch/report-err" | python3 -c '
import re, sys
count, due, lost = 0, 0, int(sys.argv[1])
for line in sys.stdin.buffer:
    match = re.match(rb"\{[^\[\]{}]*\"tid\":(\d+),", line)
    if not match or not line.endswith(b"}\n"):
        sys.exit(f"not a snapshot: {line[:200]}")
    tid = int(match[1])
    if tid < due or tid - due > lost:
        sys.exit(f"number {tid} stands where {due} is due, {lost} lost")
    lost -= tid - due
    due = tid + 1
    count += 1
print(count)' "$2" 2>"$scratch/hole"
}

fewest=999999999 most=0 behind_most=0
for i in $(seq "$kills"); do
	file=$scratch/$i.lbr
	start "$file" || {
		not_ok "kill -9, $i: armed" "$scratch/err"
		break
	}
	# the shell is not to tell that it was killed
	disown "$pid"
	# Up to 300 ms of it. A machine that is slow may have taken nothing by then: the first is killed
	# in the middle of a flood, when 200 have been taken.
	count=$((RANDOM % 3000 + 1)) taken=()
	if [ "$i" = 1 ]; then
		count=200000 taken=($((200 * (record_bytes + 8))))
	fi
	build/tests/bench/inject "$pid" "$scratch/records" 10000 "$count" --kill "${taken[@]}" \
		>"$scratch/injected" 2>"$scratch/inject-err" || {
		not_ok "kill -9, $i: records" "$scratch/inject-err" "$scratch/err"
		break
	}
	# each has 8 bytes before it in the ring buffer
	read -r injected _ full no_slot waiting <"$scratch/injected"
	taken=$((injected - full - no_slot - waiting / (record_bytes + 8)))
	count=$(numbers "$file" $((full + no_slot)))
	if [ -z "$count" ]; then
		not_ok "kill -9, $i: the file can be read, without a hole" "$scratch/hole" "$scratch/report-err"
		break
	fi
	# Killed between writing a batch and giving its last record back, it has taken one more.
	if [ "$count" -gt $((taken + 1)) ] || [ $((taken - count)) -gt "$batch" ]; then
		not_ok "kill -9, $i: $count snapshots in the file, $taken were taken of $injected"
		break
	fi
	if ! grep -q -E 'no end mark|cut off' "$scratch/report-err"; then
		not_ok "kill -9, $i: it is said how it ended" "$scratch/report-err"
		break
	fi
	fewest=$((count < fewest ? count : fewest))
	most=$((count > most ? count : most))
	behind_most=$((taken - count > behind_most ? taken - count : behind_most))
	rm -f "$file"
done
if [ "$verdicts_failed" = 0 ]; then
	if [ "$most" -gt 100 ]; then
		ok "kill -9 at $kills moments: every file can be read, no record is missing"
		comment "$fewest to $most snapshots in a file; the last $behind_most at most not written yet"
	else
		not_ok "kill -9: some snapshots in one of the files at least"
	fi
fi

# 1 MiB of room, in a mount namespace of its own
mkdir "$scratch/small"
full_disk() {
	mount -t tmpfs -o size=1m none "$scratch/small" || return 2
	start "$scratch/small/x.lbr" || return 2
	timeout 60 build/tests/bench/inject "$pid" "$scratch/records" 50000 200000 >"$scratch/injected"
	kill -INT "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	cp "$scratch/err" "$scratch/said"
	: >"$scratch/out"
	judge "a full disk: 2, and it says so" 2 \
		'small/x.lbr: No space left on device; the [0-9]+ snapshots before can be read' "$scratch/err"
	said=$(sed -n -E 's/.*device; the ([0-9]+) snapshots.*/\1/p' "$scratch/said")
	read -r _ _ full no_slot _ <"$scratch/injected"
	count=$(numbers "$scratch/small/x.lbr" $((full + no_slot)))
	if [ -n "$count" ] && [ "$count" -gt 100 ] && [ "$count" -le "${said:-0}" ] &&
		[ $((said - count)) -le "$batch" ]; then
		ok "a full disk: what was written can be read: $count of $said"
	else
		not_ok "a full disk: what was written can be read" "$scratch/hole" "$scratch/said"
		comment "${count:-none} can be read"
	fi
	return $((verdicts_failed > 0))
}
export scratch capture batch verdicts_failed
export -f full_disk start numbers judge ok not_ok comment
unshare --mount bash -c full_disk || verdicts_failed=$((verdicts_failed + 1))
finish
