import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import { createSandboxRuntimeBackend, openSandbox } from "../../src/index.ts";
import { pipeSpec } from "../pipe-backend.ts";
import { missing } from "../sandbox-runtime/support.ts";

async function openInside(): Promise<ContractSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  if (process.getuid?.() === 0) chownSync(root, 1000, 1000);
  const mounts = [{ name: "", hostPath: root, path: root, access: "rw" as const }];
  const workspace = await openSandbox(createSandboxRuntimeBackend(), {
    ...pipeSpec(mounts),
    network: { allow: ["localhost"] },
  });
  return {
    workspace,
    close: async () => {
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

describe.skipIf(missing)("sandbox-runtime", () => {
  fileContract("inside srt", openInside);
  processContract("inside srt", openInside);
});
