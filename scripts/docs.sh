#!/usr/bin/env bash
# Builds the site of docs/ with mkdocs, to be read from a folder or any web server, without the internet: docs.sh [--out DIR] [--check]
#   --out DIR   where it goes (build/site)
#   --check     builds it into a folder that is removed again; a warning, a link or anchor that leads nowhere, anything that would be
#               fetched from elsewhere, and a misspelled word are errors
# Ends with 77, and a line that says why, where the packages (scripts/docs-constraints.txt) are not here and the index cannot be reached.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$det_root"

out=build/site check=0
while [ $# -gt 0 ]; do
  case $1 in
    --out) [ $# -gt 1 ] || die "--out needs a folder"; out=$2; shift ;;
    --check) check=1 ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) die "unknown argument '$1'; usage: docs.sh [--out DIR] [--check]" ;;
  esac
  shift
done

"$det_root/scripts/install-deps.sh" tools
work=$(mktemp -d "${TMPDIR:-/tmp}/det-docs.XXXXXX")
trap 'rm -rf "$work"' EXIT
export PIP_RETRIES=1 PIP_DEFAULT_TIMEOUT=15
# Not within a condition, where bash goes on after a failure.
set +e
venv=$(set -e; pinned_env venv-docs docs-constraints.txt mkdocs-material codespell 2> "$work/pip.log")
code=$?
set -e
if [ "$code" != 0 ]; then
  cat "$work/pip.log" >&2
  if grep -qE 'NewConnectionError|Timeout|ProxyError|name resolution|Connection (refused|reset|to )' "$work/pip.log"; then
    echo "Not run: the package index cannot be reached, and mkdocs is not in $det_cache/venv-docs"
    exit 77
  fi
  die "the packages of scripts/docs-constraints.txt could not be installed"
fi

[ "$check" = 0 ] || out=$work/site
export NO_MKDOCS_2_WARNING=1 # who looks after the generator: docs/development.md
# With --quiet it would not count warnings.
"$venv/bin/mkdocs" build --strict --site-dir "$(realpath -m "$out")" > "$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; die "the site could not be built"; }
if [ "$check" = 0 ]; then
  say "open $(realpath "$out")/index.html"
  exit 0
fi
"$venv/bin/python" scripts/docs/check_site.py "$out"
"$venv/bin/codespell" --ignore-words scripts/docs/words.txt docs README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md examples/*.md examples/*/*.md
echo "spelling: no misspelled word"
