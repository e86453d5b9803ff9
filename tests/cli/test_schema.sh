#!/bin/bash
# test_schema - what lbrsnoop prints as JSON fits its schema: tests/data/*.schema.json
#
# Here what decode, report and doctor print, and made-up answers of why, which
# tests/unit/test_why_json.c has printed; tests/vm/test_story, tests/vm/test_why and tests/vm/judges/live.py
# do the same with what a trace, why and a doctor with an LBR print.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

for dump in tests/data/decode/*.txt tests/data/decode/*.csv tests/data/decode/*.json; do
	name=decode/$(basename "$dump")
	if ! ./lbrsnoop decode --json "$dump" >"$scratch/lines" 2>"$scratch/said"; then
		not_ok "$name" "$scratch/said"
		continue
	fi
	fits "$name" "$scratch/lines"
done
fits "why/made-up answers" tests/data/why/answers.jsonl
for capture in tests/data/capture/*.lbr tests/data/capture/user/*.lbr; do
	name=$(basename "$capture" .lbr)
	./lbrsnoop report -q --json --insns --no-lines "$capture" >"$scratch/lines"
	fits "report/$name" "$scratch/lines"
	./lbrsnoop report -q --summary --json "$capture" >"$scratch/lines"
	fits "summary/$name" "$scratch/lines"
done
./lbrsnoop doctor --json >"$scratch/lines" 2>/dev/null
fits doctor "$scratch/lines"
for name in snapshots summary doctor; do
	fits "json/$name" "tests/data/json/$name.jsonl"
done

# A validator that says yes to everything would be no test.
echo '{"schema": "lbrsnoop.snapshot/1", "cpu": -1}' >"$scratch/lines"
tests/json_check "$scratch/lines" >"$scratch/verdict" 2>&1
case $? in
1) ok "what does not fit is found" ;;
77) skip "what does not fit is found" "python3-jsonschema is not installed" ;;
*) not_ok "what does not fit is found" "$scratch/verdict" ;;
esac
for answers in tests/data/why/answers.jsonl tests/data/json/*.jsonl; do
	name="$(basename "$answers" .jsonl): each lie is refused"
	tests/cli/misfits.py "$answers" >"$scratch/verdict" 2>&1
	case $? in
	0) ok "$name: $(tail -n 1 "$scratch/verdict")" ;;
	77) skip "$name" "python3-jsonschema is not installed" ;;
	*) not_ok "$name" "$scratch/verdict" ;;
	esac
done
finish
