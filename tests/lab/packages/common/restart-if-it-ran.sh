if [ -e @STATE_DIR@/restart ]; then
  rm -f @STATE_DIR@/restart
  systemctl daemon-reload
  systemctl restart @NAME@ || true
fi
exit 0
