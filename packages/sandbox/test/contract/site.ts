import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { ContractSite, OpenSite } from "../../../workspace/test/contract/support.ts";
import type { SandboxBackend, SandboxSpec } from "../../src/backend.ts";
import { openSandbox } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { ORDINARY } from "../support.ts";

/** One for several suites: opened for the first, closed after the last. */
export function shareSite(open: OpenSite): OpenSite {
  let opened: Promise<ContractSite> | undefined;
  afterAll(async () => (await opened)?.close());
  return async () => ({ ...(await (opened ??= open())), close: async () => {} });
}

/** A workspace in a sandbox of this backend, for the contracts of files and processes: with limits nobody reaches. */
export function createSite(
  backend: SandboxBackend,
  more: (root: string) => Partial<SandboxSpec> = () => ({}),
): OpenSite {
  return shareSite(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
    if (ORDINARY !== undefined) chownSync(root, ORDINARY, ORDINARY);
    const limits = { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 };
    const workspace = await openSandbox(backend, specFor(root, { limits, ...more(root) }));
    return {
      workspace,
      close: async () => {
        await workspace.close();
        rmSync(root, { recursive: true, force: true });
      },
    };
  });
}
