#!/bin/sh
# Appends the keys of a new default that the kept file lacks, with the lines that belong to them, and removes the new default.
set -e

file=/etc/platform-indexer/opensearch.yml
for new in "$file.dpkg-dist" "$file.rpmnew"; do
  [ -f "$file" ] && [ -f "$new" ] || continue
  added=$(awk '
    { key = "" }
    /^[A-Za-z_][A-Za-z0-9_.]*:/ { key = $0; sub(/:.*/, "", key) }
    NR == FNR { if (key != "") has[key] = 1; next }
    key != "" { lacks = !(key in has) }
    /^#/ || /^$/ { lacks = 0 }
    lacks
  ' "$file" "$new")
  [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
  [ -z "$added" ] || printf '%s\n' "$added" >>"$file"
  rm -f "$new"
done
