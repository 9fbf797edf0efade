import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import { createBubblewrapBackend, openSandbox } from "../../src/index.ts";
import { pipeSpec } from "../pipe-backend.ts";

const probe = await createBubblewrapBackend().probe();
const missing = !probe.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (missing) process.stderr.write(`LEFT OUT, because bubblewrap does not work: ${probe.reason}\n`);

async function openInside(): Promise<ContractSite> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  // Nobody inside is root, so neither is the owner of the workspace.
  if (process.getuid?.() === 0) chownSync(root, 1000, 1000);
  const mounts = [{ name: "", hostPath: root, path: "/workspace", access: "rw" as const }];
  const workspace = await openSandbox(createBubblewrapBackend(), { ...pipeSpec(mounts), network: "none" });
  return {
    workspace,
    close: async () => {
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

describe.skipIf(missing)("bubblewrap", () => {
  fileContract("inside bubblewrap", openInside);
  processContract("inside bubblewrap", openInside);
});
