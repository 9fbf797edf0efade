import type { Processes } from "@haft/core";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import type { HostProcesses, HostProcessesOptions } from "../../src/index.ts";
import { createHostProcesses, createHostWorkspace } from "../../src/index.ts";
import { scanProcesses } from "../../src/system/process-scan.ts";

export { run, start, textOf, uniqueSleep, until } from "../contract/support.ts";

/** Every way in which commands are started and kept apart; all of them behave alike. */
export const WAYS = {
  "runner in a namespace": { isolation: "auto" },
  "runner among all processes": { isolation: "group" },
  "in the host": { startedBy: "host" },
} as const satisfies Record<string, Partial<HostProcessesOptions>>;

export const EACH_WAY = Object.entries(WAYS).map(([name, options]) => ({ name, options }));

/** A folder that is removed after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "haft-processes-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface Site {
  /** Root of the workspace. */
  root: string;
  processes: HostProcesses;
}

/** A session with a workspace of its own; ended after the test. */
export function session(options: Partial<HostProcessesOptions> = {}): Site {
  const base = folder();
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root }),
    stateFolder: stateFolderIn(base),
    ...options,
  });
  onTestFinished(() => processes.close({ graceMs: 0 }));
  return { root, processes };
}

/** Everything that can be read, pulled in pieces. */
export async function readAll(
  processes: Processes,
  id: string,
  max = 64 * 1024,
): Promise<{ stdout: Buffer; stderr: Buffer; all: Buffer; dropped: number; total: number }> {
  const parts: { stream: string; bytes: Uint8Array }[] = [];
  let dropped = 0;
  for (let from = 0; ;) {
    const output = await processes.read(id, from, { max });
    parts.push(...output.chunks);
    dropped += output.dropped;
    from = output.next;
    if (from < output.total) continue;
    const of = (stream: string): Buffer =>
      Buffer.concat(parts.filter((one) => one.stream === stream).map(({ bytes }) => bytes));
    const all = Buffer.concat(parts.map(({ bytes }) => bytes));
    return { stdout: of("stdout"), stderr: of("stderr"), all, dropped, total: output.total };
  }
}

/** Living processes of this machine whose command line contains a text. Make it unlike all others. */
export function living(text: string): number[] {
  return scanProcesses()
    .filter(({ pid, zombie }) => !zombie && pid !== process.pid && commandLine(pid).includes(text))
    .map(({ pid }) => pid);
}

/** Its words, each ended by a NUL; empty when it is gone. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
