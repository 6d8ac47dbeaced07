#!/usr/bin/env python3
"""Runs clang-tidy's list (.clang-tidy) over the program's sources: tidy.py [--budget SECONDS] [FILE...]

Needs a release build (scripts/build.sh), whose compile commands and header lists it reads. A file that was clean is not looked at again until
it, a header of ours that it includes, its command or the list changes. With a budget, what changed last is looked at first, and what there was
no time for is counted. Ends with 1 if anything was found, with 77 if there is no build."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator") / "tidy"
TIDY = "clang-tidy-19"


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def headers():
    """source -> the files of ours that it includes, as the build found them."""
    found, source = {}, None
    for line in output("ninja", "-C", str(BUILD), "-t", "deps").splitlines():
        if not line.startswith(" "):
            source = None
            continue
        path = pathlib.Path(os.path.normpath(BUILD / line.strip()))
        if not path.is_relative_to(ROOT) or path.is_relative_to(BUILD):
            continue
        if source is None:
            source = path
            found[source] = set()
        found[source].add(path)
    return found


def when_changed():
    """file -> time of the last commit that touched it; what is not committed counts as now."""
    times, stamp = {}, 0
    for line in output("git", "log", "--format=@%ct", "--name-only", "-n", "500").splitlines():
        if line.startswith("@"):
            stamp = int(line[1:])
        elif line:
            times.setdefault(ROOT / line, stamp)
    for line in output("git", "status", "--porcelain").splitlines():
        times[ROOT / line[3:]] = time.time()
    return times


class Sources:
    def __init__(self):
        self.commands = {pathlib.Path(entry["file"]): re.sub(re.escape(str(ROOT)), "", entry["command"])
                         for entry in json.loads((BUILD / "compile_commands.json").read_text())}
        self.headers = headers()
        self.list = (ROOT / ".clang-tidy").read_bytes() + output(TIDY, "--version").encode()
        self.digests = {}

    def names(self):
        return [path for path in self.commands if path.is_relative_to(ROOT) and not path.is_relative_to(BUILD)]

    def digest(self, path):
        if path not in self.digests:
            self.digests[path] = hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""
        return self.digests[path]

    def key(self, source):
        key = hashlib.sha256(self.list + self.commands[source].encode() + self.digest(source))
        for path in sorted(self.headers.get(source, ())):
            key.update(str(path.relative_to(ROOT)).encode() + self.digest(path))
        return CACHE / key.hexdigest()


def look(source):
    run = subprocess.run([TIDY, "-p", str(BUILD), "--quiet", str(source)], cwd=ROOT, capture_output=True, text=True)
    return source, run.returncode == 0, run.stdout + ("" if run.returncode == 0 else run.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, help="seconds after which no further file is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=lambda name: (pathlib.Path.cwd() / name).resolve())
    options = parser.parse_args()
    if not (BUILD / "compile_commands.json").exists():
        print("clang-tidy ... skipped 'not run: there is no release build (scripts/build.sh)'")
        return 77
    CACHE.mkdir(parents=True, exist_ok=True)
    sources, changed = Sources(), when_changed()
    wanted = options.files or sources.names()
    if unknown := [str(path) for path in wanted if path not in sources.commands]:
        parser.error("not built: " + ", ".join(unknown))
    keys = {path: sources.key(path) for path in wanted}
    new = sorted((path for path in wanted if not keys[path].exists()), key=lambda path: -changed.get(path, 0))
    until = time.monotonic() + options.budget if options.budget else float("inf")
    looked, wrong, left = 0, 0, list(new)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while running or (left and time.monotonic() < until):
            while left and len(running) < options.jobs and time.monotonic() < until:
                running.add(pool.submit(look, left.pop(0)))
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for one in done:
                source, is_clean, said = one.result()
                looked += 1
                if is_clean:
                    keys[source].touch()
                else:
                    wrong += 1
                    print(said)
    print(f"clang-tidy: {looked} files looked at, {len(wanted) - len(new)} known to be clean, {wrong} with findings")
    if left:  # in the form in which scripts/test.sh counts what was not run
        print(f"clang-tidy ... skipped 'not run for {len(left)} files: the time was up; scripts/tidy.py looks at all'")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
