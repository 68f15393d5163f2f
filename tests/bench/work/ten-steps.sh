# The ten steps as people write them: sh -s PLACE HOST. Each looks first and says what it did.
set -eu
at=$1/$2
copy() {
  if ! cmp -s "$1" "$2"; then cp "$1" "$2"; echo "changed $2"; fi
  if [ "$(stat --format=%a "$2")" != 644 ]; then chmod 644 "$2"; echo "mode $2"; fi
}
line() {
  if grep -qxF "$2" "$3"; then return; fi
  if grep -qE "$1" "$3"; then sed -i -E "s/$1.*/$2/" "$3"; else echo "$2" >>"$3"; fi
  echo "changed $3"
}
if [ ! -d "$at" ]; then mkdir -p -m 755 "$at"; echo "made $at"; fi
new=$(mktemp)
printf 'This host is watched.\nWork on it is announced first.\n' >"$new"
copy "$new" "$at/motd"
printf '* soft nofile 65536\n* hard nofile 65536\n' >"$new"
copy "$new" "$at/limits.conf"
rm "$new"
[ -e "$at/app.conf" ] || : >"$at/app.conf"
line '^listen *=' 'listen = 9200' "$at/app.conf"
line '^workers *=' 'workers = 4' "$at/app.conf"
if ! grep -qxF '# BEGIN bench' "$at/app.conf"; then
  printf '# BEGIN bench\nretention = 90\ncompress = true\n# END bench\n' >>"$at/app.conf"
  echo "changed $at/app.conf"
fi
uname -r
[ -e "$at/stamp" ] || touch "$at/stamp"
stat --format=%s "$at/motd"
if [ "$(stat --format=%a "$at/app.conf")" != 640 ]; then chmod 640 "$at/app.conf"; echo "mode $at/app.conf"; fi
