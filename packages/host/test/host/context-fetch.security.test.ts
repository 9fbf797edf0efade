import { definePlugin, defineTool, text, type ToolContext, Type } from "@haft/plugin-sdk";
import { probeView } from "@haft/sandbox/view";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { openTestHost, call, isSkipped, getText } from "../sandbox/support.ts";
import { openHost } from "../support/open-host.ts";

/** Fetches what it is told, and says what came of it. */
const get = (parts: object = {}) =>
  defineTool({
    name: "get",
    description: "Fetches.",
    parameters: Type.Object({ url: Type.String(), planned: Type.Optional(Type.Array(Type.String())) }),
    effects: ["network"],
    plan: ({ planned }) => (planned === undefined ? undefined : { subjects: { hosts: planned } }),
    async execute(_id, { url }, _signal, _onUpdate, { fetch }: ToolContext) {
      const response = await fetch(url);
      return { content: [text(await response.text())], details: { url: response.url } };
    },
    ...parts,
  });

const plugins = [definePlugin({ id: "web", tools: [get()] })];
const granted = { sessions: { sandboxed: { grant: ["get"] }, group: { grant: ["get"] } } };

/** A server of this machine. `/to/URL` redirects there. */
async function serve() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    const to = /^\/to\/(.*)$/.exec(request.url!)?.[1];
    if (to === undefined) response.end("of the host");
    else response.writeHead(302, { location: decodeURIComponent(to) }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

async function open(options: HostOptions = {}, session: object = {}) {
  const host = await openHost({
    workspaceDir: await temporaryFolder(),
    stateDir: false,
    plugins,
    ...options,
  });
  const opened = await host.openSession(session);
  return {
    host,
    session: opened,
    get: (url: string, planned?: string[]) => call(opened, "get", { url, planned }),
  };
}

describe("requests of a session on the host", () => {
  test("reach this machine only if the operator allows it, and the ledger records the hosts", async () => {
    const { port, asked } = await serve();
    const closed = await open();
    expect(await closed.get(`http://localhost:${port}/`)).toMatchObject({
      kind: "error",
      code: "ADDRESS_REFUSED",
    });
    expect(asked).toEqual([]);
    const opened = await open({ network: { allowPrivate: [`localhost:${port}`] } });
    expect(getText(await opened.get(`http://localhost:${port}/`))).toBe("of the host");
    expect(await opened.get(`http://127.0.0.1:${port}/`)).toMatchObject({ code: "ADDRESS_REFUSED" });
    expect(opened.session.ledger().map(({ hosts }) => hosts)).toEqual([["localhost"], undefined]);
  });

  test("check each redirect again against rules and its target", async () => {
    const { port, asked } = await serve();
    const policy = { deny: ["effect:network(host:localhost)"] };
    const { get } = await open({ policy, network: { allowPrivate: ["127.0.0.1"] } });
    const base = `http://127.0.0.1:${port}`;
    expect(getText(await get(`${base}/to/${encodeURIComponent("/page")}`, ["127.0.0.1"]))).toBe(
      "of the host",
    );
    const denied = await get(`${base}/to/${encodeURIComponent(`http://localhost:${port}/`)}`, ["127.0.0.1"]);
    expect(denied).toMatchObject({ kind: "error", code: "HOST_DENIED" });
    expect(getText(denied)).toMatch(
      /localhost is not contacted, to which 127\.0\.0\.1:\d+ redirects: .*effect:network\(host:localhost\)/s,
    );
    const local = await get(`${base}/to/${encodeURIComponent("http://[::1]:1/")}`, ["127.0.0.1"]);
    expect(local).toMatchObject({ code: "ADDRESS_REFUSED" });
    expect(asked.every((one) => one.startsWith("127.0.0.1"))).toBe(true);
  });

  test("need a plan that names the hosts if a rule asks about hosts", async () => {
    const { port } = await serve();
    const questions: string[] = [];
    const approver = {
      ask: async ({ preview }: { preview: readonly object[] }) => {
        questions.push(JSON.stringify(preview));
        return { decision: "allow-once" as const };
      },
    };
    const network = { allowPrivate: ["127.0.0.1", "localhost"] };
    const policy = { ask: ["get(host:localhost)"] };
    const { get } = await open({ policy, network, approver });
    expect(getText(await get(`http://127.0.0.1:${port}/`, ["127.0.0.1"]))).toBe("of the host");
    expect(questions).toEqual([]);
    // It said one thing and does another.
    const other = await get(`http://localhost:${port}/`, ["127.0.0.1"]);
    expect(other).toMatchObject({ code: "HOST_DENIED", category: "policy" });
    expect(questions).toEqual([]);
    expect(getText(await get(`http://localhost:${port}/a`, ["localhost"]))).toBe("of the host");
    expect(questions.length).toBe(1);
    expect(questions[0]).toContain("connects to localhost");
    // A redirect to a host that nobody was asked about.
    const led = await get(`http://127.0.0.1:${port}/to/${encodeURIComponent(`http://localhost:${port}/`)}`, [
      "127.0.0.1",
    ]);
    expect(led).toMatchObject({ code: "HOST_DENIED" });
    // Without a plan somebody is asked about the call, and told of no host.
    const unplanned = await get(`http://localhost:${port}/`);
    expect(unplanned).toMatchObject({ code: "HOST_DENIED" });
    expect(getText(unplanned)).toMatch(/names no host.*plan must name localhost/s);
  });

  test("are covered by the approval of a call, but only for the hosts that it showed", async () => {
    const { port } = await serve();
    const approver = { ask: async () => ({ decision: "allow-once" as const }) };
    const network = { allowPrivate: ["127.0.0.1", "localhost"] };
    const { get } = await open({ policy: { ask: ["effect:network"] }, network, approver });
    expect(getText(await get(`http://localhost:${port}/`))).toBe("of the host");
    // But not with a call that was shown as one for another host.
    expect(await get(`http://localhost:${port}/b`, ["127.0.0.1"])).toMatchObject({
      code: "HOST_DENIED",
    });
  });

  test("respect an allow list of hosts", async () => {
    const { port } = await serve();
    const network = { allowPrivate: ["127.0.0.1", "localhost"] };
    const { get } = await open({ policy: { allow: ["get(host:127.0.0.1)"] }, network });
    expect(getText(await get(`http://127.0.0.1:${port}/`, ["127.0.0.1"]))).toBe("of the host");
    expect(await get(`http://localhost:${port}/`, ["127.0.0.1"])).toMatchObject({ code: "HOST_DENIED" });
    expect(await get(`http://localhost:${port}/`, ["localhost"])).toMatchObject({ code: "POLICY_DENIED" });
  });

  test("stay within the declared effect and hosts of a tool", async () => {
    const { port, asked } = await serve();
    const network = { allowPrivate: ["127.0.0.1", "localhost"] };
    const url = `http://127.0.0.1:${port}/`;
    const reader = definePlugin({ id: "web", tools: [get({ effects: ["read"] })] });
    const undeclared = await (await open({ plugins: [reader], network })).get(url);
    expect(undeclared).toMatchObject({ kind: "error", code: "NETWORK_UNDECLARED" });
    const bounded = definePlugin({ id: "web", tools: [get({ hosts: ["localhost"] })] });
    const { get: ask } = await open({ plugins: [bounded], network });
    expect(await ask(url)).toMatchObject({ code: "NETWORK_UNDECLARED" });
    expect(asked).toEqual([]);
    expect(await ask(`http://localhost:${port}/to/${encodeURIComponent(url)}`)).toMatchObject({
      code: "NETWORK_UNDECLARED",
    });
    expect(getText(await ask(`http://localhost:${port}/`))).toBe("of the host");
    const ofPlugin = definePlugin({ id: "web", hosts: ["localhost"], tools: [get()] });
    expect(await (await open({ plugins: [ofPlugin], network })).get(url)).toMatchObject({
      code: "NETWORK_UNDECLARED",
    });
  });

  test("are checked by the declared hosts without a plan", async () => {
    const declared = definePlugin({
      id: "web",
      tools: [get({ hosts: ["api.example.com"], plan: undefined })],
    });
    const { session } = await open({ plugins: [declared], policy: { deny: ["get(host:*.example.com)"] } });
    expect(await call(session, "get", { url: "http://api.example.com/" })).toMatchObject({
      code: "POLICY_DENIED",
    });
    const other = await open({ plugins: [declared], policy: { deny: ["get(host:*.example.net)"] } });
    expect(await other.get("http://api.example.net/")).toMatchObject({ code: "NETWORK_UNDECLARED" });
  });
});

describe("requests of contained sessions", () => {
  const contained = (network: unknown): NonNullable<HostOptions["policy"]> =>
    ({ exec: { containment: "workspace", network } }) as never;

  test.each([
    ["none", "none", /contained without a network/],
    ["a list", ["good.example.com", "127.0.0.1"], /is the machine that|not on the list/],
  ])("use their network for tools: %s", async (_what, network, message) => {
    const { port, asked } = await serve();
    const { get } = await open({
      policy: contained(network),
      network: { allowPrivate: ["127.0.0.1", "localhost"] },
    });
    for (const host of ["127.0.0.1", "localhost"]) {
      const outcome = await get(`http://${host}:${port}/`);
      expect(outcome).toMatchObject({ kind: "error", code: "NO_NETWORK" });
      expect(getText(outcome)).toMatch(message);
    }
    expect(asked).toEqual([]);
  });

  test("use the network of the host without local networks if all is allowed", async () => {
    const { port } = await serve();
    const policy = contained("full");
    const closed = await open({ policy });
    expect(await closed.get(`http://127.0.0.1:${port}/`)).toMatchObject({ code: "ADDRESS_REFUSED" });
    const opened = await open({ policy, network: { allowPrivate: ["127.0.0.1"] } });
    expect(getText(await opened.get(`http://127.0.0.1:${port}/`))).toBe("of the host");
    expect((await probeView()).available).toBeTypeOf("boolean");
  });
});

describe.skipIf(isSkipped)("requests of sandboxed sessions", () => {
  test("reach nothing without a network, regardless of grants", async () => {
    const { port, asked } = await serve();
    const host = await openTestHost(await temporaryFolder(), {
      plugins,
      policy: granted,
      network: { allowPrivate: ["127.0.0.1", "localhost"] },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    for (const name of ["127.0.0.1", "localhost", "2130706433"])
      expect(await call(session, "get", { url: `http://${name}:${port}/` })).toMatchObject({
        kind: "error",
        code: "NO_NETWORK",
      });
    expect(asked).toEqual([]);
  });

  test("connect inside the sandbox if bubblewrap shares the host's network", async () => {
    const { port, asked } = await serve();
    const host = await openTestHost(await temporaryFolder(), {
      plugins,
      policy: granted,
      sandbox: { network: "full" },
      network: { allowPrivate: [`127.0.0.1:${port}`] },
    });
    const session = await host.openSession({ kind: "sandboxed" });
    expect(getText(await call(session, "get", { url: `http://127.0.0.1:${port}/` }))).toBe("of the host");
    expect(await call(session, "get", { url: `http://127.0.0.2:${port}/` })).toMatchObject({
      code: "ADDRESS_REFUSED",
    });
    expect(asked.length).toBe(1);
  });
});

test("use a given network only with a given workspace", async () => {
  const { host } = await open();
  const network = { request: async () => ({ status: 200, statusText: "", headers: [] }) };
  await expect(host.openSession({ network })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  await expect(host.openSession({ kind: "sandboxed", network })).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
  const { workspace } = host;
  const withWorkspace = await host.openSession({ workspace });
  expect(await call(withWorkspace, "get", { url: "http://example.com/" })).toMatchObject({
    code: "NO_NETWORK",
  });
  const given = await host.openSession({ workspace, network });
  expect(await call(given, "get", { url: "http://example.com/" })).toMatchObject({ kind: "ok" });
});
