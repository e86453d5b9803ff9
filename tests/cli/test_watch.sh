#!/bin/bash
# test_watch - the service: its configuration, its budgets, a reload, its end; what it tells adds up
#
# What it watches here are tracepoints, without an LBR; vm/output runs a part of this with one, of functions.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/cli/journald.sh
. tests/cli/journald.sh
scratch_make
name=lbrwatch
kinds=tracepoints
targets=(tracepoint:syscalls:sys_exit_{openat,close,kill,chdir})
options=(--no-lbr)
export LC_ALL=C.UTF-8

# configure FILE LINE...: what holds for all, and the lines
configure() {
	local file=$1
	shift
	{
		printf '[Watch]\nComm=%s\n' "$name"
		printf 'Target=%s\n' "${targets[@]}"
		printf '[Budget]\nCPUShare=0%%\nMemory=0\nSnapshotsPerSec=0\nRecordsPerSec=0\nBytesPerSec=0\n'
		printf '[Export]\nCountIntervalSec=1\n'
		printf '%s\n' "$@"
	} >"$file"
}

# start CONFIG: the service, in the background; armed, or false. Its process is in $pid
start() {
	: >"$work/err"
	: >"$work/told"
	NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=400000 ./lbrsnoop watch "${options[@]}" "$1" >"$work/out" 2>"$work/err" &
	pid=$!
	await "$work/told" '^READY=1$'
}

# stop: by SIGTERM; sets status, captured, delivered, left
stop() {
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	read -r captured delivered left < <(sed -n \
		's/.* \([0-9]*\) snapshots captured: \([0-9]*\) delivered, \([0-9]*\) left out; 0 events lost/\1 \2 \3/p' "$work/err")
}

fail() {
	tests/cli/failures.py "$name" || not_ok "the calls fail as they should"
}

# loaded PROGRAM...: how many of these BPF programs the kernel has
loaded() {
	local prog count=0
	for prog in "$@"; do
		! PATH=$PATH:/usr/sbin bpftool prog show id "$prog" >/dev/null 2>&1 || count=$((count + 1))
	done
	echo "$count"
}

# entries: what the journal has of it since this was asked last, in $work/entries
entries() {
	journalctl --sync >/dev/null 2>&1
	journalctl -o json --no-pager --cursor-file="$work/cursor" SYSLOG_IDENTIFIER=lbrsnoop >"$work/entries" 2>/dev/null
}

# captures DIR: those that the journal has of all services, as files there
captures() {
	mkdir -p "$1"
	journalctl -o export --no-pager SYSLOG_IDENTIFIER=lbrsnoop >"$work/export" 2>/dev/null
	tests/cli/exports.py captures "$work/export" "$1"
}

# adds_up NAME WHAT TIMES FILE [PART]: what is told is what the service says of it; PART of it was
# delivered: all, some, none
adds_up() {
	local said
	if ! said=$(tests/cli/watched.py "$2" "$kinds" "$3" "${captured:-0}" "$4" 2>"$scratch/said"); then
		not_ok "$1" "$scratch/said" "$work/err"
	elif [ "$said" != "$delivered $left" ]; then
		not_ok "$1" "$work/err"
		comment "there are '$said', the service says '$delivered $left'"
	elif [ "${5:-all}" = all ] && [ "$left" != 0 ]; then
		not_ok "$1" "$work/err"
	elif [ "${5:-all}" = some ] && { [ "$left" = 0 ] || [ "$delivered" = 0 ]; }; then
		not_ok "$1: some are left out, and some not" "$work/err"
	elif [ "${5:-all}" = none ] && [ "$delivered" != 0 ]; then
		not_ok "$1" "$work/err"
	else
		ok "$1"
	fi
}

test_tells() {
	# A path in full once, its count at the end and across a reload; all of what it promises a service manager.
	configure "$work/all.conf" Journal=yes "OTLP=$work/otlp" "Metrics=$work/metrics"
	start "$work/all.conf" || not_ok "it is armed" "$work/err"
	entries
	fail
	is "ready once" "$(grep -c '^READY=1$' "$work/told")" 1
	if await "$work/told" '^WATCHDOG=1$' 3; then
		ok "the watchdog is told"
	else
		not_ok "the watchdog is told" "$work/told"
	fi
	echo 'Taget=x' >>"$work/all.conf"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 2
	if grep -q "all.conf:[0-9]*: key Taget: there is none" "$work/err" &&
		grep -q 'not reloaded; what was configured before goes on' "$work/err"; then
		ok "a wrong configuration is not taken"
	else
		not_ok "a wrong configuration is not taken" "$work/err"
	fi
	sed -i '$d' "$work/all.conf"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 3
	is "a reload begins with RELOADING=1, and the time" \
		"$(grep -c '^RELOADING=1$' "$work/told") $(grep -c '^MONOTONIC_USEC=[0-9]*$' "$work/told")" "2 2"
	fail
	await "$work/told" '^STATUS=4 places, 6 paths; ' || not_ok "the status" "$work/told"
	stop
	is "SIGTERM: status 0" "$status" 0
	await "$work/told" '^STOPPING=1$' || not_ok "the end is told" "$work/told"
	entries
	adds_up "journal: each path once in full, all counted" journal 2 "$work/entries"
	adds_up "OTLP: each path once in full, all counted" otlp 2 "$work/otlp"
	adds_up "metrics: all counted" metrics 2 "$work/metrics"
	if command -v promtool >/dev/null; then
		expect "metrics: promtool" 0 '' sh -c "promtool check metrics <'$work/metrics'"
	fi
	if python3 -c 'import jsonschema' 2>/dev/null; then
		expect "OTLP: the published schema" 0 '' python3 - "$work/otlp" <<-'END'
			import json, sys, jsonschema
			schema = jsonschema.Draft202012Validator(json.load(open("tests/data/otlp_logs.schema.json")))
			for line in open(sys.argv[1]):
			    schema.validate(json.loads(line))
		END
	fi

	expect_installed "OTLP: protobuf's own reader" "protobuf-compiler or python3-protobuf" tests/cli/otlp_proto.py "$work/otlp"

	# The report reads it: tests/cli/exports.py holds other journals against it.
	run_it ./lbrsnoop report -q --no-lines --journal --story --json
	is "report --journal --story has each path once" "$status $(grep -c '"path_id"' "$scratch/out")" "0 6"
	is "... and they are those of the journal" "$(grep -o '"path_id":"[0-9a-f]*"' "$scratch/out" | sort)" \
		"$(sed -n 's/.*"LBRSNOOP_PATH_ID":"\([0-9a-f]*\)".*/"path_id":"\1"/p' "$work/entries" | sort -u)"
	expect "... as text" 0 '' ./lbrsnoop report -q --no-lines --journal --story -o "$scratch/text"
	grep -q 'sys_exit_openat() = -ENOENT' "$scratch/text" || not_ok "... which has its errors" "$scratch/text"
	run_it ./lbrsnoop report --journal --json --top 100
	is "report --journal has the paths" "$(grep -c '"kind":"tracepoint".*"function":"sys_exit_\|"function":"sys_exit_.*"kind":"tracepoint"' "$scratch/out")" 6
}

test_reloads() {
	# Other targets, other sinks.
	configure "$work/other.conf" Journal=yes
	start "$work/other.conf" || not_ok "it is armed" "$work/err"
	fail
	configure "$work/other.conf" "OTLP=$work/otlp2"
	sed -i 's/^Target=.*_chdir/Target=tracepoint:syscalls:sys_exit_none/' "$work/other.conf"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 2
	is "a target that is not here is left out" "$(grep -c 'this target is left out' "$work/err")" 1
	fail
	stop
	entries
	is "other sinks: both have what was theirs" "$captured $delivered $left" "980 980 0"
	captured=500 delivered=500 adds_up "other sinks: the journal before" journal 1 "$work/entries"
	is "other sinks: the file behind" "$(grep -c '"process.pid"' "$work/otlp2")" 5

	# One that cannot be armed at all: back to the one before.
	configure "$work/none.conf" Journal=yes
	start "$work/none.conf" || not_ok "it is armed" "$work/err"
	sed -i 's/sys_exit_.*/sys_exit_none/' "$work/none.conf"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 2
	fail
	stop
	entries
	is "what cannot be armed: said" "$(grep -c 'cannot be armed; back to what was configured before' "$work/err")" 1
	adds_up "what cannot be armed: back to the one before" journal 1 "$work/entries"
}

test_budgets() {
	# Budgets.
	configure "$work/rate.conf" Journal=yes
	sed -i 's/^SnapshotsPerSec=.*/SnapshotsPerSec=20/' "$work/rate.conf"
	start "$work/rate.conf"
	fail
	stop
	entries
	adds_up "SnapshotsPerSec: the others are counted" journal 1 "$work/entries" some
	configure "$work/records.conf" Journal=yes CountIntervalSec=3600
	sed -i 's/^RecordsPerSec=.*/RecordsPerSec=1/' "$work/records.conf"
	start "$work/records.conf"
	fail
	stop
	entries
	adds_up "RecordsPerSec: what had to wait comes later" journal 1 "$work/entries"
	configure "$work/bytes.conf" Journal=yes CountIntervalSec=3600
	sed -i 's/^BytesPerSec=.*/BytesPerSec=20/' "$work/bytes.conf"
	start "$work/bytes.conf"
	fail
	stop
	entries
	adds_up "BytesPerSec: what does not fit is counted" journal 1 "$work/entries" some
	is "BytesPerSec: no capture takes what ten seconds allow" "$(grep -c '"LBRSNOOP_CAPTURE":' "$work/entries")" 0
	is "... which is said" "$(grep -c '"LBRSNOOP_CAPTURE_LEFT_OUT":"budget"' "$work/entries")" \
		"$(grep -c 0fa067c5e94549c6bac266c297feb233 "$work/entries")"
	# A capture takes what some seconds allow: the paths wait for them, and for no interval.
	configure "$work/captures.conf" Journal=yes CountIntervalSec=3600
	sed -i 's/^BytesPerSec=.*/BytesPerSec=1K/' "$work/captures.conf"
	start "$work/captures.conf"
	entries
	fail
	sleep 3
	entries
	is "CaptureBytes: paths leave one after the other" "$(($(grep -c 0fa067c5e94549c6bac266c297feb233 "$work/entries") > 1))" 1
	cp "$work/entries" "$work/some"
	stop
	entries
	cat "$work/some" "$work/entries" >"$work/all"
	adds_up "CaptureBytes: what waited is told at the end" journal 1 "$work/all"
	is "CaptureBytes: how many were sent with one, and without" \
		"$(sed -n 's/.* \([0-9]*\) paths told with their capture, \([0-9]*\) without.*/\1 \2/p' "$work/err")" \
		"$(grep -c '"LBRSNOOP_CAPTURE":' "$work/all") $(grep -c '"LBRSNOOP_CAPTURE_LEFT_OUT":"budget"' "$work/all")"
	sed -i 's/^BytesPerSec=.*/&\nCaptureBytes=100/' "$work/captures.conf"
	start "$work/captures.conf"
	fail
	stop
	entries
	is "CaptureBytes: what is larger is left out, and said" "$(grep -c '"LBRSNOOP_CAPTURE_LEFT_OUT":"size"' "$work/entries")" 6
	expect "CaptureBytes: a number that is too large" 64 "CaptureBytes: '2M': expected a number of bytes up to 1048576" \
		sh -c "sed 's/^CaptureBytes=.*/CaptureBytes=2M/' '$work/captures.conf' >'$work/large.conf'; ./lbrsnoop watch --check '$work/large.conf'"
	configure "$work/memory.conf" Journal=yes
	sed -i 's/^Memory=.*/Memory=16M/' "$work/memory.conf"
	start "$work/memory.conf"
	await "$work/err" 'memory: more than Memory= allows' && fail
	stop
	entries
	adds_up "Memory: paths that are not known yet are left out" journal 1 "$work/entries" none
}

test_full_disk() {
	# A disk that is full, and has room again: no line is cut, none is lost.
	mkdir "$work/disk"
	if mount -t tmpfs -o size=4k tmpfs "$work/disk"; then
		configure "$work/full.conf" "OTLP=$work/disk/otlp"
		start "$work/full.conf"
		fail
		await "$work/err" 'disk/otlp: No space left on device; it is tried again' || not_ok "a full disk is said" "$work/err"
		expect "a full disk: no line is cut" 0 '' python3 -c 'import json, sys
[json.loads(line) for line in open(sys.argv[1]).read().split("\n")[:-1]]' "$work/disk/otlp"
		mount -o remount,size=1m "$work/disk"
		await "$work/err" 'that has passed' || not_ok "it has room again" "$work/err"
		stop
		sum=$(tests/cli/watched.py otlp "$kinds" 1 "$captured" "$work/disk/otlp" 2>&1)
		is "a full disk that has room again: all is there" "$sum" "500 0"
		umount "$work/disk"
		mount -t tmpfs -o size=4k tmpfs "$work/disk"
		configure "$work/full.conf" "OTLP=$work/disk/otlp2"
		start "$work/full.conf"
		fail
		stop
		adds_up "a disk that stays full: what is missing is counted" otlp 1 "$work/disk/otlp2" some
		umount "$work/disk"
	fi
}

# A journald that is not there for a while, and a pipe that nobody reads.
test_deaf() {
	local socket=/run/systemd/journal/socket waker
	configure "$work/deaf.conf" Journal=yes
	start "$work/deaf.conf" || not_ok "it is armed" "$work/err"
	mv $socket $socket.away
	fail
	await "$work/err" 'journal/socket: No such file or directory; it is tried again' || not_ok "no journald: it is said" "$work/err"
	mv $socket.away $socket
	await "$work/err" 'that has passed' || not_ok "journald is there again" "$work/err"
	stop
	entries
	mv $socket $socket.away
	expect "no journald at all: it is said as the configuration says it" 2 '^lbrsnoop: Journal=: /run/systemd/journal/socket: No such file' \
		timeout 20 ./lbrsnoop watch "${options[@]}" "$work/deaf.conf"
	mv $socket.away $socket
	adds_up "no journald for a while: all is told later" journal 1 "$work/entries"
	is "no journald for a while: nothing is wrong at the end" "$(grep -c 'were not taken' "$work/err")" 0
	# One that is there, and does not read: with a full queue its socket waits, for ever.
	configure "$work/deaf.conf" Journal=yes
	start "$work/deaf.conf" || not_ok "it is armed" "$work/err"
	stop_journald
	fail
	await "$work/err" 'journal/socket: journald does not read; it is tried again' || not_ok "journald that does not read: it is said" "$work/err"
	: >"$work/told"
	if await "$work/told" '^WATCHDOG=1$' 5; then
		ok "journald that does not read: the watchdog is told all the same"
	else
		not_ok "journald that does not read: the watchdog is told all the same" "$work/err"
	fi
	kill -CONT "$journald_pid"
	await "$work/err" 'that has passed' || not_ok "journald reads again" "$work/err"
	stop
	entries
	adds_up "journald that does not read for a while: all is told later" journal 1 "$work/entries"
	start "$work/deaf.conf" || not_ok "it is armed" "$work/err"
	stop_journald
	fail
	(sleep 20 && kill -CONT "$journald_pid") >/dev/null 2>&1 &
	waker=$!
	stop
	is "journald that does not read: SIGTERM ends it" "$status $(ps -o stat= -p "$journald_pid" | cut -c 1)" "0 T"
	is "journald that does not read: all are left out" "$captured $delivered $left" "500 0 500"
	kill "$waker"
	kill -CONT "$journald_pid"
	entries
	mkfifo "$work/pipe"
	configure "$work/deaf.conf" "OTLP=$work/pipe"
	expect "OTLP: a pipe that nobody reads" 2 "OTLP=: $work/pipe: No such device or address; nobody reads" \
		timeout 20 ./lbrsnoop watch "${options[@]}" "$work/deaf.conf"
}

# stop_journald: it does not read any more, and its queue is full
stop_journald() {
	kill -STOP "$journald_pid"
	python3 -c 'import socket
sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sock.setblocking(False)
try:
    while True:
        sock.sendto(b"MESSAGE=more\n", "/run/systemd/journal/socket")
except BlockingIOError:
    pass'
}

# What becomes of the name of its file while it runs: whoever may write to the directory may do that.
test_metrics_name() {
	local dir=$work/metrics-dir
	mkdir "$dir"
	echo precious >"$work/precious"
	configure "$work/name.conf" "Metrics=$dir/m.prom"
	start "$work/name.conf" || not_ok "it is armed" "$work/err"
	await "$dir/m.prom" '^lbrsnoop_snapshots_total 0' || not_ok "metrics are written" "$work/err"
	ln -sf "$work/precious" "$dir/m.prom"
	await_file "$dir/m.prom"
	is "Metrics: what a link names is left alone" "$(cat "$work/precious")" precious
	rm "$dir/m.prom"
	mkfifo "$dir/pipe" && mv "$dir/pipe" "$dir/m.prom"
	await_file "$dir/m.prom"
	fail
	rm -r "$dir"
	await "$work/err" "Metrics=: $dir/m.prom: No such file or directory; make its directory; it is tried again" ||
		not_ok "Metrics: no directory" "$work/err"
	mkdir "$dir"
	await "$work/err" 'that has passed' || not_ok "Metrics: the directory is there again" "$work/err"
	stop
	adds_up "Metrics: neither a link nor a pipe nor no directory keeps it" metrics 1 "$dir/m.prom"
	if mount -t tmpfs -o ro tmpfs "$dir"; then
		start "$work/name.conf" || not_ok "it is armed" "$work/err"
		await "$work/err" "Metrics=: .*Read-only file system; in a unit with ProtectSystem=, ReadWritePaths= has to" ||
			not_ok "Metrics: what a unit has to allow" "$work/err"
		stop
		umount "$dir"
	fi
}

# await_file PATH: it is a regular file, and no link, within a minute
await_file() {
	local tries
	for ((tries = 0; tries < 1200; tries++)); do
		[ -f "$1" ] && ! [ -L "$1" ] && return
		sleep 0.05
	done
	not_ok "${1##*/} is a regular file again" "$work/err"
}

# least COMMAND...: of the number that it says, in half a second
least() {
	local tries
	for ((tries = 0; tries < 10; tries++)); do
		"$@"
		sleep 0.05
	done | sort -n | head -n 1
}

resident() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status"
}

descriptors() {
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}

# held: what the service has now: resident memory in kB, descriptors, BPF programs, maps and links of its own, and
# pinned objects of all. What it opens to read and closes again does not count, nor the 4 MB that it has while it
# arms anew, and frees just behind READY=1.
held() {
	local kinds
	kinds=$(cat /proc/"$pid"/fdinfo/* 2>/dev/null | sed -n 's/^\(prog_id\|map_id\|link_id\):.*/\1/p' | sort | uniq -c |
		awk '{ printf "%s ", $1 }')
	echo "$(least resident) $(least descriptors) ${kinds}$(find /sys/fs/bpf -mindepth 1 2>/dev/null | wc -l)"
}

# A day in minutes: in each hour failures, a file that is moved away, and two reloads with other targets. With FULL=1
# it is a whole day, of 100 failures a second: 8,640,000.
test_soak() {
	local hours=${FULL:+24} turns=${FULL:+720} margin=1024 hour lost field grown=0
	[ -z "${FULL:-}" ] || margin=256
	: "${hours:=3}" "${turns:=40}"
	mkdir -m 700 "$work/soak"
	configure "$work/soak.conf" Journal=yes "OTLP=$work/soak/otlp" "Metrics=$work/soak/metrics"
	entries
	STATE_DIRECTORY=$work/soak start "$work/soak.conf" || not_ok "it is armed" "$work/err"
	: >"$work/held"
	for ((hour = 1; hour <= hours; hour++)); do
		tests/cli/failures.py "$name" "$turns" || not_ok "the calls fail as they should"
		# It is made anew at the next interval, or by the reload.
		mv "$work/soak/otlp" "$work/soak/otlp.$hour" 2>/dev/null
		# One target fewer, and all of them again: armed anew twice.
		sed -i 's/^Target=.*_chdir/#&/' "$work/soak.conf"
		kill -HUP "$pid"
		await "$work/told" '^READY=1$' $((2 * hour)) || { not_ok "soak: the reload of hour $hour" "$work/err"; break; }
		sed -i 's/^#Target/Target/' "$work/soak.conf"
		kill -HUP "$pid"
		await "$work/told" '^READY=1$' $((2 * hour + 1)) || { not_ok "soak: the reload back, hour $hour" "$work/err"; break; }
		held >>"$work/held"
	done
	stop
	entries
	lost=$(sed -n 's/.* left out; \([0-9]*\) events lost/\1/p' "$work/err")
	captured=$(sed -n 's/.* \([0-9]*\) snapshots captured: .*/\1/p' "$work/err")
	is "soak: all of $hours hours are captured or counted as lost" "$((${captured:-0} + ${lost:-0}))" $((500 * turns * hours))
	comment "$captured captured, $lost lost; kB, descriptors, BPF objects, pinned:" "$(paste -sd ';' "$work/held")"
	# What it has in the last third of the day it has in the first; what is closed meanwhile is less.
	for ((field = 2; field <= $(awk 'NR == 1 { print NF }' "$work/held"); field++)); do
		grown=$((grown + ($(most last $field) > $(most first $field))))
	done
	is "soak: descriptors, BPF objects and pinned ones do not become more" "$grown" 0
	# Two pages for each reload would be 400 kB a day; in three hours malloc() is not settled yet.
	if [ "$(most last 1)" -le $(($(most first 1) + margin)) ]; then
		ok "soak: memory does not grow"
	else
		not_ok "soak: memory does not grow" "$work/held"
	fi
}

# most first|last FIELD: in this third of what was held
most() {
	local third=$((($(wc -l <"$work/held") + 2) / 3))
	{ [ "$1" = first ] && head -n "$third" "$work/held" || tail -n "$third" "$work/held"; } |
		cut -d ' ' -f "$2" | sort -n | tail -n 1
}

test_killed() {
	local tries progs
	# kill -9: the kernel has nothing of it any more.
	start "$work/all.conf"
	mapfile -t progs < <(cat /proc/"$pid"/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:blank:]]*//p' | sort -u)
	is "the kernel has its programs" "$((${#progs[@]} > 0)) $(loaded "${progs[@]}")" "1 ${#progs[@]}"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	for ((tries = 0; tries < 200; tries++)); do
		[ "$(loaded "${progs[@]}")" = 0 ] && break
		sleep 0.05
	done
	is "kill -9 leaves nothing armed" "$(loaded "${progs[@]}")" 0
}

# entries_until COUNT FILE: what the journal has of it, appended until so many snapshots are told
entries_until() {
	local tries sum
	for ((tries = 0; tries < 100; tries++)); do
		entries
		cat "$work/entries" >>"$2"
		sum=$(sed -n 's/.*"LBRSNOOP_COUNT":"\([0-9]*\)".*/\1/p' "$2" | paste -sd +)
		[ "$((${sum:-0}))" -ge "$1" ] && return
		sleep 0.1
	done
	not_ok "$1 snapshots are told" "$2"
}

# told_again NAME FULL [WARNING]: the service runs once more; so many paths are sent in full
told_again() {
	start "$work/again.conf" || not_ok "it is armed" "$work/err"
	fail
	stop
	entries
	is "$1" "$(grep -c "0fa067c5e94549c6bac266c297feb233" "$work/entries") $captured $delivered" "$2 500 500"
	if [ -n "${3:-}" ]; then
		grep -q -E "$3" "$work/err" || not_ok "$1: it is said" "$work/err"
	elif grep -q warning "$work/err"; then
		not_ok "$1: nothing is wrong" "$work/err"
	fi
}

# What was sent in full within the hour is not sent in full again, whatever ended the service.
test_restarts() {
	local state=$work/state
	mkdir -m 700 "$state"
	export STATE_DIRECTORY=$state:/none
	configure "$work/again.conf" Journal=yes "OTLP=$work/otlp5"
	entries
	start "$work/again.conf" || not_ok "it is armed" "$work/err"
	fail
	: >"$work/both"
	entries_until 500 "$work/both"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	start "$work/again.conf" || not_ok "it is armed" "$work/err"
	fail
	stop
	entries
	cat "$work/entries" >>"$work/both"
	is "kill -9, and again: nothing is in full" "$(grep -c "0fa067c5e94549c6bac266c297feb233" "$work/entries")" 0
	captured=1000 delivered=1000 adds_up "kill -9, and again: each path once in full, all counted" journal 2 "$work/both"
	captured=1000 delivered=1000 adds_up "kill -9, and again: OTLP, too" otlp 2 "$work/otlp5"
	is "state: for root alone" "$(stat -c %a "$state/sent")" 600
	is "state: numbers, and nothing else" "$(grep -c -v -x -E '[0-9a-f]{16} (journal|otlp-[0-9a-f]{16}) [0-9]{19}' "$state/sent")" 0
	printf '0123456789abc' >>"$state/sent"
	told_again "state: a last line without an end is no damage" 0
	echo '0123456789abcdef journal' >>"$state/sent"
	told_again "state: a damaged file is ignored" 6 'state/sent: it is damaged; it is ignored and begun anew'
	printf '\0\0\0\0' >>"$state/sent"
	told_again "state: so is one with zeroes" 6 'state/sent: it is damaged; it is ignored and begun anew'
	told_again "state: begun anew" 0
	chmod 666 "$state/sent"
	told_again "state: a file that others may write to is ignored" 6 'state/sent: others may write to it'
	sed -i -E "s/[0-9]{19}$/$(date -d '61 minutes ago' +%s)000000000/" "$state/sent"
	told_again "state: after an hour, in full again" 6
	sed -i -E "s/[0-9]{19}$/$(date -d '10 minutes' +%s)000000000/" "$state/sent"
	told_again "state: the clock was set back: in full again" 6
	rm "$work/otlp5"
	start "$work/again.conf" || not_ok "it is armed" "$work/err"
	fail
	stop
	captured=500 delivered=500 adds_up "state: a new file for OTLP has all in full" otlp 1 "$work/otlp5"
	is "... all" "$(grep -c '"process.pid"' "$work/otlp5")" 6
	chmod 777 "$state"
	entries
	told_again "state: a directory that others may write to is not used" 6 'state: not a directory of root or yourself'
	unset STATE_DIRECTORY
}

test_secrets() {
	# Nothing of what was planted has left: not the path of the configuration, not what the calls were given.
	name=PLANTED-comm
	mkdir "$work/PLANTED-dir"
	configure "$work/PLANTED-dir/x.conf" Journal=yes "OTLP=$work/otlp3" "Metrics=$work/metrics3"
	start "$work/PLANTED-dir/x.conf"
	fail
	stop
	entries
	adds_up "secrets: something leaves" journal 1 "$work/entries"
	captures "$work/captures"
	is "secrets: captures leave" "$(find "$work/captures" -type f | wc -l)" 6
	expect "secrets: none is in any byte of the captures" 1 '' \
		sh -c "cat '$work/captures'/* | zstd -dcq | grep -a -q -e PLANTED -e '$work'"
	expect "secrets: the captures can be searched" 0 '' sh -c "cat '$work/captures'/* | zstd -dcq | grep -a -q sys_exit_openat"
	expect "secrets: none is in any byte" 1 '' grep -r -a -q PLANTED "$work/entries" "$work/otlp3" "$work/metrics3" \
		"$work/told" /run/log/journal
	configure "$work/PLANTED-dir/x.conf" "OTLP=$work/otlp4" ExportComm=yes
	start "$work/PLANTED-dir/x.conf"
	fail
	stop
	is "ExportComm: the task's name leaves" "$(grep -c 'PLANTED-comm' "$work/otlp4")" 6
}

# A unit that is started again has another control group of the same name.
test_cgroup() {
	local group=/sys/fs/cgroup/lbrwatch-test tries
	[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	if ! mkdir "$group"; then
		skip "control groups" "none can be made here"
		return
	fi
	configure "$work/group.conf" Journal=yes
	sed -i 's,^Comm=,ControlGroup=/./lbrwatch-test/../lbrwatch-test\n&,' "$work/group.conf"
	start "$work/group.conf" || not_ok "it is armed" "$work/err"
	fail
	(echo 0 >"$group/cgroup.procs" && exec tests/cli/failures.py $name)
	for ((tries = 0; tries < 100; tries++)); do
		rmdir "$group" && break
		sleep 0.05
	done 2>/dev/null
	mkdir "$group"
	await "$work/told" '^READY=1$' 2
	(echo 0 >"$group/cgroup.procs" && exec tests/cli/failures.py $name)
	stop
	rmdir "$group"
	entries
	adds_up "ControlGroup: what is in it alone, also when it is made anew" journal 2 "$work/entries"
	# A reload while the unit is stopped; a configuration that cannot be armed, too.
	mkdir "$group"
	configure "$work/group.conf" Journal=yes
	sed -i 's,^Comm=,ControlGroup=lbrwatch-test\n&,' "$work/group.conf"
	start "$work/group.conf" || not_ok "it is armed" "$work/err"
	rmdir "$group"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 2 || not_ok "ControlGroup: a reload while it is gone" "$work/err"
	sed -i 's,^ControlGroup=.*,&-none,' "$work/group.conf"
	kill -HUP "$pid"
	await "$work/told" '^READY=1$' 3 || not_ok "ControlGroup: back to one that is gone" "$work/err"
	is "ControlGroup: one that never was is said" "$(grep -c "'lbrwatch-test-none': there is no control group" "$work/err")" 1
	mkdir "$group"
	await "$work/told" '^READY=1$' 4
	(echo 0 >"$group/cgroup.procs" && exec tests/cli/failures.py $name)
	stop
	rmdir "$group"
	entries
	adds_up "ControlGroup: one that is gone while it is reloaded comes back" journal 1 "$work/entries"
	configure "$work/group.conf" Journal=yes
	sed -i 's,^Comm=,ControlGroup=../../../tmp\n&,' "$work/group.conf"
	expect "ControlGroup: a folder that is none" 2 "there is no control group /sys/fs/cgroup/../../../tmp; start" \
		timeout 20 ./lbrsnoop watch --no-lbr "$work/group.conf"
	mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/lbrwatch-test
	sed -i 's,^ControlGroup=.*,ControlGroup=/lbrwatch-test,' "$work/group.conf"
	expect "ControlGroup: not of version 2" 2 "there is no control group /sys/fs/cgroup/lbrwatch-test" \
		timeout 20 ./lbrsnoop watch --no-lbr "$work/group.conf"
	umount /sys/fs/cgroup
	configure "$work/group.conf" Journal=yes
	sed -i 's,^Comm=,Unit=no-such-unit\n&,' "$work/group.conf"
	expect "Unit: it does not run" 2 "Unit 'no-such-unit': there is no control group .*/no-such-unit.service; start" \
		./lbrsnoop watch --no-lbr "$work/group.conf"
}

# Of functions, with an LBR, the paths of a kind may be several: what interrupts a call, what is cached.
test_lbr() {
	kinds=functions options=()
	targets=(do_sys_openat2 __x64_sys_close __x64_sys_kill __x64_sys_chdir)
	configure "$work/all.conf" Journal=yes "Metrics=$work/metrics"
	start "$work/all.conf" || not_ok "it is armed" "$work/err"
	entries
	fail
	stop
	entries
	adds_up "service: each path once in full, all counted" journal 1 "$work/entries"
	adds_up "service: metrics: all counted" metrics 1 "$work/metrics"
	run_it ./lbrsnoop report -q --no-lines --journal --story --json
	is "service: --story has each path, with its branches" \
		"$(sed -n 's/.*"path_id":"\([0-9a-f]*\)".*/\1/p' "$scratch/out" | sort) $(grep -c '"branches":\[\]' "$scratch/out")" \
		"$(sed -n '/0fa067c5e94549c6bac266c297feb233/s/.*"LBRSNOOP_PATH_ID":"\([0-9a-f]*\)".*/\1/p' "$work/entries" | sort) 0"
	expect_out "service: --story has what decided" 0 '-EBADF is made here' ./lbrsnoop report -q --no-lines --journal --story -e EBADF
	mkdir "$work/disk"
	mount -t tmpfs -o size=4k tmpfs "$work/disk"
	configure "$work/full.conf" "OTLP=$work/disk/otlp"
	start "$work/full.conf" || not_ok "it is armed" "$work/err"
	fail
	stop
	adds_up "service: a disk that is full: what is missing is counted" otlp 1 "$work/disk/otlp" some
	test_killed
}

# Within the namespaces, with a journald of its own: DIRECTORY PARTS
if [ "${1:-}" = --within ]; then
	work=$2
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	journald_start "$work/journald.log" || exit 2
	python3 tests/cli/notified.py "$work/notify" "$work/told" &
	notified=$!
	for ((i = 0; i < 200; i++)); do
		[ -S "$work/notify" ] && break
		sleep 0.05
	done
	run_it ./lbrsnoop --no-lbr -c none-such -t 0.1 tracepoint:syscalls:sys_exit_close
	if [ "$status" != 1 ]; then
		skip "the service" "it cannot be armed here: $(head -n 1 "$scratch/err")"
	else
		for part in $3; do
			"test_$part"
		done
	fi
	kill "$journald_pid" "$notified"
	wait "$journald_pid"
	finish
fi

# check PATTERN LINE...: what --check says of a configuration of these lines; of no host's own, so not where
# tests/vm/test_host runs a part of this in a guest, which is slow
check() {
	local pattern=$1
	[ -z "${LBRSNOOP_IN_PART:-}" ] || return
	shift
	printf '%s\n' "$@" >"$scratch/x.conf"
	expect "--check: ${pattern:0:60}" 64 "x[.]conf:$pattern" ./lbrsnoop watch --check "$scratch/x.conf"
}

good=('[Watch]' 'Target=do_sys_openat2' '[Export]' 'Journal=yes')
check "1: key Target: it stands before the first section; begin with \[Watch\]" 'Target=x'
check "1: section Wach: .*did you mean Watch" '[Wach]'
check "2: key Targt: .*did you mean Target" '[Watch]' 'Targt=x'
check "2: key Nonsense: there is none of this name; lbrsnoop\(8\) lists them" '[Watch]' 'Nonsense=x'
check "2: key Memory: this key is of section \[Budget\]" '[Watch]' 'Memory=64M'
check "2: there is no '='; write it as Key=value" '[Watch]' 'Target do_sys_openat2'
check "2: nothing stands before '='" '[Watch]' '=x'
check "1: a section has no '\]' at its end" '[Watch'
check "2: Errno: 'ENONE': no such errno" '[Watch]' 'Errno=EPERM,ENONE'
check "2: CPUs: 'x': expected a list of CPUs" '[Watch]' 'CPUs=x'
check "2: Comm: .*the kernel keeps 15 bytes" '[Watch]' 'Comm=0123456789abcdef'
check "2: Learned: 'maybe': expected yes or no" '[Watch]' 'Learned=maybe'
check "2: Target: target 'a b'" '[Watch]' 'Target=a b'
check "2: CPUShare: '1': expected a percentage" '[Budget]' 'CPUShare=1'
check "2: CPUShare: '101%': expected a percentage" '[Budget]' 'CPUShare=101%'
check "2: CPUShare: '0x10%': expected a percentage" '[Budget]' 'CPUShare=0x10%'
check "2: CPUShare: '1e1%': expected a percentage" '[Budget]' 'CPUShare=1e1%'
check "2: BreakpointShare: '-1%': expected a percentage" '[Budget]' 'BreakpointShare=-1%'
check "2: BreakpointShare: '1.2.3%': expected a percentage" '[Budget]' 'BreakpointShare=1.2.3%'
check "2: CPUShare: '%': expected a percentage" '[Budget]' 'CPUShare=%'
check "2: Memory: '1M': 16M at least" '[Budget]' 'Memory=1M'
check "2: RecordsPerSec: '-1': expected a number from 0 to 1000000; 0: no limit" '[Budget]' 'RecordsPerSec=-1'
check "2: MaxSeries: '0': expected a number from 1 to 65536" '[Export]' 'MaxSeries=0'
check "2: OTLP: 'x' is not an absolute path" '[Export]' 'OTLP=x'
check " nothing is to be watched; name a function" '[Export]' 'Journal=yes'
check " nobody is told; name somebody" '[Watch]' 'Target=do_sys_openat2'
check " ControlGroup and Unit: leave one" '[Watch]' 'Target=x' 'ControlGroup=/a' 'Unit=b' '[Export]' 'Journal=yes'
check " OTLP or Metrics is this file itself" "${good[@]}" "OTLP=$scratch/x.conf"
check " OTLP or Metrics is this file itself" "${good[@]}" "Metrics=$scratch/./x.conf"
check " OTLP and Metrics: two outputs cannot be one file" "${good[@]}" "OTLP=$scratch/o" "Metrics=$scratch/./o"
check " Metrics .* has to be a regular file" "${good[@]}" "Metrics=$scratch"
check "6: key Oops" "${good[@]:0:2}" 'Comm=a \' '# a comment in between' 'b' 'Oops=1'
mapfile -t many < <(echo '[Watch]' && yes 'Target=do_sys_openat2' | head -n 1025)
check "1026: Target: more than 1024 targets" "${many[@]}"
printf '%s\n' '[Wach]' '[Watch]' 'Targt=x' 'Errno=x' >"$scratch/x.conf"
run_it ./lbrsnoop watch --check "$scratch/x.conf"
is "--check: all that is wrong is said at once" "$(grep -c 'x[.]conf:' "$scratch/err")" 3
printf '[Watch]\nTarget=a\0b\n' >"$scratch/x.conf"
expect "--check: a NUL byte" 64 'x.conf: a NUL byte is in it' ./lbrsnoop watch --check "$scratch/x.conf"

head -c 1048576 /dev/zero | tr '\0' '\n' >"$scratch/x.conf"
expect "--check: a file of 1 MiB" 64 'x.conf: it has 1048576 bytes or more; a glob' ./lbrsnoop watch --check "$scratch/x.conf"
printf '%s\n' "${good[@]}" '[Budget]' 'CPUShare=0.5%' 'BreakpointShare=100%' >"$scratch/x.conf"
expect "--check: shares" 0 '' ./lbrsnoop watch --check "$scratch/x.conf"

# A reload that is asked for before anything is read; strace keeps it there.
if strace -qq -o "$scratch/strace" true 2>/dev/null; then
	strace -qq -o "$scratch/strace" -P "$scratch/x.conf" -e trace=openat -e inject=openat:delay_enter=2000000 \
		./lbrsnoop watch --check "$scratch/x.conf" >"$scratch/out" 2>"$scratch/err" &
	traced=$!
	for ((i = 0; i < 100; i++)); do
		early=$(pgrep -x -P "$traced" lbrsnoop) && grep -q '^SigCgt:.*[13579bdf]$' "/proc/$early/status" && break
		sleep 0.01
	done
	kill -HUP "$early"
	sent=$?
	wait "$traced"
	is "SIGHUP while it starts" "$sent $? $(cat "$scratch/err")" "0 0 "
else
	skip "SIGHUP while it starts" "strace cannot trace here"
fi

# What others may write is not read.
printf '%s\n' "${good[@]}" >"$scratch/x.conf"
expect "--check: nothing is wrong" 0 '' ./lbrsnoop watch --check "$scratch/x.conf"
printf '; a comment\r\n[Watch]\r\n# another\n  Target = x \nTarget=\n Target=do_sys_\\\nopenat2\n[Export]\nJournal=on' >"$scratch/y.conf"
expect "--check: blanks, comments, line ends, an empty value" 64 "y.conf:6: Target: target 'do_sys_ openat2'" ./lbrsnoop watch --check "$scratch/y.conf"
for mode in 664 646; do
	chmod $mode "$scratch/x.conf"
	expect "a configuration of mode $mode is refused" 4 'x.conf: refused: .*chown root, chmod go-w' ./lbrsnoop watch --check "$scratch/x.conf"
done
chmod 644 "$scratch/x.conf"
mkfifo "$scratch/pipe"
expect "a pipe is refused" 4 'pipe: refused' ./lbrsnoop watch --check "$scratch/pipe"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$scratch/x.conf"
	expect "a configuration of somebody else's is refused" 4 'refused' ./lbrsnoop watch --check "$scratch/x.conf"
fi
expect "no configuration" 2 'none.conf: No such file or directory; an example' ./lbrsnoop watch "$scratch/none.conf"
expect "two configurations" 64 "takes one configuration file; 'b' is another" ./lbrsnoop watch a b
expect "the example" 0 '' ./lbrsnoop watch --check examples/watch.conf
# Each key stands in the manual page and in the example.
for key in $(sed -n 's/^	{"[A-Z][a-z]*", "\([A-Za-z]*\)", set_.*/\1/p' src/watch/config.c); do
	if grep -q "^\.It Cm $key *=" man/lbrsnoop.8 && grep -q "^#\{0,1\}$key=" examples/watch.conf; then
		ok "$key is documented"
	else
		not_ok "$key is documented"
	fi
done

if ! may_trace || ! may_mount; then
	skip "the service" "$why_not"
	finish
elif [ ! -x "$journald" ] || ! command -v journalctl >/dev/null; then
	skip "the service" "systemd is not installed"
	finish
fi
mkdir "$scratch/work"
parts="tells reloads budgets full_disk metrics_name deaf killed restarts soak cgroup secrets"
# What the host may not have; some of the others need those before them.
[ -z "${LBRSNOOP_IN_PART:-}" ] || parts=cgroup
unshare -m -u "$0" --within "$scratch/work" "$parts" || verdicts_failed=1
finish
