"""The node of these tests: says of each pod that it runs, lets a fake harness be its program, and removes what was deleted."""

import asyncio
import base64
import contextlib
import json

from http_wire import Connection, Refused, body_pieces

PODS = "/api/v1/namespaces/default/pods"
SECRETS = "/api/v1/namespaces/default/secrets"
MERGE = "application/merge-patch+json"
NODE = "chaos-node"
ROOM = {"cpu": "512", "memory": "4Ti", "pods": "1000", "nvidia.com/gpu": "512"}


class FakeKubelet:
    """`connect()` makes a Connection to the API; `program(env)` is a coroutine function whose result is the exit code."""

    def __init__(self, connect, program):
        self.connect = connect
        self.program = program
        self.running = {}  # uid -> task
        self.ips = 0

    @contextlib.asynccontextmanager
    async def link(self):
        """A connection for some calls, of its own: an idle one may have been lost to a fault."""
        link = self.connect()
        try:
            yield link
        finally:
            link.close()

    async def register(self):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": {"kubernetes.io/hostname": NODE}}}
        status = {"capacity": ROOM, "allocatable": ROOM, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}
        async with self.link() as link:
            await link.call("POST", "/api/v1/nodes", node)
            await link.call("PATCH", f"/api/v1/nodes/{NODE}/status", {"status": status}, MERGE)

    async def run(self):
        while True:
            link = self.connect()
            try:
                listed = await link.call("GET", PODS)
                for pod in listed["items"]:
                    self.look(pod)
                version = listed["metadata"]["resourceVersion"]
                _, headers = await link.send("GET", f"{PODS}?watch=true&resourceVersion={version}&timeoutSeconds=300")
                rest = b""
                async for _, data in body_pieces(link.reader, headers):
                    *lines, rest = (rest + data).split(b"\n")
                    for line in filter(None, lines):
                        event = json.loads(line)
                        if event["type"] in ("ADDED", "MODIFIED"):
                            self.look(event["object"])
            except (OSError, EOFError, Refused):
                await asyncio.sleep(0.2)
            finally:
                link.close()

    def look(self, pod):
        meta = pod["metadata"]
        if pod["spec"].get("nodeName") != NODE:
            return
        uid = meta["uid"]
        if "deletionTimestamp" in meta:
            if uid in self.running:
                self.running[uid].cancel()
            asyncio.ensure_future(self.remove(meta["name"], uid))
        elif uid not in self.running and pod.get("status", {}).get("phase", "Pending") == "Pending":
            self.ips += 1
            self.running[uid] = asyncio.ensure_future(self.run_pod(pod, f"10.{self.ips >> 16}.{self.ips >> 8 & 255}.{self.ips & 255}"))

    async def remove(self, name, uid):
        try:
            async with self.link() as link:
                await link.call("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0", {"preconditions": {"uid": uid}, "gracePeriodSeconds": 0})
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    async def run_pod(self, pod, ip):
        try:
            async with self.link() as link:
                env = await self.environment(link, pod)
                await self.started(link, pod, ip)
            code = await self.program(env)
            async with self.link() as link:
                await self.report(link, pod, {"phase": "Succeeded" if code == 0 else "Failed"},
                                  {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}})
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    async def started(self, link, pod, ip):
        await self.report(link, pod, {"phase": "Running", "podIP": ip}, {"running": {"startedAt": pod["metadata"]["creationTimestamp"]}})

    async def report(self, link, pod, status, state):
        name = pod["spec"]["containers"][0]["name"]
        container = {"name": name, "image": "fake", "imageID": "", "ready": "running" in state, "restartCount": 0, "state": state}
        patch = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": {**status, "containerStatuses": [container]}}
        await link.call("PATCH", f"{PODS}/{pod['metadata']['name']}/status", patch, MERGE)

    async def environment(self, link, pod):
        """Of the first container, whose Secrets are there already or never will be; "file:NAME" is a file of a mounted one."""
        container = pod["spec"]["containers"][0]
        env = {}
        for volume in pod["spec"].get("volumes", []):
            if name := volume.get("secret", {}).get("secretName"):
                secret = await link.call("GET", f"{SECRETS}/{name}")
                env |= {f"file:{key}": base64.b64decode(value).decode() for key, value in secret["data"].items()}
        for source in container.get("envFrom", []):
            secret = await link.call("GET", f"{SECRETS}/{source['secretRef']['name']}")
            env |= {name: base64.b64decode(value).decode() for name, value in secret["data"].items()}
        return env | {each["name"]: each["value"] for each in container.get("env", []) if "value" in each}
