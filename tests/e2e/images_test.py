"""An image whose Python has no determined package: the operator's wheel is installed into the task, or the log says what to add."""

import os
import pathlib
import shutil
import sys
import unittest

import yaml

from stack import STATE, api, example_object, kubectl, run, stack, trial_status, wait_complete, wait_for

BARE = STATE / "image-without-determined"
WHEELS = STATE / "wheels"


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def bare_image():
    """A Python environment with all that the package needs, and not the package."""
    if (BARE / "bin" / "python3").exists():
        return
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", BARE, timeout=300)
    full = pathlib.Path(sys.executable).parents[1]
    (there,) = full.glob("lib/python*/site-packages")
    here = BARE / there.relative_to(full)
    for package in there.iterdir():
        if package.name.startswith("determined") or (here / package.name).exists():
            continue
        if package.is_dir():
            shutil.copytree(package, here / package.name, copy_function=link_or_copy)
        else:
            link_or_copy(package, here / package.name)


def fill_wheelhouse():
    WHEELS.mkdir(exist_ok=True)
    if not list(WHEELS.glob("determined-0.38.1-*.whl")):
        run(sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "-d", WHEELS, "determined==0.38.1", timeout=300)


class ImagesWithoutDetermined(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bare_image()
        fill_wheelhouse()
        (STATE / "images").write_text(f"bare:1={BARE}\n")
        stack("restart", "agent")
        cls.addClassCleanup(cls.restore, (STATE / "master.yaml").read_text())

    @classmethod
    def restore(cls, text):
        (STATE / "images").unlink()
        stack("restart", "agent")
        cls.use(text)

    @classmethod
    def use(cls, text):
        (STATE / "master.yaml").write_text(text)
        stack("restart", "operator")

    def start(self, name):
        code, experiment = yaml.safe_load_all(example_object("core_api", name))
        experiment["spec"]["config"].setdefault("environment", {})["image"] = "bare:1"
        kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all([code, experiment]))

    def logs(self, name):
        number = wait_for(f"the trial of {name} has a number", lambda: trial_status(name).get("id"))
        return "".join(line["message"] for line in api("GET", f"/api/v1/trials/{number}/logs?limit=500", lines=True))

    def test_the_wheel_is_installed_or_the_log_says_what_to_add(self):
        before = yaml.safe_load((STATE / "master.yaml").read_text())
        self.use(yaml.safe_dump({**before, "harness": {"wheelhouse": str(WHEELS)}}))
        self.start("bare-image")
        wait_complete("bare-image")
        wait_for("the log says so", lambda: "installing 0.38.1 from " in self.logs("bare-image"))

        self.use(yaml.safe_dump({**before, "harness": {"wheelhouse": str(WHEELS), "install": False}}))
        self.start("bare-refused")
        wait_complete("bare-refused", "Failed")
        wait_for("the log says so", lambda: "pip install determined==0.38.1" in self.logs("bare-refused"))


if __name__ == "__main__":
    unittest.main()
