#!/usr/bin/env bash
# A standby that copies the primary at its first start, then follows it; from then on commits of the primary wait for this disk.
set -euo pipefail
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
  pg_basebackup -h primary -U drillyard -D "$data" -X stream -c fast -R
  chmod 700 "$data"
  echo "primary_conninfo = 'host=primary user=drillyard password=local application_name=s1'" >> "$data/postgresql.auto.conf"
fi
psql -h primary -U drillyard -d drillyard -c "alter system set synchronous_standby_names = 's1'" -c 'select pg_reload_conf()'
exec postgres -D "$data"
