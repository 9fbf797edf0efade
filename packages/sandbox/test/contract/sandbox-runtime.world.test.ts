import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { createSandboxRuntimeBackend, type SandboxSpec } from "../../src/index.ts";
import { missing } from "../sandbox-runtime/support.ts";
import { specFor } from "../spec-for.ts";
import { killAll, ORDINARY, tempFolder } from "../support.ts";
import { backendContract } from "./backend.ts";
import { createSite } from "./site.ts";

/** Folders are inside where they are outside. */
const onHost = (root: string): Partial<SandboxSpec> => ({
  mounts: [{ name: "", hostPath: root, path: root, access: "rw" }],
  network: { allow: ["localhost"] },
});

describe.skipIf(missing)("sandbox-runtime", () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "haft-state-"));
  afterAll(() => rmSync(stateFolder, { recursive: true, force: true }));
  const backend = createSandboxRuntimeBackend({ stateFolder });

  backendContract("sandbox-runtime", () => ({
    backend,
    another: createSandboxRuntimeBackend({ stateFolder }),
    spec: () => {
      const root = tempFolder("workspace", ORDINARY);
      return specFor(root, onHost(root));
    },
    refused: {
      "the whole network": { network: "full" },
      "an image": { image: "debian" },
      "a longer life": { lifetime: { idleMs: 1, maxAgeMs: 1 } },
      root: { user: { uid: 0, gid: 0 } },
      "no folder for the workspace": { mounts: [] },
      "a file that is not to be moved": {
        protectedPaths: [{ hostPath: "/nowhere", path: "/nowhere", access: "rw", identity: "0:0" }],
      },
    },
    lose: ({ ref }) => killAll(`HAFT_SANDBOX=${ref.id}`),
    traces: () => readdirSync(stateFolder),
  }));
  const site = createSite(backend, onHost);
  fileContract("inside srt", site);
  processContract("inside srt", site);
});
