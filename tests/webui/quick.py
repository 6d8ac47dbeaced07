"""Pretends to train in no time, without the harness's library: three reports over REST."""

import json
import os
import time
import urllib.error
import urllib.request

for step in (1, 2, 3):
    loss = json.loads(os.environ["DET_HPARAMS"])["lr"] / step
    body = {"trialId": int(os.environ["DET_TRIAL_ID"]), "trialRunId": int(os.environ["DET_TRIAL_RUN_ID"]), "stepsCompleted": step,
            "metrics": {"avgMetrics": {"validation_loss": loss}}}
    request = urllib.request.Request(f"{os.environ['DET_MASTER']}/api/v1/trials/{body['trialId']}/metrics", json.dumps({"metrics": body, "group": "validation"}).encode(),
                                     {"Authorization": f"Bearer {os.environ['DET_SESSION_TOKEN']}"})
    while True:
        try:
            urllib.request.urlopen(request).read()
            break
        except OSError as away:
            if isinstance(away, urllib.error.HTTPError):
                raise
            time.sleep(0.5)  # the tests kill the server
