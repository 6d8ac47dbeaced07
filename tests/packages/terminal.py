"""Commands in a bare root, as somebody types them, and what the terminal shows.

An expected text holds commands ("$ ..."), each followed by what it shows. Three rules make it comparable:
  - what varies is masked, in both: times <time>, process numbers <pid>, UUIDs <uuid>, the port <port>, amounts of seconds <s>,
    and Python's version in paths <minor>
  - a line "..." stands for any lines, also none
  - colours and what a later line overwrites are left out, and spaces at the end of lines
Other lines have to be the same, in the same order."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from waiting import free_port  # noqa: E402
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
BARE_ROOT = ROOT / "scripts" / "bare-root.sh"
USER = "ada"
NOT_POSSIBLE = 77
LONGEST = 2400  # seconds of one session, downloads included

# What stands before a command's output in the raw text; nobody types it.
MARK = "\x01"
SESSION = """#!/bin/bash
stty cols 300
cd ~
while IFS= read -r -u 3 line; do
  printf '\\001%s\\n' "$line"
  eval "$line"
  code=$?
  [ $code = 0 ] || echo "exit code $code"
  echo "$SECONDS $line" >> /tmp/times
done 3< /session/commands
cp /tmp/times /session/times
"""
MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+0000)"), "<time>"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\bpid \d+"), "pid <pid>"),
    (re.compile(r"\bpython3\.\d+\b"), "python<minor>"),
    (re.compile(r"INFO: \[\d+\]"), "INFO: [<pid>]"),
    (re.compile(r"\b\d+(\.\d+)? ?s(econds)?\b"), "<s>"),
)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


class NotPossible(Exception):
    """A bare root cannot be had here; says why."""


def in_root(suite, *command, binds=(), timeout=LONGEST):
    options = [word for bind in binds for word in ("--bind", bind)]
    done = subprocess.run([BARE_ROOT, suite, *options, "--", *map(str, command)], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=timeout, check=False)
    done.stdout, done.stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode == NOT_POSSIBLE and "no bare root: " in done.stdout:
        raise NotPossible(done.stdout.strip().splitlines()[-1])
    return done


def pip_cache():
    """What pip has downloaded, for the next time; it belongs to the user of the root, or pip would not take it."""
    folder = CACHE / "roots" / "pip"
    folder.mkdir(parents=True, exist_ok=True)
    os.chown(folder, 1000, 1000)
    return folder


class Session:
    def __init__(self, suite, commands, files=()):
        """`commands`: with <port> where a free one belongs. `files` lie in the user's home, without being copied there."""
        self.port = free_port()
        with tempfile.TemporaryDirectory(prefix="det-session-") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o777)
            (folder / "commands").write_text("".join(line.replace("<port>", str(self.port)) + "\n" for line in commands))
            (folder / "session.sh").write_text(SESSION)
            binds = [f"{folder}:/session:rw", f"{pip_cache()}:/pip:rw", *(f"{path}:/home/{USER}/{path.name}" for path in files)]
            # `script` gives them a terminal.
            done = in_root(suite, "setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "env", f"HOME=/home/{USER}", f"USER={USER}",
                           "PIP_CACHE_DIR=/pip", "PIP_DISABLE_PIP_VERSION_CHECK=1", "LANG=C.UTF-8", "SHELL=/bin/bash", "script", "-qec", "bash /session/session.sh", "/dev/null", binds=binds)
            self.raw = done.stdout
            self.times = (folder / "times").read_text().splitlines() if (folder / "times").exists() else []
            if done.returncode != 0 or not self.times:
                raise AssertionError(f"the session ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def seconds_until_after(self, beginning):
        return next(int(line.split()[0]) for line in self.times if line.split(" ", 1)[1].startswith(beginning))

    def shown(self):
        text = re.sub(r"\r+\n", "\n", ESCAPES.sub("", self.raw))
        lines = [("$ " + line[1:] if line.startswith(MARK) else line.rsplit("\r", 1)[-1]).rstrip() for line in text.removesuffix("\n").split("\n")]
        text = "\n".join(lines)
        text = re.sub(rf"\b{self.port}\b", "<port>", text)
        for pattern, mask in MASKS:
            text = pattern.sub(mask, text)
        return text.splitlines()


def commands_of(expected):
    return [line[2:] for line in expected if line.startswith("$ ")]


def first_difference(expected, shown):
    """Nothing, or what was expected and what stands there instead. Backtracks at "...", which is few lines long at most times."""
    reach = {0}  # how many lines of `shown` the lines of `expected` so far can have covered
    for number, line in enumerate(expected):
        if line == "...":
            reach = set(range(min(reach), len(shown) + 1))
            continue
        further = {at + 1 for at in reach if at < len(shown) and shown[at] == line}
        if not further:
            at = min(reach)
            return f"line {number + 1} is expected:\n  {line}\nand this is shown:\n  " + "\n  ".join(shown[at:at + 12])
        reach = further
    return None if len(shown) in reach else "more is shown than expected:\n  " + "\n  ".join(shown[max(reach):][:12])
