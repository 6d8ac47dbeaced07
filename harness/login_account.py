"""Makes sure that sshd can let somebody in: login_account.py [HOME]. sshd lets in accounts, by name, and a pod's user may have none;
and sshd of root needs rights that a pod may not have. Says in the log whom it lets in. Ends with 1 and a reason where nothing
helps. With --quiet it says nothing, for tasks that may do without. With --name-only it gives the user the names that the cluster
has for it (DET_AGENT_USER, DET_AGENT_GROUP), where there is a way, and says nothing either."""

import os
import pwd
import sys

_LOGIN_SHELLS = ("/bin/bash", "/bin/sh")
# chown, setgid, setuid, sys_chroot: without one of these sshd, run by root, ends each connection.
_NEEDED = {"CHOWN": 0, "SETGID": 6, "SETUID": 7, "SYS_CHROOT": 18}


class Failure(Exception):
    pass


def missing_capabilities():
    try:
        with open("/proc/self/status") as file:
            mask = next(int(line.split()[1], 16) for line in file if line.startswith("CapEff:"))
    except (OSError, StopIteration):
        return []
    return [name for name, bit in _NEEDED.items() if not mask >> bit & 1]


def unlock_root(path="/etc/shadow"):
    """Some images lock root's account against all logins; a password is not what lets in here."""
    try:
        with open(path) as file:
            lines = file.read().splitlines(True)
        fields = [line.split(":") for line in lines]
        if not any(field[0] == "root" and field[1].startswith("!") for field in fields):
            return
        with open(path, "w") as file:
            file.writelines(":".join([f[0], "*"] + f[2:]) if f[0] == "root" and f[1].startswith("!") else ":".join(f) for f in fields)
    except (OSError, IndexError):
        pass  # sshd says in the log what it thinks of the account


def account():
    """The name of this process's user, when there is one that can log in."""
    try:
        entry = pwd.getpwuid(os.getuid())
    except KeyError:
        return None
    shell = entry.pw_shell or "/bin/sh"
    return entry.pw_name if os.access(shell, os.X_OK) and os.path.basename(shell) not in ("nologin", "false") else None


class Account:
    """Lines that make an account of this process's user."""

    def __init__(self, name, home, group=None):
        shell = next((shell for shell in _LOGIN_SHELLS if os.access(shell, os.X_OK)), "/bin/sh")
        self.name = name
        self.passwd = "%s:x:%d:%d::%s:%s\n" % (name, os.getuid(), os.getgid(), home, shell)
        self.shadow = "%s:*:19000:0:99999:7:::\n" % name
        self.group = "%s:x:%d:\n" % (group or name, os.getgid())


def named(home, fallback):
    """The account with the names that the cluster has for it."""
    return Account(os.environ.get("DET_AGENT_USER") or fallback, home, os.environ.get("DET_AGENT_GROUP"))


def write(path, text, mode="w"):
    with open(path, mode) as file:
        file.write(text)


def replace_etc(home):
    """In a sandbox whose root folder is ours: /etc becomes a folder of links to what it was, with accounts of its own. `root` is
    one of them and means this user, because it is the name that clients take when they know none."""
    if not os.access("/", os.W_OK) or os.access("/etc/passwd", os.W_OK) or os.path.lexists("/etc.host"):
        return
    with open("/etc/passwd") as file:
        passwd = file.read().splitlines(True)
    with open("/etc/group") as file:
        group = file.read().splitlines(True)
    uid, gid = str(os.getuid()), str(os.getgid())
    names = [line.split(":")[0] for line in passwd if line.split(":")[2:3] == [uid]]
    accounts = [named(home, (names or ["determined"])[0]), Account("root", home)]
    taken = [each.name for each in accounts]
    os.mkdir("/etc.new", 0o755)
    for name in os.listdir("/etc"):
        if name not in ("passwd", "group", "shadow"):
            os.symlink("../etc.host/" + name, "/etc.new/" + name)
    write("/etc.new/passwd", "".join([each.passwd for each in accounts] + [line for line in passwd if line.split(":")[0] not in taken]))
    write("/etc.new/shadow", "".join(each.shadow for each in accounts))
    os.chmod("/etc.new/shadow", 0o600)
    # Terminals belong to this group: sshd may not give them to another one, and tries to where there is a group `tty`.
    kept = [line for line in group if line.split(":")[0] != "tty" and line.split(":")[2:3] != [gid]]
    write("/etc.new/group", "".join([accounts[0].group] + kept))
    os.rename("/etc", "/etc.host")
    os.rename("/etc.new", "/etc")


def tell_nss(home):
    """Images of Determined look here as well (libnss_determined)."""
    folder = os.path.join(os.environ.get("DET_RUN_DIR") or "/run/determined", "etc")
    os.makedirs(folder, exist_ok=True)
    made = named(home, "determined")
    for name in ("passwd", "shadow", "group"):
        write(os.path.join(folder, name), getattr(made, name))


def append(home):
    """Images for OpenShift let their users do this."""
    try:
        known = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        known = None
    if known is None and os.access("/etc/passwd", os.W_OK):
        with open("/etc/passwd", "rb") as file:
            is_whole = file.read()[-1:] in (b"", b"\n")
        write("/etc/passwd", ("" if is_whole else "\n") + Account("determined", home).passwd, "a")


def who_gets_in(home):
    if os.getuid() == 0:
        missing = missing_capabilities()
        if missing:
            raise Failure("sshd cannot let anybody in: as root it needs the capabilities that this pod lacks (%s). Run it as an ordinary user:\n"
                          "    environment: {pod_spec: {spec: {securityContext: {runAsUser: 1000, runAsGroup: 1000}}}}\n"
                          "or do not drop these capabilities." % ", ".join(missing))
        unlock_root()
        return "root"
    for way in (replace_etc, tell_nss, append):
        try:
            way(home)
        except OSError:
            pass
        name = account()
        if name:
            return name
    raise Failure("sshd lets in accounts by their name, and the user with the id %d has none in this image that may log in. Add one to the image,\n"
                  "for example in its Dockerfile:\n"
                  "    RUN useradd --uid %d --shell /bin/bash user\n"
                  "or run the task as a user whom the image knows (securityContext.runAsUser of environment.pod_spec)." % (os.getuid(), os.getuid()))


def main(argv):
    quiet = "--quiet" in argv
    given = [word for word in argv[1:] if not word.startswith("--")]
    home = given[0] if given and os.access(given[0], os.W_OK) else os.environ.get("HOME") or "/tmp"
    if "--name-only" in argv:
        for way in (replace_etc, tell_nss):
            try:
                way(home)
            except OSError:
                pass
        return 0
    try:
        name = who_gets_in(home)
    except Failure as failure:
        if not quiet:
            for line in str(failure).splitlines():
                sys.stderr.write("ERROR: %s\n" % line)
        return 1
    if not quiet:
        sys.stdout.write("INFO: sshd lets in the user %s\n" % name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
