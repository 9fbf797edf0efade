// Runs every attempt to get out of a sandbox on every backend that works here, and writes the table of what came of
// it: docs/reference/sandbox-escapes.md. Without --update it only compares.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSandbox, type SandboxBackend, type SandboxSpec } from "@haft/sandbox";
import { loadSandboxBackend } from "haft";
import { attempts } from "../packages/sandbox/test/escapes/attempts.ts";
import {
  ATTEMPT_LIMITS,
  openEscapeFixture,
  READ_ONLY_INSIDE,
} from "../packages/sandbox/test/escapes/fixture.ts";
import {
  runAttempt,
  runInWorkspace,
  type EscapeResult,
} from "../packages/sandbox/test/escapes/run-attempts.ts";
import { root } from "./lib/workspace.ts";

const page = join(root, "docs/reference/sandbox-escapes.md");
const update = process.argv.includes("--update");

const INTRODUCTION = `# Escape attempts

What a command in a sandbox may try, and what came of it on each backend. The table is written by
\`npm run escapes -- --update\`, which runs every attempt for real; the attempts themselves are in
[attempts.ts](../../packages/sandbox/test/escapes/attempts.ts), and the tests run them, too.

*kept*: the attempt failed, and nothing of it was found on the host. *not tested*: what it takes was not there.
[The guide](../guides/sandboxes.md) says what a sandbox does not hold.
`;

type Verdict = EscapeResult["verdict"];

/** Every attempt on one backend; `undefined` when it does not work here. */
async function verdictsOf(backend: SandboxBackend): Promise<Map<string, Verdict> | undefined> {
  const probe = await backend.probe();
  if (!probe.available) {
    console.error(`${backend.id} is left out: ${probe.reason}`);
    return undefined;
  }
  const verdicts = new Map<string, Verdict>();
  for (const attempt of attempts) {
    const fixture = await openEscapeFixture();
    const spec: SandboxSpec = {
      key: `escape-${attempt.name}`,
      scope: "session",
      workspace: "rw",
      mounts: [
        { name: "", hostPath: fixture.workspace, path: "/workspace", access: "rw" },
        { name: "read-only", hostPath: fixture.readOnly, path: READ_ONLY_INSIDE, access: "ro" },
      ],
      env: {},
      network: "none",
      limits: ATTEMPT_LIMITS,
      lifetime: "tethered",
    };
    try {
      const sandbox = await openSandbox(backend, spec);
      const { verdict, said } = await runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
      verdicts.set(attempt.name, verdict);
      console.error(`${backend.id}  ${attempt.name}: ${verdict} (${said})`);
      await sandbox.close();
    } finally {
      await fixture.close();
    }
  }
  return verdicts;
}

/** Rows of the page as it is: title → verdict of each backend. */
function readRows(text: string): Map<string, string[]> {
  const rows = text.split("\n").filter((line) => /^\| (?!attempt|---)/.test(line));
  return new Map(
    rows.map((row) => {
      const [, title = "", ...cells] = row.split("|").map((cell) => cell.trim());
      return [title, cells.slice(0, -1)] as const;
    }),
  );
}

const backends = [await loadSandboxBackend("bubblewrap"), await loadSandboxBackend("docker")];
const before = existsSync(page) ? readRows(readFileSync(page, "utf8")) : new Map<string, string[]>();
const columns: ((name: string, title: string) => string)[] = [];
for (const [at, backend] of backends.entries()) {
  const verdicts = await verdictsOf(backend);
  // A backend that is not here keeps what was found where it was.
  columns.push((name, title) => verdicts?.get(name) ?? before.get(title)?.[at] ?? "not tested");
  await backend.close?.();
}
const head = ["attempt", ...backends.map(({ id }) => id)];
const rows = attempts.map(({ name, title }) => [title, ...columns.map((column) => column(name, title))]);
const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
const text = `${INTRODUCTION}\n${table.join("\n")}\n`;

if (update) writeFileSync(page, text);
else if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
  console.error("docs/reference/sandbox-escapes.md is not what was found: npm run escapes -- --update");
  process.exitCode = 1;
}
if (rows.some((cells) => cells.includes("escaped"))) process.exitCode = 1;
