#!/usr/bin/env bash
# A private PostgreSQL in one folder, reached by a unix socket only: postgres.sh start|stop|url --dir DIR
# start makes the cluster on first use; stop keeps its data. As root it runs as the user `postgres`, because PostgreSQL refuses
# root: DIR must then be in a place that user can reach (not below /root).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

verb=${1:-}
[ $# -eq 0 ] || shift
dir=''
while [ $# -gt 0 ]; do
  case $1 in
    --dir) dir=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
[ -n "$dir" ] || die "--dir DIR is needed"
server=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$server/postgres" ] || die "PostgreSQL's server is missing: run scripts/install-deps.sh run"

as_server() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi; }

start() {
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  if [ "$(id -u)" = 0 ]; then chown postgres:postgres "$dir"; fi
  chmod 700 "$dir"
  as_server test -x "$dir" || die "user postgres cannot reach $dir; choose a folder outside /root"
  if [ ! -s "$dir/data/PG_VERSION" ]; then
    # Without the locale, initdb on a machine with no LANG makes an ASCII cluster.
    as_server "$server/initdb" -D "$dir/data" -E UTF8 --locale=C.UTF-8 --auth-local=peer --username=det >"$dir/initdb.log" 2>&1 ||
      { cat "$dir/initdb.log" >&2; die "initdb failed"; }
    # Whoever can open the socket's folder is let in: it belongs to one user and is closed to all others but root.
    printf 'local all all trust\n' > "$dir/data/pg_hba.conf"
    [ "$(id -u)" != 0 ] || chown postgres:postgres "$dir/data/pg_hba.conf"
  fi
  if as_server "$server/pg_ctl" -D "$dir/data" status >/dev/null; then return; fi
  as_server "$server/pg_ctl" -D "$dir/data" -w -t 240 -l "$dir/postgres.log" -s start -o \
    "-c listen_addresses='' -c unix_socket_directories='$dir' -c shared_buffers=64MB -c max_connections=60" ||
    { tail -n 20 "$dir/postgres.log" >&2; die "PostgreSQL did not start"; }
}

case $verb in
  start) start; "$0" url --dir "$dir" ;;
  stop) [ ! -d "$dir/data" ] || as_server "$server/pg_ctl" -D "$dir/data" -m fast -w -t 240 -s stop 2>/dev/null || true ;;
  url) echo "postgresql://det@/postgres?host=$(cd "$dir" && pwd)" ;;
  *) die "usage: postgres.sh start|stop|url --dir DIR" ;;
esac
