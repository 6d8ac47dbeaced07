"""A wheel of a stand-in for the package `determined`, served the way the operator serves its own."""

import functools
import http.server
import threading
import zipfile


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def serve_wheel(case, site, version="0.38.1", needs=()):
    """`site` is the folder that has the package; the server ends with the test `case`. The address of the folder of wheels."""
    folder = case.folder / "wheels"
    folder.mkdir()
    info = "determined-%s.dist-info/" % version
    metadata = ["Metadata-Version: 2.1", "Name: determined", "Version: " + version] + ["Requires-Dist: " + each for each in needs]
    with zipfile.ZipFile(str(folder / ("determined-%s-py3-none-any.whl" % version)), "w") as wheel:
        for path in sorted(site.rglob("*.py")):
            wheel.write(str(path), str(path.relative_to(site)))
        wheel.writestr(info + "METADATA", "\n".join(metadata) + "\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\ndet = determined.exec.prep_container:det\n")
        wheel.writestr(info + "RECORD", "")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    case.addCleanup(server.server_close)
    case.addCleanup(server.shutdown)
    return "http://127.0.0.1:%d/" % server.server_port
