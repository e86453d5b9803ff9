#!/bin/bash
# triage - the same failure on many hosts: which paths lead to it, how often, and where?
#
#     examples/triage.sh FUNCTION HOST...
#
# On each host, by ssh and at once, one minute or 20 error returns of FUNCTION are recorded; the
# captures come back as HOST.lbr, and one table counts the paths of all of them. A path has the
# same id on every host with the same kernel build: a line that one host alone has is what is
# different there. Nothing is installed on the hosts but lbrsnoop, and nothing is left there.
#
# LBRSNOOP: the program on this machine; REMOTE: the one on the hosts, as root; SSH: instead of ssh.
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
[ $# -ge 2 ] || {
	echo "usage: triage.sh FUNCTION HOST..." >&2
	exit 64
}
function=$1
shift
for host in "$@"; do
	${SSH:-ssh} "$host" "${REMOTE:-sudo lbrsnoop} record -q -n 20 -t 60 -o - '$function'" >"$host.lbr" &
done
wait || true # a host that saw nothing is no failure of the others
"$lbrsnoop" report --summary --no-lines "${@/%/.lbr}"
for host in "$@"; do
	echo "$host: $("$lbrsnoop" report --summary --json --no-lines "$host.lbr" |
		sed -n -E 's/.*"path_id":"([0-9a-f]+)","count":([0-9]+).*/\2 of \1/p' | paste -sd, | sed 's/,/, /g')"
done
