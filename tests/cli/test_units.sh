#!/bin/bash
# test_units - systemd accepts the units of examples/ and packaging/, and lbrsnoop the command lines in them
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

# As if it were installed, and with a state directory that is there.
mkdir "$scratch/state"
for unit in examples/*.service examples/*.timer packaging/*.service packaging/*.slice; do
	sed "s,/usr/local/sbin/lbrsnoop,$PWD/lbrsnoop,; s,/var/lib/lbrsnoop,$scratch/state,g" "$unit" \
		>"$scratch/${unit##*/}"
done

# systemd writes the instance of a template for %i.
commands() {
	sed -n 's/^ExecStart\(Pre\|\)=//p' "$scratch"/*.service |
		sed "s/%[iI]/no_such_function/g; s/^.bin.sh -c '\(.*\)'$/\1/; s/^exec //"
}
while read -r command; do
	run_it bash -c "$command"
	words=${command#* }
	if [ "$status" != 64 ] && [ "$status" -lt 126 ] && [ -s "$scratch/err" ]; then
		ok "ExecStart: lbrsnoop ${words/$scratch/}"
	else
		not_ok "ExecStart: lbrsnoop ${words/$scratch/}" "$scratch/err"
		comment "exit status $status"
	fi
done < <(commands)

if ! command -v systemd-analyze >/dev/null; then
	skip "systemd-analyze verify" "systemd-analyze is not installed"
	finish
fi
for unit in "$scratch"/*.service "$scratch"/*.timer "$scratch"/*.slice; do
	expect "systemd-analyze verify ${unit##*/}" 0 '' systemd-analyze --man=no verify "$unit"
done
# Issue 22: at most 3.0; systemd-analyze counts in tenths.
for unit in "$scratch"/*.service; do
	run_it systemd-analyze security --offline=yes --threshold=30 "$unit"
	if [ "$status" = 0 ]; then
		ok "systemd-analyze security ${unit##*/}"
	else
		grep -E '✗|Overall' "$scratch/out" >"$scratch/exposed"
		not_ok "systemd-analyze security ${unit##*/}" "$scratch/exposed" "$scratch/err"
	fi
done
# The DaemonSet's configuration is right, and its capabilities, all of them, arm what it names; here, without its
# image, that is a tracepoint.
if ! may_trace || ! may_mount; then
	skip "the DaemonSet" "$why_not"
elif ! caps=$(tests/cli/daemonset.py examples/container/daemonset.yaml "$scratch/container.conf" 2>"$scratch/err"); then
	not_ok "the DaemonSet holds together" "$scratch/err"
else
	expect "the DaemonSet's configuration" 0 '' ./lbrsnoop watch --check "$scratch/container.conf"
	printf '[Watch]\nTarget=tracepoint:syscalls:sys_exit_chdir\n[Export]\nOTLP=%s\n' "$scratch/container.otlp" >"$scratch/container.conf"
	# contained CAPABILITIES: the service, for a second, without /proc/kcore, as container runtimes have it
	contained() {
		unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
			[ ! -e /proc/kcore ] || mount --bind /dev/null /proc/kcore
			exec setpriv --no-new-privs --bounding-set="-all,$0" --inh-caps=-all --ambient-caps=-all timeout 1 "$@"' \
			"$1" ./lbrsnoop watch --no-lbr "$scratch/container.conf"
	}
	# 124: it was still there
	expect "the DaemonSet's capabilities: $caps" 124 'tracing tracepoint:syscalls:sys_exit_chdir' contained "$caps"
	for cap in bpf perfmon; do
		expect "... without CAP_${cap^^}" 4 "CAP_${cap^^}" contained "$(sed "s/+$cap,//" <<<"$caps")"
	done
fi

# It says so where something is wrong.
sed 's/^Restart=on-failure/Restart=on-failures/' "$scratch/lbrsnoop@.service" >"$scratch/wrong@.service"
run_it systemd-analyze --man=no verify "$scratch/wrong@.service"
judge "a wrong value is refused" "$status" 'on-failures' "$scratch/err"
finish
