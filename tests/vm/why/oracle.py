"""oracle.py - failing calls and where their errno was loaded, from the emulator's log

The log (tests/vm/run --insns-at) has the registers at the entry of do_syscall_64, where the call's
result is stored, and at every instruction that loads an errno: millions of lines. errno_calls makes
a line of each call. One CPU: lines of several are not in order.
"""
import collections
import os
import re
import subprocess

from sites import NAMES

ERRNO_CALLS = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                           "../../../build/tests/vm/errno_calls")

UNISTD = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
MARK_BASE = 0x4c420000  # guest_rows
SITES_KEPT = 8  # of each errno
# Their errors stay among themselves: printk's buffer, the console, the scheduler.
INSIDE = re.compile(r"(desc_|prb_|_prb|v?printk|console_|serial8250|univ8250|uart_|irq_work|"
                    r"__schedule$|try_to_wake_up|select_task_rq|update_curr|set_next_entity|asm_|exc_|sysvec_|"
                    r"insn_|jump_label|(__)?text_poke|static_key)")
# -1 is no errno there, but no user's ID, an ACL that is not known, no NUMA node, the mask of a
# table's index (the latch of timekeeping, which our own probes read), or what put_net() adds to a
# reference counter (6.18; an EPERM that rtnl_newlink() itself made would be judged WRONG).
NO_EPERM = re.compile(r"(map_id_|from_k[ug]id|make_k[ug]id|get_acl|get_cached_acl|truncate_inode|"
                      r"kmem_cache_alloc_(node|noprof)|ktime_get_mono_fast_ns|"
                      r"rtnl_newlink$)")
# cap_capable()'s -EPERM is asked whether it is 0, by ns_capable() and all of its other callers but
# cap_mmap_addr(), which returns it where memory is mapped below vm.mmap_min_addr.
CAPABLE = "cap_capable"
MAPS = ("mmap", "mremap", "shmat", "brk", "execve", "execveat", "remap_file_pages", "io_setup", "map_shadow_stack")
SENDS = ("sendmsg", "sendto", "sendmmsg", "write", "io_uring_enter")


def call_names():
    """{number: name}"""
    with open(UNISTD, encoding="ascii") as lines:
        return {int(match[2]): match[1]
                for match in map(re.compile(r"#define __NR_(\w+) (\d+)").match, lines) if match}


def calls_of(log, sites):
    """Read the open file or FIFO @log: a process whose output Oracle.line() takes."""
    sends = [str(number) for number, name in call_names().items() if name in SENDS]
    return subprocess.Popen([ERRNO_CALLS, "-", f"{sites.entry:x}",
                             ",".join(f"{addr:x}" for addr in sites.exits), ",".join(sends),
                             str(MARK_BASE)],
                            stdin=log, stdout=subprocess.PIPE, text=True, encoding="ascii")


class Oracle:
    """Takes calls, one a line; found has those that failed, or sent something."""

    def __init__(self, sites, rows):
        """@rows: those of the job, in the guest's order"""
        self.sites, self.rows = sites, rows
        self.names = call_names()
        self.tids = {}  # stack: tid
        self.row, self.root = None, None
        self.found = []

    def line(self, text):
        """One line of errno_calls."""
        stack, number, *ended = text.split()
        number = int(number)
        if not ended:
            if number & 0xffff0000 == MARK_BASE:
                self._mark(number - MARK_BASE, stack)
        elif self.row:
            result, *addrs = (int(word, 16) for word in ended)
            self._end(stack, number, addrs, result)

    def _mark(self, number, stack):
        self.row = None if number & 1 else self.rows[number >> 1]["id"]
        self.root = stack

    def _end(self, stack, number, addrs, result):
        name = self.names.get(number, str(number))
        if name in ("set_tid_address", "gettid"):
            self.tids[stack] = result
        value = result - (1 << 64) if result >> 63 else result
        failed = -4096 < value < 0
        if failed or (name in SENDS and addrs):
            self.found.append({
                "row": self.row, "call": name, "tid": self.tids.get(stack),
                "child": stack != self.root,
                "errno": NAMES.get(-value, str(-value)) if failed else None,
                "sites": self._sites(addrs, -value if failed else None)})

    def _sites(self, addrs, number):
        """The last ones of each number, or of @number, oldest first, each once.

        Computed ones may be any number.
        """
        kept, seen = [], collections.Counter()
        for addr in reversed(addrs):
            has, kind = self.sites.at[addr]
            if number is not None and has not in (number, 0):
                continue
            seen[has] += 1
            if seen[has] <= SITES_KEPT:
                function, off, module = self.sites.name(addr)
                kept.append({"addr": addr, "errno": NAMES.get(has, str(has)),
                             "kind": kind, "function": function, "off": off, "module": module})
        return kept[::-1]


def counts(site, call=None):
    """Can this site be where the errno of @call, its name, comes from, as far as we know?"""
    if site["kind"] == "computed" or INSIDE.match(site["function"]):
        return False
    return site["errno"] != "EPERM" or not (
        NO_EPERM.match(site["function"]) or (site["function"] == CAPABLE and call not in MAPS))


def truths_of(row, calls):
    """[(call, site)]: of each task the last call of the row's name and errno, with the site
    executed last there; None for the site where nothing loads the errno.

    An acknowledgement of netlink is made while the request is sent: the last such call in which
    a site of the errno was executed.
    """
    netlink = "netlink" in row["flags"].split(",")
    found = {}
    for call in calls:
        if call["row"] != row["id"] or call["call"] != row["call"]:
            continue
        sites = [one for one in call["sites"] if one["errno"] == row["errno"] and counts(one, call["call"])]
        if netlink and call["errno"] is None and sites:
            found[call["tid"]] = call, sites[-1]
        elif not netlink and call["errno"] == row["errno"]:
            found[call["tid"]] = call, sites[-1] if sites else None
    return list(found.values())
