#!/usr/bin/python3
"""why.py - how long lbrsnoop why takes, beside the command alone, strace and bpftrace

Usage: why.py [RUNS] [--deep]

--deep: the machine has an LBR; also the way back to the system call's entry, and the runs for it.
CPU time, medians: in a guest that counts, one instruction is one nanosecond. Not the time that goes by:
where nothing runs, it jumps ahead there, by seconds while a file comes from a busy host. bpftrace is
counted until its one kretprobe is armed, twice, which is the bar of issue 17: a person who used it would
have to arm it for a first and for a second function.
"""
import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import start

COMMAND = ["rmdir", "/sys"]


def used():
    """Seconds of CPU time of all processes that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(command):
    """(seconds of CPU, standard output) of a command and its children; what it says is not shown."""
    begin = used()
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return used() - begin, ran.stdout


def bpftrace():
    """Seconds of CPU until one kretprobe, which is hit all the time, is armed."""
    program = 'kretprobe:do_sys_openat2 { printf("armed\\n"); }'
    with subprocess.Popen(["bpftrace", "-q", "-e", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as process:
        for line in process.stdout:
            if line == "armed\n":
                break
        else:
            sys.exit("why.py: bpftrace armed nothing")
        took = 0
        for path in glob.glob(f"/proc/{process.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as stat:
                took += int(stat.read().split()[0])
        process.kill()
    return took / 1e9


def why():
    """(seconds, runs of the command)"""
    took, out = seconds([start.LBRSNOOP, "why", "--no-lines", "--json", "--", *COMMAND])
    answer = json.loads(out.splitlines()[-1])
    if not answer["origin"] or answer["origin"]["certain"] is not True:
        sys.exit(f"why.py: no place: {answer['reason']}")
    return took, answer["runs"]


def deep():
    """The same of --deep, and (runs of the command, branches, is it the whole way?)"""
    took, out = seconds([start.LBRSNOOP, "why", "--no-lines", "--deep", "--json", "--", *COMMAND])
    answer = json.loads(out.splitlines()[-1])
    way = answer["deep"]
    if not way or not way["branches"]:
        sys.exit(f"why.py: no way: {way and way['gaps']}")
    return took, (answer["runs"], len(way["branches"]), way["entry"])


def strace():
    with tempfile.TemporaryDirectory(prefix="lbrsnoop-why.") as scratch:
        return seconds(["strace", "-f", "-o", scratch + "/out", *COMMAND])[0]


def main():
    words = [word for word in sys.argv[1:] if word != "--deep"]
    times = range(int(words[0]) if words else 3)
    start.mount_tracing()
    alone = statistics.median(seconds(COMMAND)[0] for _ in times)
    traced = statistics.median(strace() for _ in times)
    answers = [why() for _ in times]
    whole, runs = statistics.median(took for took, _ in answers), answers[-1][1]
    if whole <= runs * alone:
        sys.exit(f"why.py: why took {whole:.3f} s, and the command alone {alone:.3f} s, {runs} times: "
                 "something else was measured")
    with start.Hits():
        armed = [bpftrace() for _ in times]
    bar, beyond = 2 * statistics.median(armed), whole - runs * alone
    print("| | ms of CPU |\n| --- | ---: |")
    for what, value in ((" ".join(COMMAND), alone), ("strace of it", traced),
                        ("bpftrace arms one kretprobe, twice", bar),
                        (f"lbrsnoop why, {runs} runs of the command", whole),
                        ("... beyond these runs", beyond)):
        print(f"| {what} | {value * 1000:.0f} |")
    if "--deep" in sys.argv:
        # Runs, branches and time of one and the same: they differ from time to time.
        ways = sorted(deep() for _ in times)
        took, (runs, branches, entry) = ways[len(ways) // 2]
        print(f"| lbrsnoop why --deep, {runs} runs: {branches} branches"
              f"{', to the entry' if entry else ''} | {took * 1000:.0f} |")
        print(f"| ... beyond why, for each of {runs - answers[-1][1]} runs more | "
              f"{(took - whole) / (runs - answers[-1][1]) * 1000:.0f} |")
    print(f"why takes {beyond / bar:.2f} of what bpftrace takes", flush=True)


os.environ["LC_ALL"] = "C"
main()
