import type { SandboxProbe } from "@haft/sandbox";
import { systemReason } from "@haft/system";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import type { Isolation } from "@haft/workspace/internal/wire";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HOST = "host";

/** Opens a session without commands; errors become failed probes. */
export async function probeHostCommands(): Promise<SandboxProbe> {
  let folder: string | undefined;
  const began = performance.now();
  try {
    folder = mkdtempSync(join(tmpdir(), "haft-doctor-"));
    const processes = createHostProcesses({ workspace: createHostWorkspace({ root: folder }) });
    // `await using` would add a package.
    try {
      await processes.identify([], { cwd: folder });
      const startMs = Math.round(performance.now() - began);
      return { backend: HOST, available: true, startMs, details: describe(processes.isolation!) };
    } finally {
      await processes.close();
    }
  } catch (thrown) {
    const where = folder === undefined ? `No folder can be made in ${tmpdir()}: ` : "";
    return { backend: HOST, available: false, reason: `${where}${systemReason(thrown)}`, details: {} };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function describe({ kind, startedBy, ends, limited, reason }: Isolation): Record<string, string> {
  return {
    "separated by":
      kind === "namespace" ? "a PID namespace for each session, which ends with it" : "process groups",
    ...(reason !== undefined && { because: reason }),
    "ended by":
      ends === "control-groups"
        ? "everything in their control group, and processes with their mark"
        : `processes with their mark: ${startedBy === "host" ? "there is no separate runner" : "no control group can be created for each"}`,
    tasks: limited
      ? "counted for each session"
      : "counted for all processes of the user together, and not for root",
  };
}
