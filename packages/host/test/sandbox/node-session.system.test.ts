import { createLocalTransport, createNode, createNodes, memoryRecords, type NodePairing } from "@haft/nodes";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import { chownSync, existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { openTestHost, call, isSkipped, run, getText } from "./support.ts";

/** A node of this process that offers a folder, and a host that approved it. */
async function withNode(options: HostOptions = {}, access: "ro" | "rw" = "rw") {
  const [cwd, folder] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(folder, "a.txt"), "of the node\n");
  // Commands there are who owns the folder, and never root.
  if (process.getuid?.() === 0)
    for (const path of [folder, join(folder, "a.txt")]) chownSync(path, 1000, 1000);
  const backend = createBubblewrapBackend({ stateFolder: await temporaryFolder() });
  const project = offerWorkspace(backend, { name: "project", description: "A project.", folder, access });
  const node = createNode({ id: "n1", name: "kitchen", commands: [], workspaces: [project] });
  const nodes = createNodes({
    transport: createLocalTransport([node]),
    pairings: memoryRecords<NodePairing>(),
  });
  await nodes.approve("n1");
  onTestFinished(async () => {
    await nodes.close();
    await node.close();
  });
  const sandbox = {
    backend: "node",
    node: "kitchen",
    workspace: "project",
    workspaceAccess: access,
  } as const;
  const host = await openTestHost(cwd, { nodes, ...options, sandbox: { ...sandbox, ...options.sandbox } });
  return { cwd, folder, nodes, host };
}

describe.skipIf(isSkipped)("a session with a workspace on a node", () => {
  test("runs every tool there and nothing on this machine", async () => {
    const { cwd, folder, host } = await withNode();
    const session = await host.openSession({ kind: "sandboxed" });
    expect(session.facts).toMatchObject({ kind: "sandboxed", sandbox: { mount: "rw", network: "none" } });
    expect(getText(await call(session, "read", { path: "a.txt" }))).toBe("of the node\n");
    const edit = { path: "a.txt", oldText: "node", newText: "host" };
    expect(await call(session, "edit", edit)).toMatchObject({ kind: "ok", receipt: "committed" });
    const patch = "*** Begin Patch\n*** Add File: new/b.txt\n+made there\n*** End Patch";
    expect(await call(session, "apply_patch", { input: patch })).toMatchObject({ kind: "ok" });
    expect(getText(await call(session, "grep", { pattern: "made" }))).toContain("b.txt");
    expect(await run(session, "cat a.txt new/b.txt; pwd")).toBe("of the host\nmade there\n/workspace");
    expect(await readFile(join(folder, "new/b.txt"), "utf8")).toBe("made there\n");
    expect(existsSync(join(cwd, "new"))).toBe(false);
    const background = await call(session, "exec", { command: "cat; echo over", background: true });
    const { sessionId } = (background as unknown as { details: { sessionId: string } }).details;
    await call(session, "process", { action: "submit", sessionId, data: "typed", eof: true });
    await call(session, "process", { action: "write", sessionId, data: "", eof: true });
    const polled = await call(session, "process", { action: "poll", sessionId, timeout: 10_000 });
    expect(getText(polled)).toContain("typed");
  });

  test("accepts this node by host and by name in exec, refuses others, and applies rules for the node", async () => {
    const { host } = await withNode({ policy: { deny: ["exec(node:kitchen, command:touch *)"] } });
    const session = await host.openSession({ kind: "sandboxed" });
    for (const target of [{ host: "node" }, { node: "kitchen" }, { host: "node", node: "n1" }])
      expect(getText(await call(session, "exec", { command: "echo there", ...target }))).toContain("there");
    for (const target of [{ host: "gateway" }, { host: "sandbox" }, { node: "attic" }])
      expect(await call(session, "exec", { command: "echo there", ...target })).toMatchObject({
        code: "EXEC_UNAVAILABLE",
      });
    expect(await call(session, "exec", { command: "touch mine" })).toMatchObject({ code: "POLICY_DENIED" });
  });

  test("cannot get more access than the node offers, or use an unknown node", async () => {
    const { host } = await withNode({}, "ro");
    const session = await host.openSession({ kind: "sandboxed" });
    expect(await call(session, "write", { path: "a.txt", content: "x" })).toMatchObject({
      code: "READ_ONLY",
    });
    const more = { kind: "sandboxed", sandbox: { workspaceAccess: "rw" } } as const;
    await expect(host.openSession(more)).rejects.toMatchObject({ code: "SANDBOX_UNSUPPORTED" });
    const other = { kind: "sandboxed", sandbox: { node: "attic" } } as const;
    await expect(host.openSession(other)).rejects.toMatchObject({ code: "NODE_UNKNOWN" });
    const wrong = { kind: "sandboxed", sandbox: { backend: "bubblewrap" } } as const;
    await expect(host.openSession(wrong)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });

  test("loses its workspace when the node is revoked", async () => {
    const { host, nodes } = await withNode();
    const session = await host.openSession({ kind: "sandboxed" });
    expect(await run(session, "echo there")).toBe("there");
    nodes.revoke("n1");
    const codes = [];
    // The first may be under way to the one that is lost just now.
    for (const command of ["echo 1", "echo 2"]) codes.push(await call(session, "exec", { command }));
    expect(codes[0]).toMatchObject({ kind: "error" });
    expect(codes[1]).toMatchObject({ code: "NODE_REVOKED" });
  });
});

test.skipIf(isSkipped)("is refused without nodes", async () => {
  const host = await openTestHost(await temporaryFolder(), { sandbox: { backend: "node" } });
  await expect(host.openSession({ kind: "sandboxed" })).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
  });
});
