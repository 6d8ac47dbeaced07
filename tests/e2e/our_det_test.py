"""Our det against our server, and beside the real one: what users see must be the same. DET_BIN names the program
(default build/bin/det)."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from stack import ENV, ROOT, api, det as real_det, kubectl, run, sql, stack, status_of, wait_for

DET_BIN = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
CORE_API = ROOT / "examples" / "core_api"


def det(*args, **options):
    return run(DET_BIN, *args, **options)


def created(answer):
    return int(re.search(r"Created experiment (\d+)", answer.out).group(1))


@unittest.skipUnless(DET_BIN.exists(), f"{DET_BIN} is not built")
class OurCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.followed = det("experiment", "create", "const.yaml", ".", "-f", cwd=CORE_API, timeout=330)
        cls.number = created(cls.followed)
        cls.trial = int(sql(f"SELECT id FROM trials WHERE experiment_id = {cls.number}")[0][0])

    def state(self, number):
        return api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]

    def long_one(self):
        number = created(det("e", "create", "const.yaml", ".", "--config", "hyperparameters.reports=2000", "--config",
                             "hyperparameters.sleep=0.2", cwd=CORE_API))
        wait_for("a running trial", lambda: self.state(number) == "STATE_RUNNING")
        return number

    def test_create_says_the_words_that_users_know(self):
        lines = self.followed.out.splitlines()
        self.assertRegex(lines[0], r"^Preparing files \(.*/core_api\) to send to master\.\.\. \d+\.\dKB and \d+ files$")
        self.assertEqual(lines[1], f"Created experiment {self.number}")
        self.assertIn("resources exited successfully", self.followed.out)
        after = lines[lines.index(f"Trial log stream ended. To reopen log stream, run: det trial logs -f {self.trial}") + 1:]
        self.assertEqual(after[0], f"Experiment {self.number} completed")
        self.assertRegex(after[1], rf"^Best [a-z_]+: [0-9.e-]+, of trial {self.trial}$")
        self.assertRegex(after[2], r"^Its checkpoint: ([0-9a-f-]{36}); 'det checkpoint download \1' fetches it$")
        self.assertEqual(len(after), 3)

    def test_downloads_the_files_that_the_real_one_downloads(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            self.assertEqual(det("trial", "download", self.trial, "--best", "-o", top / "ours", "-q").out.strip(), str(top / "ours"))
            uuid = json.loads(det("t", "describe", self.trial, "--json").out)["trial"]["bestCheckpoint"]["uuid"]
            real_det("checkpoint", "download", uuid, "-o", top / "theirs")
            files = lambda below: {path.relative_to(below): path.read_bytes() for path in below.rglob("*") if path.is_file()}
            self.assertEqual(files(top / "ours"), files(top / "theirs"))

    def test_what_it_prints_is_what_the_real_one_prints(self):
        number, trial = self.number, self.trial
        checkpoint = api("GET", f"/api/v1/experiments/{number}/checkpoints")["checkpoints"][0]["uuid"]
        # What earlier tests let go of comes to rest first: both are to print the same state of things.
        busy = "SELECT id FROM experiments WHERE end_time IS NULL AND state <> 'PAUSED' UNION SELECT trial_id FROM allocations WHERE ended_at IS NULL"
        wait_for(lambda: f"nothing changes any more: {sql(busy)}", lambda: sql(busy) == [])
        for command in (["e", "list"], ["e", "list", "-a", "--show_project"], ["e", "list", "--csv"], ["e", "describe", number],
                        ["e", "describe", number, "--metrics"], ["e", "describe", number, "--metrics", "--csv"], ["e", "lt", number],
                        ["e", "lc", number], ["e", "lc", number, "--best", 1, "--csv"], ["e", "logs", number], ["t", "logs", trial, "--tail", 3],
                        ["t", "logs", trial, "--head", 2], ["t", "describe", trial], ["t", "describe", trial, "--metrics"],
                        ["c", "describe", checkpoint],
                        ["u", "list"], ["u", "whoami"], ["e", "wait", number], ["preview-search", CORE_API / "const.yaml"]):
            with self.subTest(command=command):
                ours, theirs = det(*command), real_det(*command)
                if "--csv" in command or "logs" in command:
                    self.assertEqual(ours.out, theirs.out)
                    continue
                # For people ours have shorter numbers, and a last column more where there is a best value.
                ours, theirs = self.cells(ours.out), self.cells(theirs.out)
                self.assertEqual(len(ours), len(theirs))
                for mine, line in zip(ours, theirs):
                    self.assertEqual(mine[:len(line)], line)
                    self.assertLessEqual(len(mine), len(line) + 1)

    def cells(self, text):
        short = lambda found: f"{float(found[0]):.4g}"
        return [[re.sub(r"-+", "-", re.sub(r"\d+\.\d+(e-?\d+)?", short, cell)).strip() for cell in re.split(r"[|+]", line)] for line in text.splitlines()]

    def test_errors_are_those_of_the_real_one(self):
        for command in (["e", "describe", 99999], ["e", "pause", self.number], ["e", "logs", 99999], ["t", "describe", 99999],
                        ["e", "set", "name", self.number, " "], ["e", "wait", 99999]):
            with self.subTest(command=command):
                ours, theirs = det(*command, check=False), real_det(*command, check=False)
                said = re.sub("; 'det [^']*' shows those that there are$", "", ours.err, flags=re.MULTILINE)  # ours alone does
                self.assertEqual((ours.code, said), (theirs.code, theirs.err))

    def test_both_share_the_token_file(self):
        det("user", "logout")
        self.assertEqual(real_det("user", "whoami").out, "You are logged in as user 'determined'\n")
        self.assertEqual(det("user", "whoami").err, "", "the token that the real one stored is taken: no login, no warning")

    def test_pause_activate_kill_and_wait(self):
        number = self.long_one()
        self.assertEqual(det("e", "pause", number).out, f"Paused experiment {number}\n")
        wait_for("paused", lambda: self.state(number) == "STATE_PAUSED")
        self.assertEqual(det("e", "wait", number, check=False).code, 1)
        self.assertEqual(det("e", "activate", number).out, f"Activated experiment {number}\n")
        wait_for("running again", lambda: self.state(number) == "STATE_RUNNING")
        self.assertEqual(det("e", "kill", number).out, f"Killed experiment {number}\n")
        ended = det("e", "wait", number, "--polling-interval", 1, check=False)
        self.assertEqual((ended.code, ended.err), (1, f"Experiment {number} ended as CANCELED\n"))

    def test_killing_the_trial_ends_the_experiment(self):
        number = self.long_one()
        trial = sql(f"SELECT id FROM trials WHERE experiment_id = {number}")[0][0]
        self.assertEqual(det("t", "kill", trial).out, f"Killed trial {trial}\n")
        self.assertEqual(det("e", "wait", number, "--polling-interval", 1, check=False).code, 1)

    def test_ctrl_c_leaves_the_experiment_running_and_says_so(self):
        process = subprocess.Popen([DET_BIN, "e", "create", "const.yaml", ".", "-f", "--config", "hyperparameters.reports=2000",
                                    "--config", "hyperparameters.sleep=0.2"], cwd=CORE_API, env=ENV, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stdout:
            if line.startswith("Following first trial"):
                break
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
        number = int(re.search(r"Experiment (\d+) goes on without this command", err).group(1))
        self.assertEqual(process.returncode, 3)
        self.assertNotIn(self.state(number), ("STATE_CANCELED", "STATE_ERROR"))
        det("e", "kill", number)

    def test_following_survives_a_restart_of_the_operator(self):
        process = subprocess.Popen([DET_BIN, "e", "create", "const.yaml", ".", "-f", "--config", "hyperparameters.reports=150",
                                    "--config", "hyperparameters.sleep=0.2"], cwd=CORE_API, env=ENV, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "steps_completed=5," in line:
                break
        stack("restart", "operator")
        lines += process.stdout.readlines()  # communicate() would lose what is buffered already
        err = process.stderr.read()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=300), 0, err)
        self.assertIn("Lost the log stream", err)
        steps = [int(step) for step in re.findall(r"report_training_metrics\(steps_completed=(\d+),", "".join(lines))]
        self.assertEqual(steps, list(range(1, 151)))

    def test_model_code_comes_back_and_detignore_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in {"train.py": "print(1)\n", "data/big": "x", ".detignore": "data/\n", "sub/a.txt": "a"}.items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(text)
            number = created(det("e", "create", CORE_API / "const.yaml", folder, "--paused"))
            det("e", "download-model-def", number, "--output-dir", folder)
            names = run("tar", "tzf", folder / f"experiment_{number}_model_def.tgz").out.splitlines()
            self.assertEqual(sorted(name.rstrip("/") for name in names), ["sub", "sub/a.txt", "train.py"])
            det("e", "kill", number)

    def test_labels_names_archive_and_delete(self):
        number = created(det("e", "create", "const.yaml", ".", "--paused", cwd=CORE_API))
        det("e", "label", "add", number, "user")
        det("e", "set", "name", number, "renamed")
        det("e", "set", "description", number, "described")
        def described():
            experiment = api("GET", f"/api/v1/experiments/{number}")["experiment"]
            return experiment["name"], experiment["description"], "user" in experiment["labels"]
        wait_for(lambda: f"it is as it was told to be: {described()}", lambda: described() == ("renamed", "described", True))
        self.assertIn("is not in terminal state", det("e", "delete", number, "--yes", check=False).err)
        det("e", "kill", number)
        det("e", "wait", number, "--polling-interval", 1, check=False)
        det("e", "archive", number)
        self.assertNotIn("renamed", det("e", "list").out)
        det("e", "unarchive", number)
        self.assertIn("renamed", det("e", "list").out)
        self.assertEqual(det("e", "delete", number, "--yes").out, f"Deletion of experiment {number} is in progress\n")
        wait_for("its rows are gone", lambda: sql(f"SELECT 1 FROM experiments WHERE id = {number}") == [])
        wait_for("the object gone", lambda: kubectl("get", "experiment", f"exp-{number}", check=False).code != 0)

    def test_the_printed_object_can_be_applied(self):
        text = det("e", "create", "const.yaml", ".", "--dry-run", "-o", "yaml", "--config", "name=from-dry-run", cwd=CORE_API).out
        kubectl("apply", "-f", "-", stdin=text)
        wait_for("completed", lambda: status_of("experiment", "from-dry-run").get("state") == "COMPLETED")

    def test_users(self):
        admin = {"DET_USER": "admin", "DET_PASS": ""}
        ann = f"ann-{os.getpid()}"  # the stack may have seen this test before
        with tempfile.TemporaryDirectory() as home:
            environment = {**ENV, **admin, "XDG_CONFIG_HOME": home}
            made = subprocess.run([DET_BIN, "user", "create", ann, "--password", "Abcdefg1"], env=environment, capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            again = subprocess.run([DET_BIN, "user", "create", ann, "--password", "Abcdefg1"], env=environment, capture_output=True, text=True)
            self.assertEqual(again.returncode, 1)
            self.assertIn(ann, again.stderr)
            login = subprocess.run([DET_BIN, "user", "login", ann], input="Abcdefg1\n", env={**ENV, "XDG_CONFIG_HOME": home},
                                   capture_output=True, text=True)
            self.assertEqual(login.returncode, 0, login.stderr)
            who = subprocess.run([DET_BIN, "user", "whoami"], env={**ENV, "XDG_CONFIG_HOME": home}, capture_output=True, text=True)
            self.assertEqual(who.stdout, f"You are logged in as user '{ann}'\n")
            changed = subprocess.run([DET_BIN, "user", "change-password"], input="Bcdefgh2\nBcdefgh2\n",
                                     env={**ENV, "XDG_CONFIG_HOME": home}, capture_output=True, text=True)
            self.assertEqual(changed.returncode, 0, changed.stderr)
            self.assertIn(ann, det("user", "list").out)


if __name__ == "__main__":
    unittest.main()
