import { createLocalTransport, createNode, createNodes, defineNodeCommand } from "@haft/nodes";
import { Type } from "@haft/plugin-sdk";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";
import { openHost } from "../support/open-host.ts";

const snapped: string[] = [];
const snap = defineNodeCommand({
  name: "camera.snap",
  description: "Takes a picture.",
  parameters: Type.Object({ room: Type.String() }),
  effects: ["read"],
  run({ room }) {
    snapped.push(room);
    return { content: [{ type: "text", text: `picture of ${room}` }], details: {} };
  },
});

async function own() {
  const nodes = createNodes({
    transport: createLocalTransport([createNode({ id: "n1", name: "kitchen", commands: [snap] })]),
  });
  await nodes.approve("n1");
  onTestFinished(() => nodes.close());
  return nodes;
}

async function aHost(options: HostOptions) {
  const workspaceDir = await temporaryFolder();
  const host = await openHost({ workspaceDir, stateDir: false, ...options });
  return host;
}

const SNAP = { name: "node_invoke", arguments: { command: "camera.snap", params: { room: "hall" } } };

test("a host with nodes has node_invoke, which every kind of session denies until a policy grants it", async () => {
  const nodes = await own();
  const host = await aHost({ nodes });
  for (const kind of ["main", "group"] as const) {
    const session = await host.openSession({ kind });
    expect(session.tools().map(({ name }) => name)).not.toContain("node_invoke");
    expect(await session.call(SNAP)).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  }
  const granted = await aHost({
    nodes,
    policy: { sessions: { group: { grant: ["node_invoke(node:kitchen)"] } } },
  });
  const group = await granted.openSession({ kind: "group" });
  for (const name of ["node_invoke", "node-invoke"])
    expect(await group.call({ ...SNAP, name })).toMatchObject({ kind: "ok", toolName: "node_invoke" });
  expect(snapped).toEqual(["hall", "hall"]);
  const main = await granted.openSession({ kind: "main" });
  expect(await main.call(SNAP)).toMatchObject({ kind: "blocked" });
});

test("nodes that a program opened stay open after the host closes", async () => {
  const nodes = await own();
  const host = await aHost({ nodes });
  await host.close();
  expect(await nodes.list()).toMatchObject([{ name: "kitchen", present: true }]);
});

test("a host without nodes has no node_invoke", async () => {
  const host = await aHost({});
  const session = await host.openSession();
  expect(await session.call(SNAP)).toMatchObject({ code: "UNKNOWN_TOOL" });
});

test("settings open no connection and store nothing before the first use of a node", async () => {
  const workspaceDir = await temporaryFolder();
  const stateDir = getStateFolder(workspaceDir);
  const host = await aHost({
    workspaceDir,
    stateDir,
    nodes: { server: "nats://127.0.0.1:1" },
    policy: { grant: ["node_invoke"] },
  });
  const session = await host.openSession();
  expect(session.tools().find(({ name }) => name === "node_invoke")?.description).toContain(
    "No command is approved now",
  );
  expect(await session.call(SNAP)).toMatchObject({ kind: "error", code: "NODE_NEEDED", receipt: "none" });
  expect(existsSync(join(stateDir, "nodes"))).toBe(false);
});

test.each<[string, HostOptions, RegExp]>([
  ["no server", { nodes: {} as never }, /nodes: server must be/],
  ["a server that is none", { nodes: { server: 4222 as never } }, /server must be/],
  [
    "a name that is near",
    { nodes: { sever: "nats://x" } as never },
    /no option "sever"\. Did you mean "?server/,
  ],
  [
    "a near name in the server",
    { nodes: { server: { servers: "nats://x", pasword: "y" } as never } },
    /no option "pasword"\. Did you mean "?password/,
  ],
  ["no state", { nodes: { server: "nats://x" }, stateDir: false }, /stateDir is false/],
  [
    "a denial that is none",
    { nodes: { server: "nats://x", deny: ["a b"] }, stateDir: "s" },
    /deny contains "a b"/,
  ],
])("options with %s are refused", async (_, options, message) => {
  const workspaceDir = await temporaryFolder();
  await expect(
    createHost({
      workspaceDir,
      administratorPolicy: false,
      stateDir: getStateFolder(workspaceDir),
      ...options,
    }),
  ).rejects.toThrow(message);
});

test("importing haft or creating a host without nodes loads neither nodes nor NATS", () => {
  const program = `
    const { registerHooks } = await import("node:module");
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { createHost } = await import("haft");
    const host = await createHost({ stateDir: false, administratorPolicy: false });
    await (await host.openSession()).call({ name: "ls", arguments: {} });
    await host.close();
    console.log(JSON.stringify(loaded.filter((url) => /@nats-io|packages\\/nodes|@haft\\/nodes/.test(url))));
    console.log(loaded.length > 20);`;
  const args = [...conditions, "--no-warnings", "--input-type=module", "--eval", program];
  const output = execFileSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../../../../examples"),
    encoding: "utf8",
  });
  expect(output.trim().split("\n")).toEqual(["[]", "true"]);
});
