import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createLocalTransport,
  createNode,
  createNodes,
  openKnownHosts,
  openIdentity,
  openPairings,
} from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "haft-nodes-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "records");
}

test("decisions survive a restart, and decisions of another process apply at once", async () => {
  const path = folder();
  const transport = () =>
    createLocalTransport([createNode({ id: "n1", name: "kitchen", commands: camera().commands })]);
  const first = createNodes({ transport: transport(), pairings: openPairings(path) });
  await first.approve("n1", { commands: ["camera.snap"] });
  const second = createNodes({ transport: transport(), pairings: openPairings(path) });
  const target = second.resolve({ command: "camera.snap" });
  expect(await second.invoke({ target, params: { room: "hall" } })).toMatchObject({
    details: { room: "hall" },
  });
  first.revoke("n1");
  expect(await catchErrorCode(() => second.invoke({ target, params: { room: "hall" } }))).toBe(
    "NODE_REVOKED none",
  );
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(readdirSync(path)).toEqual(["n1.json"]);
});

test.each([
  ["invalid JSON", "{"],
  ["another value", "[]"],
  ["an incomplete approval", '{"name":"kitchen","pairedAt":1,"approved":{}}'],
  ["an invalid declaration", '{"name":"kitchen","pairedAt":1,"changed":{"commands":[{}]}}'],
])("reports a file that contains %s as an error instead of a missing decision", async (_, text) => {
  const path = folder();
  const pairings = openPairings(path);
  pairings.write("n1", { name: "kitchen", pairedAt: 1 });
  writeFileSync(join(path, "n1.json"), text);
  const nodes = createNodes({ transport: createLocalTransport([]), pairings });
  expect(await catchErrorCode(() => nodes.resolve({ node: "n1", command: "camera.snap" }))).toBe(
    "NODE_RECORD_UNREADABLE none",
  );
  expect(await catchErrorCode(() => openPairings(path).read("n1"))).toBe("NODE_RECORD_UNREADABLE none");
});

test("rejects invalid ids and creates no file for them", async () => {
  const path = folder();
  const hosts = openKnownHosts(path);
  expect(hosts.read("../n1")).toBeUndefined();
  expect(await catchErrorCode(() => hosts.write("../n1", { name: "x", pairedAt: 1 }))).toBe(
    "NODE_UNKNOWN none",
  );
  expect(hosts.ids()).toEqual([]);
});

test("rejects files of other users and links", async () => {
  const path = folder();
  const hosts = openKnownHosts(path);
  hosts.write("n1", { name: "x", pairedAt: 1 });
  chmodSync(join(path, "n1.json"), 0o666);
  expect(await catchErrorCode(() => openKnownHosts(path).read("n1"))).toBe("NODE_RECORD_UNREADABLE none");
  symlinkSync(join(path, "n1.json"), join(path, "n2.json"));
  expect(await catchErrorCode(() => hosts.read("n2"))).toBe("NODE_RECORD_UNREADABLE none");
});

test("creates an identity once, readable only by its owner", async () => {
  const path = folder();
  const made = openIdentity(path);
  expect(made.id).toMatch(/^U[A-Z2-7]{55}$/);
  expect(openIdentity(path).id).toBe(made.id);
  expect(statSync(join(path, "identity.nk")).mode & 0o777).toBe(0o600);
  writeFileSync(join(path, "identity.nk"), "SUnothing");
  expect(await catchErrorCode(() => openIdentity(path))).toBe("NODE_OPTIONS_INVALID none");
});
