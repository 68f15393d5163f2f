#!/bin/bash
# Writes the security configuration into the cluster, or with --options does something else with it, for example
# --options "-backup DIR -icl -nhnv". Wraps the security plugin's own securityadmin.sh, whose output and status it keeps.
# As the real tool does: the work is done by the service's user, who must be able to write DIR and to read the admin key; the node's
# address and the CA come from opensearch.yml; admin.pem and admin-key.pem must be beside the CA; SIGINT ends programs by their name.
home=/usr/share/platform-indexer
conf=/etc/platform-indexer
security=$conf/security
user=platform-indexer
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

# Whatever has the home directory in its command line, the node included.
trap 'pkill -f "$home"; exit 1' INT

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
ca=$(sed -nE 's/^plugins\.security\.ssl\.http\.pemtrustedcas_filepath:[[:space:]]*"?([^"]+)"?$/\1/p' "$conf/opensearch.yml")
case $ca in /*) ;; *) ca=$conf/$ca ;; esac
admin=$(dirname "$ca")
if [ ${#options[@]} -eq 0 ]; then
  options=(-cd "$security/" -icl -nhnv)
fi
if [ -r /etc/default/platform-indexer ]; then
  . /etc/default/platform-indexer
fi
export OPENSEARCH_JAVA_HOME OPENSEARCH_PATH_CONF=$conf

command=(bash "$home/plugins/opensearch-security/tools/securityadmin.sh" "${options[@]}" -h "${host:-127.0.0.1}" -p "$port"
  -cacert "$ca" -cert "$admin/admin.pem" -key "$admin/admin-key.pem")
if [ ! -f "$admin/admin.pem" ] || [ ! -f "$admin/admin-key.pem" ]; then
  echo "ERROR: this tool needs admin.pem and admin-key.pem in $admin. With other files, run:"
  echo "runuser $user --shell=/bin/bash --command=\"${command[*]}\""
  exit 1
fi
runuser "$user" --shell=/bin/bash --command="${command[*]}"
