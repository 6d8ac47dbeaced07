"""The cluster's DNS for a real node: cluster_dns.py --state DIR --address IP. Answers A queries for NAME.NAMESPACE.svc.cluster.local with
what the API server says at that moment: a Service's address, or the addresses behind a headless one. Nothing else has a name here."""

import argparse
import json
import pathlib
import socketserver
import ssl
import struct
import urllib.error
import urllib.request

DOMAIN = ["svc", "cluster", "local"]
A, NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 1, 0, 2, 3
TTL = 1


class Api:
    def __init__(self, state):
        self.url = (state / "conf" / "url").read_text().strip()
        self.tls = ssl.create_default_context(cafile=state / "pki" / "ca.crt")
        self.tls.load_cert_chain(state / "pki" / "admin.crt", state / "pki" / "admin.key")

    def get(self, path):
        """The object, or None where there is none."""
        try:
            with urllib.request.urlopen(self.url + path, context=self.tls, timeout=5) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def addresses(self, name, namespace):
        """None where no such Service is."""
        service = self.get(f"/api/v1/namespaces/{namespace}/services/{name}")
        if service is None:
            return None
        address = service["spec"].get("clusterIP")
        if address and address != "None":
            return [address]
        slices = self.get(f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices?labelSelector=kubernetes.io/service-name%3D{name}")
        return [ip for one in slices["items"] for end in one["endpoints"] or [] if end["conditions"].get("ready") for ip in end["addresses"]]


def question_of(packet):
    """(labels, type, end of the question)."""
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode().lower())
        at += 1 + packet[at]
    return labels, struct.unpack_from("!H", packet, at + 1)[0], at + 5


def answer_to(packet, api):
    labels, kind, end = question_of(packet)
    code, found = NO_SUCH_NAME, []
    try:
        addresses = api.addresses(*labels[:2]) if labels[2:] == DOMAIN else None
        if addresses is not None:
            code, found = NO_ERROR, addresses if kind == A else []
    except OSError:
        code = SERVER_FAILURE
    flags = 0x8580 | code  # an authoritative answer, recursion available
    head = packet[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0)
    records = b"".join(struct.pack("!HHHIH4B", 0xC00C, A, 1, TTL, 4, *map(int, ip.split("."))) for ip in found)
    return head + packet[12:end] + records


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        packet, listener = self.request
        listener.sendto(answer_to(packet, self.server.api), self.client_address)


class Server(socketserver.ThreadingUDPServer):
    daemon_threads = True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=pathlib.Path, required=True)
    parser.add_argument("--address", required=True)
    arguments = parser.parse_args()
    with Server((arguments.address, 53), Handler) as server:
        server.api = Api(arguments.state)
        server.serve_forever()


if __name__ == "__main__":
    main()
