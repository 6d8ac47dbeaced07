"""A wheel of a stand-in for the package `determined`, served the way the operator serves its own."""

import functools
import http.server
import threading
import zipfile


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def distribution(folder, name, version):
    """A package of one module as pip installs it, which says its version."""
    folder.mkdir(exist_ok=True)
    info = folder / ("%s-%s.dist-info" % (name, version))
    info.mkdir()
    (folder / (name + ".py")).write_text("version = %r\n" % version)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version))
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    (info / "INSTALLER").write_text("pip\n")
    (info / "RECORD").write_text("".join("%s,,\n" % path.relative_to(folder) for path in (folder / (name + ".py"), info / "METADATA", info / "RECORD")))
    return folder


def serve_wheel(case, site, version="0.38.1", needs=(), beside=None):
    """`site` is the folder that has the package; the server ends with the test `case`. The address of the folder of wheels. `beside`: the
    (name, version) of another one."""
    folder = case.folder / "wheels"
    folder.mkdir()
    if beside:
        name = "%s-%s" % beside
        with zipfile.ZipFile(str(folder / (name + "-py3-none-any.whl")), "w") as wheel:
            made = distribution(case.folder / "beside", *beside)
            for path in sorted(made.rglob("*")):
                if path.is_file() and path.name != "INSTALLER":
                    wheel.write(str(path), str(path.relative_to(made)))
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
