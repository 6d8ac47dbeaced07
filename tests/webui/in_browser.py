"""What the browser tests have in common: a det-operator local of their own, and node running a script of this folder against it."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local, wait_for  # noqa: E402, F401


class InBrowser(unittest.TestCase):
    slots = 2

    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=cls.slots)
        cls.local.start("--blank-passwords", *cls.arguments())
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        cls.token = cls.local.rest("POST", "/api/v1/auth/login", {"username": "determined", "password": ""}).json["token"]

    @classmethod
    def arguments(cls):
        """More of det-operator local."""
        return []

    def post(self, path, body, token=None):
        answer = self.local.rest("POST", path, body, token or self.token)
        self.assertEqual(answer.status, 200, f"{path}: {answer}")
        return answer.json

    def play(self, script, variable, facts):
        """`facts` reach the script as JSON in an environment variable of that name."""
        ran = subprocess.run([shutil.which("node"), "--test", script], cwd=ROOT / "tests" / "webui", capture_output=True, text=True, timeout=2400,
                             env={**os.environ, "DET_SERVER": self.local.url, variable: json.dumps(facts)}, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout[-8000:] + ran.stderr[-2000:])
