import { expect, it } from "vitest";
import { analyzeCommand } from "../../src/index.ts";

const unclear = async (text: string) => (await analyzeCommand(text, { cwd: "/work" })).unclear;

it.each([
  `haft tools call exec '{"command":"rm -rf x"}'`,
  `haft tools call exec '{"command":"rm -rf x"}' --json`,
  `/usr/local/bin/haft tools call exec '{"command":"rm -rf x"}'`,
  `haft --plugin ./x.ts`,
  `haft --json call exec '{}'`,
  "haft run < calls.jsonl",
  "cat calls.jsonl | haft run",
  "haft chat -p 'remove x'",
  "haft serve",
  "haft inspect --act",
  "haft tools patch",
  "haft undo last",
  "haft nodes start",
  "haft plugins check ./x.ts",
  "haft plugins add ./x.ts",
  "haft mcp add x -- rm -rf x",
  "haft ledger replay 1",
  "haft tools --plugin ./x.ts",
  "haft explain --config=./x.ts exec '{}'",
  "haft",
  "npx haft tools call exec '{}'",
  "bunx haft tools call exec '{}'",
  "pnpm haft tools call exec '{}'",
  "pnpm exec haft tools call exec '{}'",
  "yarn haft tools call exec '{}'",
  "yarn run haft tools call exec '{}'",
  "bun haft tools call exec '{}'",
  "node node_modules/haft/dist/cli.js call exec '{}'",
  "node --no-warnings node_modules/haft/bin/haft.mjs call exec '{}'",
  "bash node_modules/.bin/haft tools call exec '{}'",
  "tsx packages/haft/bin/haft.mjs call exec '{}'",
  "timeout 5 haft tools call exec '{}'",
  "env haft tools call exec '{}'",
  "haft@1.2.3 call exec '{}'",
])("a line in which Haft may run something is unclear: %s", async (text) => {
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
  "node test.js haft tools call",
])("a line that only reads, or runs another program, stays clear: %s", async (text) => {
  expect(await unclear(text)).toBeUndefined();
});
