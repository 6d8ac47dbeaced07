#!/usr/bin/env bash
# Makes the images that run on real-node.sh's node, without a registry, a daemon or a container: node-images.sh [--program build/bin/det-operator]
# Prints the paths of the archives for `real-node.sh up --image`. They are kept in the cache by what they are made from. Needs root (debootstrap).
#   localhost/pause:1       what a pod's namespaces hang on
#   localhost/bare:1        Debian 12 with Python, pip and what `determined` needs, without `determined`
#   localhost/task:1        the same with it; at /opt/harness, so that a test can leave it out
#   localhost/torch:1       the same with torch, Debian's CPU build
#   localhost/postgres:15   PostgreSQL as the chart's image of it is called: POSTGRES_DB, POSTGRES_USER, POSTGRES_PASSWORD, PGDATA, user 999
#   localhost/det-operator:test   the operator's own (with --program)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lib.sh"

program=''
while [ $# -gt 0 ]; do
  case $1 in
    --program) program=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
[ "$(id -u)" = 0 ] || die "this needs root"
python=/usr/bin/python3
folder=$det_cache/node-images

# copy_with_libraries OUT BASE FILE...: files of this machine with the shared libraries that they need, without what is in BASE already.
# `cp --parents` follows no link of the path, so a file that is a link is copied with what it points to.
copy_with_libraries() {
  local out=$1 base=$2 file
  shift 2
  { printf '%s\n' "$@"; { ldd "$@" 2>/dev/null || true; } | awk '$2 == "=>" && $3 ~ /^\// {print $3}'; } | sort -u | while read -r file; do
    case $file in /lib/*) file=/usr$file ;; esac
    [ ! -e "$base$file" ] || continue
    install -D -m "$(stat -Lc %a "$file")" "$file" "$out$file"
  done
}

make_base() {
  debootstrap --variant=minbase --include=python3,python3-pip,ca-certificates bookworm "$1" > "$folder/debootstrap.log" ||
    { tail -5 "$folder/debootstrap.log" >&2; die "debootstrap failed"; }
  rm -rf "$1"/var/cache/apt "$1"/var/lib/apt/lists/* "$1"/usr/share/{doc,man,locale}
}
make_pause() {
  mkdir -p "$1/bin"
  cp /bin/busybox "$1/bin/sleep"
}
make_needs() {
  pip_into "$1/usr/local/lib/python3.11/dist-packages" -c "$det_root/scripts/harness-constraints.txt" "determined==$det_version" tensorboard numpy
  rm -rf "$1"/usr/local/lib/python3.11/dist-packages/determined*
}
make_harness() { pip_into "$1/opt/harness" --no-deps "determined==$det_version"; }
pip_into() {
  local target=$1
  shift
  "$python" -m pip --disable-pip-version-check -q install --root-user-action ignore --no-compile --target "$target" "$@"
}
make_torch() {
  local packages=usr/lib/python3/dist-packages libraries
  mkdir -p "$1/$packages"
  cp -a /$packages/{torch,typing_extensions.py,numpy} "$1/$packages/"
  rm -rf "$1/$packages/torch"/{include,test}
  # Its links to libraries are followed one step: the libraries' own names are what they are looked for by.
  mapfile -t libraries < <(find /$packages/{torch,numpy} -name '*.so*' -type f
    find /$packages/torch/lib -type l -printf '%h/%l\n' |
      { xargs -r -d '\n' realpath --canonicalize-existing --no-symlinks --quiet || true; })
  copy_with_libraries "$1" "$2" "${libraries[@]}"
  # Debian's numpy, which this torch was built with, goes before the other one.
  mkdir -p "$1/opt/torch"
  ln -s ../../$packages/{torch,typing_extensions.py,numpy} "$1/opt/torch/"
}
make_postgres() {
  local programs=/usr/lib/postgresql/15 libraries
  mkdir -p "$1/usr/share/postgresql" "$1/usr/local/bin" "$1/etc" "$1$programs/lib"
  cp -a /usr/share/postgresql/15 "$1/usr/share/postgresql/"
  find $programs/lib -maxdepth 1 -name '*.so' ! -name 'llvmjit*' -exec cp -a {} "$1$programs/lib/" \;
  mapfile -t libraries < <(find "$1$programs/lib" -name '*.so' | sed "s|^$1||")
  copy_with_libraries "$1" "$2" $programs/bin/{postgres,initdb,pg_isready,psql} "${libraries[@]}"
  install -m 755 "$here/postgres-entrypoint.sh" "$1/usr/local/bin/"
  { cat "$2/etc/passwd"; echo 'postgres:x:999:999::/tmp:/bin/sh'; } > "$1/etc/passwd"
  { cat "$2/etc/group"; echo 'postgres:x:999:'; } > "$1/etc/group"
}

# layer NAME KEY [BASE]: the folder of that layer, made unless it is there.
layer() {
  local name=$1 out
  out=$folder/$name-$(printf '%s' "$2" | sha256sum | cut -c1-12)
  if [ ! -d "$out" ]; then
    say "making layer $name"
    rm -rf "$out.new"
    mkdir -p "$out.new"
    "make_$name" "$out.new" "${3:-}" >&2
    chmod 755 "$out.new"
    mv -T "$out.new" "$out"
  fi
  echo "$out"
}
versions() { dpkg-query -W -f '${Package} ${Version}\n' "$@"; }
text_of() { declare -f "make_$1"; } # how it is made belongs to the key

make_all() {
  mkdir -p "$folder"
  local base pause needs harness torch postgres archive key
  base=$(layer base "$(text_of base)")
  pause=$(layer pause "$(versions busybox-static)")
  needs=$(layer needs "$(text_of needs; cat "$det_root/scripts/harness-constraints.txt"; echo "$det_version")")
  harness=$(layer harness "$det_version")
  torch=$(layer torch "$(text_of torch; versions python3-torch libtorch1.13 python3-numpy)" "$base")
  postgres=$(layer postgres "$(text_of postgres; versions postgresql-15; cat "$here/postgres-entrypoint.sh")" "$base")
  key=$(printf '%s\n' "$base" "$pause" "$needs" "$harness" "$torch" "$postgres" "$(cat "$here/pack_images.py" "$0")" | sha256sum | cut -c1-12)
  archive=$folder/images-$key.tar
  if [ ! -s "$archive" ]; then
    rm -f "$folder"/images-*.tar
    "$python" "$here/pack_images.py" "$archive" <<J
[{"name": "localhost/pause:1", "layers": ["$pause"], "entrypoint": ["/bin/sleep", "infinity"]},
 {"name": "localhost/bare:1", "layers": ["$base", "$needs"]},
 {"name": "localhost/task:1", "layers": ["$base", "$needs", "$harness"], "env": {"PYTHONPATH": "/opt/harness"}},
 {"name": "localhost/torch:1", "layers": ["$base", "$needs", "$harness", "$torch"], "env": {"PYTHONPATH": "/opt/torch:/opt/harness"}},
 {"name": "localhost/postgres:15", "layers": ["$base", "$postgres"], "entrypoint": ["/usr/local/bin/postgres-entrypoint.sh"],
  "env": {"PATH": "/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin"}, "user": "999:999"}]
J
  fi
  echo "$archive"
}

# The operator's changes with each build; only the last one is kept.
make_operator() {
  local key root archive
  key=$(cat "$program" "$det_root"/container/{packages,wheels} "$here/pack_images.py" | sha256sum | cut -c1-12)
  archive=$folder/operator-$key.tar
  if [ ! -s "$archive" ]; then
    rm -f "$folder"/operator-*.tar
    root=$folder/operator-root
    rm -rf "$root"
    "$det_root/scripts/image-root.sh" --out "$root" --program "$program" >&2
    chmod 755 "$root"
    printf '[{"name": "localhost/det-operator:test", "layers": ["%s"], "entrypoint": ["/usr/bin/det-operator"], "user": "65532:65532"}]' "$root" |
      "$python" "$here/pack_images.py" "$archive"
    rm -rf "$root"
  fi
  echo "$archive"
}

"$det_root/scripts/install-deps.sh" kubelet run train tools
locked node-images make_all
[ -z "$program" ] || locked node-images make_operator
