#!/bin/bash
# test_view_files - debug information, sources and pictures: a wrong file is named, with its reason
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make
capture=tests/data/capture/skylake-hw.lbr

# wrong NAME PATTERN OPTION...: 2, said on stderr; nothing is waited for
wrong() {
	local name=$1 pattern=$2
	shift 2
	expect "$name" 2 "$pattern" timeout 20 ./lbrsnoop report -q "$@" "$capture"
}

mkfifo "$scratch/fifo" || exit 2
echo text >"$scratch/text"

wrong "--vmlinux that is not there" 'No such file or directory' --vmlinux "$scratch/none"
wrong "--vmlinux: text" 'no ELF file with debug information' --vmlinux "$scratch/text"
wrong "--vmlinux: a directory" 'no ELF file with debug information' --vmlinux "$scratch"
wrong "--vmlinux: a FIFO that nobody writes to" 'no ELF file with debug information' --vmlinux "$scratch/fifo"
# The release of the captured kernel, whatever runs here.
wrong "--vmlinux of something else" 'build ID is .*that of Linux 6\.[0-9.-]*-amd64 is wanted' --vmlinux ./lbrsnoop
for option in --debug-dir --source-dir; do
	wrong "$option that is not there" "$option '.*none': No such file or directory; name the .*" $option "$scratch/none"
	wrong "$option: a file" "$option '.*text': Not a directory; name the .*" $option "$scratch/text"
done

# The kernel's sources, before the command is run; whatever may be traced here.
mkdir -p "$scratch/headers/include/linux" "$scratch/linux/kernel" || exit 2
touch "$scratch/linux/kernel/fork.c"
sources='name the root of the kernel.s sources'
for directory in none:No text:Not headers:kernel/fork.c:; do
	expect "why --source-dir ${directory%%:*}" 2 "^lbrsnoop: --source-dir '.*${directory%%:*}': ${directory#*:} .*; $sources" \
		./lbrsnoop why --source-dir "$scratch/${directory%%:*}" -- touch "$scratch/ran"
done
if [ -e "$scratch/ran" ]; then
	not_ok "why: the command was not run"
else
	ok "why: the command was not run"
fi
run_it timeout 20 ./lbrsnoop why --source-dir "$scratch/linux" -- /no/such/command
if grep -q source-dir "$scratch/err"; then
	not_ok "why --source-dir: sources are taken" "$scratch/err"
else
	ok "why --source-dir: sources are taken"
fi
wrong "--dot where nothing can be written" "--dot '.*none/x.dot': No such file or directory" --dot "$scratch/none/x.dot"
wrong "--dot: a directory" "--dot '.*': Is a directory" --dot "$scratch"
# Before the command is run again and again.
expect "why --dot where nothing can be written" 2 "--dot '.*none/x.dot': No such file or directory" \
	./lbrsnoop why --dot "$scratch/none/x.dot" -- touch "$scratch/ran"
expect "--svg without Graphviz" 2 "'dot' is not in PATH" \
	env PATH="$scratch" "$PWD/lbrsnoop" report -q --svg "$scratch/x.svg" "$capture"
if command -v dot >/dev/null; then
	wrong "--svg where nothing can be written" "--svg '.*none/x.svg': No such file or directory" --svg "$scratch/none/x.svg"
else
	skip "--svg where nothing can be written" "no Graphviz here"
fi
finish
