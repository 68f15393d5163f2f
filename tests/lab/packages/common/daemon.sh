#!/bin/sh
exec /usr/lib/runbook-lab/node /var/platform/lib/@NAME@.mjs "$@"
