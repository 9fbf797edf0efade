import { afterAll, beforeAll, describe } from "vitest";
import { createSshBackend, type SandboxBackend, type SandboxSpec } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { clients, noSshd, type Sshd, startSshd } from "../ssh/sshd.ts";
import { processesWith } from "../support.ts";
import { backendContract } from "./backend.ts";

const missing = noSshd !== undefined && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (missing) process.stderr.write(`LEFT OUT, because ${noSshd}.\n`);
const remote: Partial<SandboxSpec> = { network: "full", mounts: [] };

describe.skipIf(missing).each([
  ["Node", process.execPath],
  ["a shell", false],
] as const)("ssh, served by %s", (served, remoteNode) => {
  let sshd: Sshd;
  let backend: SandboxBackend;
  beforeAll(async () => {
    if (noSshd !== undefined) throw new Error(`This must run here, but ${noSshd}.`);
    sshd = await startSshd();
    backend = createSshBackend(sshd.target({ remoteNode }));
  });
  afterAll(() => sshd?.stop());

  backendContract(`ssh, served by ${served}`, () => ({
    backend,
    spec: () => specFor(sshd.root, remote),
    refused: {
      "no network": { network: "none" },
      "a list of hosts": { network: { allow: ["example.org"] } },
      "a workspace to read": { workspace: "ro" },
      "folders of this machine": {
        mounts: [{ name: "data", hostPath: "/data", path: "/data", access: "ro" }],
      },
      "an image": { image: "debian" },
      "a user": { user: { uid: 1, gid: 1 } },
      "a longer life": { lifetime: { idleMs: 1, maxAgeMs: 1 } },
    },
    lose: () => clients(sshd.port).forEach((pid) => process.kill(pid, "SIGKILL")),
    // The client has the path of the folder in its arguments, and so has what it starts there.
    traces: () => processesWith(sshd.root),
  }));
});
