#!/bin/sh
# Appends the keys of a new default that the kept file lacks, with the lines that belong to them, and removes the new default. As the real one
# does, it compares text: a key that the file has quoted, or in a map, is added a second time.
set -e

file=@FILE@
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
