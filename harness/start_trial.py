"""Meets the trial's other pods, then becomes the launcher: `python -m determined.exec.prep_container --rendezvous`, then
`python -m determined.exec.launch`, in one interpreter, because both take less time than importing `determined` does."""

import os
import runpy
import signal
import sys

_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run(module, *arguments):
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def rendezvous():
    """In a process of its own, which leaves nothing behind in this one. Its exit code as a shell has it."""
    # A signal that comes between fork and handler would end this process only, and leave the other one waiting for its peers.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
        run("determined.exec.prep_container", "--rendezvous")
        sys.exit(0)
    before = [signal.signal(number, lambda number, _: os.kill(child, number)) for number in _FORWARDED]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    _, status = os.waitpid(child, 0)
    for number, handler in zip(_FORWARDED, before):
        signal.signal(number, handler)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def main():
    # The user's code, as with `python -m`; not the folder of this file.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.getcwd()
    import determined  # noqa: F401, for both

    code = rendezvous()
    if code == 0:
        run("determined.exec.launch")
    return code


if __name__ == "__main__":
    sys.exit(main())
