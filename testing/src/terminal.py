"""Runs a program on a terminal of 80 columns, and prints what the terminal gets.

Nobody types: the terminal closes at the first prompt.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

PROMPT = "◆".encode()

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.environ["TERM"] = "xterm-256color"
    os.execvp(sys.argv[1], sys.argv[1:])

screen = b""
while PROMPT not in screen:
    try:
        printed = os.read(terminal, 65536)
    except OSError:  # Linux: the program and all its children have ended.
        break
    if not printed:
        break
    os.write(1, printed)
    screen += printed
os.close(terminal)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
