#!/bin/bash
# test_journal - what goes to a real journald comes back out of its files: exact, and nothing else
#
# journald runs in a mount namespace, with a /run of its own, and a name of its own for the machine.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/cli/journald.sh
. tests/cli/journald.sh
scratch_make

# Within the namespaces: HOST DIRECTORY COMMAND...; journald's files go to DIRECTORY
if [ "${1:-}" = --within ]; then
	host=$2 to=$3
	shift 3
	hostname "$host"
	journald_start "$to/journald.log" || exit 3
	"$@"
	status=$?
	# It answers when all of what was sent before is in its files.
	journalctl --sync >/dev/null 2>&1
	kill "$journald_pid"
	wait "$journald_pid"
	mkdir -p "$to/files"
	for file in /run/log/journal/*/*.journal; do
		cp "$file" "$to/files/$host-${file##*/}"
	done
	exit "$status"
fi

expect "no such directory" 2 'none: No such file or directory; expected a directory of' ./lbrsnoop report --journal="$scratch/none"
expect "no filter for processes" 64 'report --journal: paths are counted' ./lbrsnoop report --journal -p 1
expect "no branches in a summary" 64 'a summary has no branches.*--story' ./lbrsnoop report --journal --insns
is "--story of a file is what report prints in any case" "$(./lbrsnoop report --no-lines --story tests/data/capture/skylake-hw.lbr)" \
	"$(./lbrsnoop report --no-lines tests/data/capture/skylake-hw.lbr)"
expect "--host without a journal" 64 '--host and --path-id are for' ./lbrsnoop report --host a tests/data/capture/skylake-hw.lbr
expect "--path-id that is none" 64 "expected 16 hexadecimal digits" ./lbrsnoop report --journal --path-id 0x12
expect "two paths" 64 '--path-id is given twice' \
	./lbrsnoop report --journal --path-id 0123456789abcdef --path-id 0123456789abcdef
expect "two journals" 64 'given twice' ./lbrsnoop report --journal --journal=/
expect "a journal is none for perf" 64 'takes one FILE' ./lbrsnoop report --journal --perf-data "$scratch/perf"
expect "--capture-bytes: too many" 64 'up to 1M' ./lbrsnoop record --journal --capture-bytes 2M -o "$scratch/x.lbr" may_open
expect "--capture-bytes without --journal" 64 '--capture-bytes is for --journal' ./lbrsnoop record --capture-bytes 0 -o "$scratch/x.lbr" may_open
expect "compare: --journal and a target" 64 "'may_open' is to be captured now" ./lbrsnoop compare --journal may_open
expect "compare: --journal and a command" 64 "not read from a file as --journal" ./lbrsnoop compare --journal -- true
expect "compare: one side alone" 64 'go together; with --journal, --good --host NAME and' ./lbrsnoop compare --journal --good --host a
expect "compare: a host of both sides" 64 "--host 'a' is given twice, as of passing and of failing" \
	./lbrsnoop compare --journal --good --host a --host b --bad --host c --host a
expect "compare: --host without a journal" 64 '--host and --path-id are for' ./lbrsnoop compare --host a x.lbr
expect "compare: no such directory" 2 'none: No such file or directory; expected a directory of' ./lbrsnoop compare --journal="$scratch/none"
expect "a journal and a file" 64 'either --journal or' ./lbrsnoop report --journal tests/data/capture/skylake-hw.lbr
expect "record: a flight recorder alone" 64 'needs somebody who reads' ./lbrsnoop record --flight --journal do_sys_openat2
mkdir "$scratch/empty"
expect "an empty directory" 1 '' ./lbrsnoop report --journal="$scratch/empty"
expect "an empty directory: no captures" 1 'no captures are in these messages' ./lbrsnoop report --journal="$scratch/empty" --story
expect "an empty directory: nothing to compare" 1 'no captures are in these messages' ./lbrsnoop compare --journal="$scratch/empty"

# journalctl -x explains both messages.
if command -v journalctl >/dev/null; then
	mkdir -p "$scratch/root/usr/lib/systemd/catalog" "$scratch/root/var/lib/systemd/catalog"
	cp packaging/lbrsnoop.catalog "$scratch/root/usr/lib/systemd/catalog/"
	run_it journalctl --root="$scratch/root" --update-catalog
	for id in $(sed -n 's/^#define JOURNAL_ID_[A-Z]*[^"]*"\([0-9a-f]*\)".*/\1/p' src/export/journal.h); do
		expect_out "catalog: $id" 0 'LBRSNOOP_COUNT@ times' journalctl --root="$scratch/root" --dump-catalog "$id"
	done
fi

if [ "$(id -u)" != 0 ] || ! unshare -m -u true 2>/dev/null; then
	skip "journald" "it needs root, and namespaces"
	finish
elif [ ! -x "$journald" ] || ! command -v journalctl >/dev/null; then
	skip "journald" "systemd is not installed"
	finish
fi

# Nobody listens.
expect "without journald" 2 'journal/socket: No such file or directory; journald has to run' unshare -m sh -c \
	"mount -t tmpfs tmpfs /run && ./lbrsnoop report --journal-send tests/data/capture/skylake-hw.lbr"

# journal NAME HOST COMMAND...: its files are in $scratch/NAME/files, all fields in $scratch/NAME/json
journal() {
	local name=$1 host=$2
	shift 2
	mkdir -p "$scratch/$name"
	run_it unshare -m -u "$0" --within "$host" "$scratch/$name" "$@"
	if [ "$status" != 0 ]; then
		not_ok "$name: sent" "$scratch/err" "$scratch/$name/journald.log"
		return
	fi
	journalctl -D "$scratch/$name/files" -o json --no-pager SYSLOG_IDENTIFIER=lbrsnoop >"$scratch/$name/json" 2>/dev/null
}

send() {
	./lbrsnoop report -q --no-lines --journal-send "$@" >/dev/null
}
export -f send

# counted NAME [HOSTS]: report --journal says what $scratch/wanted says
counted() {
	run_it ./lbrsnoop report --journal="$scratch/$1/files" --json --top 10000
	judge "$1: read" 0 '' "$scratch/err"
	mv "$scratch/out" "$scratch/rows"
	expect "$1: counts" 0 '' tests/cli/exports.py journal "$scratch/wanted" "$scratch/rows" "${2:-1}"
}

# messages NAME ID: how many
messages() {
	journalctl -D "$scratch/$1/files" -o cat --no-pager MESSAGE_ID="$2" 2>/dev/null | wc -l
}

path_id=0fa067c5e94549c6bac266c297feb233
count_id=27577d07b258490283af9e243f8b5689
names=(LBRSNOOP_PATH_ID LBRSNOOP_FUNCTION LBRSNOOP_ERRNO LBRSNOOP_COUNT LBRSNOOP_ORIGIN LBRSNOOP_ORIGIN_FUNCTION
	LBRSNOOP_TRIGGER LBRSNOOP_BUILD_ID LBRSNOOP_KERNEL LBRSNOOP_CPU_MODEL LBRSNOOP_PID ERRNO LBRSNOOP_CAPTURE
	LBRSNOOP_CAPTURE_BYTES LBRSNOOP_CAPTURE_LEFT_OUT)

mixed=tests/data/capture/skylake-mixed.lbr
./lbrsnoop report -q --no-lines --json $mixed >"$scratch/wanted"
journal plain alpha send $mixed
counted plain
expect "plain: fields" 0 '' tests/cli/exports.py fields "$scratch/plain/json" "${names[@]}"
paths=$(grep -o '"path_id":"[0-9a-f]*"' "$scratch/wanted" | sort -u | wc -l)
again=$(grep -o '"path_id":"[0-9a-f]*"' "$scratch/wanted" | sort | uniq -d | wc -l)
is "plain: each path once in full" "$(messages plain $path_id)" "$paths"
is "plain: the rest is counted" "$(messages plain $count_id)" "$again"
# tests/vm/test_host: journald works, and a guest is slow.
[ -z "${LBRSNOOP_IN_PART:-}" ] || finish

# captures NAME: those of its files are in $scratch/NAME/captures
captures() {
	mkdir -p "$scratch/$1/captures"
	journalctl -D "$scratch/$1/files" -o export --no-pager SYSLOG_IDENTIFIER=lbrsnoop >"$scratch/$1/export" 2>/dev/null
	expect "$1: captures" 0 '' tests/cli/exports.py captures "$scratch/$1/export" "$scratch/$1/captures"
}

# The captures are those of the first snapshot of each path, with all that a file of it has.
for form in "" --insns; do
	# shellcheck disable=SC2086
	./lbrsnoop report -q --no-lines --json $form $mixed >"$scratch/snapshots"
	# shellcheck disable=SC2086
	run_it ./lbrsnoop report -q --no-lines --journal="$scratch/plain/files" --story --json $form
	judge "plain: --story $form" 0 '' "$scratch/err"
	mv "$scratch/out" "$scratch/shown"
	expect "plain: --story $form shows each path as the file does" 0 '' tests/cli/exports.py story "$scratch/snapshots" "$scratch/shown" alpha
done
captures plain
is "plain: a capture of each path" "$(find "$scratch/plain/captures" -type f | wc -l)" "$paths"
one=$(basename "$(find "$scratch/plain/captures" -type f | sort | head -n 1)" .lbr)
for form in "" --branches "--branches --insns" --raw; do
	# shellcheck disable=SC2086
	./lbrsnoop report -q --no-lines $form "$scratch/plain/captures/$one.lbr" >"$scratch/wanted-text"
	# shellcheck disable=SC2086
	run_it ./lbrsnoop report -q --no-lines --journal="$scratch/plain/files" --story \
		--host alpha --path-id "${one#*-}" $form
	is "plain: --path-id, --story $form is what report prints of its capture" "$(cat "$scratch/out")" "$(cat "$scratch/wanted-text")"
done
[ -s "$scratch/wanted-text" ] || not_ok "... which is something"
expect "plain: no such host" 1 "--host 'gamma': no captures are of it" ./lbrsnoop report --journal="$scratch/plain/files" --story --host gamma
expect "TMPDIR that is not there" 2 'name in /none: No such file or directory; let TMPDIR name' \
	env TMPDIR=/none ./lbrsnoop report --journal="$scratch/plain/files" --story
mkdir "$scratch/tiny"
expect "TMPDIR without room" 2 "name in $scratch/tiny: No space left on device; let TMPDIR name" unshare -m sh -c \
	"mount -t tmpfs -o size=16k tmpfs '$scratch/tiny' && TMPDIR='$scratch/tiny' exec ./lbrsnoop report --journal='$scratch/plain/files' --story"
expect_out "plain: the summary of one path" 0 '^1 paths of ' ./lbrsnoop report --journal="$scratch/plain/files" --path-id "${one#*-}"
expect "plain: the summary of no host" 1 '' ./lbrsnoop report --journal="$scratch/plain/files" --host gamma
run_it ./lbrsnoop report -q --journal="$scratch/plain/files" --story --html "$scratch/story.html"
judge "plain: --story --html" 0 '' "$scratch/err"
expect_out "plain: --story --html is a page of all" 0 "$paths paths" cat "$scratch/story.html"

# No output takes the place of a journal.
file=$(find "$scratch/plain/files" -name '*.journal' | head -n 1)
sum=$(md5sum <"$file")
ln -s "$file" "$scratch/link"
for form in "report -o $file" "report --story -o $scratch/link" "report --story --html $file" "report --story --otlp $file" "compare -o $file" \
	"compare --html $scratch/link"; do
	# shellcheck disable=SC2086
	expect "$form: the journal itself" 2 ': the journal itself; what is printed needs another file' \
		./lbrsnoop $form --journal="$scratch/plain/files"
done
is "... which are as they were" "$(md5sum <"$file")" "$sum"
expect "report --journal: two outputs" 64 'two outputs cannot be one file' \
	./lbrsnoop report --journal="$scratch/plain/files" --story --otlp "$scratch/same" --metrics "$scratch/same"

# Failing and passing calls, told by what they returned: one of each path decides as all 211 of the file do.
calls=tests/data/compare/may_open.lbr
journal calls alpha send --summary $calls
decided() {
	./lbrsnoop compare -q --no-lines --top 1 "$@" | sed -n 's/^   1  //p'
}
expect_out "compare --journal: failing and passing calls" 0 'may_open\+0x44  taken  as %cx == 0xa000' \
	./lbrsnoop compare -q --no-lines --journal="$scratch/calls/files"
is "... are told apart as in the file" "$(decided --journal="$scratch/calls/files")" "$(decided $calls)"

# What is too large is left out, and said.
journal small alpha send --capture-bytes 1000 $mixed
is "--capture-bytes 1000: each says why there is no capture" \
	"$(grep -c '"LBRSNOOP_CAPTURE_LEFT_OUT":"size"' "$scratch/small/json") $(grep -c '"LBRSNOOP_CAPTURE":' "$scratch/small/json")" "$paths 0"
is "... and how large it is" "$(sed -n 's/.*"LBRSNOOP_CAPTURE_BYTES":"\([0-9]*\)".*/\1/p' "$scratch/small/json" | awk '$1 > 1000' | wc -l)" "$paths"
expect "... report says so" 1 "$paths messages have no capture" ./lbrsnoop report --journal="$scratch/small/files" --story
journal without alpha send --capture-bytes 0 $mixed
is "--capture-bytes 0: nothing is said of captures" "$(grep -c LBRSNOOP_CAPTURE "$scratch/without/json")" 0
counted without

# What "report --journal" reads by itself: the same files, and not more of them at a time than may be open.
send_and_read() {
	local i
	for ((i = 0; i < 16; i++)); do
		./lbrsnoop report -q --no-lines --journal-send "$1" >/dev/null
		journalctl --rotate
	done
	find /run/log/journal -name '*.journal' | wc -l >"$2.files"
	ulimit -n 12
	./lbrsnoop report --journal --json --top 10000 >"$2.rows"
}
export -f send_and_read
journal local alpha bash -c "send_and_read $mixed $scratch/local"
is "this machine: there are many files" "$(($(cat "$scratch/local.files") > 16))" 1
run_it ./lbrsnoop report --journal="$scratch/local/files" --json --top 10000
is "this machine: all are read" "$(sort "$scratch/local.rows")" "$(sort "$scratch/out")"
is "this machine: each snapshot 16 times" "$(sed 's/.*"count":\([0-9]*\).*/\1/' "$scratch/local.rows" | awk '{ s += $1 } END { print s }')" \
	"$((16 * $(wc -l <"$scratch/wanted")))"

# Two machines: what only one has is seen.
mkdir -p "$scratch/fleet/files"
journal beta beta sh -c "$(declare -f send); send $mixed; send tests/data/export/skylake-errno.lbr"
cp "$scratch/plain/files/"*.journal "$scratch/beta/files/"*.journal "$scratch/fleet/files/"
run_it ./lbrsnoop report --journal="$scratch/fleet/files" --json --top 10000
mv "$scratch/out" "$scratch/fleet/rows"
grep -v '"hosts":\["beta"\]' "$scratch/fleet/rows" >"$scratch/both"
expect "two machines: counts" 0 '' tests/cli/exports.py journal "$scratch/wanted" "$scratch/both" 2
is "two machines: what one alone has" "$(grep -c '"function":"may_open".*"error":"may_open+0x14f".*"hosts":\["beta"\]' "$scratch/fleet/rows")" 1
expect_out "two machines: as text" 0 ' on alpha beta$' ./lbrsnoop report --journal="$scratch/fleet/files" --top 3
expect_out "two machines: as text, what one alone has" 0 'made at may_open\+0x14f$' ./lbrsnoop report --journal="$scratch/fleet/files" -e EISDIR
is "two machines: it is marked" "$(grep -c ' on beta alone$' "$scratch/out")" 1
expect_out "triage.sh: all hosts" 0 ' on alpha beta$' env TOP=3 examples/triage.sh "$scratch/fleet/files"
judge "triage.sh: what one alone has" 0 '^beta alone, 2 times: may_open\(\) = -EISDIR at may_open\+0x14f, path 6b980d97d378cfb0, ' "$scratch/out"
is "triage.sh: and nothing else" "$(grep -c ' alone, ' "$scratch/out")" 1
expect_out "triage.sh: -e" 0 '^beta alone, 2 times: ' examples/triage.sh "$scratch/fleet/files" -e EISDIR
expect "triage.sh: nothing has failed" 1 '' examples/triage.sh "$scratch/empty"
expect "triage.sh: no such directory" 2 'none: No such file or directory' examples/triage.sh "$scratch/none"
expect_out "two machines: --story" 0 'may_open\(\) = -EISDIR .*  hw' ./lbrsnoop report -q --no-lines --journal="$scratch/fleet/files" --story -e EISDIR
run_it ./lbrsnoop report -q --no-lines --json --journal="$scratch/fleet/files" --story
is "two machines: each path once of each" "$(grep -c . "$scratch/out")" "$((2 * paths + 1))"
captures fleet
for form in "" --json; do
	# shellcheck disable=SC2086
	run_it ./lbrsnoop compare -q --no-lines $form --good "$scratch/fleet/captures/alpha-"* --bad "$scratch/fleet/captures/beta-"*
	cp "$scratch/out" "$scratch/wanted-text"
	wanted_status=$status
	# shellcheck disable=SC2086
	run_it ./lbrsnoop compare -q --no-lines $form --journal="$scratch/fleet/files" --good --host alpha --bad --host beta
	is "two machines: compare $form is that of the captures as files" "$status $(cat "$scratch/out")" "$wanted_status $(cat "$scratch/wanted-text")"
done
grep -q 'may_open' "$scratch/out" || not_ok "... which is something" "$scratch/out"
expect_out "-e" 0 '^1 paths of 2 snapshots' ./lbrsnoop report --journal="$scratch/beta/files" -e EISDIR

# A file that is none does not hide the others.
head -c 300 /dev/zero >"$scratch/fleet/files/damaged.journal"
expect "two machines: a file that is none is said" 0 'files/damaged.journal: .*; 1 files of the journal are left out' \
	./lbrsnoop report --journal="$scratch/fleet/files" --json --top 10000
is "two machines: and the others are read" "$(cat "$scratch/out")" "$(cat "$scratch/fleet/rows")"

# systemd-journal-remote has the message at which it begins a new file in both. Here it is alone in each.
remote=/lib/systemd/systemd-journal-remote
if [ -x "$remote" ]; then
	mkdir "$scratch/repeated"
	for file in 1 2; do
		tests/bench/fleet.py 3 3 1 | "$remote" -o "$scratch/repeated/$file.journal" - >/dev/null 2>&1
	done
	expect_out "a message that two files have is counted once" 0 '^1 paths of 1 snapshots' ./lbrsnoop report --journal="$scratch/repeated"
	tests/bench/fleet.py 3 3 0 | "$remote" -o "$scratch/repeated/other.journal" - >/dev/null 2>&1
	rm "$scratch/repeated/2.journal"
	expect_out "messages of two hosts are two" 0 '^1 paths of 2 snapshots' ./lbrsnoop report --journal="$scratch/repeated"
	truncate -s 300 "$scratch/repeated/other.journal"
	expect "a file that is cut off is said" 0 'repeated/other.journal: .*; 1 files of the journal are left out' \
		./lbrsnoop report --journal="$scratch/repeated"
	is "a file that is cut off: the others are read" "$(head -n 1 "$scratch/out")" '1 paths of 1 snapshots, 0 events lost'
	# Ctrl-C while it is read: the spool is there, the files of it take seconds.
	mkdir "$scratch/large"
	tests/bench/fleet.py 200 20000 | "$remote" -o "$scratch/large/fleet.journal" - >/dev/null 2>&1
	./lbrsnoop report -q --no-lines --journal="$scratch/large" --story >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	until ! kill -0 "$pid" || find "/proc/$pid/fd" -lname '*(deleted)' | grep -q .; do
		sleep 0.01
	done 2>/dev/null
	kill -INT "$pid"
	wait "$pid"
	status=$?
	judge "Ctrl-C while a journal is read" 2 '--journal: .*stopped before all of it was read: nothing is shown' "$scratch/err"
	is "... and nothing is" "$(wc -c <"$scratch/out")" 0
	rm -r "$scratch/large"
	mkdir "$scratch/hosts"
	tests/bench/fleet.py 60 60 | "$remote" -o "$scratch/hosts/fleet.journal" - >/dev/null 2>&1
	expect "more hosts than files may be open" 2 'Too many open files; .* \(ulimit -n\), or choose fewer hosts with --host' \
		sh -c "ulimit -n 50; ./lbrsnoop report --no-lines --journal='$scratch/hosts' --story"
	expect_out "... and fewer hosts are read" 0 'may_open\(\) = -EISDIR' \
		sh -c "ulimit -n 50; ./lbrsnoop report --no-lines --journal='$scratch/hosts' --story --host host0007"
else
	skip "a message that two files have" "systemd-journal-remote is not installed"
fi

# 0, 50 and 100 minutes: in full at the first and the last, which has two.
hw=tests/data/capture/skylake-hw.lbr
tests/cli/plant.py minutes $hw "$scratch/minutes.lbr"
./lbrsnoop report -q --no-lines --json "$scratch/minutes.lbr" >"$scratch/wanted"
journal minutes alpha send "$scratch/minutes.lbr"
counted minutes
is "an hour later: in full again" "$(messages minutes $path_id), $(messages minutes $count_id)" "2, 0"

# Nobody reads what is printed, from the second snapshot on: those two are in the journal.
journal unread alpha sh -c "./lbrsnoop report -q --branches --journal-send $hw >/dev/full || true"
is "output that fails" "$(messages unread $path_id), $(messages unread $count_id)" "1, 1"

for original in $hw $mixed tests/data/capture/user/reached.lbr; do
	name=$(basename "$original" .lbr)
	tests/cli/plant.py secrets "$original" "$scratch/PLANTED.lbr"
	journal "secrets-$name" alpha send "$scratch/PLANTED.lbr"
	[ -s "$scratch/secrets-$name/json" ] || not_ok "secrets-$name: something is sent"
	expect "secrets-$name: none is in any byte of the journal" 1 '' \
		grep -r -a -i -q planted "$scratch/secrets-$name/files" "$scratch/secrets-$name/json"
	captures "secrets-$name"
	expect "secrets-$name: none is in any byte of the captures" 1 '' \
		sh -c "cat '$scratch/secrets-$name/captures'/*.lbr 2>/dev/null | zstd -dcq 2>/dev/null | grep -a -i -c planted"
	expect "secrets-$name: what is in no field is seen" 0 '' sh -c "zstd -dcq '$scratch/PLANTED.lbr' | grep -a -i -q planted"
	case $name in
	reached) is "secrets-$name: no capture of a program" \
		"$(grep -c '"LBRSNOOP_CAPTURE_LEFT_OUT":"program"' "$scratch/secrets-$name/json") $(find "$scratch/secrets-$name/captures" -type f | wc -l)" "$(messages "secrets-$name" $path_id) 0" ;;
	*) is "secrets-$name: captures leave" "$(find "$scratch/secrets-$name/captures" -type f | wc -l)" "$(messages "secrets-$name" $path_id)" ;;
	esac
	tests/cli/plant.py forgeries "$original" "$scratch/forgeries.lbr"
	./lbrsnoop report -q --no-lines --json "$scratch/forgeries.lbr" >"$scratch/wanted"
	journal "forgeries-$name" alpha send --export-comm "$scratch/forgeries.lbr"
	counted "forgeries-$name"
	expect "forgeries-$name: fields" 0 '' tests/cli/exports.py fields "$scratch/forgeries-$name/json" "${names[@]}" LBRSNOOP_COMM
done

# Others claim to be us, or root sends nonsense: it does not count.
cat >"$scratch/claim.py" <<'END'
import fcntl, os, socket, struct, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
base = {b"MESSAGE_ID": b"0fa067c5e94549c6bac266c297feb233", b"LBRSNOOP_PATH_ID": b"0123456789abcdef", b"LBRSNOOP_COUNT": b"7"}
claims = {"other": [{}], "nonsense": [
    {b"LBRSNOOP_PATH_ID": b"0123456789abcde"}, {b"LBRSNOOP_PATH_ID": b"0123456789abcdeg"}, {b"LBRSNOOP_COUNT": b"-1"},
    {b"LBRSNOOP_COUNT": b"0"}, {b"LBRSNOOP_COUNT": b"99999999999999999999999"}, {b"LBRSNOOP_COUNT": b"5\n6"},
    {b"LBRSNOOP_COUNT": b"5" * 5000}, {b"LBRSNOOP_COUNT": b"\x00"}, {b"LBRSNOOP_COUNT": b"%d" % 2**63},
    {b"LBRSNOOP_COUNT": b"a"}, {b"LBRSNOOP_PATH_ID": b"0x23456789abcdef"}], "huge": [
    {b"LBRSNOOP_COUNT": b"%d" % (2**63 - 1), b"LBRSNOOP_PATH_ID": b"%016x" % path} for path in (1, 1, 2)]}
if sys.argv[1] == "captures":
    claims["captures"] = [{b"LBRSNOOP_CAPTURE": open(path, "rb").read()} for path in sys.argv[2:]]
for claim in claims[sys.argv[1]]:
    data = b"".join(name + b"\n" + struct.pack("<Q", len(value)) + value + b"\n" for name, value in {**base, **claim}.items())
    if len(data) < 100000:
        sock.sendto(data, "/run/systemd/journal/socket")
        continue
    # Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL/
    memory = os.memfd_create("claim", os.MFD_ALLOW_SEALING)
    os.write(memory, data)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL)
    sock.connect("/run/systemd/journal/socket")
    socket.send_fds(sock, [b""], [memory])
END
chmod 644 "$scratch/claim.py"
journal other alpha setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 "$scratch/claim.py" other
expect "somebody else's messages do not count" 1 'warning: 1 messages are left out: root has not' \
	./lbrsnoop report --journal="$scratch/other/files"
journal nonsense alpha python3 "$scratch/claim.py" nonsense
expect "damaged messages do not count" 1 'warning: 11 messages are left out' ./lbrsnoop report --journal="$scratch/nonsense/files"
journal huge alpha python3 "$scratch/claim.py" huge
# Captures that are none, that are cut off, too large, and one that unpacks to 4 GB, beside a good one of the same path.
random_bytes 3000 >"$scratch/noise.bytes"
good=$scratch/plain/captures/$one.lbr
head -c 500 "$good" >"$scratch/cut"
random_bytes 1100000 >"$scratch/too-large"
{
	head -c 24 "$good"
	head -c 4000000000 /dev/zero | zstd -1 -cq
} >"$scratch/bomb"
journal captures alpha python3 "$scratch/claim.py" captures "$scratch/noise.bytes" "$scratch/cut" "$scratch/bomb" "$scratch/too-large" "$good"
run_it sh -c "ulimit -v 400000; timeout 20 ./lbrsnoop report --no-lines --journal='$scratch/captures/files' --story"
judge "damaged captures are left out" 2 "4 captures of the journal are damaged.* of path 0123456789abcdef of host 'alpha'" "$scratch/err"
is "... and what is good is shown" "$(cat "$scratch/out")" "$(./lbrsnoop report --no-lines "$good" 2>/dev/null)"
journal noise alpha python3 "$scratch/claim.py" captures "$scratch/noise.bytes"
expect "damaged captures alone" 2 '1 captures of the journal are damaged' ./lbrsnoop report --no-lines --journal="$scratch/noise/files" --story
is "... are not said to be missing" "$(grep -c 'no captures are in' "$scratch/err")" 0
expect_out "counts that are too large for a sum" 0 '^2 paths of 9223372036854775807 snapshots' ./lbrsnoop report --journal="$scratch/huge/files"
grep -q 'other paths' "$scratch/out" && not_ok "... and nothing is left of it" "$scratch/out"
expect_out "... as JSON" 0 '"count": ?9223372036854775807' ./lbrsnoop report --journal="$scratch/huge/files" --json
finish
