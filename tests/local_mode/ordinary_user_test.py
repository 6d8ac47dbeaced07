"""det-operator local for somebody who is not root. What is mounted below a folder of the host is then mounted in a user namespace, which Linux
gives to no process with threads."""

import json
import os
import pwd
import shutil
import subprocess
import unittest

from local import PROGRAM, Local, pod_object, wait_for

USER = "postgres"  # there wherever PostgreSQL is


class AsOrdinaryUser(Local):
    def spawn(self, *args):
        """As the user, with a copy of the program that the user can read."""
        program = self.folder / "det-operator"
        if not program.exists():
            shutil.copy(PROGRAM, program)
            os.chown(self.folder, pwd.getpwnam(USER).pw_uid, -1)
        self.log_before = len(self.log())
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", program, "local", "--data-dir", self.data,
                 "--listen", f"127.0.0.1:{self.port}", "--slots", str(self.slots), "--no-gpu", *map(str, args)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=self.environment(), cwd="/")

    def environment(self):
        plain = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "DET_OPERATOR_CACHE", "XDG_CACHE_HOME")}
        return {**plain, "HOME": str(self.folder), "DET_DEBUG_CONFIG_PATH": str(self.folder / "config")}


class OrdinaryUser(unittest.TestCase):
    def environment_in(self, folder):
        """One that is laid over the host's files, with a package by the name that is asked for."""
        environment = folder / "train"
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", environment], check=True)
        package = next(environment.glob("lib/python3*/site-packages")) / "determined"
        package.mkdir()
        (package / "__init__.py").touch()
        return environment

    @unittest.skipUnless(os.geteuid() == 0, "the other tests run as an ordinary user already")
    def test_a_pod_has_its_volumes_below_folders_of_the_host(self):
        local = AsOrdinaryUser()
        self.addCleanup(local.remove)
        local.start("--python", self.environment_in(local.folder))
        self.addCleanup(local.stop)
        owner = (local.data / "postgres" / "data").stat().st_uid
        self.assertEqual(pwd.getpwuid(owner).pw_name, USER)
        pod = pod_object("hello", "touch /usr/local/shared/x", volumes=[{"name": "shared", "emptyDir": {}}])
        pod["spec"]["containers"][0]["volumeMounts"] = [{"name": "shared", "mountPath": "/usr/local/shared"}]
        local.kubectl("create", "-f", "-", stdin=json.dumps(pod))

        def ended():
            status = local.items("pods")[0].get("status", {})
            return status if status.get("phase") in ("Succeeded", "Failed") else None
        status = wait_for("the pod has ended", ended)
        self.assertEqual(status["phase"], "Succeeded", status)


if __name__ == "__main__":
    unittest.main()
