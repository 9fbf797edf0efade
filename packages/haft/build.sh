#!/bin/sh
# Makes dist/, run in this folder.
set -eu

rm -rf dist
tsc -p tsconfig.build.json

# The library and the haft command.
node ../../scripts/bundle.ts --with @noble/hashes --apart cli/serve/serve-program.ts

# The hook of haft guard.
node ../../scripts/bundle-program.ts cli/guard/guard-hook.ts \
  --soon guard/src/hook/hook-process.ts \
  --external @haft/guard/internal/hook-modules

# haft serve.
node ../../scripts/bundle-program.ts cli/serve/serve-program.ts \
  --soon haft/src/cli/serve/serve-process.ts \
  --soon mcp/src/index.ts \
  --soon mcp/src/serve/sdk.ts \
  --soon mcp/src/serve/create-mcp-server.ts \
  --soon mcp/src/serve/line-transport.ts
