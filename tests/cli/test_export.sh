#!/bin/bash
# test_export - --otlp and --metrics say what the snapshots say, in the form that is published for
# them; nothing secret is in them, and no name of somebody else's is more than a name
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	skip "exports" "python3-jsonschema is not installed"
	finish
fi

# report ARGUMENT...: of $capture
report() {
	run_it ./lbrsnoop report -q --no-lines "$@" "$capture"
}

# promtool_check NAME: of $scratch/metrics
promtool_check() {
	if command -v promtool >/dev/null; then
		expect "$1: promtool" 0 '' sh -c "promtool check metrics <'$scratch/metrics'"
	else
		skip "$1: promtool" "promtool of Debian's prometheus is not installed"
	fi
}

for original in tests/data/capture/*.lbr tests/data/capture/user/*.lbr tests/data/export/*.lbr; do
	for what in plain forgeries; do
		name="$(basename "$original" .lbr), $what"
		capture=$original
		if [ $what = forgeries ]; then
			capture=$scratch/forgeries.lbr
			tests/cli/plant.py forgeries "$original" "$capture" || not_ok "$name"
		fi
		report --json
		mv "$scratch/out" "$scratch/json"
		report --otlp "$scratch/otlp" --metrics "$scratch/metrics"
		judge "$name: written" 0 '' "$scratch/err"
		expect "$name: --otlp" 0 '' tests/cli/exports.py otlp "$scratch/json" "$scratch/otlp"
		expect "$name: --metrics" 0 '' tests/cli/exports.py metrics "$scratch/json" "$scratch/metrics" 1000
		report --otlp - --export-comm
		mv "$scratch/out" "$scratch/otlp"
		expect "$name: --otlp - --export-comm" 0 '' tests/cli/exports.py otlp "$scratch/json" "$scratch/otlp" --comm
		cat "$scratch/otlp" >>"$scratch/all.otlp"
	done
done
promtool_check "hostile names"
expect_installed "--otlp: protobuf's own reader takes each line, and no other form" "protobuf-compiler or python3-protobuf" \
	tests/cli/otlp_proto.py --lies "$scratch/all.otlp"
expect "the schema refuses what OTLP's JSON is not" 0 '' tests/cli/exports.py lies "$scratch/otlp"

for original in tests/data/capture/*.lbr tests/data/capture/user/*.lbr; do
	name=$(basename "$original" .lbr)
	capture=$scratch/secrets.lbr
	tests/cli/plant.py secrets "$original" "$capture" || not_ok "$name"
	report --json
	cp "$scratch/out" "$scratch/json"
	if ! grep -q PLANTED "$scratch/json"; then
		not_ok "$name: the secrets are in the capture"
	fi
	report --otlp "$scratch/otlp" --metrics "$scratch/metrics"
	expect "$name: no secret leaves" 1 '' grep -a -i -h planted "$scratch/otlp" "$scratch/metrics"
	[ -s "$scratch/otlp" ] && [ -s "$scratch/metrics" ] || not_ok "$name: something leaves"
	report --otlp "$scratch/otlp" --metrics "$scratch/metrics" --export-comm
	expect_out "$name: the task's name if it is asked for, and no more" 1 '' \
		sh -c "sed 's/PLANTED-comm//' '$scratch/otlp' '$scratch/metrics' | grep -a -i planted"
done

capture=tests/data/capture/skylake-mixed.lbr
report --json
mv "$scratch/out" "$scratch/json"
for series in 1 3; do
	report --metrics "$scratch/metrics" --max-series $series
	expect "--max-series $series" 0 '' tests/cli/exports.py metrics "$scratch/json" "$scratch/metrics" $series
done
promtool_check "--max-series"
# A count that is one too high is refused.
awk '!done && sub(/ [1-9]$/, " 77") { done = 1 } { print }' "$scratch/metrics" >"$scratch/lie"
expect "a wrong count is refused" 1 '^exports: ' tests/cli/exports.py metrics "$scratch/json" "$scratch/lie" 3

# Where the error was made is what the story says.
capture=tests/data/export/skylake-errno.lbr
report
origin=$(sed -n 's/.* is made at \([^ ]*\)$/\1/p' "$scratch/out" | head -n 1)
report --otlp "$scratch/otlp"
if [ -n "$origin" ] && grep -q -F "\"lbrsnoop.origin\",\"value\":{\"stringValue\":\"$origin\"}" "$scratch/otlp"; then
	ok "origin"
else
	not_ok "origin" "$scratch/otlp"
fi

# With debug information of that kernel: the line that binutils find.
vmlinux=$(vmlinux_of "$capture")
if [ -z "$vmlinux" ]; then
	skip "origin in the source" "no debug information of build $(build_id_of "$capture"); tests/vm/setup --dbg"
else
	start=$(nm "$vmlinux" | awk -v name="${origin%+*}" '$3 == name { print $1 }')
	line=$(addr2line -e "$vmlinux" "$(printf '%x' $((16#$start + ${origin#*+})))")
	run_it ./lbrsnoop report -q --vmlinux "$vmlinux" --otlp - "$capture"
	found=$(sed -n 's/.*"lbrsnoop.origin","value":{"stringValue":"\([^"]*\)".*/\1/p' "$scratch/out" | head -n 1)
	if [[ $found =~ ^fs/namei.c:[0-9]+$ && $line == *"/$found" ]]; then
		ok "origin in the source"
	else
		not_ok "origin in the source"
		comment "'$found', addr2line: '$line'"
	fi
fi

# The file is replaced as a whole, or not at all; nothing lies about afterwards.
mkdir "$scratch/prom"
echo old >"$scratch/prom/lbrsnoop.prom"
exec 3<"$scratch/prom/lbrsnoop.prom"
report --metrics "$scratch/prom/lbrsnoop.prom"
if [ "$(cat <&3)" = old ] && grep -q lbrsnoop_snapshots_total "$scratch/prom/lbrsnoop.prom" &&
	[ "$(ls "$scratch/prom")" = lbrsnoop.prom ] && [ "$(stat -c %a "$scratch/prom/lbrsnoop.prom")" = "$(printf '%o' $((0666 & ~$(umask))))" ]; then
	ok "--metrics replaces the file as a whole"
else
	not_ok "--metrics replaces the file as a whole"
	ls -la "$scratch/prom" | sed 's/^/# /'
fi
exec 3<&-
mkdir "$scratch/prom/directory"
# A device would be gone, and a link would be a file.
mkfifo "$scratch/prom/pipe"
timeout 20 cat "$scratch/prom/pipe" >"$scratch/through" &
report --metrics "$scratch/prom/pipe"
wait $!
if [ -p "$scratch/prom/pipe" ] && cmp -s "$scratch/through" "$scratch/prom/lbrsnoop.prom"; then
	ok "--metrics writes into a pipe, which stays one"
else
	not_ok "--metrics writes into a pipe, which stays one" "$scratch/through"
fi
echo before >"$scratch/prom/real"
ln -s real "$scratch/prom/link"
report --metrics "$scratch/prom/link"
if [ -L "$scratch/prom/link" ] && cmp -s "$scratch/prom/real" "$scratch/prom/lbrsnoop.prom"; then
	ok "--metrics follows a symbolic link, which stays one"
else
	not_ok "--metrics follows a symbolic link, which stays one" "$scratch/prom/real"
fi
report --metrics "$scratch/prom/directory"
judge "--metrics that cannot be written" 2 'directory: Is a directory' "$scratch/err"
[ "$(ls -x "$scratch/prom")" = "$(cd "$scratch/prom" && ls -x directory lbrsnoop.prom link pipe real -d)" ] ||
	not_ok "what was begun is gone"
report --otlp /dev/full
judge "--otlp on a full disk" 2 '/dev/full: No space left on device' "$scratch/err"
report --otlp "$scratch/none/otlp"
judge "--otlp into no directory" 2 'none/otlp: No such file or directory' "$scratch/err"
report --metrics "$scratch/x" --otlp "$scratch/x"
judge "two outputs in one file" 64 'two outputs cannot be one file' "$scratch/err"
report --max-series 5
judge "--max-series without --metrics" 64 '--max-series is for --metrics' "$scratch/err"
expect "record does not print" 64 'for .lbrsnoop report' ./lbrsnoop record -o "$scratch/x.lbr" --otlp - do_sys_openat2
report
mv "$scratch/out" "$scratch/plain"
report --otlp "$scratch/otlp" --metrics "$scratch/metrics"
mv "$scratch/out" "$scratch/beside"
expect "what is printed is the same" 0 '' cmp "$scratch/beside" "$scratch/plain"
finish
