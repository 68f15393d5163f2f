#!/bin/bash
# Writes the security configuration into the cluster, or with --options does something else with it, for example
# --options "-backup DIR -icl -nhnv". Wraps the security plugin's own securityadmin.sh, whose output and status it keeps.
# The files pushed and the node asked are this node's own.
home=/usr/share/platform-indexer
conf=/etc/platform-indexer
security=$conf/security
certs=$conf/certs
port=9200
options=()

usage() {
  echo "Usage: $0 [OPTIONS]"
  echo "    -ho, --host <host>        Address of the indexer node to contact (this node's own by default)."
  echo "    -p, --port <port>         HTTP port (9200 by default)."
  echo "    --options <options>       Options for securityadmin.sh, instead of writing $security."
  echo "    -h, --help                Shows this help."
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
    -ho|--host) [ -n "$2" ] || usage; host=$2; shift 2 ;;
    -p|--port) [ -n "$2" ] || usage; port=$2; shift 2 ;;
    --options) [ -n "$2" ] || usage; read -r -a options <<<"$2"; shift 2 ;;
    *) usage ;;
  esac
done

if [ -z "$host" ]; then
  host=$(sed -nE 's/^(http|network)\.host:[[:space:]]*\[?"?([^]", ]+).*/\1 \2/p' "$conf/opensearch.yml" |
    sort | awk 'NR == 1 { print $2 }')
fi
if [ ${#options[@]} -eq 0 ]; then
  options=(-cd "$security/" -icl -nhnv)
fi
if [ -r /etc/default/platform-indexer ]; then
  . /etc/default/platform-indexer
fi
export OPENSEARCH_JAVA_HOME OPENSEARCH_PATH_CONF=$conf

exec bash "$home/plugins/opensearch-security/tools/securityadmin.sh" "${options[@]}" \
  -h "${host:-127.0.0.1}" -p "$port" \
  -cacert "$certs/root-ca.pem" -cert "$certs/admin.pem" -key "$certs/admin-key.pem"
