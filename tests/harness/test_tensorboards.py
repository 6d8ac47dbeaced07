import unittest

from task_case import TaskCase

# Stand-ins for the packages that a TensorBoard needs.
_FILES = {
    "determined/__init__.py": "",
    "determined/common.py": "def set_logger(debug): pass",
    "determined/exec/__init__.py": "",
    "determined/exec/prep_container.py": "",
    "determined/exec/tensorboard.py": """
from importlib.util import find_spec
def get_tensorboard_args(*_): return []
def start_tensorboard(*_):
    print("with the tab" if find_spec("xprof") else "without the tab")
""",
    "tensorboard/__init__.py": "__version__ = '2.0'",
    "tensorboard/default.py": """
from importlib.util import find_spec
def get_dynamic_plugins():
    if find_spec("xprof"): import xprof
""",
    # Installs a plugin, or fails, as it is told.
    "pip/__init__.py": "",
    "pip/__main__.py": """
import os, sys
if sys.argv[1] == "list":
    print("numpy==1.0")
    sys.exit()
prefix = sys.argv[sys.argv.index("--prefix") + 1]
print("pip", *sys.argv[1:], file=open(os.environ["DET_RUN_DIR"] + "/asked", "w"))
if os.environ.get("TEST_PIP_SAYS"): sys.exit("much\\nERROR: " + os.environ["TEST_PIP_SAYS"])
site = "%s/lib/python%d.%d/site-packages" % (prefix, *sys.version_info[:2])
os.makedirs(site)
open(site + "/xprof.py", "w").write(os.environ.get("TEST_PLUGIN", ""))
""",
}


class TensorBoardTest(TaskCase):
    """A TensorBoard in an image that has TensorBoard and no plugin for profiles."""

    def show(self, **env):
        site = self.folder / "site"
        for name, text in _FILES.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        program = site / "bin" / "tensorboard"
        program.parent.mkdir(exist_ok=True)
        program.write_text("")
        program.chmod(0o755)
        (self.files / "storage_config.json").write_text("{}")
        variables = dict(PYTHONPATH=str(site), DET_PYTHON_EXECUTABLE="/usr/bin/python3", TENSORBOARD_PORT="1", DET_TENSORBOARD_LOG_DIRS="a",
                         DET_TENSORBOARD_ARGS="[]", PATH=str(program.parent) + ":/usr/bin:/bin")
        code, _, _ = self.run_task("TENSORBOARD", **dict(variables, **env))
        self.assertEqual(code, 0, self.log())
        return self.lines()

    def test_installs_the_plugin_and_changes_nothing_that_the_image_has(self):
        self.assertEqual(self.show()[-1], "with the tab")
        asked = (self.run_dir / "asked").read_text()
        self.assertIn("--constraint %s/installed.txt tensorboard-plugin-profile" % self.run_dir, asked)
        self.assertEqual((self.run_dir / "installed.txt").read_text(), "numpy==1.0\n")

    def goes_on_without_it(self, why, **env):
        lines = self.show(**env)
        self.assertEqual(lines[-1], "without the tab")
        self.assertEqual(len([line for line in lines if "goes on without the tab Profile: %s. Add tensorboard-plugin-profile" % why in line]), 1, lines)
        self.assertNotIn("LOG_LEVEL_ERROR", {record.get("level") for record in self.server.records()})

    def test_goes_on_where_pip_fails(self):
        self.goes_on_without_it("ERROR: no internet", TEST_PIP_SAYS="no internet")

    def test_removes_a_plugin_that_would_end_it(self):
        self.goes_on_without_it("TensorBoard cannot load it", TEST_PLUGIN="raise ImportError('protobuf')")
        self.assertFalse((self.run_dir / "profile-plugin").exists())

    def test_asks_nobody_where_that_was_refused(self):
        self.assertEqual(self.show(DET_SKIP_PIP_INSTALL="1"), ["without the tab"])
        self.assertFalse((self.run_dir / "asked").exists())


if __name__ == "__main__":
    unittest.main()
