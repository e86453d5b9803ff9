#!/bin/bash
# test_report_lines - source lines in the report of a capture: by build ID, and as addr2line has them
#
# The debug information is that of tests/vm/setup --dbg, of the kernel of tests/data/capture.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

cache=${LBRSNOOP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lbrsnoop}
capture=tests/data/capture/skylake-hw.lbr
release=$(./lbrsnoop report -v -n 1 "$capture" 2>&1 >/dev/null | sed -n 's/.*Linux \([^,]*\), LBR.*/\1/p')

# build_id FILE
build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

wanted=$(zstd -dcq "$capture" 2>/dev/null | tr '\0' '\n' | sed -n '/^build-id$/{n;p;q}')
match='' other=''
for vmlinux in "$cache"/debug/*/boot/vmlinux-*; do
	[ -f "$vmlinux" ] || continue
	if [ "$(build_id "$vmlinux")" = "$wanted" ]; then
		match=$vmlinux
	else
		other=$vmlinux
	fi
done

if [ -z "$match" ]; then
	skip "lines by build ID" "no debug information of build $wanted ($release); tests/vm/setup --dbg"
else
	dir=${match%/boot/*}
	for capture in tests/data/capture/*.lbr; do
		name=$(basename "$capture" .lbr)
		run_it ./lbrsnoop report --json --debug-dir "$dir" "$capture"
		cp "$scratch/out" "$scratch/json"
		judge "$name: with debug information of its build: 0" 0 '' "$scratch/err"
		if python3 - "$scratch/json" "$match" >"$scratch/out" 2>"$scratch/err" <<'END'; then
import json, subprocess, sys

places = {}
for line in open(sys.argv[1], encoding="utf-8"):
    for branch in json.loads(line)["branches"]:
        source = branch["from"]
        if source["module"] is None and source["sym"]:
            places[source["addr"]] = source
assert places, "no branches of the kernel"
addrs = sorted(places)
out = subprocess.run(["addr2line", "-a", "-i", "-f", "-e", sys.argv[2]], check=True, text=True,
                     input="".join(a + "\n" for a in addrs), stdout=subprocess.PIPE).stdout.split("\n")
chains, at = {}, None
for i in range(len(out)):
    if out[i].startswith("0x"):
        at = hex(int(out[i], 16))
        chains[at] = []
        pair = iter(out[i + 1:])
        for function, where in zip(pair, pair):
            if function.startswith("0x"):
                break
            where = where.split(" ")[0].rsplit(":", 1)
            chains[at].append((function, where[0], where[1]))
lines = inlined = 0
for addr in addrs:
    place, chain = places[addr], chains[addr]
    if chain[0][1] == "??" or chain[0][2] in ("?", "0"):
        assert place["line"] is None, f"{addr}: {place['file']}:{place['line']}, addr2line has none"
        continue
    assert str(place["line"]) == chain[0][2] and ("/" + chain[0][1]).endswith("/" + place["file"]), \
        f"{addr}: {place['file']}:{place['line']} is not {chain[0]}"
    lines += 1
    # the last one is the function itself
    ours = [f["function"] for f in place["inlined"] or []]
    theirs = [c[0] for c in chain]
    if ours == [""]: # no function in the debug information: addr2line asks the symbol table
        continue
    assert ours == theirs[:len(ours)] and len(theirs) - len(ours) <= 1, f"{addr}: {ours}, {theirs}"
    inlined += len(chain) > 1
assert lines > len(addrs) // 2, f"{lines} lines of {len(addrs)} addresses"
print(f"{lines} lines, {inlined} of inlined functions")
END
			ok "$name: $(cat "$scratch/out"), as addr2line has them"
		else
			not_ok "$name: lines as addr2line has them" "$scratch/err"
		fi
	done
fi

capture=tests/data/capture/skylake-hw.lbr
if [ -z "$other" ]; then
	skip "debug information of another build" "none is here; tests/vm/setup --dbg"
else
	expect "--vmlinux of another build: 2, both build IDs are named" 2 \
		"$(build_id "$other"), that of the kernel traced is $wanted.*that of Linux $release is wanted" ./lbrsnoop report --vmlinux "$other" "$capture"
	# in a directory, too, even where its name is that of our release
	mkdir -p "$scratch/dir/boot"
	ln -s "$other" "$scratch/dir/boot/vmlinux-$release"
	run_it ./lbrsnoop report --debug-dir "$scratch/dir" "$capture"
	cp "$scratch/out" "$scratch/with"
	./lbrsnoop report --no-lines "$capture" >"$scratch/without"
	if [ "$status" = 0 ] && cmp -s "$scratch/with" "$scratch/without"; then
		ok "--debug-dir with another build under our release's name: no lines"
	else
		not_ok "--debug-dir with another build under our release's name: no lines" "$scratch/err"
	fi
fi
finish
