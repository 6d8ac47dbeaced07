import os
import unittest

from shipper_case import HARNESS, PYTHON, ShipperCase
from task_case import wait_for
from wheelhouse import serve_wheel

_PREP = """
import os, sys
print("prep", *sys.argv[1:])
if "--download_context_directory" in sys.argv:
    with open("startup-hook.sh", "w") as f:
        f.write(os.environ.get("TEST_HOOK", ""))
if sys.argv[1:] == ["--rendezvous"]:
    exec(os.environ.get("TEST_RENDEZVOUS", ""))
sys.exit(int(os.environ.get("TEST_PREP_CODE", "0")))
"""
_LAUNCH = """
import os, sys
links = os.environ["DET_RUN_DIR"] + "/train/logs/"
print("launch", os.environ.get("FROM_CLUSTER_HOOK"), os.environ.get("FROM_USER_HOOK"), os.environ["HOME"])
sys.stdout.flush()
with open(links + "stdout.log", "w") as f: f.write("by the link\\n")
with open(links + "stderr.log", "w") as f: f.write("by the other link\\n")
sys.exit(9)
"""


class EntrypointTest(ShipperCase):
    """Runs start.sh with a stand-in for the `determined` package that says what was asked of it."""

    def setUp(self):
        super().setUp()
        self.server.start()
        package = self.folder / "site" / "determined" / "exec"
        package.mkdir(parents=True)
        for folder in (package.parent, package):
            (folder / "__init__.py").write_text("")
        (package / "prep_container.py").write_text(_PREP)
        (package / "launch.py").write_text(_LAUNCH)
        self.run_dir = self.folder / "run"
        self.run_dir.mkdir()

    def boot(self, **env):
        defaults = dict(
            DET_TASK_TYPE="TRIAL",
            DET_RUN_DIR=str(self.run_dir),
            DET_PYTHON_EXECUTABLE=PYTHON,
            PYTHONPATH=str(self.folder / "site"),
            HOME="/home/user",
        )
        process = self.start_program(["/bin/sh", str(HARNESS / "start.sh")], **dict(defaults, **env))
        return self.finish(process)

    def lines(self):
        return [line.rstrip("\n") for line in self.server.lines()]

    def test_prepares_a_trial_step_by_step_and_becomes_its_launcher(self):
        (self.run_dir / "dynamic-tcd-startup-hook.sh").write_text("export FROM_CLUSTER_HOOK=one\n")
        code, _, _ = self.boot(TEST_HOOK="export FROM_USER_HOOK=$FROM_CLUSTER_HOOK+two")
        self.assertEqual(code, 9)
        out = [r["log"].rstrip("\n") for r in self.server.records() if r["stdtype"] == "stdout"]
        self.assertEqual(
            out,
            [
                "prep --download_context_directory --resources --proxy",
                "running startup hook %s/dynamic-tcd-startup-hook.sh" % self.run_dir,
                "running startup hook ./startup-hook.sh",
                "prep --rendezvous",
                "launch one one+two /home/user",
                "by the link",
            ],
        )
        self.assertIn("by the other link", self.lines())

    def test_stops_at_a_step_that_fails(self):
        self.assertEqual(self.boot(TEST_PREP_CODE="4")[0], 4)
        self.assertEqual(self.lines(), ["prep --download_context_directory --resources --proxy"])

    def test_stops_at_a_rendezvous_that_fails(self):
        self.assertEqual(self.boot(TEST_RENDEZVOUS="sys.exit(5)")[0], 5)
        self.assertEqual(self.lines()[-1], "prep --rendezvous")

    def test_ends_with_the_signal_that_ends_its_rendezvous(self):
        self.assertEqual(self.boot(TEST_RENDEZVOUS="os.kill(os.getpid(), 9)")[0], 137)
        self.assertEqual(self.lines()[-1], "prep --rendezvous")

    def test_passes_signals_on_to_its_rendezvous(self):
        waits = "import signal, time; signal.signal(15, lambda *_: sys.exit(6)); open('waits', 'w').close(); time.sleep(300)"
        process = self.start_program([PYTHON, str(HARNESS / "start_trial.py")], PYTHONPATH=str(self.folder / "site"), TEST_RENDEZVOUS=waits)
        wait_for("it waits for its peers", (self.folder / "waits").exists)
        process.terminate()
        code, out, _ = self.finish(process)
        self.assertEqual((code, out), (6, "prep --rendezvous\n"))

    def test_leaves_nothing_of_the_rendezvous_in_the_launcher(self):
        (self.folder / "site" / "determined" / "exec" / "launch.py").write_text(
            "import os, signal, sys\nprint(__name__, sys.argv[1:], sys.path[0], os.environ.get('LEFT'), signal.getsignal(15), signal.pthread_sigmask(0, ()))")
        code, _, _ = self.boot(TEST_RENDEZVOUS="import signal; os.environ['LEFT'] = 'x'; signal.signal(15, signal.SIG_IGN)")
        self.assertEqual(code, 0)
        self.assertEqual(self.lines()[-1], "__main__ [] %s None 0 set()" % self.folder)

    def test_replaces_a_package_that_cannot_be_imported(self):
        wheels = self.wheel()
        (self.folder / "site" / "determined" / "__init__.py").write_text("import a_module_that_nobody_has\n")
        code, _, _ = self.boot(DET_PYTHON_EXECUTABLE="/usr/bin/python3", DET_HARNESS_WHEELS=wheels, DET_HARNESS_VERSION="0.38.1",
                               DET_MASTER_HOST="127.0.0.1")
        self.assertEqual(code, 9, self.lines())
        self.assertIn("launch None None /home/user", self.lines())

    def test_trusts_who_signed_the_operators_certificate(self):
        (self.folder / "site" / "determined" / "exec" / "launch.py").write_text("import os; print(open(os.environ['DET_MASTER_CERT_FILE']).read())")
        folder = self.folder / "trust"
        folder.mkdir()
        for name, text in (("master.crt", "the leaf\n"), ("other.crt", "mine\n"), ("ca.crt", "")):
            (folder / name).write_text(text)

        def printed(name):
            seen = len(self.lines())
            self.boot(DET_MASTER_CERT_FILE=str(folder / name))
            return self.lines()[seen + 3:]  # after the two steps of prep_container and the hook

        self.assertEqual(printed("master.crt")[:1], ["the leaf"])
        (folder / "ca.crt").write_text("who signed it\n")
        self.assertEqual(printed("master.crt")[:2], ["the leaf", "who signed it"])
        self.assertEqual(printed("other.crt")[:1], ["mine"])

    def test_takes_no_folder_for_the_package(self):
        (self.folder / "determined").mkdir()
        self.assertEqual(self.boot(PYTHONPATH=None, DET_PYTHON_EXECUTABLE="/usr/bin/python3")[0], 1)
        self.assertIn("The Python package 'determined' cannot be imported by '/usr/bin/python3'", "\n".join(self.lines()))

    def test_stops_at_a_hook_that_fails(self):
        self.assertEqual(self.boot(TEST_HOOK="false")[0], 1)
        self.assertEqual(self.lines()[-2:], ["running startup hook ./startup-hook.sh",
                                             "the startup hook ./startup-hook.sh ended the task with exit code 1"])
        self.assertNotIn("prep --rendezvous", self.lines())

    def wheel(self, version="0.38.1"):
        return serve_wheel(self, self.folder / "site", version)

    def test_installs_the_operators_wheel_into_an_image_without_determined(self):
        wheels = self.wheel()
        code, _, _ = self.boot(PYTHONPATH=None, DET_PYTHON_EXECUTABLE="/usr/bin/python3", DET_HARNESS_WHEELS=wheels,
                               DET_HARNESS_VERSION="0.38.1", DET_MASTER_HOST="127.0.0.1")
        self.assertEqual(code, 9, self.lines())
        self.assertIn("the Python package 'determined' is missing in this image; installing 0.38.1 from " + wheels, "\n".join(self.lines()))
        self.assertIn("prep --rendezvous", self.lines())
        self.assertIn("launch None None /home/user", self.lines())

    def pip_arguments(self, wheels, **variables):
        pip = self.folder / "fake" / "pip"
        pip.mkdir(parents=True, exist_ok=True)
        (pip / "__init__.py").write_text("")
        (pip / "__main__.py").write_text("import sys\nprint('pip', *sys.argv[1:])\nsys.exit(1)\n")
        self.boot(PYTHONPATH=str(pip.parent), DET_PYTHON_EXECUTABLE="/usr/bin/python3", DET_HARNESS_WHEELS=wheels, DET_HARNESS_VERSION="0.38.1",
                  DET_MASTER_HOST="master", **variables)
        return [line for line in self.lines() if "pip install --quiet" in line][-1]

    def test_verifies_the_master_where_it_speaks_tls(self):
        self.assertIn("--trusted-host master", self.pip_arguments("http://master/wheels/"))
        self.assertIn("--cert /ca.pem", self.pip_arguments("https://master/wheels/", DET_MASTER_CERT_FILE="/ca.pem"))
        self.assertNotIn("--trusted-host", self.pip_arguments("https://master/wheels/", DET_MASTER_CERT_FILE="/ca.pem"))
        plain = self.pip_arguments("https://master/wheels/")
        self.assertNotIn("--trusted-host", plain)
        self.assertNotIn("--cert", plain)
        self.assertIn("--trusted-host master", self.pip_arguments("https://master/wheels/", DET_MASTER_CERT_FILE="NoVerify"))

    def test_leaves_an_image_with_determined_alone(self):
        code, _, _ = self.boot(DET_HARNESS_WHEELS="http://127.0.0.1:9/", DET_HARNESS_VERSION="0.38.1")
        self.assertEqual(code, 9)
        self.assertNotIn("installing", "\n".join(self.lines()))

    def test_says_what_to_add_when_the_wheel_cannot_be_installed(self):
        wheels = self.wheel("0.37.0")
        code, _, _ = self.boot(PYTHONPATH=None, DET_PYTHON_EXECUTABLE="/usr/bin/python3", DET_HARNESS_WHEELS=wheels,
                               DET_HARNESS_VERSION="0.38.1", DET_MASTER_HOST="127.0.0.1")
        self.assertEqual(code, 1)
        text = "\n".join(self.lines())
        self.assertIn("No matching distribution found for determined==0.38.1", text)
        self.assertIn("-m pip install determined==0.38.1", text)

    def test_says_what_to_add_to_an_image_without_determined(self):
        self.assertEqual(self.boot(PYTHONPATH=None, DET_PYTHON_EXECUTABLE="/usr/bin/python3")[0], 1)
        text = "\n".join(self.lines())
        self.assertIn("The Python package 'determined' cannot be imported by '/usr/bin/python3'", text)
        self.assertIn("-m pip install determined==0.38.1", text)
        self.assertIn("LOG_LEVEL_ERROR", [record.get("level") for record in self.server.records()])

    def test_says_so_when_the_image_has_no_python(self):
        code, _, err = self.boot(DET_PYTHON_EXECUTABLE="/opt/none/python3")
        self.assertEqual(code, 127)
        self.assertIn("'/opt/none/python3' is not one that works", err)
        self.assertIn("DET_PYTHON_EXECUTABLE", err)

    def test_names_the_task_types_it_knows_when_given_another(self):
        for given in ("JUKEBOX", None):
            with self.subTest(type=given):
                self.assertEqual(self.boot(DET_TASK_TYPE=given)[0], 1)
                self.assertIn("DET_TASK_TYPE is '%s'; this version runs: CHECKPOINT_GC COMMAND GENERIC NOTEBOOK SHELL TENSORBOARD TRIAL" % (given or ""), self.lines()[-1])

    def test_gives_a_home_to_a_user_that_has_none(self):
        self.boot(HOME="/")
        launch = [line for line in self.lines() if line.startswith("launch")]
        self.assertEqual(len(launch), 1)
        self.assertNotEqual(launch[0].split()[-1], "/")

    def test_tells_determineds_images_what_the_account_is_called(self):
        self.boot(DET_AGENT_USER="jane", DET_AGENT_GROUP="ml")
        folder = self.run_dir / "etc"
        self.assertTrue((folder / "passwd").read_text().startswith(f"jane:x:{os.getuid()}:{os.getgid()}:"))
        self.assertEqual((folder / "group").read_text(), f"ml:x:{os.getgid()}:\n")

    def test_keeps_the_users_python_path_away_from_the_shipper(self):
        (self.folder / "site" / "selectors.py").write_text("raise SystemExit('the wrong module')")
        self.assertEqual(self.boot(TEST_PREP_CODE="0")[0], 9)


if __name__ == "__main__":
    unittest.main()
