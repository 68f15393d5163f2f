#!/bin/sh
exec /usr/lib/runbook-lab/node /usr/share/platform-dashboard/lib/dashboard.mjs "$@"
