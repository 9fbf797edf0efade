import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "../../src/files/host-workspace.ts";
import { createHostProcesses, type HostProcessesOptions } from "../../src/index.ts";
import { type Level, LEVELS } from "../support.ts";
import type { ContractSite } from "./support.ts";

export async function openHost(
  options: Partial<HostProcessesOptions>,
  level: Level = LEVELS[0]!,
): Promise<ContractSite> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const workspace = openWorkspace({ root }, level);
  const processes = createHostProcesses({ workspace, stateFolder: join(base, "state"), ...options });
  return {
    workspace: { ...workspace, processes },
    close: async () => {
      await processes.close({ graceMs: 0 });
      rmSync(base, { recursive: true, force: true });
    },
  };
}
