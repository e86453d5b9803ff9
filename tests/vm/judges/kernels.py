"""kernels.py - the kernels that guests boot; what tests/vm/setup gets"""
import os

CACHE = os.environ.get("LBRSNOOP_CACHE") or os.path.expanduser("~/.cache/lbrsnoop")
ALL = ("6.1", "6.12", "6.18")
# Of backports, and so one day gone from Debian's archive.
OPTIONAL = {"6.18"}


def why_missing(kernel):
    """Why a test may be skipped, or None: of a kernel that must be there too."""
    if kernel not in OPTIONAL or os.path.exists(os.path.join(CACHE, "kernel", kernel)):
        return None
    return f"no kernel {kernel}: tests/vm/setup --kernel {kernel}"
