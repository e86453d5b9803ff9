#!/bin/bash
# test_perf_data - perf reads what 'report --perf-data' makes: the same branches, flags, instructions
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
if ! command -v perf >/dev/null || ! perf --version >/dev/null 2>&1; then
	skip "perf" "perf is not installed"
	finish
fi

# compare NAME: the lines of perf script against those of report --json
compare() {
	python3 - "$scratch/json" "$scratch/script" <<'END'
import json, re, sys

# perf's own names of branch types are not compared: these captures' CPU does not report any
with open(sys.argv[1], encoding="utf-8") as file:
    ours = [json.loads(line) for line in file]
perf = []
for line in open(sys.argv[2], encoding="utf-8"):
    if re.match(r"\s*0x[0-9a-f]+/", line):
        perf.append({"branches": [b.split("/") for b in line.split()], "insns": []})
    match = re.match(r"\t([0-9a-f]{16})\tinsn: ((?:[0-9a-f]{2} )+)", line)
    if match:
        perf[-1]["insns"].append((int(match[1], 16), len(match[2].split())))
assert len(perf) == len(ours) > 0, f"{len(perf)} samples, {len(ours)} snapshots"
instructions = 0
for sample, snap in zip(perf, ours):
    branches = snap["branches"]
    assert len(sample["branches"]) == len(branches), "another number of branches"
    # perf has the newest first
    for theirs, branch in zip(reversed(sample["branches"]), branches):
        predicted = {None: "-", True: "P", False: "M"}[branch["predicted"]]
        want = [branch["from"]["addr"], branch["to"]["addr"], predicted,
                "X" if branch["in_tx"] else "-", "A" if branch["abort"] else "-",
                str(branch["cycles"] or 0)]
        assert theirs[:6] == want, f"{theirs} is not {want}"
    # Each run of ours that ends with a branch is one of perf's, in the same order.
    at = 0
    for block in snap["path"] or []:
        if block["gap"] or block["ends"] != "branch" or block["branch"] is None:
            continue
        run = [int(i["addr"], 16) for i in block["insns"]]
        addrs = [a for a, _ in sample["insns"]]
        while at < len(addrs) and addrs[at:at + len(run)] != run:
            at += 1
        assert at < len(addrs), f"perf does not list the run at {block['start']}"
        ends = sample["insns"][at + len(run) - 1]
        assert ends[0] + ends[1] == int(block["end"], 16), f"another length at {ends[0]:#x}"
        at += len(run)
        instructions += len(run)
print(f"{len(ours)} samples, {sum(len(s['branches']) for s in ours)} branches, {instructions} instructions")
END
}

# annotated: in the functions that perf annotate lists are the instructions that ran there. By their
# offsets: of a program perf has the addresses in the file.
annotated() {
	python3 - "$scratch/json" "$scratch/listing" <<'END'
import bisect, json, re, sys

functions, listed, function = set(), set(), None
for line in open(sys.argv[2], encoding="utf-8"):
    heading = re.search(r": +\d+ +([0-9a-f]{16}) <(\S+)>:$", line)
    if heading:
        start, function = int(heading[1], 16), heading[2]
        functions.add(function)
    at = re.match(r" *[\d.]+ : +([0-9a-f]+):", line)
    if at:
        listed.add((function, int(at[1], 16) - start))
snapshots = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
# where each function was: a program's in several processes
starts = {}
for snap in snapshots:
    for end in (branch[side] for branch in snap["branches"] for side in ("from", "to")):
        if end["sym"] in functions:
            starts.setdefault(end["sym"], set()).add(int(end["addr"], 16) - end["off"])
starts = {name: sorted(at) for name, at in starts.items()}
ran = set()
for snap in snapshots:
    trigger = snap["trigger"]
    if trigger["function"] in starts and trigger["ip"]:
        at, ip = starts[trigger["function"]], int(trigger["ip"], 16)
        ran.add((trigger["function"], ip - at[bisect.bisect(at, ip) - 1]))
    for block in snap["path"] or []:
        if not block["gap"] and block["function"] in starts:
            at = starts[block["function"]]
            for addr in (int(insn["addr"], 16) for insn in block["insns"]):
                ran.add((block["function"], addr - at[bisect.bisect(at, addr) - 1]))
assert functions and ran, f"{len(functions)} functions, {len(ran)} instructions that ran there"
assert ran <= listed, f"not listed: {sorted(ran - listed)}"
print(f"{len(listed)} instructions of {len(functions)} functions, all {len(ran)} that ran there")
END
}

for capture in tests/data/capture/*.lbr tests/data/capture/user/*.lbr; do
	name=$(basename "$capture" .lbr)
	dir=$scratch/$name
	run_it ./lbrsnoop report --perf-data "$dir" "$capture"
	judge "$name: made for perf" 0 '' "$scratch/err"
	./lbrsnoop report --json --insns --no-lines "$capture" >"$scratch/json" 2>/dev/null
	perf script -i "$dir" -F ip,sym,brstack,brstackinsn >"$scratch/script" 2>"$scratch/err" </dev/null
	status=$?
	judge "$name: perf script reads it without a warning" 0 '' "$scratch/err"
	if compare >"$scratch/out" 2>"$scratch/err"; then
		ok "$name: $(cat "$scratch/out") as ours"
	else
		not_ok "$name: branches, flags and instructions as ours" "$scratch/err"
	fi
	perf report --branch-history --stdio -i "$dir" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	judge "$name: perf report --branch-history: no warning" 0 '' "$scratch/err"
	judge "$name: perf report --branch-history: a call history" 0 '---' "$scratch/out"
	perf annotate --stdio -i "$dir" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	judge "$name: perf annotate: no warning" 0 '' "$scratch/err"
	perf annotate --stdio -i "$dir" -k "$dir/vmlinux" >"$scratch/listing" 2>"$scratch/err" </dev/null
	status=$?
	judge "$name: perf annotate with our vmlinux: no warning" 0 '' "$scratch/err"
	if annotated >"$scratch/out" 2>"$scratch/err"; then
		ok "$name: perf annotate lists $(cat "$scratch/out")"
	else
		not_ok "$name: perf annotate lists the instructions" "$scratch/err"
	fi
done
expect "two files at once are refused: 64" 64 'takes one FILE' ./lbrsnoop report --perf-data "$scratch/two" \
	tests/data/capture/skylake-hw.lbr tests/data/capture/skylake-hw.lbr
finish
