#!/bin/bash
# test_aggregates - --trace-json, --summary and --dot say what the snapshots say; no debug packages
#
# aggregates.py counts again from --json; what it accepts is refused with one thing changed.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

# agree NAME KIND ARGUMENT...: what report prints so into $scratch/KIND fits the snapshots
agree() {
	local name=$1 kind=$2
	shift 2
	rm -f "$scratch/$kind"
	run_it ./lbrsnoop report -q --no-lines "$@" "$capture"
	[ -e "$scratch/$kind" ] || mv "$scratch/out" "$scratch/$kind"
	expect "$name: $kind" 0 '' tests/cli/aggregates.py "$kind" "$scratch/json" "$scratch/$kind"
}

# refused KIND WHAT SED: a lie in the last one
refused() {
	sed -E "$3" "$scratch/$1" >"$scratch/lie"
	if cmp -s "$scratch/$1" "$scratch/lie"; then
		not_ok "refused: $1, $2"
		comment "nothing was changed"
		return
	fi
	expect "refused: $1, $2" 1 '^aggregates: ' tests/cli/aggregates.py "$1" "$scratch/json" "$scratch/lie"
}

for capture in tests/data/capture/*.lbr tests/data/capture/user/*.lbr; do
	name=$(basename "$capture" .lbr)
	./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/json"
	agree "$name" trace --trace-json "$scratch/trace"
	agree "$name" summary --summary --json --top 1000
	agree "$name" text --summary
done

capture=tests/data/capture/skylake-hw.lbr
./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/json"
agree "path in the function's graph" dot --dot "$scratch/dot"
refused dot "an edge that was taken is not drawn bold" '0,/label="taken", color="#b00020"/s/#b00020/#a0a0a0/'
refused dot "an edge that was not taken is drawn bold" '0,/label="taken", color="#a0a0a0"/s/#a0a0a0/#b00020/'
agree "a function's slices" trace --trace-json "$scratch/trace"
refused trace "a run is longer" '20,$s/"dur": ?[0-9]+/"dur": 1000/'
refused trace "a run is missing" '12d'
refused trace "a function has another name" 's/"do_sys_openat2"/"do_sys_openat"/'
refused trace "a branch was predicted" 's/"mispredicted": ?true/"mispredicted": false/'
# Of a program: tests/vm/workloads/userwork.c has these functions, which call each other so.
capture=tests/data/capture/user/reached.lbr
./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/json"
agree "a program's functions" trace --trace-json "$scratch/trace"
for function in main walk left reached; do
	if grep -q "\"name\": *\"$function \[hidden\]\"" "$scratch/trace"; then
		ok "--trace-json names a program's $function()"
	else
		not_ok "--trace-json names a program's $function()" "$scratch/trace"
	fi
done
refused trace "a program's function has no name" 's/"walk \[hidden\]"/"user space"/'
refused trace "a program's function has another name" 's/"left \[hidden\]"/"walk [hidden]"/'
refused trace "a program's function is of another file" 's/"left \[hidden\]"/"left [libc]"/'
capture=tests/data/capture/skylake-mixed.lbr
./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/json"
agree "a table of paths" summary --summary --json --top 1000
refused summary "a count is one higher" '1s/"count":4/"count":5/'
refused summary "a path is missing" '3d'
refused summary "it was seen later" '2s/"first_ns":1/"first_ns":2/'
agree "its text" text --summary
refused text "a count is one lower" 's/^ +4 /         3 /'
refused text "fewer other paths" 's/other paths: 12/other paths: 11/'

# Graphviz draws what --dot writes: as many nodes.
if command -v dot >/dev/null; then
	expect "--svg" 0 '' ./lbrsnoop report -q --no-lines --svg "$scratch/x.svg" tests/data/capture/skylake-hw.lbr
	if [ "$(grep -c 'class="node"' "$scratch/x.svg")" = "$(grep -cE '^  n[0-9a-f]+ \[label' "$scratch/dot")" ]; then
		ok "--svg has the nodes of --dot"
	else
		not_ok "--svg has the nodes of --dot" "$scratch/dot"
	fi
else
	skip "--svg" "no Graphviz here"
fi
finish
