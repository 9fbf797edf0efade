import {
  createLocalTransport,
  createNode,
  createNodes,
  type HaftNode,
  memoryRecords,
  type NodePairing,
} from "@haft/nodes";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { openTestHost, call, isSkipped, getText } from "./support.ts";

/** A host with nodes of these names, each with a folder of its own, and what is open on them. */
async function withNodes(names: readonly string[], options: HostOptions = {}, lent = ["project"]) {
  const stateFolder = await temporaryFolder();
  const backend = createBubblewrapBackend({ stateFolder });
  const folders: Record<string, string> = {};
  const made: HaftNode[] = [];
  for (const name of names) {
    const folder = (folders[name] = await temporaryFolder());
    if (process.getuid?.() === 0) chownSync(folder, 1000, 1000);
    const offered = { description: "A project.", folder, access: "rw" } as const;
    const workspaces = lent.map((each) => offerWorkspace(backend, { ...offered, name: each }));
    made.push(createNode({ id: `id-${name}`, name, commands: [], workspaces }));
  }
  const transport = createLocalTransport(made);
  const nodes = createNodes({ transport, pairings: memoryRecords<NodePairing>() });
  for (const { id } of made) await nodes.approve(id);
  onTestFinished(async () => {
    await nodes.close();
    for (const node of made) await node.close();
  });
  const cwd = await temporaryFolder();
  const host = await openTestHost(cwd, { nodes, ...options });
  return { cwd, folders, nodes, host, open: () => readdirSync(stateFolder).length };
}

const onNode = (command: string, more: object = {}) => ({ command, host: "node", ...more });

describe.skipIf(isSkipped)("exec with host=node in a session on this machine", () => {
  test("runs in the workspace of a node selected by name, by id, or as the only node", async () => {
    const { cwd, folders, host, open } = await withNodes(["kitchen"]);
    const session = await host.openSession({ kind: "main" });
    expect(open()).toBe(0);
    for (const target of [{}, { node: "kitchen" }, { node: "id-kitchen" }]) {
      const outcome = await call(session, "exec", onNode("pwd; echo there >>made.txt", target));
      expect(getText(outcome)).toContain("/workspace");
      expect(getText(outcome)).toContain("[ran on the node kitchen]");
    }
    expect(open()).toBe(1);
    expect([existsSync(join(folders["kitchen"]!, "made.txt")), existsSync(join(cwd, "made.txt"))]).toEqual([
      true,
      false,
    ]);
    expect(getText(await call(session, "exec", { command: "pwd" }))).toContain(cwd);
    await session.close();
    await vi.waitFor(() => expect(open()).toBe(0), 60_000);
  });

  test("runs in the background, and process lists the command with local commands", async () => {
    const { host } = await withNodes(["kitchen"]);
    const session = await host.openSession({ kind: "main" });
    const idOf = async (args: object) => {
      const outcome = await call(session, "exec", { ...args, background: true });
      return (outcome as unknown as { details: { sessionId: string } }).details.sessionId;
    };
    const [there, here] = [await idOf(onNode("cat; echo over")), await idOf({ command: "cat" })];
    const listed = getText(await call(session, "process", { action: "list" }));
    expect([listed.includes(there), listed.includes(here)]).toEqual([true, true]);
    await call(session, "process", { action: "write", sessionId: there, data: "typed\n", eof: true });
    const polled = await call(session, "process", { action: "poll", sessionId: there, timeout: 10_000 });
    expect(getText(polled)).toContain("typed\nover");
    expect(await call(session, "process", { action: "kill", sessionId: here })).toMatchObject({ kind: "ok" });
    expect(await call(session, "process", { action: "remove", sessionId: there })).toMatchObject({
      kind: "ok",
    });
    expect(getText(await call(session, "process", { action: "list" }))).not.toContain(there);
  });

  test("applies rules that name the node before it runs, and ignores rules for other nodes", async () => {
    const { folders, host } = await withNodes(["kitchen", "attic"], {
      policy: { deny: ["exec(node:kitchen, command:touch *)"] },
    });
    const session = await host.openSession({ kind: "main" });
    for (const node of ["kitchen", "id-kitchen"])
      expect(await call(session, "exec", onNode("touch mine", { node }))).toMatchObject({
        code: "POLICY_DENIED",
      });
    expect(await call(session, "exec", onNode("touch mine", { node: "attic" }))).toMatchObject({
      kind: "ok",
    });
    expect(await call(session, "exec", { command: "touch mine" })).toMatchObject({ kind: "ok" });
    expect(existsSync(join(folders["kitchen"]!, "mine"))).toBe(false);
    expect(existsSync(join(folders["attic"]!, "mine"))).toBe(true);
    expect(await call(session, "exec", onNode("true"))).toMatchObject({
      code: "NODE_NEEDED",
      receipt: "none",
    });
    expect(await call(session, "exec", onNode("true", { node: "cellar" }))).toMatchObject({
      code: "NODE_UNKNOWN",
      receipt: "none",
    });
  });

  test("does not extend an approval of this machine to a node, or of a node to another node", async () => {
    const { host } = await withNodes(["kitchen", "attic"], { policy: { ask: ["exec"] } });
    const session = await host.openSession({ kind: "main" });
    const onKitchen = onNode("echo once", { node: "kitchen" });
    const request = await call(session, "exec", onKitchen);
    expect(request).toMatchObject({ kind: "pending" });
    expect(JSON.stringify(session.pendingApprovals())).toContain("Host: node kitchen (id-kitchen)");
    const { approvalId } = request as unknown as { approvalId: string };
    expect(await session.resolveApproval(approvalId, "allow-always")).toMatchObject({ kind: "ok" });
    // The same again, whichever way it names the node.
    for (const node of ["kitchen", "id-kitchen"])
      expect(await call(session, "exec", onNode("echo once", { node }))).toMatchObject({ kind: "ok" });
    for (const args of [
      { command: "echo once" },
      onNode("echo once", { node: "attic" }),
      onNode("echo twice", { node: "kitchen" }),
    ])
      expect(await call(session, "exec", args)).toMatchObject({ kind: "pending" });
  });

  test("does not extend an approval to another workspace of the same node", async () => {
    const { host, nodes } = await withNodes(["kitchen"], { policy: { ask: ["exec"] } }, ["project", "vault"]);
    const approve = (workspace: string) =>
      nodes.approve("id-kitchen", { commands: [`workspace.${workspace}`] });
    await approve("project");
    const session = await host.openSession({ kind: "main" });
    const request = await call(session, "exec", onNode("echo once"));
    expect(JSON.stringify(session.pendingApprovals())).toContain("Workspace: project");
    const { approvalId } = request as unknown as { approvalId: string };
    expect(await session.resolveApproval(approvalId, "allow-always")).toMatchObject({ kind: "ok" });
    expect(await call(session, "exec", onNode("echo once"))).toMatchObject({ kind: "ok" });
    await approve("vault");
    expect(await call(session, "exec", onNode("echo once"))).toMatchObject({ kind: "pending" });
    expect(JSON.stringify(session.pendingApprovals())).toContain("Workspace: vault");
  });

  test("explains the same decision without opening anything", async () => {
    const { host, open } = await withNodes(["kitchen", "attic"], {
      policy: { deny: ["exec(node:kitchen)"] },
      sandbox: { backend: "node", node: "kitchen", workspace: "project" },
    });
    const [main, sandboxed] = [
      await host.preview({ kind: "main" }),
      await host.preview({ kind: "sandboxed" }),
    ];
    const explain = (preview: typeof main, args: object) => preview.explain("exec", args);
    expect(await explain(main, onNode("pwd", { node: "kitchen" }))).toMatchObject({ verdict: "denied" });
    expect(await explain(main, onNode("pwd", { node: "attic" }))).toMatchObject({ verdict: "runs" });
    expect(await explain(main, { command: "pwd" })).toMatchObject({ verdict: "runs" });
    expect(await explain(sandboxed, { command: "pwd" })).toMatchObject({ verdict: "denied" });
    expect(open()).toBe(0);
  });

  test("stops the commands of a revoked node and refuses new commands", async () => {
    const { host, nodes, open } = await withNodes(["kitchen"]);
    const session = await host.openSession({ kind: "main" });
    await call(session, "exec", onNode("sleep 600", { background: true }));
    expect(open()).toBe(1);
    nodes.revoke("id-kitchen");
    await vi.waitFor(() => expect(open()).toBe(0), 60_000);
    expect(await call(session, "exec", onNode("true"))).toMatchObject({ kind: "error", receipt: "none" });
  });

  test("fails in sandboxed and group sessions", async () => {
    const { host } = await withNodes(["kitchen"]);
    for (const kind of ["sandboxed", "group"] as const) {
      const session = await host.openSession({ kind });
      expect((await call(session, "exec", onNode("true"))).kind).toBe("error");
    }
  });
});

test("fails without a node and runs nothing on this machine", async () => {
  const cwd = await temporaryFolder();
  const host = await openTestHost(cwd);
  const session = await host.openSession({ kind: "main" });
  expect(await call(session, "exec", onNode("touch mine"))).toMatchObject({ code: "EXEC_UNAVAILABLE" });
  expect(existsSync(join(cwd, "mine"))).toBe(false);
});
