"""Brings the files that came with a task (`det cmd run --context FOLDER`) into the folder that it is started in. Standard library
only, so that it works in an image without the package `determined`."""

import base64
import http.client
import io
import json
import os
import shutil
import sys
import tarfile
import time
import urllib.parse

from server_connection import server_of

_TRIES = 20  # the server may be restarting


class Failure(Exception):
    """What went wrong and what to do."""


def download(environ):
    """The archive; empty when the task has none."""
    server = server_of(environ)
    path = "/api/v1/tasks/%s/context_directory" % urllib.parse.quote(environ["DET_TASK_ID"])
    for attempt in range(_TRIES):
        try:
            status, pause, body = server.request("GET", path, None, 60.0)
            if status == 200:
                return base64.b64decode(json.loads(body.decode()).get("b64Tgz") or "")
            problem = "%d %s" % (status, body.decode("utf-8", "replace").strip()[:500])
            if status < 500 and status != 429:
                raise Failure("the server did not give out the task's files: %s" % problem)
        except (OSError, http.client.HTTPException) as error:
            pause, problem = 0.0, str(error)
        if attempt + 1 < _TRIES:
            time.sleep(max(pause, min(attempt, 10)))
    raise Failure("the task's files could not be fetched from %s: %s" % (environ["DET_MASTER"], problem))


def place(root, name):
    """Where a member goes; its folders are there and lead nowhere else afterwards."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts:
        raise Failure("'%s' in the task's files leads out of the folder; pack it with relative names" % name)
    path = root
    for part in parts[:-1]:
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise Failure("'%s' in the task's files lies behind a symbolic link" % name)
        if not os.path.isdir(path):
            os.mkdir(path)
    return os.path.join(root, *parts)


def make_way(path):
    """A file of the task takes the place of what the image had there."""
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)


def extract(archive, root):
    """Links come last, so that nothing is written through one."""
    links, folders = [], []
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for member in tar:
            path = place(root, member.name)
            if member.isdir():
                if path != root:
                    make_way(path)
                    os.makedirs(path, exist_ok=True)
                    folders.append((path, member.mode))
            elif member.isfile():
                make_way(path)
                with open(path, "wb") as file:
                    shutil.copyfileobj(tar.extractfile(member), file)
                os.chmod(path, member.mode & 0o777)
                os.utime(path, (member.mtime, member.mtime))
            elif member.issym() or member.islnk():
                links.append((path, member))
            else:
                raise Failure("'%s' in the task's files is neither a file, a folder nor a link" % member.name)
        for path, member in links:
            make_way(path)
            if member.issym():
                os.symlink(member.linkname, path)
            else:
                os.link(place(root, member.linkname), path)
    for path, mode in reversed(folders):
        try:
            os.chmod(path, mode & 0o777 | 0o700)
        except PermissionError:  # it was there before, such as a mount, and is somebody else's
            pass


def main(environ):
    try:
        archive = download(environ)
        if archive:
            extract(archive, os.getcwd())
            # What Determined's training classes put into checkpoints, so that they can be loaded later.
            kept = os.path.join(environ.get("DET_RUN_DIR") or "/run/determined", "train", "model")
            if os.path.isdir(kept):
                extract(archive, kept)
    except Failure as failure:
        problem = failure
    except (KeyError, ValueError, EOFError, OSError, tarfile.TarError) as error:
        problem = "the task's files could not be unpacked in %s: %s: %s" % (os.getcwd(), type(error).__name__, error)
    else:
        return 0
    sys.stderr.write("ERROR: %s\n" % problem)
    return 1


if __name__ == "__main__":
    sys.exit(main(os.environ))
