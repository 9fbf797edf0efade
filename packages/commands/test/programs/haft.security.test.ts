import { expect, it } from "vitest";
import { analyzeCommand } from "../../src/index.ts";

const unclear = async (text: string) => (await analyzeCommand(text, { cwd: "/work" })).unclear;

it.each([
  `haft call exec '{"command":"rm -rf x"}'`,
  `haft call exec '{"command":"rm -rf x"}' --json`,
  `/usr/local/bin/haft call exec '{"command":"rm -rf x"}'`,
  `haft --plugin ./x.ts`,
  `haft --json call exec '{}'`,
  "haft run < calls.jsonl",
  "cat calls.jsonl | haft run",
  "haft chat -p 'remove x'",
  "haft serve",
  "haft inspect --act",
  "haft patch",
  "haft undo last",
  "haft node start",
  "haft plugins check ./x.ts",
  "haft plugins add ./x.ts",
  "haft mcp add x -- rm -rf x",
  "haft ledger replay 1",
  "haft tools --plugin ./x.ts",
  "haft explain --config=./x.ts exec '{}'",
  "haft",
  "npx haft call exec '{}'",
  "bunx haft call exec '{}'",
  "pnpm haft call exec '{}'",
  "pnpm exec haft call exec '{}'",
  "yarn haft call exec '{}'",
  "yarn run haft call exec '{}'",
  "bun haft call exec '{}'",
  "node node_modules/haft/dist/cli.js call exec '{}'",
  "node --no-warnings node_modules/haft/bin/haft.mjs call exec '{}'",
  "bash node_modules/.bin/haft call exec '{}'",
  "tsx packages/haft/bin/haft.mjs call exec '{}'",
  "timeout 5 haft call exec '{}'",
  "env haft call exec '{}'",
  "haft@1.2.3 call exec '{}'",
])("what Haft would run is not seen: %s", async (text) => {
  expect(await unclear(text)).toBeDefined();
});

it.each([
  'haft explain exec \'{"command":"rm -rf x"}\'',
  "haft tools --all",
  "haft guard status --probe",
  "haft guard log",
  "haft approvals",
  "haft policy check --guard guard.yaml",
  "haft ledger",
  "haft ledger show 3",
  "haft mcp list",
  "haft sandbox doctor",
  "haft --version",
  "haft help call",
  "node node_modules/haft/bin/haft.mjs tools",
  "npm install haft",
  "yarn add haft",
  "npm view haft",
  "make haft",
  "ls node_modules/haft/dist",
  "node test.js haft call",
])("what only looks, or is about another program, is as clear as before: %s", async (text) => {
  expect(await unclear(text)).toBeUndefined();
});
