import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import { openSandbox } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { useDocker } from "./support.ts";

const { daemon, backend } = await useDocker();

async function openSite(): Promise<ContractSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  if (process.getuid?.() === 0) chownSync(root, 1000, 1000);
  const limits = { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 };
  const workspace = await openSandbox(backend, specFor(root, { limits }));
  return {
    workspace,
    close: async () => {
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

describe.skipIf(daemon === undefined)("a container", () => {
  fileContract("in a container", openSite);
  processContract("in a container", openSite);
});
