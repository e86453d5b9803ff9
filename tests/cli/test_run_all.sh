#!/bin/bash
# test_run_all - what tests/run-all makes of suites: what counts, what runs again, what may be skipped
#
# shellcheck disable=SC2016 # the suites expand it
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
export LBRSNOOP_SUITES=$scratch/suites LBRSNOOP_CHECK_LOGS=$scratch/logs LBRSNOOP_SKIPS=$scratch/skips
unset CI FULL AGAIN SEED LBRSNOOP_BEGAN
: >"$scratch/skips"

# suite NAME: a script from stdin; $turn is how often it ran before
suite() {
	local file=$scratch/${1//\//-}.sh
	{
		printf '#!/bin/bash\ncd %q || exit\necho "$SEED" >>%q\nturn=$(($(wc -l <%q) - 1))\n' \
			"$scratch" "${1//\//-}.runs" "${1//\//-}.runs"
		cat
	} >"$file"
	chmod +x "$file"
	printf '%s\t%s\n' "$1" "$file" >>"$scratch/suites"
}

# begin: no suites, none has run
begin() {
	: >"$scratch/suites"
	rm -rf "$scratch"/*.runs "$scratch/logs"
}

# runs_of NAME
runs_of() {
	wc -l <"$scratch/${1//\//-}.runs"
}

# closes NAME STATUS LAST: the last line is this, and the exit status
closes() {
	if [ "$status" = "$2" ] && [ "$(tail -n 1 "$scratch/out")" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "$scratch/out" "$scratch/err"
		comment "exit status $status, wanted $2, and at the end: $3"
	fi
}

# ran NAME SUITE TIMES
ran() {
	if [ "$(runs_of "$2")" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		comment "$2 ran $(runs_of "$2") times, wanted $3"
	fi
}

begin
suite cli/good <<<'echo "ok one"; echo "skip two: why not"; printf "ok 3 - three\nok 4 - four # SKIP no\n"'
run_it tests/run-all
closes "all passed" 0 "2 passed, 0 failed, 2 skipped"
judge "no suite has flaked: said" 0 '^0 flaked$' "$scratch/out"
judge "the seed is said" 0 '^SEED=[0-9]+$' "$scratch/out"
seed=$(head -n 1 "$scratch/out")
run_it tests/run-all
if [ "$(head -n 1 "$scratch/out")" = "$seed" ]; then
	ok "the same sources draw the same"
else
	not_ok "the same sources draw the same" "$scratch/out"
fi
# Who removes logs while suites run makes no failure a success.
begin
suite cli/gone <<<'echo "not ok one"; rm "$LBRSNOOP_CHECK_LOGS/cli-gone.log"; exit 1'
run_it tests/run-all
closes "a log that is gone is a failure" 1 "0 passed, 1 failed, 0 skipped"
begin
run_it tests/run-all
closes "no suite at all is a failure" 1 "0 passed, 1 failed, 0 skipped"
begin
suite cli/nested <<<"cd '$PWD' && tests/run-all >'$scratch/second' 2>&1; echo \"ok status \$?\""
run_it tests/run-all
judge "a second one at the same logs is refused" 0 'another one writes to .*: wait for it' "$scratch/second"
begin
suite cli/good <<<'echo "ok one"'
# drawn: SEED of the small tree
drawn() {
	"$scratch/tree/tests/run-all" | head -n 1
}

mkdir -p "$scratch/tree/"{bpf,src,tests}
cp tests/run-all "$scratch/tree/tests/"
echo "one" >"$scratch/tree/src/one.c"
first=$(drawn)
echo "ona" >"$scratch/tree/src/one.c"
changed=$(drawn)
echo "one" >"$scratch/tree/src/one.c"
touch "$scratch/tree/src/one.pyc"
back=$(drawn)
if [[ $first =~ ^SEED=[0-9]+$ ]] && [[ $changed =~ ^SEED=[0-9]+$ ]] && [ "$changed" != "$first" ] && [ "$back" = "$first" ]; then
	ok "another byte in a source draws another, and back again the first"
else
	not_ok "another byte in a source draws another, and back again the first"
	comment "first $first, changed $changed, and back $back"
fi
seeds=$(for _ in 1 2 3; do SEED=random tests/run-all | head -n 1; done | sort -u | wc -l)
if [ "$seeds" -ge 2 ]; then
	ok "SEED=random draws others"
else
	not_ok "SEED=random draws others"
fi

# order NAME "SUITE...": one after the other, in this order
order() {
	: >"$scratch/order"
	LBRSNOOP_TEST_JOBS=1 run_it tests/run-all
	if [ "$(paste -s -d ' ' "$scratch/order")" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$scratch/order" "$scratch/out"
	fi
}

begin
export LBRSNOOP_SECONDS=$scratch/seconds
printf '%s\n' "cli/a 1" "cli/b 300" "cli/c 20" >"$LBRSNOOP_SECONDS"
for suite in a b c d; do
	suite "cli/$suite" <<<"echo $suite >>order; echo 'ok one'"
done
order "the longest suite first, as the defaults say; one that they do not know before all" "d b c a"
judge "the time is said" 0 '^[0-9]+ s of suites, [0-9]+ of CPU$' "$scratch/out"
printf '%s\n' "cli/a 1.0" "cli/b 0.4" "cli/c 0.7" "cli/d 0.1" >"$scratch/logs/seconds"
LBRSNOOP_BEGAN=$((EPOCHSECONDS - 1000)) order "... as the last run here says" "a c b d"
judge "... and that of the set-up" 0 '^100[0-9] s of set-up, [0-9]+ s of suites, [0-9]+ of CPU$' "$scratch/out"

begin
printf '%s\n' "vm/a 300" "vm/b 200" "cli/c 1" >"$LBRSNOOP_SECONDS"
suite vm/a <<<'for _ in $(seq 100); do [ ! -e c ] || break; sleep 0.1; done; [ -e c ] && echo "ok one"; : >a'
suite vm/b <<<'[ -e a ] && echo "ok one"'
suite cli/c <<<'echo "ok one"; : >c'
LBRSNOOP_TEST_JOBS=2 run_it tests/run-all
closes "guests leave one place to the suites without" 0 "3 passed, 0 failed, 0 skipped"

begin
suite cli/busy <<<"bash -c \"exec python3 -c 'import time
while time.process_time() < 1.6: pass'\"; echo 'ok one'"
run_it tests/run-all
closes "a suite that computes" 0 "1 passed, 0 failed, 0 skipped"
judge "its CPU time is said, of processes that it waited for" 0 's, +[2-9] of CPU$' "$scratch/out"

begin
suite vm/long <<<'# not quick: minutes
echo "ok one"'
suite cli/short <<<'sleep 0.2; echo "ok one"'
run_it tests/run-all
judge "a suite that was left out" 0 '^ok +vm/long .* 1 skipped' "$scratch/out"
judge "... which the end says again" 0 '^left to CI and FULL=1: vm/long$' "$scratch/out"
if grep -q -E '^cli/short [0-9]+\.[0-9]$' "$scratch/logs/seconds" && ! grep -q '^vm/long' "$scratch/logs/seconds"; then
	ok "... says nothing of how long it takes"
else
	not_ok "... says nothing of how long it takes" "$scratch/logs/seconds"
fi

begin
suite vm/wrong <<<'[ "$turn" = 1 ] && { echo "ok one/match"; exit; }; echo "not ok one/match: 3 snapshots do not match"; exit 1'
run_it tests/run-all
closes "a snapshot that is wrong once has failed" 1 "0 passed, 1 failed, 0 skipped"
ran "... and there is no second chance" vm/wrong 1

begin
suite vm/machine <<<'[ "$turn" = 1 ] && { echo "ok one"; exit; }; echo "machine one: the guest ended with status 125"; exit 1'
suite cli/good <<<'echo "ok one"'
run_it tests/run-all
closes "a machine that failed once: the suite runs again" 0 "2 passed, 0 failed, 0 skipped"
ran "... once" vm/machine 2
judge "... which is shown" 0 '^flaked +vm/machine .*machine failed' "$scratch/out"
judge "... with what it said" 0 '^    machine one: the guest ended with status 125$' "$scratch/out"
judge "... and counted" 0 '^1 flaked: vm/machine$' "$scratch/out"
if [ "$(sort -u "$scratch/vm-machine.runs" | wc -l)" = 1 ] && grep -q . "$scratch/vm-machine.runs"; then
	ok "... with the same seed"
else
	not_ok "... with the same seed" "$scratch/vm-machine.runs"
fi
if grep -q '^machine one' "$scratch/logs/vm-machine.first.log"; then
	ok "... and its first log is kept"
else
	not_ok "... and its first log is kept"
fi
begin
suite vm/machine <<<'echo "machine one: the guest ended with status 124"; exit 1'
run_it tests/run-all
closes "a machine that failed twice has failed" 1 "0 passed, 1 failed, 0 skipped"
ran "... and there is no third time" vm/machine 2
begin
suite vm/machine <<<'echo "machine one: the guest ended with status 124"; exit 1'
AGAIN=0 run_it tests/run-all
closes "AGAIN=0" 1 "0 passed, 1 failed, 0 skipped"
ran "... is no second chance" vm/machine 1

begin
suite vm/both <<<'echo "machine one: status 125"; echo "not ok two: wrong"; exit 1'
run_it tests/run-all
closes "a machine that failed does not excuse what is wrong beside it" 1 "0 passed, 2 failed, 0 skipped"
ran "... which does not run again" vm/both 1
begin
suite vm/silent <<<'exit 125'
suite vm/says <<<'echo "# machine one: status 125"; echo "ok one"; exit 1'
run_it tests/run-all
closes "a status alone, a comment alone: failures" 1 "1 passed, 2 failed, 0 skipped"
judge "... that do not run again" 1 '^0 flaked$' "$scratch/out"

begin
suite vm/seed <<<'echo "ok $SEED"'
SEED=4711 run_it tests/run-all
closes "SEED=N is passed on" 0 "1 passed, 0 failed, 0 skipped"
judge "... as given" 0 '^ok 4711$' "$scratch/logs/vm-seed.log"
SEED=x expect "SEED=x: no number" 64 "SEED: not a number: x" tests/run-all

begin
suite cli/skips <<<'echo "ok one"; echo "skip two: no perf"; echo "skip three: no perf"; echo "ok 4 - four # SKIP no perf"'
cat >"$scratch/skips" <<-'END_SKIPS'
	# a comment
	cli/skips: two
	cli/other: three
	cli/skips: f[a-z]ur
END_SKIPS
CI=true run_it tests/run-all
closes "CI: a skip that is not listed has failed" 1 "1 passed, 1 failed, 2 skipped"
judge "... and is named" 1 'skipped, and not in .*: three: no perf$' "$scratch/out"
run_it tests/run-all
closes "elsewhere it is a skip" 0 "1 passed, 0 failed, 3 skipped"
echo 'cli/skips: thre' >>"$scratch/skips"
CI=true run_it tests/run-all
closes "CI: the beginning of a name is not the name" 1 "1 passed, 1 failed, 2 skipped"
echo 'cli/skips: th*' >>"$scratch/skips"
CI=true run_it tests/run-all
closes "CI: all skips are listed" 0 "1 passed, 0 failed, 3 skipped"
sed -i 's/^cli.skips: two$/without debug data, &/' "$scratch/skips"
mkdir -p "$scratch/cache/debug"
LBRSNOOP_CACHE=$scratch/cache CI=true run_it tests/run-all
closes "CI: for want of debug data that the archive has, none may be skipped" 1 "1 passed, 1 failed, 2 skipped"
touch "$scratch/cache/debug/gone"
LBRSNOOP_CACHE=$scratch/cache CI=true run_it tests/run-all
closes "CI: ... that it has not, one may" 0 "1 passed, 0 failed, 3 skipped"
sed -i 's/^without debug data, /without kernel 6.18, /' "$scratch/skips"
LBRSNOOP_CACHE=$scratch/cache CI=true run_it tests/run-all
closes "CI: for want of a kernel that the archive has, none may be skipped" 1 "1 passed, 1 failed, 2 skipped"
mkdir -p "$scratch/cache/kernel"
touch "$scratch/cache/kernel/gone"
LBRSNOOP_CACHE=$scratch/cache CI=true run_it tests/run-all
closes "CI: ... that it has not, one may" 0 "1 passed, 0 failed, 3 skipped"
echo 'in the guest, cli/skips: *' >"$scratch/skips"
CI=true run_it tests/run-all
closes "CI: what runs in the guest, too, may be skipped" 0 "1 passed, 0 failed, 3 skipped"

# ... and it does run there: what tests/vm/test_host is to run is what tests/skips says. Each at some time in CI.
programs_of() {
	local line
	while read -r line; do
		[[ $line == "in the guest, "* ]] || continue
		line=${line#in the guest, }
		if [[ $line == unit* ]]; then
			line=${line#*: }
			echo "build/tests/unit/${line%%:*}"
		else
			line=${line%%:*}
			echo "tests/cli/test_${line#cli/}.sh"
		fi
	done <tests/skips | sort -u
}

# listed: what the guest is to run, of the real list of skips
listed() {
	LBRSNOOP_SKIPS='' tests/vm/test_host --list
}
# Where a developer waits, too: what CI and FULL=1 run is asked here.
unset LBRSNOOP_QUICK
programs_of >"$scratch/promised"
is "in the guest: a suite or unit test each" "$(while read -r file; do
	[ -f "${file/#build\/tests\/unit\/test_*/tests/unit/${file##*/}.c}" ] || echo "$file"
done <"$scratch/promised")" ""
is "in the guest: FULL=1 runs all of them" "$(FULL=1 listed | grep -v : | sort)" "$(cat "$scratch/promised")"
FULL=1 listed | grep : | sort >"$scratch/lacks"
is "in the guest: three lacks, of each as many" "$(cut -d : -f 1 "$scratch/lacks" | uniq -c | awk '{ print $1 }' | uniq -c | awk '{ print $1 }')" 3
for seed in {1..150}; do
	SEED=$seed listed
done >"$scratch/drawn"
is "in the guest: SEED draws each at some time" "$(sort -u "$scratch/drawn")" "$(sort "$scratch/promised" "$scratch/lacks")"
is "in the guest: one lack where a developer waits" "$(SEED=1 LBRSNOOP_QUICK=1 listed | grep : | cut -d : -f 1 | sort -u | wc -l)" 1
# Where the list cannot be read so, the line itself is to be run, and fails.
printf 'in the guest, lint: x\nin the guest, cli/none: x\n' >"$scratch/skips"
is "in the guest: what is no suite of the host is not left out" "$(FULL=1 tests/vm/test_host --list | grep -v '^[a-z]*:b\|^[a-z]*:t')" \
	$'lint: x\ntests/cli/test_none.sh'
: >"$scratch/skips"

# What is the machine's failure: shell and Python agree. STATUS, WANTED, what tests/vm/run said.
while IFS='|' read -r wanted ended said; do
	printf 'some words\n%s\n' "$said" >"$scratch/said"
	shell=$(guest_failed guest "$ended" "$scratch/said" | head -n 1)
	python=$(cd tests/vm/judges && python3 -c '
import sys
from report import Report, guest_ended
Report()("guest", guest_ended(int(sys.argv[1]), open(sys.argv[2]).read()))' "$ended" "$scratch/said")
	if [[ "$shell" == "$wanted guest: status $ended" || "$shell" == "$wanted guest: "*": status $ended" ]] &&
		[[ "$python" == "$wanted guest: "*"status $ended"* ]]; then
		ok "status $ended, $said: $wanted"
	else
		not_ok "status $ended, $said: $wanted"
		comment "$shell; $python"
	fi
done <<'CASES'
machine|124|tests/vm/run: timeout after 600 s
not ok|125|tests/vm/run: the guest went down before the command ended
machine|125|tests/vm/run: the guest could not be set up: no 9p
machine|126|tests/vm/run: QEMU was killed by signal 11
machine|126|tests/vm/run: QEMU was killed by signal 9
not ok|126|tests/vm/run: the emulator aborted
machine|126|tests/vm/run: QEMU ended with status 1
machine|126|tests/vm/run: cannot start QEMU: No such file
not ok|125|tests/vm/run: the guest panicked
not ok|124|a command of the guest, which ended so
not ok|1|tests/vm/run: timeout after 600 s
not ok|126|tests/vm/run: no model x; there are: skylake
CASES

# What is drawn by SEED: so many, in their order; each at some time, and one choice is not tied to another.
items=(a b c d e f g)
drawn='' pairs='' wrong=''
for seed in {1..60}; do
	some=$(SEED=$seed sample 3 "${items[@]}" | paste -sd ' ')
	[[ ${items[*]} == *${some// /*}* && $(wc -w <<<"$some") -eq 3 ]] ||
		wrong+=" SEED=$seed: $some;"
	[ "$some" = "$(SEED=$seed sample 3 "${items[@]}" | paste -sd ' ')" ] || wrong+=" SEED=$seed: another time other ones;"
	drawn+=" $some"
	pairs+="$(SEED=$seed sample 1 left right)$(SEED=$seed sample 1 up down)"$'\n'
done
is "sample: three of seven, in their order, the same each time" "$wrong" ""
is "sample: each of them at some time" "$(tr ' ' '\n' <<<"$drawn" | sort -u | grep -c .)" 7
is "sample: two choices are not tied" "$(sort -u <<<"$pairs" | grep -c .)" 4
is "sample: FULL=1: all" "$(FULL=1 SEED=1 sample 3 "${items[@]}" | paste -sd ' ')" "${items[*]}"
is "sample: not more than there are" "$(SEED=1 sample 9 a b | paste -sd ' ')" "a b"
finish
