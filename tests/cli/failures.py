#!/usr/bin/python3
"""failures.py - 500 system calls that fail, in 6 kinds, under a name of its own

Usage: failures.py NAME [TIMES]
       failures.py --kinds tracepoints|functions

--kinds: a line "FUNCTION ERRNO COUNT" for each kind; a function of the kernel, or the tracepoint at the
call's end. The interpreter itself makes none of them while
it has NAME, the name of the task.
"""
import errno
import os
import signal
import sys

# Those of them whose result is an errno: openat(2), close(2), kill(2), chdir(2)
KINDS = [
    ("openat", "ENOENT", 200, lambda: os.open("/none/" + SECRET, os.O_RDONLY)),
    ("openat", "ENOTDIR", 100, lambda: os.open("/etc/passwd/" + SECRET, os.O_RDONLY)),
    ("openat", "EISDIR", 80, lambda: os.open("/etc", os.O_WRONLY)),
    ("close", "EBADF", 60, lambda: os.close(987654)),
    # PID_MAX_LIMIT is 4194304
    ("kill", "ESRCH", 40, lambda: os.kill(4194305, signal.SIGUSR1)),
    ("chdir", "ENOENT", 20, lambda: os.chdir("/none/" + SECRET)),
]
FUNCTIONS = {"openat": "do_sys_openat2", "close": "__x64_sys_close", "kill": "__x64_sys_kill",
             "chdir": "__x64_sys_chdir"}
SECRET = "PLANTED-path"


def main():
    if sys.argv[1] == "--kinds":
        for function, name, count, _ in KINDS:
            print(FUNCTIONS[function] if sys.argv[2] == "functions" else f"sys_exit_{function}", name, count)
        return
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write(sys.argv[1])
    for _ in range(times):
        for _, name, count, call in KINDS:
            for _ in range(count):
                try:
                    call()
                except OSError as error:
                    if error.errno != getattr(errno, name):
                        sys.exit(f"failures: {error}, wanted {name}")
                else:
                    sys.exit(f"failures: a call that should fail with {name} succeeded")
    # Nothing else of the interpreter is to be counted.
    os._exit(0)


main()
