import { checkValue } from "@haft/core/internal";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../../store/test/nats/support/nats-server.ts";
import type { Line } from "../../support/haft.ts";
import { haftTerminals } from "../../support/terminal.ts";
import { toJsonSchema } from "../json/shape.ts";
import { names, shapes } from "../json/shapes.ts";
import { machines } from "./machines.ts";

const terminal = haftTerminals();
let server: TestServer;
beforeAll(async () => {
  if (NATS_SERVER !== undefined) server = await startNats("", null);
});
afterAll(() => server?.stop());

/** What was printed, in the shape that is documented. */
function shaped(shape: string, value: Line): Line {
  expect([shape, checkValue(toJsonSchema(shapes[shape]!, names), value, 5)]).toEqual([shape, []]);
  return value;
}

describe.skipIf(NATS_SERVER === undefined)("over a NATS server", () => {
  test("finds, pairs, approves, calls, forgets and revokes a node", async () => {
    const { kitchen, desk, nodeId, hostId, serve, call } = await machines(server.url);
    await kitchen.write("w/recipe.txt", "two eggs\n");
    const shown = shaped("nodes offer", (await kitchen.run("nodes", "offer", "--json")).lines()[0]);
    expect(shown).toMatchObject({ id: nodeId, name: "kitchen", kind: "group", hosts: [] });
    // Of a group's session only what the rules here grant.
    expect(shown.commands.map(({ name }: Line) => name)).toEqual(["tool.exec", "tool.read"]);
    expect(shown.withheld).toMatchObject([
      { name: "write", fix: expect.stringContaining("sessions.group.grant") },
    ]);
    const node = await serve();
    shaped("nodes start", node.ready);
    expect(node.stderr()).toContain("The NATS server has no permissions");

    const waiting = kitchen.program("nodes", "accept", "--read-code", "--json");
    await until("the node waits for a host", async () => {
      const [found] = shaped("nodes find", (await desk.run("nodes", "find", "--json")).lines()[0]).nodes;
      return found.pairing === true && found.id === nodeId;
    });
    const pairing = desk.program("nodes", "pair", "kitchen", "--read-code", "--json");
    const [there, here] = await Promise.all([waiting.line(), pairing.line()]);
    shaped("nodes accept", there);
    expect(shaped("nodes pair", here).code).toBe(there.code);
    expect(there.host).toEqual({ id: hostId, name: "desk" });
    waiting.writeLine(here.code);
    pairing.writeLine(there.code.replace(" ", "-"));
    expect(shaped("nodes accept", await waiting.line())).toMatchObject({ paired: true });
    expect(shaped("nodes pair", await pairing.line())).toMatchObject({ paired: true, node: { id: nodeId } });

    const [listed] = (await desk.run("nodes", "--json")).lines();
    expect(shaped("nodes list", listed).nodes).toMatchObject([
      { id: nodeId, name: "kitchen", state: "new", present: true, approved: [] },
    ]);
    expect(await call("tool.read", { path: "recipe.txt" })).toMatchObject({ code: "NODE_NEEDED" });
    const [{ node: looked }] = (await desk.run("nodes", "show", nodeId.slice(0, 10), "--json")).lines();
    const args = [
      "nodes",
      "approve",
      "kitchen",
      "tool.read",
      "tool.exec",
      "--digest",
      looked.digest,
      "--json",
    ];
    expect(shaped("nodes approve", (await desk.run(...args)).lines()[0])).toMatchObject({
      node: { state: "approved", approved: ["tool.exec", "tool.read"] },
    });

    // The program that serves knows the host that another one has paired.
    expect(await call("tool.read", { path: "recipe.txt" })).toMatchObject({
      kind: "ok",
      receipt: "none",
      content: [{ text: "two eggs\n" }],
      details: { node: nodeId, name: "kitchen", command: "tool.read" },
    });
    const explained = await desk.run(
      "explain",
      "node_invoke",
      '{"command":"tool.exec","params":{"command":"ls"}}',
    );
    expect(explained.stdout).toMatch(
      /node {2}kitchen \(U\w+\)\n {2}command {2}tool\.exec, with the effects execute$/m,
    );
    const recorded = await desk.run("ledger", "show", "last", "call_1");
    expect(recorded.stdout).toMatch(
      /node +kitchen \(U\w+\)\n *command {2}tool\.read, with the effects read$/m,
    );
    // Host and node each have it in their own books.
    // What only reads is written down a moment later.
    await until("the node has it in its books", async () => {
      const books = await kitchen.run("ledger", "list", "--session", `node:${hostId}`, "--json");
      const [only, ...more] = books.lines()[0]?.calls ?? [];
      return only?.toolName === "read" && only.outcome === "ok" && more.length === 0;
    });

    const [{ hosts }] = (await kitchen.run("nodes", "hosts", "--json")).lines();
    expect(hosts).toMatchObject([{ id: hostId, name: "desk" }]);
    expect(shaped("nodes hosts", { hosts }).hosts).toHaveLength(1);
    shaped("nodes forget", (await kitchen.run("nodes", "forget", "desk", "--json")).lines()[0]);
    expect(await call("tool.read", { path: "recipe.txt" })).toMatchObject({
      code: "NODE_NOT_PAIRED",
      receipt: "none",
    });
    shaped("nodes revoke", (await desk.run("nodes", "revoke", "kitchen", "--json")).lines()[0]);
    expect(await call("tool.read", { path: "recipe.txt", node: "kitchen" })).toMatchObject({
      receipt: "none",
    });

    const { code, stderr } = await node.end("SIGINT");
    expect([code, stderr]).toEqual([130, expect.not.stringContaining("Error")]);
    for (const folder of [
      kitchen.folders.node,
      kitchen.folders.hosts,
      desk.folders.host,
      desk.folders.pairings,
    ])
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const folder of [kitchen.folders.node, desk.folders.host])
      expect(statSync(join(folder, "identity.nk")).mode & 0o777).toBe(0o600);
  });

  test("pairs neither side if the codes differ", async () => {
    const { kitchen, desk, nodeId } = await machines(server.url);
    const waiting = kitchen.program("nodes", "accept", "--read-code", "--json");
    await until("it waits", () => waiting.stderr().includes("waits for a host"));
    const pairing = desk.program("nodes", "pair", nodeId, "--read-code", "--json");
    await Promise.all([waiting.line(), pairing.line()]);
    waiting.writeLine("0000 0000 ");
    pairing.writeLine("");
    expect(await waiting.line()).toMatchObject({ paired: false });
    expect(await pairing.line()).toMatchObject({ paired: false });
    expect((await waiting.end(0)).code).toBe(1);
    expect((await kitchen.run("nodes", "hosts", "--json")).lines()[0]).toEqual({ hosts: [] });
    expect((await desk.run("nodes", "--json")).lines()[0].nodes).toEqual([]);
    // Nobody waits any more.
    expect(await desk.run("nodes", "pair", nodeId, "--read-code")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("NODE_UNREACHABLE"),
    });
  });

  test("shows one code on two terminals, and does not pair after a refusal", async () => {
    const { kitchen, desk, nodeId } = await machines(server.url, { offer: "[ls]" });
    const at = (there: typeof desk, ...args: string[]) =>
      terminal(args, there.cwd, [
        "--state",
        there.env["HAFT_STATE_DIR"]!,
        "--config",
        join(there.env["XDG_CONFIG_HOME"]!, "haft/haft.config.yaml"),
      ]);
    const waiting = await at(kitchen, "nodes", "accept");
    await waiting.until(/waits for a host/);
    const pairing = await at(desk, "nodes", "pair", nodeId);
    const [there, here] = await Promise.all([waiting.until(/> /), pairing.until(/> /)]);
    const code = /\n {2}(\d{4} \d{4})\r?\n/;
    expect(code.exec(there)?.[1]).toMatch(/\d/);
    expect(code.exec(there)?.[1]).toBe(code.exec(here)?.[1]);
    expect(here).toContain("tool.ls");
    await waiting.type("n\r");
    await pairing.type("y\r");
    expect(await waiting.end()).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("Not paired."),
    });
    expect(await pairing.end()).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("if the node agreed as well"),
    });
    expect((await kitchen.run("nodes", "hosts", "--json")).lines()[0]).toEqual({ hosts: [] });
    expect((await desk.run("nodes", "--json")).lines()[0].nodes).toMatchObject([
      { id: nodeId, present: false },
    ]);
  });

  test("holds a node back after its offer has changed", async () => {
    const { desk, know, serve, call, reoffer } = await machines(server.url, { offer: "[read]" });
    know();
    const first = await serve();
    const [{ node: looked }] = (await desk.run("nodes", "approve", "kitchen", "--json")).lines();
    await first.end();
    await reoffer("[read, ls]");
    await serve();
    expect(await call("tool.read", { path: "." })).toMatchObject({ code: "NODE_CHANGED", receipt: "none" });
    const shown = await desk.run("nodes", "show", "kitchen");
    expect(shown.stdout).toMatch(
      /changed, held back.*tool\.ls was added.*held back until you approve it again/s,
    );
    expect(await desk.run("nodes", "approve", "kitchen", "--digest", looked.digest)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("NODE_CHANGED"),
    });
    expect((await desk.run("nodes", "approve", "kitchen", "tool.read")).code).toBe(0);
    expect(await call("tool.ls", {})).toMatchObject({ code: "NODE_NOT_APPROVED" });
  });

  test("calls no revoked node, and distinguishes two nodes with one name", async () => {
    const one = await machines(server.url, { offer: "[ls]" });
    const other = await machines(server.url, { offer: "[ls]" });
    const { desk } = one;
    one.know();
    await one.serve();
    await other.serve();
    const { openKnownHosts, openPairings } = await import("@haft/nodes");
    openKnownHosts(other.kitchen.folders.hosts).write(one.hostId, { name: "desk", pairedAt: 1 });
    openPairings(desk.folders.pairings).write(other.nodeId, { name: "kitchen", pairedAt: 1 });
    expect(await desk.run("nodes", "approve", "kitchen")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("NODE_AMBIGUOUS"),
    });
    expect((await desk.run("nodes", "approve", one.nodeId, "--name", "barn")).code).toBe(0);
    expect((await desk.run("nodes", "approve", "kitchen")).code).toBe(0);
    expect(await one.call("tool.ls", {})).toMatchObject({ code: "NODE_NEEDED" });
    expect(await one.call("tool.ls", {}, { node: "barn" })).toMatchObject({ details: { node: one.nodeId } });
    await desk.run("nodes", "revoke", "barn");
    expect(await one.call("tool.ls", {}, { node: "barn" })).toMatchObject({
      code: "NODE_REVOKED",
      receipt: "none",
    });
    expect(await one.call("tool.ls", {})).toMatchObject({ details: { node: other.nodeId } });
    expect((await desk.run("nodes", "approve", "barn")).stderr).toContain("NODE_REVOKED");
  });

  test("rejects a second program with the same identity, also with a copied identity", async () => {
    const { kitchen, serve } = await machines(server.url, { offer: "[ls]" });
    const first = await serve();
    expect(await kitchen.haft("nodes", "start")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/serves this node already.*NODE_RUNS_ALREADY/s),
    });
    const copy = await machines(server.url, { offer: "[ls]" });
    const { cpSync, rmSync } = await import("node:fs");
    rmSync(copy.kitchen.folders.node, { recursive: true });
    cpSync(kitchen.folders.node, copy.kitchen.folders.node, {
      recursive: true,
      filter: (path) => !path.endsWith(".json"),
    });
    expect(await copy.kitchen.haft("nodes", "start")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /on the same server already uses the identity of this node.*NODE_RUNS_ALREADY/s,
      ),
    });
    // What a program that was killed has left behind keeps nobody from starting.
    await first.end("SIGKILL");
    await serve();
  });

  test("admits only configured identities to a server with permissions, and reports refusals", async () => {
    const before = await machines(server.url, { offer: "[ls]" });
    const { desk, nodeId, hostId } = before;
    const written = await desk.run("nodes", "server-config", nodeId, "--json");
    const { text, hosts, nodes } = shaped("nodes server-config", written.lines()[0]);
    expect([hosts, nodes]).toEqual([[hostId], [nodeId]]);
    const strict = await startNats(text, null);
    onTestFinished(() => strict.stop());
    await before.kitchen.configure(`node: { server: "${strict.url}", name: kitchen, offer: [ls] }\n`);
    await desk.configure(
      `nats: { servers: "${strict.url}" }\nnodes: { name: desk }\npolicy: { grant: [node_invoke] }\n`,
    );
    before.know();
    const node = await before.serve();
    expect(node.stderr()).toBe("");
    expect(await desk.run("nodes", "approve", "kitchen")).toMatchObject({ code: 0, stderr: "" });
    expect(await before.call("tool.ls", {})).toMatchObject({ kind: "ok" });
    const stranger = await machines(strict.url, { offer: "[ls]" });
    expect(await stranger.kitchen.haft("nodes", "start")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No connection to the NATS server.*NATS_FAILED/s),
    });
    expect(await desk.run("nodes", "server-config", "nobody")).toMatchObject({ code: 2 });
  });
});
