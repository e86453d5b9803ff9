"""executed.py - boot a guest whose every executed instruction is known; for the tests that ask

The whole log would be gigabytes: the emulator writes what ran before each stop of the LBR, and
truth_tail reads it from a FIFO while the guest runs.
"""
import json
import os
import re
import subprocess
import tempfile

from kernel_text import KernelText, conditionals
from report import guest_ended, log_text
from spent import Asked, Symbols, name_error, path_name_error, trigger_error, wasted_error

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # tests/vm
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build", "tests", "vm")
TIMEOUT_S = int(os.environ.get("LBRSNOOP_GUEST_TIMEOUT", "1800"))
DEPTH = 32  # of skylake and sapphirerapids
MODULE_FUNCTION_MAX = 1 << 14


def boot(kernel, directory, part, model="skylake", **environment):
    """Run tests/vm/guest/@part; None, or what went wrong.

    @directory: shared with the guest, which knows it as $out; "stops" there is truth_tail's
    @environment: variables for the guest
    """
    fifo, log_path = os.path.join(directory, "truth"), os.path.join(directory, "run.log")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    command = [os.path.join(HERE, "run"), "--cpu", model, "--kernel", kernel, "--direct",
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
        status = subprocess.run(command, stdout=log, stderr=log, check=False,
                                env=dict(os.environ, LBR_TRUTH_LAST=str(DEPTH))).returncode
        os.close(writer)
        tail.wait()
    why = guest_ended(status, log_text(log_path))
    if why:
        return type(why)(f"{why}, see {log_path}")
    return f"the emulator's log is not whole, see {log_path}" if tail.returncode else None


class Totals(dict):
    """Numbers of one part; .wrong: what is wrong, in words; .compared: instructions of each snapshot"""
    wrong = compared = ()


def told(capture, shown):
    """What lbrsnoop tells of a capture, instruction by instruction, into the file @shown in order of
    time; its exit status and the snapshots"""
    done = subprocess.run([os.path.join(TOP, "lbrsnoop"), "report", "-q", "--no-lines", "--json",
                           "--insns", capture], stdout=subprocess.PIPE, check=False)
    snapshots = sorted(map(json.loads, done.stdout.splitlines()), key=lambda s: s["ts_ns"])
    with open(shown, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(snapshot) + "\n" for snapshot in snapshots)
    return done.returncode, snapshots


def hold(stops, shown, symbols, known):
    """verify_path's exit status, what is wrong, with the gaps, and its totals; .compared of them is of each
    snapshot, how many instructions were held against the log. @known: kernel_text.conditionals()"""
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
        file.writelines(f"{addr:x} {is_one:d}\n" for addr, is_one in sorted(known.items()))
        file.flush()
        judged = subprocess.run([os.path.join(TOP, "build/tests/oracle/verify_path"), stops, file.name, shown, "-v"],
                                stdout=subprocess.PIPE, text=True, check=False)
    said = [line for line in judged.stdout.splitlines() if line.startswith(("wrong: ", "gap: "))]
    totals = Totals({key: int(value) for key, value in re.findall(r"^(\w+) (\d+)$", judged.stdout, re.M)})
    totals.compared = [int(count) for count in re.findall(r"^compared: (\d+)$", judged.stdout, re.M)]
    for place in re.findall(r"^unread: (\w+)$", judged.stdout, re.M):
        if is_readable(int(place, 16), symbols):
            said.append(f"wrong: the code at {place} can be read")
            totals["wrong"] += 1
    for place, target in re.findall(r"^next: (\w+) jmp (.*)$", judged.stdout, re.M):
        if not symbols.is_at(int(place, 16), target):
            said.append(f"wrong: a jump to {target} behind a counter's overflow, and {place} follows")
            totals["wrong"] += 1
    return judged.returncode, said, totals


def is_readable(addr, symbols):
    """Is code there for as long as the guest runs? That of the kernel and its modules is, what tracing
    brings is not."""
    known = symbols.start(addr)
    return symbols.is_image(addr) or known and addr - known < MODULE_FUNCTION_MAX


def misnamed(snapshots, symbols, asked):
    """Why snapshots say otherwise than the kernel's symbols what is called how, or wasted, or than the
    command line what was asked for. @asked: spent.Asked"""
    return [why for why in (asked.error(s, symbols) or name_error(s, symbols) or path_name_error(s, symbols) or
                            wasted_error(s, symbols) or trigger_error(s, symbols) for s in snapshots) if why]


def asked_of(directory, part):
    """The command line of a part, as the guest kept it"""
    with open(os.path.join(directory, part + ".args"), encoding="utf-8") as lines:
        return Asked(lines)


def verify(report, name, directory, part, kernel):
    """Hold every instruction of @part.lbr's paths against the stops: verify_path's totals, or None."""
    shown = os.path.join(directory, part + ".jsonl")
    status, snapshots = told(os.path.join(directory, part + ".lbr"), shown)
    if status:
        report(f"{name}/{part}", f"report: exit status {status}")
        return None
    symbols = Symbols(os.path.join(directory, "kallsyms"))
    known = conditionals(snapshots, KernelText(kernel, symbols.by_name["_stext"][0]))
    status, said, totals = hold(os.path.join(directory, "stops"), shown, symbols, known)
    wrong = misnamed(snapshots, symbols, asked_of(directory, part))
    for line in said + [f"misnamed: {why}" for why in wrong[:10]]:
        print("#", line)
    if status not in (0, 1):
        report(f"{name}/{part}", f"verify_path: exit status {status}")
        return None
    totals["misnamed"] = len(wrong)
    totals.wrong = [f"{part}: {why}" for why in said if why.startswith("wrong: ")] + wrong
    return totals


def judge_exact(report, name, parts, least):
    """@parts: totals of verify(). All sequences are right. Returns the sum."""
    total = {key: sum(part[key] for part in parts) for key in parts[0]}
    wrong = total["wrong"] + total["not_in_log"] + total["without_path"] + total["misnamed"]
    why = None
    if wrong:
        why = (f"{total['wrong']} wrong blocks, {total['not_in_log']} snapshots not in the log, "
               f"{total['without_path']} without a path, {total['misnamed']} with a wrong name or "
               "number of entries wasted: " + "; ".join([why for part in parts for why in part.wrong][:3]))
    elif total["with_path"] < least:
        why = f"{total['with_path']} snapshots with a path that was compared, at least {least} expected"
    elif total["counted"] < total["with_path"]:
        why = f"only {total['counted']} branches whose cycles could be held against instructions"
    report(f"{name}/exact", why,
           f"{total['with_path']} snapshots with a path, {total['instructions']} instructions, "
           f"{total['decisions']} decisions, cycles of {total['counted']} branches: 0 wrong; "
           f"{total['gaps']} gaps in {total['blocks']} blocks, each for its reason by the log, "
           f"{total['user']} stays in user space and {total['overflows']} counters' overflows")
    return total
