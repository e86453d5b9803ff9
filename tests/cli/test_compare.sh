#!/bin/bash
# test_compare - lbrsnoop compare over a capture of the virtual LBR: may_open(), each open made with a
# known reason to fail or to pass (tests/data/compare/README)
#
# What must be found is in the manual: O_NOFOLLOW refuses a symbolic link, whose type is 0xa000
# (inode(7)); a directory, type 0x4000, cannot be opened for writing, which is MAY_WRITE, 2.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/compare/may_open.lbr

expect_out "the failing calls of each reason" 0 '^may_open\(\): 12 failing, -ELOOP made at may_open.*; 187 passing' \
	./lbrsnoop compare --no-lines "$capture"
expect_out "ELOOP: the type of the file, first" 0 '^ +1  may_open.*taken  as %cx == 0xa000' \
	./lbrsnoop compare --no-lines "$capture"
expect_out "EISDIR: MAY_WRITE, first" 0 '^ +1  may_open.*taken  as \(%dl & 2\) != 0' \
	./lbrsnoop compare --no-lines "$capture"

# With debug information of that kernel: what may_open() of fs/namei.c has, "switch (inode->i_mode & S_IFMT)" with
# "case S_IFLNK: return -ELOOP", and "if (acc_mode & MAY_WRITE) return -EISDIR"; MAY_WRITE is a macro, 2.
vmlinux=$(vmlinux_of "$capture")
if [ -z "$vmlinux" ]; then
	skip "conditions in the source" "no debug information of build $(build_id_of "$capture"); tests/vm/setup --dbg"
else
	expect_out "ELOOP: in the names of the source" 0 \
		'^ +1  may_open.*taken  fs/namei.c:[0-9]+  as \(inode->i_mode & S_IFMT\) == S_IFLNK$' ./lbrsnoop compare --vmlinux "$vmlinux" "$capture"
	expect_out "EISDIR: in the names of the source" 0 \
		'^ +1  may_open.*taken  fs/namei.c:[0-9]+  as \(acc_mode & 2\) != 0$' ./lbrsnoop compare --vmlinux "$vmlinux" "$capture"
	expect_out "... JSON: both" 0 '"condition":"%cx == 0xa000","source":\{"text":"\(inode->i_mode & S_IFMT\) == S_IFLNK"\}' \
		./lbrsnoop compare --json --vmlinux "$vmlinux" "$capture"
	fits "... the schema" "$scratch/out"
	expect_out "... HTML" 0 'as \(inode-&#62;i_mode &#38; S_IFMT\) == S_IFLNK<' \
		./lbrsnoop compare --html - --vmlinux "$vmlinux" "$capture"
	# The first file has passing calls alone: what failing ones found is named by the second.
	expect_out "... of a second file of the build" 0 'as \(inode->i_mode & S_IFMT\) == S_IFLNK$' \
		./lbrsnoop compare --vmlinux "$vmlinux" --good <(head -c 9000 "$capture") --bad "$capture"
fi

./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/snapshots"
./lbrsnoop compare -q --no-lines --json --top 1000 "$capture" >"$scratch/json"
expect_out "counted again" 0 '^2 reasons of 211 calls, [1-9]' tests/cli/compare.py "$scratch/snapshots" "$scratch/json"
fits "the schema" "$scratch/json"
for lie in 's/"true":12,/"true":13,/' 's/"passing":187/"passing":186/' 's/"accuracy":1.0/"accuracy":0.9/' \
	's/"max":0/"max":1/'; do
	sed "$lie" "$scratch/json" >"$scratch/lie"
	expect_out "refused: $lie" 1 '^compare: ' tests/cli/compare.py "$scratch/snapshots" "$scratch/lie"
done

# may_open() returns 0, or an errno, which is no value.
expect_out "what passing calls returned" 0 '; 187 passing, which returned 0$' ./lbrsnoop compare --no-lines "$capture"
expect_out "an errno is no value" 0 '12 failing, -ELOOP made at [^,]*; 211 passing, of which 24 returned an errno, others 0$' \
	./lbrsnoop compare --no-lines -e ELOOP --good "$capture" --bad <(cat "$capture")

# What --good says passes, and returned an errno, is no proof that no passing call went where the error follows from.
expect_out "passing calls that returned an errno" 0 '; 211 passing, of which 24 returned an errno, others 0$' \
	./lbrsnoop compare --no-lines --good "$capture" --bad <(cat "$capture")
expect_out "passing calls that returned an errno: JSON" 0 '"passing":211,.*"passing_errnos":24,' \
	./lbrsnoop compare --json --no-lines --good "$capture" --bad <(cat "$capture")
expect_out "passing calls that returned an errno: HTML" 0 '; 24 of the passing ones returned an errno' \
	./lbrsnoop compare --html - --no-lines --good "$capture" --bad <(cat "$capture")

# By files, of two boots: the same calls are good and bad, so that nothing tells them apart.
cp "$capture" "$scratch/good.lbr"
expect_out "good and bad: -e is of the bad ones" 0 '12 failing, -ELOOP.*; 211 passing' \
	./lbrsnoop compare --no-lines -e ELOOP --good "$scratch/good.lbr" --bad "$capture"
if grep -q -e '-EISDIR' "$scratch/out"; then not_ok "-e: another error is no failure" "$scratch/out"; else ok "-e: another error is no failure"; fi
expect_out "-e and good calls without an errno: they are there" 0 '12 failing, -ELOOP.*; 140 passing, which returned 0$' \
	./lbrsnoop compare -q --no-lines -e ELOOP --good <(head -c 9000 "$capture") --bad "$capture"
expect_out "what all do tells nothing" 0 'no decision in the records tells' \
	./lbrsnoop compare --no-lines --good "$scratch/good.lbr" --bad "$capture"
expect_out "passing calls of another function: which" 1 'no passing call of this function was captured: the passing calls are of do_rmdir\(\): nothing to compare with' \
	./lbrsnoop compare --no-lines -e EEXIST --good tests/data/compare/calls/batch02.lbr --bad tests/data/compare/calls/batch03.lbr
expect "a file twice" 64 'given twice' ./lbrsnoop compare "$capture" "$capture"
ln -s "$PWD/$capture" "$scratch/other_name.lbr"
expect "a file by two names" 64 'other_name.lbr is given twice' \
	./lbrsnoop compare "$capture" "$scratch/good.lbr" "$scratch/other_name.lbr"
expect "no file twice" 64 '/none/x is given twice' ./lbrsnoop compare /none/x "$capture" /none/x
expect "standard input twice" 64 '- is given twice' ./lbrsnoop compare - "$capture" -
# 9 s of CPU when each was held against each; none of them is a capture.
mkdir "$scratch/fleet"
seq -f "$scratch/fleet/%.0f.lbr" 3000 | xargs touch
# shellcheck disable=SC2016 # sh expands it
expect "3,000 files: listed in 3 s of CPU" 2 'fleet/[0-9]+.lbr: ' sh -c 'ulimit -t 3; ./lbrsnoop compare "$1"/*' - "$scratch/fleet"
expect "-e, and the returned values tell" 64 'leaves the passing calls out' ./lbrsnoop compare -e ELOOP "$capture"
expect_out "--top 0" 0 '^may_open' ./lbrsnoop compare --no-lines --top 0 "$capture"
if grep -q '^ *1  ' "$scratch/out"; then not_ok "--top 0: no row" "$scratch/out"; else ok "--top 0: no row"; fi
expect "no source lines: what is missing" 0 'no source lines; the debug information of Linux [0-9.]+.* is not here' \
	env -u DEBUGINFOD_URLS ./lbrsnoop compare "$capture"
expect "snapshots of no return" 1 '30 of 30 snapshots tell of no return' \
	./lbrsnoop compare --no-lines tests/data/capture/skylake-mixed.lbr
echo kept >"$scratch/kept"
expect "no such file: what was there stays" 2 '/none/x' ./lbrsnoop compare -o "$scratch/kept" /none/x
if [ "$(cat "$scratch/kept")" = kept ]; then ok "-o is not emptied"; else not_ok "-o is not emptied"; fi
expect_out "failing calls alone" 1 "nothing to compare with; 'lbrsnoop record -e none' captures both" \
	./lbrsnoop compare --no-lines tests/data/capture/skylake-hw.lbr
expect_out "fewer than three: said" 0 'fewer than 3 failing and 3 passing calls: this may be chance' \
	./lbrsnoop compare --no-lines -n 160 "$capture"
expect "passing calls alone" 1 'no failing call among' \
	./lbrsnoop compare --no-lines -e none -c nosuchtask "$capture"
tests/cli/plant.py no_text "$capture" "$scratch/no_text.lbr"
expect "failing calls without a path" 1 'no failing call with a path among 211: nothing to compare' \
	./lbrsnoop compare --no-lines "$scratch/no_text.lbr"
# What they were called with is compared without a path, too.
tests/cli/plant.py markup "$capture" "$scratch/argued.lbr"
tests/cli/plant.py no_text "$scratch/argued.lbr" "$scratch/argued_no_text.lbr"
expect_out "arguments alone: all calls are there" 0 ': 12 failing, -ELOOP; 187 passing' \
	./lbrsnoop compare --no-lines "$scratch/argued_no_text.lbr"
if grep -q '^  argument <script>.*: [0-9]*\.\.[0-9]* in failing calls, 0\.\.210 in passing ones$' "$scratch/out" && ! grep -q 'no path' "$scratch/err"; then
	ok "arguments alone are compared"
else
	not_ok "arguments alone are compared" "$scratch/out" "$scratch/err"
fi
expect "no file" 64 'which function, or which capture files' ./lbrsnoop compare
expect "-n, and files of two sides" 64 'leave -n away with --good and --bad' \
	./lbrsnoop compare -n 100 --good "$capture" --bad /none/x
expect "-n, and files behind: they are not read" 0 '/none/x is not read: -n 170 calls have come before it' \
	./lbrsnoop compare --no-lines -n 170 "$capture" /none/x
expect "good without bad" 64 'go together' ./lbrsnoop compare --good "$capture"
expect "a file of neither side" 64 'of all files, or of none' \
	./lbrsnoop compare "$capture" --good "$capture" --bad "$capture"
expect "no such file" 2 "/none/x: No such file or directory; 'lbrsnoop record -o FILE TARGET' makes a capture file" ./lbrsnoop compare /none/x
expect "a directory" 2 'fleet/: Is a directory; name the capture files in it' ./lbrsnoop compare "$scratch/fleet/"
expect "a directory that is named as a function could be" 2 'fleet: Is a directory; name the capture files in it' \
	env -C "$scratch" "$PWD/lbrsnoop" compare fleet
expect "an option of another view" 64 'without --summary' ./lbrsnoop compare --summary "$capture"
head -c 9000 "$capture" >"$scratch/cut.lbr"
expect "a capture that was cut off" 1 'no end mark' ./lbrsnoop compare --no-lines "$scratch/cut.lbr"
# What was said on the terminal is in what is kept, too.
expect_out "nothing is missing" 0 '"missing":null\}$' ./lbrsnoop compare --json --no-lines "$capture"
expect_out "cut off: JSON" 0 '"missing":\{"stopped":false,"no_path":0,"no_return":0,"kinds":0,"lost":0,"cut":1\}\}$' \
	./lbrsnoop compare --json --no-lines "$capture" "$scratch/cut.lbr"
cp "$scratch/out" "$scratch/missing.json"
expect_out "cut off: HTML" 0 '<p>Not all calls are compared; captures that end early: 1</p>' \
	./lbrsnoop compare --html - --no-lines "$capture" "$scratch/cut.lbr"
expect_out "no return: HTML" 1 '<p>Not all calls are compared; snapshots of no return: 30</p>' \
	./lbrsnoop compare --html - --no-lines tests/data/capture/skylake-mixed.lbr
# The second capture is read out of a pipe that gives no more, so that the run is under way until it is stopped.
mkfifo "$scratch/slow"
for form in --json --html=-; do
	./lbrsnoop compare -q --no-lines $form "$capture" "$scratch/slow" >"$scratch/stopped$form" 2>"$scratch/err" &
	pid=$!
	exec 9<>"$scratch/slow"
	for _ in $(seq 200); do
		readlink /proc/$pid/fd/* 2>/dev/null | grep -q '/slow$' && break
		sleep 0.1
	done
	head -c 9000 "$capture" >&9
	sleep 0.3
	kill -INT $pid
	# It reads: a handler is there. Where a read goes on after a signal, the pipe ends it.
	exec 9>&-
	wait $pid
done
if grep -q '"missing":{"stopped":true,' "$scratch/stopped--json"; then ok "stopped: JSON"; else not_ok "stopped: JSON" "$scratch/stopped--json" "$scratch/err"; fi
if grep -q '<p>Not all calls are compared; stopped before all was read' "$scratch/stopped--html=-"; then
	ok "stopped: HTML"
else
	not_ok "stopped: HTML" "$scratch/stopped--html=-" "$scratch/err"
fi
cat "$scratch/stopped--json" >>"$scratch/missing.json"
fits "what is missing: the schema" "$scratch/missing.json"

# A decision that no passing record shows is inferred from the code, and measured by nothing: the records of all passing
# rmdirs begin behind it.
rmdir=tests/data/compare/calls/batch02.lbr
expect_out "an inference is no measurement: text" 0 \
	'in 5 of 5 failing, 0 of 0 \(not known of 20\) passing$' ./lbrsnoop compare --no-lines "$rmdir"
if grep -q '^ *by inference: the errno follows from it; no passing record shows it$' "$scratch/out" && ! grep -q '0 of 0.*accuracy' "$scratch/out"; then
	ok "an inference is said to be one"
else
	not_ok "an inference is said to be one" "$scratch/out"
fi
expect_out "an inference is in doubt" 0 '^  most passing calls do not know: ' ./lbrsnoop compare --no-lines "$rmdir"
expect_out "an inference is no measurement: JSON" 0 '"passing":\{"true":0,"known":0\},"accuracy":null,"decides":true' \
	./lbrsnoop compare --json --no-lines "$rmdir"
expect_out "an inference is no measurement: HTML" 0 'no passing record shows it.*<td class="n">inferred</td>' \
	./lbrsnoop compare --html - --no-lines "$rmdir"
./lbrsnoop compare -q --no-lines --json "$rmdir" >"$scratch/rmdir.json"
fits "an inference: the schema" "$scratch/rmdir.json"

# Two builds of the kernel: what is compared, and what is not, in each form. Of getpriority() batch01 has 6.1's calls,
# batch07 6.12's: five that failed and passing ones of each. tests/judges/test_compare holds the places to the log.
old=tests/data/compare/calls-6.1/batch01.lbr new=tests/data/compare/calls/batch07.lbr
expect_out "two builds: text" 0 '^  two builds of the kernel: failing calls are of Linux 6\.1\.[-0-9a-z]+ \(build ID eb4fbcd037e7\), [1-9][0-9]* of [1-9][0-9]* passing ones of another; of [1-9][0-9]* branches that failing calls executed, 0 are compared by function, line and condition, [1-9][0-9]* by function and condition alone, and [1-9][0-9]* are not found there$' \
	./lbrsnoop compare --no-lines -c renice "$old" "$new"
if grep -q 'failing calls are of Linux 6\.12\.' "$scratch/out"; then ok "... and of the other's failing calls"; else not_ok "... and of the other's failing calls" "$scratch/out"; fi
expect_out "two builds: JSON" 0 '"builds":\{"failing":"Linux 6\.1\.[^"]*","passing_of_others":[1-9][0-9]*,"by_line":0,"by_condition":[1-9][0-9]*,"not_found":[1-9][0-9]*\}' \
	./lbrsnoop compare -q --json --no-lines -c renice "$old" "$new"
fits "two builds: the schema" "$scratch/out"
expect_out "two builds: HTML" 0 '<p class="builds">two builds of the kernel: failing calls are of Linux 6\.1\.' \
	./lbrsnoop compare -q --html - --no-lines -c renice "$old" "$new"
expect_out "one build: nothing is said" 0 '"builds":null' ./lbrsnoop compare -q --json --no-lines -c renice "$new" "$capture"
if grep -q '"builds":{' "$scratch/out"; then not_ok "one build: nothing is said of others" "$scratch/out"; else ok "one build: nothing is said of others"; fi
# Captures out of a pipe cannot be looked at beforehand.
expect_out "two builds, through pipes" 0 'two builds of the kernel' \
	./lbrsnoop compare --no-lines -c renice <(cat "$old") <(cat "$new")

expect_out "nothing tells them apart: arguments would be compared, too" 0 'no decision in the records tells.*; captured with -T fexit' \
	./lbrsnoop compare --no-lines --good "$scratch/good.lbr" --bad "$capture"
expect_out "--no-values: text" 0 '; 187 passing$' ./lbrsnoop compare --no-lines --no-values "$capture"
expect_out "--no-values: JSON" 0 '"failing_values":null,"passing_values":null,"arguments":null,' \
	./lbrsnoop compare --json --no-lines --no-values "$capture"

# compare TARGET: which of the two forms a command line is; what it captures is tests/vm/test_compare's.
expect "a file and a target" 64 "x.lbr is of the former, 'may_open' of the latter" ./lbrsnoop compare x.lbr may_open
expect "a file and a command" 64 "captured now, not read from a file as x.lbr is" ./lbrsnoop compare x.lbr -- true
expect "behind --good all are files" 2 'may_open: No such file' ./lbrsnoop compare --good may_open --bad x
expect "an option of a trace, and a file" 64 'need a TARGET to capture now' ./lbrsnoop compare -t 1 "$capture"
expect "a command, and no target" 64 'what is to be traced\? For example: lbrsnoop compare' ./lbrsnoop compare -- true
for count in 0 0:5 5:0 x 5: :5 5:x 100001 1:100001; do
	expect "-n $count" 64 "--count .$count.: expected FAILING or FAILING:PASSING, each from 1" ./lbrsnoop compare -n "$count" may_open
done
expect "no target fails that is to fail" 64 'none is no failure' ./lbrsnoop compare -e none may_open
expect "an option of another view, and a target" 64 'without --summary' ./lbrsnoop compare --summary may_open
expect "--html and -o" 64 'without --json and -o' ./lbrsnoop compare --html a -o b may_open
expect "one file for both" 64 'two outputs cannot be one file' ./lbrsnoop compare --html x --record ./x may_open
expect "the capture where the ranking is" 64 'the ranking goes to standard output' ./lbrsnoop compare --record - may_open
expect "a user function" 64 'of a program' ./lbrsnoop compare uprobe:/bin/true:main
for target in fentry:may_open kprobe:may_open rawtracepoint:sys_exit perf:cycles preset:warn; do
	expect "$target: no return" 64 "'$target' is no return of a function" ./lbrsnoop compare may_open "$target"
done
expect "--html of a trace" 64 "then 'lbrsnoop report --html PAGE FILE'" ./lbrsnoop --html x may_open
echo kept >"$scratch/may_open"
expect "a file that is called as a function is" 2 'may_open: .*capture file' \
	env -C "$scratch" "$PWD/lbrsnoop" compare may_open
finish
