#!/bin/sh
# Installs the packages of package-lock.json and compiles the bot into dist/.
set -eu
cd "$(dirname "$0")"

if ! command -v npm >/dev/null || ! node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))'; then
  echo "owl needs Node.js 20 or newer with npm: install it from nodejs.org, or with 'apt install nodejs npm'." >&2
  exit 1
fi
npm ci --no-update-notifier
npm run --silent build
