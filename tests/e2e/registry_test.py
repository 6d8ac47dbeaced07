"""The model registry with the real package and both command lines, and what it keeps from removal."""

import json
import os
import pathlib
import re
import tempfile
import unittest
import warnings

from determined.common.api import errors
from determined.experimental import client

from stack import ROOT, SETTINGS, STATE, det, run, sql, wait_for

# Two checkpoints, of which the policy keeps both: the first is the best, the second the latest.
FILES = {
    "const.yaml": "name: ships\nentrypoint: python3 train.py\nmax_restarts: 0\nsearcher: {name: single, metric: loss, smaller_is_better: true}\n",
    "train.py": """
from determined import core
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    for step in (1, 2):
        context.train.report_validation_metrics(steps_completed=step, metrics={"loss": step})
        with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
            (path / "step").write_text(str(step))
""",
}
HINT = "; 'det model list' shows those that there are"  # ours alone says
DET_BIN = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))


def ours(*args, **options):
    return run(DET_BIN, *args, **options)


class Registry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                pathlib.Path(folder, name).write_text(text)
            said = det("e", "create", "const.yaml", ".", "-f", cwd=folder).out
        cls.experiment = int(re.search(r"Created experiment (\d+)", said).group(1))
        cls.uuids = [row[0] for row in sql(
            f"""SELECT c.uuid FROM checkpoints c JOIN trials t ON t.id = c.trial_id
                WHERE t.experiment_id = {cls.experiment} AND c.state = 'COMPLETED' ORDER BY c.steps""")]
        os.environ["XDG_CONFIG_HOME"] = str(STATE / "sdk-config")  # tokens: older command lines do not read this form of them
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.determined = client.Determined(SETTINGS["DET_MASTER"], "determined", "")

    def tearDown(self):
        for row in sql("SELECT id FROM models"):
            det("model", "delete", row[0])

    def test_the_package_makes_edits_and_finds_models(self):
        model = self.determined.create_model("sea ships", "finds ships", metadata={"size": 3}, labels=["vision"])
        self.assertEqual((model.username, model.metadata, model.labels), ("determined", {"size": 3}, ["vision"]))
        version = model.register_version(self.uuids[-1])
        version.set_name("best")
        version.set_notes("of May")
        model.add_metadata({"more": [1, 2]})
        model.remove_metadata(["size"])
        model.set_labels(["vision", "boats"])
        model.set_description("finds all ships")
        found = self.determined.get_model("sea ships")
        self.assertEqual((found.metadata, found.labels, found.description), ({"more": [1, 2]}, ["vision", "boats"], "finds all ships"))
        latest = found.get_version()
        self.assertEqual((latest.name, latest.notes, latest.model_version, latest.checkpoint.uuid), ("best", "of May", 1, self.uuids[-1]))
        self.assertEqual([each.name for each in self.determined.list_models(name="SEA")], ["sea ships"])
        self.assertEqual(self.determined.get_model_labels(), ["boats", "vision"])
        model.archive()
        with self.assertRaisesRegex(errors.APIException, "is archived and cannot register new versions"):
            model.register_version(self.uuids[-1])
        model.unarchive()
        self.assertEqual([each.model_version for each in found.list_versions()], [1])
        latest.delete()
        self.assertIsNone(found.get_version())
        model.delete()
        with self.assertRaises(errors.NotFoundException):
            self.determined.get_model("sea ships")

    def test_both_command_lines_print_the_same(self):
        det("model", "create", "ships", "--description", "finds ships")
        det("model", "register-version", "ships", self.uuids[-1])
        for command in (["list"], ["list", "--json"], ["describe", "ships"], ["describe", "ships", "--json"], ["describe", "ships", "--version", 1],
                        ["list-versions", "ships"], ["list-versions", "ships", "--json"], ["list", "-w", "nowhere"]):
            with self.subTest(command=command):
                theirs, mine = det("model", *command), ours("model", *command)
                if "--json" in command:
                    self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
                else:
                    self.assertEqual(mine.out, theirs.out)
        for command in (["describe", "nothing"], ["create", "ships"], ["create", "12"], ["describe", "ships", "--version", 7]):
            with self.subTest(command=command):
                theirs, mine = det("model", *command, check=False), ours("model", *command, check=False)
                self.assertEqual((mine.code, theirs.code), (1, 1))
                self.assertEqual(mine.err.strip().splitlines()[-1].removesuffix(HINT), theirs.err.strip().splitlines()[-1])
        ours("model", "delete", "ships")
        self.assertEqual(sql("SELECT count(*) FROM models"), [["0"]])

    def test_what_is_registered_stays(self):
        """Neither policies, nor people, nor the deletion of its experiment remove a version's files."""
        first, latest = self.uuids
        ours("model", "create", "ships")
        ours("model", "register-version", "ships", latest)
        refused = det("checkpoint", "delete", latest, "--yes", check=False)
        self.assertIn("in the model registry and cannot be deleted: [" + latest + "]", refused.all)
        refused = det("e", "delete", self.experiment, "--yes", check=False)
        self.assertIn('has checkpoints in the model registry: "ships" version 1', refused.all)
        det("e", "set", "gc-policy", self.experiment, "--save-experiment-best", 0, "--save-trial-best", 0, "--save-trial-latest", 0, "--yes")
        wait_for("the other one is removed", lambda: sql(f"SELECT state FROM checkpoints WHERE uuid = '{first}'") == [["DELETED"]])
        wait_for("the policy is carried out", lambda: sql(f"SELECT collection FROM experiments WHERE id = {self.experiment}") == [["DONE"]])
        self.assertEqual(sql(f"SELECT state FROM checkpoints WHERE uuid = '{latest}'"), [["COMPLETED"]])
        self.assertEqual(sql("SELECT count(*) FROM removals r JOIN removal_checkpoints c ON c.removal_id = r.id "
                             f"WHERE c.uuid = '{latest}'"), [["0"]])
        with tempfile.TemporaryDirectory() as folder:
            self.determined.get_model("ships").get_version().checkpoint.download(path=folder + "/files")
            self.assertTrue((pathlib.Path(folder) / "files" / "metadata.json").exists())


if __name__ == "__main__":
    unittest.main()
