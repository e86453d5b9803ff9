#!/bin/bash
# triage - what fails on many hosts, and what fails on one of them alone?
#
#     examples/triage.sh [DIRECTORY [-e ERRNO,...]]
#
# Each host runs lbrsnoop-watch.service; systemd-journal-remote collects their journals into DIRECTORY, by default
# /var/log/journal/remote. Prints the most frequent paths of all hosts. A path has the same id on every host with
# the same kernel build: one that a single host has is what is different there, so each of these follows with
# its message, and the units whose tasks took it. Exit status 1: nothing has failed.
#
# LBRSNOOP: the program; TOP: so many paths, 10.
set -eu -o pipefail

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}
[ -x "$lbrsnoop" ] || lbrsnoop=lbrsnoop
directory=${1:-/var/log/journal/remote}
[ $# = 0 ] || shift

# The message that says all of a path: src/export/journal.h
in_full=MESSAGE_ID=0fa067c5e94549c6bac266c297feb233

# of_path HOST ID FIELD: what its messages have there
of_path() {
	journalctl -q -D "$directory" -o cat --no-pager --output-fields="$3" \
		"$in_full" _UID=0 _HOSTNAME="$1" LBRSNOOP_PATH_ID="$2"
}

"$lbrsnoop" report --journal="$directory" --top "${TOP:-10}" "$@"
"$lbrsnoop" report -q --journal="$directory" --top 65536 "$@" |
	awk '/ on [^ ]+ alone$/ { print $(NF - 1), id, count } { count = $1; id = $4 }' |
	while read -r host id count; do
		echo "$host alone, $count times: $(of_path "$host" "$id" MESSAGE | tail -n 1)"
		of_path "$host" "$id" LBRSNOOP_UNIT | sort | uniq -c | sort -rn | sed 's/^ */    of unit, messages: /'
	done
