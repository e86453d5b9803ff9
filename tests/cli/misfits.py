#!/usr/bin/python3
"""misfits.py - answers that fit a schema with one lie each, for tests/json_check to refuse

Usage: misfits.py FILE    (answers of one schema, one a line)

Every field is left out, and given values of other types; every object gets a field that no schema
has. What is within a snapshot of an answer of why is left alone: it is lied about by itself.
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

JSON_CHECK = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "json_check")

# Never null, whatever they are in; by schema.
ALWAYS = {
    "lbrsnoop.why/1": {"schema", "runs", "text", "pid", "tid", "comm", "errno", "via", "stack", "others", "lost",
                       "addr", "inlined", "certain", "candidates", "count", "blamed", "entry", "branches", "segments",
                       "run", "point", "interrupts", "branches_behind", "rescheduled", "gaps", "from", "to"},
    "lbrsnoop.snapshot/1": {"schema", "ts_ns", "path_id", "cpu", "pid", "tid", "comm", "target", "kind", "lbr",
                            "model", "valid", "missing", "wasted", "shown_from", "tracing", "supported", "branches",
                            "from", "to", "addr", "start", "end", "interrupt", "ends", "insns", "text", "insn",
                            "taken", "decisions", "user", "cut", "frames", "sp", "lost", "records"},
    "lbrsnoop.summary/1": {"schema", "path_id", "count", "first_ns", "last_ns", "pids", "more_pids", "hosts",
                           "more_hosts", "snapshots", "lost"},
    "lbrsnoop.doctor/1": {"schema", "kernel", "model", "usable", "triggers", "trigger", "target", "hits"},
}
# May be left out: --insns adds them.
OPTIONAL = {"insns"}
# Any number may have been returned.
RETURNED = {"retval", "result", "returned"}
OTHERS = (17.5, -1, "\n", {"no": "such"}, [17.5], True)

# (what it says of an answer, what is changed); those that do not change one are left out
WHY_LIES = (
    ("another schema", lambda a: a.update(schema="lbrsnoop.why/2")),
    ("no schema", lambda a: a.update(schema="")),
    ("a snapshot's schema", lambda a: a.update(schema="lbrsnoop.snapshot/1")),
    ("a command of no words", lambda a: a["command"] and a.update(command=[])),
    ("a command that has no end", lambda a: a["command"] and a.update(status=None)),
    ("the end of no command", lambda a: a.update(command=None, status=0)),
    ("status 256", lambda a: a.update(status=256)),
    ("a place of no call", lambda a: a["origin"] and a.update(call=None)),
    ("no place, and no reason", lambda a: a["call"] and not a["origin"] and a.update(reason=None)),
    ("one of several, and no reason",
     lambda a: a["origin"] and not a["origin"]["certain"] and a.update(reason=None)),
    ("an empty reason", lambda a: a.update(reason="")),
    ("a stack to no place", lambda a: a["stack"] and a.update(origin=None, reason="so", snapshot=None)),
    ("branches to no place", lambda a: a["snapshot"] and a.update(origin=None, reason="so", stack=[])),
    ("a snapshot of another schema", lambda a: a["snapshot"] and a["snapshot"].update(schema="x")),
    ("a snapshot without a schema", lambda a: a["snapshot"] and a["snapshot"].pop("schema")),
    ("a snapshot that does not fit", lambda a: a["snapshot"] and a["snapshot"].update(cpu=-1)),
    ("a certain place that is not", lambda a: a["origin"] and a["origin"].update(
        certain=not a["origin"]["certain"])),
    ("no candidates", lambda a: a["origin"] and "candidates" in a["origin"] and
     a["origin"].update(candidates=[])),
    ("a condition of no decision", lambda a: a["origin"] and a["origin"].get("condition") and
     a["origin"].update(decision=None)),
    ("words of the source of no decision", lambda a: a["origin"] and "addr" in a["origin"] and
     a["origin"].update(decision=None, condition=None, taken=None, source_condition="x == 1")),
    ("no words of the source", lambda a: a["origin"] and a["origin"].pop("source_condition", None)),
    ("a decision that is not told", lambda a: a["origin"] and a["origin"].get("decision") and
     a["origin"].update(taken=None)),
    ("line 0", lambda a: a["origin"] and "addr" in a["origin"] and a["origin"].update(line=0)),
    ("an address without 0x", lambda a: a["origin"] and "addr" in a["origin"] and
     a["origin"].update(addr="81000010")),
    ("an address as a number", lambda a: a["origin"] and "addr" in a["origin"] and
     a["origin"].update(addr=0x81000010)),
    ("an errno that is none", lambda a: a["call"] and a["call"].update(errno="Success")),
    ("errno 0", lambda a: a["call"] and a["call"].update(errno=0)),
    ("by pigeon", lambda a: a["call"] and a["call"].update(via="pigeon")),
    ("a call of another name", lambda a: a["call"] and a["call"].update(name="open(2)")),
    ("no errno, though no place was asked for",
     lambda a: a["call"] and not a["target"] and a["call"].update(errno=None, result=0)),
    ("an error returned, and no errno",
     lambda a: a["call"] and a["call"]["errno"] is None and a["call"].update(result=-2)),
    ("a place that no call came by",
     lambda a: a["target"] and a["call"] and a.update(call=None, deep=None, reason="so")),
    ("a target of no name", lambda a: a["target"] and a["target"].update(text="")),
    ("a long way of no call", lambda a: a["deep"] and a.update(
        call=None, origin=None, reason=None, stack=[], snapshot=None)),
    ("a joint of two branches", lambda a: a["deep"] and a["deep"]["segments"][1].update(overlap=2)),
    ("a gap of no reason", lambda a: a["deep"] and a["deep"]["gaps"][0].update(reason="")),
    ("no other calls, counted", lambda a: a["others"] and a["others"][0].update(count=0)),
)


def first_branch(**values):
    return lambda s: s["branches"] and s["branches"][0].update(values)


def of(name, **values):
    return lambda s: s[name] and s[name].update(values)


def of_block(**values):
    return lambda s: s["path"] and s["path"][0].update(values)


SNAPSHOT_LIES = (
    ("another schema", lambda s: s.update(schema="lbrsnoop.snapshot/2")),
    ("why's schema", lambda s: s.update(schema="lbrsnoop.why/1")),
    ("65 branches", lambda s: s["branches"] and s.update(branches=s["branches"][:1] * 65)),
    ("an address without 0x", first_branch(**{"from": {"addr": "81000010"}})),
    ("a branch with no target", lambda s: s["branches"] and s["branches"][0].pop("to")),
    ("a type in small letters", first_branch(type="cond")), ("cycles beyond 16 bits", first_branch(cycles=65536)),
    ("an unknown field of the LBR", of("lbr", supported=["colour"])),
    ("a field of the LBR twice", of("lbr", supported=["mispred", "mispred"])),
    ("an LBR of no entry", of("lbr", depth=0)), ("an LBR of 65", of("lbr", depth=65)), ("65 valid", of("lbr", valid=65)),
    ("an unknown trigger", of("trigger", kind="pigeon")), ("a fault by a breakpoint", lambda s: (
        s["trigger"] and s["trigger"]["kind"] != "fault" and s["trigger"].update(
            fault={"kind": "BUG", "bug": None, "file": None, "line": None}))),
    ("a fault without one", lambda s: s["trigger"] and s["trigger"]["fault"] and s["trigger"].update(fault=None)),
    ("a signal by a breakpoint", lambda s: s["trigger"] and s["trigger"]["kind"] != "signal" and s["trigger"].update(signal=11)),
    ("no signal of a signal", lambda s: s["trigger"] and s["trigger"]["signal"] and s["trigger"].update(signal=None)),
    ("signal 65", lambda s: s["trigger"] and s["trigger"]["signal"] and s["trigger"].update(signal=65)),
    ("an errno, and nothing returned", lambda s: s["trigger"] and s["trigger"]["errno"] and s["trigger"].update(retval=None)),
    ("an errno that is none", of("trigger", errno="Success")), ("line 0 of a fault", lambda s: (
        s["trigger"] and s["trigger"]["fault"] and s["trigger"]["fault"].update(line=0))),
    ("a gap with decisions", lambda s: s["path"] and s["path"][0]["decisions"] and s["path"][0].update(gap="user space")),
    ("an empty gap", of_block(gap="", decisions=[])), ("a block that ends somehow", of_block(ends="somehow")),
    ("a block of branch 64", of_block(branch=64)), ("depth -1", of_block(depth=-1)),
    ("a path's ID of capitals", lambda s: s.update(path_id=s["path_id"].upper() + "A")),
    ("a short ID of a path", lambda s: s.update(path_id=s["path_id"][1:])),
    ("128 frames", lambda s: s["stack"] and s["stack"].update(frames=s["stack"]["frames"][:1] * 128)),
    ("a register less", lambda s: s["registers"] and s["registers"].pop("r15")),
    ("a register as a number", of("registers", ax=1)), ("a name of 61 letters", lambda s: s.update(comm="x" * 61)),
    ("line 0", lambda s: s["error"] and s["error"].update(line=0)),
    ("an error with no decision told", lambda s: s["error"] and s["error"].pop("decision")),
    ("a decision that leads nowhere", lambda s: s["error"] and s["error"]["decision"] and s["error"]["decision"].pop("target")),
)
SUMMARY_LIES = (
    ("another schema", lambda s: s.update(schema="lbrsnoop.snapshot/1")), ("never seen", lambda s: s.update(count=0)),
    ("a short ID", lambda s: s.update(path_id="0123")), ("by pigeon", lambda s: s.update(kind="pigeon")),
    ("an errno that is none", lambda s: s.update(errno="Success")), ("of no process", lambda s: s.update(pids=[])),
    ("a process twice", lambda s: s.update(pids=[7, 7])), ("a host twice", lambda s: s.update(hosts=["east", "east"])),
    ("a host without a name", lambda s: s.update(hosts=[None])), ("no snapshots", lambda s: s.update(snapshots=0)),
    ("-1 lost", lambda s: s.update(lost=-1)), ("an empty decision", lambda s: s.update(decision="")),
    ("an empty error", lambda s: s.update(error="")), ("an empty function", lambda s: s.update(function="")),
    ("an empty target", lambda s: s.update(target="")), ("before the beginning", lambda s: s.update(first_ns=-1)),
)


def first_row(**values):
    return lambda s: s["triggers"] and s["triggers"][0].update(values)


DOCTOR_LIES = (
    ("another schema", lambda s: s.update(schema="lbrsnoop.summary/1")),
    ("usable, and why not", lambda s: s["usable"] and s.update(why_not="it is not")),
    ("unusable, and no reason", lambda s: s["usable"] or s.update(why_not=None)),
    ("unusable, and an empty reason", lambda s: s["usable"] or s.update(why_not="")),
    ("unusable, and measured", lambda s: s["usable"] and s.update(usable=False, why_not="so")),
    ("usable without an LBR", lambda s: s["usable"] and s.update(lbr=None)),
    ("an LBR of no entry", of("lbr", depth=0)), ("an LBR of 65", of("lbr", depth=65)), ("an LBR without a name", of("lbr", model="")),
    ("five debug registers", lambda s: s.update(debug_registers_free=5)), ("nobody as a user", lambda s: s.update(other_users="")),
    ("no kernel", lambda s: s.update(kernel="")), ("a row without a name", first_row(trigger="")),
    ("a row on nothing", first_row(target="")), ("65 entries left", first_row(left=65)),
    ("nothing left, and no error", first_row(left=None)), ("nothing wasted, and no error", first_row(wasted=None)),
    ("an error, and entries left", first_row(error="so")), ("-1 hits", first_row(hits=-1)), ("a hit of no time", first_row(hit_ns=0)),
)
LIES = {"lbrsnoop.why/1": WHY_LIES, "lbrsnoop.snapshot/1": SNAPSHOT_LIES, "lbrsnoop.summary/1": SUMMARY_LIES,
        "lbrsnoop.doctor/1": DOCTOR_LIES}


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else \
        type(value).__name__


def objects(value, path="$"):
    """(path, object or array) of all that are in @value."""
    if isinstance(value, (dict, list)):
        yield path, value
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "snapshot":
                yield from objects(part, f"{path}.{key}")


def changes(answer):
    """(what it is, changed answer)"""
    for number, (path, value) in enumerate(objects(answer)):
        def changed(change, where=number):
            lie = copy.deepcopy(answer)
            change(list(objects(lie))[where][1])
            return lie

        if isinstance(value, list):
            yield f"{path}: 17.5 in it", changed(lambda list_: list_.append(17.5))
            continue
        yield f"{path}: a field more", changed(lambda object_: object_.update(unknown=None))
        for key in value:
            if key not in OPTIONAL:
                yield f"{path}.{key}: left out", changed(lambda object_, key=key: object_.pop(key))
            for other in OTHERS + ((None,) if key in ALWAYS[answer["schema"]] else ()):
                if key in RETURNED and value[key] is None and other == -1:
                    continue
                # An errno may be a number; anything may stand in a text.
                if other == 17.5 or kind(other) != kind(value[key]) and \
                        not (value[key] is None and isinstance(other, (str, bool))):
                    yield f"{path}.{key}: {json.dumps(other)}", \
                        changed(lambda object_, key=key, other=other: object_.update({key: other}))
    for what, lie in LIES[answer["schema"]]:
        told = copy.deepcopy(answer)
        lie(told)
        if told != answer:
            yield what, told


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    lies = [(number, what, lie) for number, answer in enumerate(answers, 1)
            for what, lie in changes(answer)]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(json.dumps(lie) + "\n" for _, _, lie in lies)
        file.flush()
        run = subprocess.run([JSON_CHECK, "--all", file.name], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        refused = {int(line) for line in
                   re.findall("^" + re.escape(file.name) + r":(\d+): ", run.stdout, re.M)}
    if run.returncode == 77:
        return 77
    believed = [(number, what) for line, (number, what, _) in enumerate(lies, 1)
                if line not in refused]
    for number, what in believed:
        print(f"{sys.argv[1]}:{number}: {what}: is believed")
    told = {what for _, what, _ in lies}
    for what in (what for what, _ in LIES[answers[0]["schema"]] if what not in told):
        print(f"{sys.argv[1]}: {what}: is no lie about any of these answers")
        believed.append(what)
    if run.returncode != 1:
        print(run.stdout[-2000:])
    print(f"{len(lies)} lies, {len(believed)} believed")
    return 1 if believed or run.returncode != 1 else 0


if __name__ == "__main__":
    sys.exit(main())
