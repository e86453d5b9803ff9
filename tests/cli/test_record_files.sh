#!/bin/bash
# test_record_files - where a recorder may write, and what it does to the files that are there
#
# Records nothing: no event comes. tests/cli/test_flood.sh and tests/vm/test_capture see to the rest.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/capture/skylake-mixed.lbr
file=$scratch/x.lbr

if ! may_trace; then
	skip record "$why_not"
	finish
fi

# record NAME STATUS PATTERN ARGUMENT...: an armed recorder that ends at once
record() {
	local name=$1 wanted=$2 pattern=$3
	shift 3
	expect "$name" "$wanted" "$pattern" timeout 60 tests/bench/captured_host "$capture" \
		./lbrsnoop record --no-lbr -t 0.01 "$@" rawtracepoint:neigh_create
}

# same NAME FILE OTHER
same() {
	if cmp -s "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1"
		stat -c '# %n: %s bytes' "$scratch"/x.lbr*
	fi
}

run_it tests/bench/captured_host "$capture" ./lbrsnoop record --no-lbr -t 0.01 -o "$file" rawtracepoint:neigh_create
if [ "$status" != 1 ]; then
	skip record "no recorder can be armed here: $(tail -n 1 "$scratch/err")"
	finish
fi

cp "$capture" "$file"
record "a recorder with --max-size is started again" 1 ' 0 snapshots' -o "$file" --max-size 64K --max-files 3
same "what the one before has recorded is FILE.1 now" "$capture" "$file.1"
record "and once more" 1 ' 0 snapshots' -o "$file" --max-size 64K --max-files 3
same "a file without a snapshot takes nobody's place" "$capture" "$file.1"
if [ -e "$file.2" ]; then
	not_ok "there is no FILE.2"
else
	ok "there is no FILE.2"
fi
head -c 20000 "$capture" >"$file"
cp "$file" "$scratch/cut"
record "the one before was killed" 1 ' 0 snapshots' -o "$file" --max-size 64K --max-files 3
same "its file is FILE.1" "$scratch/cut" "$file.1"
same "what was FILE.1 is FILE.2" "$capture" "$file.2"

# meanwhile NAME STATUS PATTERN COMMAND...: what happens to the file of a recorder at work
meanwhile() {
	local name=$1 wanted=$2 pattern=$3
	shift 3
	rm -f "$file"*
	tests/bench/captured_host "$capture" ./lbrsnoop record --no-lbr -o "$file" rawtracepoint:neigh_create \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	recorder=$!
	until grep -q tracing "$scratch/err" && [ -e "$file" ]; do
		kill -0 "$recorder" || {
			not_ok "$name: it ended before it was armed" "$scratch/err"
			return
		}
		sleep 0.1
	done
	"$@"
	kill -INT "$recorder"
	wait "$recorder"
	status=$?
	judge "$name" "$wanted" "$pattern" "$scratch/err"
}

reopen() {
	rm "$file"
	kill -HUP "$recorder"
	until [ -e "$file" ]; do sleep 0.1; done
}

meanwhile "removed while it was written: said" 1 'removed, and 0 snapshots with it; another one begins' rm "$file"
if [ -s "$file" ]; then
	ok "removed while it was written: another one is there"
else
	not_ok "removed while it was written: another one is there"
fi
cp "$capture" "$scratch/other"
meanwhile "another one in its place: 2" 2 'x.lbr: removed, or replaced by another recorder' mv "$scratch/other" "$file"
same "another one in its place is left as it is" "$capture" "$file"
meanwhile "removed, then SIGHUP: it goes on" 1 'removed, and 0 snapshots with it; another one begins' reopen

if mknod "$scratch/null" c 1 3 && : >"$scratch/null"; then
	record "a device with --max-size" 1 ' 0 snapshots' -o "$scratch/null" --max-size 64K --max-files 3
	if [ -c "$scratch/null" ] && [ ! -e "$scratch/null.1" ]; then
		ok "a device is not renamed"
	else
		not_ok "a device is not renamed"
	fi
else
	skip "a device with --max-size" "no device can be made, or opened, in $scratch"
fi 2>/dev/null

record "a directory: 2" 2 'cannot write there: Is a directory' -o "$scratch"
record "no such directory: 2" 2 'cannot write there: No such file or directory' -o "$scratch/none/x.lbr"
record "a full device: 2" 2 'No space left on device' -o /dev/full
expect "text and capture in one file: 64" 64 'two outputs cannot be one file' \
	./lbrsnoop -o "$scratch/one" --record "$scratch/one" do_sys_openat2
expect "the capture where the text goes" 64 'the text goes to standard output' ./lbrsnoop --record - do_sys_openat2
touch "$scratch/there"
expect "... by another name: 64" 64 'two outputs cannot be one file' \
	./lbrsnoop -o "$scratch/there" --record "$scratch/./there" do_sys_openat2
expect "two pictures in one file: 64" 64 'two outputs cannot be one file' \
	./lbrsnoop --dot "$scratch/one" --svg "$scratch/one" do_sys_openat2
# The reader of a summary has seen enough: that is the end, and no error.
expect "--interval, and its reader goes: no error" 1 '' timeout 60 tests/bench/captured_host "$capture" bash -c \
	'./lbrsnoop -q --no-lbr --summary --interval 0.2 -t 20 rawtracepoint:neigh_create | head -n 1 >/dev/null
	exit "${PIPESTATUS[0]}"'
finish
