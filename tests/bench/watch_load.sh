#!/bin/bash
# watch_load.sh - on this machine, without an LBR: the service under two programs whose calls fail
#
#     unshare -m tests/bench/watch_load.sh CALLS WORK
#
# Prints "SECONDS CPU_PERCENT RESIDENT_KB CAPTURED DELIVERED LEFT_OUT LOST", of CALLS failing calls of each program
# with WORK instructions between two of them, and the budgets that hold by themselves.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
printf '[Watch]\nComm=failload\nTarget=tracepoint:syscalls:sys_exit_openat\n[Export]\nOTLP=%s\n' "$work/otlp" >"$work/conf"

# cpu_ticks: of the service, so far
cpu_ticks() {
	sed 's/.*) //' "/proc/$service/stat" | awk '{ print $12 + $13 }'
}

./lbrsnoop watch --no-lbr "$work/conf" 2>"$work/err" &
service=$!
for ((tries = 0; tries < 600; tries++)); do
	grep -q ': tracing ' "$work/err" && break
	kill -0 "$service" 2>/dev/null || break
	sleep 0.1
done
# Arming is not in the budget.
sleep 2
before=$(cpu_ticks) began=$EPOCHREALTIME
for program in 1 2; do
	build/tests/vm/failload open "$1" "$2" >"$work/load.$program" &
	loads[program]=$!
done
wait "${loads[@]}"
after=$(cpu_ticks) ended=$EPOCHREALTIME
resident=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$service/status")
kill -TERM "$service"
wait "$service" || {
	cat "$work/err" >&2
	exit 1
}
awk -v b="$began" -v e="$ended" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" -v resident="$resident" \
	-v said="$(sed -n 's/.* \([0-9]*\) snapshots captured: \([0-9]*\) delivered, \([0-9]*\) left out; \([0-9]*\) events lost/\1 \2 \3 \4/p' "$work/err")" \
	'BEGIN { printf "%.1f %.2f %s %s\n", e - b, 100 * ticks / hz / (e - b), resident, said }'
