import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { machine } from "./machines.ts";

// Which machines may be called, and what this one offers, is nobody's to say but its operator's.

const NO_SERVER = "nats://127.0.0.1:1";
const NODE = `node: { server: "${NO_SERVER}", name: kitchen, offer: [read, ls] }\n`;

test("refuses these commands in a session", async () => {
  const there = await machine(`${NODE}nodes: { server: "${NO_SERVER}" }\n`);
  there.env["HAFT_PROCESS"] = "some-session";
  for (const args of [
    ["nodes", "start"],
    ["nodes", "accept", "--read-code"],
    ["nodes", "forget", "x"],
    ["nodes"],
    ["nodes", "approve", "kitchen"],
    ["nodes", "revoke", "kitchen"],
    ["nodes", "pair", "kitchen", "--read-code"],
  ])
    expect(await there.run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Only the user decides.*INSIDE_SESSION/s),
    });
});

test("ignores nodes and servers in a workspace configuration, trusted or not", async () => {
  const there = await machine("{}");
  await there.write(
    "w/haft.config.yaml",
    `${NODE}nodes: { server: "${NO_SERVER}" }\npolicy: { deny: [exec] }\n`,
  );
  for (const trusted of [false, true]) {
    if (trusted)
      expect(await there.run("config", "trust", "--yes")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Only the operator may set/),
      });
    const started = await there.run("nodes", "offer");
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining("CONFIG_INVALID") });
    expect((await there.run("nodes", "find")).stderr).toContain("CONFIG_INVALID");
    const tools = await there.run("tools", "--all");
    expect(tools.stdout).not.toContain("node_invoke");
    const { stdout } = await there.run("config", "show");
    expect(stdout).toMatch(/also says (?:nodes, node|node, nodes): .*only the operator may set/);
  }
});

test("protects identities and decisions from sessions", async () => {
  const there = await machine(`${NODE}nodes: { server: "${NO_SERVER}" }\n`);
  expect((await there.run("nodes", "offer")).code).toBe(0);
  await there.run("nodes");
  const above = dirname(there.env["HAFT_STATE_DIR"]!);
  for (const folder of [there.folders.node, there.folders.host]) {
    const path = `all:${relative(above, join(folder, "identity.nk"))}`;
    for (const [tool, args] of [
      ["read", { path }],
      ["write", { path, content: "x" }],
    ] as const) {
      const { stdout } = await there.run(
        "tools",
        "call",
        tool,
        JSON.stringify(args),
        "--root",
        `all=${above}:rw`,
        "--json",
      );
      expect(JSON.parse(stdout)).toMatchObject({
        kind: expect.stringMatching(/error|blocked/),
        receipt: "none",
      });
    }
  }
});

test("shows a configuration without credentials", async () => {
  const there = await machine(
    `nats: { servers: "nats://ada:lovelace@127.0.0.1:1", password: secret-one, token: { env: TOKEN } }\nnodes: { server: "nats://ada:lovelace@127.0.0.1:1" }\n`,
  );
  const { stdout } = await there.run("config", "show");
  expect(stdout).toMatch(/nats\.servers +"nats:\/\/127\.0\.0\.1:1"/);
  expect(stdout).toMatch(/nodes\.server +"nats:\/\/127\.0\.0\.1:1"/);
  expect(stdout).toContain("TOKEN");
  expect(stdout).not.toMatch(/secret-one|lovelace/);
});
