#!/usr/bin/python3
"""notified.py - a service manager's socket: what is sent to it, a line each

Usage: notified.py SOCKET FILE
"""
import socket
import sys

sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sock.bind(sys.argv[1])
with open(sys.argv[2], "w", encoding="utf-8") as out:
    while True:
        for line in sock.recv(65536).decode("utf-8", "replace").split("\n"):
            out.write(line + "\n")
        out.flush()
