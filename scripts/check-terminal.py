"""Drives the program in tmux and reads the screens.

usage: check-terminal.py BINARY    (needs tmux)
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

BINARY = os.path.realpath(sys.argv[1])
WORK = tempfile.mkdtemp(prefix="rdmanav-terminal-")
SOCKET = f"rdmanav-terminal-{os.getpid()}"

ANSWERS = [
    "query DCQCN",
    "query nccl uses tcp instead of ib",
    "show qp-state-machine",
    "env",
    "env roce",
    "env NCCL_IB_TIMEOUT",
    "env 'NCCL_IB_*'",
    "flow",
    "flow dcqcn-feedback-loop",
    "list",
    "list --issues",
    "list --triggers",
    "sources dcqcn",
    "help",
]
# 110 columns are the most that are used without being asked for.
WIDEST = 110
# Below this width code is indented by two columns, else by four (src/render/layout.rs).
NARROW = 60
STRAY = re.compile(r"\x1b|\[0m|\[1m|\[38;|\]8;;|\]11;|\?25[lh]")


def tmux(*arguments):
    return subprocess.run(["tmux", "-L", SOCKET, *arguments], check=True, capture_output=True, text=True).stdout


class Screen:
    """A shell in a window of this many columns, with this environment."""

    def __init__(self, width, height=50, **environment):
        settings = {"PATH": os.environ["PATH"], "HOME": WORK, "TERM": "screen-256color", "LC_ALL": "C.UTF-8", "PS1": "READY$? "}
        settings.update(environment)
        shell = ["env", "-i", *[f"{name}={value}" for name, value in settings.items()], "bash", "--norc", "-i"]
        # A server of its own: one that is ending takes no session.
        global SOCKET
        stop()
        SOCKET += "x"
        # The server must not take the locale of the caller: it decides what the window may show.
        start = ["tmux", "-u", "-L", SOCKET, "-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height)]
        subprocess.run([*start, ";", "set-option", "-g", "history-limit", "20000"], check=True)
        tmux("new-window", "-n", "shell", shlex.join(shell))
        self.wait("READY0 ")

    def text(self, joined=False):
        return tmux("capture-pane", "-p", *(["-J"] if joined else []), "-S", "-", "-t", "shell")

    def keys(self, *keys):
        tmux("send-keys", "-t", "shell", *keys)

    def wait(self, text, seconds=10):
        """Waits until the last line that is not empty begins with this."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = [line for line in self.text().splitlines() if line.strip()]
            if lines and lines[-1].startswith(text.rstrip()):
                return
            time.sleep(0.03)
        fail(f"the screen does not come to {text!r}", self.text())

    def run(self, command, status=0):
        """Runs a command and returns its screen, by lines and with lines that the terminal wrapped joined."""
        self.keys("-l", "clear; tmux -L " + SOCKET + " clear-history -t shell; " + command)
        self.keys("Enter")
        time.sleep(0.05)
        self.wait(f"READY{status} ")
        time.sleep(0.05)
        return self.lines(False), self.lines(True)

    def lines(self, joined):
        lines = [line.rstrip() for line in self.text(joined).rstrip("\n").splitlines()]
        while lines and not lines[-1].strip():
            lines.pop()
        # The prompt is back on a line of its own.
        if not re.fullmatch(r"READY\d+", lines[-1].strip()):
            fail("the prompt is not on a line of its own", "\n".join(lines))
        lines.pop()
        while lines and ("clear-history" in lines[0] or lines[0].startswith("READY")):
            lines.pop(0)
        return lines


def stop():
    subprocess.run(["tmux", "-L", SOCKET, "kill-server"], capture_output=True, check=False)


def fail(message, screen=""):
    print(message)
    print("\n".join(line for line in screen.splitlines() if line.strip()))
    stop()
    sys.exit(1)


def plain(arguments, width, environment):
    answer = subprocess.run(
        [BINARY, *shlex.split(arguments), *([] if arguments == "help" else ["--format", "plain", "--width", str(width)])],
        env={"LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout


def letters(lines):
    return "".join(c for c in "".join(lines) if c.isalnum())


def edges(lines, where):
    """Each corner and each side of a box stands under or above another piece of it."""
    up, down = set("└┘├┤┴┼│┕┙▲"), set("┌┐├┤┬┼│▼")
    for number, line in enumerate(lines):
        for column, c in enumerate(line):
            above = lines[number - 1][column : column + 1] if number else ""
            below = lines[number + 1][column : column + 1] if number + 1 < len(lines) else ""
            if c in "└┘" and above not in up | down:
                fail(f"{where}: {c} at column {column} hangs under {above!r}", "\n".join(lines[max(0, number - 6) : number + 3]))
            if c in "┌┐" and below not in up | down:
                fail(f"{where}: {c} at column {column} stands over {below!r}", "\n".join(lines[max(0, number - 2) : number + 6]))


def check(screen, arguments, width, environment):
    where = f"at {width} columns, {arguments}"
    lines, joined = screen.run(f"{shlex.quote(BINARY)} {arguments}")
    text = "\n".join(joined)
    if STRAY.search(text):
        fail(f"{where}: stray escape text", text)
    expected = [line.rstrip() for line in plain(arguments, min(width, WIDEST), environment).rstrip("\n").splitlines()]
    if letters(joined) != letters(expected):
        fail(f"{where}: the screen differs", "\n".join(lines))
    for line in joined:
        # Lines that the terminal wrapped: only what is never broken may be that long, a long word or a line of code.
        code = "    " if width >= NARROW else "  "
        if len(line) > width and max(len(word) for word in line.split()) <= width // 2 and arguments != "help" and not line.startswith(code):
            fail(f"{where}: this line runs over: {line}")
    if all(len(line) <= width for line in joined):
        edges(lines, where)


def main():
    for width in (40, 60, 80, 120):
        screen = Screen(width)
        for arguments in ANSWERS:
            check(screen, arguments, width, {})
        print(f"{width} columns: as it should be")

    screen = Screen(80, TERM="dumb")
    _, joined = screen.run(f"{BINARY} env roce")
    if STRAY.search("\n".join(joined)):
        fail("TERM=dumb: escapes", "\n".join(joined))
    print("TERM=dumb: as it should be")

    screen = Screen(80, LC_ALL="C")
    for arguments in ("flow dcqcn-feedback-loop", "env", "list"):
        lines, _ = screen.run(f"{BINARY} {arguments}")
        drawn = [line for line in lines if not line.isascii()]
        if drawn:
            fail(f"LC_ALL=C, {arguments}: drawn with more than ASCII", "\n".join(drawn))
    print("LC_ALL=C: as it should be")

    screen = Screen(80)
    screen.run(f"{BINARY} show dcqn", status=1)
    screen.run(f"{BINARY} qurey", status=2)
    screen.run(f"{BINARY} show dcqcn | head -n 1")
    # What waits for input ends with it.
    screen.keys("-l", f"{BINARY} diagnose")
    screen.keys("Enter")
    time.sleep(0.3)
    screen.keys("C-d")
    screen.wait("READY2 ")
    print("exit statuses: as they should be")

    pager(screen)
    stop()


def pager(screen):
    """Only when asked for; what quits early, is missing or is interrupted does no harm."""
    fake = os.path.join(WORK, "fake-pager")
    with open(fake, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nread line\necho \"paged: $line LESS=$LESS\"\n")
    os.chmod(fake, 0o755)
    show = f"{BINARY} show dcqcn --color never"

    def shows(command, text, status=0):
        lines, _ = screen.run(command, status)
        if text not in "\n".join(lines):
            fail(f"{command}: no {text!r}", "\n".join(lines))

    shows(f"RDMANAV_PAGER={fake} {show}", "paged: DCQCN congestion control LESS=FRX")
    shows(f"PAGER={fake} {show} --pager", "paged: DCQCN")
    shows(f"LESS=R PAGER={fake} {show} --pager", "LESS=R")
    shows(f"RDMANAV_PAGER='{fake} | tr a-z A-Z' {show}", "PAGED: DCQCN")
    shows(f"RDMANAV_PAGER={fake} {show} | head -n 1", "# DCQCN congestion control")
    shows(f"RDMANAV_PAGER={fake} {show} < /dev/null", "paged: DCQCN")
    for missing in ("/nonexistent/pager -x", "'/nonexistent/pager' -x"):
        shows(f"RDMANAV_PAGER={shlex.quote(missing)} {show} 2>&1", "hint: the pager")
        shows(f"RDMANAV_PAGER={shlex.quote(missing)} {show} 2> /dev/null", "Reviewed")
    # Without one of the two nothing is paged, whatever PAGER says.
    lines, _ = screen.run(f"PAGER={fake} {show}")
    if any("paged:" in line for line in lines):
        fail("PAGER alone starts a pager", "\n".join(lines))
    shows(f"echo 'export NCCL_IB_GID_INDX=3' | RDMANAV_PAGER={fake} {BINARY} lint - --color never", "paged:", status=1)
    if subprocess.run(["sh", "-c", "command -v less"], capture_output=True).returncode == 0:
        for keys in (["q"], ["C-c", "q"]):
            screen.keys("-l", f"clear; {BINARY} show dcqcn --pager")
            screen.keys("Enter")
            time.sleep(0.7)
            top = screen.text()
            if "DCQCN congestion control" not in top or "READY0" in top.strip().splitlines()[-1]:
                fail("less does not show the answer", top)
            for key in keys:
                screen.keys(key)
                time.sleep(0.3)
            screen.wait("READY0 ")
        # What fits the window ends by itself.
        shows(f"RDMANAV_PACKS= {BINARY} list --packs --pager", "Next:")
    print("pager: as it should be")


main()
