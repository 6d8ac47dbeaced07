"""wheel.py --programs DIR [--ui DIR] --version V --epoch SECONDS --out DIR: the wheel of det-operator, from programs built on this machine.

The programs, their libraries, PostgreSQL and bubblewrap of this Debian go into the package's folder, laid out as below /usr, and find each
other there (RUNPATH); so it works in any environment and at any path. The same input gives the same bytes."""

import argparse
import base64
import hashlib
import pathlib
import shutil
import subprocess
import tempfile
import time
import zipfile

import libraries

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Of PostgreSQL's libraries: the language of functions, what its text search is made with, and the encodings.
SERVER_LIBRARIES = ("plpgsql.so", "dict_snowball.so", "libpqwalreceiver.so", "pgoutput.so", "*_and_*.so")
SERVER_FILES = ("*.bki", "*.sql", "*.sample", "*.txt", "errcodes.txt", "timezonesets", "tsearch_data", "extension/plpgsql*")


def postgres_version():
    """The newest that is installed here."""
    found = [path.parent.parent.name for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not found:
        raise SystemExit("error: PostgreSQL is not installed here: scripts/install-deps.sh run")
    return max(found, key=int)


class Tree:
    """The package's folder, and for each file of others where it was taken from."""

    def __init__(self, folder):
        self.folder = folder
        self.sources = {}

    def take(self, source, inside):
        target = self.folder / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755 if pathlib.Path(source).stat().st_mode & 0o100 else 0o644)
        self.sources[inside] = source

    def take_postgres(self, version):
        server, share = pathlib.Path("/usr/lib/postgresql", version), pathlib.Path("/usr/share/postgresql", version)
        for program in sorted(server.glob("bin/*")):
            if libraries.is_elf(program):
                self.take(program, f"lib/postgresql/{version}/bin/{program.name}")
        for pattern in SERVER_LIBRARIES:
            for library in sorted(server.glob(f"lib/{pattern}")):
                self.take(library, f"lib/postgresql/{version}/lib/{library.name}")
        for pattern in SERVER_FILES:
            for top in sorted(share.glob(pattern)):
                for path in [top] if top.is_file() else sorted(top.rglob("*")):
                    if path.is_file():
                        self.take(path, f"share/postgresql/{version}/{path.relative_to(share)}")

    def take_libraries(self):
        for name, path in sorted(libraries.closure(self.elf_files()).items()):
            self.take(path, f"lib/{name}")

    def elf_files(self):
        return [path for path in sorted(self.folder.rglob("*")) if path.is_file() and libraries.is_elf(path)]

    def let_them_find_each_other(self):
        for path in self.elf_files():
            up = "/".join([".."] * (len(path.relative_to(self.folder).parts) - 1))
            where = "$ORIGIN" if path.parent == self.folder / "lib" else f"$ORIGIN/{up}/lib"
            subprocess.run(["patchelf", "--set-rpath", where, path], check=True)


def third_party(tree):
    """For people and for programs: what is not ours, and from which package. And the licences' texts by package."""
    packages, lines = {}, []
    for inside, source in sorted(tree.sources.items()):
        package = libraries.package_of(source)
        packages[package] = packages.get(package, 0) + 1
        lines.append(f"det_operator/{inside} {package[0]} {package[1]}")
    text = ["# What is in this wheel that others made", "",
            "All of it is from Debian, unchanged but for the place where libraries are looked for. `apt-get source SOURCE=VERSION` has the source,",
            "`PACKAGE/copyright` beside this file the terms, and `FILES` says which file is from which package.", "",
            "| package | version | source | files |", "| --- | --- | --- | --- |"]
    text += [f"| {name} | {version} | {source} | {files} |" for (name, version, source), files in sorted(packages.items())]
    return "\n".join([*text, ""]), "\n".join([*lines, ""]), {name: libraries.licence_of(name) for name, _, _ in packages}


def metadata(version):
    return f"""Metadata-Version: 2.1
Name: det-operator
Version: {version}
Summary: Runs Determined experiments on Kubernetes or on one machine: training, search, metrics, logs, checkpoints
License: Apache-2.0
Platform: linux_x86_64
Classifier: Development Status :: 3 - Alpha
Classifier: Environment :: Console
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""


ENTRY_POINTS = """[console_scripts]
det = det_operator.launch:det
det-operator = det_operator.launch:operator
"""


def plain_files(folder):
    """Of the repository, without what Python leaves beside them."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


class Wheel:
    def __init__(self, path, epoch):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.time = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
        self.record = []

    def write(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, self.time)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        self.archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, name):
        lines = [*self.record, f"{name},,", ""]
        self.archive.writestr(zipfile.ZipInfo(name, self.time), "\n".join(lines))
        self.archive.close()


def build(programs, ui, version, epoch, out):
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(pathlib.Path(work) / "det_operator")
        for name in ("det", "det-operator"):
            tree.take(programs / name, f"bin/{name}")
            del tree.sources[f"bin/{name}"]
        tree.take("/usr/bin/bwrap", "bin/bwrap")
        tree.take_postgres(postgres_version())
        tree.take_libraries()
        listed, files, licences = third_party(tree)
        tree.let_them_find_each_other()
        needed, own = libraries.newest_glibc(tree.elf_files()), libraries.own_glibc()
        if needed > own:
            raise SystemExit(f"error: the files ask for glibc {needed}, this machine has {own}")
        # What it was tried on, too: not below this machine's, even if no symbol asks for that much.
        tag = f"py3-none-manylinux_{own[0]}_{own[1]}_x86_64"
        path = out / f"det_operator-{version}-{tag}.whl"
        wheel = Wheel(path, epoch)
        for source in plain_files(HERE / "det_operator"):
            wheel.write(f"det_operator/{source.name}", source.read_bytes())
        for source in plain_files(tree.folder):
            wheel.write(f"det_operator/{source.relative_to(tree.folder)}", source.read_bytes(), source.stat().st_mode & 0o777)
        for source in plain_files(ui) if ui else []:
            wheel.write(f"det_operator/share/det-operator/ui/{source.relative_to(ui)}", source.read_bytes())
        shared = f"det_operator-{version}.data/data/share/det-operator"
        for name in ("crds", "examples"):
            for source in plain_files(ROOT / name):
                wheel.write(f"{shared}/{source.relative_to(ROOT)}", source.read_bytes())
        info = f"det_operator-{version}.dist-info"
        wheel.write(f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.write(f"{info}/licenses/THIRD-PARTY.md", listed.encode())
        wheel.write(f"{info}/licenses/FILES", files.encode())
        for package, text in sorted(licences.items()):
            wheel.write(f"{info}/licenses/{package}/copyright", text)
        wheel.write(f"{info}/METADATA", metadata(version).encode())
        wheel.write(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: det-operator\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        wheel.write(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
        wheel.close(f"{info}/RECORD")
    print(f"{path.name}: {path.stat().st_size / 2**20:.1f} MiB; its files ask for glibc {needed[0]}.{needed[1]}; "
          f"{len(licences)} packages of Debian")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--ui", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    build(given.programs, given.ui, given.version, given.epoch, given.out)
