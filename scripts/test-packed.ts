// Runs a part of the tests against the packages as users install them, on the oldest Node they support: every contract
// suite, the command line, and the store, whose database is a part of Node. Arguments go to vitest; names of files
// choose among them.
//
// A test runs against what is packed when it, and its helpers, import nothing of the sources but entry points; programs
// are started by `haftCommand` of test/support/build-under-test.ts.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { hiddenSources } from "./lib/packed-tests.ts";
import { oldestNode, packageOfNode, packedFolder } from "./lib/packed.ts";
import { root } from "./lib/workspace.ts";

/** Tests that are about what no entry point shows. */
const LEFT_OUT = new Set([
  "packages/haft/test/guard/clear-kept.test.ts",
  "packages/haft/test/guard/fail-closed.security.test.ts",
  "packages/haft/test/guard/guard-hook.test.ts",
  "packages/haft/test/guard/kept-program.test.ts",
  "packages/haft/test/guard/own-programs.security.test.ts",
  "packages/haft/test/guard/settings.test.ts",
  "packages/haft/test/cli/approvals/describe-request.test.ts",
  "packages/haft/test/cli/next/opened-with.test.ts",
  "packages/haft/test/cli/place/session-key.test.ts",
  "packages/haft/test/cli/place/sha-256.test.ts",
  "packages/haft/test/cli/plugins/describe-tools.test.ts",
  "packages/haft/test/cli/policy/matrix.test.ts",
  "packages/haft/test/cli/state/state-value.test.ts",
  "packages/sandbox/test/contract/shell-bash.test.ts",
  "packages/sandbox/test/contract/shell-busybox.test.ts",
  "packages/sandbox/test/contract/shell-dash.test.ts",
  "packages/store/test/sqlite/call-notes.test.ts",
  "packages/store/test/sqlite/file-faults.test.ts",
  "packages/store/test/sqlite/quick-clock.test.ts",
  "packages/store/test/sqlite/retention.test.ts",
  "packages/store/test/sqlite/write-ahead.test.ts",
  "packages/tools-fs/test/contract/journals.test.ts",
]);

/** Scores of command lines, each a process here, of which the other files have enough; run them by name. */
const MANY_LINES = new Set([
  "packages/haft/test/cli/init/haft-init.test.ts",
  "packages/haft/test/cli/json/json-shapes.test.ts",
]);

const PARTS = [
  "packages/*/test/contract/**/*.test.ts",
  "packages/haft/test/cli/**/*.test.ts",
  "packages/store/test/{approvals,ledger,sqlite}/**/*.test.ts",
];
const tests = globSync(PARTS, { cwd: root }).toSorted((a, b) => a.localeCompare(b));
const chosen: string[] = [];
for (const test of tests) {
  const hidden = hiddenSources(test);
  if (hidden.length === 0) chosen.push(test);
  else if (LEFT_OUT.has(test)) console.log(`LEFT OUT  ${test}: it is about ${hidden.join(", ")}`);
  else {
    console.error(`${test} uses ${hidden.join(", ")}: import an entry point, or add it to LEFT_OUT`);
    process.exitCode = 1;
  }
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const files = chosen.filter((test) =>
  named.length === 0 ? !MANY_LINES.has(test) : named.some((name) => test.includes(name)),
);
if (files.length === 0) {
  console.error(`No test of what is packed is named ${named.join(" or ")}. There are:\n${chosen.join("\n")}`);
  process.exit(1);
}

const folder = packedFolder();
const node = join(folder, "node_modules", packageOfNode(), "bin/node");
console.log(`${files.length} of ${tests.length} files, on Node ${oldestNode()}, with ${folder}`);
const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config=vitest.packed.config.ts"];
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const { status } = spawnSync(node, [...vitest, ...files, ...flags], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, HAFT_PACKED: folder, PATH: `${dirname(node)}:${process.env["PATH"]}` },
});
if (status !== 0) process.exitCode = status ?? 1;
