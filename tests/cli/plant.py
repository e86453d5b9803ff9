#!/usr/bin/python3
"""plant.py - a capture file with what must not leave its host, and names that would like to be more

Usage: plant.py secrets|forgeries|minutes|markup|lost|no_text|answer IN OUT

secrets: PLANTED stands in the command line of the trace, the task's name, the kernel's log, the path of
a traced program, each register and an argument of the function. forgeries: the names of task, function and host end fields, lines
and strings of what they are exported to. minutes: there are 50
of them from each snapshot to the next. markup: names and a line of the log that would be markup, script or
something unseen in a page, as long as the format has them. lost: 77 events behind the last snapshot. no_text: without
the code that ran, so that no call has a path. answer: of why, damaged, with registers and a stack. Format: src/capfile/format.h.
"""
import struct
import subprocess
import sys
import zlib

META, TEXT, TRIGGER, SNAPSHOT, END, LOG, REGISTERS, STACK, ARGUMENTS, ANSWER = 1, 4, 5, 6, 7, 10, 11, 12, 13, 14
COMM_AT, COMM_BYTES = 56, 16
PTREGS = 21
started = 0
COMMS = [b'a"\n#TYPE x\\', b"MESSAGE=no\nUID=0", b"\xff\xfe{}%n\r\x1b[1m", b"',\"b\":[1]}"]
FUNCTION = b'do_x"} 7\nforged_total{a="b\\'
HOST = b'host","key":"b"}\nforged'
MARKUP = [b"</script><b>", b"<!--<script>", b"&lt;&#60;]]>", "\u202eevil\u2066".encode(), b"\xff\xc0\x80<", b"javascript:1"]
LONG = b"<script>alert(1)</script>" + "\u202e\u05d0\u2028".encode() + b"'\"`${alert(1)}" + b"x" * 1000


def record(kind, payload):
    head = struct.pack("<II", kind, len(payload))
    return head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload


def string(text):
    return struct.pack("<H", len(text)) + text


def meta(payload, changes):
    pairs = payload.rstrip(b"\0").split(b"\0")
    pairs = dict(zip(pairs[::2], pairs[1::2]))
    pairs.update(changes)
    return b"".join(key + b"\0" + value + b"\0" for key, value in pairs.items())


def trigger(payload, names):
    at, strings = 32, []
    for _ in range(3):
        size, = struct.unpack_from("<H", payload, at)
        strings.append(payload[at + 2:at + 2 + size])
        at += 2 + size
    return payload[:32] + b"".join(string(text) for text in names(*strings)) + payload[at:]


def secrets(kind, payload, _):
    if kind == META:
        yield kind, meta(payload, {b"command": b"lbrsnoop -- cat /home/PLANTED-path PLANTED-argument"})
    elif kind == TRIGGER:
        def names(target, function, module):
            if target.startswith(b"uprobe:") or target.startswith(b"uretprobe:"):
                target = target.split(b":")[0] + b":/home/PLANTED-program:" + target.split(b":")[2]
                module = b"PLANTED-program"
            return target, function, module
        yield kind, trigger(payload, names)
    elif kind == SNAPSHOT:
        yield LOG, struct.pack("<I", 0) + string(b"PLANTED-log open /home/PLANTED-path")
        yield REGISTERS, b"PLANTED\0" * PTREGS
        yield ARGUMENTS, struct.pack("<I8s", 1, b"PLANTED") + string(b"PLANTED_argument")
        yield kind, payload[:COMM_AT] + b"PLANTED-comm".ljust(COMM_BYTES, b"\0") + payload[COMM_AT + COMM_BYTES:]
    elif kind not in (LOG, REGISTERS, ARGUMENTS):
        yield kind, payload


def forgeries(kind, payload, number):
    if kind == META:
        yield kind, meta(payload, {b"host": HOST})
    elif kind == TRIGGER:
        yield kind, trigger(payload, lambda target, function, module: (target, function and FUNCTION, module))
    elif kind == SNAPSHOT:
        comm = COMMS[number % len(COMMS)][:COMM_BYTES - 1].ljust(COMM_BYTES, b"\0")
        yield kind, payload[:COMM_AT] + comm + payload[COMM_AT + COMM_BYTES:]
    else:
        yield kind, payload


def markup(kind, payload, number):
    if kind == META:
        yield kind, meta(payload, {b"host": LONG, b"release": b"<img>&amp;"})
    elif kind == TRIGGER:
        yield kind, trigger(payload, lambda target, function, module: (LONG[:1000], function and LONG[:1000], module))
    elif kind == SNAPSHOT:
        yield LOG, struct.pack("<I", 0) + string(b"</script><script>alert(2)</script>\x1b[31m" + MARKUP[3] + b"y" * 8000)
        yield ARGUMENTS, struct.pack("<Iq", 0, number) + string(b"<script>alert(3)</script>\x1b[1m")
        comm = MARKUP[number % len(MARKUP)][:COMM_BYTES - 1].ljust(COMM_BYTES, b"\0")
        yield kind, payload[:COMM_AT] + comm + payload[COMM_AT + COMM_BYTES:]
    elif kind != LOG:
        yield kind, payload


def minutes(kind, payload, number):
    global started
    if kind == SNAPSHOT:
        started = started or struct.unpack_from("<Q", payload)[0]
        payload = struct.pack("<Q", started + number * 50 * 60 * 10**9) + payload[8:]
    yield kind, payload


def no_text(kind, payload, _):
    if kind != TEXT:
        yield kind, payload


def answer(kind, payload, _):
    if kind == SNAPSHOT:
        yield REGISTERS, struct.pack(f"<{PTREGS}Q", *range(0x7700, 0x7700 + PTREGS))
        yield STACK, struct.pack("<I2Q", 0, 0xffffffff81abcdef, 0xffffffff81fedcba)
        yield ANSWER, b"no answer"
    if kind not in (REGISTERS, STACK):
        yield kind, payload


def lost(kind, payload, _):
    yield kind, payload[:8] + struct.pack("<Q", 77) if kind == END else payload


def main():
    change = {"secrets": secrets, "forgeries": forgeries, "minutes": minutes, "markup": markup,
              "lost": lost, "no_text": no_text, "answer": answer}[sys.argv[1]]
    with open(sys.argv[2], "rb") as file:
        head = file.read(24)
        stream = subprocess.run(["zstd", "-dcq"], input=file.read(), stdout=subprocess.PIPE, check=True).stdout
    at, out, number = 0, [], 0
    while at < len(stream):
        kind, size = struct.unpack_from("<II", stream, at)
        out += [record(*changed) for changed in change(kind, stream[at + 12:at + 12 + size], number)]
        number += kind == SNAPSHOT
        at += 12 + size
    packed = subprocess.run(["zstd", "-1", "-cq", "--check"], input=b"".join(out), stdout=subprocess.PIPE, check=True).stdout
    with open(sys.argv[3], "wb") as file:
        file.write(head + packed)


main()
