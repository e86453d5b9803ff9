"""report.py - what a test of the guest says: a line a verdict, a count at the end"""


class Report:
    """Verdict lines."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def __call__(self, name, why=None, said=""):
        if why:
            self.failed += 1
            print(f"not ok {name}: {why}", flush=True)
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
