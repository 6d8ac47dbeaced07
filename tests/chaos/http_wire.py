"""As much of HTTP/1.1 as a proxy and two clients on one event loop need."""

import asyncio
import json


class Refused(Exception):
    """An answer other than 2xx."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text[:300]}")
        self.status = status
        self.text = text


async def read_head(reader):
    """(the bytes, first line, headers by lower-case name)."""
    raw = await reader.readuntil(b"\r\n\r\n")
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return raw, first, headers


async def body_pieces(reader, headers):
    """Pairs (bytes as they came, content) until the body's end; a watch is one piece a chunk."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while True:
            line = await reader.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            data = await reader.readexactly(size + 2)
            yield line + data, data[:-2]
            if size == 0:
                return
    elif int(headers.get("content-length", 0)) > 0:
        data = await reader.readexactly(int(headers["content-length"]))
        yield data, data


async def whole_body(reader, headers):
    """(bytes as they came, content)."""
    raw, content = [], []
    async for as_sent, data in body_pieces(reader, headers):
        raw.append(as_sent)
        content.append(data)
    return b"".join(raw), b"".join(content)


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class Connection:
    """One connection of a client; one call at a time. Reconnects for the next call when it was lost."""

    def __init__(self, host, port, headers, tls=None):
        self.host, self.port, self.headers, self.tls = host, port, headers, tls
        self.reader = self.writer = None

    async def send(self, method, path, body=None, content_type="application/json"):
        """The answer's status and headers; its body is still to be read. Raises OSError and EOFError when the connection is lost."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls, limit=1 << 24)
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Content-Length: {len(data)}"]
        if data:
            lines.append(f"Content-Type: {content_type}")
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await self.writer.drain()
        _, first, headers = await read_head(self.reader)
        return int(first.split(" ")[1]), headers

    async def call(self, method, path, body=None, content_type="application/json"):
        """The answer's JSON. Raises Refused; OSError and EOFError when the connection is lost, which says nothing about what was done."""
        try:
            status, headers = await self.send(method, path, body, content_type)
            _, content = await whole_body(self.reader, headers)
        except BaseException:
            self.close()
            raise
        if headers.get("connection", "").lower() == "close":
            self.close()
        if not 200 <= status < 300:
            raise Refused(status, content.decode(errors="replace"))
        return json.loads(content or b"{}")

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None
