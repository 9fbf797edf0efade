import type { SandboxSpec } from "@haft/sandbox";
import { createBubblewrapBackend, createNodeBackend, offerWorkspace, openSandbox } from "@haft/sandbox";
import { chownSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { backendContract } from "../../../sandbox/test/contract/backend.ts";
import { specFor } from "../../../sandbox/test/spec-for.ts";
import { killAll, ORDINARY } from "../../../sandbox/test/support.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../store/test/nats/support/nats-server.ts";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { openNatsBus } from "../../src/nats/index.ts";
import { type PairedNode, pairedNode } from "./paired-node.ts";

const probe = await createBubblewrapBackend().probe();
const missing = !probe.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (missing) process.stderr.write(`LEFT OUT, because bubblewrap does not work: ${probe.reason}\n`);

const kinds = [
  ["a node in this process", false],
  ["a node over NATS", true],
] as const;

describe.skipIf(missing).each(kinds)("%s", (kind, isFar) => {
  const left = isFar && NATS_SERVER === undefined;
  describe.skipIf(left)("workspaces of a node", () => {
    const stateFolder = mkdtempSync(join(tmpdir(), "haft-state-"));
    const there = createBubblewrapBackend({ stateFolder });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
    if (ORDINARY !== undefined) chownSync(folder, ORDINARY, ORDINARY);
    let server: TestServer | undefined;
    let paired: PairedNode;
    beforeAll(async () => {
      server = isFar ? await startNats("", null) : undefined;
      const project = { name: "project", description: "A project.", folder, access: "rw" } as const;
      const offered = offerWorkspace(there, project);
      const bus = server && (() => openNatsBus({ servers: server!.url }));
      paired = await pairedNode([offered], bus);
    });
    afterAll(async () => {
      await paired?.close();
      await server?.stop();
      rmSync(stateFolder, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    });
    // What a node offers is known once it is there.
    const nodes = {
      resolveWorkspace: (selector: object) => paired.nodes.resolveWorkspace(selector),
      openWorkspace: (call: Parameters<PairedNode["nodes"]["openWorkspace"]>[0]) =>
        paired.nodes.openWorkspace(call),
    };
    const backend = createNodeBackend(nodes, { node: "kitchen" });
    const spec = (more: Partial<SandboxSpec> = {}) => specFor(folder, more);

    backendContract(kind, () => ({
      backend,
      spec,
      refused: {
        "a network": { network: "full" },
        "a list of hosts": { network: { allow: ["example.org"] } },
        "folders of this machine": {
          mounts: [{ name: "data", hostPath: "/data", path: "/data", access: "ro" }],
        },
        "an image": { image: "debian" },
        "a user": { user: { uid: 1, gid: 1 } },
        "a longer life": { lifetime: { idleMs: 1, maxAgeMs: 1 } },
        "a setup": { setup: "true" },
      },
      lose: async () => killAll(...(await there.list()).map(({ id }) => `HAFT_SANDBOX=${id}`)),
      traces: () => readdirSync(stateFolder),
    }));
    const site = async () => {
      const limits = { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 };
      const workspace = await openSandbox(backend, spec({ limits }));
      return { workspace, close: () => workspace.close() };
    };
    fileContract(kind, site);
    processContract(kind, site);
  });
});
