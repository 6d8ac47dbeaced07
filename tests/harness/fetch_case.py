"""What the tests of fetch_code.py have in common: a repository, and the server that settles a commit."""

import json
import os
import subprocess

from shipper_case import HARNESS, PYTHON, ShipperCase

ALLOCATION = "1.a.1"


def git(folder, *arguments):
    env = dict(os.environ, GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@t", GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@t", GIT_CONFIG_NOSYSTEM="1", HOME=str(folder))
    return subprocess.run(["git", "-C", str(folder)] + list(arguments), env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode().strip()


class FetchCase(ShipperCase):
    """fetch_code.py against a repository in a folder, and a server that settles commits as the real one does."""

    def setUp(self):
        super().setUp()
        self.pin = ""
        self.server.answer = self.answer
        self.server.start()
        self.origin = self.folder / "origin"
        self.origin.mkdir()
        git(self.origin, "init", "--quiet", "-b", "main")
        self.first = self.commit({"train.py": "print(1)\n", "src/deep/model.py": "one\n"})
        self.work = self.folder / "work"
        self.work.mkdir()
        self.message = self.folder / "termination-log"

    def answer(self, method, path, body):
        self.assertEqual(path, "/api/v1/allocations/%s/code_commit" % ALLOCATION)
        if method == "POST" and not self.pin:
            self.pin = body["commit"]
        return {"commit": self.pin}

    def commit(self, files):
        for name, text in files.items():
            (self.origin / name).parent.mkdir(parents=True, exist_ok=True)
            (self.origin / name).write_text(text)
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "--quiet", "-m", "x")
        return git(self.origin, "rev-parse", "HEAD")

    def fetch(self, source, **env):
        process = subprocess.run(
            [PYTHON, "-B", str(HARNESS / "fetch_code.py")], cwd=str(self.work), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
            env=self.environment(DET_CODE_SOURCE=json.dumps(source), DET_ALLOCATION_ID=ALLOCATION, DET_TERMINATION_LOG=str(self.message), **env))
        return process.returncode, process.stdout.decode(), process.stderr.decode()

    def of_git(self, **more):
        return {"git": dict({"url": "file://%s" % self.origin}, **more)}

    def files(self):
        return {str(p.relative_to(self.work)): p.read_text() for p in self.work.rglob("*") if p.is_file()}

    def refused(self, source, *words, **env):
        code, _, err = self.fetch(source, **env)
        self.assertEqual(code, 1, err)
        for word in words:
            self.assertIn(word, err)
            self.assertIn(word, self.message.read_text())
        self.assertEqual(self.files(), {})
        return err
