import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import { openSandbox } from "../../src/index.ts";
import { createPipeBackend, pipeSpec } from "../pipe-backend.ts";

async function openPipe(): Promise<ContractSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  const mounts = [{ name: "", hostPath: root, path: root, access: "rw" as const }];
  const workspace = await openSandbox(createPipeBackend(), pipeSpec(mounts));
  return {
    workspace,
    close: async () => {
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

fileContract("a runner over a pipe", openPipe);
processContract("a runner over a pipe", openPipe);
