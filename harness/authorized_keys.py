"""Prints the line of sshd's authorized_keys for a public key: authorized_keys.py KEY_FILE [NAME...]. Sessions get the environment
of the container, or those of its variables that are named, as options of the key: sshd itself hands down nothing."""

import os
import re
import sys

# What sshd refuses in a name makes it refuse the whole key.
_NAME = re.compile(r"^[A-Za-z0-9_]+$")
# A session's own, and the terminal's. Tokens of the task are handed down: core.init() fails without DET_SESSION_TOKEN, and who has the
# key is the owner, whose own DET_USER_TOKEN may do more.
_LEFT_OUT = re.compile(r"^(_|HOME|USER|LOGNAME|SHELL|MAIL|PWD|OLDPWD|SHLVL|TERM|LANG|LC_.*)$")


def options(environ):
    """(the options, names of variables that sshd's syntax cannot carry)."""
    found, left = [], []
    for name, value in environ.items():
        if _LEFT_OUT.match(name):
            continue
        # A backslash at the end would hide the quotation mark that ends the option.
        if not _NAME.match(name) or value.endswith("\\"):
            left.append(name)
            continue
        text = value.replace("\r", "").replace("\n", "\\n").replace('"', '\\"')
        found.append('environment="%s=%s"' % (name, text))
    return ",".join(found), left


def main(argv, environ):
    with open(argv[1]) as file:
        keys = [line.strip() for line in file if line.strip()]
    wanted = {name: environ[name] for name in argv[2:] if name in environ} if argv[2:] else environ
    chosen, left = options(wanted)
    left = [name for name in left if not name.startswith("BASH_FUNC_")]
    if left:
        sys.stderr.write("WARNING: sessions do not get these variables, which sshd cannot hand down: %s\n" % ", ".join(sorted(left)))
    for key in keys:
        line = (chosen + " " if chosen else "") + key + "\n"
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv, os.environ))
