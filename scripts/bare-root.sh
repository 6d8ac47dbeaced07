#!/usr/bin/env bash
# Runs a command in a bare Debian: bare-root.sh SUITE [--bind PATH:INSIDE]... [--layer DIR] -- COMMAND...
#   SUITE    bookworm or trixie; made by debootstrap from the mirror that apt uses here, kept in the cache. Beside what `minbase` has:
#            python3-venv and ca-certificates
#   --bind   shows PATH of this machine, read-only (with a third word, PATH:INSIDE:rw, writable)
#   --layer  what the command writes goes to this folder and is there the next time; otherwise it is thrown away
# COMMAND runs as root in namespaces of its own (mounts, processes, names, IPC; the network is this machine's), with a root made by
# pivot_root, so that sandboxes work inside. All it started ends with it. Settings of pip and of proxies come along, nothing else does.
# Ends with COMMAND's code; with 77, and the reason, where such a root cannot be had here. Needs root.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

suite=${1:-} binds='' layer=''
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --bind) binds+="$2"$'\n'; shift 2 ;;
    --layer) layer=$2; shift 2 ;;
    --) shift; break ;;
    *) die "unknown option $1" ;;
  esac
done
case $suite in bookworm | trixie) ;; *) die "which Debian? bookworm or trixie" ;; esac
[ $# -gt 0 ] || die "usage: bare-root.sh SUITE [--bind PATH:INSIDE]... [--layer DIR] -- COMMAND..."
cannot() { echo "no bare root: $*"; exit 77; }

packages=python3-venv,ca-certificates
base=$det_cache/roots/$suite-$(echo "$packages" | cksum | cut -d' ' -f1)
pip_settings=$(env | sed -n 's/^\(PIP_[A-Z_]*\|[a-zA-Z]*_proxy\|[A-Z]*_PROXY\)=.*/\1/p' | grep -vx PIP_FIND_LINKS || true)

make_root() {
  local mirror keys
  [ ! -d "$base" ] || return 0
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | sed -n 's/^Debian //p' | grep -v security | sort -u | head -n 1)
  [ -n "$mirror" ] || cannot "apt knows no mirror of Debian"
  rm -rf --one-file-system "$base.new"
  mkdir -p "${base%/*}"
  debootstrap --variant=minbase --include="$packages" "$suite" "$base.new" "$mirror" > "$det_cache/debootstrap-$suite.log" 2>&1 ||
    cannot "debootstrap of $suite failed: $(tail -n 1 "$det_cache/debootstrap-$suite.log")"
  rm -rf "$base.new"/var/cache/apt/archives/*.deb "$base.new"/var/lib/apt/lists/*
  printf '#!/bin/sh\nexit 101\n' > "$base.new/usr/sbin/policy-rc.d" # a package starts no service
  chmod 755 "$base.new/usr/sbin/policy-rc.d"
  printf 'deb %s %s main\n' "$mirror" "$suite" > "$base.new/etc/apt/sources.list"
  rm -f "$base.new"/etc/apt/sources.list.d/*
  # An ordinary user; sandboxes and PostgreSQL are for such.
  chroot "$base.new" useradd --create-home --shell /bin/bash ada
  # A machine whose way to the package index has certificates of its own.
  keys=$(printenv PIP_CERT || true)
  [ -z "$keys" ] || install -D -m 644 "$keys" "$base.new$keys"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$base.new/etc/"
  mkdir -p "$base.new/.outside"
  mv -T "$base.new" "$base"
}

[ "$(id -u)" = 0 ] || cannot "it needs root"
grep -qw overlay /proc/filesystems || cannot "the kernel has no overlay file system"
unshare --mount --pid --uts --ipc --fork --mount-proc mount -t tmpfs none /run 2> /dev/null || cannot "no right to make namespaces and mounts"
apt_install debootstrap >&2
locked "root-$suite" make_root

temporary=''
if [ -z "$layer" ]; then
  temporary=$(mktemp -d "$det_cache/roots/.layer.XXXXXX")
  layer=$temporary
fi
mkdir -p "$layer"/{written,work,root}
layer=$(cd "$layer" && pwd)
settings=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb)
for name in $pip_settings; do settings+=("$name=$(printenv "$name")"); done

enter='
set -euo pipefail
root=$LAYER/root
mount -t overlay overlay -o "lowerdir=$BASE,upperdir=$LAYER/written,workdir=$LAYER/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 dev "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$root/dev/${number#*:}"; done
for file in /etc/resolv.conf /etc/hosts; do [ ! -e "$file" ] || cp -L "$file" "$root$file"; done
hostname bare
echo "127.0.1.1 bare" >> "$root/etc/hosts"
while IFS=: read -r from to how; do
  [ -n "$from" ] || continue
  if [ -d "$from" ]; then mkdir -p "$root$to"; else mkdir -p "$(dirname "$root$to")"; : > "$root$to"; fi
  mount --bind "$from" "$root$to"
  [ "$how" = rw ] || mount -o remount,bind,ro "$root$to"
done <<< "$BINDS"
unset BASE LAYER BINDS
cd "$root"
pivot_root . .outside
cd /
umount -l /.outside
exec "$@"
'
code=0
env -i "${settings[@]}" BASE="$base" LAYER="$layer" BINDS="$binds" \
  unshare --mount --pid --ipc --uts --fork --kill-child --propagation private bash -c "$enter" bash "$@" || code=$?
[ -z "$temporary" ] || rm -rf --one-file-system "$temporary"
exit "$code"
