#!/bin/bash
# test_decode - lbrsnoop decode: forms of input, symbols, messages, exit status
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
tool=./lbrsnoop
data=tests/data/decode

# from FILE COMMAND...: with FILE as stdin
from() {
	local file=$1
	shift
	"$@" <"$file"
}

# same NAME COMMAND...: its stdout is what $scratch/wanted holds
same() {
	local name=$1
	shift
	run_it "$@"
	if cmp -s "$scratch/out" "$scratch/wanted"; then
		ok "$name"
	else
		diff "$scratch/wanted" "$scratch/out" >"$scratch/diff"
		not_ok "$name" "$scratch/diff" "$scratch/err"
	fi
}

# Two of core2-16-3.txt's branches by its comment: 1 is the oldest, 0 the newest.
cat >"$scratch/wanted" <<'END'
CPU 0, recorded: any
  LBR core2: 4 of 4 entries useful; it reports no flags
  0xffffffff80200100       -> 0xffffffff80200180
  0xffffffff80200200       -> 0xffffffff80200280
  0xffffffff80200300       -> 0xffffffff80200380
  0xffffffff80200400       -> 0xffffffff80200500

END
same "a dump that names its CPU" $tool decode $data/core2-16-3.txt
same "the same from stdin" from $data/core2-16-3.txt $tool decode
grep -v model $data/core2-16-3.txt >"$scratch/nameless"
same "--cpu names the CPU" $tool decode --cpu 06_17H "$scratch/nameless"
expect "nobody names the CPU" 2 'whose LBR is this.*--cpu' $tool decode "$scratch/nameless"
expect "--cpu against the dump: said" 0 'is of a core2, you said atom' \
	$tool decode --cpu atom $data/core2-16-3.txt
grep -v '^1c9' $data/core2-16-3.txt >"$scratch/no-tos"
expect "no TOS: said, with the remedy" 2 'add MSR 1C9H, or give its value with --tos' \
	$tool decode "$scratch/no-tos"
same "--tos gives it" $tool decode --tos 0 "$scratch/no-tos"

# ffffffff80200100 = old_function + 0x100 once the kernel is moved by 0x200000
cat >"$scratch/System.map" <<'END'
ffffffff80000000 T _text
ffffffff80000000 T old_function
ffffffff80000300 T new_function
ffffffff80001000 T _etext
END
cat >"$scratch/wanted" <<'END'
CPU 0, recorded: any
  LBR core2: 4 of 4 entries useful; it reports no flags
  old_function+0x100       -> old_function+0x180
  old_function+0x200       -> old_function+0x280
  new_function+0           -> new_function+0x80
  new_function+0x100       -> new_function+0x200

END
same "System.map and --kaslr-offset" $tool decode --system-map "$scratch/System.map" \
	--kaslr-offset 200000 $data/core2-16-3.txt
same "System.map and --kaslr-base" $tool decode --system-map "$scratch/System.map" \
	--kaslr-base 0xffffffff80200000 $data/core2-16-3.txt
sed 's/^ffffffff800/ffffffff802/' "$scratch/System.map" >"$scratch/kallsyms"
same "kallsyms, which needs no offset" $tool decode --kallsyms "$scratch/kallsyms" \
	$data/core2-16-3.txt
expect "a symbol table that is none" 2 'no symbol table' \
	$tool decode --kallsyms $data/README $data/core2-16-3.txt

# The same registers in every form give the same branches.
$data/many_cpus.py 3 text >"$scratch/text"
$tool decode "$scratch/text" >"$scratch/wanted"
for form in csv json records; do
	$data/many_cpus.py 3 $form >"$scratch/$form"
	same "$form as text" $tool decode --cpu 06_5EH "$scratch/$form"
	same "--input $form" $tool decode --cpu 06_5EH --input $form "$scratch/$form"
done
expect_out "--cpu-id: one CPU of many" 0 '^CPU 2$' $tool decode --cpu-id 2 "$scratch/text"
expect_out "--json: one line a CPU" 0 '^\{"schema":"lbrsnoop.snapshot/1".*"model":"skylake"' \
	$tool decode --json "$scratch/text"

# 1,000 CPUs in under a second of CPU time, so that a busy machine does not count
$data/many_cpus.py 1000 text >"$scratch/many"
TIMEFORMAT='%U %S'
seconds=$({ time $tool decode "$scratch/many" >/dev/null; } 2>&1)
if awk '{ exit !($1 + $2 < 1) }' <<<"$seconds"; then
	ok "1,000 CPUs under a second"
else
	not_ok "1,000 CPUs under a second"
	comment "user and system seconds: $seconds"
fi

expect_out "--explain: Table 17-8" 0 '63 +MISPRED +0x1 +mispredicted' \
	$tool decode --cpu 06_1AH --explain 0x683=0xffffffff81000010
expect_out "--explain names the register" 0 '^MSR_LASTBRANCH_3_FROM_IP \(683H\)' \
	$tool decode --cpu 06_1AH --explain 683=ffffffff81000010
expect "--explain of another register" 2 'MSR 10H is no register of the LBR of nehalem' \
	$tool decode --cpu 06_1AH --explain 10=0
expect "--explain without a value" 64 'write it as' $tool decode --cpu 06_1AH --explain 10
expect_out "--list-models" 0 '06_4EH 06_5EH' $tool decode --list-models

printf '1=1\n' >"$scratch/foreign"
expect "registers of something else" 2 'none of its 1 MSRs' \
	$tool decode --cpu skylake "$scratch/foreign"
printf '40=0\n60=0\n1c9=0\n' >"$scratch/empty"
expect_out "an empty LBR is 1" 1 'the LBR was empty' $tool decode --cpu core2 "$scratch/empty"
expect "no such file" 2 'nonexistent: No such file' $tool decode /nonexistent
expect "no dump at all" 2 'no MSR value in it' $tool decode $data/README
expect "unknown CPU" 64 "'06_FEH': no LBR is known" $tool decode --cpu 06_FEH x
expect "no CPU" 64 "'frob': write it as 06_5EH" $tool decode --cpu frob x
expect "no format" 64 'formats are 0 to 7, and 3f' $tool decode --format 9 x
expect "--live and a file" 64 'not .x.' $tool decode --live x
expect "KASLR without symbols" 64 'move the addresses' $tool decode --kaslr-offset 1 x
finish
