"""For mkdocs: the site also has what the pages link to outside of docs/ (examples, CHANGELOG.md ...), and their links fit the site's folders."""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
HOME = "README.md"
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s]+)(?=\))")


def on_files(files, config):
    beside = [ROOT / name for name in PAGES] + sorted(path for path in (ROOT / "examples").rglob("*") if path.is_file())
    for path in beside:
        if "__pycache__" not in path.parts:
            files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    return files


def place(page):
    """Where a page of the site is in the repository."""
    return page if page in PAGES or page.startswith("examples/") else "docs/" + page


def page_of(path):
    """Where a file of the repository is in the site."""
    if path == HOME:
        return HOME
    if (ROOT / path).is_dir():
        path = posixpath.join(path, HOME)
    return path.removeprefix("docs/")


def on_page_markdown(markdown, page, **_):
    own = page.file.src_uri
    if page.parent is None:
        page.meta["hide"] = ["navigation"]  # a list with itself in it

    def fit(link):
        path, mark, anchor = link[1].partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place(own)), path))
        return posixpath.relpath(page_of(target), posixpath.dirname(own) or ".") + mark + anchor

    return LINK.sub(fit, markdown)


def on_post_page(output, page, **_):
    """The theme would fetch what makes searching work in a folder from elsewhere; ours is beside the pages."""
    worker = posixpath.relpath("assets/worker.js", posixpath.dirname(page.url) or ".")
    return output.replace("https://unpkg.com/iframe-worker/shim", worker)


def on_post_build(config):
    # For web servers, with addresses that count from the server's root: of no use in a folder.
    (pathlib.Path(config.site_dir) / "404.html").unlink(missing_ok=True)
