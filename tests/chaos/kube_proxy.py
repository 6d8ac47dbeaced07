"""Between det-operator and the Kubernetes API: passes on what is asked, and spoils it by the weather. All on one event loop."""

import asyncio
import collections
import dataclasses
import json
import random

from http_wire import body_pieces, chunk, read_head, whole_body


@dataclasses.dataclass
class Weather:
    is_cut: bool = False         # connections are lost, new ones too
    lost_answers: float = 0.0    # share of requests that are done, but never answered
    busy: float = 0.0            # share of requests that are answered 429
    is_gone: bool = False        # watches are answered 410
    delay: float = 0.0           # most seconds that a request waits


def status_object(code, reason, message):
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": reason, "message": message, "code": code}


GONE = status_object(410, "Expired", "too old resource version: 1 (chaos)")
BUSY = status_object(429, "TooManyRequests", "too many requests, please try again later (chaos)")


def answer(code, phrase, body, *headers):
    data = json.dumps(body).encode()
    lines = [f"HTTP/1.1 {code} {phrase}", "Content-Type: application/json", f"Content-Length: {len(data)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + data


class KubeProxy:
    """Plain HTTP towards the operator, TLS towards the API server. `injected` counts what was really spoilt."""

    def __init__(self, host, port, tls, seed):
        self.upstream = (host, port, tls)
        self.random = random.Random(seed)
        self.weather = Weather()
        self.injected = collections.Counter()
        self.links = set()
        self.watches = {}  # the copying task of an open watch -> nothing
        self.server = None

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 24)
        return self.server.sockets[0].getsockname()[1]

    def change(self, weather):
        self.weather = weather
        if weather.is_cut:
            for link in list(self.links):
                self.injected["cut"] += 1
                link.transport.abort()
        if weather.is_gone:
            for task in list(self.watches):
                self.injected["watch 410"] += 1
                task.cancel()

    async def serve(self, reader, writer):
        if self.weather.is_cut:
            self.injected["refused"] += 1
            writer.transport.abort()
            return
        self.links.add(writer)
        upstream = []
        try:
            while await self.one_request(reader, writer, upstream):
                pass
        except (OSError, EOFError, ValueError):
            pass
        finally:
            self.links.discard(writer)
            writer.transport.abort()
            drop(upstream)

    async def one_request(self, reader, writer, upstream):
        raw, first, headers = await read_head(reader)
        body, _ = await whole_body(reader, headers)
        target = first.split(" ")[1]
        is_watch = "watch=1" in target or "watch=true" in target
        if self.weather.delay:
            await asyncio.sleep(self.random.uniform(0, self.weather.delay))
        if self.random.random() < self.weather.busy:
            self.injected["429"] += 1
            writer.write(answer(429, "Too Many Requests", BUSY, "Retry-After: 1"))
            return True
        if self.weather.is_gone and is_watch:
            self.injected["watch 410"] += 1
            writer.write(answer(410, "Gone", GONE))
            return True
        loses = not is_watch and self.random.random() < self.weather.lost_answers
        answered = await self.pass_on(raw + body, upstream)
        raw, _, headers = answered
        if loses:
            await whole_body(upstream[0], headers)
            self.injected["lost answer"] += 1
            return False
        writer.write(raw)
        if is_watch:
            return await self.copy_watch(writer, upstream, headers)
        async for as_sent, _ in body_pieces(upstream[0], headers):
            writer.write(as_sent)
        await writer.drain()
        return True

    async def pass_on(self, request, upstream):
        if not upstream:
            host, port, tls = self.upstream
            upstream.extend(await asyncio.open_connection(host, port, ssl=tls, limit=1 << 24))
        upstream[1].write(request)
        return await read_head(upstream[0])

    async def copy_watch(self, writer, upstream, headers):
        """Until the watch ends, or the weather ends it with an event of 410."""

        async def copy():
            async for as_sent, _ in body_pieces(upstream[0], headers):
                writer.write(as_sent)
                await writer.drain()

        task = asyncio.ensure_future(copy())
        self.watches[task] = None
        try:
            await task
            return True
        except asyncio.CancelledError:
            if not self.weather.is_gone:
                raise
            writer.write(chunk(json.dumps({"type": "ERROR", "object": GONE}).encode() + b"\n") + b"0\r\n\r\n")
            drop(upstream)
            return True
        finally:
            del self.watches[task]
            task.cancel()


def drop(upstream):
    if upstream:
        upstream[1].transport.abort()
    upstream.clear()
