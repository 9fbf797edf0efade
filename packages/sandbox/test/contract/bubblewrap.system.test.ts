import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { createBubblewrapBackend } from "../../src/index.ts";
import { missing } from "../bubblewrap/support.ts";
import { specFor } from "../spec-for.ts";
import { ORDINARY, killAll, tempFolder } from "../support.ts";
import { backendContract } from "./backend.ts";
import { createSite } from "./site.ts";

describe.skipIf(missing)("bubblewrap", () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "haft-state-"));
  afterAll(() => rmSync(stateFolder, { recursive: true, force: true }));
  const backend = createBubblewrapBackend({ stateFolder });

  backendContract("bubblewrap", () => ({
    backend,
    another: createBubblewrapBackend({ stateFolder }),
    spec: () => specFor(tempFolder("workspace", ORDINARY)),
    refused: {
      "a list of hosts": { network: { allow: ["example.org"] } },
      "a longer life": { lifetime: { idleMs: 1, maxAgeMs: 1 } },
      root: { user: { uid: 0, gid: 0 } },
      "no folder for the workspace": { mounts: [] },
      "a place that is the sandbox's own": {
        mounts: [{ name: "", hostPath: tempFolder(), path: "/usr/share", access: "ro" }],
      },
    },
    lose: ({ ref }) => killAll(`HAFT_SANDBOX=${ref.id}`),
    traces: () => readdirSync(stateFolder),
  }));
  const site = createSite(backend);
  fileContract("inside bubblewrap", site);
  processContract("inside bubblewrap", site);
});
