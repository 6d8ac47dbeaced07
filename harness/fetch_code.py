"""Brings a trial's model code into its working folder: from a git repository at a commit that is settled once for the whole
experiment, or from a volume. DET_CODE_SOURCE says which; the code's end of the protocol is GET and POST .../code_commit."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse

from server_connection import server_of

SECRET = os.environ.get("DET_GIT_SECRET_FOLDER", "/run/determined/git-secret")
CLAIM = os.environ.get("DET_CODE_FOLDER", "/run/determined/code")
TERMINATION_LOG = os.environ.get("DET_TERMINATION_LOG", "/dev/termination-log")
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"
_SCHEMES = ("https://", "http://", "ssh://")
_DEEPEST = 10  # submodules within submodules
# Later Pythons refuse links that lead out, which a repository may have.
_AS_IT_IS = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
_TRIES = 20  # of calls to the server: it may be restarting
_FETCHES = 3  # of a repository whose host could not be reached
_BETWEEN_FETCHES = float(os.environ.get("DET_GIT_PAUSE") or 5)  # seconds; the second pause is twice as long
# What git and ssh say of a host that may be well a moment later.
_PASSING = ("Could not resolve host", "Temporary failure in name resolution", "Connection timed out", "Connection refused", "Connection reset",
            "Failed to connect", "Operation too slow", "Operation timed out", "unexpected disconnect", "early EOF", "The requested URL returned error: 5",
            "The requested URL returned error: 429", "Connection closed by", "kex_exchange_identification", "Network is unreachable",
            "No route to host", "gnutls_handshake() failed", "SSL_ERROR_SYSCALL", "not responding")
# Where Determined's training classes look for the code that they put into checkpoints, so that these can be loaded later.
_KEPT = os.path.join(os.environ.get("DET_RUN_DIR") or "/run/determined", "train", "model")
_NO_CODE = ("lost+found",)
_MOST_KEPT = 96 << 20  # bytes, about as much as Determined takes for an experiment's code

# What answers git's questions, and only those about the server of the address: that may send git to another one.
_ASKPASS = """#!/bin/sh
for server in $DET_GIT_SERVERS; do
  host=${server#*://}
  case $1 in
    "Username for '$server'"* | "Username for '$server/"*) printf '%s\\n' "$DET_GIT_USERNAME"; exit ;;
    "Password for '${server%"$host"}"*) rest=${1#"Password for '${server%"$host"}"} ;;
    *) continue ;;
  esac
  case ${rest#*@} in
    "$host'"* | "$host/"*) printf '%s\\n' "$DET_GIT_PASSWORD"; exit ;;
  esac
done
exit 1
"""


class Failure(Exception):
    """What went wrong and what to do, for the person who wrote the experiment."""


def read_secret(key):
    try:
        with open(os.path.join(SECRET, key)) as file:
            return file.read()
    except FileNotFoundError:
        return None


def git_environment(folder, url, has_secret):
    """Variables for git, so that it never asks: credentials come from the Secret's keys."""
    read = read_secret if has_secret else lambda key: None
    env = dict(os.environ, GIT_TERMINAL_PROMPT="0", GIT_CONFIG_NOSYSTEM="1", HOME=folder, LC_ALL="C")
    # A server that says nothing for a minute: the pod holds its slots meanwhile.
    env.setdefault("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
    env.setdefault("GIT_HTTP_LOW_SPEED_TIME", "60")
    key = read("ssh-privatekey")
    hosts = read("known_hosts")
    ssh = ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"]
    if key is not None:
        path = os.path.join(folder, "key")
        # ssh refuses keys that others may read, as files of a Secret are.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(key if key.endswith("\n") else key + "\n")
        ssh += ["-i", path, "-o", "IdentitiesOnly=yes"]
    if hosts is not None:
        path = os.path.join(folder, "known_hosts")
        with open(path, "w") as file:
            file.write(hosts)
        ssh += ["-o", "UserKnownHostsFile=" + path, "-o", "StrictHostKeyChecking=yes"]
    env["GIT_SSH_COMMAND"] = " ".join(ssh)
    password = read("password")
    if password is not None and url.startswith("http"):
        env["GIT_ASKPASS"] = os.path.join(folder, "askpass")
        env["DET_GIT_USERNAME"] = (read("username") or "git").strip()
        env["DET_GIT_PASSWORD"] = password.strip()
        with os.fdopen(os.open(env["GIT_ASKPASS"], os.O_WRONLY | os.O_CREAT, 0o700), "w") as file:
            file.write(_ASKPASS)
        parts = urllib.parse.urlsplit(url)
        env["DET_GIT_SERVERS"] = " ".join(sorted({scheme + "://" + parts.netloc.rpartition("@")[2] for scheme in (parts.scheme, "https")}))
    return env


class Repository:
    """A fetch-only copy in a scratch folder."""

    def __init__(self, folder, url, has_secret=True):
        self.folder, self.url, self.has_secret = os.path.join(folder, "repository"), url, has_secret
        self.env = git_environment(folder, url, has_secret)
        self.git("init", "--quiet", self.folder, where=None)
        # `archive` would leave out, or change, what the repository says of its release archives.
        attributes = os.path.join(self.folder, ".git", "info", "attributes")
        os.makedirs(os.path.dirname(attributes), exist_ok=True)
        with open(attributes, "w") as file:
            file.write("* -export-ignore -export-subst\n")

    def git(self, *arguments, **options):
        where = options.get("where", self.folder)
        command = ["git"] + (["-C", where] if where else []) + list(arguments)
        try:
            done = subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError:
            raise Failure("spec.context.git needs the program git in the image; add it, for example in its Dockerfile:\n"
                          "    RUN apt-get update && apt-get install -y git")
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip() or "git ended with code %d" % done.returncode
            raise Failure(said)
        return done.stdout.decode("utf-8", "replace").strip()

    def bring(self, *arguments):
        """git fetch, again where its host could not be reached."""
        for number in range(1, _FETCHES + 1):
            try:
                return self.git("fetch", "--quiet", *arguments)
            except Failure as failure:
                if number == _FETCHES or not any(words in str(failure) for words in _PASSING):
                    raise
                print("WARNING: %s; trying again" % str(failure).splitlines()[-1], file=sys.stderr, flush=True)
                time.sleep(_BETWEEN_FETCHES * number)

    def fetch(self, name):
        """The commit of a branch, a tag or a commit's own name."""
        try:
            self.bring("--depth", "1", "--no-tags", "--", self.url, name)
        except Failure as failure:
            if "shallow" not in str(failure):  # a server of plain files gives out whole histories only
                raise
            self.bring("--no-tags", "--", self.url, name)
        return self.git("rev-parse", "--verify", "FETCH_HEAD^{commit}")

    def fetch_commit(self, commit):
        try:
            return self.fetch(commit)
        except Failure:
            # Servers may refuse to give out a commit by its name: then everything that has one is brought.
            self.bring("--", self.url, "+refs/heads/*:refs/all/heads/*", "+refs/tags/*:refs/all/tags/*")
            return self.git("rev-parse", "--verify", commit + "^{commit}")

    def copy(self, commit, path, target):
        """The files of the folder `path` at `commit`; those of them that are pointers of Git LFS."""
        archive = os.path.join(os.path.dirname(self.folder), "code.tar")
        self.git("archive", "--format=tar", "--output", archive, commit + (":" + path if path else ""))
        with tarfile.open(archive) as tar:
            tar.extractall(target, **_AS_IT_IS)  # git made it: its paths are inside
            return [member.name for member in tar.getmembers()
                    if member.isfile() and member.size < 1024 and tar.extractfile(member).read(len(LFS_POINTER)) == LFS_POINTER]

    def submodules(self, commit, path):
        """(place below `path`, commit, url) of each; the commit says which, so all trials have the same."""
        listed = self.git("ls-tree", "-r", "-z", "--full-tree", commit + (":" + path if path else ""))
        links = [entry.split("\t", 1) for entry in listed.split("\0") if entry.startswith("160000 ")]
        urls = self.submodule_urls(commit) if links else {}
        found = []
        for what, place in links:
            url = urls.get(path + "/" + place if path else place)
            if url is None:
                raise Failure("its submodule %s is not in .gitmodules; `git submodule add` writes it there" % place)
            found.append((place, what.split()[2], absolute_url(url, self.url)))
        return found

    def submodule_urls(self, commit):
        try:
            text = self.git("config", "--blob", commit + ":.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.(path|url)$")
        except Failure:
            return {}
        values = dict(entry.split("\n", 1) for entry in text.split("\0") if "\n" in entry)
        return {place: values.get(key[:-len("path")] + "url") for key, place in values.items() if key.endswith(".path")}


_PORTS = {"http": 80, "https": 443, "ssh": 22}


def address_of(url):
    """(scheme, host, port)"""
    if "://" not in url:
        return "ssh", url.split(":", 1)[0].rpartition("@")[2].lower(), _PORTS["ssh"]
    parts = urllib.parse.urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)


def is_for_same(url, parent):
    """Whether the Secret of `parent` is for `url`, too: the same server, or that by https where the parent has http."""
    theirs, ours = address_of(parent), address_of(url)
    return ours == theirs or (theirs[0], ours[0]) == ("http", "https") and (theirs[1:], ours[2]) == ((ours[1], 80), 443)


def absolute_url(url, parent):
    """A submodule's address; ./ and ../ are seen from its parent's, as git has it."""
    if not url.startswith(("./", "../")):
        return url
    base = parent.rstrip("/")
    for part in url.split("/"):
        if part == "..":
            cut = max(base.rfind("/"), base.rfind(":"))
            base, between = base[:cut], base[cut]
            if between == ":" and "//" not in base:
                base += ":"
        elif part not in (".", ""):
            base += part if base.endswith(":") else "/" + part
    return base


def copy_with_submodules(folder, repository, commit, path, target, depth=0):
    """Everything at `commit` below `path`; names of files that are only pointers."""
    pointers = repository.copy(commit, path, target)
    for number, (place, wanted, url) in enumerate(repository.submodules(commit, path)):
        if depth == _DEEPEST:
            raise Failure("submodules go deeper than %d: %s" % (_DEEPEST, place))
        is_scp = ":" in url.split("/", 1)[0] and "::" not in url and "://" not in url
        is_as_parent = url.startswith("file://") and repository.url.startswith("file://")
        if url.startswith("-") or not (url.startswith(_SCHEMES) or is_scp or is_as_parent):
            raise Failure("its submodule %s has the address %s; https, http and ssh are fetched" % (place, url))
        inside = tempfile.mkdtemp(dir=folder)
        # What the Secret holds is for its own server.
        sub = Repository(inside, url, has_secret=repository.has_secret and is_for_same(url, repository.url))
        try:
            sub.fetch_commit(wanted)
        except Failure as failure:
            raise Failure("its submodule %s: cannot fetch %s of %s: %s" % (place, wanted, url, failure))
        below = copy_with_submodules(inside, sub, wanted, "", os.path.join(target, place), depth + 1)
        pointers += [place + "/" + name for name in below]
    return pointers


def is_commit(ref):
    return len(ref) in (40, 64) and all(c in "0123456789abcdef" for c in ref)


class CommitOfExperiment:
    """What the server knows of it; it may be restarting."""

    def __init__(self):
        self.server = server_of(os.environ)
        self.path = "/api/v1/allocations/%s/code_commit" % os.environ["DET_ALLOCATION_ID"]

    def get(self):
        return self.call("GET", None)

    def settle(self, commit):
        """Says which it is to be; the answer is the one that was first."""
        return self.call("POST", json.dumps({"commit": commit}).encode())

    def call(self, method, body):
        for attempt in range(_TRIES):
            try:
                status, _, answer = self.server.request(method, self.path, body, timeout=60)
            except (OSError, http.client.HTTPException) as error:
                problem = str(error)
            else:
                if status == 200:
                    return json.loads(answer.decode())["commit"]
                problem = "%d %s" % (status, answer.decode("utf-8", "replace")[:500])
                if status < 500:
                    break
            if attempt + 1 < _TRIES:
                time.sleep(min(attempt, 10))
        raise Failure("the commit to train could not be settled: %s" % problem)


def size_of(folder):
    """Bytes of the files in it."""
    return sum(os.lstat(os.path.join(where, name)).st_size for where, _, names in os.walk(folder) for name in names)


def lay_over(origin, target, without=()):
    """Copies what is in the folder `origin` into `target`, over what is there."""
    for name in sorted(os.listdir(origin)):
        if name in without:
            continue
        source, copy = os.path.join(origin, name), os.path.join(target, name)
        if os.path.isdir(source) and not os.path.islink(source):
            is_new = not os.path.isdir(copy)
            if is_new:
                os.mkdir(copy)
            lay_over(source, copy)
            if is_new:
                shutil.copystat(source, copy)
        else:
            if os.path.lexists(copy):
                os.remove(copy)
            shutil.copy2(source, copy, follow_symlinks=False)


def keep_for_checkpoints(folder):
    if not os.path.isdir(_KEPT):
        return
    if size_of(folder) > _MOST_KEPT:
        print("INFO: checkpoints get no copy of the model code: it is more than %d MiB" % (_MOST_KEPT >> 20), flush=True)
    else:
        lay_over(folder, _KEPT, without=_NO_CODE)


def fetch_git(source, target):
    url, ref, path = source["url"], source.get("ref") or "HEAD", (source.get("path") or "").strip("/")
    known = CommitOfExperiment()
    settled = known.get()
    with tempfile.TemporaryDirectory(prefix="det-code-") as folder:
        try:
            repository = Repository(folder, url)
            if settled:
                commit = repository.fetch_commit(settled)
            else:
                commit = repository.fetch_commit(ref) if is_commit(ref) else repository.fetch(ref)
                settled = known.settle(commit)
                if settled != commit:  # another pod was first, and the branch has moved since
                    commit = repository.fetch_commit(settled)
        except Failure as failure:
            raise Failure("spec.context.git: cannot fetch %s of %s: %s" % (settled or ref, url, failure))
        try:
            is_folder = repository.git("cat-file", "-t", commit + ":" + path) == "tree"
        except Failure:
            is_folder = False
        if not is_folder:
            raise Failure("spec.context.git.path: '%s' is not a folder in commit %s of %s" % (path, commit, url))
        brought = os.path.join(folder, "brought")
        os.mkdir(brought)
        try:
            pointers = copy_with_submodules(folder, repository, commit, path, brought)
        except Failure as failure:
            raise Failure("spec.context.git: commit %s of %s: %s" % (commit, url, failure))
        if pointers:
            raise Failure("spec.context.git: files of Git LFS are not fetched, and commit %s of %s has %d: %s. Read them from a volume or from "
                          "object storage, or name a folder without them in spec.context.git.path"
                          % (commit, url, len(pointers), ", ".join(sorted(pointers)[:3]) + (", ..." if len(pointers) > 3 else "")))
        lay_over(brought, target)
        keep_for_checkpoints(brought)
    print("INFO: model code is commit %s of %s%s" % (commit, url, ", folder %s" % path if path else ""), flush=True)


def fetch_pvc(source, target):
    path = (source.get("path") or "").strip("/")
    folder = os.path.join(CLAIM, path)
    if not os.path.isdir(folder):
        raise Failure("spec.context.pvc.path: '%s' is not a folder in the volume of claim %s" % (path, source["claimName"]))
    lay_over(folder, target, without=_NO_CODE)
    keep_for_checkpoints(folder)
    print("INFO: model code is from claim %s%s" % (source["claimName"], ", folder %s" % path if path else ""), flush=True)


def main():
    source = json.loads(os.environ["DET_CODE_SOURCE"])
    kind = "git" if "git" in source else "pvc"
    try:
        try:
            (fetch_git if kind == "git" else fetch_pvc)(source[kind], os.getcwd())
        except (OSError, tarfile.TarError, shutil.Error) as error:  # a full disk, a volume that may not be read
            raise Failure("spec.context.%s: the code cannot be copied: %s" % (kind, error))
    except Failure as failure:
        for line in str(failure).splitlines():
            print("ERROR: " + line, file=sys.stderr)
        try:
            with open(TERMINATION_LOG, "w") as file:  # becomes the trial's message
                file.write(str(failure)[:4000])
        except OSError:
            pass
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
