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

wanted=$(build_id_of "$capture")
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
import json, sys
sys.path.insert(0, "tests/vm/judges")
import lines

places = {}
for line in open(sys.argv[1], encoding="utf-8"):
    for branch in json.loads(line)["branches"]:
        source = branch["from"]
        if source["module"] is None and source["sym"]:
            places[source["addr"]] = source
assert places, "no branches of the kernel"
wrong = lines.kernel_errors(places.values(), sys.argv[2], 0)
assert not wrong, wrong[0]
known = sum(place["line"] is not None for place in places.values())
inlined = sum(len(place["inlined"] or ()) > 1 for place in places.values())
assert known > len(places) // 2, f"{known} lines of {len(places)} addresses"
print(f"{known} lines, {inlined} of inlined functions")
END
			ok "$name: $(cat "$scratch/out"), as addr2line has them"
		else
			not_ok "$name: lines as addr2line has them" "$scratch/err"
		fi
	done
fi

# Each unit's header is read, and the kernel maps what is around it: 132 MB, if that is kept.
capture=tests/data/capture/skylake-hw.lbr
if [ -n "$match" ]; then
	peak=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' ./lbrsnoop report -n 1 --vmlinux "$match" "$capture" 2>"$scratch/err")
	if [ "${peak:-1000}" -le 100 ]; then
		ok "first event with debug information: at most 100 MB"
	else
		not_ok "first event with debug information: ${peak:-nothing} MB, at most 100" "$scratch/err"
	fi
	comment "${peak:-no} MB"
fi

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
