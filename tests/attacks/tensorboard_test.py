"""TensorBoards over other people's experiments, and searches that ask for more than a server can hold."""

import base64
import json
import unittest
import uuid

from server import setup
from waiting import wait_for

server = setup(globals())
OBJECTS = "/apis/det-operator.dev/v1alpha1/namespaces/default/"
KEY = "alices-very-secret-key"
STORED = {"checkpoint_storage": {"type": "s3", "bucket": "ships", "access_key": "alice", "secret_key": KEY}}
NESTED = '{"a":' + "[" * 1_000_000 + "]" * 1_000_000 + "}"


class TensorBoards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.alice, cls.mallory = server.user("alice"), server.user("mallory")
        cls.alices = server.create(cls.alice, STORED)
        # The later one: its image would be the TensorBoard's.
        cls.mallorys = server.create(cls.mallory, {"environment": {"image": "mallory/reader:1"}, "checkpoint_storage": {
            "type": "s3", "bucket": "ships", "access_key": "mallory", "secret_key": "other"}})

    def start(self, experiments, **config):
        return server.http("POST", "/api/v1/tensorboards", self.mallory, {"experimentIds": experiments, "config": config})

    def pod_of(self, task):
        """The pod's image, and what its Secrets hold."""
        pods = lambda: [pod for pod in server.kube("GET", "/api/v1/namespaces/default/pods").json["items"] if task in json.dumps(pod)]
        pod = wait_for("the TensorBoard has a pod", pods)[0]
        named = json.dumps(pod["spec"])
        held = [base64.b64decode(value).decode() for secret in server.kube("GET", "/api/v1/namespaces/default/secrets").json["items"]
                if secret["metadata"]["name"] in named for value in secret.get("data", {}).values()]
        return {container["image"] for container in pod["spec"]["containers"]}, "\n".join(held)

    def test_a_list_of_millions_is_looked_up(self):
        """a620492: there were no TensorBoards (a later commit, never released: one query each, in one of four turns that all creations share).
        now: 400 for more than 1,000 ids."""
        for name in ("trialIds", "experimentIds"):
            answer = server.http("POST", "/api/v1/tensorboards", self.mallory, {name: [1] * 100_000})
            self.assertEqual(answer.status, 400, answer)
            self.assertIn(f"{name}: expected a list of at most 1000 numbers", answer.error)

    def test_programs_of_ones_own_get_no_keys_of_another_owners_storage(self):
        """a620492: there were no TensorBoards.
        now: 400 that names the field: who chooses a pod's programs reads what it holds."""
        chosen = {"environment": [{"image": "mallory/reader:1"}, {"environment_variables": ["PATH=/tmp"]},
                                  {"pod_spec": {"spec": {"containers": [{"name": "spy", "image": "mallory/reader:1"}]}}}],
                  "bind_mounts": [[{"host_path": "/tmp", "container_path": "/tmp"}]]}
        for name, values in chosen.items():
            for value in values:
                with self.subTest(value=value):
                    answer = self.start([self.alices], **{name: value})
                    self.assertEqual(answer.status, 400, answer)
                    self.assertIn(name, answer.error)
                    self.assertIn("runs the cluster's programs only", answer.error)

    def test_a_signature_in_an_address_is_a_key_too(self):
        """a620492: there were no TensorBoards (a later commit, never released: an image of one's own read the address with it).
        now: 400, as for other keys."""
        address = "https://ships.blob.core.windows.net?sv=2024&sig=alices-signature"
        number = server.create(self.alice, {"checkpoint_storage": {"type": "azure", "container": "ships", "account_url": address}})
        answer = self.start([number], environment={"image": "mallory/reader:1"})
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("runs the cluster's programs only", answer.error)

    def test_the_image_of_ones_own_experiment_gets_no_keys_of_another_owners_storage(self):
        """a620492: there were no TensorBoards (a later commit, never released: the image of the latest experiment ran with the keys of all).
        now: the cluster's own image runs; alone, one's own experiment gets its image, and its own keys."""
        both = self.start([self.alices, self.mallorys])
        self.assertEqual(both.status, 200, both)
        self.assertNotIn(KEY, both.text)
        images, _ = self.pod_of(both.json["tensorboard"]["id"])
        self.assertNotIn("mallory/reader:1", images)
        alone = self.start([self.mallorys])
        self.assertEqual(alone.status, 200, alone)
        images, held = self.pod_of(alone.json["tensorboard"]["id"])
        self.assertIn("mallory/reader:1", images)
        self.assertIn("other", held)
        self.assertNotIn(KEY, held)


class Searches(unittest.TestCase):
    def tearDown(self):
        self.assertIsNone(server.process.poll(), server.log()[-2000:])

    def test_hyperparameters_of_any_depth_end_nobodys_server(self):
        """a620492: any depth was taken; as its source reads, copying a million levels leaves no stack, and the server is gone for everybody.
        now: 400 that names the field and the depth."""
        mallory = server.user("mallory")
        number = server.create(mallory, {"searcher": {"name": "custom", "metric": "loss"}}, activate=True)
        events = f"/api/v1/experiments/{number}/searcher_events"
        event = wait_for("the search asks", lambda: server.http("GET", events, mallory).json["searcherEvents"])[0]["id"]
        create = {"createTrial": {"requestId": str(uuid.uuid4()), "hyperparams": NESTED}}
        answer = server.http("POST", f"/api/v1/experiments/{number}/searcher_operations", mallory,
                             {"searcherOperations": [create], "triggeredByEvent": {"id": event}})
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("nests objects and lists more than 100 deep", answer.error)
        self.assertLess(len(answer.text), 1000)

    def test_answers_of_megabytes_make_no_replay_of_gigabytes(self):
        """a620492: answers of 8 MiB were taken, whatever they said, and up to 2,000 of them were in memory at once when the log was read again.
        now: 413 beyond 2 MiB, 400 for hyperparameters that no program could get, and the log is read by the megabyte."""
        mallory = server.user("mallory")
        number = server.create(mallory, {"resources": {"slots_per_trial": 64},
                                         "searcher": {"name": "custom", "metric": "loss", "unit": "batches"}}, activate=True)
        path = f"/api/v1/experiments/{number}"
        waiting = lambda: [event["id"] for event in server.http("GET", f"{path}/searcher_events", mallory).json["searcherEvents"]]
        answer = lambda event, operations: server.http("POST", f"{path}/searcher_operations", mallory,
                                                       {"searcherOperations": operations, "triggeredByEvent": {"id": event}})
        creates = lambda ids, size: [{"createTrial": {"requestId": each, "hyperparams": {"a": "x" * size}}} for each in ids]
        first = wait_for("the search asks", waiting)[0]
        self.assertEqual(answer(first, creates([str(uuid.uuid4())] * 30, 100_000)).status, 413)
        self.assertEqual(answer(first, creates([str(uuid.uuid4())], 200_000)).status, 400)
        ids = [str(uuid.uuid4()) for _ in range(30)]
        self.assertEqual(answer(first, creates(ids, 10)).status, 200)
        wait_for("it tells of its trials", lambda: len(waiting()) >= 30)
        before = server.resident()
        for event in waiting()[:30]:
            self.assertEqual(answer(event, creates(ids[:19], 100_000)).status, 200)  # trials that there are: no effect
        wait_for("all are taken", lambda: not server.sql(f"SELECT 1 FROM searcher_inbox WHERE experiment_id = {number}"))
        self.assertEqual(server.http("GET", f"{path}/searcher/replay?limit=1", mallory).status, 200)
        self.assertLess(server.resident() - before, 150)

    def test_a_search_that_is_widened_to_a_billion_leaves_the_others_their_server(self):
        """a620492: as its source reads, a billion trials were made in one step: no memory, and the same again at every start.
        now: trials come in steps, and at most 2,000 of a search are open."""
        number = server.create(server.user("mallory"), {"resources": {"slots_per_trial": 64}, "searcher": {
            "name": "random", "metric": "loss", "max_trials": 1_000_000_000, "max_concurrent_trials": 1}}, activate=True)
        count = lambda: int(server.sql(f"SELECT count(*) FROM trials WHERE experiment_id = {number}")[0][0])
        wait_for("it has a trial", count)
        wider = {"spec": {"config": {"searcher": {"max_concurrent_trials": 1_000_000_000}}}}
        changed = server.kube("PATCH", f"{OBJECTS}experiments/exp-{number}", wider, "application/merge-patch+json")
        self.assertEqual(changed.status, 200, changed)
        wait_for(lambda: f"it is widened: {count()}", lambda: count() >= 2_000)
        self.assertEqual(server.http("GET", "/api/v1/me", server.user("alice")).status, 200)
        self.assertLess(server.resident(), 1000)
        server.kill(server.admin(), number)
        self.assertLessEqual(count(), 2_000)


if __name__ == "__main__":
    unittest.main()
