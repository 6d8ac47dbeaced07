"""A websocket client (RFC 6455) that says what a test tells it to: text messages of less than 64 KiB out, whole messages in."""

import base64
import json
import os
import socket
import struct

from waiting import PATIENCE


class Closed(Exception):
    """The server ended it: status and reason of its Close, or 0 where it only hung up."""

    def __init__(self, status, reason=""):
        super().__init__(status, reason)
        self.status, self.reason = status, reason


class WebSocket:
    """`status`: of the answer, 101 for an open one; `head`: all of it."""

    def __init__(self, port, path, headers=(), timeout=PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", *headers]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.read_more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        self.status = int(self.head.split(" ")[1])

    def read_more(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed(0)
        self.rest += data

    def take(self, size):
        while len(self.rest) < size:
            self.read_more()
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def send_frame(self, opcode, payload, is_masked=True):
        size = len(payload)
        head = bytes([0x80 | opcode, (0x80 if is_masked else 0) | (size if size < 126 else 126)]) + (struct.pack(">H", size) if size >= 126 else b"")
        self.socket.sendall(head + (bytes(4) if is_masked else b"") + payload)

    def send(self, message):
        self.send_frame(1, json.dumps(message).encode())

    def receive(self):
        """The next message, as JSON."""
        while True:
            opcode, size = self.take(2)
            if size >= 126:
                size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
            payload = self.take(size)
            if opcode & 15 == 1:
                return json.loads(payload)
            if opcode & 15 == 8:
                raise Closed(int.from_bytes(payload[:2], "big"), payload[2:].decode())

    def close(self):
        self.socket.close()
