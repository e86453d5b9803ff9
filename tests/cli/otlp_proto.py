#!/usr/bin/python3
"""otlp_proto.py - does Google's own reader of protobuf's JSON take each line as log records of OTLP?

Usage: otlp_proto.py FILE...
       otlp_proto.py --lies FILE    lines with one thing changed are refused

The messages are those of tests/data/otlp_logs.proto. A line is read by json_format.Parse(), which refuses
fields and enumerators that there are not, and values of other types; and is written again by it, which
has to give the same line: OTLP's JSON has enums as numbers, and fields by their lowerCamelCase names.
Exit status 77: Debian's protobuf-compiler or python3-protobuf is not installed.
"""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROTO = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "otlp_logs.proto")
try:
    from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
except ImportError:
    sys.exit(77)


def messages():
    """The class of LogsData."""
    if not shutil.which("protoc"):
        sys.exit(77)
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["protoc", "-I", os.path.dirname(PROTO), "--descriptor_set_out", out.name, PROTO], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("otlp.LogsData"))


def wrong_with(line, logs_data):
    """None, or what is wrong."""
    try:
        message = json_format.Parse(line, logs_data())
    except json_format.ParseError as error:
        return str(error)
    again = json_format.MessageToDict(message, use_integers_for_enums=True)
    if again != json.loads(line):
        return f"it is written as {json.dumps(again)}"
    return None


RECORD = ("resourceLogs", 0, "scopeLogs", 0, "logRecords", 0)
LIES = [
    (RECORD + ("time_unix_nano",), "1"), (RECORD + ("eventNames",), "x"), (RECORD + ("timeUnixNano",), "1e9x"),
    (RECORD + ("timeUnixNano",), "-1"), (RECORD + ("timeUnixNano",), 17), (RECORD + ("timeUnixNano",), str(2**64)),
    (RECORD + ("severityNumber",), "SEVERITY_NUMBER_ERROR"), (RECORD + ("severityNumber",), "ERROR"),
    (RECORD + ("severityText",), 17), (RECORD + ("body",), "text"), (RECORD + ("body",), {"stringValue": 5}),
    (RECORD + ("body",), {"string_value": "text"}), (RECORD + ("body",), {"stringValue": "a", "intValue": "5"}),
    (RECORD + ("attributes",), {"a": "b"}), (RECORD + ("attributes", 0), {"key": "a", "value": "b"}),
    (RECORD + ("attributes", 0), {"key": "a", "value": {"intValue": 5}}),
    (RECORD + ("attributes", 0), {"key": "a", "value": {"intValue": "5.5"}}),
    (("resource_logs",), []), (("resourceLogs",), {}), (("resourceLogs", 0, "resource"), []),
]


def lies(line, logs_data):
    for path, value in LIES:
        lie = copy.deepcopy(json.loads(line))
        at = lie
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        if not wrong_with(json.dumps(lie), logs_data):
            sys.exit(f"otlp_proto: it takes {'.'.join(map(str, path))} = {value!r}")


def main():
    logs_data = messages()
    names = [name for name in sys.argv[1:] if name != "--lies"]
    for name in names:
        with open(name, encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
        if lines.pop() or not lines:
            sys.exit(f"otlp_proto: {name}: no lines, or the last one has no end")
        for number, line in enumerate(lines, 1):
            wrong = wrong_with(line, logs_data)
            if wrong:
                sys.exit(f"otlp_proto: {name}:{number}: {wrong}")
        if "--lies" in sys.argv:
            lies(lines[0], logs_data)


main()
