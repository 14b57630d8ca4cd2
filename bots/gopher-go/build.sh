#!/bin/sh
# Builds the bot: the protocol's Go code from proto/, and then the program ./gopher.
set -eu
cd "$(dirname "$0")"
PATH=$PATH:/usr/local/go/bin
if ! command -v go >/dev/null; then
    echo "gopher cannot be built without Go: install Go 1.26 or newer from https://go.dev/dl/" >&2
    exit 1
fi
# Each package is named when it is compiled: the first time takes minutes.
export GOFLAGS="${GOFLAGS:-} -v"
go generate .
go build -o gopher .
