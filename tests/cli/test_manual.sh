#!/bin/bash
# test_manual - the manual page and README name each option and command that there is, and no other
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

./lbrsnoop help | sed -n -E 's/^lbrsnoop \[?([a-z]+)\]? .*/\1/p' | grep -v '^help$' >"$scratch/commands"
{
	while read -r command; do
		./lbrsnoop help "$command"
	done <"$scratch/commands"
} | grep -o -E -e '^ +(-., )?--[a-z-]+' | grep -o -E -e '--[a-z-]+' |
	grep -v -E -e '^--(help|usage|version)$' | sort -u >"$scratch/options"
grep -o -E -e 'Fl -[a-z-]+' man/lbrsnoop.8 | sed 's/^Fl -/--/' | sort -u >"$scratch/manual"

# same NAME WANTED GOT
same() {
	if diff "$2" "$3" >"$scratch/diff"; then
		ok "$1"
	else
		not_ok "$1" "$scratch/diff"
	fi
}

[ "$(wc -l <"$scratch/commands")" -ge 2 ] || not_ok "help lists the commands" "$scratch/commands"
same "the manual page has the options of --help, and no other" "$scratch/options" "$scratch/manual"
while read -r command; do
	[ "$command" = trace ] && continue
	if grep -q "^\.Ss $command" man/lbrsnoop.8; then
		ok "the manual page has the command $command"
	else
		not_ok "the manual page has the command $command"
	fi
done <"$scratch/commands"
for prefix in $(./lbrsnoop list targets | cut -f 1); do
	if grep -q -F "${prefix%:}\\&: Ns" man/lbrsnoop.8; then
		ok "the manual page has the target $prefix"
	else
		not_ok "the manual page has the target $prefix"
	fi
done
./lbrsnoop list presets | cut -f 1 | LC_ALL=C sort >"$scratch/presets"
PYTHONPATH=tests/vm/judges python3 -B -c 'import presets; print(*sorted(presets.NAMES), sep="\n")' >"$scratch/told"
same "the manual page has the presets, and no other" "$scratch/presets" "$scratch/told"
grep -o -E -e '(^|[ `])--[a-z][a-z-]+' README.md | grep -o -E -e '--[a-z-]+' | sort -u |
	grep -v -E -e '^--(dbg|help|kernel|list|update)$' >"$scratch/readme"
comm -23 "$scratch/readme" "$scratch/options" >"$scratch/unknown"
same "README.md names no option that is not there" /dev/null "$scratch/unknown"

# docs/SUPPORT.md has a row of each model that is emulated, with the models of the same registers.
awk '!/^#/ && NF && $1 != "none" { print $1 }' tests/vm/qemu/models | sort >"$scratch/emulated"
sed -n 's/^| \([a-z0-9_]*\) | [0-9][^|]*| \([^|]*\) | [^|]* |$/\1 \2/p' docs/SUPPORT.md >"$scratch/rows"
cut -d ' ' -f 1 "$scratch/rows" | sort >"$scratch/proven"
same "docs/SUPPORT.md has the models that are emulated" "$scratch/emulated" "$scratch/proven"
./lbrsnoop decode --list-models | awk '/^[a-z]/ { name = $1 } sub(/^\tMSRs: /, "") { print name "\t" $0 }' >"$scratch/msrs"
while read -r model others; do
	for other in ${others//[-,]/}; do
		[ "$(sed -n "s/^$other\t//p" "$scratch/msrs")" = "$(sed -n "s/^$model\t//p" "$scratch/msrs")" ] ||
			echo "$other has other registers than $model"
	done
done <"$scratch/rows" >"$scratch/differ"
same "docs/SUPPORT.md: a model stands for those of its registers" /dev/null "$scratch/differ"
finish
