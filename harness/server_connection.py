"""One kept connection from a task to the server, with what the task's environment says about it. For one thread."""

import http.client
import os
import socket
import urllib.parse

# Milliseconds until a connection whose peer acknowledges nothing is given up: what stands between may have forgotten it, and a new one
# would do at once. A server that is merely slow acknowledges. (The number is Linux's, for Pythons that do not name it.)
_MOST_UNACKNOWLEDGED = 10000
_TCP_USER_TIMEOUT = getattr(socket, "TCP_USER_TIMEOUT", 18)


class Server:
    def __init__(self, url, token, cert_file=None, cert_name=None):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("DET_MASTER is %r; http://HOST:PORT or https://HOST:PORT is needed" % url)
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._headers = {
            "Content-Type": "application/json",
            "Grpc-Metadata-x-allocation-token": "Bearer " + token,
        }
        self._context = _tls_context(cert_file) if parts.scheme == "https" else None
        self._cert_file, self._cert_name = cert_file, cert_name
        self._connection = None

    def request(self, method, path, body, timeout):
        """Returns (status, seconds that the server asks to wait, body). Raises OSError or HTTPException without an answer."""
        try:
            if self._connection is None:
                self._connection = self._connect(timeout)
            self._connection.sock.settimeout(timeout)
            self._connection.request(method, self._prefix + path, body, self._headers)
            response = self._connection.getresponse()
            answer = response.read()
            if response.will_close:
                self.close()
            return response.status, _seconds(response.getheader("Retry-After")), answer
        except Exception:
            self.close()
            raise

    def post(self, path, body, timeout):
        return self.request("POST", path, body, timeout)[:2]

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self, timeout):
        connection = http.client.HTTPConnection(self._host, self._port or (443 if self._context else 80), timeout=timeout)
        connection.connect()
        try:
            connection.sock.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, _MOST_UNACKNOWLEDGED)
        except OSError:
            pass
        if self._context:
            self._read_certificates_anew()
            # HTTPSConnection cannot check for another name than the one it dials.
            name = self._cert_name or self._host
            connection.sock = self._context.wrap_socket(connection.sock, server_hostname=name)
        return connection


    def _read_certificates_anew(self):
        # A file of a Secret changes when the server's certificate is renewed, and this process outlives that.
        if self._cert_file:
            try:
                self._context = _tls_context(self._cert_file)
            except ValueError:
                pass  # as it was, until the file is whole


def server_of(environ):
    """The server of this task; ValueError names the variable that is missing or wrong."""
    for name in ("DET_MASTER", "DET_SESSION_TOKEN"):
        if not environ.get(name):
            raise ValueError("the environment variable %s is not set" % name)
    return Server(
        environ["DET_MASTER"],
        environ["DET_SESSION_TOKEN"],
        environ.get("DET_MASTER_CERT_FILE"),
        environ.get("DET_MASTER_CERT_NAME"),
    )


def _tls_context(cert_file):
    import ssl  # here, because an image without it can still reach a server by http

    if cert_file and cert_file.lower() == "noverify":
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    try:
        context = ssl.create_default_context(cafile=cert_file or None)
        # Who signed it, where its Secret says so (as entrypoint.sh does for the training).
        authority = os.path.join(os.path.dirname(cert_file or ""), "ca.crt")
        if (cert_file or "").endswith("/master.crt") and os.path.exists(authority) and os.path.getsize(authority) > 0:
            context.load_verify_locations(cafile=authority)
    except OSError as error:  # ssl.SSLError is one
        raise ValueError("DET_MASTER_CERT_FILE: the certificates of %s cannot be used: %s" % (cert_file, error))
    # The file may have the server's certificate and not the one that signed it.
    context.verify_flags |= getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0x80000)
    return context


def _seconds(text):
    try:
        return min(float(text), 30.0) if text else 0.0
    except ValueError:
        return 0.0
