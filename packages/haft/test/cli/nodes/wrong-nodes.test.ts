import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machine } from "./machines.ts";

// What needs no server: none is there, or none is asked.

const NO_SERVER = "nats://127.0.0.1:1";
const NODE = `node: { server: "${NO_SERVER}", name: kitchen, offer: [read, ls] }\n`;

test.each([
  ["{}", "nodes start", /No configuration of this user defines a node on this machine.*CONFIG_INVALID/s],
  ["node: { offer: [read] }", "nodes start", /The node has no server.*CONFIG_INVALID/s],
  [NODE, "nodes start", /No connection to the NATS server at nats:\/\/127\.0\.0\.1:1.*NATS_FAILED/s],
  [
    "node: { offer: [raed] }",
    "nodes offer",
    /there is no tool "raed"\. Did you mean "?read"?.*CONFIG_INVALID/s,
  ],
  [
    "node: { offer: [write] }",
    "nodes offer",
    /A group session may call no tool of the offer\. write: .*sessions\.group\.grant.*CONFIG_INVALID/s,
  ],
  ["node: { ofer: [read] }", "nodes offer", /node\.ofer: There is no such key.*Did you mean "offer"/s],
  ["node: { offer: [read], kind: grup }", "nodes offer", /node\.kind: .*Did you mean "group"/s],
  [
    "node: { offer: [] }",
    "nodes offer",
    /offers nothing: it lists neither tools nor workspaces.*CONFIG_INVALID/s,
  ],
  ["node: { server: x }", "nodes offer", /offers nothing.*CONFIG_INVALID/s],
  [
    "node: { workspaces: { Bad_Name: { folder: ../../w } } }",
    "nodes offer",
    /Bad_Name.*word of lower-case letters.*NODE_OPTIONS_INVALID|none works here.*CONFIG_INVALID/s,
  ],
  ["node: { workspaces: { project: { foldr: x } } }", "nodes offer", /Did you mean "folder"/],
  [
    "node: { workspaces: { all: { folder: / } } }",
    "nodes offer",
    /node\.workspaces\.all: .*belongs to the system.*in node\.workspaces\.all, or.*SANDBOX_MOUNT_REFUSED|none works here.*CONFIG_INVALID/s,
  ],
  [
    'node: { offer: [read] }\nnats: { servers: "nats://x", tokn: y }',
    "nodes offer",
    /nats\.tokn: There is no such key.*Did you mean "token"/s,
  ],
  [
    `node: { offer: [read] }\nnats: { servers: "${NO_SERVER}", token: { env: HAFT_TEST_UNSET } }`,
    "nodes start",
    /HAFT_TEST_UNSET is not set.*CONFIG_INVALID/s,
  ],
  [NODE, "nodes forget desk", /No host has the id or name "desk"\..*No host is known.*NODE_UNKNOWN/s],
  ["{}", "nodes find", /There is no server for nodes.*CONFIG_INVALID/s],
  ["nodes: { sever: x }", "nodes", /nodes\.sever: There is no such key.*Did you mean "server"/s],
  [`nodes: { server: "${NO_SERVER}", deny: ["a b"] }`, "nodes", /deny contains "a b".*NODE_OPTIONS_INVALID/s],
  [`nats: { servers: "${NO_SERVER}" }\nnodes: { name: desk }`, "nodes find", /NATS_FAILED/],
  ["{}", `nodes find --server ${NO_SERVER}`, /NATS_FAILED/],
  ["{}", `nodes pair kitchen --read-code --server ${NO_SERVER}`, /NATS_FAILED/],
] as const)("rejects %s with %s", async (configuration, line, message) => {
  const there = await machine(configuration);
  const run = await there.run(...line.split(" "));
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

test("shows and revokes stored decisions without a server", async () => {
  const desk = await machine(`nodes: { server: "${NO_SERVER}" }\n`);
  mkdirSync(desk.folders.pairings, { recursive: true, mode: 0o700 });
  const id = `U${"A".repeat(55)}`;
  writeFileSync(join(desk.folders.pairings, `${id}.json`), '{"name":"barn","pairedAt":1}\n', { mode: 0o600 });
  const listed = await desk.run("nodes", "--json");
  expect(listed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The output shows stored data"),
  });
  expect(listed.lines()[0].nodes).toMatchObject([{ id, name: "barn", state: "new", present: false }]);
  expect((await desk.run("nodes", "revoke", "barn")).code).toBe(0);
  expect((await desk.run("nodes", "--json")).lines()[0].nodes).toMatchObject([{ state: "revoked" }]);
  expect((await desk.run("nodes", "approve", "barn")).stderr).toContain("NATS_FAILED");
  expect((await desk.run("nodes", "show", "bran")).stderr).toMatch(
    /No node has the id or name "bran"\. Did you mean "?barn/,
  );
});

test("ignores an unreadable record and reports it", async () => {
  const desk = await machine(`nodes: { server: "${NO_SERVER}" }\n`);
  mkdirSync(desk.folders.pairings, { recursive: true, mode: 0o700 });
  const file = join(desk.folders.pairings, `U${"A".repeat(55)}.json`);
  writeFileSync(file, "{", { mode: 0o600 });
  const listed = await desk.run("nodes");
  expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining("NODE_RECORD_UNREADABLE") });
  expect(listed.stderr).toContain(file);
});

test("needs a terminal for pairing, names the alternative, and contacts no node", async () => {
  const there = await machine(`${NODE}nodes: { server: "${NO_SERVER}" }\n`);
  // In a session of its own a program has no terminal, wherever the tests run.
  for (const args of [
    ["nodes", "accept"],
    ["nodes", "pair", "kitchen"],
  ]) {
    const run = await inSession(there, args);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/there is none\. With --read-code/) });
  }
});

async function inSession(there: Awaited<ReturnType<typeof machine>>, args: readonly string[]) {
  const { spawnSync } = await import("node:child_process");
  const { haftCommand } = await import("../../../../../test/support/build-under-test.ts");
  const command = ["--wait", ...haftCommand, ...args];
  const { status, stderr } = spawnSync("setsid", command, {
    cwd: there.cwd,
    env: { ...process.env, ...there.env },
    encoding: "utf8",
    input: "",
  });
  return { code: status, stderr };
}
