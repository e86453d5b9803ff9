#!/usr/bin/python3 -S
"""opens.py - opens that fail and opens that pass, in a directory of its own

Usage: opens.py PASSING FAILING

PASSING times a file is read, O_NOFOLLOW, and written, FAILING times, spread over these, with O_NOFOLLOW
a symbolic link (ELOOP, open(2)), and a directory is opened for writing (EISDIR).
"""
import os
import sys


def attempt(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError:
        pass


def main():
    passing, failing = int(sys.argv[1]), int(sys.argv[2])
    if not os.path.lexists("link"):
        os.symlink("file", "link")
    with open("file", "w", encoding="ascii"):
        pass
    every = max(1, passing // max(1, failing))
    for number in range(passing):
        attempt("file", os.O_RDONLY | os.O_NOFOLLOW)
        attempt("file", os.O_WRONLY)
        if number % every == 0 and number // every < failing:
            attempt("link", os.O_RDONLY | os.O_NOFOLLOW)
            attempt(".", os.O_WRONLY)


main()
