#!/usr/bin/env python3
"""TAB in real shells over file names that hold commands: the program gets each name as it is, and nothing runs.

usage: check-hostile-names.py BINARY [SHELL...]    (needs tmux, and the shells: bash, zsh, fish, elvish)

A stand-in for rdmanav asks BINARY for completions and otherwise writes down what it was given. Each name holds a command that
would make a file PWNED-n.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

BINARY = os.path.realpath(sys.argv[1])
SHELLS = sys.argv[2:] or [shell for shell in ["bash", "zsh", "fish", "elvish"] if shutil.which(shell)]
WORK = os.path.realpath(tempfile.mkdtemp(prefix="rdmanav-names-"))
SOCKET = f"rdmanav-names-{os.getpid()}"
GIVEN = f"{WORK}/given"
PLACE = f"{WORK}/place"

# X is the command. A name stands in a directory of its own, so that TAB behind the directory has one answer.
NAMES = [
    "aaa$(X).log", "aaa`X`.log", "aaa;X;.log", "aaa&X&.log", "aaa|X", "aaa>PWNED", "aaa b.log;X", "a&&X", "a||X",
    "$(X)", "`X`", ";X", "|X", "(X)", "a(X)", "<(X)", "a<(X)", "{ X }", "a{,;X}", "{a,$(X)}", "${x:-$(X)}", "$'$(X)'",
    '"$(X)"', "'$(X)'", '"; X; "', "'; X; '", 'a"b";X;"', "a'b';X;'", 'a" ;X #', "a' ;X #", "a\\' ;X #", 'a\\" ;X #',
    "\\$(X)", "a\\;X;", "a\\\\$(X)\\", "x;X\\", "x;X!", 'x;X"', "x;X'", "x;X$", "x;X`", "!X", "!;X", "a!!;X", "a!b$(X)",
    "';X", '";X', "~;X", "~$(X)", "#;X", "a #;X", "-;X", "--pack=$(X)", "*$(X)?", "[a]$(X)", "a:b;X", "a=b;X", "a@b;X", "=ls;X",
    " lead;X", "trail;X ", "a  b;X", "^a^b;X", "%a%;X", "é;X", "日本 $(X)", "a\u2019;X;\u2019", "a\u201d;X",
]  # fmt: skip
# Of these nothing is offered: they cannot be shown as they are, or not handed over line by line.
UNSPEAKABLE = [b"a\nX", b"a\tX", b"a\x1b[31m;X", b"a\xff;X", "a\u202e;X".encode(), b"a\r;X", b"\n;X"]
# Each begins with another character; and two that differ behind the command only.
FIRST = ["$(X)", "`X`", '";X', "';X", "!;X", "#;X", "*;X", "{;X", "(X)", "\\;X", "^;X", " ;X", "~;X"]
TWO = ["two/x y;touch PWNED-0 ;1", "two/x y;touch PWNED-0 ;2"]
COMMANDS = ["rdmanav diagnose ", "rdmanav lint ", "rdmanav env diff roce "]
BATCH = 12
QUOTES = ["", "'", '"']


def named(name, number):
    command = f"touch PWNED-{number}"
    if isinstance(name, bytes):
        return name.replace(b"X", command.encode())
    return name.replace("PWNED", f"PWNED-{number}").replace("X", command)


def tmux(*arguments):
    return subprocess.run(["tmux", "-L", SOCKET, *arguments], check=True, capture_output=True, text=True).stdout


class Shell:
    STARTS = {
        "bash": ("bash --norc -i", "PS1='ready> '; source {script}"),
        "zsh": ("zsh -f -i", "PS1='ready> '; autoload -Uz compinit; compinit -u -D; source {script}"),
        "fish": ("fish --no-config -i", "function fish_prompt; echo -n 'ready> '; end; source {script}"),
        "elvish": ("elvish", "set edit:prompt = {{ put 'ready> ' }}; set edit:rprompt = {{ }}; eval (slurp < {script})"),
    }

    def __init__(self, name):
        self.name = name
        self.start(PLACE)

    def start(self, place=None):
        self.place = place or self.place
        command, prepare = self.STARTS[self.name]
        script = f"{WORK}/rdmanav.{self.name}"
        subprocess.run(["tmux", "-L", SOCKET, "kill-server"], capture_output=True)
        globals()["SOCKET"] += "x"
        environment = f"env -i HOME={WORK}/home TERM=screen LC_ALL=C.UTF-8 RDMANAV_PACKS= PATH={WORK}/bin:{shlex.quote(os.environ['PATH'])}"
        tmux("-u", "-f", "/dev/null", "new-session", "-d", "-s", "shell", "-x", "200", "-y", "50", "-c", self.place, f"{environment} {command}")
        # A shell that is still starting drops what is typed.
        for _ in range(10):
            time.sleep(0.3)
            self.keys("C-c")
            self.type(prepare.format(script=script))
            self.keys("Enter")
            if self.wait(lambda: any(line.strip() == "ready>" for line in self.screen().splitlines()), 3):
                return
        sys.exit(f"{self.name} does not come to its prompt:\n{self.screen()}")

    def screen(self):
        return tmux("capture-pane", "-p", "-J", "-t", "shell")

    def keys(self, *keys):
        tmux("send-keys", "-t", "shell", *keys)

    def type(self, text):
        tmux("send-keys", "-t", "shell", "-l", "--", text)

    def completed(self, typed, quote=""):
        """The keys that complete a word and go on behind it."""
        if self.name == "elvish":
            # A word that gets its quotes now is shown first, and taken with Enter.
            return [typed, ("Tab",), *([] if quote else [("Enter",)]), " "]
        return [typed, ("Tab",)]

    def wait(self, holds, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if holds():
                return True
            time.sleep(0.02)
        return False

    def given(self, steps):
        """Types the steps (a list: text, or a key in a tuple), presses Enter; what the program was given, None when it was not run."""
        if os.path.exists(GIVEN):
            os.remove(GIVEN)
        # One call: what is typed ahead of a shell waits for it.
        arguments = []
        for step in [*steps, ("Enter",)]:
            one = ["send-keys", "-t", "shell"] + ([*step] if isinstance(step, tuple) else ["-l", "--", step.removesuffix(";") + "\\;" if step.endswith(";") else step])
            arguments += [*one, ";"]
        tmux(*arguments[:-1])
        if not self.wait(lambda: os.path.exists(GIVEN), 4):
            return None
        with open(GIVEN, "rb") as file:
            return file.read().split(b"\0")[:-1]


FAULTS = []


def fault(shell, what, expected, got):
    FAULTS.append(what)
    print(f"FAULT {shell.name}: {what}\n  expected {expected}\n  got      {got}\n  screen   {[line for line in shell.screen().splitlines() if line][-4:]}")


def ran():
    found = [name for folder, _, names in os.walk(PLACE) for name in names if name.startswith("PWNED")]
    for folder, _, names in os.walk(PLACE):
        for name in names:
            if name.startswith("PWNED"):
                os.remove(os.path.join(folder, name))
    return found


def check(shell, what, steps, expected):
    got = shell.given(steps)
    markers = ran()
    if got == expected and not markers:
        return True
    shell.seen = (expected, got, markers)
    return False


def insist(shell, what, steps, expected):
    if not check(shell, what, steps, expected):
        expected, got, markers = shell.seen
        fault(shell, what, expected, f"{got}, ran: {markers}" if markers else got)
        shell.start()
        return False
    return True


def over_all(shell, command, quote):
    """Each name behind its directory; one after the other in a line, as far as a line goes."""
    words = command.split()[1:]
    places = [(f"d{number:02}", named(name, number)) for number, name in enumerate(NAMES)]
    for first in range(0, len(places), BATCH):
        batch = places[first : first + BATCH]
        steps = [command]
        for place, _ in batch:
            steps += shell.completed(f"{quote}{place}/", quote)
        expected = [word.encode() for word in words] + [f"{place}/{name}".encode() for place, name in batch]
        if check(shell, "", steps, expected):
            continue
        shell.start()
        for place, name in batch:
            one = [word.encode() for word in words] + [f"{place}/{name}".encode()]
            insist(shell, f"{command}{quote}{place}/<TAB>", [command, *shell.completed(f"{quote}{place}/", quote)], one)


def first_characters(shell):
    """Names whose first character is typed, quoted; and two names that differ at the end only, with a second TAB."""
    shell.start(f"{PLACE}/first")
    for name in FIRST:
        if shell.name == "fish" and name[0] == "*":
            # To fish a pattern, quoted or not.
            continue
        one = [b"diagnose", named(name, 0).encode()]
        escaped = {"elvish": None, "fish": f"\\{name[0]}"}.get(shell.name, f"\\{name[0]}")
        double = {"$": '"\\$', '"': '"\\"', "`": '"`' if shell.name == "fish" else '"\\`', "\\": '"\\\\', "!": None}
        single = {"'": None, "\\": "'\\\\" if shell.name == "fish" else "'\\"}
        elvish = shell.name == "elvish"
        typed = [
            (escaped, ""),
            (single.get(name[0], "'" + name[0]), "'"),
            (f'"{name[0]}' if elvish and name[0] not in '"\\' else None if elvish else double.get(name[0], f'"{name[0]}'), '"'),
        ]
        for keys, quote in typed:
            if keys is not None:
                insist(shell, f"first character: {keys}<TAB>", ["rdmanav diagnose ", *shell.completed(keys, quote)], one)
    shell.start(PLACE)
    if shell.name in ("bash", "zsh", "fish"):
        for quote in QUOTES:
            steps = ["rdmanav diagnose ", f"{quote}two/x", ("Tab",), "1", ("Tab",)]
            insist(shell, f"second TAB: {quote}two/x", steps, [b"diagnose", TWO[0].encode()])


def bash_only(shell):
    """`$'...'`, and the command that inserts all candidates, which takes the open quote away."""
    for number, name in enumerate(NAMES):
        expected = [b"diagnose", f"d{number:02}/{named(name, number)}".encode()]
        insist(shell, f"$'d{number:02}/<TAB>", ["rdmanav diagnose ", f"$'d{number:02}/", ("Tab",)], expected)
        for quote in QUOTES:
            insist(shell, f"{quote}d{number:02}/<M-*>", ["rdmanav diagnose ", f"{quote}d{number:02}/", ("M-*",)], expected)


def unspeakable(shell):
    for number, name in enumerate(UNSPEAKABLE):
        for quote in QUOTES:
            # Nothing is offered, so what was typed stays; the quote is closed by hand.
            insist(shell, f"{name!r}", [f"rdmanav diagnose {quote}u{number}/", ("Tab",), quote], [b"diagnose", f"u{number}/".encode()])


def put_in(shell):
    """What the shell puts in for `~/` and for a variable is what the program gets, beside directories of these names."""
    shell.start(f"{PLACE}/put")
    home = f"{WORK}/home"
    elvish = shell.name == "elvish"
    tab = [("Tab",), *([("Enter",)] if elvish else [])]
    insist(shell, "~/re<TAB>", ["rdmanav diagnose ~/re", *tab], [b"diagnose", f"{home}/real.log".encode()])
    insist(shell, "~/sp<TAB>", ["rdmanav diagnose ~/sp", *tab], [b"diagnose", f"{home}/sp $(touch PWNED-0).log".encode()])
    insist(shell, "~/d<TAB>in<TAB>", ["rdmanav diagnose ~/d", *tab, "in", *tab], [b"diagnose", f"{home}/d/in.log".encode()])
    insist(shell, "h/.<TAB>", ["rdmanav lint h/.", *tab], [b"lint", b"h/.env"])
    insist(shell, "h/..<TAB>", ["rdmanav lint h/..", *tab], [b"lint", b"h/../"])
    # From here on nothing is offered.
    insist(shell, "'~/re<TAB>", ["rdmanav diagnose '~/re", ("Tab",), "'"], [b"diagnose", b"~/re"])
    insist(shell, "--pack=~/re<TAB>", ["rdmanav list --pack=~/re", ("Tab",)], [b"list", b"--pack=~/re"])
    if elvish:
        return
    insist(shell, "$HOME/re<TAB>", ["rdmanav diagnose $HOME/re", ("Tab",)], [b"diagnose", f"{home}/re".encode()])
    # zsh puts the variable in itself, and takes the quote away.
    quote = "" if shell.name == "zsh" else '"'
    insist(shell, '"$HOME/re<TAB>', ['rdmanav diagnose "$HOME/re', ("Tab",), quote], [b"diagnose", f"{home}/re".encode()])
    insist(shell, "'$HOME/re<TAB>", ["rdmanav diagnose '$HOME/re", ("Tab",)], [b"diagnose", b"$HOME/real.log"])


def main():
    os.makedirs(f"{WORK}/bin")
    os.makedirs(f"{WORK}/home")
    os.makedirs(PLACE)
    with open(f"{WORK}/bin/rdmanav", "w") as file:
        file.write(
            f"#!/bin/sh\nif [ \"$1\" = completions ]; then exec {shlex.quote(BINARY)} \"$@\"; fi\n"
            f"printf '%s\\0' \"$@\" > {GIVEN}.new\nmv {GIVEN}.new {GIVEN}\n"
        )
    os.chmod(f"{WORK}/bin/rdmanav", 0o755)
    for number, name in enumerate(NAMES):
        os.makedirs(f"{PLACE}/d{number:02}")
        open(f"{PLACE}/d{number:02}/{named(name, number)}", "w").close()
    os.makedirs(f"{PLACE}/first")
    os.makedirs(f"{PLACE}/two")
    for name in [f"first/{named(name, 0)}" for name in FIRST] + TWO:
        open(f"{PLACE}/{name}", "w").close()
    for name in ["put/$HOME/real.log", "put/~/real.log", "put/~/sp.log", "put/h/.env", "../home/real.log", "../home/d/in.log", "../home/sp $(touch PWNED-0).log"]:
        os.makedirs(os.path.dirname(f"{PLACE}/{name}"), exist_ok=True)
        open(f"{PLACE}/{name}", "w").close()
    for number, name in enumerate(UNSPEAKABLE):
        os.makedirs(f"{PLACE}/u{number}")
        open(f"{PLACE}/u{number}/".encode() + named(name, number), "w").close()
    for name in SHELLS:
        with open(f"{WORK}/rdmanav.{name}", "w") as script:
            subprocess.run([BINARY, "completions", name], check=True, stdout=script)
        shell = Shell(name)
        began = time.monotonic()
        for command in COMMANDS:
            for quote in QUOTES:
                over_all(shell, command, quote)
        first_characters(shell)
        put_in(shell)
        shell.start(PLACE)
        if name == "bash":
            bash_only(shell)
        unspeakable(shell)
        print(f"{name}: {len(NAMES)} names, {time.monotonic() - began:.0f} s")
    # A command behind the program may run after it has written down what it was given.
    time.sleep(0.2)
    if late := ran():
        sys.exit(f"ran: {late}")
    if FAULTS:
        sys.exit(f"{len(FAULTS)} faults")


try:
    main()
finally:
    subprocess.run(["tmux", "-L", SOCKET, "kill-server"], capture_output=True)
    shutil.rmtree(WORK, ignore_errors=True)
