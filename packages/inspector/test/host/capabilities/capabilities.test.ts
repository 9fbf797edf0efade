import type { AuditEntry } from "@haft/config";
import type { HostOptions } from "@haft/host";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import type { PolicyConfig } from "@haft/policy";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { getStateFolder } from "../../../../../test/support/temporary-folder.ts";
import { view } from "../../../../../test/support/view.ts";
import type { CapabilityLevel, SessionCapabilities } from "../../../src/wire/api.ts";
import { openInspectedHost } from "../../support/inspector-client.ts";

/** What the page says of any session of a kind, by effect. */
async function answers(options: HostOptions, kind = "main"): Promise<Record<string, CapabilityLevel>> {
  const { page } = await openInspectedHost(options);
  const { abilities } = (await page.get(`/api/abilities?kind=${kind}`)) as SessionCapabilities;
  return Object.fromEntries(Object.entries(abilities).map(([effect, { answer }]) => [effect, answer]));
}

describe("the page says what can happen unasked", () => {
  test.for<[what: string, options: HostOptions, expected: Record<string, CapabilityLevel>, kind?: string]>([
    [
      "a condition on one path",
      { policy: { deny: ["group:fs(path:**/.env)", "exec", "bash"] } },
      { read: "some-refused", write: "some-refused", commands: "no", network: "no" },
    ],
    [
      "a question about one folder",
      {
        policy: {
          ask: ["write(path:docs/**)", "edit(path:docs/**)", "apply_patch(path:docs/**)"],
          deny: ["group:runtime"],
        },
      },
      { read: "yes", write: "some-asked", messages: "no" },
    ],
    [
      "a list of commands",
      { policy: { deny: ["group:fs"], exec: { allow: ["touch *", "cat *"] } } },
      {
        commands: "some-refused",
        read: "some-refused",
        write: "some-refused",
        network: "some-refused",
        machines: "some-refused",
      },
    ],
    [
      "commands that nothing contains",
      {},
      { read: "yes", write: "yes", commands: "yes", network: "yes", messages: "yes", machines: "yes" },
    ],
    ["file tools that are denied", { policy: { deny: ["group:fs"] } }, { read: "yes", write: "yes" }],
    [
      "commands that are asked about",
      { policy: { ask: ["exec", "bash"] } },
      { read: "yes", commands: "asks", network: "asks", machines: "asks" },
    ],
    [
      "no commands",
      { policy: { deny: ["exec", "bash"] } },
      { commands: "no", network: "no", messages: "no", machines: "no" },
    ],
    ["a group", {}, { read: "yes", write: "asks", commands: "asks", network: "asks" }, "group"],
    [
      "a group in which one room may write",
      { policy: { groups: { room: { grant: ["write"] } } } },
      { write: "some-refused" },
      "group",
    ],
    [
      "a person who may do more",
      {
        policy: {
          sessions: { main: { exec: { security: "deny" } } },
          exec: { elevated: { mode: "full", senders: ["id:1"] } },
        },
      },
      { commands: "some-refused" },
    ],
    [
      "commands without a network",
      { policy: { exec: { preset: "contained" } } },
      { read: "yes", write: "yes", network: "asks", messages: "asks", machines: "asks" },
    ],
    [
      "commands with a whole network",
      { policy: { exec: { preset: "contained", network: "full" } } },
      { network: "yes", messages: "yes" },
    ],
    [
      "commands with some hosts",
      { policy: { exec: { preset: "contained", network: ["a.example.com"] } } },
      { network: "some-refused" },
    ],
    [
      "commands that only look",
      { policy: { deny: ["group:fs"], exec: { containment: "read-only" } } },
      { read: "yes", write: "asks" },
    ],
    [
      "commands that nobody can be asked about",
      { policy: { ask: ["exec", "bash"] }, approvalMode: "deny" },
      { commands: "no", network: "no" },
    ],
  ])("%s", async ([, options, expected, kind], { skip }) => {
    const { containment, preset } = (options.policy as PolicyConfig | undefined)?.exec ?? {};
    skip(!view.available && (containment ?? preset) !== undefined, "Nothing contains commands here.");
    expect(await answers(options, kind)).toMatchObject(expected);
  });

  test("what was allowed for good happens unasked", async () => {
    const { host, page } = await openInspectedHost({ policy: { ask: ["exec"] } });
    const session = await host.openSession({ sessionKey: "talk" });
    await session.call({ name: "exec", arguments: { command: "true" } });
    const told = async () =>
      ((await page.get("/api/abilities?kind=main")) as SessionCapabilities).abilities.commands.answer;
    expect(await told()).toBe("asks");
    await session.resolveApproval(session.pendingApprovals()[0]!.approvalId, { decision: "allow-always" });
    expect(await told()).toBe("some-asked");
  });

  test("code of plugins is not vouched for by what it declares", async () => {
    const add = defineTool({
      name: "add",
      description: "Adds.",
      effects: [],
      parameters: Type.Object({}),
      execute: () => Promise.resolve({ content: [text("2")], details: {} }),
    });
    const { page } = await openInspectedHost({
      policy: { deny: ["exec", "bash"] },
      plugins: [definePlugin({ id: "sums", tools: [add] })],
    });
    expect(await page.get("/api/abilities?kind=main")).toMatchObject({
      abilities: { network: { answer: "no" } },
      plugins: { unasked: ["sums/add"] },
    });
  });
});

test("promises about folders, undo and hidden files name the means for which they hold", async () => {
  const { page } = await openInspectedHost({ boundary: { deny: ["**/.env"] } });
  const facts = (await page.get("/api/abilities?kind=main")) as SessionCapabilities;
  expect(facts).toMatchObject({
    commands: { where: "open" },
    closed: ["**/.env"],
    hidden: [],
    record: { undo: true },
  });
  const sandboxed = (await page.get("/api/abilities?kind=sandboxed")) as SessionCapabilities;
  expect(sandboxed).toMatchObject({ place: "sandbox", folders: [], record: { undo: false } });
});

test("a guarded agent has a page of its own, which says nothing of tools of Haft", async () => {
  const { page, folder } = await openInspectedHost();
  mkdirSync(join(getStateFolder(folder), "guard"), { recursive: true, mode: 0o700 });
  const entry: Omit<AuditEntry, "audit" | "at"> = {
    pid: 1,
    runId: "guard:claude:s1",
    sessionKey: "claude:s1",
    session: { kind: "main", agentId: "claude", model: "", messageChannel: "", guarded: true },
    seq: 1,
    epoch: 1,
    toolName: "WebFetch",
    toolCallId: "1",
    createdAt: 1,
    args: { url: "https://example.com" },
    guard: { agent: "claude", event: "PreToolUse", folder, answer: "allow" },
    status: "executing",
    receipt: "unknown",
  };
  const line = `{"audit":1,"at":1,${JSON.stringify(entry).slice(1)}\n`;
  appendFileSync(join(getStateFolder(folder), "guard", "watched.jsonl"), line, { mode: 0o600 });
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  await vi.waitUntil(async () => (await page.get("/api/runs")).items.length > 0);
  const facts = await page.get("/api/abilities?run=guard:claude:s1");
  expect(facts).toMatchObject({
    type: "guarded",
    client: "claude",
    folder,
    asked: { calls: 1, tools: [{ name: "WebFetch", calls: 1, denied: 0, waiting: 0 }] },
    notClosed: expect.arrayContaining([expect.any(String)]),
  });
  expect(facts).not.toHaveProperty("tools");
  expect(facts).not.toHaveProperty("record");
});

test("a cell of rules with conditions says what becomes of most calls", async () => {
  const { page } = await openInspectedHost({ policy: { deny: ["exec(rm -rf *)"] } });
  const cell = await page.get("/api/policy/cell?kind=main&tool=exec");
  expect(cell.effect).toBe("allow");
  expect(cell.reason).toMatch(
    /^exec runs without approval, but some calls are denied, depending on the call: /,
  );
  const { tools } = await page.get("/api/tools?kind=main");
  const shown = tools.find(({ name }: { name: string }) => name === "exec");
  expect(shown.cell.reason).toBe(cell.reason);
});
