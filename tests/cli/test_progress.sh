#!/bin/bash
# test_progress - what lasts longer than a second says so, on a terminal alone (tests/cli/progress.py)
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

tests/bench/multiply.py tests/data/compare/may_open.lbr "$scratch/many.lbr" 3000
python3 tests/cli/progress.py ./lbrsnoop "$scratch/many.lbr"
