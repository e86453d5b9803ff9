"""report.py - what a test of the guest says: a line a verdict, a count at the end"""
import re


class MachineFailed(str):
    """Why a guest was not there to its end, through no fault of what ran in it."""


# The last words of tests/vm/run with status 124, 125 and 126, as in tests/lib.sh; a kernel that panics or goes
# down is no such case, nor is an emulator that aborts.
MACHINE = re.compile(r"^tests/vm/run: (timeout after |the guest could not be set up|"
                     r"QEMU |cannot start QEMU)", re.M)


def guest_ended(status, said, wanted=0):
    """What is wrong with the end of a guest, or None. @said: what tests/vm/run printed"""
    if status == wanted:
        return None
    why = f"the guest ended with status {status}"
    return MachineFailed(why) if status in (124, 125, 126) and MACHINE.search(said) else why


def log_text(path):
    with open(path, encoding="utf-8", errors="replace") as log:
        return log.read()


class Report:
    """Verdict lines."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def __call__(self, name, why=None, said=""):
        if why:
            self.failed += 1
            # tests/run-all gives a suite whose machine failed another chance.
            verdict = "machine" if isinstance(why, MachineFailed) else "not ok"
            print(f"{verdict} {name}: {why}", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}{': ' if said else ''}{said}", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"skip {name}: {why}", flush=True)

    def comment(self, text):
        for line in text.splitlines():
            print(f"# {line}", flush=True)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 1 if self.failed else 0
