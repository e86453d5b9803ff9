#!/bin/bash
# test_report_files - files that are not what they should be, and files that are not to be harmed
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/capture/skylake-hw.lbr
report=(./lbrsnoop report -q --no-lines)
want=$("${report[@]}" "$capture" | md5sum)

# shown NAME: what the last run has printed is what the capture alone gives
shown() {
	if [ "$(md5sum <"$scratch/out")" = "$want" ]; then
		ok "$1"
	else
		not_ok "$1" "$scratch/out"
	fi
}

# unharmed NAME FILE
unharmed() {
	if cmp -s "$capture" "$2"; then
		ok "$1"
	else
		not_ok "$1"
		comment "$2 is another file now"
	fi
}

: >"$scratch/empty"
echo "not a capture" >"$scratch/text"
head -c 60 "$capture" >"$scratch/cut"
for bad in empty text cut none .; do
	expect "one of three files is '$bad': 2, it is named" 2 "$scratch/$bad: " \
		"${report[@]}" "$scratch/$bad" "$capture" "$scratch/$bad"
	shown "one of three files is '$bad': the other one is shown"
done
expect "no file can be read: 2" 2 'none of the 2 files can be read' \
	"${report[@]}" "$scratch/empty" "$scratch/text"
expect "a view that cannot be is one error, however many files: 2" 2 '^lbrsnoop: --vmlinux.*none' \
	./lbrsnoop report --vmlinux "$scratch/none" "$capture" "$capture"
if [ "$(wc -l <"$scratch/err")" = 1 ]; then
	ok "a view that cannot be is said once"
else
	not_ok "a view that cannot be is said once" "$scratch/err"
fi

cat "$capture" "$capture" >"$scratch/two"
expect "two captures in one file: 2, said" 2 'something follows its end mark.* 3 snapshots' \
	"${report[@]}" "$scratch/two"
shown "two captures in one file: the first is shown"
{ cat "$capture" && echo; } >"$scratch/newline"
expect "a byte behind the end: 2, said" 2 'something follows its end mark' "${report[@]}" "$scratch/newline"
shown "a byte behind the end: all before it is shown"

for option in -o --trace-json --dot; do
	cp "$capture" "$scratch/own.lbr"
	ln -f "$scratch/own.lbr" "$scratch/link"
	expect "$option FILE FILE: 2, said" 2 'the capture itself' \
		"${report[@]}" $option "$scratch/link" "$scratch/own.lbr"
	unharmed "$option FILE FILE: it is as it was" "$scratch/own.lbr"
done

# A function of a C++ program, as it reads in the source; and one of somebody who means harm.
python3 - "$capture" "$scratch/names" <<'END'
import struct, subprocess, sys, zlib

with open(sys.argv[1], "rb") as file:
    head = file.read()[:24]
raw = subprocess.run(["zstd", "-dcq", sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout
out, at = b"", 0
while at < len(raw):
    kind, size = struct.unpack_from("<II", raw, at)
    payload = raw[at + 12:at + 12 + size]
    at += 12 + size
    if kind == 3:
        for old, new in ((b"do_sys_openat2", b"f <4u, short>()"), (b"path_openat", b"path\x1bop\xffnat")):
            payload = payload.replace(struct.pack("<H", len(old)) + old, struct.pack("<H", len(new)) + new)
    front = struct.pack("<II", kind, len(payload))
    out += front + struct.pack("<I", zlib.crc32(front + payload)) + payload
packed = subprocess.run(["zstd", "-cq", "--zstd=wlog=19"], input=out, stdout=subprocess.PIPE, check=True).stdout
with open(sys.argv[2], "wb") as file:
    file.write(head + packed)
END
expect_out "names with blanks are names" 0 'f <4u, short>\(\)' "${report[@]}" --branches "$scratch/names"
if [ ! -s "$scratch/err" ] && ! grep -q $'\e' "$scratch/out"; then
	ok "... and what a terminal takes for a command is not shown"
else
	not_ok "... and what a terminal takes for a command is not shown" "$scratch/err"
fi

# of_host NAME: the capture, as another machine would have made it. See src/capfile/format.h
of_host() {
	python3 - "$capture" "$1" <<'END'
import struct, subprocess, sys, zlib

with open(sys.argv[1], "rb") as file:
    head, packed = file.read(24), file.read()
stream = subprocess.run(["zstd", "-dcq"], input=packed, stdout=subprocess.PIPE, check=True).stdout
size = struct.unpack_from("<I", stream, 4)[0]
meta = stream[12:12 + size].split(b"\0")
meta[meta.index(b"host") + 1] = sys.argv[2].encode()
meta = b"\0".join(meta)
record = struct.pack("<II", 1, len(meta))
record += struct.pack("<I", zlib.crc32(meta, zlib.crc32(record))) + meta
packed = subprocess.run(["zstd", "-1cq"], input=record + stream[12 + size:], stdout=subprocess.PIPE, check=True).stdout
sys.stdout.buffer.write(head + packed)
END
}

of_host web7 >"$scratch/web7"
of_host $'evil\033[31m' >"$scratch/evil"
run_it "${report[@]}" "$scratch/web7" "$scratch/web7"
if [ "$status" = 0 ] && ! grep -q web7 "$scratch/out"; then
	ok "files of one host: it is not repeated"
else
	not_ok "files of one host: it is not repeated" "$scratch/out"
fi
run_it "${report[@]}" "$capture" "$scratch/web7" "$scratch/evil"
for host in lbrsnoop-vm web7 'evil\\x1b\[31m'; do
	if [ "$(grep -c "  cpu [0-9]*  $host  20" "$scratch/out")" = 3 ]; then
		ok "files of several hosts: 3 snapshots of $host"
	else
		not_ok "files of several hosts: 3 snapshots of $host" "$scratch/out"
	fi
done
run_it "${report[@]}" --json "$capture" "$scratch/web7"
if [ "$(grep -c '"host":"web7"' "$scratch/out") $(grep -c '"host":"lbrsnoop-vm"' "$scratch/out")" = "3 3" ]; then
	ok "files of several hosts: --json names each snapshot's"
else
	not_ok "files of several hosts: --json names each snapshot's"
	cut -c 1-150 "$scratch/out" | sed 's/^/# /'
fi

run_it "${report[@]}" --summary "$capture" "$scratch/web7"
judge "--summary of several hosts: each path says where" 0 '  on lbrsnoop-vm web7$' "$scratch/out"
run_it "${report[@]}" --summary --json "$capture" "$scratch/web7"
judge "--summary --json of several hosts" 0 '"hosts":\["lbrsnoop-vm","web7"\],"more_hosts":false' "$scratch/out"
run_it "${report[@]}" --summary "$capture"
judge "--summary of one host: processes" 0 '  pid 91$' "$scratch/out"

mkdir "$scratch/many"
for i in $(seq 150); do
	ln "$scratch/web7" "$scratch/many/$i.lbr"
done
expect_out "more files than a program may open at first: all are shown" 0 '^1 paths? of 450 snapshots' \
	prlimit --nofile=100:1000 "${report[@]}" --summary "$scratch"/many/*.lbr

# A capture that has no end, and nothing that is wanted.
mkfifo "$scratch/endless"
python3 - "$capture" "$scratch/endless" <<'END' &
import struct, subprocess, sys

with open(sys.argv[1], "rb") as file:
    head, packed = file.read(24), file.read()
stream = subprocess.run(["zstd", "-dcq"], input=packed, stdout=subprocess.PIPE, check=True).stdout
at = last = 0
while struct.unpack_from("<I", stream, at)[0] != 7: # the end mark; before it is a snapshot
    last, at = at, at + 12 + struct.unpack_from("<I", stream, at + 4)[0]
try:
    with open(sys.argv[2], "wb") as out:
        out.write(head)
        out.flush()
        with subprocess.Popen(["zstd", "-1cq"], stdin=subprocess.PIPE, stdout=out) as zstd:
            zstd.stdin.write(stream[:at])
            while True:
                zstd.stdin.write(stream[last:at])
except BrokenPipeError:
    pass
END
writer=$!
"${report[@]}" -p 4194304 "$scratch/endless" >"$scratch/out" 2>"$scratch/err" </dev/null &
reader=$!
# it has seen that much when it is in its loop
until [ "$(awk '/^rchar/ { print $2 }' "/proc/$reader/io")" -gt 500000 ]; do sleep 0.1; done
kill -TERM "$reader"
for _ in $(seq 300); do
	kill -0 "$reader" 2>/dev/null || break
	sleep 0.1
done
if kill -0 "$reader" 2>/dev/null; then
	not_ok "a report that shows nothing for long can be stopped"
	kill -KILL "$reader"
else
	ok "a report that shows nothing for long can be stopped"
fi
kill "$writer" 2>/dev/null
wait "$reader" "$writer" 2>/dev/null

name="an answer of why that is damaged: branches, registers and stack are shown"
tests/cli/plant.py answer tests/data/capture/skylake-fexit.lbr "$scratch/damaged.lbr"
expect "an answer of why that is damaged is told" 0 'what why found out cannot be read' \
	./lbrsnoop report --no-lines "$scratch/damaged.lbr"
if grep -q 'do_sys_openat2() returns -ENOENT' "$scratch/out" && grep -q 'RAX 000000000000770a' "$scratch/out" &&
	grep -q '0xffffffff81abcdef' "$scratch/out"; then
	ok "$name"
else
	not_ok "$name" "$scratch/out"
fi

mkdir "$scratch/foreign"
echo precious >"$scratch/foreign/data"
expect "--perf-data into a directory with other files: 2" 2 'other files are there' \
	./lbrsnoop report --perf-data "$scratch/foreign" "$capture"
if [ "$(head -c 8 "$scratch/foreign/data" | tr -d "\0")" = precious ]; then
	ok "--perf-data into a directory with other files: they are as they were"
else
	not_ok "--perf-data into a directory with other files: they are as they were"
fi
mkdir "$scratch/own"
expect "--perf-data into an empty directory" 0 '' ./lbrsnoop report --perf-data "$scratch/own" "$capture"
expect "--perf-data into what it has made before" 0 '' ./lbrsnoop report --perf-data "$scratch/own" "$capture"
for option in "-o $scratch/x" --json --summary "--trace-json $scratch/x" "--dot $scratch/x"; do
	# shellcheck disable=SC2086 # an option, and perhaps its argument
	expect "--perf-data with ${option%% *}: 64" 64 '--perf-data' \
		./lbrsnoop report --perf-data "$scratch/own" $option "$capture"
done
expect "--perf-data with --flight: 64" 64 '--perf-data' ./lbrsnoop report --perf-data "$scratch/own" --flight
finish
