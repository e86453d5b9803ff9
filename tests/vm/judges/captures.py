# SPDX-License-Identifier: GPL-2.0
"""captures.py - what report prints of a capture, against what the trace printed"""
import os


def first_difference(live, again):
    """Number of the line, and what stands there, from a little before it differs."""
    for number, (ours, theirs) in enumerate(zip(live.splitlines(), again.splitlines()), 1):
        if ours != theirs:
            at = max(0, len(os.path.commonprefix([ours, theirs])) - 200)
            return f"line {number} differs: live {ours[at:at + 500]}, report {theirs[at:at + 500]}"
    return f"{len(live.splitlines())} lines live, {len(again.splitlines())} of the report"


def capture_error(live, status, out, err):
    """Why what report made of a capture is not what the trace printed, or None."""
    if status != (0 if live else 1):
        return f"exit status {status}: {err.decode(errors='replace')}"
    return None if out == live else first_difference(live, out)
