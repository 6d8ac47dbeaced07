"""What a user who may submit experiments can do to everybody else with them: ever other pods, reports in the wrong order, names as weapons."""

import base64
import gzip
import json
import unittest

from flood_test import flooding
from server import setup, wait_for

server = setup(globals())

EXPERIMENTS = "/apis/det-operator.dev/v1alpha1/namespaces/default/experiments"
HOSTILE = "\x1b]0;owned\x07\r\nFAKE [error] x\u202e"
SECRET = "hunter2-top-secret"


class DryRuns(unittest.TestCase):
    def test_ever_other_pods_leave_the_gate_to_others_too(self):
        """a620492: asked nobody about pods; the first version that asked did so for as many requests at once as came.
        now: four at a time, users take turns: another user's experiment is accepted and gets its trial meanwhile."""
        mallory, alice = server.user("mallory"), server.user("alice")
        made = [0] * 8

        def ask(number):
            made[number] += 1
            pod = {"environment": {"environment_variables": [f"N={number}.{made[number]}"]}}
            answer = server.try_create(mallory, pod, validateOnly=True)
            assert answer.status == 200, answer

        with flooding(ask, len(made)) as wait_for_more:
            for _ in range(3):
                number = server.create(alice, {"resources": {"slots_per_trial": 64}}, activate=True)
                wait_for("it has a trial", lambda: server.sql(f"SELECT 1 FROM trials WHERE experiment_id = {number}"))
                wait_for_more(len(made))
                server.kill(alice, number)


def sparse_entry(name, hole):
    """An old GNU sparse entry: ten bytes behind a hole."""
    octal = lambda value: b"%011o\0" % value
    header = bytearray(512)
    for offset, field in ((0, name.encode()), (100, b"0000644\0"), (124, octal(10)), (136, octal(0)), (148, b" " * 8), (156, b"S"),
                          (257, b"ustar  \0"), (386, octal(hole)), (398, octal(10)), (483, octal(hole + 10))):
        header[offset:offset + len(field)] = field
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"0123456789" + bytes(502)


class ModelCode(unittest.TestCase):
    def test_holes_of_an_archive_take_no_memory(self):
        """a620492: holes of sparse files were filled with zeros and not counted: 30 kB of model code took 8 GB, at each start anew.
        now: they count; the object is refused, as any archive of more than 95 MiB."""
        before = server.resident()
        packed = gzip.compress(b"".join(sparse_entry(f"f{i}", 90 << 20) for i in range(95)) + bytes(1024))
        self.assertLess(len(packed), 40_000)
        config = {"name": "attack", "entrypoint": "sleep 600", "searcher": {"name": "single", "metric": "loss"}}
        made = server.kube("POST", EXPERIMENTS, {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "holes"},
                                                 "spec": {"config": config, "context": {"archive": base64.b64encode(packed).decode()}, "suspend": True}})
        self.assertEqual(made.status, 201, made)
        state = lambda: server.kube("GET", EXPERIMENTS + "/holes").json.get("status", {})
        wait_for("it is refused", lambda: state().get("state") == "REJECTED")
        self.assertIn("archive unpacks to more than", json.dumps(state()["conditions"]))
        self.assertLess(server.resident() - before, 300)


class LateReports(unittest.TestCase):
    def report(self, run, steps):
        metrics = {"trialId": run.trial, "trialRunId": 1, "stepsCompleted": steps, "metrics": {"avgMetrics": {"loss": steps}}}
        answer = server.http("POST", f"/api/v1/trials/{run.trial}/metrics", run.session, {"group": "training", "metrics": metrics})
        self.assertEqual(answer.status, 200, answer)

    def test_reports_that_come_late_on_purpose_hold_up_their_own_trial_only(self):
        """a620492: kept no sums: whoever looked at a trial added up all its reports, as many at once as there were connections to the database.
        now: sums are kept and start over after a late report; one such read at a time, trials take turns: other reports wait for one at most."""
        bad, good = server.waiting_run(server.user("mallory")), server.waiting_run(server.user("alice"))
        self.report(bad, 2)
        server.sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, 2 * i, ARRAY[i] FROM series s, "
                   f"generate_series(2, 20000) i WHERE s.trial_id = {bad.trial}")
        late, most = [1], 0

        def attack(number):
            if number == 0:
                late[0] += 2
                self.report(bad, late[0])
            else:
                self.assertEqual(server.http("GET", f"/api/v1/trials/{bad.trial}", bad.user).status, 200)

        with flooding(attack, 7) as wait_for_more:
            for steps in range(1, 21):
                self.report(good, steps)
                wait_for_more(2)
                most = max(most, int(server.sql("SELECT count(*) FROM pg_locks WHERE relation = 'series_summaries'::regclass "
                                                "AND mode = 'ShareRowExclusiveLock'")[0][0]))
        self.assertLessEqual(most, 1, "so many claimed sums at once")
        shown = server.http("GET", f"/api/v1/trials/{bad.trial}", bad.user).json["trial"]["summaryMetrics"]["avg_metrics"]["loss"]
        self.assertEqual([[str(shown["count"])]], server.sql(f"SELECT count(*) FROM metrics m JOIN series s ON s.id = m.series_id WHERE s.trial_id = {bad.trial}"))


def strings_of(value):
    """All texts in a JSON value, names among them."""
    if isinstance(value, dict):
        return [text for name, held in value.items() for text in [name, *strings_of(held)]]
    if isinstance(value, list):
        return [text for held in value for text in strings_of(held)]
    return [value] if isinstance(value, str) else []


class Names(unittest.TestCase):
    CASES = {
        "searcher": {"searcher": {"name": "custom", "metric": "loss", HOSTILE: SECRET, "B" * 70000: SECRET}},
        "environment": {"environment": {HOSTILE: {"k": SECRET}}},
        "pod": {"environment": {"pod_spec": {"spec": {HOSTILE: SECRET, "C" * 70000: SECRET}}}},
        "hyperparameter": {"hyperparameters": {HOSTILE: {"type": "wrong" + HOSTILE, "val": SECRET}}},
        "many": {f"x{i}" + "y" * 100: SECRET for i in range(3000)},
        "name": {"name": HOSTILE + "N" * 100000},
    }

    def harmless(self, text, most):
        self.assertLessEqual(len(text), most, text[:200])
        self.assertNotIn(SECRET, text)
        for character in "\x1b\x07\r\u202e":
            self.assertNotIn(character, text)

    def test_names_of_fields_do_not_reach_a_terminal_as_they_are(self):
        """a620492: errors, conditions and events had them as they were written, control characters included, and an answer was as long as what
        it quoted.
        now: written as escapes; 16 KiB of an error, 4,000 bytes of a condition, 1,024 of an event; never a value."""
        token, refused = server.user("alice"), 0
        for name, config in self.CASES.items():
            with self.subTest(name):
                answer = server.try_create(token, config, validateOnly=True)
                if answer.status != 200:
                    refused += 1
                    self.harmless(answer.error, 100000)
        self.assertGreaterEqual(refused, 2)

    def test_hostile_objects_get_short_and_plain_conditions_and_events(self):
        """a620492: as above; and the embedded Kubernetes API warned of each unknown field in a header of any length: kubectl read none of them.
        now: warnings as a kube-apiserver cuts them; statuses of a few KiB."""
        plain = {"name": "attack", "entrypoint": "sleep 600", "searcher": {"name": "single", "metric": "loss"}}
        for name, config in self.CASES.items():
            made = server.kube("POST", EXPERIMENTS, {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "hostile-" + name},
                                                     "spec": {"config": {**plain, **config}, "suspend": True}})
            self.assertEqual(made.status, 201, made)
            self.assertLessEqual(sum(map(len, made.headers.get_all("Warning") or [])), 5000)
        looked_at = lambda: [one for one in server.kube("GET", EXPERIMENTS).json["items"]
                             if one["metadata"]["name"].startswith("hostile-") and one.get("status", {}).get("conditions")]
        wait_for("all have conditions", lambda: len(looked_at()) == len(self.CASES))
        for one in looked_at():
            with self.subTest(one["metadata"]["name"]):
                self.harmless("".join(strings_of(one["status"])), 16384)
                for condition in one["status"]["conditions"]:
                    self.harmless(condition["message"], 5000)
        events = lambda: [event for event in server.kube("GET", "/api/v1/namespaces/default/events").json["items"]
                          if event["involvedObject"]["name"].startswith("hostile-")]
        wait_for("those that were refused have events", lambda: len({event["involvedObject"]["name"] for event in events()}) >= 2)
        for event in events():
            self.harmless(event["message"], 1024)
        self.assertFalse([line for line in server.log().splitlines() if line.startswith("FAKE") or "\x1b" in line or SECRET in line])


if __name__ == "__main__":
    unittest.main()
