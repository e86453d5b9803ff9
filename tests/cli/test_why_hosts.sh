#!/bin/bash
# test_why_hosts - examples/why-hosts.sh, with answers that are known: hosts of one place are one line
#
# tests/vm/test_examples runs it in the guest.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 2
# shellcheck source=tests/lib.sh
. tests/lib.sh
scratch_make

# A host's number is that of its answer; what it is told to run is kept.
cat >"$scratch/ssh" <<-END
	#!/bin/bash
	host=\$1
	shift
	echo "\$*" >"$scratch/\$host.command"
	sed -n "\${host##*-}p" "$PWD/tests/data/why/answers.jsonl"
END
chmod +x "$scratch/ssh"

# hosts ARGUMENT...: the example, in a directory of its own
hosts() {
	(cd "$scratch" && SSH=$scratch/ssh "$OLDPWD/examples/why-hosts.sh" "$@")
}

run_it hosts a-1 b-1 c-2 d-3 e-4 f-5 g-9 -- printf '%s\n' "a b" "it's" '$HOME' ''
cat >"$scratch/wanted" <<-'END'
	2 of 7 hosts (a-1, b-1): mkdir EINVAL: one+0x10 include/one.h:12, as count == 9
	1 of 7 hosts (c-2): mkdir EINVAL: two+0x10
	1 of 7 hosts (d-3): sendto EINVAL: one of two+0x10, one+0x10 include/one.h:12
	1 of 7 hosts (e-4): None 4000: the call did not fail so in run 1
	1 of 7 hosts (f-5): no system call is to blame; status 0
	1 of 7 hosts (g-9): no answer
END
if [ "$status" = 0 ] && diff "$scratch/wanted" "$scratch/out" >"$scratch/diff"; then
	ok "one line for each place"
else
	not_ok "one line for each place" "$scratch/diff" "$scratch/err"
fi
printf '%s\n' "a b" "it's" '$HOME' '' >"$scratch/wanted"
if sh -c "$(sed 's/^sudo lbrsnoop why -q --json --no-lbr -- //' "$scratch/a-1.command")" >"$scratch/out" &&
	cmp -s "$scratch/wanted" "$scratch/out"; then
	ok "the command's words get there as they were"
else
	not_ok "the command's words get there as they were" "$scratch/a-1.command" "$scratch/out"
fi
expect "no host" 64 '^usage: ' hosts -- true
expect "no command" 64 '^usage: ' hosts a-1 --
expect "no --" 64 '^usage: ' hosts a-1 true
finish
