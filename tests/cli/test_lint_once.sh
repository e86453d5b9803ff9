#!/bin/bash
# test_lint_once - what tests/lint/once leaves out: what has passed as it is, and nothing else
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
export LBRSNOOP_CACHE=$scratch/cache FULL=
once=$PWD/tests/lint/once

# It notes what it is asked of, and refuses files with "bad" in them.
cat >"$scratch/checker" <<'END'
#!/bin/sh
for file; do
	[ "$file" = -x ] || echo "$file" >>"$NOTES"
done
! grep -l bad "$@" 2>/dev/null
END
chmod +x "$scratch/checker"
export NOTES=$scratch/notes
mkdir "$scratch/in"
cd "$scratch/in" || exit 2

# checked NAME STATUS FILES CONTEXT [ARGUMENT]: of all that is here, the checker is asked of FILES
checked() {
	local name=$1 want=$2 files=$3 got
	: >"$NOTES"
	printf '%s\n' * | "$once" "$4" "$scratch/checker" "${@:5}" >"$scratch/out" 2>"$scratch/err"
	status=$?
	got=$(sort "$NOTES" | tr '\n' ' ')
	if [ "$got" = "$files" ] && [ "$((status != 0))" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "$NOTES" "$scratch/out" "$scratch/err"
		comment "status $status, asked of '$got'"
	fi
}

for i in 1 2 3 4 5 6 7 8; do
	echo "$i" >"f$i"
done
echo 1 >"with a blank"
all="f1 f2 f3 f4 f5 f6 f7 f8 with a blank "
checked "the first time: all" 0 "$all" one
checked "what has passed: none" 0 "" one
echo 9 >f3
checked "a file that has changed" 0 "f3 " one
echo 3 >f3
checked "as it was before" 0 "" one
mv f4 f9
checked "the same text by another name" 0 "f9 " one
mv f9 f4
checked "another context: all" 0 "$all" two
checked "other arguments: all" 0 "$all" two -x
checked "the first context again: none" 0 "" one
echo bad >f8
checked "one that is refused" 1 "f8 " one
checked "it is refused again" 1 "f8 " one
echo 8 >f8
checked "it is mended" 0 "" one
FULL=1 checked "FULL=1: all" 0 "$all" one
finish
