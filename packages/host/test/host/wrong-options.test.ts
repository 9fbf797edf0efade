import { HaftError } from "@haft/core";
import { expect, test } from "vitest";
import type { HostOptions, HostSessionOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";
import { openHost } from "../support/open-host.ts";

/** Each option with values of a wrong type or range, and with an unknown or incomplete member. */
const HOST: Readonly<Record<keyof HostOptions, readonly unknown[]>> = {
  policy: [3, true, null, "", [], { dny: [] }, { deny: "write" }],
  preset: [true, "strict"],
  policySource: [3],
  policyPositions: [3, {}],
  administratorPolicy: [3, true, null, "", { config: { dny: [] }, source: "a.yaml" }],
  workspaceDir: [3, ""],
  roots: [true, [], { docs: "docs" }, { docs: { path: "docs" } }, { docs: { path: ".", access: "w" } }],
  boundary: [true, { denied: [] }, { deny: "*.key" }],
  processes: [true, [], { isolated: true }],
  shell: [true, "zsh"],
  backgroundMs: ["10", -1, NaN, "nevr"],
  longestWaitMs: ["10", -1, NaN],
  onCommandExit: [true, {}],
  sandbox: [true, "docker", { backends: "docker" }, { limits: { memory: 5 } }],
  network: [true, [], { allow: [] }, { allowPrivate: "localhost" }],
  stateDir: [true, "", null, 3],
  store: ["sqlit", true, {}, { nats: {}, more: true }],
  plugins: [{}, true, "haft-plugin-lines"],
  nodes: [true, {}, { name: "x" }],
  mcp: [true, [], { server: {} }, { servers: { one: {} } }],
  factoryTimeoutMs: ["10", 0, -1, NaN],
  notify: [true, {}, [{ uri: "x" }]],
  telemetry: [true, { endpoints: "x" }],
  approver: [true, {}, { ask: "yes" }, null],
  approvalMode: [true, "ask"],
  approvals: [true, {}, { requests: 3 }, null],
  hooks: [true, {}, [{}], [true], [{ name: "x", beforeCall() {} }]],
  record: [true, "all"],
  onStoreFault: [true, "later"],
  loopGuard: [
    true,
    3,
    [],
    { braker: 3 },
    { breaker: "15" },
    { breaker: 0 },
    { breaker: NaN },
    { repeat: 3 },
    { repeat: { warn: 3 } },
  ],
  maxResultCharacters: ["10", 0, -1, NaN],
  deadlineMs: ["60", -1, NaN],
  abortGraceMs: ["60", -5, NaN],
  approvalTimeoutMs: ["60", 0, -5, NaN],
  spoolDir: [3, ""],
  logger: [true, {}, () => {}, { warn() {} }],
  config: [3, "", {}],
  durability: [true, "safe"],
  keep: [true, { dayz: 3 }, { days: 0 }],
  audit: [true, {}, { file: 3 }],
};

const SESSION: Readonly<Record<keyof HostSessionOptions, readonly unknown[]>> = {
  kind: [true, "grp"],
  sessionKey: [3, ""],
  agentId: [3, ""],
  agentDir: [3, ""],
  messageChannel: [3],
  groupId: [3, ""],
  sender: ["bob", 3, { nme: "x" }, { name: 3 }],
  parent: [true, {}, { kind: "main", knd: 1 }],
  model: ["gpt", { context: 3 }, { contextTokens: "x" }, { contextTokens: -1 }],
  resume: [false, "", 3],
  takeOver: ["yes"],
  signal: [{}, new AbortController()],
  openedWith: ["run", [3]],
  sandbox: [true, false, "docker", { backends: "docker" }],
  workspace: [true, {}, "ws"],
  network: [true, {}],
};

const wrong = (table: object) =>
  Object.entries(table).flatMap(([name, values]: [string, readonly unknown[]]) =>
    values.map((value) => ({ name, value })),
  );

/** The code of the refusal, if its message names the option; policies and plugins have their own messages. */
async function refusalOf(name: string, work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return thrown.code !== "INVALID_OPTIONS" || thrown.message.includes(name) ? thrown.code : thrown.message;
  }
  return "accepted";
}

const CODES = /^(INVALID_OPTIONS|POLICY_INVALID|PLUGIN_INVALID)$/;

test.for(wrong(HOST))("createHost refuses $name: $value", async ({ name, value }) => {
  const options = { administratorPolicy: false, stateDir: false, [name]: value } as HostOptions;
  const create = async () => (await createHost(options)).close();
  expect(await refusalOf(name, create)).toMatch(CODES);
});

test.for(wrong(SESSION))("openSession and preview refuse $name: $value", async ({ name, value }) => {
  const host = await openHost({ stateDir: false });
  const options = { [name]: value } as HostSessionOptions;
  expect(await refusalOf(name, () => host.openSession(options))).toMatch(CODES);
  expect(await refusalOf(name, () => host.preview(options))).toMatch(CODES);
});
