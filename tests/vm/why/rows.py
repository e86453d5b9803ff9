"""rows.py - the list of failing calls: one row a line, fields separated by tabs

ID CALL ERRNO FLAGS OPTIONS COMMAND PREPARATION: the call to blame and its errno as strace shows
them; flags and options separated by commas and spaces, - for none; COMMAND in the shell's words,
PREPARATION a script for bash, run once beforehand in the row's directory.
A flag like 6.18:EINVAL is the errno on that kernel, where it is another one than elsewhere;
6.18:- says that the call does not fail so on that kernel.
"""
import os

LIST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "list")
PASSES = "-"
FIELDS = ("id", "call", "errno", "flags", "options", "command", "prep")


def load(path=LIST, kernel=None):
    """[{field: text}], with the errnos of that kernel ("6.18")

    passes: the call does not fail so on that kernel.
    """
    rows = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            fields = line.split("\t")
            if len(fields) not in (len(FIELDS) - 1, len(FIELDS)):
                raise ValueError(f"{path}:{number}: {len(fields)} fields")
            row = dict(zip(FIELDS, fields + [""]))
            for name in ("flags", "options"):
                row[name] = "" if row[name] == "-" else row[name]
            on_kernels = dict(flag.split(":") for flag in row["flags"].split(",") if ":" in flag)
            there = on_kernels.get(kernel, row["errno"])
            row["passes"] = there == PASSES
            if not row["passes"]:
                row["errno"] = there
            rows.append(row)
    seen = [row["id"] for row in rows]
    if len(set(seen)) != len(seen):
        raise ValueError(f"{path}: two rows of one id")
    return rows
