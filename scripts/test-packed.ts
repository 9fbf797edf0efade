// Tests packages as installed by users on the oldest supported Node: the contract suites, the command line,
// and the store, whose database belongs to Node. vitest gets the arguments; file names choose tests.
//
// A test is eligible if it and its helpers import only entry points; `haftCommand` of
// test/support/build-under-test.ts starts programs.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { hiddenSources } from "./lib/packed-tests.ts";
import { oldestNode, getNodePackage, packedFolder } from "./lib/packed.ts";
import { root } from "./lib/workspace.ts";

const PARTS = [
  "packages/*/test/contract/**/*.test.ts",
  "packages/haft/test/cli/**/*.test.ts",
  "packages/store/test/{approvals,ledger,sqlite}/**/*.test.ts",
];
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const tests = globSync(PARTS, { cwd: root }).toSorted();
const files = tests.filter(
  (test) =>
    hiddenSources(test).length === 0 && (named.length === 0 || named.some((name) => test.includes(name))),
);
if (files.length === 0) {
  console.error(`No test of what is packed is named ${named.join(" or ")}.`);
  process.exit(1);
}

const folder = packedFolder();
const node = join(folder, "node_modules", getNodePackage(), "bin/node");
console.log(`${files.length} of ${tests.length} files, on Node ${oldestNode()}, with ${folder}`);
const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config=vitest.packed.config.ts"];
const { status } = spawnSync(node, [...vitest, ...files, ...flags], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, HAFT_PACKED: folder, PATH: `${dirname(node)}:${process.env["PATH"]}` },
});
process.exitCode = status ?? 1;
