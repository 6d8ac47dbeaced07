"""CPU seconds of processes, from /proc."""

import contextlib
import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")
USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM = 11, 12, 13, 14  # of stat(); children that ended and were waited for


def stat(pid):
    """The fields of /proc/PID/stat behind the name."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()


def seconds_of(pid):
    fields = stat(pid)
    return (int(fields[USER]) + int(fields[SYSTEM])) / TICKS


def seconds_of_database(data):
    """Of the server whose data folder it is: its postmaster, its processes that live and those that have ended."""
    postmaster = int((data / "postmaster.pid").read_text(encoding="ascii").split()[0])
    ticks = sum(map(int, stat(postmaster)[USER:CHILDREN_SYSTEM + 1]))
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and int((fields := stat(entry.name))[1]) == postmaster:
                ticks += int(fields[USER]) + int(fields[SYSTEM])
    return ticks / TICKS
