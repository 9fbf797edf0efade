import { loadSandboxBackend } from "@haft/host/internal/sandbox";
import { openSandbox, type SandboxBackend, type SandboxSpec } from "@haft/sandbox";
import { probeView } from "@haft/sandbox/view";
// Tries every escape on each working backend, and compares the results with
// docs/reference/sandbox-escapes.md. --update writes the page; --only NAME tries one backend and preserves
// other columns.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openContained } from "../packages/host/test/contained/escapes/contained-host.ts";
import {
  type HostEscapeResult,
  gitEscapes,
  tryGitEscape,
} from "../packages/host/test/contained/escapes/git-escapes.ts";
import { homeEscapes, tryHomeEscape } from "../packages/host/test/contained/escapes/home-escapes.ts";
import { attempts } from "../packages/sandbox/test/escapes/attempts.ts";
import {
  ATTEMPT_LIMITS,
  openEscapeFixture,
  SANDBOX_READ_ONLY_PATH,
} from "../packages/sandbox/test/escapes/fixture.ts";
import {
  runAttempt,
  runInWorkspace,
  type EscapeResult,
} from "../packages/sandbox/test/escapes/run-attempts.ts";
import { UNENFORCED_ATTEMPTS } from "../packages/sandbox/test/escapes/unenforced-attempts.ts";
import { startDockerd } from "../test/support/dockerd.ts";
import { root } from "./lib/workspace.ts";

const page = join(root, "docs/reference/sandbox-escapes.md");
const { values } = parseArgs({
  options: { update: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
});
const { update, only } = values;
const chosen = attempts.filter(({ name }) => only?.includes(name) !== false);
if (chosen.length < (only?.length ?? 0)) throw new Error(`There is no attempt ${only?.join(" or ")}.`);
const isRoot = process.getuid?.() === 0;

const INTRODUCTION = `# Escape attempts

This page lists attempts of commands to get out of a sandbox, with the result on each backend. \`npm run escapes -- --update\`
runs [every attempt](../../packages/sandbox/test/escapes/attempts.ts) and writes the tables. Tests run them as well. The column *contained* is
[the view of contained commands](../guides/contained-commands.md), which is not a sandbox.

- *blocked*: the attempt failed, and left no trace on the host.
- *not blocked*: the backend does not prevent it ([sandboxes](../guides/sandboxes.md#backends), [contained commands](../guides/contained-commands.md#limits-of-the-protection)).
- *not tested*: the backend or a program was missing.
`;

const DOORS_INTRODUCTION = `## Ways out of a view

Contained commands can try to make the user's programs act for them. After each attempt, the user works with git on the host in every
folder of the project. Nothing from the command may run or be written elsewhere.
`;

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

type Verdict = EscapeResult["verdict"] | "not blocked";

/** `undefined` if the backend does not work here. */
async function verdictsOf(backend: SandboxBackend): Promise<Map<string, Verdict> | undefined> {
  const probe = await backend.probe();
  if (!probe.available) {
    console.error(`${backend.id} is left out: ${probe.reason}`);
    return undefined;
  }
  const verdicts = new Map<string, Verdict>();
  for (const attempt of chosen) {
    // sandbox-runtime cannot move folders or run as root.
    const unmoved = backend.id === "sandbox-runtime";
    const fixture = await openEscapeFixture(unmoved && isRoot ? { uid: 4321, gid: 4321 } : undefined);
    const readOnly = unmoved ? fixture.readOnly : SANDBOX_READ_ONLY_PATH;
    const spec: SandboxSpec = {
      key: `escape-${attempt.name}`,
      scope: "session",
      workspace: "rw",
      mounts: [
        { name: "", hostPath: fixture.workspace, path: "/workspace", access: "rw" },
        { name: "read-only", hostPath: fixture.readOnly, path: readOnly, access: "ro" },
      ],
      env: {},
      network: "none",
      limits: ATTEMPT_LIMITS,
      lifetime: "tethered",
    };
    try {
      const sandbox = await openSandbox(backend, spec);
      const inside = runInWorkspace(sandbox);
      const run: typeof inside = (script, env) => inside(script, { ...env, READ_ONLY_INSIDE: readOnly });
      const { verdict: found, output } = await runAttempt(attempt, run, fixture, ATTEMPT_LIMITS);
      const promised = UNENFORCED_ATTEMPTS[backend.id]?.includes(attempt.name) !== true;
      const verdict = promised ? found : "not blocked";
      verdicts.set(attempt.name, verdict);
      console.error(`${backend.id}  ${attempt.name}: ${verdict} (${output})`);
      await sandbox.close();
    } finally {
      await fixture.close();
    }
  }
  return verdicts;
}

/** Tries contained commands. */
async function verdictsOfContained(): Promise<Map<string, Verdict> | undefined> {
  const probe = await probeView();
  if (!probe.available) {
    console.error(`contained is left out: ${probe.reason}`);
    return undefined;
  }
  const verdicts = new Map<string, Verdict>();
  for (const attempt of chosen) {
    const fixture = await openEscapeFixture();
    const { workspace, readOnly } = fixture;
    const place = await openContained({ workspaceDir: workspace, readOnly });
    try {
      // Attempts on moved sockets need an open view.
      await place.run("true", {});
      const run: typeof place.run = (script, env) =>
        place.run(script, { ...env, READ_ONLY_INSIDE: readOnly });
      const { verdict: found, output } = await runAttempt(attempt, run, fixture, ATTEMPT_LIMITS);
      const verdict =
        UNENFORCED_ATTEMPTS["contained"]?.includes(attempt.name) === true ? "not blocked" : found;
      verdicts.set(attempt.name, verdict);
      console.error(`contained  ${attempt.name}: ${verdict} (${output})`);
    } finally {
      await place.close();
      await fixture.close();
    }
  }
  if (only !== undefined) return verdicts;
  for (const door of gitEscapes) tell(await tryGitEscape(door));
  for (const door of homeEscapes) tell(await tryHomeEscape(door));
  return verdicts;

  function tell({ title, verdict, detail }: HostEscapeResult): void {
    verdicts.set(title, verdict);
    console.error(`contained  ${title}: ${verdict} (${detail})`);
  }
}

/** The page's rows: title → verdict of each backend. */
function readRows(text: string): Map<string, string[]> {
  const rows = text.split("\n").filter((line) => /^\| (?!attempt|---)/.test(line));
  return new Map(
    rows.map((row) => {
      const [, title = "", ...cells] = row.split("|").map((cell) => cell.trim());
      return [title, cells.slice(0, -1)] as const;
    }),
  );
}

// A private daemon makes results independent of the machine.
const daemon = await startDockerd();
if (daemon !== undefined) process.env["DOCKER_HOST"] = `unix://${daemon.socketPath}`;
const backends = await Promise.all(
  (["bubblewrap", "docker", "sandbox-runtime"] as const).map(loadSandboxBackend),
);
const before = existsSync(page) ? readRows(readFileSync(page, "utf8")) : new Map<string, string[]>();
const columns: ((name: string, title: string) => string)[] = [];
for (const [at, backend] of backends.entries()) {
  const verdicts = await verdictsOf(backend);
  // Backends that do not work here keep earlier verdicts.
  columns.push((name, title) => verdicts?.get(name) ?? before.get(title)?.[at] ?? "not tested");
  await backend.close?.();
}
await daemon?.stop();
const contained = await verdictsOfContained();
columns.push((name, title) => contained?.get(name) ?? before.get(title)?.[backends.length] ?? "not tested");
const head = ["attempt", ...backends.map(({ id }) => id), "contained"];
const rows = attempts.map(({ name, title }) => [title, ...columns.map((column) => column(name, title))]);
const doors = [...gitEscapes, ...homeEscapes].map(({ title }) => [
  title,
  contained?.get(title) ?? before.get(title)?.[0] ?? "not tested",
]);
const text = `${INTRODUCTION}\n${tableOf(head, rows)}\n${DOORS_INTRODUCTION}\n${tableOf(["attempt", "contained"], doors)}`;

if (update) writeFileSync(page, text);
else if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
  console.error("docs/reference/sandbox-escapes.md is not what was found: npm run escapes -- --update");
  process.exitCode = 1;
}
if ([...rows, ...doors].some((cells) => cells.includes("escaped"))) process.exitCode = 1;
