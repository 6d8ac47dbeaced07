"""What a server that was killed leaves behind."""

import os
import pathlib
import signal


def processes_of(folder):
    """(number, command line) of the processes, but this one, whose command line names the folder."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # it has ended
            if str(folder) in command:
                found.add((int(entry.name), command))
    return found


def end_processes_of(folder):
    """After kill -9 PostgreSQL and the pods live on, until the next start takes them over. There may be none."""
    for number, _ in processes_of(folder):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
