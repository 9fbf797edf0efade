// Plays the demo's first session again: as it was, from other files, and under another policy. Prints each command and what it says.
// `npm run replay-demo`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./lib/workspace.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-replay-demo-"));
const env = { ...process.env, HOME: folder, HAFT_CONFIG: "" };

function run(file: string, args: readonly string[]): { status: number | null; stdout: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@haft/source", join(root, file), ...args],
    { encoding: "utf8", env, cwd: folder },
  );
  process.stderr.write(stderr);
  return { status, stdout };
}

function show(...args: readonly string[]): void {
  console.log(`\n$ haft ledger ${args.join(" ")}`);
  const { status, stdout } = run("packages/haft/src/cli/main.ts", ["ledger", ...args]);
  console.log(`${stdout.trimEnd()}\n(exit code ${status})`);
}

const demo = run("apps/demo/src/main.ts", ["--offline", "--keep", "--part", "repair"]);
const [, kept] = /the copy is kept\s+(\S+)/.exec(demo.stdout) ?? [];
if (kept === undefined) throw new Error(`The demo kept no copy:\n${demo.stdout}`);
const state = join(dirname(kept), "state");
const listed = run("packages/haft/src/cli/main.ts", [
  "ledger",
  "list",
  "--all",
  "--state",
  state,
  "--json",
  "--limit",
  "1000",
]);
const { calls } = JSON.parse(listed.stdout) as { calls: { runId: string }[] };
const [first] = calls.map(({ runId }) => runId).toSorted();
if (first === undefined) throw new Error("Nothing of the demo was recorded.");
try {
  show("show", first, "--state", state);
  // What was kept when it began: the bug is still there.
  show("replay", first, "--state", state);
  // The project as the demo left it: the bug is repaired already, so tests pass, and the edit finds nothing.
  show("replay", first, "--state", state, "--files", kept);
  const policy = join(folder, "next.yaml");
  writeFileSync(policy, 'deny: [edit]\nask: ["exec(node -e *)"]\n');
  show("replay", first, "--state", state, "--policy", policy);
  show("export", first, "--state", state, "-o", join(root, "replay-demo.html"));
  console.log("\nThe page is replay-demo.html.");
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(dirname(kept), { recursive: true, force: true });
}
