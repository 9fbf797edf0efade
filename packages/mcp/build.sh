#!/bin/sh
# Makes dist/, run in this folder.
set -eu

rm -rf dist
tsc -p tsconfig.build.json

# The official SDK and what it needs are put inside.
node ../../scripts/bundle.ts \
  --with @modelcontextprotocol/client \
  --with @modelcontextprotocol/server \
  --with @modelcontextprotocol/core \
  --with zod \
  --with eventsource \
  --with eventsource-parser \
  --with pkce-challenge \
  --with jose
