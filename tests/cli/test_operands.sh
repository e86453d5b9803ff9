#!/bin/bash
# not quick: a minute, with debug information of kernels
# test_operands - names of the source in conditions: gdb, asked the same of the same file, says so too
#
# Of our own program, and of each kernel and module whose debug information is here (tests/vm/setup
# --dbg --dbg-modules "ext4 btrfs nf_tables").
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/vm/machine/cache.sh
. tests/vm/machine/cache.sh
scratch_make
facts=build/tests/oracle/operand_facts
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
comment "SEED=$seed draws these decisions again"

# ask FILE [GDB_OPTION...]: gdb is asked; an index of what it has read once is kept, for vmlinux takes a while
ask() {
	FACTS=$scratch/facts timeout 300 gdb -nx -batch -iex "set index-cache directory $cache/gdb-index" \
		-iex "set index-cache enabled on" "${@:2}" -x tests/operands/ask.py "$1" >"$scratch/out" 2>"$scratch/err"
}

# checked: facts that were asked, and those contradicted
checked() {
	awk -F'\t' '$1 == "CHECKED" { print $2, $3 }' "$scratch/out"
}

# Of a module: what operand_facts and gdb need beside the kernel's file.
sections=() gdb_options=()
# Decisions for an errno, of kernels and modules: drawn, and named.
errno_drawn=0 errno_named=0

# agree NAME FILE LEAST PERCENT OPTION...: names for PERCENT of the decisions drawn
agree() {
	local name=$1 file=$2 least=$3 percent=$4 decisions named count=0 wrong=0
	shift 4
	if ! "$facts" -s "$seed" "$@" "$file" "${sections[@]}" >"$scratch/facts" 2>"$scratch/err"; then
		not_ok "$name: facts" "$scratch/err"
		return
	fi
	read -r decisions named < <(awk -F'\t' '$1 == "N" { print $2, $3 }' "$scratch/facts")
	case $name in
	*/errno)
		errno_drawn=$((errno_drawn + decisions))
		errno_named=$((errno_named + named))
		;;
	esac
	ask "$file" "${gdb_options[@]}"
	read -r count wrong < <(checked)
	if [ "${wrong:-1}" = 0 ] && [ "${count:-0}" -ge "$least" ]; then
		ok "$name/gdb"
	else
		grep WRONG "$scratch/out" | head -n 20 >"$scratch/wrong"
		not_ok "$name/gdb" "$scratch/wrong" "$scratch/err"
	fi
	if [ "$((100 * named))" -ge "$((percent * decisions))" ]; then
		ok "$name/named"
	else
		not_ok "$name/named"
	fi
	comment "$named of $decisions decisions are in the names of the source, by $count facts"
}

# agree_module RELEASE VMLINUX DEBUG_FILE: a module's addresses are relocated twice, by libdwfl and by ld
agree_module() {
	local release=$1 name
	name=$(basename "$3" .ko)
	if ! tests/operands/link_module "$3" "$2" "$scratch/$name" >"$scratch/sections" 2>"$scratch/err"; then
		not_ok "$release/$name: is linked" "$scratch/err"
		return
	fi
	mapfile -t sections <"$scratch/sections"
	gdb_options=(-iex "set confirm off" -ex "add-symbol-file $scratch/$name")
	set -- "$2" 100 60 -m "${name//-/_}" -d "${2%/boot/*}" -t "$scratch/$name" -n 350
	agree "$release/$name" "$@"
	agree "$release/$name/errno" "$@" -e
	sections=() gdb_options=()
}

# said: conditions written by hand, and beside each what is to be said of it. gdb says what a register
# holds; that the words are made of it rightly, a person has to say.
said() {
	local count=0 addr line words want
	if ! gcc -O2 -g -fcf-protection=none -no-pie -fno-pic tests/operands/said.c -o "$scratch/said" 2>"$scratch/err"; then
		not_ok "said.c is compiled" "$scratch/err"
		return
	fi
	"$facts" -e -n 400 "$scratch/said" | awk -F'\t' '$1 == "C" { print $2 "|" $4 }' | sort -u >"$scratch/decisions"
	while IFS='|' read -r addr words; do
		line=$(addr2line -e "$scratch/said" "$addr" | sed 's/.*://; s/ .*//')
		want=$(sed -n "${line}s,.*/\* \(.*\) \*/,\1,p" tests/operands/said.c)
		if [[ " | $want | " == *" | ${words:-nothing} | "* ]]; then
			ok "said: $want"
		else
			not_ok "said: line $line: $want"
			comment "'$words'"
		fi
		[ -z "$words" ] || count=$((count + 1))
	done <"$scratch/decisions"
	want=$(grep '^	*if (.* /\* .* \*/$' tests/operands/said.c | grep -v -c '/\* nothing')
	if [ "$count" = "$want" ]; then
		ok "said: all $want"
	else
		not_ok "said: $count of $want"
	fi
}

# What is wrong with a fact gdb has to find: its register, its place, its name, its size. Another
# register may be right by chance: inlined functions have variables of one name.
lies() {
	local lie script count wrong
	# Of a member's address, without a size, "*&array" would be true.
	# Few conditions are of the stack: more decisions are drawn than gdb is then asked of.
	"$facts" -s "$seed" -n 8000 "$1" >"$scratch/true" 2>"$scratch/err" || not_ok "lies: facts" "$scratch/err"
	while IFS=$'\t' read -r lie script; do
		awk -F'\t' -v OFS='\t' "$script" "$scratch/true" | head -n 300 >"$scratch/facts"
		ask "$1"
		count=0 wrong=
		read -r count wrong < <(checked)
		if [ "${count:-0}" -gt 4 ] && [ "$((100 * wrong))" -ge "$((99 * count))" ]; then
			ok "lie: $lie"
		else
			not_ok "lie: $lie" "$scratch/err"
			comment "$wrong of $count were refused"
		fi
	done <<-'END'
		another register	$2 == "register" { $4 = ($4 + 3) % 16; print }
		another variable	$2 == "register" { $10 = $10 "_"; print }
		another member	$2 == "member" { $5 += 8; print }
		a pointer to something else	$2 == "member" && $6 { $10 = "*" $10; print }
		larger than it is	$2 == "member" && $6 { $6 *= 16; print }
		another place in the frame	$2 == "stack" { $5 -= 4096; print }
		a part further on	$2 == "member" && $6 { $7 += 1; print }
	END
}

# compressed FILE: what libelf decompresses is in no file: its pages are never dropped, as mapped ones are
compressed() {
	if objcopy --compress-debug-sections "$1" "$scratch/compressed" 2>"$scratch/err" &&
		"$facts" -s "$seed" -n 500 "$1" >"$scratch/true" 2>>"$scratch/err" &&
		"$facts" -s "$seed" -n 500 "$scratch/compressed" >"$scratch/facts" 2>>"$scratch/err" &&
		[ "$(grep -c '^F' "$scratch/true")" -gt 100 ] && cmp -s "$scratch/true" "$scratch/facts"; then
		ok "compressed debug information: the same names"
	else
		not_ok "compressed debug information: the same names" "$scratch/err"
	fi
}

if [ ! -x "$facts" ]; then
	make -s "$facts" >"$scratch/out" 2>&1 || not_ok "operand_facts is built" "$scratch/out"
fi
mkdir -p "$cache/gdb-index"
said
compressed ./lbrsnoop
agree lbrsnoop ./lbrsnoop 500 60 -n 1000
lies ./lbrsnoop
# gdb takes a second for a hundred facts of a kernel.
draws=250 modules=1
[ -z "${FULL:-}" ] || draws=1000 modules=3
for vmlinux in "$cache"/debug/*/boot/vmlinux-*; do
	if [ ! -e "$vmlinux" ]; then
		skip "kernel" "no debug information of a kernel; tests/vm/setup --dbg"
		break
	fi
	release=${vmlinux##*/vmlinux-}
	agree "$release" "$vmlinux" $((draws * 9 / 10)) 73 -n $draws
	# Those that decide for an errno: more than 80 of 100.
	agree "$release/errno" "$vmlinux" $((draws * 3 / 2)) 80 -e -n $draws
	# Some of the larger ones: others have too few conditions.
	found=
	while read -r module; do
		found=1
		agree_module "$release" "$vmlinux" "$module"
	done < <(find "${vmlinux%/boot/*}/lib/modules" -name '*.ko' -size +4M 2>/dev/null | sort |
		shuf -n "$modules" --random-source=<(yes "$seed"))
	[ "$found" ] ||
		skip "$release: modules" "no debug information of modules; tests/vm/setup --dbg-modules"
done
if [ "$errno_drawn" -gt 0 ]; then
	if [ "$((100 * errno_named))" -ge "$((75 * errno_drawn))" ]; then
		ok "errno: 75 of 100 decisions are named"
	else
		not_ok "errno: 75 of 100 decisions are named"
	fi
	comment "$errno_named of $errno_drawn"
fi
finish
