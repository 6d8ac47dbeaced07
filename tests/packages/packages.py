"""Packages made once for all tests of this folder."""

import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "package.sh"
_made = []


def make(*kinds, out):
    done = subprocess.run([SCRIPT, *kinds, "--out", out], capture_output=True, text=True, timeout=2400, check=False, env={**os.environ, "TMPDIR": str(out.parent)})
    if done.returncode != 0:
        raise AssertionError(f"package.sh ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return out


def packages():
    """The folder with all of them."""
    if not _made:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-packages-", dir="/var/tmp"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        _made.append(make("all", out=folder / "made"))
    return _made[0]


def only(pattern):
    (found,) = packages().glob(pattern)
    return found
