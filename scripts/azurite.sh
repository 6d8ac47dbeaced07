#!/usr/bin/env bash
# Installs azurite, a server of Azure's Blob Storage, from the package index of Node into the cache, pinned: what it needs itself is what
# there was on that day. Prints its program; nothing where there is no Node 20.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

azurite_version=3.35.0 # later ones ask for Node 22
azurite_day=2026-11-20

install_azurite() {
  local folder=$1 stamp=$1/.det-operator.stamp want="$azurite_version $azurite_day"
  stamped "$stamp" "$want" && return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  npm_config_cache=$det_cache/npm npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --before="$azurite_day" \
    "azurite@$azurite_version" >&2
  printf '%s' "$want" > "$stamp"
}

have npm && node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || exit 0
locked azurite install_azurite "$det_cache/azurite"
printf '%s\n' "$det_cache/azurite/node_modules/.bin/azurite-blob"
