#!/usr/bin/python3
"""start.py - from start to armed: lbrsnoop, and bpftrace attaching the same

Usage: start.py here|guest [RUNS [PROBES]]      PROBES 0: one place alone

lbrsnoop is armed when it says so. bpftrace does not say it: counted is the time of its first event,
or with many probes that of the first and the last of them, whichever comes later, which is kind to
it. Prints a table, medians. here: tracepoints, without an LBR. guest: kernel functions, too, with LBR.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
LBRSNOOP = os.path.join(TOP, "lbrsnoop")
TRACING = "/sys/kernel/tracing"
WAIT_S = 300


def lbrsnoop(targets, options):
    """Seconds until it says that it traces."""
    with tempfile.TemporaryDirectory(prefix="lbrsnoop-start.") as scratch:
        start = time.monotonic()
        with subprocess.Popen([LBRSNOOP, "record", "-t", str(WAIT_S), "-o", scratch + "/x.lbr",
                               *options, *targets], stderr=subprocess.PIPE, text=True) as process:
            said = []
            for line in process.stderr:
                said.append(line)
                if "tracing" in line and "Ctrl-C" in line:
                    took = time.monotonic() - start
                    process.terminate()
                    process.stderr.read()
                    return took
    sys.exit("lbrsnoop: " + "".join(said))


def bpftrace(probe, probes):
    """Seconds until @probe, which is hit all the time, is armed, and all of @probes."""
    say = '{ printf("%s %%lld\\n", nsecs); }'
    program = f"{probe} {say % 'first'}"
    if probes:
        program += " " + ",".join(probes) + " { @ = 1; } " + f"{probe} {say % 'last'}"
    env = dict(os.environ, BPFTRACE_MAX_PROBES="4096", BPFTRACE_LOG_SIZE="10000000")
    start = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    with subprocess.Popen(["bpftrace", "-q", "-e", program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=env) as process:
        times, said = {}, []
        for line in process.stdout:
            said.append(line)
            words = line.split()
            if len(words) == 2 and words[0] in ("first", "last"):
                times.setdefault(words[0], int(words[1]))
            if "first" in times and (not probes or "last" in times):
                process.kill()
                return (max(times.values()) - start) / 1e9
    return "".join(said)


class Hits(threading.Thread):
    """A process that hits the probed places every millisecond."""

    def __enter__(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([sys.executable, "-c", """
import os, time
while True:
    os.getppid()
    try: os.open("/nonexistent", 0)
    except OSError: pass
    time.sleep(0.001)"""])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def tracepoints(count):
    """Some that are seldom hit."""
    with open(TRACING + "/available_events", encoding="ascii") as file:
        names = [line.strip() for line in file]
    quiet = [n for n in names if n.split(":")[0] in ("xfs", "btrfs", "ext4", "kvm", "jbd2", "writeback",
                                                     "clk", "kvmmmu", "vmscan", "block", "net")]
    quiet += [n for n in names if n.startswith("syscalls:") and "getppid" not in n and "open" not in n]
    return quiet[:count]


def functions(count):
    """Some that are seldom hit, each of a name of its own."""
    with open(TRACING + "/available_filter_functions", encoding="ascii") as file:
        names = [line.strip() for line in file if "[" not in line]
    seldom = [n for n in names if n.split("_")[0] in ("acpi", "pci", "tcp", "udp", "nfs", "ipv6", "md",
                                                      "scsi", "usb", "cgroup", "tty", "input", "rtc")
              and "." not in n and names.count(n) == 1]
    return seldom[:count]


def row(what, ours, theirs):
    mine = statistics.median(ours)
    if isinstance(theirs[0], str):
        print(f"| {what} | {mine * 1000:.0f} ms | failed: {theirs[0].strip()[:60]} | |", flush=True)
        return
    other = statistics.median(theirs)
    print(f"| {what} | {mine * 1000:.0f} ms | {other * 1000:.0f} ms | {other / mine:.1f} |", flush=True)


def mount_tracing():
    """tracefs, and debugfs, where bpftrace looks for it"""
    if not os.path.exists(TRACING + "/available_events"):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)
    if not os.path.exists("/sys/kernel/debug/tracing/available_events"):
        subprocess.run(["mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug"], check=True)


def main():
    where = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    many = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    mount_tracing()
    print("| from start to armed | lbrsnoop | bpftrace | ratio |\n| --- | ---: | ---: | ---: |")
    with Hits():
        one = "tracepoint:syscalls:sys_enter_getppid"
        # What to trace, options, bpftrace's probe, and all of them
        rows = [("a tracepoint", [one], ["--no-lbr"], one, [])]
        if where == "here":
            names = ["tracepoint:" + n for n in tracepoints(many)]
            rows += [(f"{len(names)} tracepoints", names, ["--no-lbr"], one, names)]
        else:
            names = ["kprobe:" + n for n in functions(many)]
            function = "do_sys_openat2"
            rows += [("fexit / kretfunc", ["fexit:" + function], [], "kretfunc:" + function, []),
                     ("kretprobe", ["kretprobe:" + function], [], "kretprobe:" + function, []),
                     ("hw / none like it", [function], [], "kretfunc:" + function, []),
                     (f"{len(names)} kprobes", names, [], "kprobe:" + function, names)]
        for what, targets, options, probe, probes in rows if many else rows[:-1]:
            times = runs if not probes else max(1, runs // 3)
            row(what, [lbrsnoop(targets, options) for _ in range(times)],
                [bpftrace(probe, probes) for _ in range(times)])


if __name__ == "__main__":
    main()
