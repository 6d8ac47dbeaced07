"""The image's root file system: what is in it, what is not, and its bill of materials. That it runs read-only, without root and
without capabilities is shown by install_test.py, where it is the operator."""

import json
import os
import pathlib
import shutil
import stat
import tempfile
import unittest

from chart import PROGRAM, ROOT, run


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-image-", dir="/var/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.root = cls.folder / "root"
        done = run(ROOT / "scripts/image-root.sh", "--out", cls.root, "--program", PROGRAM, timeout=600)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def in_image(self, *command, extra=()):
        return run("bwrap", "--unshare-all", "--clearenv", "--cap-drop", "ALL", "--uid", "65532", "--gid", "65532", "--ro-bind", self.root, "/",
                   "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *extra, *command)

    def test_the_program_starts_as_restricted_pods_do(self):
        done = self.in_image("/usr/bin/det-operator", "--version")
        self.assertRegex(done.stdout, r"^det-operator \d")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_outside_a_pod_it_says_what_is_missing(self):
        done = self.in_image("/usr/bin/det-operator", "--database-url", "postgresql://", "--listen", "127.0.0.1:8080")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not inside a pod", done.stderr)

    def test_nothing_else_can_be_run(self):
        found = []
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = pathlib.Path(folder) / name
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode):
                    self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), path)
                    if mode & 0o111 and ".so" not in name:
                        found.append(str(path.relative_to(self.root)))
        self.assertEqual(found, ["usr/bin/det-operator"])

    def test_has_the_certificates_of_authorities_and_a_user(self):
        self.assertGreater((self.root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE"), 50)
        self.assertIn("65532", (self.root / "etc/passwd").read_text())

    def test_has_the_wheel_that_tasks_without_the_package_get(self):
        (wheel,) = (self.root / "usr/share/det-operator/wheels").iterdir()
        self.assertRegex(wheel.name, r"^determined-0\.38\.1-py3-none-any\.whl$")
        self.assertEqual(wheel.stat().st_mode & 0o777, 0o644)

    def test_bill_of_materials_lists_every_package(self):
        installed = {path.name for path in (self.root / "var/lib/dpkg/status.d").iterdir()}
        self.assertIn("libstdc++6", installed)
        installed |= {"determined"}
        texts = {form: run(ROOT / "scripts/sbom.sh", "--root", self.root, "--format", form).stdout for form in ("spdx", "cyclonedx")}
        spdx, cyclone = json.loads(texts["spdx"]), json.loads(texts["cyclonedx"])
        self.assertEqual({p["name"] for p in spdx["packages"]}, installed | {"det-operator"})
        self.assertEqual(len({p["SPDXID"] for p in spdx["packages"]}), len(spdx["packages"]))
        self.assertEqual({c["name"] for c in cyclone["components"]}, installed)
        self.assertEqual(texts["spdx"], run(ROOT / "scripts/sbom.sh", "--root", self.root).stdout)
        refused = run(ROOT / "scripts/sbom.sh", "--root", self.folder)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
