import type { HostProcesses, HostProcessesOptions } from "@haft/workspace";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { openView } from "../../src/view/open-view.ts";
import { probeView } from "../../src/view/probe-view.ts";
import type { ViewOptions, ViewSpec } from "../../src/view/view-spec.ts";
import type { View } from "../../src/view/view.ts";
import { tempFolder } from "../support.ts";

/** Are tests to fail rather than be left out? */
const required = process.env["HAFT_REQUIRE_SERVICES"] === "1";

/** What ran: all it wrote, and how it ended. */
export interface Ran {
  output: string;
  exitCode: number | null | undefined;
}

export interface Contained {
  root: string;
  view: View;
  processes: HostProcesses;
  /** Runs a script in the view until it has ended. */
  run: (script: string) => Promise<Ran>;
}

/** A folder that a view shows as it is on the host. Temporary files are not: a view has its own. */
export function folderShown(): string {
  const isTemporary = import.meta.dirname.startsWith(`${tmpdir()}/`);
  const folder = mkdtempSync(
    join(isTemporary ? "/opt" : join(import.meta.dirname, "../../node_modules"), ".haft-shown-"),
  );
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A view of one writable folder; closed after the test. */
export async function openTestView(
  spec: Partial<ViewSpec> & { root?: string } = {},
  options: ViewOptions = {},
  more: Partial<HostProcessesOptions> = {},
): Promise<Contained> {
  const { root = tempFolder("view") } = spec;
  const view = openView(createViewSpec({ writable: [root], ...spec }), options);
  const workspace = createHostWorkspace({ root });
  const stateFolder = tempFolder("runs");
  const processes = createHostProcesses({ workspace, view: view.launch, stateFolder, ...more });
  onTestFinished(async () => {
    await processes.close({ graceMs: 0 });
    await view.close();
  });
  return { root, view, processes, run: (script) => runIn(processes, script) };
}

export function createViewSpec(spec: Partial<ViewSpec>): ViewSpec {
  return { writable: [], readOnly: [], pinned: [], hidden: [], extra: [], network: "none", ...spec };
}

export async function runIn(processes: HostProcesses, script: string): Promise<Ran> {
  const { id } = await processes.start(randomUUID(), { script });
  const { exitCode } = await processes.wait(id);
  let output = "";
  for (let from = 0; ;) {
    const { chunks, next, total } = await processes.read(id, from);
    output += Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
    from = next;
    if (from >= total) break;
  }
  return { output, exitCode };
}

const { available, reason } = await probeView();
const missing = !available && !required;
if (missing) process.stderr.write(`LEFT OUT, because commands cannot be contained: ${reason}\n`);
const leftOutIf = (left: boolean): typeof test => (left ? (test.skip as typeof test) : test);
/** A test that needs a machine where commands can be contained. */
export const testContained = leftOutIf(missing);
/** The same, and the rights of root. */
export const testAsRoot = leftOutIf(missing || process.getuid?.() !== 0);
