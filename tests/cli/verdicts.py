"""verdicts.py - verdict lines as tests/lib.sh has them, of what a browser shows"""

_failed = 0


def verdict(name, is_good, found=""):
    global _failed
    print(f"ok {name}" if is_good else f"not ok {name}\n# found: {str(found)[:1500]}")
    _failed += not is_good


def same(name, found, wanted):
    verdict(name, found == wanted, f"{found!r}, wanted {wanted!r}")


def failed():
    """Was any verdict bad?"""
    return _failed > 0
