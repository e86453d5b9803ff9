"""executed.py - boot a guest whose every executed instruction is known; for the tests that ask

The log itself is gigabytes: truth_tail reads it from a FIFO while the guest runs, and keeps what
ran before each stop of the LBR.
"""
import os
import re
import subprocess

from report import guest_ended, log_text

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build", "tests", "vm")
TIMEOUT_S = int(os.environ.get("LBRSNOOP_GUEST_TIMEOUT", "1800"))
DEPTH = 32  # of skylake


def boot(kernel, directory, part, **environment):
    """Run tests/vm/guest/@part; None, or what went wrong.

    @directory: shared with the guest, which knows it as $out; "stops" there is truth_tail's
    @environment: variables for the guest
    """
    fifo, log_path = os.path.join(directory, "truth"), os.path.join(directory, "run.log")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    command = [os.path.join(HERE, "run"), "--cpu", "skylake", "--kernel", kernel,
               "--append", "nmi_watchdog=0", "--share", directory, "--truth", fifo, "--insns",
               "--timeout", str(TIMEOUT_S), "--env", f"out={directory}"]
    for name, value in environment.items():
        command += ["--env", f"{name}={value}"]
    command += ["--", os.path.join(HERE, "guest", part)]
    with open(log_path, "w", encoding="utf-8") as log, \
         subprocess.Popen([os.path.join(BUILD, "truth_tail"), str(DEPTH), fifo,
                           os.path.join(directory, "stops")], stdout=log, stderr=log) as tail:
        # Held open so that truth_tail ends with us, even where QEMU never opens the log.
        writer = os.open(fifo, os.O_RDWR)
        status = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        os.close(writer)
        tail.wait()
    why = guest_ended(status, log_text(log_path))
    if why:
        return type(why)(f"{why}, see {log_path}")
    return f"the emulator's log is not whole, see {log_path}" if tail.returncode else None


def verify(report, name, directory, part):
    """Hold every instruction of @part.lbr's paths against the stops: verify_path's totals, or None."""
    shown = os.path.join(directory, part + ".jsonl")
    with open(shown, "w", encoding="utf-8") as out:
        told = subprocess.run([os.path.join(TOP, "lbrsnoop"), "report", "-q", "--no-lines", "--json",
                               "--insns", os.path.join(directory, part + ".lbr")],
                              stdout=out, check=False)
    if told.returncode:
        report(f"{name}/{part}", f"report: exit status {told.returncode}")
        return None
    judged = subprocess.run([os.path.join(TOP, "build/tests/replay/verify_path"),
                             os.path.join(directory, "stops"), shown, "-v"],
                            stdout=subprocess.PIPE, text=True, check=False)
    for line in judged.stdout.splitlines():
        if line.startswith(("wrong: ", "gap: ")):
            print("#", line)
    if judged.returncode > 1 or judged.returncode < 0:
        report(f"{name}/{part}", f"verify_path: exit status {judged.returncode}")
        return None
    return {key: int(value) for key, value in re.findall(r"^(\w+) (\d+)$", judged.stdout, re.M)}


def judge_exact(report, name, parts, least, gaps_percent):
    """@parts: totals of verify(). All sequences are right, and few have gaps. Returns the sum."""
    total = {key: sum(part[key] for part in parts) for key in parts[0]}
    wrong = total["wrong"] + total["not_in_log"] + total["without_path"]
    percent = 100 * total["with_gap"] / (total["snapshots"] or 1)
    why = None
    if wrong:
        why = (f"{total['wrong']} wrong blocks, {total['not_in_log']} snapshots not in the log, "
               f"{total['without_path']} without a path")
    elif total["snapshots"] < least:
        why = f"{total['snapshots']} snapshots, at least {least} expected"
    report(f"{name}/exact", why,
           f"{total['snapshots']} snapshots, {total['instructions']} instructions, "
           f"{total['decisions']} decisions: 0 wrong")
    report(f"{name}/gaps", percent >= gaps_percent and
           f"{total['with_gap']} of {total['snapshots']} snapshots have one",
           f"{total['with_gap']} snapshots ({percent:.2f} %) with one, {total['gaps']} gaps in "
           f"{total['blocks']} blocks; {total['user']} stays in user space")
    return total
