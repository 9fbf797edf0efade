import { existsSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import type { SandboxConnection, SandboxSpec } from "../../src/backend.ts";
import { type BubblewrapOptions, createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import { tempFolder } from "../support.ts";
import { talk, TINY_RUNNER } from "./tiny-runner.ts";

/** Are tests to fail rather than be left out? */
const required = process.env["HAFT_REQUIRE_SERVICES"] === "1";
const probe = await createBubblewrapBackend().probe();
export const missing = !probe.available && !required;
if (missing) process.stderr.write(`LEFT OUT, because bubblewrap does not work: ${probe.reason}\n`);
/** Are limits held by control groups here? */
export const grouped = probe.details["limit memoryMb"]?.includes("(control group)") === true;
if (!missing && !grouped)
  process.stderr.write("LEFT OUT: limits of control groups, as none can be made here.\n");

const leftOutIf = (left: boolean): typeof test => (left ? (test.skip as typeof test) : test);
/** A test that needs bubblewrap. */
export const testInSandbox = leftOutIf(missing);
/** The same, and the rights of root. */
export const testAsRoot = leftOutIf(missing || process.getuid?.() !== 0);
/** The same, and control groups. */
export const testGrouped = leftOutIf(missing || (!grouped && !required));

/** A workspace folder that belongs to somebody. */
export function createWorkspaceFolder(owner?: number): string {
  return tempFolder("workspace", owner);
}

/** With the tiny runner, and a state folder of its own. */
export function createTestBackend(options: BubblewrapOptions = {}) {
  return createBubblewrapBackend({
    runner: async () => ({ source: TINY_RUNNER }),
    stateFolder: join(tempFolder("state"), "sandboxes"),
    ...options,
  });
}

/** Opens one and talks to it; closed after the test. */
export async function openTestSandbox(spec: SandboxSpec, backend = createTestBackend()) {
  const connection = await backend.open(spec);
  onTestFinished(() => connection.close());
  const { run, hello, evaluate } = talk(connection.stream);
  return { connection, run, hello, evaluate };
}

/** None, when others have removed the folder since it was seen. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // The second is what a control group says that goes while it is read.
    if (["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** Folders of sandboxes' control groups that are there. */
export function findControlGroups(...sandboxes: readonly Pick<SandboxConnection, "ref">[]): string[] {
  const names = sandboxes.map(({ ref }) => `haft-${ref.id}`);
  const found: string[] = [];
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (names.includes(entry.name)) found.push(path);
      else if (depth > 0) walk(path, depth - 1);
    }
  };
  if (existsSync("/sys/fs/cgroup")) walk("/sys/fs/cgroup", 4);
  return found;
}
