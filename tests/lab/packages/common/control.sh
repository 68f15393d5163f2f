#!/bin/sh
# Starts, stops and tells of the daemons. `status` counts the optional ones too, so on a manager it ends with 1 when all is well.
HOME_DIR=/var/platform
VERSION="v@VERSION@"
DAEMONS="@DAEMONS@"
OPTIONAL="@OPTIONAL@"
RUN="$HOME_DIR/var/run"

running() {
  for file in "$RUN/$1"-*.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    if tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q "$1"; then return 0; fi
    echo "$1: Process $pid not used by $1, removing..."
    rm -f "$file"
  done
  return 1
}

status() {
  result=0
  for name in $DAEMONS $OPTIONAL; do
    if running "$name"; then echo "$name is running..."; else
      echo "$name not running..."
      result=1
    fi
  done
  return $result
}

start() {
  echo "Starting Platform $VERSION..."
  if [ -x "$HOME_DIR/bin/platform-analysisd" ] && ! "$HOME_DIR/bin/platform-analysisd" -t; then
    echo "platform-analysisd: Configuration error. Exiting"
    exit 1
  fi
  for name in $DAEMONS; do
    if running "$name"; then echo "$name already running..."; continue; fi
    setsid "$HOME_DIR/bin/$name" </dev/null >/dev/null 2>>"$HOME_DIR/logs/platform.log" &
    echo $! >"$RUN/$name-$!.pid"
    echo "Started $name..."
  done
  sleep 1
  echo "Completed."
}

stop() {
  for name in $DAEMONS; do
    for file in "$RUN/$name"-*.pid; do
      [ -e "$file" ] || { echo "$name not running..."; continue; }
      pid=$(cat "$file")
      echo "Killing $name..."
      kill "$pid" 2>/dev/null
      tries=0
      while kill -0 "$pid" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || kill -9 "$pid" 2>/dev/null
        sleep 0.1
      done
      rm -f "$file"
    done
  done
  echo "Platform $VERSION Stopped"
}

info() {
  case "$1" in
    -v) echo "$VERSION" ;;
    -r) echo "rc1" ;;
    -t) echo "@TYPE@" ;;
    *) printf 'PLATFORM_VERSION="%s"\nPLATFORM_REVISION="rc1"\nPLATFORM_TYPE="@TYPE@"\n' "$VERSION" ;;
  esac
}

if [ "$(id -u)" -ne 0 ]; then
  echo "You need root privileges to run this script"
  exit 1
fi
umask 0007
case "$1" in
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  status) status ;;
  info) info "$2" ;;
  *) echo "Usage: $0 {start|stop|restart|status|info [-v -r -t]}"; exit 1 ;;
esac
