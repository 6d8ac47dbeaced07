"""Webhooks with the real package's bindings, real experiments, and a receiver of our own."""

import hashlib
import hmac
import http.server
import json
import re
import threading
import unittest
import warnings

from determined.common.api import authentication, bindings, errors

from stack import ROOT, SETTINGS, det, sql, stack, wait_for

CORE_API = ROOT / "examples" / "core_api"


class Receiver(http.server.ThreadingHTTPServer):
    """What was posted, by path. `answers`: statuses to give, 200 when there are no more."""

    def __init__(self):
        self.got, self.answers = [], []
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.got.append((self.path, dict(self.headers), body))
            self.send_response(self.server.answers.pop(0) if self.server.answers else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def bodies(self, path):
        return [json.loads(body) for at, _, body in self.got if at == path]


class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.receiver = Receiver()
        cls.addClassCleanup(cls.receiver.shutdown)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.session = authentication.login(SETTINGS["DET_MASTER"], "admin", "")

    def make(self, path, trigger, condition, form="DEFAULT", mode="WORKSPACE", name=""):
        made = bindings.post_PostWebhook(self.session, body=bindings.v1Webhook(
            url=self.receiver.url(path), webhookType=bindings.v1WebhookType[form], mode=bindings.v1WebhookMode[mode], name=name, workspaceId=None,
            triggers=[bindings.v1Trigger(triggerType=bindings.v1TriggerType[trigger], condition=condition)])).webhook
        self.addCleanup(bindings.delete_DeleteWebhook, self.session, id=made.id)
        return made

    def experiment(self, *config):
        said = det("e", "create", "const.yaml", ".", "-f", *[word for each in config for word in ("--config", each)], cwd=CORE_API, check=False).out
        return int(re.search(r"Created experiment (\d+)", said).group(1))

    def test_states_of_experiments_reach_both_forms_signed_and_again_after_a_failure(self):
        self.receiver.answers = [503]
        made = self.make("/state", "EXPERIMENT_STATE_CHANGE", {"state": "COMPLETED"})
        self.make("/slack", "EXPERIMENT_STATE_CHANGE", {"state": "COMPLETED"}, form="SLACK")
        experiment = self.experiment("hyperparameters.reports=1")
        wait_for("both are told", lambda: self.receiver.bodies("/slack") and self.receiver.bodies("/state") and
                 len(self.receiver.bodies("/slack")) + len(self.receiver.bodies("/state")) >= 3)
        said = self.receiver.bodies("/state")[-1]
        self.assertEqual((said["event_type"], said["event_data"]["experiment"]["id"]), ("EXPERIMENT_STATE_CHANGE", experiment))
        slack = self.receiver.bodies("/slack")[-1]
        self.assertEqual(slack["blocks"], [{"type": "section", "text": {"type": "plain_text", "text": "Your experiment completed successfully 🎉"}}])
        self.assertEqual(slack["attachments"][0]["blocks"][0]["fields"][0], {"type": "mrkdwn", "text": "*Status*: Completed"})
        _, headers, body = self.receiver.got[-1]
        message = headers["X-Determined-AI-Signature-Timestamp"].encode() + b"," + body
        self.assertEqual(headers["X-Determined-AI-Signature"], hmac.new(b"of-tests", message, hashlib.sha256).hexdigest())
        deliveries = wait_for("it is written down", lambda: [
            each for each in self.session.get(f"api/v1/webhooks/{made.id}/deliveries").json()["deliveries"] if each["state"] == "DELIVERED"])
        self.assertNotIn("127.0.0.1", json.dumps(deliveries))

    def test_what_waits_is_told_after_a_kill(self):
        self.receiver.answers = [503, 503]
        self.make("/killed", "EXPERIMENT_STATE_CHANGE", {"state": "COMPLETED"})
        self.experiment("hyperparameters.reports=1")
        wait_for("an attempt was made", lambda: self.receiver.bodies("/killed"))
        stack("restart", "operator", "--kill")
        wait_for("it has arrived", lambda: not self.receiver.answers and len(self.receiver.bodies("/killed")) >= 3)
        self.assertEqual(len({body["event_id"] for body in self.receiver.bodies("/killed")}), 1)

    def test_lines_of_logs_are_told_once(self):
        told = self.make("/log", "TASK_LOG", {"regex": "resources? (exited|started)|steps"})
        silent = self.make("/none", "TASK_LOG", {"regex": "this should not match"})
        self.experiment("hyperparameters.reports=1", "entrypoint=echo 10 steps; echo 20 steps; python3 train.py")
        said = wait_for("it is told", lambda: self.receiver.bodies("/log"))
        self.assertEqual(said[0]["event_type"], "TASK_LOG")
        self.assertIn("steps", said[0]["event_data"]["task_log"]["triggering_log"])
        # All of its log is there. What is to be sent is written with the line that it is about.
        written = lambda made: self.session.get(f"api/v1/webhooks/{made.id}/deliveries").json()["deliveries"]
        self.assertEqual((len(written(told)), written(silent)), (1, []))
        self.assertEqual((len(self.receiver.bodies("/log")), self.receiver.bodies("/none")), (1, []))

    def test_training_code_tells_webhooks_that_its_experiment_names(self):
        with self.assertRaises(errors.APIException):
            self.make("/custom", "CUSTOM", {}, name="mine")
        self.make("/custom", "CUSTOM", {}, mode="SPECIFIC", name="mine")
        experiment = self.experiment("hyperparameters.reports=1", "integrations.webhooks.webhook_name=['mine']")
        bindings.post_PostWebhookEventData(self.session, body=bindings.v1PostWebhookEventDataRequest(
            experimentId=experiment, data=bindings.v1CustomWebhookEventData(level=bindings.v1LogLevel.DEBUG, title="end of main", description="d")))
        said = wait_for("it is told", lambda: self.receiver.bodies("/custom"))
        self.assertEqual(said[0]["event_data"]["custom_data"], {"level": "DEBUG", "title": "end of main", "description": "d"})

    def test_the_url_is_changed_and_tried(self):
        made = self.make("/before", "EXPERIMENT_STATE_CHANGE", {"state": "ERROR"})
        bindings.patch_PatchWebhook(self.session, body=bindings.v1PatchWebhook(url=self.receiver.url("/after")), id=made.id)
        bindings.post_TestWebhook(self.session, id=made.id)
        self.assertEqual(self.receiver.bodies("/after")[0]["event_data"], {"data": "test"})
        self.assertEqual([hook.url for hook in bindings.get_GetWebhooks(self.session).webhooks if hook.id == made.id], [self.receiver.url("/after")])
        self.assertEqual(sql(f"SELECT count(*) FROM webhook_deliveries WHERE webhook_id = {made.id}"), [["0"]])


if __name__ == "__main__":
    unittest.main()
