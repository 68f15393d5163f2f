#!/bin/sh
# Stores a credential: platform-keystore -f FAMILY -k KEY, the value on standard input, kept exactly as it came.
umask 0077
family='' key=''
while getopts 'f:k:h' option; do
  case $option in
    f) family=$OPTARG ;;
    k) key=$OPTARG ;;
    *) echo "Usage: platform-keystore -f <column_family> -k <key>   (the value is read from standard input)"; exit 1 ;;
  esac
done
case "$family:$key" in
  indexer:username | indexer:password) ;;
  *) echo "platform-keystore: (1235): Invalid column family or key '$family/$key'." >&2; exit 1 ;;
esac
store=/var/platform/queue/keystore/$family
mkdir -p "$store" || exit 1
cat >"$store/.$key.$$" || exit 1
if [ ! -s "$store/.$key.$$" ]; then
  rm -f "$store/.$key.$$"
  echo "platform-keystore: No value on standard input." >&2
  exit 1
fi
mv "$store/.$key.$$" "$store/$key"
