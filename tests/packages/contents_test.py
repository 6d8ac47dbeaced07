"""What is in the packages: complete, listed, licensed, found again by its digest, and the same when made twice."""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from packages import ROOT, make, only, packages

VERSION = re.search(r"^project\(det-operator VERSION ([\d.]+) ", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
PAGE = "det_operator/share/det-operator/ui/"
OF_GLIBC = re.compile(r"^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv))\.so\.\d$")


def said(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options).stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = only("*.whl")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-wheel-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        with zipfile.ZipFile(cls.path) as archive:
            archive.extractall(cls.folder)
            cls.names = archive.namelist()
        cls.info = cls.folder / f"det_operator-{VERSION}.dist-info"
        cls.package = cls.folder / "det_operator"
        cls.elf = [path for path in sorted(cls.package.rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]

    def test_the_record_lists_every_file_with_its_digest(self):
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO((self.info / "RECORD").read_text()))}
        self.assertEqual(sorted(rows), sorted(self.names))
        for name, (digest, size) in rows.items():
            data = (self.folder / name).read_bytes()
            if not name.endswith("/RECORD"):
                self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name)
                self.assertEqual(int(size), len(data), name)

    def test_every_library_that_is_needed_is_inside_or_of_the_c_library(self):
        inside = {path.name for path in (self.package / "lib").iterdir()}
        self.assertGreater(len(self.elf), 50)
        for path in self.elf:
            dynamic = said("readelf", "-d", path)
            for needed in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
                self.assertTrue(needed in inside or OF_GLIBC.match(needed), f"{path.name} needs {needed}")
            (where,) = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", dynamic)
            self.assertEqual(os.path.normpath(where.replace("$ORIGIN", str(path.parent))), str(self.package / "lib"), path)

    def test_no_file_asks_for_a_newer_glibc_than_the_tag_says(self):
        tag = re.search(r"manylinux_(\d+)_(\d+)_x86_64\.whl$", self.path.name)
        self.assertIn(f"Tag: py3-none-manylinux_{tag[1]}_{tag[2]}_x86_64\n", (self.info / "WHEEL").read_text())
        asked = {tuple(map(int, pair)) for path in self.elf for pair in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said("readelf", "-V", path))}
        self.assertLessEqual(max(asked), (int(tag[1]), int(tag[2])))

    def test_what_others_made_is_listed_with_its_licence(self):
        listed = dict(line.split(" ")[:2] for line in (self.info / "licenses" / "FILES").read_text().splitlines())
        ours = {"det_operator/bin/det", "det_operator/bin/det-operator"}
        python = {f"det_operator/{path.name}" for path in (ROOT / "scripts/package/det_operator").glob("*.py")}
        there = {name for name in self.names if name.startswith("det_operator/")}
        page = {name for name in there if name.startswith(PAGE)}  # tells of its own in licenses.txt
        self.assertEqual(there - ours - python - page, set(listed))
        table = (self.info / "licenses" / "THIRD-PARTY.md").read_text()
        for package in set(listed.values()):
            self.assertIn(f"| {package} | ", table)
            self.assertGreater((self.info / "licenses" / package / "copyright").stat().st_size, 100, package)

    def test_the_web_page_lists_what_it_is_made_from(self):
        self.assertIn(PAGE + "index.html", self.names)
        text = (self.folder / PAGE / "licenses.txt").read_text()
        self.assertLessEqual(set(re.findall("^License: (.*)$", text, re.MULTILINE)), {"MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "0BSD"})
        listed = re.findall("^Name: (.*)$", text, re.MULTILINE)
        for package, version in json.loads((ROOT / "webui" / "package.json").read_text())["dependencies"].items():
            alias = re.match("npm:(.+)@", version)  # another's, under this name
            self.assertIn(alias[1] if alias else package, listed)

    def test_brings_examples_and_definitions(self):
        shared = f"det_operator-{VERSION}.data/data/share/det-operator/"
        for name in ("crds", "examples"):
            tracked = said("git", "-c", "safe.directory=*", "ls-files", name, cwd=ROOT).split()
            self.assertEqual([path for path in tracked if shared + path not in self.names], [])

    def test_programs_may_be_run_and_nothing_else_of_ours(self):
        with zipfile.ZipFile(self.path) as archive:
            runnable = {entry.filename for entry in archive.infolist() if (entry.external_attr >> 16) & 0o111}
        self.assertLess({"det_operator/bin/det", "det_operator/bin/det-operator", "det_operator/bin/bwrap"}, runnable)
        self.assertEqual({name for name in runnable if not name.startswith(("det_operator/bin/", "det_operator/lib/"))}, set())


class DebianPackage(unittest.TestCase):
    def test_depends_on_what_the_programs_are_linked_with_and_runs_nothing(self):
        package = only("*.deb")
        depends = said("dpkg-deb", "-f", package, "Depends")
        for name in ("libc6", "libpq5", "libssl3", "bubblewrap"):
            self.assertRegex(depends, rf"(^|, ){name}\b")
        control = said("dpkg-deb", "--ctrl-tarfile", package, encoding="latin-1")
        for script in ("preinst", "postinst", "prerm", "postrm"):
            self.assertNotIn(f"./{script}\0", control)
        files = said("dpkg-deb", "-c", package)
        self.assertNotRegex(files, r"systemd|init\.d|/etc/")
        self.assertRegex(files, r"\./usr/share/doc/det-operator/copyright\n")


class Image(unittest.TestCase):
    def setUp(self):
        self.layout = packages() / f"det-operator-{VERSION}.oci"
        self.index = json.loads((self.layout / "index.json").read_text())

    def blob(self, descriptor):
        data = (self.layout / "blobs/sha256" / descriptor["digest"].removeprefix("sha256:")).read_bytes()
        self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), descriptor["digest"])
        self.assertEqual(len(data), descriptor["size"])
        return data

    def test_every_blob_is_found_by_its_digest_and_there_is_no_other(self):
        (manifest,) = self.index["manifests"]
        value = json.loads(self.blob(manifest))
        config = json.loads(self.blob(value["config"]))
        (layer,) = value["layers"]
        unpacked = subprocess.run(["gzip", "-dc"], input=self.blob(layer), capture_output=True, check=True).stdout
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(unpacked).hexdigest()])
        used = {one["digest"] for one in (manifest, value["config"], layer)}
        self.assertEqual({f"sha256:{path.name}" for path in (self.layout / "blobs/sha256").iterdir()}, used)

    def test_starts_as_the_containerfile_says(self):
        (manifest,) = self.index["manifests"]
        config = json.loads(self.blob(json.loads(self.blob(manifest))["config"]))["config"]
        self.assertEqual((config["User"], config["Entrypoint"]), ("65532:65532", ["/usr/bin/det-operator"]))
        self.assertEqual(config["Labels"]["org.opencontainers.image.version"], VERSION)

    def test_other_tools_read_it(self):
        if not shutil.which("skopeo"):
            self.skipTest("Not run: skopeo is not installed")
        answer = json.loads(said("skopeo", "inspect", f"oci:{self.layout}:{VERSION}"))
        self.assertEqual(answer["Digest"], self.index["manifests"][0]["digest"])


class All(unittest.TestCase):
    def test_the_chart_in_the_archive_renders_as_the_folder_does(self):
        helm = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or pathlib.Path.home() / ".cache/det-operator") / "tools/helm"
        template = [helm, "template", "det", "--set", "imageRegistry=registry.example", "--kube-version", "1.36.0"]
        packed, plain = (re.sub(r"(?m)(password: )\S+$", r"\1made anew each time", said(*template, chart)) for chart in (only("*.tgz"), ROOT / "helm/det-operator"))
        self.assertEqual(packed, plain)
        self.assertIn("kind: Deployment", packed)

    def test_is_the_same_when_it_is_made_again(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-again-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, folder)
        again = make("all", out=folder / "elsewhere")
        sums = (packages() / "SHA256SUMS").read_text()
        self.assertEqual((again / "SHA256SUMS").read_text(), sums)
        self.assertEqual(len(sums.splitlines()), 8)
        said("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=packages())

    def test_another_version_than_the_programs_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            for program in ("det", "det-operator"):
                (folder / "bin" / program).write_text(f"#!/bin/sh\necho {program} 9.9.9\n")
                (folder / "bin" / program).chmod(0o755)
            done = subprocess.run([ROOT / "scripts/package.sh", "chart", "--out", folder / "out"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "DET_BUILD": name})
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"is not version {VERSION}", done.stderr)


if __name__ == "__main__":
    unittest.main()
