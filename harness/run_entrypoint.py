"""Becomes the program that DET_ENTRYPOINT names: a JSON list. One word is text for the shell, several are a program and its
arguments. No word: a command for its startup hooks' sake, which ran before this. Ends with 127 when it was not found, 126
when it could not be executed, as a shell does."""

import json
import os
import signal
import sys


def words_of(environ):
    text = environ.get("DET_ENTRYPOINT", "")
    try:
        words = json.loads(text)
    except ValueError:
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("DET_ENTRYPOINT is %r; a JSON list of words is needed, as in [\"echo hi\"] or [\"python3\", \"a.py\"]" % text)
    return ["/bin/sh", "-c", words[0]] if len(words) == 1 else words


def main(environ):
    try:
        words = words_of(environ)
    except ValueError as error:
        sys.stderr.write("ERROR: %s\n" % error)
        return 1
    if not words:
        sys.stdout.write("INFO: there is no entrypoint: only startup hooks ran\n")
        return 0
    # Python ignores these, and a program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sys.stdout.flush()
    try:
        os.execvpe(words[0], words, environ)
    except (OSError, ValueError) as error:
        sys.stderr.write("ERROR: cannot run %s: %s\n" % (words[0], getattr(error, "strerror", None) or error))
        return 127 if isinstance(error, FileNotFoundError) else 126


if __name__ == "__main__":
    sys.exit(main(os.environ))
