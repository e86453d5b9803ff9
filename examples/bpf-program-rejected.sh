#!/bin/bash
# bpf-program-rejected - bpf(2) says "Permission denied" to root: what did the verifier not like?
#
#     sudo examples/bpf-program-rejected.sh                        on a machine with LBR
#     tests/vm/run --direct -- examples/bpf-program-rejected.sh    in the virtual one
#
# The program is one instruction, exit, and so returns a register that nobody has set. Nobody asked
# for the verifier's log.
set -eu

lbrsnoop=${LBRSNOOP:-$(dirname "$0")/../lbrsnoop}

# BPF_PROG_LOAD (5) of BPF_PROG_TYPE_SOCKET_FILTER (1): bpf(2)
"$lbrsnoop" -n 1 -t 60 -e EACCES "$@" check_reg_arg -- python3 -c '
import ctypes, struct
insn = ctypes.create_string_buffer(bytes([0x95, 0, 0, 0, 0, 0, 0, 0]))
license = ctypes.create_string_buffer(b"GPL")
attr = struct.pack("<IIQQ", 1, 1, ctypes.addressof(insn), ctypes.addressof(license)).ljust(128, b"\0")
ctypes.CDLL(None).syscall(321, 5, attr, len(attr))'
