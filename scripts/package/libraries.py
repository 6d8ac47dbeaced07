"""What a program of this machine takes along to another one: its shared libraries, and where they come from."""

import functools
import os
import pathlib
import re
import subprocess

# Of the C library, which a machine has and a platform tag speaks of.
GLIBC = re.compile(r"^(ld-linux-.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|nss_.*))\.so\.\d+$")


def said(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def closure(files):
    """The libraries that the files need, and those need, without the C library's: name -> path. A missing one is an error."""
    found = {}
    for file in files:
        for line in said("ldd", file).splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if not arrow:
                continue
            if rest.startswith("not found"):
                raise SystemExit(f"error: {file} needs {name}, which this machine has not")
            if not GLIBC.match(name):
                found[name] = pathlib.Path(rest.split(" (")[0])
    return found


def newest_glibc(files):
    """The newest version of the C library that one of the files asks for, as numbers: (2, 36)."""
    versions = {(2, 0)}
    for file in files:
        for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said("readelf", "-V", file)):
            versions.add((int(major), int(minor)))
    return max(versions)


def own_glibc():
    return tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]))


@functools.cache
def package_of(path):
    """Debian's package of a file: name, version, source with its version. The path may go through /lib, a link to /usr/lib."""
    real = os.path.realpath(path)
    for candidate in (real, real.removeprefix("/usr"), str(path)):
        done = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            name = done.stdout.split(": ")[0].split(", ")[0]
            version, source = said("dpkg-query", "-W", "-f", "${Version}\t${source:Package} ${source:Version}", name).split("\t")
            return name.split(":")[0], version, source
    raise SystemExit(f"error: {path} belongs to no Debian package, so nobody can say under which licence it is")


def licence_of(package):
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not path.exists():
        raise SystemExit(f"error: {path} is missing: without it {package} cannot be passed on")
    return path.read_bytes()
