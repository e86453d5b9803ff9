#!/bin/bash
# why-hosts - a command fails on many hosts: is it the same place in the kernel on all of them?
#
#     examples/why-hosts.sh HOST... -- COMMAND [ARGUMENT]...
#
# On each host, by ssh and at once, 'lbrsnoop why' runs COMMAND, three times at most. One line for
# each place where its error was made, with the hosts: a line that one host alone has is what is
# different there. It needs no LBR. The answers stay in HOST.json, schema lbrsnoop.why/1.
#
# REMOTE: the program on the hosts, as root; SSH: instead of ssh.
set -eu

hosts=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	hosts+=("$1")
	shift
done
[ ${#hosts[@]} -gt 0 ] && [ $# -gt 1 ] || {
	echo "usage: why-hosts.sh HOST... -- COMMAND [ARGUMENT]..." >&2
	exit 64
}
shift
for host in "${hosts[@]}"; do
	${SSH:-ssh} "$host" "${REMOTE:-sudo lbrsnoop} why -q --json --no-lbr -- ${*@Q}" >"$host.json" &
done
wait || true # a host without an answer is a line of its own

python3 - "${hosts[@]}" <<'END'
import collections
import json
import sys


def place_of(place):
    if not place["function"]:
        return place["addr"]
    text = f"{place['function']}+{place['off']:#x}"
    if place["module"]:
        text += f" [{place['module']}]"
    return text + (f" {place['file']}:{place['line']}" if place["line"] else "")


def summary_of(answer):
    call, origin = answer["call"], answer["origin"]
    if not call:
        return f"no system call is to blame; status {answer['status']}"
    head = f"{call['name']} {call['errno']}: "
    if not origin:
        return head + answer["reason"]
    if not origin["certain"]:
        return head + "one of " + ", ".join(place_of(place) for place in origin["candidates"])
    condition = origin["source_condition"] or origin["condition"]
    return head + place_of(origin) + (f", as {condition}" if condition else "")


hosts_of = collections.defaultdict(list)
for host in sys.argv[1:]:
    try:
        with open(host + ".json", encoding="ascii") as file:
            hosts_of[summary_of(json.load(file))].append(host)
    except ValueError:
        hosts_of["no answer"].append(host)
for summary, hosts in sorted(hosts_of.items(), key=lambda item: -len(item[1])):
    print(f"{len(hosts)} of {len(sys.argv) - 1} hosts ({', '.join(hosts)}): {summary}")
END
