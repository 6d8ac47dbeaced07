"""A launcher that starts the ranks of other pods by ssh: the one for Horovod of the real package, with a stand-in for horovodrun that does what
that does: runs the command here for this host, and by ssh for the others."""

import pathlib
import re
import tempfile
import unittest

from stack import det, sql, wait_for

CONFIG = """
name: ssh-launch
entrypoint: PATH=$PWD:$PATH python3 -m determined.launch.horovod python3 train.py
max_restarts: 0
searcher: {name: single, metric: loss}
resources: {slots_per_trial: 2}
environment:
  # Sandboxes have no capabilities: sshd of root could not become its user.
  pod_spec: {spec: {securityContext: {runAsUser: 1000, runAsGroup: 1000}}}
"""
HOROVODRUN = """#!/usr/bin/env python3
import os, shlex, subprocess, sys, time
begin = sys.argv.index("python3")  # argparse of the package may have taken the "--" before it
options, command = sys.argv[1:begin], sys.argv[begin:]
hosts = [each.rpartition(":")[0] for each in options[options.index("-H") + 1].split(",")]
ranks = []
for rank, host in enumerate(hosts):
    env = {**os.environ, "HOROVOD_RANK": str(rank), "HOROVOD_SIZE": str(len(hosts))}
    if rank == 0:
        ranks.append(subprocess.Popen(command, env=env))
        continue
    exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items() if name.isidentifier())
    there = f"cd {shlex.quote(os.getcwd())} >/dev/null 2>&1 ; env {exports} {shlex.join(command)}"
    ranks.append(subprocess.Popen(["ssh", "-o", "PasswordAuthentication=no", "-o", "StrictHostKeyChecking=no",
                                   "-p", options[options.index("-p") + 1], host, there]))
code = max(each.wait() for each in ranks)
time.sleep(2)  # the package's watcher of the ranks takes a launcher that ends with its last one for a failure
sys.exit(code)
"""
TRAIN = """
import os
import determined as det
info = det.get_cluster_info()
print(f"rank {os.environ['HOROVOD_RANK']} of {os.environ['HOROVOD_SIZE']} in container {info.container_rank}", flush=True)
if os.environ["HOROVOD_RANK"] == "0":
    alone = det.core.DummyDistributedContext()
    with det.core.init(distributed=alone) as core_context:
        core_context.train.report_validation_metrics(1, {"loss": 0.5})
"""


class Launch(unittest.TestCase):
    def test_ranks_of_other_pods_start_by_ssh(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for name, text in (("const.yaml", CONFIG), ("horovodrun", HOROVODRUN), ("train.py", TRAIN)):
                (path / name).write_text(text)
            (path / "horovodrun").chmod(0o755)
            experiment = int(re.search(r"Created experiment (\d+)", det("e", "create", path / "const.yaml", path).out).group(1))
        state = lambda: sql(f"SELECT state FROM experiments WHERE id = {experiment}")[0][0]
        wait_for(f"experiment {experiment} ends", lambda: state() in ("COMPLETED", "ERROR", "CANCELED"))
        (trial,) = sql(f"SELECT id FROM trials WHERE experiment_id = {experiment}")[0]
        log = lambda: det("t", "logs", trial).out
        self.assertEqual(state(), "COMPLETED", log())
        for rank in (0, 1):
            wait_for(lambda: log()[-3000:], lambda: f"rank {rank} of 2 in container {rank}" in log())  # noqa: B023
        self.assertEqual(sql(f"SELECT count(*) FROM allocations WHERE trial_id = {trial}"), [["1"]])


if __name__ == "__main__":
    unittest.main()
