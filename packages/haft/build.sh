#!/bin/sh
# Makes dist/, run in this folder.
set -eu

rm -rf dist
tsc -p tsconfig.build.json

# The library and the haft command.
node ../../scripts/bundle.ts \
  --with @noble/hashes \
  --apart cli/serve/serve-program.ts \
  plugins/trial/trial-main.ts \
  plugins/check/check-main.ts \
  guard/hook/late-parts.ts

# The hook of haft guard.
node ../../scripts/bundle-alone.ts \
  cli/guard/guard-hook.ts \
  cli/guard/guard-decides.ts \
  guard/hook/late-parts.ts

# haft serve. Nobody asks what types the protocol has, and each start would make all of their schemas.
node ../../scripts/bundle-program.ts cli/serve/serve-program.ts \
  --soon haft/src/cli/serve/serve-process.ts \
  --soon mcp/src/index.ts \
  --soon mcp/src/serve/sdk.ts \
  --soon mcp/src/serve/server-for.ts \
  --soon mcp/src/serve/line-transport.ts \
  --instead zod/v4=mcp/src/serve/zod-later.ts \
  --instead @modelcontextprotocol/server/_shims=mcp/src/serve/without-ajv.ts \
  --instead @modelcontextprotocol/client/_shims=mcp/src/serve/without-ajv.ts \
  --pure z \
  --drop '@modelcontextprotocol/server=for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);' \
  --drop '@modelcontextprotocol/server=for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);'
