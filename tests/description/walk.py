"""The description of the API against a det-operator local, by schemathesis: run scripts/schemathesis.sh.

It asks as an administrator, in three ways: by values at the edges, by random ones, and along links between routes. Passwords and the
end of the own session are left out."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local  # noqa: E402

CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance", "response_headers_conformance")
# What is not served answers 501, and the description says so.
CONFIG = '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", "501"]\n'
LEFT_OUT = "logout|/password"
FAULTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:")


def testable(document):
    """Without the forms of streams: those are lines, each a document of its own, and OpenAPI has no way to say so."""
    for operations in document["paths"].values():
        for operation in operations.values():
            done = operation.get("responses", {}).get("200", {}) if isinstance(operation, dict) else {}
            if done.get("description", "").startswith("A stream of lines"):
                done["content"] = {"application/json": {}}
    return document


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--schemathesis", required=True)
    options.add_argument("--seconds", type=int, required=True)
    options.add_argument("--out", type=pathlib.Path, required=True)
    options = options.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    os.environ["ASAN_OPTIONS"] = "detect_leaks=1"
    os.environ["LSAN_OPTIONS"] = f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0"
    local = Local(slots=2)
    local.start()
    document = testable(local.rest("GET", "/api/v1/openapi.json").json)
    (options.out / "openapi.json").write_text(json.dumps(document))
    (options.out / "schemathesis.toml").write_text(CONFIG)
    command = [options.schemathesis, "run", "openapi.json", "--url", local.url, "-H", "Authorization: Bearer " + local.token("admin"), "--max-time",
               str(options.seconds), "-c", ",".join(CHECKS), "--continue-on-failure", "--request-timeout", "30", "--no-shrink",
               "--suppress-health-check", "all", "--warnings", "off", "--exclude-path-regex", LEFT_OUT]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    done = subprocess.run(command, cwd=options.out, env=environment, check=False)
    lives = local.process.poll() is None
    ended = local.stop()
    log = local.log()
    (options.out / "server.log").write_text(log)
    faults = [fault for fault in FAULTS if fault in log]
    print(f"schemathesis ended with {done.returncode}; the server {'lived' if lives else 'died'} and ended with {ended}; faults in its log: {faults or 'none'}")
    if not faults:
        local.remove()
    sys.exit(0 if done.returncode == 0 and lives and ended == 0 and not faults else 1)


if __name__ == "__main__":
    main()
