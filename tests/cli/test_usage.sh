#!/bin/bash
# test_usage - what a hostile or tired user types: each mistake is named, with its exit status
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
tool=./lbrsnoop

# bad NAME PATTERN ARGUMENT...: exit 64, said on stderr, nothing on stdout
bad() {
	local name=$1 pattern=$2
	shift 2
	run_it "$tool" "$@"
	if [ -s "$scratch/out" ]; then
		not_ok "$name"
		comment "something is on stdout"
		sed 's/^/# /' "$scratch/out"
	elif [ "$(wc -l <"$scratch/err")" -gt 4 ]; then
		not_ok "$name"
		comment "more than four lines on stderr:"
		sed 's/^/# /' "$scratch/err"
	else
		judge "$name" 64 "$pattern" "$scratch/err"
	fi
}

long=$(printf '%05000d' 0)

expect_out "--help is 0 and on stdout" 0 '^Usage: lbrsnoop ' $tool --help
expect "--help says nothing on stderr" 0 '' $tool --help
expect_out "--help names the exit statuses" 0 '3 no usable LBR' $tool --help
expect_out "--version is 0" 0 '^lbrsnoop [0-9]' $tool --version
expect_out "help is 0" 0 'lbrsnoop .*TARGET' $tool help
expect_out "help list is 0" 0 '^Usage: lbrsnoop list' $tool help list
expect_out "help trace is 0" 0 '^Usage: lbrsnoop trace' $tool help trace
bad "help of what is no command" "no command 'nonsense'" help nonsense

bad "no target" 'what is to be traced'
bad "an option and no target" 'what is to be traced' -v
bad "unknown long option" "unrecognized option '--frobnicate'" --frobnicate do_sys_openat2
bad "unknown short option" "invalid option -- 'Z'" -Z do_sys_openat2
bad "ambiguous long option" "ambiguous" --co=1 do_sys_openat2
bad "option without its value" "requires an argument" do_sys_openat2 -n
bad "value for an option that has none" "doesn't allow an argument" --json=yes do_sys_openat2
bad "no command behind --" "no command" do_sys_openat2 --

bad "hw: line 0" "'0' is not a line of a file" hw:fs/open.c:0
bad "hw: a line that is too large" 'is not a line of a file' hw:fs/open.c:99999999999999999999
bad "hw: no line" 'not a name of a function' hw:fs/open.c:12x

bad "uprobe: no symbol" 'uprobe:PATH:SYMBOL' uprobe:/bin/true
bad "uprobe: no path" 'uprobe:PATH:SYMBOL' uprobe::main
bad "uprobe: an offset that is none" 'is not an offset' uprobe:/bin/true:main+0x1g
bad "uretprobe: an offset" 'returns as a whole' uretprobe:/bin/true:main+4
bad "uprobe and a kernel function" "one filter" uprobe:/bin/true:main do_sys_openat2
bad "preset: a name that is none" "no such preset; there are warn, oops, bug, .*, rcu-stall, and all" preset:oopses
bad "preset of a program and one of the kernel" "one filter" preset:segfault preset:oom
expect_out "list targets" 0 "^preset:	preset:NAME	.*	presets\$" $tool list targets
expect_out "help names the targets" 0 "^  uretprobe:PATH:SYMBOL  " $tool --help
expect_out "list presets" 0 "^preset:oom.*mm/oom_kill.c" $tool list presets
left=$(cat "$(dirname "$0")/../../docs/COSTS.md")
for name in $($tool list presets | sed 's/^preset:\([a-z-]*\).*/\1/'); do
	case $left in
	*"\`$name\`"*) ok "docs/COSTS.md: what preset:$name keeps" ;;
	*)
		not_ok "docs/COSTS.md: what preset:$name keeps"
		comment "nothing is said of it"
		;;
	esac
done
bad "perf: an event that is none" "no perf event 'page-fautls'; there are page-faults, .*did you mean page-faults" \
	perf:page-fautls
bad "perf: a period that is none" "'0' is not a period; perf:cycles:100 fires" perf:cycles:0
bad "perf: nothing" "no perf event ''" perf:
expect_out "list perf" 0 "^perf:context-switches	software	" $tool list perf
bad "uprobe and --flight" "does not keep which programs" --flight uprobe:/bin/true:main

for value in '' x -1 1x ' 1' 18446744073709551616 0x; do
	bad "--count '$value'" "--count.*'$value'.*number" -n "$value" do_sys_openat2
done
bad "--count 0" "--count 0" -n 0 do_sys_openat2
bad "report --count 0" "--count 0: leave it out to see all" report -n 0 x.lbr
bad "postmortem --count 0" "--count 0: leave it out to see all" postmortem -n 0 vmcore
bad "--count 0x10: numbers are decimal" "--count '0x10'" -n 0x10 do_sys_openat2
bad "--pid and a command" "--pid.*command" -p 1 do_sys_openat2 -- true
bad "-f without a process" "whose children.*-p PID, or a command" -f do_sys_openat2
bad "-f of a flight recorder" "outlives lbrsnoop" -f -p 1 --flight do_sys_openat2
for value in '' x -1 0 1s nan inf -inf 1e300; do
	bad "--timeout '$value'" "--timeout.*number of seconds above 0" -t "$value" do_sys_openat2
done
for value in '' x 0 -1 4194305 99999999999999999999; do
	bad "--pid '$value'" "--pid" -p "$value" do_sys_openat2
done
for value in '' x 0-x 3-1 '1,' ,1 -1 99999999 0--2 1-99999999999999999999; do
	bad "--cpu '$value'" "--cpu '$value'.*list of CPUs" "--cpu=$value" do_sys_openat2
done
for value in ENOSUCH '' 0 4096 -4096 'ENOENT,' ',' 1x; do
	bad "--errno '$value'" "--errno" "--errno=$value" do_sys_openat2
done
for value in nosuch any,nosuch ''; do
	bad "--branches '$value'" "--branches" "--branches=$value" do_sys_openat2
done
bad "-j nosuch: the option is named" "--branch-filter 'nosuch'" -j nosuch do_sys_openat2
bad "--trigger nosuch" "--trigger 'nosuch'.*auto" -T nosuch do_sys_openat2
bad "--color nosuch" "--color 'nosuch'.*auto" --color nosuch do_sys_openat2
bad "--comm ''" "--comm" -c '' do_sys_openat2
for value in 0 4095 4097 x 2147483648; do
	bad "--ring-bytes $value" "--ring-bytes '$value'" --ring-bytes "$value" do_sys_openat2
done

bad "empty target" "target" ''
bad "target of a kind only" "target" fentry:
bad "why --record -: the answer goes there, too" 'the answer goes to standard output, too' why --record - -- true
bad "why --record, --no-values: a capture keeps values" 'no --no-values, and no --private' why --record "$scratch/x.lbr" --no-values -- true
bad "why --record, --private: and more" 'no --no-values, and no --private' why --record "$scratch/x.lbr" --private -- true
bad "why --record, -o: one file" 'two outputs cannot be one file' why --record "$scratch/x.lbr" -o "$scratch/x.lbr" -- true
bad "why --summary: of many events" '--summary is of many events' why --summary -- true
bad "why --trace-json: of many events" '--trace-json is of many events' why --trace-json "$scratch/x.json" -- true
bad "why --unit nosuch: the option is named" "--unit 'nosuch': it does not run" why --unit nosuch
bad "why --cgroup nosuch" "--cgroup 'nosuch': there is no control group /sys/fs/cgroup/nosuch" why --cgroup nosuch
bad "--deep without --: what is run again?" "write it behind '--'" --deep do_sys_openat2
bad "--deep=0" "--deep '0': expected a number from 1 to 10000" --deep=0 do_sys_openat2 -- true
bad "--deep x" "--deep 'x'" --deep=x do_sys_openat2 -- true
bad "--deep: two targets" 'name one TARGET, not 2' --deep do_sys_openat2 may_open -- true
bad "--deep: a glob" "'do_sys_\*': --deep leads to an instruction" --deep 'do_sys_*' -- true
bad "--deep: fexit, and what to write" "'fexit:may_open': --deep .*; write may_open\$" --deep fexit:may_open -- true
bad "--deep: kprobe, and what to write" "; write hw:may_open\+0x10\$" --deep kprobe:may_open+16 -- true
bad "--deep: of a module, and what to write" "; write ext4:ext4_x\$" --deep kretprobe:ext4:ext4_x -- true
for target in tracepoint:syscalls:sys_exit_openat uprobe:/bin/true:main perf:page-faults preset:oom preset:segfault bpf:1; do
	bad "--deep: $target" "'$target': --deep leads to an instruction of the kernel, .*hw:FILE:LINE\$" --deep "$target" -- true
done
for option in -n1 -t1 -p1 -cx -C0 -Thw -jcall --branches --at=errno --rotate --max-rate=1 \
	--summary --interval=1 --trace-json="$scratch/x" --dot="$scratch/x" --svg="$scratch/x" --raw \
	--insns --journal --flight --metrics="$scratch/x" --otlp="$scratch/x" --no-values --no-lbr \
	--max-overhead=2 --ring-bytes=8192; do
	bad "--deep $option" '(only -e, -f, -o|-p PID|--pid and)' --deep "$option" may_open -- true
done
bad "--deep TARGET --record" "writes no capture file: leave --record out" --deep --record "$scratch/x.lbr" may_open -- true
bad "--deep TARGET -o FILE.lbr" "name another FILE than \*.lbr" --deep -o "$scratch/x.lbr" may_open -- true
bad "--deep -e of an instruction" "'hw:may_open' is an instruction, of which each hit counts" --deep -e EPERM hw:may_open -- true
bad "record --deep" "of 'lbrsnoop TARGET' and of 'lbrsnoop why'" record -o "$scratch/x.lbr" --deep may_open -- true
bad "compare --deep" "of 'lbrsnoop TARGET' and of 'lbrsnoop why'" compare --deep may_open -- true
bad "unknown kind of target" "target 'nosuch:" nosuch:do_sys_openat2:x
bad "tracepoint without category" "tracepoint" tracepoint:sys_enter_openat
bad "offset that is no number" "kprobe:do_sys_openat2\+zz" kprobe:do_sys_openat2+zz
bad "offset where none belongs" "do_sys_openat2" fexit:do_sys_openat2+4
bad "blanks in a target" "target" 'do sys'
bad "control characters in a target" "target" $'do\e]0;x\asys'
if grep -q $'\e' "$scratch/err"; then
	not_ok "no escape gets to the terminal" "$scratch/err"
else
	ok "no escape gets to the terminal"
fi
bad "a target that would be another message" "target" $'do\nlbrsnoop: 7 snapshots captured\xc2\x9b1m'
if [ "$(wc -l <"$scratch/err")" != 1 ] || LC_ALL=C grep -qF $'\xc2\x9b' "$scratch/err"; then
	not_ok "it is one line, without the controls of terminals with eight bits" "$scratch/err"
else
	ok "it is one line, without the controls of terminals with eight bits"
fi
bad "a target of 5000 characters" "target" "$long"

bad "list without a glob" "glob" list
bad "list with two globs" "one glob" list a b
bad "list with an unknown option: the command is named" "^lbrsnoop list: unrecognized option" list --frobnicate x
bad "decode with an unknown option: the command is named" "^lbrsnoop decode: unrecognized option" decode --frobnicate
finish
