"""A newer program starts on what an older one left: the dump of data/VERSION.sql.gz, made by make_old.py with that version, in which a gang
runs, a search is paused, one experiment has finished and one has been continued, and users have blank passwords. Decisions, hashes and
history stay as they were, what was unfinished is finished, and what somebody should do is said."""

import gzip
import json
import pathlib
import pwd
import subprocess
import unittest

from old_data import DATA, HOME, QUESTIONS, answers, load, put_files
from local import Local, wait_for

BINARIES = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Upgrade:
    """A data folder with an older version's database in it, and the program on it."""

    version = None

    @classmethod
    def setUpClass(cls):
        cls.old = load(cls.version)
        cls.local = Local(slots=4, folder=HOME.format(cls.version))
        cls.config = cls.local.folder / "master.yaml"
        cls.config.write_text('{"resource_manager": {"type": "kubernetes", "max_slots_per_pod": 1}}')
        try:
            cls.begin()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def begin(cls):
        cls.local.start("--config", cls.config)
        cls.local.stop()
        cls.restore()
        put_files(cls.local.data / "checkpoints", cls.old["checkpoints"])
        (cls.local.data / "passwords").unlink()  # of the empty start; the old version made none
        cls.local.start("--config", cls.config)
        cls.token = cls.local.token("admin")

    @classmethod
    def restore(cls):
        folder = cls.local.data / "postgres"
        owner = pwd.getpwuid((folder / "data").stat().st_uid).pw_name

        def run(*command, stdin=None):
            return subprocess.run(list(map(str, command)), input=stdin, user=owner, check=True, capture_output=True, cwd="/")

        socket = f"-c listen_addresses= -c unix_socket_directories={folder}"
        run(BINARIES / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "restore.log", "-o", socket, "start")
        try:
            psql = [BINARIES / "psql", f"postgresql://det@/postgres?host={folder}", "-q", "-v", "ON_ERROR_STOP=1"]
            schemas = run(*psql, "-At", "-c", "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'").stdout.split()
            run(*psql, *[part for name in schemas for part in ("-c", f'DROP SCHEMA "{name.decode()}" CASCADE')], "-c", "CREATE SCHEMA public")
            run(*psql, stdin=gzip.decompress((DATA / f"{cls.version}.sql.gz").read_bytes()))
        finally:
            run(BINARIES / "pg_ctl", "-D", folder / "data", "-w", "-m", "fast", "stop")

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def number(self, name):
        return self.old["experiments"][name]

    def state(self, name):
        return self.local.sql(f"SELECT state FROM experiments WHERE id = {self.number(name)}")[0][0]

    def finished(self, name, state="COMPLETED"):
        wait_for(lambda: f"{name} is {self.state(name)}, not {state}\n{self.local.log()[-3000:]}", lambda: self.state(name) == state)

    def decisions(self, name):
        return self.local.sql(f"SELECT seq, event, decisions FROM searcher_events WHERE experiment_id = {self.number(name)} ORDER BY 1")

    # The tests run in the order of their names: what was before anything happens, then what happens.

    def test_1_everything_is_as_it_was(self):
        now = answers(self.local.sql, self.old["settled"])
        for name in QUESTIONS:
            with self.subTest(name):
                self.assertEqual(now[name], self.old["answers"][name])

    def test_2_objects_say_what_they_said(self):
        shown = {item["metadata"]["name"]: item.get("status", {}).get("state") for item in self.local.items("experiments.det-operator.dev")}
        self.assertEqual({name: shown[name] for name in ("finished", "continued", "search")},
                         {"finished": "COMPLETED", "continued": "COMPLETED", "search": "PAUSED"})

    def test_3_blank_passwords_are_replaced_and_it_is_said(self):
        for user in ("admin", "determined", "blank"):
            refused = self.local.rest("POST", "/api/v1/auth/login", {"username": user, "password": "", "isHashed": True})
            self.assertEqual(refused.status, 401, user)
        self.assertIn("users without a password were given one", self.local.log()[self.local.log_before:])
        made = (self.local.data / "passwords").read_text()
        for user in ("admin", "determined", "blank"):
            self.assertIn(user, made)
        self.assertNotIn("ann", made, "she has a password of her own")

    def test_4_the_gang_that_ran_runs_again_and_ends(self):
        self.finished("gang")
        rows = self.local.sql(f"SELECT run, restarts FROM trials WHERE experiment_id = {self.number('gang')}")
        self.assertEqual(rows, [["2", "0"]], "run again for no fault of its own")

    def test_5_the_paused_search_goes_on_with_the_decisions_it_would_have_made(self):
        before = self.decisions("search")
        self.assertGreater(len(before), 4)
        self.assertEqual(self.state("search"), "PAUSED")
        self.assertEqual(self.local.rest("POST", f"/api/v1/experiments/{self.number('search')}/activate", {}, self.token).status, 200)
        self.finished("search")
        after = self.decisions("search")
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(self.local.sql(f"SELECT count(*), count(*) FILTER (WHERE state = 'COMPLETED') FROM trials "
                                        f"WHERE experiment_id = {self.number('search')}"), [["6", "6"]])
        replayed = self.local.rest("GET", f"/api/v1/experiments/{self.number('search')}/searcher/replay", token=self.token)
        last = json.loads(replayed.text.splitlines()[-1]).get("result", {}).get("summary", {})
        self.assertEqual((last.get("isOver"), last.get("decisions", {}).get("create")), (True, 6), replayed.text[-500:])

    def test_6_an_old_experiment_goes_on_from_its_old_checkpoint(self):
        before = self.local.sql(f"SELECT count(*) FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {self.number('finished')}")
        run = f"SELECT run FROM trials WHERE experiment_id = {self.number('finished')}"
        self.assertEqual(self.local.sql(run), [["1"]])
        body = {"id": self.number("finished"), "overrideConfig": "{hyperparameters: {reports: 8}}"}
        self.assertEqual(self.local.rest("POST", "/api/v1/experiments/continue", body, self.token).status, 200)
        # Its state may be the old one again before anybody has looked; the number of its run is not.
        wait_for("it goes on", lambda: self.local.sql(run) != [["1"]])
        self.finished("finished")
        after = self.local.sql(f"SELECT count(*), max(steps) FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {self.number('finished')}")
        self.assertEqual(after, [[str(int(before[0][0]) + 1), "8"]])

    def test_7_what_was_settled_is_still_as_it_was(self):
        number = self.number("continued")
        now = answers(self.local.sql, [number])
        for name, key in (("experiments", "id"), ("trials", "experiment_id"), ("decisions", "experiment_id"), ("checkpoints", "experiment_id")):
            with self.subTest(name):
                self.assertEqual(now[name], [row for row in self.old["answers"][name] if row[key] == number])


class FromA620492(Upgrade, unittest.TestCase):
    """The last version with one token for both of a pod's, blank passwords in local mode, and 9 migrations."""

    version = "a620492"


if __name__ == "__main__":
    unittest.main()
