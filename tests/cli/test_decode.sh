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
expect "a KASLR base that no kernel has" 0 'moved by 0x200010, and x86-64 .* is --kaslr-base right' \
	$tool decode --system-map "$scratch/System.map" --kaslr-base 0xffffffff80200010 \
	$data/core2-16-3.txt
expect "a KASLR offset that no kernel has" 0 'moved by 0x1000, .* is --kaslr-offset right' \
	$tool decode --system-map "$scratch/System.map" --kaslr-offset 1000 $data/core2-16-3.txt
sed 's/^ffffffff800/ffffffff802/' "$scratch/System.map" >"$scratch/kallsyms"
same "kallsyms, which needs no offset" $tool decode --kallsyms "$scratch/kallsyms" \
	$data/core2-16-3.txt
expect "a symbol table that is none" 2 'no symbol table' \
	$tool decode --kallsyms $data/README $data/core2-16-3.txt

# AMD APM vol. 2, 13.1.1.9: FROM is the compare, of a compare and a branch that were fused.
as -o "$scratch/fused.o" - <<'END'
	.globl _text, target
_text:	cmp $1, %eax
	je target
	nop
target:	ret
END
ld -Ttext 0xffffffff81000000 -e _text -o "$scratch/vmlinux" "$scratch/fused.o"
printf 'c0010300=%s\nc0010301=%s\n' 7fffffff81000000 dfffffff81000006 >"$scratch/fused"
expect "AMD without text: FROM may be the instruction before, which is said" 0 \
	'1 of 1 FROM addresses may be of the instruction before .*--vmlinux' \
	$tool decode --cpu zen4 "$scratch/fused"
expect_out "... and stays" 0 '^  0xffffffff81000000 +-> 0xffffffff81000006' \
	$tool decode --cpu zen4 "$scratch/fused"
expect_out "AMD with text: FROM is the branch" 0 '^  0xffffffff81000003 +-> target\+0' \
	$tool decode --cpu zen4 --vmlinux "$scratch/vmlinux" "$scratch/fused"
sed s/81/82/g "$scratch/fused" >"$scratch/fused-moved"
expect_out "... wherever the kernel runs" 0 '^  0xffffffff82000003 +-> target\+0' \
	$tool decode --cpu zen4 --vmlinux "$scratch/vmlinux" --kaslr-offset 1000000 \
	"$scratch/fused-moved"

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
expect "--explain of another register" 2 'MSR 10H is not a register of the LBR of nehalem' \
	$tool decode --cpu 06_1AH --explain 10=0
expect "--explain without a value" 64 'write it as' $tool decode --cpu 06_1AH --explain 10
expect "--explain does not drop --json unsaid" 64 '.-explain prints one register as text' \
	$tool decode --cpu 06_1AH --json --explain 0x683=1
expect "--list-models and a file" 64 'prints the table as text' $tool decode --list-models x
printf '680=1000\n6c0=1010\n1c9=0\n1dd=1000\n1de=1010\n' >"$scratch/ler"
expect_out "the last exception's record" 0 'before the last exception: 0x1000 -> 0x1010' \
	$tool decode --cpu nehalem "$scratch/ler"
expect "--json says that it leaves it out" 0 'CPU 0: its last exception.s record \(MSR 1DDH' \
	$tool decode --json --cpu nehalem "$scratch/ler"
expect_out "--list-models" 0 '06_4EH 06_5EH' $tool decode --list-models

printf '1=1\n' >"$scratch/foreign"
expect "registers of something else" 2 'none of its 1 MSRs' \
	$tool decode --cpu skylake "$scratch/foreign"
printf '40=0\n60=0\n1c9=0\n' >"$scratch/empty"
expect_out "an empty LBR is 1" 1 'the LBR was empty' $tool decode --cpu core2 "$scratch/empty"
printf '60=20\n1c9=0\n' >"$scratch/half"
expect_out "entries that the dump lacks are not called empty" 1 '0 of 4 entries useful, 4 not in the' \
	$tool decode --cpu core2 "$scratch/half"
expect_out "nor in JSON" 1 '"valid":0,"missing":4' $tool decode --json --cpu core2 "$scratch/half"
# Files as people have them, or as they should not be
dump=$data/core2-16-3.txt
cat >"$scratch/wanted" <<'END'
CPU 0, recorded: any
  LBR core2: 4 of 4 entries useful; it reports no flags
  0xffffffff80200100       -> 0xffffffff80200180
  0xffffffff80200200       -> 0xffffffff80200280
  0xffffffff80200300       -> 0xffffffff80200380
  0xffffffff80200400       -> 0xffffffff80200500

END
# quiet NAME FILE: decoded as the above, and nothing to complain of
quiet() {
	same "$1" $tool decode "$2"
	judge "$1: no complaint" 0 '' "$scratch/err"
}
sed 's/$/\r/' $dump >"$scratch/crlf"
quiet "lines that end in CR LF" "$scratch/crlf"
{ printf '\xef\xbb\xbf' && cat $dump; } >"$scratch/bom"
quiet "UTF-8 with a byte order mark" "$scratch/bom"
mkfifo "$scratch/fifo"
cat $dump >"$scratch/fifo" &
quiet "a FIFO" "$scratch/fifo"
wait
iconv -t UTF-16 $dump >"$scratch/utf-16"
expect "UTF-16: said, with the remedy" 2 'text in UTF-16: convert it: iconv' \
	$tool decode "$scratch/utf-16"
iconv -t UTF-16LE $dump >"$scratch/utf-16le"
expect "UTF-16 without a mark, too" 2 'text in UTF-16: convert it: iconv' \
	$tool decode "$scratch/utf-16le"
for packer in gzip bzip2 xz; do
	command -v $packer >/dev/null || continue
	$packer -c $dump >"$scratch/packed"
	expect "$packer: said, with the remedy" 2 "compressed by $packer: unpack it with " \
		$tool decode --cpu core2 "$scratch/packed"
done
expect "a program" 2 'an ELF file' $tool decode $tool
expect "a directory" 2 'Is a directory' $tool decode $data
expect "an empty file" 2 'the input is empty' $tool decode /dev/null
expect "no end" 2 'more than 256 MiB' $tool decode --cpu skylake /dev/zero
printf '680 = 5\0\n' >"$scratch/nul"
printf '1=1\0' >"$scratch/nul4"
expect "a NUL byte: what to do" 2 'Text with a stray NUL: say --input text' \
	$tool decode "$scratch/nul"
expect "a NUL byte, and a model: what to do" 2 'has 4 bytes\. If it is no block: .*--input text' \
	$tool decode --cpu skylake "$scratch/nul4"
printf 'CPU 65536: MSR 0x680: 0\n' >"$scratch/cpu"
expect "a CPU number that is none: its line" 2 'cpu:1: CPU 65536: CPU numbers end at 65535' \
	$tool decode --cpu skylake "$scratch/cpu"
printf 'MSR 0x680: -1\n' >"$scratch/sign"
expect "a sign" 2 'sign:1: not understood, left out: MSR 0x680: -1' \
	$tool decode --cpu skylake "$scratch/sign"
sed 's/^1c9.*/1c9 = 7/' $dump >"$scratch/tos"
expect "TOS out of range: said" 0 'TOS is 7, a stack of 4 entries has 0 to 3' \
	$tool decode "$scratch/tos"
expect "--tos out of range: said" 0 'TOS is 40, a stack of 4 entries has 0 to 3' \
	$tool decode --tos 40 "$scratch/no-tos"
{ cat $dump && echo '40 = 1'; } >"$scratch/twice"
expect "a register twice, with two values" 2 'MSR 40H is 0x1, and was 0xffffffff80200400 in line' \
	$tool decode "$scratch/twice"
{ cat $dump && echo 'CPU 1: MSR 0x680 0x0'; } >"$scratch/mixed"
expect "a second CPU of another kind" 2 'CPU 1: none of its 1 MSRs is an entry of the LBR of core2' \
	$tool decode "$scratch/mixed"
sed 's/^40 = .*/40 = 0x8000123400000000/' $dump >"$scratch/canonical"
expect "an address that is none: said, with its register" 0 \
	'entry 0: MSR 40H = 0x8000123400000000 holds no canonical 48-bit address' \
	$tool decode "$scratch/canonical"
expect "--cpu-id that is not there" 2 '1 CPU, from 0 to 0, and not this one' \
	$tool decode --cpu-id 3 $dump
expect "--format 99" 64 'formats are 0 to 7, and 3f' $tool decode --format 99 $dump
expect "JSON cut short" 2 "JSON: .*near end of file$" \
	sh -c "echo '{\"0x680\": \"1\"' | $tool decode --cpu skylake"
expect "JSON numbers beyond 63 bits" 2 'values over 0x7fffffffffffffff must be strings' \
	sh -c "echo '{\"0x680\": 18446744073709551615}' | $tool decode --cpu skylake"
python3 -c 'print("[" * 100000)' >"$scratch/deep"
expect "JSON without bottom" 2 'maximum parsing depth' $tool decode --cpu skylake "$scratch/deep"
expect "a full disk" 2 'standard output: No space left on device' \
	sh -c "$tool decode $dump >/dev/full"
expect "a full disk, JSON" 2 'standard output: No space left on device' \
	sh -c "$tool decode --json $dump >/dev/full"
expect "stdin closed" 2 'standard input: Bad file descriptor' sh -c "$tool decode --cpu skylake <&-"
expect "a reader that has seen enough" 0 '' sh -c "$tool decode $scratch/many | head -n 1"

expect "no such file" 2 'nonexistent: No such file' $tool decode /nonexistent
expect "no dump at all" 2 'no MSR value in it' $tool decode $data/README
expect "unknown CPU" 64 "'06_FEH': no LBR is known" $tool decode --cpu 06_FEH x
expect "no CPU" 64 "'frob': write it as 06_5EH" $tool decode --cpu frob x
expect "no format" 64 'formats are 0 to 7, and 3f' $tool decode --format 9 x
expect "--live and a file" 64 'not .x.' $tool decode --live x
expect "KASLR without symbols" 64 'move the addresses' $tool decode --kaslr-offset 1 x
finish
