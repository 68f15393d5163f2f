#!/bin/sh
# Installs the package that the manager sent: agent-upgrade-helper PACKAGE FAILURE_FILE. Runs outside the agent's service.
if ! DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold \
  install "$1" </dev/null >/var/platform/logs/upgrade.log 2>&1; then
  tail -n 1 /var/platform/logs/upgrade.log >"$2"
fi
rm -f "$1"
