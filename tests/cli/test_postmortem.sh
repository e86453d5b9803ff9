#!/bin/bash
# test_postmortem - postmortem and flight recorders: what is no dump, what is no recorder
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

expect "no dump named" 64 'postmortem: which dump\?' ./lbrsnoop postmortem
expect "two dumps" 64 'one dump at a time' ./lbrsnoop postmortem a b
expect "a dump that is not there" 2 "$scratch/none: No such file" ./lbrsnoop postmortem "$scratch/none"
expect "a directory" 2 'a directory, and no crash dump' ./lbrsnoop postmortem "$scratch"
expect "a device" 2 'no regular file, and no crash dump' ./lbrsnoop postmortem /dev/zero
: >"$scratch/empty"
expect "an empty file" 2 'empty, and no crash dump' ./lbrsnoop postmortem "$scratch/empty"
expect "an ELF file that is no dump" 2 'no crash dump that can be read' ./lbrsnoop postmortem ./lbrsnoop
printf 'makedumpfile\0\0\0\0%4096s' '' >"$scratch/flat"
expect "a flattened dump: the remedy" 2 'makedumpfile -R' ./lbrsnoop postmortem "$scratch/flat"
gzip -c /etc/passwd >"$scratch/x.gz"
expect "a dump that is compressed as a whole: the remedy" 2 'unpack it first' \
	./lbrsnoop postmortem "$scratch/x.gz"
SEED=${SEED:-1}
comment "SEED=$SEED makes this noise again"
python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(int(sys.argv[1])).randbytes(100000))' \
	"$SEED" >"$scratch/noise"
expect "noise" 2 'no crash dump that can be read' ./lbrsnoop postmortem "$scratch/noise"
# It waits for a child of its own, which nobody can where SIGCHLD is ignored.
expect "started with SIGCHLD ignored" 2 'no crash dump that can be read' \
	sh -c 'trap "" CHLD; exec ./lbrsnoop postmortem "$1"' sh "$scratch/noise"
for option in -o --trace-json --dot --svg; do
	ln -f "$scratch/noise" "$scratch/link"
	expect "$option DUMP DUMP: 2, said" 2 'link: the dump itself' ./lbrsnoop postmortem $option "$scratch/link" "$scratch/noise"
done
if [ "$(wc -c <"$scratch/noise")" = 100000 ]; then
	ok "a dump is not written into"
else
	not_ok "a dump is not written into"
fi
touch "$scratch/one"
expect "two outputs in one file" 64 'two outputs cannot be one file' \
	./lbrsnoop postmortem -o "$scratch/one" --dot "$scratch/../$(basename "$scratch")/one" "$scratch/noise"
expect "--log without a number" 64 "--log 'x'" ./lbrsnoop postmortem --log x y

# The program's own file is in the page cache, and so in a dump: it holds no page's first 16 bytes.
# Its halves are there, or this would find nothing whatever it holds (src/flight/page_format.h).
low='\x4d\xe8\x7b\xa2\xc5\x61\x3f\x9d' high='\x76\x2f\xd8\x13\x9c\x7a\xe0\x5b'
if ! LC_ALL=C grep -qaP "$low" ./lbrsnoop; then
	not_ok "the program holds half of a flight recorder's magic"
elif LC_ALL=C grep -qaP "$low$high" ./lbrsnoop; then
	not_ok "the program is no page of a flight recorder"
else
	ok "the program is no page of a flight recorder"
fi

expect "--keep without a recorder" 64 '--flight is missing' ./lbrsnoop record --keep 3 -o x.lbr f
expect "--stop without a recorder" 64 '--flight is missing' ./lbrsnoop record --stop
expect "--keep 0" 64 'one snapshot at least' ./lbrsnoop record --flight --keep 0 f
expect "--keep beyond the most there may be" 64 '--keep' ./lbrsnoop record --flight --keep 16385 f
expect "--stop and a target" 64 'TARGET is not wanted' ./lbrsnoop record --flight --stop f
expect "--rotate needs a process" 64 '--rotate' ./lbrsnoop record --flight --rotate f
expect "record without a file or recorder" 64 'or --flight' ./lbrsnoop record f
expect "report of both" 64 'not both' ./lbrsnoop report --flight x.lbr
if [ "$(id -u)" = 0 ]; then
	expect "stop what is not there" 2 'there is none' \
		./lbrsnoop record --flight="$scratch/none" --stop
	expect "report of what is not there" 2 'there is none' ./lbrsnoop report --flight="$scratch/none"
fi
finish
