#!/usr/bin/env bash
# Builds the programs into build/bin and the web page into build/ui: build.sh [CMAKE_TARGET...]. Installs what is missing first. Compiled objects are kept by
# ccache in the cache folder, so that a second clean build takes seconds.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

configure() { cmake --preset release > "$det_root/build/configure.log" 2>&1 || { cat "$det_root/build/configure.log" >&2; exit 1; }; }
compile() { cmake --build --preset release ${1:+--target "$@"} >&2; }

cd "$det_root"
mkdir -p "$CCACHE_DIR" build
phase packages scripts/install-deps.sh build
phase configure configure
phase compile compile "$@"
if [ -d webui ]; then phase page scripts/web-page.sh; fi
phase_summary
find build/bin -maxdepth 1 -type f -perm -u+x 2>/dev/null | sort || true
