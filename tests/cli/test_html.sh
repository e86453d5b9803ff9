#!/bin/bash
# test_html - the page of report --html: without a browser, and in a headless Chromium
#
# Everything in it is counted again from report --json (tests/cli/page.py). What it does, and what
# foreign names become, is asked of the browser (tests/cli/browse.py).
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/compare/may_open.lbr

# counted NAME PAGE CAPTURE...: the page of these captures, and what it says
counted() {
	local name=$1 page=$2
	shift 2
	expect "$name" 0 '' ./lbrsnoop report -q --no-lines --html "$page" "$@"
	./lbrsnoop report -q --no-lines --json "$@" >"$scratch/json" 2>"$scratch/err"
	expect_out "$name: counted again" 0 ' snapshots, [0-9]+ paths, ' tests/cli/page.py "$page" "$scratch/json"
}

tests/cli/plant.py markup "$capture" "$scratch/evil.lbr"
tests/bench/multiply.py tests/data/capture/skylake-mixed.lbr "$scratch/1000.lbr" 1000
tests/bench/multiply.py tests/data/capture/skylake-mixed.lbr "$scratch/10000.lbr" 10000
counted "triggers of all kinds" "$scratch/page.html" tests/data/capture/skylake-mixed.lbr
counted "a program's function" "$scratch/page.html" tests/data/capture/user/reached.lbr
counted "several files" "$scratch/page.html" tests/data/capture/skylake-hw.lbr "$capture" tests/data/capture/skylake-fexit.lbr
counted "10,000 snapshots" "$scratch/10000.html" "$scratch/10000.lbr"
counted "1,000 snapshots" "$scratch/1000.html" "$scratch/1000.lbr"
small "1,000 snapshots in 3 MB" "$scratch/1000.html" 3000000
counted "one snapshot" "$scratch/one.html" -n 1 "$capture"
counted "names that would be markup" "$scratch/evil.html" "$scratch/evil.lbr"
counted "known reasons" "$scratch/known.html" "$capture"

# What counts again has to find what is wrong.
for lie in 's/"count":12,/"count":13,/' 's/"path":\[\(.*\),1,/"path":[\1,2,/' "s/default-src 'none'/default-src */" \
	's/<main id/<main onclick=x id/' 's#</table>##' 's#"use strict"#"use  strict"#' 's/\\u003c/</' '1s/^/<!-- -->/'; do
	cp "$scratch/evil.html" "$scratch/lie.html"
	[[ $lie != *u003c* ]] && cp "$scratch/known.html" "$scratch/lie.html"
	[[ $lie == *u003c* ]] && ./lbrsnoop report -q --no-lines --json "$scratch/evil.lbr" >"$scratch/json"
	sed -i "$lie" "$scratch/lie.html"
	expect_out "refused: $lie" 1 '^page: ' tests/cli/page.py "$scratch/lie.html" "$scratch/json"
	./lbrsnoop report -q --no-lines --json "$capture" >"$scratch/json"
done

# The file: as a whole, or not at all; a device is no file.
echo kept >"$scratch/kept"
expect "no such capture: what was there stays" 2 '/none/x' ./lbrsnoop report --html "$scratch/kept" /none/x
if [ "$(cat "$scratch/kept")" = kept ]; then ok "it is not emptied"; else not_ok "it is not emptied" "$scratch/kept"; fi
expect_out "-: on standard output" 0 '^<!DOCTYPE html>' ./lbrsnoop report -q --no-lines --html - "$capture"
if cmp -s "$scratch/out" "$scratch/known.html"; then ok "the same page"; else not_ok "the same page"; fi
expect_out "nothing else is printed" 0 '' ./lbrsnoop report -q --no-lines --html "$scratch/page.html" "$capture"
expect_out "--summary, too" 0 '^11 paths of 211' ./lbrsnoop report -q --no-lines --summary --html "$scratch/page.html" "$capture"
expect "a directory" 2 "--html '$scratch': Is a directory" ./lbrsnoop report -q --html "$scratch" "$capture"
expect "a folder that is not there" 2 "--html '$scratch/none/x'" ./lbrsnoop report -q --html "$scratch/none/x" "$capture"
expect "a device stays one" 0 '' ./lbrsnoop report -q --no-lines --html /dev/null "$capture"
if [ -c /dev/null ]; then ok "/dev/null"; else not_ok "/dev/null"; fi
if [ -w /dev/full ]; then
	expect "a full disk" 2 "--html '/dev/full': No space left" ./lbrsnoop report -q --no-lines --html /dev/full "$capture"
fi
tests/cli/plant.py lost "$capture" "$scratch/lost.lbr"
expect_out "events lost at the end: in the summary" 0 '^11 paths of 211 snapshots, 77 events lost' \
	./lbrsnoop report -q --no-lines --summary --html "$scratch/lost.html" "$scratch/lost.lbr"
expect_out "events lost at the end: in the page" 0 '211 snapshots, 11 paths, 77 events lost' cat "$scratch/lost.html"
# What can be written is written.
if [ -w /dev/full ]; then
	expect "a page that cannot be written" 2 "--html '/dev/full': No space left" \
		./lbrsnoop report -q --no-lines --html /dev/full --metrics "$scratch/full.prom" "$capture"
	expect_out "the metrics beside it are" 0 'lbrsnoop_' cat "$scratch/full.prom"
fi
expect "postmortem --all" 64 'without --all' ./lbrsnoop postmortem --all --html "$scratch/a" /none/x
expect "the capture itself" 2 'the capture itself' ./lbrsnoop report --html "$capture" "$capture"
expect "two outputs in one file" 64 'two outputs' ./lbrsnoop report --html "$scratch/a" --trace-json "$scratch/a" "$capture"
expect "two outputs in one file, which is not there yet" 64 'two outputs' \
	./lbrsnoop report --html "$scratch/zz" --summary -o "$scratch/./zz" "$capture"
ln -s zz "$scratch/link"
expect "two outputs in one file, by a link to it" 64 'two outputs' \
	./lbrsnoop report --html "$scratch/zz" --summary -o "$scratch/link" "$capture"
expect "--json" 64 'without --json' ./lbrsnoop report --json --html "$scratch/a" "$capture"
expect "-o" 64 'and -o' ./lbrsnoop report -o "$scratch/b" --html "$scratch/a" "$capture"
expect "the page and the summary on one output" 64 'on one output' ./lbrsnoop report --summary --html - "$capture"
expect "the page and the summary on one output, by its name" 64 'on one output' \
	./lbrsnoop report --summary --html /dev/stdout "$capture"
# A file that standard output goes to is not replaced; what stands in it stays.
echo before >"$scratch/stdout"
./lbrsnoop report -q --no-lines --html "$scratch/./stdout" "$capture" >>"$scratch/stdout"
if cmp -s "$scratch/stdout" <(echo before && cat "$scratch/known.html"); then ok "--html, a name of standard output"; else not_ok "--html, a name of standard output"; fi
echo before >"$scratch/stdout"
./lbrsnoop report -q --no-lines --metrics /dev/stdout -n 1 "$capture" >>"$scratch/stdout" 2>"$scratch/err"
if grep -q '^before$' "$scratch/stdout" && grep -q '^lbrsnoop_snapshots_total 1$' "$scratch/stdout" && grep -q 'may_open' "$scratch/stdout"; then
	ok "--metrics, a name of standard output: the text beside it stays"
else
	not_ok "--metrics, a name of standard output: the text beside it stays" "$scratch/stdout" "$scratch/err"
fi
expect_out "a capture from standard input to standard output" 0 '^<!DOCTYPE html>' \
	sh -c "./lbrsnoop report -q --no-lines --html - - <$capture"
expect "none wanted: a page that says so" 1 '' ./lbrsnoop report -q --html "$scratch/none.html" -c nosuchtask "$capture"
if grep -q 'No snapshot is in this report' "$scratch/none.html"; then ok "no snapshot"; else not_ok "no snapshot" "$scratch/none.html"; fi
left=$(find "$scratch" -name '.*')
if [ -z "$left" ]; then ok "no temporary file is left"; else not_ok "no temporary file is left: $left"; fi

# The ranking of compare.
./lbrsnoop compare -q --no-lines --json "$capture" >"$scratch/json"
expect "compare --html" 0 '' ./lbrsnoop compare -q --no-lines --html "$scratch/compare.html" "$capture"
expect_out "compare --html: as --json has it" 0 '^2 reasons, [1-9]' tests/cli/compare_page.py "$scratch/compare.html" "$scratch/json"
sed 's/12 of 12/11 of 12/' "$scratch/compare.html" >"$scratch/lie.html"
expect_out "compare --html: a lie is refused" 1 '^page: ' tests/cli/compare_page.py "$scratch/lie.html" "$scratch/json"
expect_out "compare --html -: no text beside it" 0 '^<!DOCTYPE html>' ./lbrsnoop compare -q --no-lines --html - "$capture"
if cmp -s "$scratch/out" "$scratch/compare.html"; then ok "compare --html -: the same page"; else not_ok "compare --html -: the same page"; fi
expect "compare --html: a directory" 2 "--html '$scratch': Is a directory" ./lbrsnoop compare -q --html "$scratch" "$capture"
expect "compare --html: no failing call" 1 'nothing to compare' ./lbrsnoop compare -q --no-lines -e none -c nosuchtask --html "$scratch/none.html" "$capture"
if grep -q '<script\|<b>\|<svg onload' <(./lbrsnoop compare -q --no-lines --html - "$scratch/evil.lbr"); then
	not_ok "compare --html: names are text"
else
	ok "compare --html: names are text"
fi

./lbrsnoop compare -q --no-lines --json "$scratch/evil.lbr" >"$scratch/evil.json"
./lbrsnoop compare -q --no-lines --html "$scratch/evil-compare.html" "$scratch/evil.lbr"
tests/bench/multiply.py "$capture" "$scratch/calls.lbr" 1000
expect "compare --html of 1,000 snapshots" 0 '' ./lbrsnoop compare -q --no-lines --top 1000 --html "$scratch/calls.html" "$scratch/calls.lbr"
small "compare --html of 1,000 snapshots in 3 MB" "$scratch/calls.html" 3000000

if ! command -v chromium >/dev/null; then
	skip "in a browser" "chromium is not installed"
	finish
	exit
fi
# browse NAME PROGRAM ARGUMENT...: its verdicts, as our own
browse() {
	local name=$1 status
	shift
	python3 "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	case $status in
	0 | 1)
		sed "s/^ok /ok $name: /; s/^not ok /not ok $name: /" "$scratch/out"
		if [ "$status" = 1 ] || grep -q '^not ok' "$scratch/out"; then verdicts_failed=$((verdicts_failed + 1)); fi
		[ -s "$scratch/err" ] && not_ok "$name" "$scratch/err"
		;;
	77) skip "$name" "chromium does not start here" ;;
	*) not_ok "$name" "$scratch/out" "$scratch/err" ;;
	esac
}

browse browser tests/cli/browse.py "$scratch/known.html" "$scratch/evil.html" "$scratch/10000.html"
browse "browser, compare" tests/cli/browse_compare.py "$scratch/compare.html" "$scratch/json"
browse "browser, compare, names of markup" tests/cli/browse_compare.py "$scratch/evil-compare.html" "$scratch/evil.json"
sed 's/"true":12,/"true":6,/; s/"doubt":"/"doubt":"no /' "$scratch/json" >"$scratch/lie.json"
run_it python3 tests/cli/browse_compare.py "$scratch/compare.html" "$scratch/lie.json"
if [ "$status" = 77 ]; then
	skip "browser, compare: a lie is refused" "chromium does not start here"
elif [ "$(grep -c '^not ok \(both ways\|what is in doubt\)' "$scratch/out")" = 2 ]; then
	ok "browser, compare: a lie is refused"
else
	not_ok "browser, compare: a lie is refused" "$scratch/out" "$scratch/err"
fi
finish
