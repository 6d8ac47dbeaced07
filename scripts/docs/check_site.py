"""Looks at a built site as a browser would: check_site.py DIR. Every link and anchor of every page leads somewhere, pictures are there,
and nothing is fetched from elsewhere. Prints what it counted; ends with 1 when something is wrong or nothing was found."""

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser

# Of each element the attribute that makes a browser fetch something.
FETCHES = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
# Of these links nothing is fetched to show the page.
QUIET = {"canonical", "next", "prev", "alternate", "edit"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        has = {name: value or "" for name, value in attributes}
        self.anchors.update(has[name] for name in ("id", "name") if has.get(name))
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        wanted = FETCHES.get(tag)
        if wanted and has.get(wanted) and not (tag == "link" and has.get("rel") in QUIET):
            self.fetched.append(has[wanted])


def read(folder):
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        page = Page()
        page.feed(path.read_text())
        pages[path] = page
    return pages


def target(path, link):
    """(file, anchor) of a link of a page; None: it leads out of the site."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
    return file / "index.html" if file.is_dir() else file, urllib.parse.unquote(parts.fragment)


def faults(folder, pages):
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in page.links + page.fetched:
            found = target(path, link)
            if found is None:
                continue
            file, anchor = found
            if not file.is_file():
                yield f"{name}: {link} is not there"
            elif anchor and file in pages and anchor not in pages[file].anchors | {"__search", "__comments"}:
                yield f"{name}: {link}: the page has no such anchor"
        for link in page.fetched:
            if target(path, link) is None and not link.startswith("data:"):
                yield f"{name}: {link} is fetched from elsewhere"
    for path in folder.rglob("*.css"):
        if "@import" in path.read_text() or "url(http" in path.read_text():
            yield f"{path.relative_to(folder)}: fetches from elsewhere"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = read(folder)
    found = list(faults(folder, pages))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"links: {sum(len(page.links) for page in pages.values())} on {len(pages)} pages, {len(found)} wrong")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
