# Gives nats-server the accounts of the registered adapters and event readers, if they have changed: docs/production.md.
set -eu
cd /etc/tenant-open-platform
/opt/tenant-open-platform/node_modules/.bin/topctl --profile-file nats-accounts.json \
  bus render-config --platform-user-public-key "$(cat platform.pub)" > nats-accounts.new || [ $? = 9 ]
if ! cmp -s nats-accounts.new nats-accounts.loaded; then
  # A configuration that nats-server refuses is not installed: it would not start with it. The next run repeats this.
  install -m 0644 nats-accounts.new /etc/nats-accounts.new
  sed 's/nats-accounts\.conf/nats-accounts.new/' /etc/nats-server.conf > /etc/nats-server.new
  nats-server -t --config /etc/nats-server.new
  rm /etc/nats-server.new
  mv /etc/nats-accounts.new /etc/nats-accounts.conf
  systemctl reload nats-server
  # nats-server 2.9 imports into a new account only at a second reload.
  sleep 2
  systemctl reload nats-server
  # Only now: the next run repeats one that was interrupted.
  mv nats-accounts.new nats-accounts.loaded
fi
