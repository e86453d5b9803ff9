# SPDX-License-Identifier: GPL-2.0
"""debugger_stops.py - what variables hold where a guest is stopped; runs within gdb

DIRECTORY, the environment's, has "gdb", QEMU's socket, and "points": {address: [expression]}. Each
stop is a line of "stops": {"at": address, "seen": {expression: what gdb reads}}.
"""
import json
import os

import gdb

DIRECTORY = os.environ["DIRECTORY"]
ALL = (1 << 64) - 1


def path(name):
    return os.path.join(DIRECTORY, name)


def described(value):
    """A number, a string where it is one, gdb's words, and whether it is in memory."""
    bare = value.type.strip_typedefs()
    one = {"words": str(value), "memory": value.address is not None, "bytes": bare.sizeof}
    if value.is_optimized_out:
        raise gdb.error("optimized out")
    try:
        if bare.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
            one["string"] = value.string(errors="backslashreplace")
    except (gdb.error, UnicodeDecodeError):
        pass
    try:
        one["number"] = int(value) & ALL
    except gdb.error:
        pass
    return one


def in_frames(expression):
    """Of the innermost inlined function that has it."""
    frame = gdb.newest_frame()
    while frame:
        frame.select()
        try:
            return described(gdb.parse_and_eval(expression))
        except gdb.error:
            pass
        if frame.type() != gdb.INLINE_FRAME:
            return None
        frame = frame.older()
    return None


def main():
    for command in ("set pagination off", "set confirm off", "set language c",
                    "set print symbol off", "set remotetimeout 600",
                    "target remote " + path("gdb")):
        gdb.execute(command, to_string=True)
    with open(path("points"), encoding="utf-8") as file:
        points = {int(at, 16): names for at, names in json.load(file).items()}
    for at in points:
        gdb.Breakpoint("*0x%x" % at)
    with open(path("go"), "w", encoding="ascii"):
        pass
    with open(path("stops"), "w", encoding="utf-8") as out:
        while True:
            try:
                gdb.execute("continue", to_string=True)
                at = int(gdb.parse_and_eval("$pc")) & ALL
            except gdb.error as error:
                print("the end: %s" % error)
                return
            seen = {name: in_frames(name) for name in points.get(at, ())}
            out.write(json.dumps({"at": "0x%x" % at, "seen": seen}) + "\n")
            out.flush()


main()
