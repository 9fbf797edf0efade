import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHostProcesses, createHostWorkspace } from "../../src/index.ts";
import { fileContract } from "./files.ts";
import { processContract } from "./processes.ts";
import type { ContractSite } from "./support.ts";

async function openHost(): Promise<ContractSite> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const workspace = createHostWorkspace({ root });
  const processes = createHostProcesses({ workspace, stateFolder: join(base, "state") });
  return {
    workspace: { ...workspace, processes },
    close: async () => {
      await processes.close({ graceMs: 0 });
      rmSync(base, { recursive: true, force: true });
    },
  };
}

fileContract("the host", openHost);
processContract("the host", openHost);
