#!/usr/bin/python3
"""progress.py - what a command shows on a terminal while it waits for the rest of a capture

Usage: progress.py LBRSNOOP CAPTURE

The capture comes through a pipe that stops half-way: until the progress is seen where it has to be; for a
second and a half more than it takes to come where there has to be none. Verdict lines on stdout.
"""
import concurrent.futures
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_S = 60
WITHOUT_S = 2.5
ERASE = "\r\x1b[K"
LINE = re.compile(re.escape(ERASE) + r"lbrsnoop: ([^\r\n\x1b]*)")


class Terminal:
    """Its other end is read all the time, or a command that prints much would wait."""
    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.text = bytearray()
        self.over = False
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        # A read that waits is not woken everywhere when the other end is closed.
        while True:
            is_over = self.over
            if not select.select([self.master], [], [], 0.1)[0]:
                if is_over:
                    return
                continue
            try:
                got = os.read(self.master, 65536)
            except OSError:  # all that had the terminal have ended
                return
            self.text += got

    def shown(self):
        return LINE.findall(self.text.decode(errors="replace"))

    def wait_for_progress(self):
        end = time.monotonic() + PATIENCE_S
        while len(self.shown()) < 2 and time.monotonic() < end:
            time.sleep(0.1)


def screen(text):
    """The lines that are left when all has been written."""
    lines = [""]
    for part in re.split(r"(\r\x1b\[K|\r?\n)", text):
        if part == ERASE:
            lines[-1] = ""
        elif part in ("\n", "\r\n"):
            lines.append("")
        else:
            lines[-1] += part
    return [line for line in lines if line]


class Case:
    """stdout, stderr: "terminal" (one for both), "pipe" or "file"."""
    def __init__(self, name, args, wanted, stdout="file", stderr="terminal", term="xterm", table=False):
        self.name, self.args, self.wanted, self.stdout, self.stderr, self.term, self.table = \
            name, args, wanted, stdout, stderr, term, table

    def run(self, program, capture):
        with open(capture, "rb") as file:
            data = file.read()
        terminal = Terminal()
        kinds = {"terminal": terminal.slave, "pipe": subprocess.PIPE, "file": tempfile.TemporaryFile()}
        command = subprocess.Popen([program, *self.args, "-"], stdin=subprocess.PIPE, stdout=kinds[self.stdout],
                                   stderr=kinds[self.stderr], env={**os.environ, "TERM": self.term})
        os.close(terminal.slave)
        command.stdin.write(data[:len(data) * 3 // 4])
        command.stdin.flush()
        if self.wanted:
            terminal.wait_for_progress()
        else:
            time.sleep(WITHOUT_S)
        others = command.communicate(data[len(data) * 3 // 4:])
        terminal.over = True
        terminal.thread.join()
        os.close(terminal.master)
        others = b"".join(text for text in others if text).decode(errors="replace")
        return self.judge(terminal.text.decode(errors="replace"), command.returncode, others)

    def judge(self, text, status, others):
        shown = LINE.findall(text)
        left = screen(text)
        if status:
            return f"exit status {status}: {text} {others}"
        if "\x1b[K" in others:
            return "in a pipe: " + others[:200]
        if self.wanted and len(shown) < 2:
            return f"not shown: {text[:300]}"
        if not self.wanted:
            return f"{shown}" if "\x1b[K" in text else ""
        if not all(re.fullmatch(r"[^:]+: ([\d ]+ %, )?(\d+ (snapshots|calls), )?\d+ s", line) for line in shown):
            return f"{shown}"
        if not any(re.search(r"\b[1-9]\d* (snapshots|calls)", line) for line in shown):
            return f"no count: {shown}"
        if any(re.search(r", \d+ s$", line) for line in left):
            return f"not erased: {left}"
        return "" if bool(left) == self.table else f"left on the terminal: {left[:5]}"


CASES = [
    Case("--summary into a file", ["report", "--summary", "--no-lines"], True),
    Case("--summary on the terminal: erased before the table", ["report", "--summary", "--no-lines"], True, stdout="terminal", table=True),
    Case("--html", ["report", "--no-lines", "--html", "/dev/null"], True),
    Case("stories into a file", ["report", "--no-lines"], True),
    Case("compare", ["compare", "--no-lines", "--top", "1"], True),
    Case("none: stories on the terminal", ["report", "--no-lines"], False, stdout="terminal"),
    Case("none: --json on the terminal", ["report", "--no-lines", "--json"], False, stdout="terminal"),
    Case("none: into a pipe, which may end in a pager", ["report", "--summary", "--no-lines"], False, stdout="pipe"),
    Case("none: stderr is no terminal", ["report", "--summary", "--no-lines"], False, stderr="pipe"),
    Case("none: -q", ["report", "-q", "--summary", "--no-lines"], False),
    Case("none: a terminal that cannot erase", ["report", "--summary", "--no-lines"], False, term="dumb"),
]


def main():
    program, capture = sys.argv[1:3]
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        wrong = list(pool.map(lambda case: case.run(program, capture), CASES))
    for case, why in zip(CASES, wrong):
        print(f"not ok {case.name}\n# {why!r:.1500}" if why else f"ok {case.name}")
    return any(wrong)


sys.exit(main())
