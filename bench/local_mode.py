#!/usr/bin/env python3
"""Prints how long local mode takes to start and what it occupies: bench/local_mode.py [--trials 20] [--program build/bin/det-operator]

First start (makes the database), second start, memory idle and while trials run (its own and PostgreSQL's, resident set, MiB)."""

import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "local_mode"))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--trials", type=int, default=20)
parser.add_argument("--program")
arguments = parser.parse_args()
if arguments.program:
    os.environ["DET_OPERATOR_BIN"] = str(pathlib.Path(arguments.program).resolve())

from local import Local, example_object, wait_for  # noqa: E402


def resident(pid):
    """MiB of this process alone, by its own pages plus its share of shared ones."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [child, *children(child)]
    return found


def memory(local):
    database = 0.0
    for pid in children(local.process.pid):
        try:
            if b"postgres" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                database += resident(pid)
        except OSError:
            pass
    return f"det-operator {resident(local.process.pid):.0f} MiB, PostgreSQL {database:.0f} MiB"


def timed_start(local):
    begin = time.monotonic()
    local.start()
    return time.monotonic() - begin


local = Local(slots=2)
print(f"first start: {timed_start(local):.2f} s")
local.stop()
print(f"second start: {timed_start(local):.2f} s")
time.sleep(5)
print(f"idle: {memory(local)}")
begin = time.monotonic()
for number in range(arguments.trials):
    local.kubectl("apply", "-f", "-", stdin=example_object("core_api", f"bench-{number}", reports=10, sleep=0.05))
print(f"{arguments.trials} experiments applied in {time.monotonic() - begin:.1f} s")
wait_for("half of them are through", lambda: int(local.sql("SELECT count(*) FROM experiments WHERE state = 'COMPLETED'")[0][0]) >= arguments.trials // 2, 600)
print(f"with {arguments.trials} trials: {memory(local)}")
wait_for("all of them are through", lambda: int(local.sql("SELECT count(*) FROM experiments WHERE state = 'COMPLETED'")[0][0]) >= arguments.trials, 600)
print(f"{arguments.trials} trials on 2 slots in {time.monotonic() - begin:.1f} s")
local.stop()
local.remove()
