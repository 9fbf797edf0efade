import { chownSync, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../../host/test/sandbox/support.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../../store/test/nats/support/nats-server.ts";
import { machines } from "./machines.ts";

// Whatever a host approved: on the node its owner decides.

let server: TestServer;
beforeAll(async () => {
  if (NATS_SERVER !== undefined) server = await startNats("", null);
});
afterAll(() => server?.stop());

describe.skipIf(NATS_SERVER === undefined)("over a NATS server", () => {
  test("answers an approval on the node, and runs the repeated call", async () => {
    const { kitchen, desk, know, serve, call } = await machines(server.url);
    know();
    await serve();
    expect((await desk.run("nodes", "approve", "kitchen")).code).toBe(0);
    const pending = await call("tool.exec", { command: "echo there" });
    expect(pending).toMatchObject({ kind: "error", code: "NODE_APPROVAL_NEEDED", receipt: "none" });
    const { approvalId } = pending.details;
    const [{ requests }] = (await kitchen.run("approvals", "--json")).lines();
    expect(requests).toMatchObject([{ approvalId, attended: false }]);
    const answered = await kitchen.run("approvals", "answer", approvalId, "allow");
    expect(answered.stdout).toMatch(
      /no longer waits.*stored for a day: the call runs when it is made again/s,
    );
    // Once, and not by itself.
    expect(await call("tool.exec", { command: "echo there" })).toMatchObject({
      kind: "ok",
      content: [{ text: "there" }],
    });
    expect(await call("tool.exec", { command: "echo there" })).toMatchObject({
      code: "NODE_APPROVAL_NEEDED",
    });
  });

  test("applies the rules of the node to all hosts, to one host and to its boundary, whatever the host approved", async () => {
    const { kitchen, desk, hostId, know, serve, call } = await machines(server.url);
    await kitchen.configure(`node: { server: "${server.url}", name: kitchen, offer: [read, write, ls] }
policy:
  sessions: { group: { grant: [write] } }
  deny: ["read(path:secrets/**)"]
  channels: { node: { deny: ["write(path:recipes/**)"] } }
  senders: { "id:${hostId}": { deny: ["ls(path:cellar)"] } }
`);
    for (const name of ["secrets/a.txt", "recipes/a.txt", "cellar/a.txt"])
      await kitchen.write(`w/${name}`, "x\n");
    know();
    await serve();
    await desk.run("nodes", "approve", "kitchen");
    for (const [command, params] of [
      ["tool.read", { path: "secrets/a.txt" }],
      ["tool.write", { path: "recipes/a.txt", content: "y" }],
      ["tool.ls", { path: "cellar" }],
    ] as const)
      expect(await call(command, params)).toMatchObject({
        code: "NODE_REFUSED",
        receipt: "none",
        details: { code: "POLICY_DENIED" },
      });
    // What is the node's own is nobody's to see.
    expect(await call("tool.read", { path: join(kitchen.folders.node, "identity.nk") })).toMatchObject({
      code: "NODE_FAILED",
      receipt: "none",
    });
    expect(await call("tool.read", { path: "recipes/a.txt" })).toMatchObject({ kind: "ok" });
    expect(await call("tool.write", { path: "made.txt", content: "x" })).toMatchObject({
      receipt: "committed",
    });
  });

  test.skipIf(isSkipped)("gives a host a sandbox on the node instead of a group session", async () => {
    const { kitchen, desk, know, serve, call } = await machines(server.url, {
      offer: "[exec, write]",
      node: "kind: sandboxed",
    });
    know();
    const { ready } = await serve();
    expect(ready).toMatchObject({ kind: "sandboxed" });
    await desk.run("nodes", "approve", "kitchen");
    // Free inside, and nothing of it is on the node's own disk.
    const command = `echo kept > made.txt && cat made.txt && ls ${kitchen.cwd}`;
    const outcome = await call("tool.exec", { command });
    expect(outcome.content[0].text).toMatch(/^kept\n.*(?:No such file|cannot access)/s);
    expect(await call("tool.exec", { command: "cat made.txt" })).toMatchObject({
      content: [{ text: "kept" }],
    });
    expect(existsSync(join(kitchen.cwd, "made.txt"))).toBe(false);
  });

  test.skipIf(isSkipped)("gives a session of the host a workspace on the node", async () => {
    const { kitchen, desk, know, serve, call } = await machines(server.url, { offer: "[read]" });
    const garden = realpathSync(await temporaryFolder());
    writeFileSync(join(garden, "a.txt"), "roses\n");
    // Commands there are who owns the folder, and never root.
    if (process.getuid?.() === 0)
      for (const path of [garden, join(garden, "a.txt")]) chownSync(path, 1000, 1000);
    await kitchen.configure(`node: { server: "${server.url}", name: kitchen, offer: [read], workspaces: { garden: { folder: ${garden}, access: rw } } }
sandbox: { backend: bubblewrap }
`);
    know();
    const { ready } = await serve();
    expect(ready.workspaces).toMatchObject([
      { name: "garden", access: "rw", network: "none", isolation: "bubblewrap" },
    ]);
    expect((await desk.run("nodes", "show", "kitchen")).stdout).toMatch(
      /workspace\.garden +rw, no network, in bubblewrap +not approved/,
    );
    expect((await desk.run("nodes", "approve", "kitchen", "workspace.garden")).code).toBe(0);
    await desk.configure(`nodes: { server: "${server.url}", name: desk }
sandbox: { backend: node, node: kitchen, workspace: garden, workspaceAccess: rw }
`);
    const inside = async (tool: string, args: object) => {
      const words = ["tools", "call", tool, JSON.stringify(args), "--session", "sandboxed", "--json"];
      return (await desk.run(...words)).lines()[0];
    };
    expect(await inside("exec", { command: "cat a.txt && echo more >> a.txt" })).toMatchObject({
      content: [{ text: "roses" }],
    });
    expect(readFileSync(join(garden, "a.txt"), "utf8")).toBe("roses\nmore\n");
    // What was not approved is not called, although the workspace may be had.
    expect(await call("tool.read", { path: "a.txt" })).toMatchObject({
      kind: expect.stringMatching(/error|blocked/),
    });
    await kitchen.run("nodes", "forget", "desk");
    expect(await inside("exec", { command: "cat a.txt" })).toMatchObject({ error: "NODE_NOT_PAIRED" });
  });
});
