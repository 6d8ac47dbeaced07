"""Calls of the real package that had no route before: metadata of runs, labels one by one, fields of users."""

import os
import pathlib
import re
import tempfile
import unittest
import warnings

from determined.experimental import client

from stack import SETTINGS, STATE, api, det

SAYS = """
import determined as det

with det.core.init() as core_context:
    print(core_context.train.get_metadata(), flush=True)
    print(core_context.train.set_metadata({"corpus": {"files": 3}, "tags": ["a", "b"]}), flush=True)
    print(core_context.train.get_metadata(), flush=True)
"""


class Sdk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["XDG_CONFIG_HOME"] = str(STATE / "sdk-config")  # tokens: older command lines do not read this form of them
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.determined = client.Determined(SETTINGS["DET_MASTER"], "determined", "")
            cls.admin = client.Determined(SETTINGS["DET_MASTER"], "admin", "")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "say.py").write_text(SAYS)
            (path / "const.yaml").write_text("name: metadata\nentrypoint: python3 say.py\nmax_restarts: 0\n"
                                             "searcher: {name: single, metric: loss}\n")
            cls.followed = det("e", "create", path / "const.yaml", path, "-f").out
        cls.experiment = cls.determined.get_experiment(int(re.search(r"Created experiment (\d+)", cls.followed).group(1)))

    def test_a_program_keeps_metadata_of_its_run(self):
        said = {"corpus": {"files": 3}, "tags": ["a", "b"]}
        self.assertIn("{}", self.followed)
        self.assertEqual(self.followed.count("{'corpus': {'files': 3.0}, 'tags': ['a', 'b']}") +
                         self.followed.count("{'corpus': {'files': 3}, 'tags': ['a', 'b']}"), 2, self.followed)
        trial = api("GET", f"/api/v1/experiments/{self.experiment.id}/trials")["trials"][0]["id"]
        self.assertEqual(api("GET", f"/api/v1/runs/{trial}/metadata")["metadata"], said)
        self.assertEqual(api("GET", f"/api/v1/trials/{trial}")["trial"]["metadata"], said)

    def test_labels_come_and_go_one_by_one(self):
        self.experiment.add_label("first label")
        self.experiment.add_label("second")
        self.experiment.remove_label("first label")
        self.experiment.reload()
        self.assertEqual(self.experiment.labels, {"second"})

    def test_an_admin_edits_users(self):
        name = f"hopper{os.getpid()}"  # users stay: once more on the same stack is another one
        user = self.admin.create_user(f"grace{os.getpid()}", admin=False, password="Abcdefg1", remote=False)
        self.addCleanup(user.deactivate)
        user.rename(name)
        user.change_display_name(f"Grace H. {name}")
        user.change_password("Abcdefg2")
        found = self.admin.get_user_by_name(name)
        self.assertEqual((found.display_name, found.admin), (f"Grace H. {name}", False))
        self.assertIn(name, [each.username for each in self.admin.list_users()])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(client.Determined(SETTINGS["DET_MASTER"], name, "Abcdefg2").whoami().username, name)


if __name__ == "__main__":
    unittest.main()
