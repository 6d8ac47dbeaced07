"""Boots a trial with the real `determined` package in a sandbox that looks like its pod, against a fake master."""

import json
import os
import pathlib
import shutil
import unittest

from fake_master import FakeMaster
from shipper_case import HARNESS, VENV, ShipperCase

_EXAMPLE = HARNESS.parent / "examples" / "core_api" / "train.py"
_CONFIG = {
    "entrypoint": "python3 train.py",
    "checkpoint_storage": {"type": "shared_fs", "host_path": "/checkpoints"},
    "searcher": {"name": "single", "metric": "validation_loss", "smaller_is_better": True},
    "environment": {"registry_auth": None},
}
# A session of ssh has the variables that stand in authorized_keys, and no others.
_SESSION = """
import os, re, subprocess, sys
key = "session.pub"
open(key, "w").write("ssh-ed25519 AAAA")
line = subprocess.check_output([sys.executable, "/run/determined/harness/authorized_keys.py", key]).decode()
environ = dict(found.split("=", 1) for found in re.findall(r'environment="((?:[^"\\\\]|\\\\.)*)"', line))
os.execve(sys.executable, [sys.executable, "train.py"], dict(environ, HOME=os.getcwd()))
"""
_TRAIN = """
import determined as det
with det.core.init() as context:
    context.train.report_training_metrics(steps_completed=1, metrics={"loss": 1.0})
    print("trained as", det.get_cluster_info().task_type)
"""


@unittest.skipUnless(VENV.is_dir(), "%s is missing: run scripts/train-env.sh" % VENV)
@unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is missing: run scripts/install-deps.sh run")
class RealHarness(ShipperCase):
    def run_trial(self, master, **env):
        self.server = master.start()
        self.addCleanup(master.close)
        for name in ("run", "storage", "tmp"):
            (self.folder / name).mkdir(exist_ok=True)
        (self.folder / "run" / "workdir").mkdir(exist_ok=True)
        binds = {"run": "/run/determined", "storage": "/determined_shared_fs", "tmp": "/tmp"}
        argv = ["bwrap", "--unshare-pid", "--as-pid-1", "--proc", "/proc", "--dev", "/dev", "--ro-bind", str(VENV), str(VENV)]
        for path in ("/usr", "/bin", "/lib", "/lib64", "/etc"):
            argv += ["--ro-bind-try", path, path]
        for name, target in binds.items():
            argv += ["--bind", str(self.folder / name), target]
        argv += ["--ro-bind", str(HARNESS), "/run/determined/harness", "--chdir", "/run/determined/workdir"]
        variables = dict(
            PATH="%s/bin:/usr/bin:/bin" % VENV,
            HOME="/run/determined/workdir",
            TMPDIR="/tmp",
            DET_CLUSTER_ID="c",
            DET_SLOT_IDS="[0]",
            DET_TASK_ID="1.a",
            DET_ALLOCATION_ID="1.a.1",
            DET_TASK_TYPE="TRIAL",
            DET_USER="determined",
            DET_USER_TOKEN="token-2",
            DET_RESOURCES_ID="r",
            DET_RESOURCES_TYPE="docker-container",
            DET_TRIAL_ID="1",
            DET_EXPERIMENT_ID="1",
            DET_TRIAL_RUN_ID="1",
            DET_TRIAL_SEED="5",
            DET_STEPS_COMPLETED="0",
            DET_EXPERIMENT_CONFIG=json.dumps(_CONFIG),
            DET_HPARAMS=json.dumps({"reports": 6, "sleep": 0}),
            DET_SEGMENT_ENABLED="false",
        )
        process = self.start_program([*argv, "/bin/sh", "/run/determined/harness/start.sh"], **dict(variables, **env))
        code, _, err = self.finish(process)
        return code, "".join(master.lines()) + err

    def master(self, **options):
        return FakeMaster({"train.py": _EXAMPLE.read_text()}, **options)

    def test_trains_the_example_and_reports_everything_once(self):
        master = self.master()
        code, log = self.run_trial(master)
        self.assertEqual(code, 0, log)
        self.assertEqual(master.metrics("training"), [(step, {"loss": 1.0 / step}) for step in range(1, 7)])
        self.assertEqual(master.metrics("validation"), [(6, {"validation_loss": 1.0 / 6})])
        self.assertEqual([c["metadata"]["steps_completed"] for c in master.checkpoints()], [6])

    def test_leaves_with_a_checkpoint_when_preempted_and_goes_on_from_it(self):
        first = self.master(preempt_after=1)
        code, log = self.run_trial(first, DET_HPARAMS=json.dumps({"reports": 600, "sleep": 0.05}))
        self.assertEqual(code, 0, log)
        self.assertIn("/api/v1/allocations/1.a.1/signals/ack_preemption", [path for path, _ in first.calls])
        (checkpoint,) = first.checkpoints()
        done = checkpoint["metadata"]["steps_completed"]
        self.assertEqual([step for step, _ in first.metrics("training")], list(range(1, done + 1)))

        shutil.rmtree(str(self.folder / "run"))
        second = self.master()
        hparams = json.dumps({"reports": done + 2, "sleep": 0})
        code, log = self.run_trial(
            second, DET_LATEST_CHECKPOINT=checkpoint["uuid"], DET_STEPS_COMPLETED=str(done), DET_HPARAMS=hparams
        )
        self.assertEqual(code, 0, log)
        self.assertEqual([step for step, _ in second.metrics("training")], [done + 1, done + 2])

    def test_training_code_can_be_tried_in_a_session_of_ssh(self):
        master = FakeMaster({"train.py": _TRAIN, "session.py": _SESSION})
        code, log = self.run_trial(master, DET_TASK_TYPE="COMMAND", DET_ENTRYPOINT='["python3 session.py"]', DET_TRIAL_ID=None)
        self.assertEqual(code, 0, log)
        self.assertIn("trained as COMMAND", log)

    def test_passes_the_exit_code_of_a_failing_script_and_its_traceback(self):
        code, log = self.run_trial(FakeMaster({"train.py": "raise RuntimeError('no good')\n"}))
        self.assertEqual(code, 1)
        self.assertIn("RuntimeError: no good", log)


if __name__ == "__main__":
    unittest.main()
