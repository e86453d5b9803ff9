"""verdicts.py - hold the answers of lbrsnoop why against the emulator's log

A row's verdict is one of VERDICTS. What counts as the truth: in the call that the answer blames,
the instruction executed last that loads the errno (oracle.py). Where none does, the errno was
computed; then the answer must say that it came from elsewhere, or name a site of that class that
ran.
"""
import collections
import json
import os
import re
import sys

from oracle import SENDS, counts, truths_of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../judges"))
# pylint: disable=wrong-import-position
from lines import chain_error

VERDICTS = ("right", "one of n", "not found", "WRONG", "no truth", "no failure")
RUNS_MOST = 3
RIGHT_LEAST = 95.0
SCHEMA = "lbrsnoop.why/1"
# What our own probes run inside the calls they watch. A call that is about them is left alone.
PROBES = re.compile(r"_*(k(ret)?probe|fprobe|ftrace|function_graph_enter|rethook|arch_rethook|bpf|perf|hw_breakpoint|"
                    r"trace_call_bpf|exc_debug|exc_int3|notify_die|htab_|array_map|ringbuf)")
# Of those, what runs for the probes alone, in calls that may be about the others.
ONLY_PROBES = re.compile(r"_*(fprobe|ftrace_(ops|graph|stub)|function_graph_enter|rethook|arch_rethook|kprobe_(ftrace|"
                         r"int3|multi|trap|handle)|perf_swevent|perf_tp_|hw_breakpoint_exc|"
                         r"trace_call_bpf|exc_debug|exc_int3|notify_die|htab_(lru_)?map_(hash|lookup)|"
                         r"array_map_lookup|bpf_(get_stack|probe_read|ringbuf|trampoline|trace_run)|"
                         r"get_perf_callchain|ringbuf)")
KERNEL, MODULES = 0xffffffff80000000, 0xffffffffc0000000
PROBE_CALLS = ("bpf", "perf_event_open", "ioctl", "write")


class Places:
    """Addresses of one guest as (module, section, offset): comparable with those of another."""

    def __init__(self, sections):
        """@sections: the file that guest_rows writes"""
        self.starts = []
        with open(sections, encoding="ascii") as lines:
            for line in lines:
                module, section, addr = line.split()
                # Freed when the module is there: the text of another one may lie there by now.
                if not section.startswith(".init"):
                    self.starts.append((int(addr, 16), module, section))
        self.starts.sort(reverse=True)
        self.modules = {module for _, module, _ in self.starts}

    def of(self, addr):
        if MODULES > addr >= KERNEL:
            return "", "", addr
        for start, module, section in self.starts:
            if addr >= start:
                return module, section, addr - start
        return "?", "", addr


def answer_of(base):
    """(answer, None) or (None, what is wrong with it) of a row whose files are @base.*

    BASE.json if there is one, else the last line of BASE.out with an object of the schema: what
    the command itself wrote may stand before it.
    """
    try:
        with open(base + (".json" if os.path.exists(base + ".json") else ".out"),
                  encoding="utf-8", errors="replace") as text:
            lines = [line for line in text if line.lstrip().startswith("{") and SCHEMA in line]
    except FileNotFoundError:
        return None, "no answer"
    try:
        answer = json.loads(lines[-1]) if lines else None
    except ValueError as error:
        return None, f"no JSON: {error}"
    if not isinstance(answer, dict) or answer.get("schema") != SCHEMA:
        return None, f"nothing of schema {SCHEMA}"
    if not answer.get("call"):
        return None, "blames no call"
    return answer, None


def blame_error(row, answer):
    """Is another call blamed than the one that strace shows? What, or None."""
    call = answer["call"]
    said = (call.get("name"), call.get("errno"))
    if call.get("errno") != row["errno"]:
        return f"blames {said}"
    netlink = "netlink" in row["flags"].split(",")
    if call.get("via") != ("netlink" if netlink else "syscall"):
        return f"{said} via {call.get('via')}"
    # What sent the request may be another call of that kind.
    known = SENDS if netlink else (row["call"],)
    return None if call.get("name") in known else f"blames {said}"


def place_error(place, names, lines):
    """Is a place called something else than its address, or of another line? Why, or None.

    @names: spent.Symbols of the answer's guest; None: not judged
    @lines: addr2line's chain of an address of the kernel's image, or None; None: not judged
    """
    addr = int(place["addr"], 16)
    if names:
        start = names.start(addr)
        said = (place.get("function"), place.get("module") or None)
        if said not in names.names[start] or place.get("off") != addr - start:
            return f"{addr:#x} is {said[0]}+{place.get('off')}, must be {sorted(n for n, _ in names.names[start])}" \
                f"+{addr - start}"
    frames = lines(addr) if lines and not place.get("module") else None
    return chain_error(dict(place, sym=place.get("function")), frames, True) or None if frames is not None else None


def misnamed(origin, stack, names, lines):
    """What is wrong with what the answer says of its places, or None."""
    places = [origin] if origin.get("certain") is True else list(origin.get("candidates") or [])
    if origin.get("decision"):
        places.append(origin["decision"])
    wrong = next(filter(None, (place_error(place, names, lines) for place in places)), None)
    # From the origin outwards
    if not wrong and stack and origin.get("addr") and int(stack[0]["addr"], 16) != int(origin["addr"], 16):
        return f"the stack begins at {stack[0]['addr']}"
    return wrong


def _place(addr, places):
    try:
        return places.of(int(addr, 16))
    except (TypeError, ValueError):
        return None


def truth(row, answer, calls, same_run):
    """[site or None] of the calls that the answer may be about: one in the run that it names."""
    found = truths_of(row, calls)
    if not same_run:
        return [site for _, site in found]
    # A task that never asked for its number has none in the log, one in a name space of its own
    # another.
    named = [pair for pair in found if pair[0]["tid"] == answer["call"].get("tid")]
    other = [pair for pair in found if pair[0]["tid"] is None or "--pid" in row["command"]]
    found = (named or other)[-1:]
    if not found:
        return []
    call = found[0][0]
    probes = ONLY_PROBES if row["call"] in PROBE_CALLS else PROBES
    sites = [site for site in call["sites"] if site["errno"] == row["errno"] and counts(site, call["call"]) and
             not probes.match(site["function"])]
    return sites[-1:] or [None]


def judge(row, answer, why, calls, places, truth_places, same_run=False, names=None, lines=None):
    """(verdict, text)

    @answer, @why: of answer_of()
    @calls: of the oracle, of this row
    @places, @truth_places: Places of the answer's guest and of the truth's
    @names, @lines: as of place_error()
    """
    if row.get("passes"):
        return _judge_passing(row, calls)
    if not answer:
        return "not found", why
    wrong = blame_error(row, answer)
    if wrong:
        return "WRONG", wrong
    sites = truth(row, answer, calls, same_run)
    if not sites:
        return ("WRONG", f"task {answer['call'].get('tid')} made no such call") if truths_of(row, calls) else \
            ("no truth", "the log has no such call")
    runs, origin = answer.get("runs"), answer.get("origin")
    if not isinstance(runs, int) or not 1 <= runs <= RUNS_MOST:
        return "not found", f"{runs} runs"
    judged = _judge_computed(row, answer, calls, places, truth_places) if None in sites else \
        _judge_site(answer, sites, places, truth_places)
    if judged[0] != "WRONG" and origin:
        wrong = misnamed(origin, answer.get("stack"), names, lines)
        return ("WRONG", wrong) if wrong else judged
    return judged


def _judge_passing(row, calls):
    """The list says that the call does not fail so on this kernel: does the log say the same?

    A row that fails after all would hide there what was not found. Any command has some calls that
    fail: of one without, nothing was logged.
    """
    if truths_of(row, calls):
        return "WRONG", f"the list says that it does not fail so on this kernel, and it does: {row['flags']}"
    return ("no failure", "on this kernel") if any(call["row"] == row["id"] for call in calls) else \
        ("no truth", "the log has nothing of it")


def _judge_site(answer, sites, places, truth_places):
    """One of these made the errno."""
    right = {truth_places.of(site["addr"]) for site in sites}
    text = " or ".join(sorted({f"{site['function']}+{site['off']:#x}" for site in sites}))
    origin = answer.get("origin")
    if not origin:
        return "not found", f"{answer.get('reason')}; is {text}"
    if origin.get("certain") is not True:
        said = {_place(one.get("addr"), places) for one in origin.get("candidates") or []}
        return ("one of n", f"{len(said)}, {text}") if right & said else \
            ("WRONG", f"none of {len(said)} is {text}")
    # Loaded by the row itself: the log has not been told where its instructions are.
    if origin.get("module") and origin["module"] not in truth_places.modules:
        return "no truth", f"{origin['module']} was not loaded when the log was made"
    if _place(origin.get("addr"), places) in right:
        return "right", text
    return "WRONG", f"{origin.get('function')}+{origin.get('off')} is said, {text} is right"


def _judge_computed(row, answer, calls, places, truth_places):
    """No constant makes this errno: a site that computes one, or none with a reason."""
    origin = answer.get("origin")
    if not origin:
        return ("right", "computed") if answer.get("reason") else ("not found", "computed")
    if origin.get("certain") is not True:
        return "one of n", f"{len(origin.get('candidates') or [])}, computed"
    ran = {truth_places.of(site["addr"]) for call in calls for site in call["sites"]
           if site["kind"] == "computed" and call["call"] == row["call"]}
    if _place(origin.get("addr"), places) in ran:
        return "right", "computed there"
    return "not found", f"computed; {origin.get('function')} is said, which we cannot judge"


def totals(verdicts):
    """(percent right, each wrong one counted twice; {verdict: number}), of rows with a truth"""
    by_verdict = collections.Counter(verdicts)
    judged = sum(by_verdict.values()) - by_verdict["no truth"] - by_verdict["no failure"]
    missed = by_verdict["one of n"] + by_verdict["not found"] + 2 * by_verdict["WRONG"]
    return (100.0 * (judged - missed) / judged if judged else 0.0), by_verdict


def calls_load(directory):
    """{row: [call of the oracle]}"""
    calls = collections.defaultdict(list)
    with open(os.path.join(directory, "calls.jsonl"), encoding="ascii") as lines:
        for line in lines:
            call = json.loads(line)
            calls[call["row"]].append(call)
    return calls
