import { createBubblewrapBackend, createNodeBackend, offerWorkspace, openSandbox } from "@haft/sandbox";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { specFor } from "../../../sandbox/test/spec-for.ts";
import { ORDINARY, tempFolder } from "../../../sandbox/test/support.ts";
import { createBroker } from "../support/memory-bus.ts";
import { pairedNode } from "./paired-node.ts";

const probe = await createBubblewrapBackend().probe();
const missing = !probe.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";

async function offering(folder: string) {
  const there = createBubblewrapBackend({ stateFolder: tempFolder("state") });
  const offered = offerWorkspace(there, { name: "project", description: "A project.", folder, access: "rw" });
  const server = createBroker();
  const { nodes, close } = await pairedNode([offered], async () => server.connect());
  onTestFinished(close);
  return { backend: createNodeBackend(nodes), there };
}

describe.skipIf(missing)("a workspace of a node", () => {
  test("does not open a missing or redirected folder, and the host gets the reason", async () => {
    const folder = join(tempFolder("workspace", ORDINARY), "project");
    symlinkSync(tempFolder("first", ORDINARY), folder);
    const { backend, there } = await offering(folder);
    rmSync(folder);
    const opening = backend.open(specFor(folder, { mounts: [] }));
    await expect(opening).rejects.toMatchObject({
      receipt: "none",
      details: { code: "SANDBOX_MOUNT_REFUSED" },
    });
    symlinkSync(tempFolder("other", ORDINARY), folder);
    await expect(backend.open(specFor(folder, { mounts: [] }))).rejects.toThrow(/leads to another folder/);
    expect(await there.list()).toEqual([]);
  });

  test("reports a full disk and continues", async () => {
    const { backend } = await offering(tempFolder("workspace", ORDINARY));
    const limits = { memoryMb: 512, tasks: 128, cpus: 0, fileMb: 64, tmpMb: 1 };
    const workspace = await openSandbox(backend, specFor("/", { workspace: "none", mounts: [], limits }));
    onTestFinished(() => workspace.close());
    const run = async (script: string) => {
      const { id } = await workspace.processes.start(crypto.randomUUID(), { script });
      const { exitCode } = await workspace.processes.wait(id);
      const { chunks } = await workspace.processes.read(id, 0);
      return { exitCode, text: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() };
    };
    const full = await run("head -c 3000000 /dev/zero >/tmp/big");
    expect(full.exitCode).not.toBe(0);
    expect(full.text).toMatch(/No space left/);
    expect(await run("rm /tmp/big; echo on")).toEqual({ exitCode: 0, text: "on\n" });
  });
});
