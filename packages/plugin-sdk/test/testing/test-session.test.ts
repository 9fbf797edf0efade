import { expect, test } from "vitest";
import { definePlugin, defineTool, HaftError, text, contentToText, Type } from "../../src/index.ts";
import { createMemoryWorkspace, createTestSession, testTool } from "../../src/testing/index.ts";

const count = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file.",
  parameters: Type.Object({ path: Type.String() }),
  effects: ["read"],
  async execute(_id, { path }, signal, _onUpdate, { workspace, sessionKind, messageChannel, model }) {
    const { bytes } = await workspace.fs.read(path, { signal });
    const lines = new TextDecoder().decode(bytes).split("\n").length - 1;
    const { target } = workspace.describe();
    return {
      content: [text(`${lines} lines`)],
      details: { place: target, sessionKind, messageChannel, model: model.name },
    };
  },
});
const log = defineTool({
  name: "log",
  description: "Adds a line to a log.",
  parameters: Type.Object({ line: Type.String() }),
  effects: ["write"],
  async execute(_id, { line }, _signal, _onUpdate, { workspace }) {
    await workspace.fs.append("log.txt", new TextEncoder().encode(`${line}\n`));
    return { content: [text("done")], details: {} };
  },
});
const plugin = definePlugin({ id: "lines", tools: [count, log] });
const files = { "a.txt": "one\ntwo\n" };

test.each(["main", "group"] as const)("a %s session calls a granted tool", async (kind) => {
  await using session = await createTestSession(plugin, {
    kind,
    files,
    channel: "telegram",
    model: { name: "m" },
  });
  const outcome = await session.call("count_lines", { path: "a.txt" });
  expect(contentToText(outcome.content)).toBe("2 lines");
  expect(outcome).toMatchObject({
    kind: "ok",
    details: { place: "host", sessionKind: kind, messageChannel: "telegram", model: "m" },
  });
  expect(session.outcome).toBe(outcome);
  expect(session.ledger).toMatchObject([{ toolName: "count_lines", status: "completed" }]);
  await session.call("log", { line: "hello" });
  expect(await session.files.all()).toEqual({ ...files, "log.txt": "hello\n" });
});

test("a sandboxed session can have its rules alone, over files in memory", async () => {
  await using session = await createTestSession(plugin, { kind: "sandboxed", workspace: "memory", files });
  expect(session.workspace.describe()).toMatchObject({ target: "sandbox" });
  expect(await session.call("count_lines", { path: "a.txt" })).toMatchObject({ kind: "ok" });
});

test("rules of a test are real: denied calls are denied, and explained", async () => {
  await using session = await createTestSession(plugin, { kind: "group", policy: {}, files });
  expect(await session.call("count_lines", { path: "a.txt" })).toMatchObject({
    kind: "blocked",
    code: "POLICY_DENIED",
  });
  const explained = await session.explain("count_lines");
  expect(JSON.stringify(explained)).toContain("sessions.group.grant");
});

test("a rule that matches nothing is an error, as in a host", async () => {
  await expect(createTestSession(plugin, { policy: { deny: ["cuont_lines"] } })).rejects.toMatchObject({
    code: "POLICY_INVALID",
  });
});

test("approvals are answered by the test", async () => {
  const asked: string[] = [];
  const policy = { ask: ["log"] };
  await using session = await createTestSession(plugin, {
    policy,
    approve: ({ tool }) => {
      asked.push(tool.name);
      return asked.length === 1 ? "allow-once" : "deny";
    },
  });
  expect(await session.call("log", { line: "one" })).toMatchObject({ kind: "ok" });
  expect(await session.call("log", { line: "two" })).toMatchObject({
    kind: "blocked",
    code: "APPROVAL_DENIED",
  });
  expect(await session.files.all()).toEqual({ "log.txt": "one\n" });
  await using nobody = await createTestSession(plugin, { policy });
  expect(await nobody.call("log", { line: "one" })).toMatchObject({ kind: "pending" });
});

test("on the host: a folder of its own, with processes, and nothing is left of it", async () => {
  const session = await createTestSession(plugin, { workspace: "host", files });
  const { cwd } = session.workspace.describe();
  expect(session.workspace.processes).toBeDefined();
  expect(await session.call("count_lines", { path: "a.txt" })).toMatchObject({ kind: "ok" });
  await session.close();
  await session.close();
  const { existsSync } = await import("node:fs");
  expect(existsSync(cwd)).toBe(false);
});

test("a workspace of the test's own is used as it is", async () => {
  const workspace = createMemoryWorkspace({ files });
  await using session = await createTestSession(plugin, { workspace });
  await session.call("log", { line: "hello" });
  expect(await workspace.fs.stat("log.txt")).toMatchObject({ size: 6 });
});

test("factories get the settings of the operator", async () => {
  const configured = definePlugin({
    id: "configured",
    config: { unit: "c" },
    tools: [
      {
        names: ["unit"],
        factory: ({ config }) => ({
          ...count,
          name: "unit",
          parameters: Type.Object({}),
          execute: () => ({ content: [text((config as { unit: string }).unit)], details: {} }),
        }),
      },
    ],
  });
  for (const [config, said] of [
    [undefined, "c"],
    [{ unit: "f" }, "f"],
  ] as const) {
    await using session = await createTestSession(configured, { config });
    expect(contentToText((await session.call("unit")).content)).toBe(said);
  }
});

test("one tool, one call", async () => {
  const { outcome, text: said, files: after } = await testTool(count, { path: "a.txt" }, { files });
  expect([outcome.kind, said, after]).toEqual(["ok", "2 lines", files]);
  const missing = await testTool(count, { path: "b.txt" }, { files });
  expect(missing.outcome).toMatchObject({ kind: "error", code: "FILE_NOT_FOUND" });
  const wrong = await testTool(count, { path: 7, other: 1 }, { files });
  expect(wrong.outcome).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS" });
});

test("files that cannot be there fail before anything is opened", async () => {
  const bad = { "../a": "" };
  for (const workspace of ["memory", "host"] as const) {
    const thrown: unknown = await createTestSession(plugin, { workspace, files: bad }).catch(
      (each: unknown) => each,
    );
    expect(HaftError.is(thrown) && thrown.code).toBe("OUTSIDE_WORKSPACE");
  }
});

test.each([
  { approve: "yes" },
  { files: ["a"] },
  { workspace: "disk" },
  { kind: "grupo" },
  { channel: 7 },
  { polcy: {} },
])("rejects an invalid option: %o", async (options) => {
  await expect(createTestSession(plugin, options as never)).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
  });
});

test("rejects a value that is no plugin", async () => {
  await expect(createTestSession({} as never)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});
