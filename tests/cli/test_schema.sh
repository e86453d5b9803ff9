#!/bin/bash
# test_schema - what lbrsnoop prints as JSON fits tests/data/snapshot.schema.json
#
# Here what decode prints; tests/vm/test_story does the same with what a trace prints.
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
	tests/json_check "$scratch/lines" >"$scratch/verdict" 2>&1
	case $? in
	0) ok "$name" ;;
	77) skip "$name" "python3-jsonschema is not installed" ;;
	*) not_ok "$name" "$scratch/verdict" ;;
	esac
done

# A validator that says yes to everything would be no test.
echo '{"schema": "lbrsnoop.snapshot/1", "cpu": -1}' >"$scratch/lines"
tests/json_check "$scratch/lines" >"$scratch/verdict" 2>&1
case $? in
1) ok "what does not fit is found" ;;
77) skip "what does not fit is found" "python3-jsonschema is not installed" ;;
*) not_ok "what does not fit is found" "$scratch/verdict" ;;
esac
finish
